//! What an editor gets on the documented sample: findings, completion, hover, lenses, the effective configuration.

use serde_json::{Value, json};

use crate::client::{Client, capabilities};
use crate::folder::{Folder, SAMPLE};

const LAYERS: &str = include_str!("../data/sample/quant.layers.json");

fn at(uri: &str, text: &str, needle: &str, by: usize) -> Value {
    let offset = text.find(needle).unwrap() + by;
    let line = text[..offset].matches('\n').count();
    let character = offset - text[..offset].rfind('\n').map_or(0, |line_break| line_break + 1);
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

fn codes(findings: &Value) -> Vec<(u64, &str)> {
    let findings = findings.as_array().unwrap().iter();
    findings.map(|f| (f["severity"].as_u64().unwrap(), f["code"].as_str().unwrap())).collect()
}

fn titles(client: &Client, uri: &str) -> Vec<(u64, String)> {
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let lenses = lenses.as_array().unwrap().iter();
    lenses
        .map(|lens| {
            assert_eq!(lens["command"]["command"], "quantcfg.showEffective");
            assert_eq!(lens["data"]["certainty"], "known");
            let title = lens["command"]["title"].as_str().unwrap().to_owned();
            (lens["range"]["start"]["line"].as_u64().unwrap(), title)
        })
        .collect()
}

#[test]
fn the_sample_with_its_layers() {
    let folder = Folder::new("sample");
    folder.write("quant.layers.json", LAYERS);
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    let findings = client.findings(&uri, 1);
    assert!(codes(&findings).iter().all(|(severity, _)| *severity > 1), "{findings}");
    assert_eq!(codes(&findings).iter().filter(|(_, code)| *code == "skip-without-effect").count(), 2);
    assert!(findings.as_array().unwrap().iter().all(|finding| finding["data"]["certainty"] == "known"));
    assert_eq!(
        titles(&client, &uri),
        [
            (0, "mindspore-qat · 4 layers: 4 quantised, 0 skipped (quant.layers.json)".to_owned()),
            (1, "fc: ulq -6.0..6.0, fixed_min true, channel_wise false".to_owned()),
            (11, "no effect on conv2: quantised all the same by the override in line 25".to_owned()),
            (
                12,
                "no effect on conv1, conv2, conv3: quantised all the same by the override in line 16, 25"
                    .to_owned()
            ),
            (14, "conv1, conv3: ulq, clip from data, channel_wise false".to_owned()),
            (23, "conv2: ulq -3.0..3.0, channel_wise true".to_owned()),
        ]
    );
}

#[test]
fn mistakes_come_and_go_with_the_edits() {
    let folder = Folder::new("mistakes");
    folder.write("quant.layers.json", LAYERS);
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    client.change(&uri, 2, &[([7, 19, 7, 23], "yes")]);
    let findings = client.findings(&uri, 2);
    assert_eq!(findings[1]["code"], "wrong-value");
    assert_eq!(
        findings[1]["range"],
        json!({ "start": { "line": 7, "character": 19 }, "end": { "line": 7, "character": 22 } })
    );
    client.change(&uri, 3, &[([7, 19, 7, 22], "true"), ([11, 0, 11, 0], "skip_layerz: \"a\"\n")]);
    let findings = client.findings(&uri, 3);
    let errors: Vec<_> = findings.as_array().unwrap().iter().filter(|f| f["severity"] == 1).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(
        (&errors[0]["code"], &errors[0]["range"]["start"]["line"]),
        (&json!("unknown-field"), &json!(11))
    );
    client.change(&uri, 4, &[([11, 0, 12, 0], "")]);
    assert!(codes(&client.findings(&uri, 4)).iter().all(|(severity, _)| *severity > 1));
}

#[test]
fn completion_fits_the_block() {
    let folder = Folder::new("completion");
    let (client, uri) = (Client::start(), folder.uri());
    let text = "retrain_data_quant_config {\n  ulq_quantize {\n    cl\n  }\n}\n";
    client.open(&uri, text);
    let answer = client.ask("textDocument/completion", at(&uri, text, "cl\n", 2));
    let items = answer["items"].as_array().unwrap();
    let labels: Vec<_> = items.iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["clip_max_min", "fixed_min"]);
    assert_eq!(items[0]["detail"], "optional ClipMaxMin");
    assert_eq!(items[0]["insertTextFormat"], 2);
    assert_eq!(items[0]["textEdit"]["newText"], "clip_max_min: {\n    clip_max: $1\n    clip_min: $2\n}");
    assert_eq!(items[0]["textEdit"]["range"]["start"], json!({ "line": 2, "character": 4 }));
    assert!(items[0]["documentation"]["value"].as_str().unwrap().contains("IFMR"));
}

