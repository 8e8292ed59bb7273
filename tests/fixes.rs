//! Every fix mends its finding: it is applied, and the text is read again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::analysis::Severity;
use quantcfg::ide::{Context, LayerSource, Snapshot};
use quantcfg::inventory;
use quantcfg::schema::builtin::Dialect;

const NET: &str = "conv1 nn.Conv2D\nconv2 nn.Conv2D\nrelu nn.ReLU\nfc nn.Dense\n";

fn read(text: &str, dialect: Dialect, layers: &str) -> Snapshot {
    let list = inventory::json::read(layers.as_bytes()).unwrap();
    let layers = Some(Arc::new(LayerSource { path: PathBuf::from("net"), list }));
    let context = Context { layers, ..Context::of_dialect(dialect, Language::English) };
    Snapshot::open(text, Arc::new(context))
}

/// Applies the first fix of the first finding of a code; the finding must be gone then, and no error be new.
#[track_caller]
fn check_in(dialect: Dialect, layers: &str, code: &str, text: &str, expected: Expect) {
    let before = read(text, dialect, layers);
    let finding = before.diagnostics().iter().find(|finding| finding.code == code).unwrap_or_else(|| {
        panic!("no {code} among {:#?}", before.diagnostics());
    });
    let fix = finding.fixes.first().expect("the finding has a fix");
    let mut mended = text.to_owned();
    for edit in fix.edits.iter().rev() {
        mended.replace_range(edit.range.start..edit.range.end, &edit.text);
    }
    let after = read(&mended, dialect, layers);
    let count = |snapshot: &Snapshot, is: &dyn Fn(&str, Severity) -> bool| {
        snapshot.diagnostics().iter().filter(|finding| is(finding.code, finding.severity)).count()
    };
    let of_code = |own: &str, _: Severity| own == code;
    let errors = |_: &str, severity: Severity| severity == Severity::Error;
    expected.assert_eq(&format!("{}\n---\n{mended}", fix.title));
    assert!(count(&after, &of_code) < count(&before, &of_code), "{:#?}", after.diagnostics());
    assert!(count(&after, &errors) <= count(&before, &errors), "{:#?}", after.diagnostics());
}

#[track_caller]
fn check(code: &str, text: &str, expected: Expect) {
    check_in(Dialect::MindsporeQat, NET, code, text, expected);
}

