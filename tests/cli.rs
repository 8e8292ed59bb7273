//! The command line, as a shell sees it: output, errors, exit codes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

const SAMPLE: &str = "tests/data/sample/quant.cfg";
const LAYERS: &str = "tests/data/sample/quant.layers.json";

struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(args: &[&str]) -> Outcome {
    run_with(args, &[])
}

fn run_with(args: &[&str], stdin: &[u8]) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quantcfg"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file of its own for one test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn check_json(args: &[&str], stdin: &[u8]) -> (i32, Value) {
    let outcome = run_with(&[&["check", "--format", "json"], args].concat(), stdin);
    (outcome.code, serde_json::from_str(&outcome.stdout).unwrap())
}

#[test]
fn explain_writes_what_amct_writes() {
    let outcome = run(&["explain", "--layers", LAYERS, "--format", "amct", SAMPLE]);
    let expected = include_str!("data/sample/quant.effective.json");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, expected, ""));
}

#[test]
fn explain_finds_the_layers_beside_the_file() {
    let outcome = run(&["explain", "--format", "amct", SAMPLE]);
    assert_eq!(outcome.stdout, include_str!("data/sample/quant.effective.json"));
}

#[test]
fn explain_without_a_file_explains_the_sample() {
    let outcome = run(&["explain"]);
    assert_eq!(outcome.code, 0);
    let table: Vec<_> =
        outcome.stdout.lines().skip_while(|line| !line.starts_with("layer ")).take(6).collect();
    let table = table.join("\n") + "\n";
    expect![[r#"
        layer  type       quantised                  decided by              activations                                                weights
        -----  ---------  -------------------------  ----------------------  ---------------------------------------------------------  -------------------------------
        conv1  nn.Conv2D  yes (skip without effect)  override_layer_types    ulq_quantize                                               arq_retrain, channel_wise false
        conv2  nn.Conv2D  yes (skip without effect)  override_layer_configs  ulq_quantize, clip_max 3.0, clip_min -3.0                  arq_retrain, channel_wise true
        conv3  nn.Conv2D  yes (skip without effect)  override_layer_types    ulq_quantize                                               arq_retrain, channel_wise false
        fc     nn.Dense   yes                        global                  ulq_quantize, clip_max 6.0, clip_min -6.0, fixed_min true  arq_retrain, channel_wise false
    "#]].assert_eq(&table);
    assert!(outcome.stdout.contains("4 warnings, 3 notes"), "{}", outcome.stdout);
}

#[test]
fn explain_as_json_gives_reasons_and_places() {
    let outcome = run(&["explain", "--format", "json", SAMPLE]);
    let explained: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let conv3 = &explained["layers"][2];
    assert_eq!(conv3["name"], "conv3");
    assert_eq!(conv3["certainty"], "known");
    assert_eq!(conv3["values"]["retrain_weight_config"]["channel_wise"], false);
    let first = &conv3["because"][0];
    assert_eq!(first["range"]["start"], json!({ "line": 16, "column": 17, "offset": 290 }));
    assert_eq!((&explained["schema"], &explained["error"]), (&json!("mindspore-qat"), &Value::Null));
}

#[test]
fn explain_ends_with_the_words_of_amct_when_it_would_refuse() {
    let refused = |text: &str| {
        let outcome = run_with(&["explain", "--layers", LAYERS, "--format", "amct", "-"], text.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
        outcome.stderr.lines().last().unwrap().to_owned()
    };
    assert_eq!(refused("skip_layers: \"conv9\""), "ValueError: some skip_layers not in valid_layers");
    assert_eq!(
        refused("skip_layers: conv1"),
        "ParseError: 1:14 : 'skip_layers: conv1': Expected string but found: 'conv1'"
    );
    let outcome = run_with(&["explain", "--layers", LAYERS, "--format", "json", "-"], b"foo: 1");
    let explained: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((outcome.code, &explained["error"]["type"]), (1, &json!("ParseError")));
}

#[test]
fn explain_needs_layers() {
    let outcome = run_with(&["explain", "-"], b"");
    assert_eq!(outcome.code, 2);
    expect![[r#"
        quantcfg: no layer list: name one with --layers
    "#]]
    .assert_eq(&outcome.stderr);
    let outcome = run(&["explain", "--schema", "tests/data/vectors/generic.proto:gen.All", SAMPLE]);
    assert_eq!(outcome.code, 2);
    expect![[r#"
        quantcfg: tests/data/sample/quant.cfg: what AMCT computes is known for built-in dialects only, not for a schema of your own
    "#]].assert_eq(&outcome.stderr);
    let list = file("untyped.json", b"[{\"name\": \"a\"}]");
    let outcome = run_with(&["explain", "--layers", list.to_str().unwrap(), "-"], b"");
    assert_eq!(outcome.code, 2);
    expect![[r#"
        quantcfg: the layer list has no type for `a`, and its values depend on it
    "#]]
    .assert_eq(&outcome.stderr);
}

#[track_caller]
fn human(args: &[&str], stdin: &str, code: i32, expected: Expect) {
    let outcome = run_with(&[&["check"], args].concat(), stdin.as_bytes());
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    expected.assert_eq(&outcome.stdout);
}

#[test]
fn check_shows_excerpts_to_people() {
    human(
        &["-"],
        "skip_layers: \"层😀\" batch_nun: 1\n",
        1,
        expect![[r#"
            info[missing-required]: `AMCTRetrainConfig` is documented with `retrain_data_quant_config` and `retrain_weight_quant_config`, which AMCT does not enforce.
             --> <stdin>:1:1
              |
            1 | skip_layers: "层😀" batch_nun: 1
              | ^

            error[unknown-field]: `AMCTRetrainConfig` has no field `batch_nun`; AMCT refuses the file.
             --> <stdin>:1:19
              |
            1 | skip_layers: "层😀" batch_nun: 1
              |                     ^^^^^^^^^

            1 error, 1 note
        "#]],
    );
    human(
        &["-", "--lang", "zh-CN"],
        "skip_layers：\"a\"\n",
        1,
        expect![[r#"
            info[missing-required]: 文档要求 `AMCTRetrainConfig` 填写 `retrain_data_quant_config`、`retrain_weight_quant_config`，但 AMCT 并不检查。
             --> <stdin>:1:1
              |
            1 | skip_layers："a"
              | ^

            error[full-width]: `：` 是全角字符，应改为半角 `:`。
             --> <stdin>:1:12
              |
            1 | skip_layers："a"
              |            ^^
              |
            修复: 改为 `:`

            1 个错误，1 条信息
        "#]],
    );
    human(
        &["-"],
        "# nothing\n",
        0,
        expect![[r#"
        No findings.
    "#]],
    );
    human(
        &["-"],
        "skip_layers: [\"a\" \"b\"]\n",
        0,
        expect![[r#"
            info[missing-required]: `AMCTRetrainConfig` is documented with `retrain_data_quant_config` and `retrain_weight_quant_config`, which AMCT does not enforce.
             --> <stdin>:1:1
              |
            1 | skip_layers: ["a" "b"]
              | ^

            warning[adjacent-strings]: There is no comma between these strings: AMCT silently reads them as one element.
             --> <stdin>:1:15
              |
            1 | skip_layers: ["a" "b"]
              |               ^^^^^^^
              |
            fix: Insert `,`

            1 warning, 1 note
        "#]],
    );
    human(
        &["-", "--deny-warnings"],
        "skip_layers: [\"a\" \"b\"]\n",
        1,
        expect![[r#"
            info[missing-required]: `AMCTRetrainConfig` is documented with `retrain_data_quant_config` and `retrain_weight_quant_config`, which AMCT does not enforce.
             --> <stdin>:1:1
              |
            1 | skip_layers: ["a" "b"]
              | ^

            warning[adjacent-strings]: There is no comma between these strings: AMCT silently reads them as one element.
             --> <stdin>:1:15
              |
            1 | skip_layers: ["a" "b"]
              |               ^^^^^^^
              |
            fix: Insert `,`

            1 warning, 1 note
        "#]],
    );
    human(
        &["-"],
        "retrain_data_quant_config {",
        1,
        expect![[r#"
            info[missing-required]: `AMCTRetrainConfig` is documented with `retrain_weight_quant_config`, which AMCT does not enforce.
             --> <stdin>:1:1
              |
            1 | retrain_data_quant_config {
              | ^

            error[unclosed]: This bracket is never closed: a `}` is missing.
             --> <stdin>:1:27
              |
            1 | retrain_data_quant_config {
              |                           ^

            1 error, 1 note
        "#]],
    );
}

#[test]
fn check_gives_places_to_machines() {
    let (code, report) = check_json(&["-"], "skip_layers: \"🚀conv\" batch_nun: 1\n".as_bytes());
    let file = &report["files"][0];
    assert_eq!((code, &file["loads"], &file["schema"]), (1, &json!(false), &json!("mindspore-qat")));
    let error = &file["amct_error"];
    assert_eq!((&error["stage"], &error["line"], &error["column"]), (&json!("load"), &json!(1), &json!(22)));
    let finding =
        file["diagnostics"].as_array().unwrap().iter().find(|f| f["code"] == "unknown-field").unwrap();
    assert_eq!(finding["range"]["start"], json!({ "line": 1, "column": 22, "offset": 24 }));
    assert_eq!(finding["certainty"], "known");
}

#[test]
fn check_names_what_amct_raises_after_loading() {
    let text = b"override_layer_types { layer_type: \"Conv2D\" }";
    let (code, report) = check_json(&["--schema", "mindspore-qat", "-"], text);
    let file = &report["files"][0];
    assert_eq!((code, &file["loads"]), (1, &json!(true)));
    assert_eq!(
        file["amct_error"],
        json!({ "stage": "config", "type": "ValueError", "line": null, "column": null,
            "message": "Unrecognized layer type:Conv2D, only support ['nn.Conv2D', 'nn.Dense']" })
    );
}

#[test]
fn check_explains_files_that_are_not_utf_8() {
    for (bytes, words) in [
        (&b"skip_layers: \"a\"\n# \xd6\xd0\xce\xc4\n"[..], "GBK"),
        (b"\xff\xfes\x00", "UTF-16"),
        ("\u{feff}skip_layers: \"a\"".as_bytes(), "byte order mark"),
    ] {
        let (code, report) = check_json(&["-"], bytes);
        let file = &report["files"][0];
        assert_eq!((code, &file["loads"]), (1, &json!(false)));
        let message = file["diagnostics"][0]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn what_cannot_be_read_is_code_2_and_the_rest_is_still_checked() {
    let (code, report) = check_json(&["no/such/file.cfg", SAMPLE], b"");
    assert_eq!((code, report["files"].as_array().unwrap().len()), (2, 1));
    assert_eq!(run(&["check", "--schema", "nonsense", SAMPLE]).code, 2);
    assert_eq!(run(&["check", "--schema", "tests/data/vectors/generic.proto:gen.Nothing", SAMPLE]).code, 2);
    assert_eq!(run(&["nonsense"]).code, 2);
    assert_eq!(run(&["schema", "show", "nonsense"]).code, 2);
}

#[test]
fn the_schema_is_printed_as_it_is_documented() {
    let names = run(&["schema", "list"]).stdout;
    assert_eq!(names.lines().next(), Some("mindspore-qat"));
    for name in names.lines() {
        let shown = run(&["schema", "show", name]);
        assert_eq!((shown.code, shown.stdout.contains("syntax = \"proto2\";")), (0, true), "{name}");
    }
    let shown = run(&["schema", "show", "mindspore-qat"]);
    assert_eq!(shown.stdout, include_str!("../proto/retrain_config_mindspore.proto"));
}

#[test]
fn folders_are_searched_as_git_sees_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("searched");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("b/.hidden")).unwrap();
    for name in [
        "quant.cfg",
        "b/net.quant.cfg",
        "b/other.cfg",
        "b/.hidden/quant.cfg",
        "b/ignored.quant.cfg",
        "b/squant.cfg",
    ] {
        std::fs::write(folder.join(name), "foo: 1\n").unwrap();
    }
    std::fs::write(folder.join(".gitignore"), "ignored*\n").unwrap();
    let (code, report) =
        check_json(&[folder.to_str().unwrap(), folder.join("b/other.cfg").to_str().unwrap()], b"");
    let paths: Vec<_> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    let expected = ["b/net.quant.cfg", "quant.cfg", "b/other.cfg"].map(|name| folder.join(name));
    assert_eq!((code, paths), (1, expected.iter().map(|path| path.to_str().unwrap()).collect()));

    let empty = folder.join("b/.hidden");
    std::fs::remove_file(empty.join("quant.cfg")).unwrap();
    let outcome = run(&["check", empty.to_str().unwrap()]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "No findings.\n"));
    assert!(outcome.stderr.contains("no quant.cfg"), "{}", outcome.stderr);
}

#[test]
fn many_files_are_reported_in_order() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let names: Vec<_> = (100..400).map(|at| format!("{at}.quant.cfg")).collect();
    for (at, name) in names.iter().enumerate() {
        // Some take longer than others.
        std::fs::write(folder.join(name), "batch_num: 1\n".repeat(1 + at % 7 * 100)).unwrap();
    }
    let (_, report) = check_json(&[folder.to_str().unwrap()], b"");
    let paths = report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
    assert!(paths.eq(names.iter().map(|name| folder.join(name).to_str().unwrap().to_owned())));
}

#[test]
fn stdin_can_bear_the_name_of_a_file() {
    let (_, report) = check_json(&["-", "--stdin-filename", SAMPLE], b"skip_layers: \"nowhere\"\n");
    assert_eq!(report["files"][0]["path"], SAMPLE);
    // The layers beside that file count.
    assert_eq!(report["files"][0]["amct_error"]["stage"], "config");
}

#[test]
fn annotations_for_github() {
    let outcome =
        run_with(&["check", "--format", "github", "-"], "skip_layers: \"层\" batch_nun: 1\n".as_bytes());
    expect![[r#"
        ::notice title=missing-required,file=<stdin>,line=1,endLine=1,col=1,endColumn=1::`AMCTRetrainConfig` is documented with `retrain_data_quant_config` and `retrain_weight_quant_config`, which AMCT does not enforce.
        ::error title=unknown-field,file=<stdin>,line=1,endLine=1,col=18,endColumn=27::`AMCTRetrainConfig` has no field `batch_nun`; AMCT refuses the file.
    "#]].assert_eq(&outcome.stdout);
}

#[test]
fn sarif_for_code_scanning() {
    let outcome = run_with(&["check", "--format", "sarif", "-"], b"skip_layers: [\"a\" \"b\"]\n");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let results = report["runs"][0]["results"].as_array().unwrap();
    let strings = results.iter().find(|result| result["ruleId"] == "adjacent-strings").unwrap();
    assert_eq!(strings["level"], "warning");
    assert_eq!(
        strings["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": "%3Cstdin%3E" },
            "region": { "startLine": 1, "startColumn": 15, "endLine": 1, "endColumn": 22 },
        })
    );
    assert_eq!(strings["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], ",");
}

#[test]
fn the_command_line_documents_itself() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(run(&["completions", shell]).stdout.contains("stdin-filename"), "{shell}");
    }
    let page = run(&["man"]).stdout;
    assert!(page.contains(".TH quantcfg 1") && page.contains("deny\\-warnings"), "{page}");
}

#[test]
fn settings_lie_beside_the_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("net/ptq")).unwrap();
    // The search for settings ends at the folder with .git.
    std::fs::create_dir(folder.join("net/.git")).unwrap();
    std::fs::write(folder.join("quantcfg.toml"), "schema = 'auto-channel-prune'\n").unwrap();
    let settings = r#"
        language = "zh-CN"
        files = ["*.cfg"]
        schema = "pytorch-distill"
        schemas = [{ files = ["ptq/*"], schema = "pytorch-ptq" }, { files = ["own.cfg"], schema = "own.proto:own.M" }]
        layers = [{ files = "net.cfg", layers = "list.txt" }]
        allowOutsideWorkspace = true
        nonsense = 1

        [severity]
        unknown-field = "warning"
    "#;
    std::fs::write(folder.join("net/quantcfg.toml"), settings).unwrap();
    std::fs::write(
        folder.join("net/own.proto"),
        "syntax = 'proto2'; package own; message M { optional int32 a = 1; }",
    )
    .unwrap();
    std::fs::write(folder.join("net/list.txt"), "a Conv2d\n").unwrap();
    for (name, text) in [
        ("net.cfg", "skip_layers: 'a'"),
        ("own.cfg", "a: 1"),
        ("ptq/a.cfg", "foo: 1"),
        ("header.cfg", "# quantcfg-schema: pytorch-qat\n"),
        ("quant.conf", ""),
    ] {
        std::fs::write(folder.join("net").join(name), text).unwrap();
    }
    let (code, report) = check_json(&[folder.join("net").to_str().unwrap()], b"");
    let files = report["files"].as_array().unwrap();
    let schemas: Vec<_> = files.iter().map(|file| file["schema"].as_str().unwrap()).collect();
    assert_eq!(schemas, ["pytorch-qat", "pytorch-distill", "own.M", "pytorch-ptq"]);
    // Neither severity changes what AMCT does.
    assert_eq!(
        (code, &files[3]["loads"], &files[3]["diagnostics"][2]["severity"]),
        (0, &json!(false), &json!("warning"))
    );
    let messages: Vec<_> = files[0]["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    assert!(messages[0].contains("there is no setting `nonsense`"), "{messages:?}");
    assert!(messages[1].contains("`allowOutsideWorkspace` counts in the editor"), "{messages:?}");
    let outcome = run(&["check", folder.join("net/ptq/a.cfg").to_str().unwrap()]);
    assert!(outcome.stdout.contains("没有字段 `foo`"), "{}", outcome.stdout);
    // A flag beats them.
    let (_, report) =
        check_json(&["--schema", "mindspore-qat", folder.join("net/net.cfg").to_str().unwrap()], b"");
    assert_eq!(report["files"][0]["schema"], "mindspore-qat");
}

#[test]
fn explain_compares_with_what_amct_wrote() {
    let same = run(&["explain", "--against", "tests/data/sample/quant.effective.json", SAMPLE]);
    assert_eq!((same.code, same.stdout.as_str()), (0, "No difference in effect.\n"));
    let text =
        include_str!("data/sample/quant.effective.json").replace("\"clip_max\":3.0", "\"clip_max\":4.0");
    let other = file("against.json", text.as_bytes());
    let differs = run(&["explain", "--against", other.to_str().unwrap(), SAMPLE]);
    assert_eq!(differs.code, 1);
    expect![[r#"
        layer  what                          AMCT  computed
        -----  ----------------------------  ----  --------
        conv2  retrain_data_config.clip_max  4.0   3.0
    "#]]
    .assert_eq(&differs.stdout);
    let broken = file("against-broken.json", b"[1");
    assert_eq!(run(&["explain", "--against", broken.to_str().unwrap(), SAMPLE]).code, 2);
}

#[test]
fn diff_shows_what_changes_in_effect() {
    let sample = std::fs::read_to_string(SAMPLE).unwrap();
    let after = file("diff-after.cfg", sample.replace("clip_max: 3.0", "clip_max: 2.5").as_bytes());
    let after = after.to_str().unwrap();
    let differs = run(&["diff", "--layers", LAYERS, "--format", "json", SAMPLE, after]);
    assert_eq!(differs.code, 1);
    expect![[r#"
        {"differences":[{"layer":"conv2","key":"retrain_data_config.clip_max","before":3.0,"after":2.5}]}
    "#]]
    .assert_eq(&differs.stdout);
    assert_eq!(run(&["diff", "--layers", LAYERS, SAMPLE, SAMPLE]).code, 0);
    assert_eq!(run(&["diff", "--layers", LAYERS, SAMPLE, "no-such.cfg"]).code, 2);
}

#[test]
fn layers_of_model_files_are_printed_as_a_list() {
    let outcome = run(&["layers", "tests/data/models/net.mindir"]);
    let list: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        list[2],
        json!({"name": "layer1.0.dw", "type": "Conv2d", "depthwise": true, "int4_packable": false})
    );
    let damaged = file("damaged.ckpt", b"PK\x03\x04");
    let outcome = run(&["layers", damaged.to_str().unwrap()]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("no such model file"), "{}", outcome.stderr);
}

#[test]
fn the_entry_can_be_chosen() {
    let cfg = file(
        "prune.cfg",
        b"prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 0.3 } } }",
    );
    let layers = file("prune.layers.json", br#"[{"name": "a", "type": "Conv2d"}]"#);
    let args =
        ["explain", "--schema", "pytorch-qat", "--format", "json", "--layers", layers.to_str().unwrap()];
    let explain = |entry: &[&str]| {
        let outcome = run(&[&args[..], entry, &[cfg.to_str().unwrap()]].concat());
        (outcome.code, serde_json::from_str::<Value>(&outcome.stdout).unwrap())
    };
    let (code, json) = explain(&[]);
    assert_eq!(
        (code, &json["entry"], &json["layers"][0]["prune"]["enabled"]),
        (0, &json!("compressed"), &json!(true))
    );
    let (code, json) = explain(&["--entry", "retrain"]);
    assert_eq!((code, &json["entry"], &json["error"]["type"]), (1, &json!("retrain"), &json!("ValueError")));
}