#[test]
fn clients_without_snippets_get_plain_text() {
    let folder = Folder::new("plain");
    let mut able = capabilities();
    able["textDocument"]["completion"]["completionItem"] = json!({});
    able["textDocument"]["hover"] = json!({});
    let client = Client::start_with(json!({ "capabilities": able, "locale": "zh-cn" }));
    let uri = folder.uri();
    client.open(&uri, "re\n");
    let answer = client.ask("textDocument/completion", at(&uri, "re\n", "re", 2));
    let first = &answer["items"][0];
    assert_eq!(
        (&first["textEdit"]["newText"], &first["insertTextFormat"]),
        (&json!("retrain_data_quant_config: {}"), &Value::Null)
    );
    client.change(&uri, 2, &[([0, 0, 1, 0], SAMPLE)]);
    let hover = client.ask("textDocument/hover", at(&uri, SAMPLE, "fixed_min", 3));
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.starts_with("optional bool fixed_min\n") && text.contains("下限") && !text.contains('`'),
        "{text}"
    );
}

#[test]
fn hover_tells_the_documented_meaning() {
    let folder = Folder::new("hover");
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    let hover = client.ask("textDocument/hover", at(&uri, SAMPLE, "skip_layer_types", 4));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(
        text.contains("repeated string skip_layer_types") && text.contains("united with `quant_skip_types`"),
        "{text}"
    );
    // The first line tells what the file is read as.
    let hover = client.ask("textDocument/hover", at(&uri, SAMPLE, "# global", 3));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("read as `mindspore-qat`"), "{hover}");
    assert_eq!(client.ask("textDocument/hover", at(&uri, SAMPLE, "}", 1)), Value::Null);
}

#[test]
fn the_effective_configuration_can_be_asked_for() {
    let folder = Folder::new("effective");
    folder.write("quant.layers.json", LAYERS);
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    let effective = client.ask("quantcfg/effective", json!({ "uri": uri }));
    assert_eq!(effective["error"], Value::Null);
    let conv1 = &effective["layers"][0];
    assert_eq!((&conv1["source"], &conv1["skip_by_type"]), (&json!("override_layer_types"), &json!(true)));
    let command = json!({ "command": "quantcfg.showEffective", "arguments": [uri] });
    let page = client.ask("workspace/executeCommand", command);
    assert!(page.as_str().unwrap().contains("| conv2 | nn.Conv2D |"), "{page}");
    assert_eq!(
        client.error("workspace/executeCommand", json!({ "command": "other", "arguments": [] })),
        -32602
    );
}

#[test]
fn layers_that_come_later_are_seen_when_something_is_saved() {
    let folder = Folder::new("later");
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    client.findings(&uri, 1);
    folder.write("quant.layers.json", "conv1 nn.Conv2D\n");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert!(
        titles(&client, &uri)[0].1.contains("AMCT refuses this file: 2 errors"),
        "{:?}",
        titles(&client, &uri)
    );
    folder.write("quant.layers.json", "[{");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let findings = client.wait_for("textDocument/publishDiagnostics", |params| {
        codes(&params["diagnostics"]).iter().any(|(_, code)| *code == "unreadable-layers")
    });
    assert!(
        findings["diagnostics"][0]["message"].as_str().unwrap().contains("quant.layers.json:1"),
        "{findings}"
    );
}

