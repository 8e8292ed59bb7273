//! What an author sees in the PyTorch dialects: each finding below its line, for a network or without one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;
use std::sync::Arc;

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::ide::{Context, LayerSource, Snapshot};
use quantcfg::inventory;
use quantcfg::schema::builtin::Dialect;

const NET: &str = "conv1 Conv2d\nrelu ReLU\nct ConvTranspose2d\npool AvgPool2d\nconv2 Conv2d\nfc Linear\n";

#[track_caller]
fn check(dialect: Dialect, text: &str, layers: Option<&str>, expected: Expect) {
    let layers = layers.map(|lines| {
        let list = inventory::json::read(lines.as_bytes()).unwrap();
        Arc::new(LayerSource { path: PathBuf::from("net"), list })
    });
    let context = Context { layers, ..Context::of_dialect(dialect, Language::English) };
    let snapshot = Snapshot::open(text, Arc::new(context));
    let mut out = String::new();
    for line in 0..snapshot.text.line_count() {
        let range = snapshot.text.line_range(line);
        out += &snapshot.text.slice(range);
        out.push('\n');
        let findings = snapshot.diagnostics().iter().filter(|finding| {
            finding.code != "missing-required" && snapshot.text.line_of(finding.range.start) == line
        });
        for finding in findings {
            let start = finding.range.start - range.start;
            let carets = "^".repeat((finding.range.end.min(range.end) - finding.range.start).max(1));
            let severity = finding.severity.name();
            out +=
                &format!("{}{carets} {severity}[{}]: {}\n", " ".repeat(start), finding.code, finding.message);
        }
    }
    expected.assert_eq(&(out.trim_end().to_owned() + "\n"));
}