#[test]
fn an_override_is_made_to_inherit() {
    let global = "retrain_data_quant_config {\n  ulq_quantize {\n    clip_max_min {\n      clip_max: 6.0\n      \
                  clip_min: -6.0\n    }\n    fixed_min: false\n  }\n}\n";
    check(
        "override-drops-values",
        &format!(
            "{global}override_layer_configs {{\n  layer_name: \"conv1\"\n  retrain_weight_quant_config {{}}\n}}\n"
        ),
        expect![[r#"
            Repeat the dropped values in the override for `conv1`
            ---
            retrain_data_quant_config {
              ulq_quantize {
                clip_max_min {
                  clip_max: 6.0
                  clip_min: -6.0
                }
                fixed_min: false
              }
            }
            override_layer_configs {
              layer_name: "conv1"
              retrain_weight_quant_config {}
              retrain_data_quant_config {
                ulq_quantize {
                  clip_max_min {
                    clip_max: 6.0
                    clip_min: -6.0
                  }
                  fixed_min: false
                }
              }
            }
        "#]],
    );
    check(
        "override-drops-values",
        &format!(
            "{global}override_layer_types {{ layer_type: \"nn.Dense\" retrain_data_quant_config {{ ulq_quantize {{ \
             fixed_min: true }} }} }}"
        ),
        expect![[r#"
            Repeat the dropped values in the override for `nn.Dense`
            ---
            retrain_data_quant_config {
              ulq_quantize {
                clip_max_min {
                  clip_max: 6.0
                  clip_min: -6.0
                }
                fixed_min: false
              }
            }
            override_layer_types { layer_type: "nn.Dense" retrain_data_quant_config { ulq_quantize { fixed_min: true clip_max_min { clip_max: 6.0 clip_min: -6.0 } } } }"#]],
    );
    check(
        "bare-override",
        &format!("{global}override_layer_configs {{layer_name: \"conv1\"}}"),
        expect![[r#"
        Repeat the dropped values in the override for `conv1`
        ---
        retrain_data_quant_config {
          ulq_quantize {
            clip_max_min {
              clip_max: 6.0
              clip_min: -6.0
            }
            fixed_min: false
          }
        }
        override_layer_configs {layer_name: "conv1" retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6.0 clip_min: -6.0 } fixed_min: false } } }"#]],
    );
}

#[test]
fn skips_without_effect_are_removed() {
    let conv1 = "override_layer_configs {\n  layer_name: \"conv1\"\n}\n";
    check(
        "skip-without-effect",
        &format!("skip_layers: \"conv1\" # why\n{conv1}"),
        expect![[r#"
            Remove `conv1` from the list
            ---
            # why
            override_layer_configs {
              layer_name: "conv1"
            }
        "#]],
    );
    check(
        "skip-without-effect",
        &format!("  skip_layers: \"conv1\"\n{conv1}"),
        expect![[r#"
            Remove `conv1` from the list
            ---
            override_layer_configs {
              layer_name: "conv1"
            }
        "#]],
    );
    check(
        "skip-without-effect",
        &format!("skip_layers: [\"conv2\", \"conv1\"]\n{conv1}"),
        expect![[r#"
        Remove `conv1` from the list
        ---
        skip_layers: ["conv2"]
        override_layer_configs {
          layer_name: "conv1"
        }
    "#]],
    );
    check(
        "skip-without-effect",
        &format!("skip_layers: [\"conv1\", \"conv2\"]\n{conv1}"),
        expect![[r#"
        Remove `conv1` from the list
        ---
        skip_layers: ["conv2"]
        override_layer_configs {
          layer_name: "conv1"
        }
    "#]],
    );
    check(
        "skip-without-effect",
        &format!("skip_layers: [\n  \"conv1\"\n]\n{conv1}"),
        expect![[r#"
            Remove `conv1` from the list
            ---
            override_layer_configs {
              layer_name: "conv1"
            }
        "#]],
    );
    check(
        "repeated-skip",
        "skip_layers: \"conv1\" skip_layers: \"conv1\"",
        expect![[r#"
            Remove `conv1` from the list
            ---
            skip_layers: "conv1""#]],
    );
    check(
        "skip-listed-twice",
        "skip_layers: \"conv1\"\nquant_skip_layers: \"conv1\"",
        expect![[r#"
        Remove `conv1` from the list
        ---
        skip_layers: "conv1"
    "#]],
    );
}

#[test]
fn a_dense_gets_an_override_of_its_own() {
    check(
        "channel-wise-on-fully-connected",
        "retrain_weight_quant_config { arq_retrain { channel_wise: true } }\nretrain_data_quant_config { \
         ulq_quantize { fixed_min: true } }",
        expect![[r#"
            Add an override for `nn.Dense` with `channel_wise: false`
            ---
            retrain_weight_quant_config { arq_retrain { channel_wise: true } }
            retrain_data_quant_config { ulq_quantize { fixed_min: true } }
            override_layer_types {
                layer_type: "nn.Dense"
                retrain_data_quant_config {
                    ulq_quantize {
                        fixed_min: true
                    }
                }
                retrain_weight_quant_config {
                    arq_retrain {
                        channel_wise: false
                    }
                }
            }
        "#]],
    );
    check(
        "channel-wise-on-fully-connected",
        "override_layer_configs { layer_name: \"fc\" retrain_weight_quant_config { arq_retrain { channel_wise: t \
         } } }",
        expect![[r#"
            Change to `false`
            ---
            override_layer_configs { layer_name: "fc" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }"#]],
    );
}

#[test]
fn names_are_corrected() {
    check(
        "unknown-layer",
        "skip_layers: \"conv_1\"\n",
        expect![[r#"
        Change to `"conv1"`
        ---
        skip_layers: "conv1"
    "#]],
    );
    check(
        "unknown-layer-type",
        "skip_layer_types: [\"nn.Conv2d\"]\n",
        expect![[r#"
        Change to `"nn.Conv2D"`
        ---
        skip_layer_types: ["nn.Conv2D"]
    "#]],
    );
    check(
        "unknown-layer-type",
        "override_layer_types { layer_type: \"Dense\" }\n",
        expect![[r#"
        Change to `"nn.Dense"`
        ---
        override_layer_types { layer_type: "nn.Dense" }
    "#]],
    );
}

#[test]
fn repeated_overrides_are_merged() {
    check(
        "repeated-override",
        "override_layer_configs {\n  layer_name: \"conv1\"\n  retrain_data_quant_config {\n    ulq_quantize {\n      \
         fixed_min: true\n    }\n  }\n}\noverride_layer_configs {\n  layer_name: \"conv1\"\n  \
         retrain_weight_quant_config { arq_retrain {} }\n  retrain_data_quant_config { ulq_quantize { fixed_min: \
         false clip_max_min { clip_max: 1 clip_min: -1 } } }\n}\n",
        expect![[r#"
            Merge the overrides for `conv1` into the first
            ---
            override_layer_configs {
              layer_name: "conv1"
              retrain_data_quant_config {
                ulq_quantize {
                  fixed_min: false
                  clip_max_min { clip_max: 1 clip_min: -1 }
                }
              }
              retrain_weight_quant_config { arq_retrain {} }
            }
        "#]],
    );
}

#[test]
fn clips_are_completed() {
    check(
        "one-sided-clip",
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 3.5 } } }",
        expect![[r#"
            Add `clip_min: -3.5`
            ---
            retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 3.5 clip_min: -3.5 } } }"#]],
    );
    check(
        "one-sided-clip",
        "retrain_data_quant_config {\n  ulq_quantize {\n    clip_max_min {\n      clip_min: -2\n    }\n  }\n}\n",
        expect![[r#"
            Add `clip_max: 2`
            ---
            retrain_data_quant_config {
              ulq_quantize {
                clip_max_min {
                  clip_min: -2
                  clip_max: 2
                }
              }
            }
        "#]],
    );
    check(
        "clip-out-of-range",
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 3.5 clip_min: 2.5 } } }",
        expect![[r#"
            Change to `-2.5`
            ---
            retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 3.5 clip_min: -2.5 } } }"#]],
    );
}

#[test]
fn overrides_without_effect_are_removed() {
    check(
        "shadowed-override",
        "skip_layers: \"conv1\"\noverride_layer_types { layer_type: \"nn.Dense\" retrain_data_quant_config {} }\n\
         override_layer_configs { layer_name: \"fc\" }",
        expect![[r#"
            Remove the override for `nn.Dense`
            ---
            skip_layers: "conv1"
            override_layer_configs { layer_name: "fc" }"#]],
    );
}