#[test]
fn headers_choose_schema_and_layers_but_never_from_outside() {
    let folder = Folder::new("headers");
    folder.write("net.txt", "conv1 nn.Conv2D\n");
    folder.write("../headers-outside.json", "conv1 nn.Conv2D\n");
    folder.write("own.proto", "syntax = 'proto3'; package own; message M { int32 depth = 1; // How deep.\n}");
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, "# quantcfg-layers: net.txt\nskip_layers: \"conv1\"\n");
    assert!(codes(&client.findings(&uri, 1)).contains(&(1, "all-layers-off")));
    let own = "# proto-file: own.proto\n# proto-message: own.M\ndepth: x\n";
    client.change(&uri, 2, &[([0, 0, 9, 0], own)]);
    assert_eq!(codes(&client.findings(&uri, 2)), [(1, "wrong-value")]);
    let hover = client.ask("textDocument/hover", at(&uri, own, "depth", 1));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("How deep."), "{hover}");
    client.change(&uri, 3, &[([0, 0, 9, 0], "# quantcfg-layers: ../headers-outside.json\n")]);
    assert_eq!(codes(&client.findings(&uri, 3)), [(2, "unreadable-header-file")]);
}

#[test]
fn the_content_of_a_file_chooses_its_dialect() {
    let folder = Folder::new("content");
    folder.write("quant.layers.json", LAYERS);
    let (client, uri) = (Client::start(), folder.uri_of("other.cfg"));
    let status = |schema: Value| {
        client.wait_for("quantcfg/status", |params| params["uri"] == uri && params["schema"] == schema)
    };
    client.open(&uri, "skip_layers: \"a\"\n");
    assert_eq!(status(json!("mindspore-qat"))["layers"], Value::Null);
    // A name that is being typed decides nothing, and a field does.
    for (version, typed) in ["prune", "_config", " {", "}"].into_iter().enumerate() {
        let character = ["", "prune", "prune_config", "prune_config {"][version].len() as u32;
        client.change(&uri, version as i64 + 2, &[([1, character, 1, character], typed)]);
        client.text(&uri);
    }
    let told = status(json!("pytorch-qat"));
    assert!(told["why"].as_str().unwrap().contains("`prune_config`"), "{told}");
    let text = "skip_layers: \"a\"\nprune_config {}";
    let hover = client.ask("textDocument/hover", at(&uri, text, "\"a\"", 3));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("read as `pytorch-qat`"), "{hover}");
    client.change(&uri, 9, &[([0, 0, 1, 15], "{ \"a\": { \"b\": 1 } }")]);
    assert_eq!(codes(&client.findings(&uri, 9)), [(4, "foreign-file")]);
    status(Value::Null);
    assert_eq!(client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })), json!([]));
    // Asked at once, before anything is published.
    client.change(&uri, 10, &[([0, 0, 0, 19], "group_size: 1")]);
    let hover = client.ask("textDocument/hover", at(&uri, "group_size: 1", "group_size", 3));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("pytorch-distill"), "{hover}");

    let sample = folder.uri();
    client.open(&sample, SAMPLE);
    let told = client.wait_for("quantcfg/status", |params| params["uri"] == sample);
    assert_eq!((&told["schema"], &told["layers"]["count"]), (&json!("mindspore-qat"), &json!(4)));
    assert_eq!(told["layers"]["complete"], true);
}

#[test]
fn findings_come_with_fixes_and_blocks_with_hints() {
    let folder = Folder::new("fixes");
    folder.write("quant.layers.json", LAYERS);
    let (client, uri) = (Client::start(), folder.uri());
    let text = "skip_layers: \"conv_1\"\nretrain_data_quant_config { ulq_quantize {} }\n";
    client.open(&uri, text);
    let range = json!({ "start": { "line": 0, "character": 15 }, "end": { "line": 0, "character": 15 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "Change to `\"conv1\"`");
    assert_eq!(actions[0]["kind"], "quickfix");
    assert_eq!(actions[0]["edit"]["changes"][&uri][0]["newText"], "\"conv1\"");
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": all }));
    assert_eq!(hints[0]["label"], "clip from data (IFMR), fixed_min: true after ReLU, else false");
    assert_eq!(hints[0]["position"], json!({ "line": 1, "character": 42 }));
    let hover = client.ask("textDocument/hover", at(&uri, text, "conv_1", 1));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("no layer `conv_1`"));
    let answer = client.ask("textDocument/completion", at(&uri, text, "conv_1", 6));
    assert_eq!(answer["items"][0]["label"], "conv1");
}