#[test]
fn pruning_and_quantisation_in_one_file() {
    check(
        Dialect::PytorchQat,
        "prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 0.3 } } }\n\
         retrain_data_quant_config { ulq_quantize { fixed_min: true } }\n\
         skip_layers: \"conv1\"\n\
         override_layer_configs { layer_name: \"conv1\" prune_config { filter_pruner { balanced_l2_norm_filter_prune { \
         prune_ratio: 0.5 } } } }\n",
        Some(NET),
        expect![[r#"
            prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 0.3 } } }
            ^^^^^^^^^^^^ information[not-pruned]: `ct` cannot lose filters (depthwise or transposed), and AMCT leaves it out silently
            retrain_data_quant_config { ulq_quantize { fixed_min: true } }
            skip_layers: "conv1"
                         ^^^^^^^ warning[half-a-skip]: `conv1` is not pruned, but it is quantised all the same: for quantisation the override for `conv1` beats the skip
            override_layer_configs { layer_name: "conv1" prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 0.5 } } } }
                                                 ^^^^^^^ warning[override-drops-values]: The override for `conv1` is taken whole and inherits nothing: `fixed_min: true` is lost. Repeat it here to keep it
                                                         ^^^^^^^^^^^^ warning[pruning-skipped]: For pruning a skip beats an override, other than for quantisation: `conv1` is not pruned
        "#]],
    );
    check(
        Dialect::PytorchQat,
        "prune_config {}\n",
        Some(NET),
        expect![[r#"
            prune_config {}
            ^^^^^^^^^^^^ error[empty-prune-config]: An empty `prune_config` crashes AMCT; give it filter_pruner or n_out_of_m_pruner, or remove it. AMCT raises UnboundLocalError: cannot access local variable 'prune_type' where it is not associated with a value
        "#]],
    );
    check(
        Dialect::PytorchQat,
        "prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 1.5 } } }\n\
         quant_skip_layers: \"conv1\"\nskip_layers: \"ct\"\n",
        Some(NET),
        expect![[r#"
            prune_config { filter_pruner { balanced_l2_norm_filter_prune { prune_ratio: 1.5 } } }
            ^^^^^^^^^^^^ information[not-pruned]: `ct` cannot lose filters (depthwise or transposed), and AMCT leaves it out silently
                                                                                        ^^^ error[prune-ratio-out-of-range]: `prune_ratio` must be above 0 and below 1 and is 1.5 (layer `conv1` and 2 more). AMCT raises ValueError: prune ration should be greater than 0 and less than 1 for layer conv1
            quant_skip_layers: "conv1"
                               ^^^^^^^ error[quantization-field]: `quant_skip_layers` belongs to quantisation, and this file only prunes; remove it. AMCT raises ValueError: unexpected quant_skip_layers in config_defination if retrain is disable.
            skip_layers: "ct"
                         ^^^^ error[not-prunable]: `ct` cannot be pruned by filter prune, which takes Conv2d, Linear only. AMCT raises ValueError: some regular_prune_skip_layers not in valid_layers
        "#]],
    );
}

#[test]
fn post_training_quantisation() {
    check(
        Dialect::PytorchPtq,
        "common_config { arq_quantize { channel_wise: true quant_bits: 6 } dmq_balancer {} }\n\
         skip_layers: \"conv1\"\n\
         override_layer_configs { layer_name: \"conv1\" calibration_config { ifmr_quantize { search_step: 2 } } }\n\
         override_layer_configs { layer_name: \"relu\" calibration_config {} }\n\
         override_layer_types { layer_type: \"LSTM\" calibration_config {} }\n",
        Some(NET),
        expect![[r#"
            common_config { arq_quantize { channel_wise: true quant_bits: 6 } dmq_balancer {} }
            ^^^^^^^^^^^^^ warning[balancer-dropped]: AMCT drops `dmq_balancer` for `pool`
                            ^^^^^^^^^^^^ warning[bits-changed]: 6 or 7 bits silently become 8 for `ct`, `pool`, `fc`
                                                         ^^^^ error[value-out-of-range]: `channel_wise: true` reaches layers of type AvgPool2d, which cannot have one factor a channel, skipped or not; add an override for AvgPool2d, an empty one is enough (layer `pool`). AMCT raises ValueError: The channel_wise must be False for layer type AvgPool2d in layer pool
                                                         ^^^^ error[value-out-of-range]: `channel_wise: true` reaches layers of type Linear, which cannot have one factor a channel, skipped or not; add an override for Linear, an empty one is enough (layer `fc`). AMCT raises ValueError: The channel_wise must be False for layer type Linear in layer fc
            skip_layers: "conv1"
            override_layer_configs { layer_name: "conv1" calibration_config { ifmr_quantize { search_step: 2 } } }
                                                 ^^^^^^^ warning[override-skipped]: `conv1` is skipped, and here a skip beats an override: it is not quantised
                                                 ^^^^^^^ warning[override-drops-values]: The override for `conv1` is taken whole: `arq_quantize`, `dmq_balancer` of `common_config` does not reach it. Repeat it here to keep it
                                                                                                           ^ error[value-out-of-range]: `search_step`, 0.01 when it is not written, must not be larger than the search range (layer `conv1`). AMCT raises ValueError: The search_step must be less than or equal to (search_range[1] - search_range[0]) in layer conv1
            override_layer_configs { layer_name: "relu" calibration_config {} }
                                                 ^^^^^^ warning[override-without-effect]: AMCT does not quantise `relu`, so this override does nothing
            override_layer_types { layer_type: "LSTM" calibration_config {} }
                                               ^^^^^^ warning[override-of-absent-type]: No layer of type `LSTM` is left to this override; its ranges are not even checked
        "#]],
    );
    check(
        Dialect::PytorchPtq,
        "skip_layers: \"conv1\"\nskip_layers: \"conv1\"\nskip_layer_types: \"conv2d\"\n",
        None,
        expect![[r#"
            skip_layers: "conv1"
            skip_layers: "conv1"
                         ^^^^^^^ error[repeated-entry]: `conv1` stands in `skip_layers` already, which is an error here; remove it. AMCT raises ValueError: Please delete repeated items in skip_layers, repeated items are ['conv1']
            skip_layer_types: "conv2d"
                              ^^^^^^^^ error[unknown-layer-type]: AMCT quantises no layer type `conv2d`; write exactly one of Conv2d, Conv3d, Linear, ConvTranspose2d, AvgPool2d, Conv1d, ConvTranspose1d, GRU, LSTM. AMCT raises ValueError: Layer type conv2d does not support quantize.
        "#]],
    );
}

#[test]
fn key_value_cache() {
    check(
        Dialect::PytorchKvCache,
        "kv_cache_quant_config { quant_layers: \"fc\" quant_layers: \"relu\" calibration_config { ifmr_quantize { \
         asymmetric: true } } }\n\
         override_layers_configs { layer_name: \"fc\" kv_data_quant_config { ifmr_quantize { min_percentile: 7 } } }\n",
        Some(NET),
        expect![[r#"
            kv_cache_quant_config { quant_layers: "fc" quant_layers: "relu" calibration_config { ifmr_quantize { asymmetric: true } } }
                                                                     ^^^^^^ error[not-quantizable]: `relu` is of type ReLU; only Linear modules can be named here. AMCT raises ValueError: The type of Layer relu is ReLU, it does not support in kv_cache_quant_layers.
            override_layers_configs { layer_name: "fc" kv_data_quant_config { ifmr_quantize { min_percentile: 7 } } }
                                                  ^^^^ warning[override-drops-values]: The override for `fc` does not inherit `asymmetric: true`; repeat it here
                                                                                                              ^ warning[out-of-range]: `min_percentile` makes sense with (0.5, 1]; AMCT is not known to refuse other values.
        "#]],
    );
}

#[test]
fn distillation() {
    check(
        Dialect::PytorchDistill,
        "quant_skip_layers: \"conv1\"\n\
         distill_override_layers { layer_name: \"conv1\" distill_data_quant_config { ulq_quantize { clip_max_min { \
         clip_max: 3 } } } }\n\
         distill_group { start_layer_name: \"relu\" end_layer_name: \"relu\" }\n\
         distill_weight_quant_config { arq_distill { channel_wise: true } }\n",
        Some(NET),
        expect![[r#"
            quant_skip_layers: "conv1"
            distill_override_layers { layer_name: "conv1" distill_data_quant_config { ulq_quantize { clip_max_min { clip_max: 3 } } } }
                                                  ^^^^^^^ warning[override-skipped]: `conv1` is skipped, and here a skip beats an override: it gets AMCT's defaults, switched off
                                                  ^^^^^^^ warning[override-drops-values]: The override for `conv1` is taken whole: the global `distill_weight_quant_config` does not reach it
            distill_group { start_layer_name: "relu" end_layer_name: "relu" }
            ^^^^^^^^^^^^^ warning[group-dropped]: AMCT silently drops this group: its first layer belongs to an automatic group already; start at the layer before it
            distill_weight_quant_config { arq_distill { channel_wise: true } }
                                                                      ^^^^ error[channel-wise-on-fully-connected]: `channel_wise: true` reaches a Linear, which cannot have one factor a channel; add an override for Linear with `channel_wise: false` (layer `fc`). AMCT raises ValueError: fc layer can not be channewised
        "#]],
    );
}

#[test]
fn search_for_a_channel_pruning() {
    check(
        Dialect::AutoChannelPrune,
        "max_prune_ratio: 1.5\n",
        Some(NET),
        expect![[r#"
        max_prune_ratio: 1.5
        ^ error[value-out-of-range]: `compress_ratio` is required and must be above 1 after rounding to 32 bits. AMCT raises ValueError: compress_ratio not supported. compress_ratio should be larger than 1.
                         ^^^ error[value-out-of-range]: `max_prune_ratio` must be above 0 and at most 1. AMCT raises ValueError: max_prune_ratio not supported. max_prune_ratio should be in (0, 1].
    "#]],
    );
    check(
        Dialect::AutoChannelPrune,
        "compress_ratio: nan\n",
        None,
        expect![[r#"
        compress_ratio: nan
                        ^^^ warning[senseless-value]: nan passes AMCT's checks, and then nothing is searched or pruned
    "#]],
    );
}
