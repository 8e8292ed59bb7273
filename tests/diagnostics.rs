//! What an author sees under each mistake: findings drawn below the line that they are about.
//!
//! Each picture is total: a finding that is not drawn fails the test.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::analysis::{Diagnostic, Tag};
use quantcfg::ide::{Context, LayerSource, Snapshot};
use quantcfg::inventory;
use quantcfg::schema::builtin::Dialect;
use quantcfg::text::{Encoding, TextRange};

/// Text errors and traps of a file, without a layer list. What its documentation calls required is left out, to keep
/// the fixtures short.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let findings = |finding: &Diagnostic| finding.code != "missing-required";
    expected.assert_eq(&picture(text, Language::English, None, findings));
}

/// All findings for a network, given as lines of `name type`.
#[track_caller]
fn check_network(text: &str, layers: &str, expected: Expect) {
    expected.assert_eq(&picture(text, Language::English, Some(layers), |finding| {
        finding.code != "missing-required"
    }));
}

fn picture(
    text: &str,
    language: Language,
    layers: Option<&str>,
    keep: impl Fn(&Diagnostic) -> bool,
) -> String {
    let layers = layers.map(|lines| {
        let list = inventory::json::read(lines.as_bytes()).unwrap();
        Arc::new(LayerSource { path: PathBuf::from("net"), list })
    });
    let context = Context { layers, ..Context::of_dialect(Dialect::MindsporeQat, language) };
    let snapshot = Snapshot::open(text, Arc::new(context));
    let findings: Vec<_> = snapshot.diagnostics().iter().filter(|finding| keep(finding)).collect();
    let mut out = String::new();
    for line in 0..snapshot.text.line_count() {
        // A character without width shows as a middle dot, so that the carets stand below what they mean.
        out += &snapshot
            .text
            .slice(snapshot.text.line_range(line))
            .trim_end_matches('\r')
            .replace('\u{200b}', "·");
        out.push('\n');
        for finding in findings.iter().filter(|finding| snapshot.text.line_of(finding.range.start) == line) {
            out += &drawn(&snapshot, finding);
        }
    }
    out.trim_end().to_owned() + "\n"
}

fn drawn(snapshot: &Snapshot, finding: &Diagnostic) -> String {
    let column = |offset| snapshot.text.position_of(offset, Encoding::Utf32).character as usize;
    let line_end = snapshot.text.line_range(snapshot.text.line_of(finding.range.start)).end;
    let (start, end) = (column(finding.range.start), column(finding.range.end.min(line_end)));
    let carets = "^".repeat((end - start).max(1));
    let tag = finding
        .tag
        .map_or("", |tag| if tag == Tag::Unnecessary { " (unnecessary)" } else { " (deprecated)" });
    let mut out = format!(
        "{}{carets} {}[{}]{tag}: {}\n",
        " ".repeat(start),
        finding.severity.name(),
        finding.code,
        finding.message
    );
    for related in &finding.related {
        let TextRange { start: at, .. } = related.range;
        let position = snapshot.text.position_of(at, Encoding::Utf32);
        out += &format!(
            "{}  {}:{}: {}\n",
            " ".repeat(start),
            position.line + 1,
            position.character + 1,
            related.message
        );
    }
    for fix in &finding.fixes {
        let edits: Vec<_> = fix.edits.iter().map(|edit| format!("{:?}", edit.text)).collect();
        out += &format!("{}  fix: {} -> {}\n", " ".repeat(start), fix.title, edits.join(", "));
    }
    out
}

#[test]
fn the_documented_sample_has_no_error() {
    let text = include_str!("data/sample/quant.cfg");
    let layers = include_str!("data/sample/quant.layers.json");
    expect![[r##"
        # global quantize parameter
        retrain_data_quant_config: {
        ^ information[missing-required]: `AMCTRetrainConfig` is documented with `retrain_weight_quant_config`, which AMCT does not enforce.
            ulq_quantize: {
                clip_max_min: {
                    clip_max: 6.0
                    clip_min: -6.0
                              ^^^^ information[clip-min-without-effect]: `clip_min` has no effect beside `fixed_min: true`, which holds the lower bound at 0; AMCT requires it all the same
                                8:20: the lower bound is held at 0 here
                }
                fixed_min: true
            }
        }

        skip_layers: "conv2"
                     ^^^^^^^ warning[skip-without-effect]: Skipping `conv2` has no effect: `override_layer_configs` for `conv2` quantises it all the same, and AMCT does not say so. Remove the skip or the override
                       25:16: this override decides
                       fix: Remove `conv2` from the list -> ""
        skip_layer_types: "nn.Conv2D"
                          ^^^^^^^^^^^ warning[skip-without-effect]: Skipping `nn.Conv2D` has no effect: `override_layer_types` for `nn.Conv2D` quantises it all the same, and AMCT does not say so. Remove the skip or the override
                            16:17: this override decides
                            fix: Remove `nn.Conv2D` from the list -> ""

        override_layer_types : {
        ^^^^^^^^^^^^^^^^^^^^ information[missing-required]: `RetrainOverrideLayerType` is documented with `retrain_data_quant_config`, which AMCT does not enforce.
            layer_type: "nn.Conv2D"
                        ^^^^^^^^^^^ warning[override-drops-values]: The override for `nn.Conv2D` is taken whole and inherits nothing: `clip_max: 6.0`, `clip_min: -6.0`, `fixed_min: true` are lost for `conv1`, `conv3`. Repeat them here to keep them
                          5:23: this value does not reach the layer
                          6:23: this value does not reach the layer
                          8:20: this value does not reach the layer
                          fix: Repeat the dropped values in the override for `nn.Conv2D` -> "    retrain_data_quant_config {\n        ulq_quantize {\n            clip_max_min {\n                clip_max: 6.0\n                clip_min: -6.0\n            }\n            fixed_min: true\n        }\n    }\n"
            retrain_weight_quant_config: {
                arq_retrain: {
                   channel_wise: false
                }
            }
        }

        override_layer_configs : {
           layer_name: "conv2"
                       ^^^^^^^ warning[override-drops-values]: The override for `conv2` is taken whole and inherits nothing: `fixed_min: true` is lost. Repeat it here to keep it
                         8:20: this value does not reach the layer
                         fix: Repeat the dropped values in the override for `conv2` -> "           fixed_min: true\n"
           retrain_data_quant_config: {
               ulq_quantize: {
                   clip_max_min: {
                       clip_max: 3.0
                       clip_min: -3.0
                   }
               }
           }
           retrain_weight_quant_config: {
              arq_retrain: {
                 channel_wise: true
                }
              }
        }
    "##]].assert_eq(&picture(text, Language::English, Some(layers), |_| true));
}

#[test]
fn the_documented_sample_in_chinese() {
    let text = include_str!("data/sample/quant.cfg");
    let layers = include_str!("data/sample/quant.layers.json");
    expect![[r##"
        # global quantize parameter
        retrain_data_quant_config: {
        ^ information[missing-required]: 文档要求 `AMCTRetrainConfig` 填写 `retrain_weight_quant_config`，但 AMCT 并不检查。
            ulq_quantize: {
                clip_max_min: {
                    clip_max: 6.0
                    clip_min: -6.0
                              ^^^^ information[clip-min-without-effect]: `fixed_min: true` 将下限固定为 0，`clip_min` 不起作用；但 AMCT 仍要求写它
                                8:20: 此处将下限固定为 0
                }
                fixed_min: true
            }
        }

        skip_layers: "conv2"
                     ^^^^^^^ warning[skip-without-effect]: 跳过 `conv2` 不起作用：`override_layer_configs` 中的 `conv2` 仍使其量化，而 AMCT 不会提示。请删去其一
                       25:16: 由此重写块决定
                       fix: 从列表中删去 `conv2` -> ""
        skip_layer_types: "nn.Conv2D"
                          ^^^^^^^^^^^ warning[skip-without-effect]: 跳过 `nn.Conv2D` 不起作用：`override_layer_types` 中的 `nn.Conv2D` 仍使其量化，而 AMCT 不会提示。请删去其一
                            16:17: 由此重写块决定
                            fix: 从列表中删去 `nn.Conv2D` -> ""

        override_layer_types : {
        ^^^^^^^^^^^^^^^^^^^^ information[missing-required]: 文档要求 `RetrainOverrideLayerType` 填写 `retrain_data_quant_config`，但 AMCT 并不检查。
            layer_type: "nn.Conv2D"
                        ^^^^^^^^^^^ warning[override-drops-values]: `nn.Conv2D` 的重写块整体生效、不继承：`clip_max: 6.0`、`clip_min: -6.0`、`fixed_min: true` 丢失（`conv1`、`conv3`）。若要保留，请在此处重写一遍
                          5:23: 此值不会作用到该层
                          6:23: 此值不会作用到该层
                          8:20: 此值不会作用到该层
                          fix: 在 `nn.Conv2D` 的重写块中重写丢失的值 -> "    retrain_data_quant_config {\n        ulq_quantize {\n            clip_max_min {\n                clip_max: 6.0\n                clip_min: -6.0\n            }\n            fixed_min: true\n        }\n    }\n"
            retrain_weight_quant_config: {
                arq_retrain: {
                   channel_wise: false
                }
            }
        }

        override_layer_configs : {
           layer_name: "conv2"
                       ^^^^^^^ warning[override-drops-values]: `conv2` 的重写块整体生效、不继承：`fixed_min: true` 丢失。若要保留，请在此处重写一遍
                         8:20: 此值不会作用到该层
                         fix: 在 `conv2` 的重写块中重写丢失的值 -> "           fixed_min: true\n"
           retrain_data_quant_config: {
               ulq_quantize: {
                   clip_max_min: {
                       clip_max: 3.0
                       clip_min: -3.0
                   }
               }
           }
           retrain_weight_quant_config: {
              arq_retrain: {
                 channel_wise: true
                }
              }
        }
    "##]].assert_eq(&picture(text, Language::Chinese, Some(layers), |_| true));
}

#[test]
fn names() {
    check(
        "skip_layerz: \"a\"\nskip-layers: \"a\"\nbatch_num: 1\nfoo {}\n",
        expect![[r##"
            skip_layerz: "a"
            ^^^^^^^^^^^ error[unknown-field]: `AMCTRetrainConfig` has no field `skip_layerz`; AMCT refuses the file. Did you mean `skip_layers`?
              fix: Change to `skip_layers` -> "skip_layers"
            skip-layers: "a"
            ^^^^^^^^^^^ error[unknown-field]: `AMCTRetrainConfig` has no field `skip-layers`; AMCT refuses the file. Did you mean `skip_layers`?
              fix: Change to `skip_layers` -> "skip_layers"
            batch_num: 1
            ^^^^^^^^^ error[unknown-field]: `AMCTRetrainConfig` has no field `batch_num`; AMCT refuses the file. It belongs to pytorch-qat, caffe-qat, tensorflow-qat, but this file is read as mindspore-qat.
              fix: Read the file as pytorch-qat (adds a header) -> "# quantcfg-schema: pytorch-qat\n"
              fix: Read the file as caffe-qat (adds a header) -> "# quantcfg-schema: caffe-qat\n"
              fix: Read the file as tensorflow-qat (adds a header) -> "# quantcfg-schema: tensorflow-qat\n"
            foo {}
            ^^^ error[unknown-field]: `AMCTRetrainConfig` has no field `foo`; AMCT refuses the file.
        "##]],
    );
    check(
        "retrain_data_quant_config { skip_layers: \"a\" clip_max: 1 }",
        expect![[r#"
        retrain_data_quant_config { skip_layers: "a" clip_max: 1 }
                                    ^^^^^^^^^^^ error[unknown-field]: `RetrainDataQuantConfig` has no field `skip_layers`; AMCT refuses the file. It belongs to `AMCTRetrainConfig`, outside of this block.
                                                     ^^^^^^^^ error[unknown-field]: `RetrainDataQuantConfig` has no field `clip_max`; AMCT refuses the file.
    "#]],
    );
    check(
        "中文: 1\n[pkg.ext]: 1\n4: 1\n",
        expect![[r#"
        中文: 1
        ^^ error[unknown-field]: `AMCTRetrainConfig` has no field `中文`; AMCT refuses the file.
        [pkg.ext]: 1
        ^^^^^^^^^ error[unknown-extension]: `AMCTRetrainConfig` cannot be extended; AMCT refuses the file.
        4: 1
        ^ error[unknown-field]: `AMCTRetrainConfig` has no field `4`; AMCT refuses the file.
    "#]],
    );
}

#[test]
fn values() {
    check(
        "retrain_data_quant_config { ulq_quantize { fixed_min: yes } }",
        expect![[r#"
        retrain_data_quant_config { ulq_quantize { fixed_min: yes } }
                                                              ^^^ error[wrong-value]: `yes` is no boolean: `fixed_min` takes `true` or `false`.
                                                                fix: Change to `true` -> "true"
    "#]],
    );
    check(
        "retrain_data_quant_config { ulq_quantize { fixed_min: \"true\" clip_max_min: 6 } }",
        expect![[r#"
        retrain_data_quant_config { ulq_quantize { fixed_min: "true" clip_max_min: 6 } }
                                                              ^^^^^^ error[wrong-value]: `"true"` is no boolean: `fixed_min` takes `true` or `false`.
                                                                fix: Change to `true` -> "true"
                                                                                   ^ error[wrong-value]: `clip_max_min` takes a block of `ClipMaxMin`: write `clip_max_min: { … }`.
    "#]],
    );
    check(
        "retrain_data_quant_config { ulq_quantize { clip_max_min {\n  clip_max: 0x10\n  clip_min: -01.5\n} } }",
        expect![[r#"
            retrain_data_quant_config { ulq_quantize { clip_max_min {
              clip_max: 0x10
                        ^^^^ error[wrong-value]: `0x10` does not fit `clip_max`, which takes a single value of type float.
              clip_min: -01.5
                        ^^^^^ error[leading-zero]: `-01.5` has a leading zero: newer protobuf releases refuse it, releases up to 5.29 read it as decimal.
                          fix: Change to `-1.5` -> "-1.5"
            } } }
        "#]],
    );
    check(
        "skip_layers: conv1\nskip_layers: 3\nskip_layer_types: nn.Conv2D\nskip_layers { }",
        expect![[r#"
        skip_layers: conv1
                     ^^^^^ error[unquoted-string]: `skip_layers` takes text in quotes: `"conv1"`.
                       fix: Change to `"conv1"` -> "\"conv1\""
        skip_layers: 3
                     ^ error[unquoted-string]: `skip_layers` takes text in quotes: `"3"`.
                       fix: Change to `"3"` -> "\"3\""
        skip_layer_types: nn.Conv2D
                          ^^^^^^^^^ error[unquoted-string]: This is neither a number nor a word; text belongs in quotes.
                            fix: Change to `"nn.Conv2D"` -> "\"nn.Conv2D\""
        skip_layers { }
                    ^ error[wrong-value]: `skip_layers` takes a single value, not a block: write `skip_layers: …`.
    "#]],
    );
    check(
        "skip_layers: [\"a\" \"b\", 'c']\nretrain_data_quant_config: [{}]\n",
        expect![[r#"
        skip_layers: ["a" "b", 'c']
                      ^^^^^^^ warning[adjacent-strings]: There is no comma between these strings: AMCT silently reads them as one element.
                        fix: Insert `,` -> ","
        retrain_data_quant_config: [{}]
                                   ^ error[wrong-value]: `retrain_data_quant_config` takes a single value: only repeated fields can be written as a list.
    "#]],
    );
    check(
        "skip_layers: \"C:\\path\"\nskip_layers: \"C:\\users\"\nskip_layers: \"\\xff\"\n",
        expect![[r#"
        skip_layers: "C:\path"
                        ^^ warning[unknown-escape]: `\p` is no escape; AMCT silently keeps the backslash in the value.
                          fix: Change to `\\p` -> "\\\\p"
        skip_layers: "C:\users"
                     ^^^^^^^^^^ error[bad-escape]: AMCT cannot read this string ('rawunicodeescape' codec can't decode bytes in position 2-3: truncated \uXXXX escape). A backslash is written `\\`.
        skip_layers: "\xff"
                     ^^^^^^ error[bad-escape]: AMCT cannot read this string ('utf-8' codec can't decode byte 0xff in position 0: invalid start byte). A backslash is written `\\`.
    "#]],
    );
    check(
        "retrain_data_quant_config { ulq_quantize { clip_max_min {\n  clip_max: 1e39\n  clip_min: -1e999\n} } }",
        expect![[r#"
            retrain_data_quant_config { ulq_quantize { clip_max_min {
              clip_max: 1e39
                        ^^^^ warning[overflow]: `1e39` is beyond the range of a float; AMCT silently reads infinity.
              clip_min: -1e999
                        ^^^^^^ warning[overflow]: `-1e999` is beyond the range of a float; AMCT silently reads infinity.
            } } }
        "#]],
    );
}

#[test]
fn set_twice() {
    check(
        "retrain_data_quant_config {\n  ulq_quantize { fixed_min: true }\n}\nretrain_data_quant_config {\n  ulq_quantize { fixed_min: false fixed_min: true }\n}",
        expect![[r#"
            retrain_data_quant_config {
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[duplicate-field]: `retrain_data_quant_config` is set twice; AMCT merges both blocks, and what both set is taken from the later one.
              4:1: this one counts
              ulq_quantize { fixed_min: true }
            }
            retrain_data_quant_config {
              ulq_quantize { fixed_min: false fixed_min: true }
                             ^^^^^^^^^^^^^^^^ warning[duplicate-field] (unnecessary): `fixed_min` is set again below; AMCT silently takes the last value, this one has no effect.
                               5:35: this one counts
            }
        "#]],
    );
}

#[test]
fn half_typed() {
    check(
        "re",
        expect![[r#"
            re
            ^^ error[unknown-field]: `AMCTRetrainConfig` has no field `re`; AMCT refuses the file.
        "#]],
    );
    check(
        "re\nskip_layers: \"a\"",
        expect![[r#"
            re
            ^^ error[unknown-field]: `AMCTRetrainConfig` has no field `re`; AMCT refuses the file.
            skip_layers: "a"
        "#]],
    );
    check(
        "skip_layers:",
        expect![[r#"
        skip_layers:
                   ^ error[missing-value]: A value is missing behind the colon.
    "#]],
    );
    check(
        "skip_layers:\nskip_layer_types: \"nn.Conv2D\"",
        expect![[r#"
        skip_layers:
                   ^ error[missing-value]: A value is missing behind the colon.
        skip_layer_types: "nn.Conv2D"
    "#]],
    );
    check(
        "skip_layers: \"conv\nskip_layer_types: \"nn.Conv2D\"",
        expect![[r#"
        skip_layers: "conv
                     ^^^^^ error[unterminated-string]: This string has no closing `"`; a string ends on the line it begins on.
                       fix: Insert `"` -> "\""
        skip_layer_types: "nn.Conv2D"
    "#]],
    );
    check(
        "retrain_data_quant_config {\nskip_layers: \"a\"\n",
        expect![[r#"
        retrain_data_quant_config {
                                  ^ error[unclosed]: This bracket is never closed: a `}` is missing.
                                    2:1: here it becomes clear
        skip_layers: "a"
    "#]],
    );
    check(
        "retrain_data_quant_config {\n  ulq_quantize {\n    fixed_min: true\n}\nskip_layers: \"a\"\n",
        expect![[r#"
            retrain_data_quant_config {
              ulq_quantize {
                           ^ error[unclosed]: This bracket is never closed: a `}` is missing.
                             4:1: here it becomes clear
                fixed_min: true
            }
            skip_layers: "a"
        "#]],
    );
    check(
        "skip_layers: [\"a\", \nskip_layer_types: \"nn.Conv2D\"",
        expect![[r#"
        skip_layers: ["a", 
                     ^ error[unclosed]: This bracket is never closed: a `]` is missing.
                       2:1: here it becomes clear
        skip_layer_types: "nn.Conv2D"
    "#]],
    );
    check(
        "skip_layers: \"a\"\n}\nskip_layers: \"b\"\n",
        expect![[r#"
        skip_layers: "a"
        }
        ^ error[stray-close]: This `}` closes nothing.
          fix: Delete it -> ""
        skip_layers: "b"
    "#]],
    );
}

#[test]
fn full_width_punctuation() {
    check(
        "skip_layers：“conv1”\n",
        expect![[r#"
        skip_layers：“conv1”
                   ^ error[full-width]: `：` is a full-width character; write `:`.
                     fix: Change to `:` -> ":"
                    ^^^^^^^ error[curly-quotes]: Typographic quotes do not make a string; write `"`.
                      fix: Change to `"conv1"` -> "\"conv1\""
    "#]],
    );
    check(
        "skip_layers: [\"a\"，\"b\"]；\n",
        expect![[r#"
        skip_layers: ["a"，"b"]；
                         ^ error[full-width]: `，` is a full-width character; write `,`.
                           fix: Change to `,` -> ","
                              ^ error[full-width]: `；` is a full-width character; write `;`.
                                fix: Change to `;` -> ";"
    "#]],
    );
    check(
        "retrain_data_quant_config ｛ ｝ ＃ 全局\nskip_layers: ‘a’\n",
        expect![[r##"
        retrain_data_quant_config ｛ ｝ ＃ 全局
                                  ^ error[full-width]: `｛` is a full-width character; write `{`.
                                    fix: Change to `{` -> "{"
                                    ^ error[full-width]: `｝` is a full-width character; write `}`.
                                      fix: Change to `}` -> "}"
                                      ^ error[full-width]: `＃` is a full-width character; write `#`.
                                        fix: Change to `#` -> "#"
        skip_layers: ‘a’
                     ^^^ error[curly-quotes]: Typographic quotes do not make a string; write `"`.
                       fix: Change to `"a"` -> "\"a\""
    "##]],
    );
    check(
        "skip_layers: \"a”\nskip_layers\u{200b}: \"b\"\n",
        expect![[r#"
            skip_layers: "a”
                         ^^^ error[curly-quotes]: Typographic quotes do not make a string; write `"`.
                           fix: Change to `"a"` -> "\"a\""
            skip_layers·: "b"
                       ^ error[invisible-character]: An invisible character (U+200B); delete it.
                         fix: Delete it -> ""
        "#]],
    );
}

#[test]
fn habits_from_other_languages() {
    check(
        "skip_layers = \"a\"\nskip_layers := \"b\"\nskip_layers:: \"c\"\n",
        expect![[r#"
        skip_layers = "a"
                    ^ error[equals-sign]: Name and value are parted by `:`, not by `=`.
                      fix: Change to `:` -> ":"
        skip_layers := "b"
                    ^^ error[equals-sign]: Name and value are parted by `:`, not by `=`.
                      fix: Change to `:` -> ":"
        skip_layers:: "c"
                    ^ error[doubled-colon]: One `:` is enough.
                      fix: Delete it -> ""
    "#]],
    );
    check(
        "// comment\nskip_layers: \"a\" // more\n/* block\n comment */\nskip_layers: \"b\"\n",
        expect![[r##"
        // comment
        ^^ error[foreign-comment]: Comments begin with `#` here.
          fix: Change to `#` -> "#"
        skip_layers: "a" // more
                         ^^ error[foreign-comment]: Comments begin with `#` here.
                           fix: Change to `#` -> "#"
        /* block
        ^^ error[foreign-comment]: Comments begin with `#` here.
         comment */
        skip_layers: "b"
    "##]],
    );
    check(
        "{\n  \"skip_layers\": [\"a\"],\n  \"skip_layer_types\": [\"nn.Dense\"]\n}\n",
        expect![[r#"
        {
        ^ error[json-style]: The file is not wrapped in braces: its fields stand at the top level.
          "skip_layers": ["a"],
          ^^^^^^^^^^^^^ error[json-style]: Names stand without quotes: `skip_layers`.
            fix: Change to `skip_layers` -> "skip_layers"
          "skip_layer_types": ["nn.Dense"]
          ^^^^^^^^^^^^^^^^^^ error[json-style]: Names stand without quotes: `skip_layer_types`.
            fix: Change to `skip_layer_types` -> "skip_layer_types"
        }
    "#]],
    );
    check(
        "skip_layers \"a\"\nskip_layers: [\"a\"; \"b\", ]\n",
        expect![[r#"
        skip_layers "a"
        ^^^^^^^^^^^ error[missing-colon]: A `:` is missing between name and value; only blocks can do without.
          fix: Insert `:` -> ":"
        skip_layers: ["a"; "b", ]
                         ^ error[semicolon-in-list]: The elements of a list are parted by `,`.
                           fix: Change to `,` -> ","
                              ^ error[trailing-comma]: No comma behind the last element of a list.
                                fix: Delete it -> ""
    "#]],
    );
    check(
        "skip_layers: \"a\",,\n,skip_layers: \"b\"\n",
        expect![[r#"
        skip_layers: "a",,
                         ^ error[stray-separator]: Nothing to part here: one `,` or `;` may stand behind a field, no more.
                           fix: Delete it -> ""
        ,skip_layers: "b"
    "#]],
    );
    check(
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 clip_min: - 6.0 } } }",
        expect![[r#"
        retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 clip_min: - 6.0 } } }
                                                                                        ^^^^^ error[space-after-minus]: No space between `-` and the number.
                                                                                          fix: Change to `-6.0` -> "-6.0"
    "#]],
    );
    check(
        "skip_layers: \"a\"\n<<<<<<< HEAD\nskip_layers: \"b\"\n=======\nskip_layers: \"c\"\n>>>>>>> x\nskip_layers: \"d\"\n",
        expect![[r#"
            skip_layers: "a"
            <<<<<<< HEAD
            ^^^^^^^ error[merge-conflict]: An unresolved merge conflict.
            skip_layers: "b"
            =======
            skip_layers: "c"
            >>>>>>> x
            skip_layers: "d"
        "#]],
    );
    check(
        "\u{feff}skip_layers: \"a\"\n",
        expect![[r#"
        ﻿skip_layers: "a"
        ^ error[byte-order-mark]: The file begins with a byte order mark, which AMCT refuses: save as UTF-8 without BOM.
          fix: Delete it -> ""
    "#]],
    );
    check(
        "[section]\nkey = value\n",
        expect![[r#"
            [section]
            ^^^^^^^^^ error[unknown-extension]: `AMCTRetrainConfig` cannot be extended; AMCT refuses the file.
            key = value
            ^^^ error[unknown-field]: `AMCTRetrainConfig` has no field `key`; AMCT refuses the file.
                ^ error[equals-sign]: Name and value are parted by `:`, not by `=`.
                  fix: Change to `:` -> ":"
        "#]],
    );
}

#[test]
fn what_amct_raises_after_loading() {
    let net = "conv1 nn.Conv2D\nconv2 nn.Conv2D\nfc nn.Dense\n";
    check_network(
        "skip_layers: \"conv9\"\n",
        net,
        expect![[r#"
            skip_layers: "conv9"
                         ^^^^^^^ error[unknown-layer]: Did you mean `conv1`? The network has no layer `conv9`; names are compared exactly. AMCT raises ValueError: some skip_layers not in valid_layers
                           fix: Change to `"conv1"` -> "\"conv1\""
        "#]],
    );
    check_network(
        "override_layer_types { layer_type: \"nn.Conv2d\" }\n",
        net,
        expect![[r#"
            override_layer_types { layer_type: "nn.Conv2d" }
                                               ^^^^^^^^^^^ error[unknown-layer-type]: Did you mean `nn.Conv2D`? AMCT quantises no layer type `nn.Conv2d`; write exactly one of nn.Conv2D, nn.Dense. AMCT raises ValueError: Unrecognized layer type:nn.Conv2d, only support ['nn.Conv2D', 'nn.Dense']
                                                 fix: Change to `"nn.Conv2D"` -> "\"nn.Conv2D\""
        "#]],
    );
    check_network(
        "override_layer_configs { layer_name: \"fc\" }\noverride_layer_configs { layer_name: \"fc\" }\n",
        net,
        expect![[r#"
            override_layer_configs { layer_name: "fc" }
            override_layer_configs { layer_name: "fc" }
                                                 ^^^^ error[repeated-override]: `fc` already has an override; merge the two. AMCT raises ValueError: Please delete repeated items in retrain_override_layers,  repeated items are ['fc']
                                                   1:38: the first one
                                                   fix: Merge the overrides for `fc` into the first -> ""
        "#]],
    );
    check_network(
        "retrain_weight_quant_config { arq_retrain { channel_wise: true } }\n",
        net,
        expect![[r#"
            retrain_weight_quant_config { arq_retrain { channel_wise: true } }
                                                                      ^^^^ error[channel-wise-on-fully-connected]: `channel_wise: true` reaches layers of type nn.Dense (layer `fc`), which cannot have one factor a channel, skipped or not; add an override for nn.Dense with `channel_wise: false`. AMCT raises ValueError: fc layer can not be channewised
                                                                        fix: Add an override for `nn.Dense` with `channel_wise: false` -> "override_layer_types {\n    layer_type: \"nn.Dense\"\n    retrain_weight_quant_config {\n        arq_retrain {\n            channel_wise: false\n        }\n    }\n}\n"
        "#]],
    );
    check_network(
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 } } }\n",
        net,
        expect![[r#"
            retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 } } }
                                                       ^^^^^^^^^^^^ error[one-sided-clip]: `clip_max_min` needs both bounds; add clip_min. AMCT raises ValueError: clip_max and clip_min are both required.
                                                         fix: Add `clip_min: -6` -> "clip_min: -6 "
        "#]],
    );
    check_network(
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 clip_min: 1 } } }\n",
        net,
        expect![[r#"
            retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 clip_min: 1 } } }
                                                                                            ^ error[clip-out-of-range]: `clip_min` must be below 0 and is 1.0 (layer `conv1` and 2 more). AMCT raises ValueError: clip min should be less than 0 for layer conv1
                                                                                              fix: Change to `-1.0` -> "-1.0"
        "#]],
    );
    check_network(
        "skip_layer_types: [\"nn.Conv2D\", \"nn.Dense\"]\n",
        net,
        expect![[r#"
        skip_layer_types: ["nn.Conv2D", "nn.Dense"]
                           ^^^^^^^^^^^ error[all-layers-off]: Every layer is skipped, so nothing would be trained. AMCT raises ValueError: No layer retrain enabled
    "#]],
    );
}

#[test]
fn nesting_beyond_the_loader_is_one_error() {
    let deep = "a {".repeat(50_000);
    let shown = picture(&deep, Language::English, None, |finding| finding.code == "too-deep");
    assert_eq!(shown.matches("error[too-deep]").count(), 1);
}
