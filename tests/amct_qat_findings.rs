//! What the QAT engine finds in small files, with and without a layer list.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod amct_support;

use std::fmt::Write;

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::amct::qat::{self, Config, Framework, Network};
use quantcfg::amct::{Certainty, Entry, Finding, Place, Places};
use quantcfg::inventory;

const MINDSPORE: Framework = Framework::MindSpore;
const PYTORCH: Framework = Framework::PyTorch;

/// Layers as `name type` lines, or `None`: no list.
fn network(config: &Config, framework: Framework, layers: Option<&str>) -> Network {
    match layers {
        Some(layers) => {
            let lines: Vec<_> = layers.split(", ").collect();
            Network::of_list(&inventory::json::read(lines.join("\n").as_bytes()).unwrap(), framework)
        }
        None => Network::supposed(config, framework),
    }
}

fn bind(framework: Framework, text: &str) -> (Config, Places) {
    amct_support::bind(framework, text).unwrap()
}

/// A place as its line, counted from 1, and its text.
fn show(places: &Places, place: Place, text: &str) -> String {
    if place == Place::FILE {
        return "file".to_owned();
    }
    let range = places.range(place);
    let line = 1 + text[..range.start].matches('\n').count();
    let mut shown = text[range.start..range.end].split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = shown.char_indices().nth(30) {
        shown.replace_range(at.., "…");
    }
    format!("{line} {shown}")
}

/// Shows all findings in the order of their places.
fn check(framework: Framework, text: &str, layers: Option<&str>, expect: Expect) {
    let (config, places) = bind(framework, text);
    let network = network(&config, framework, layers);
    let explanation = qat::explain(&config, &network, Entry::Retrain);
    let mut findings: Vec<&Finding> = explanation.findings.iter().collect();
    findings.sort_by_key(|finding| (places.range(finding.place).start, finding.code()));
    let mut result = String::new();
    for finding in findings {
        let place = show(&places, finding.place, text);
        writeln!(result, "{place}: {:?}[{}]", finding.level(), finding.code()).unwrap();
        writeln!(result, "    {}", finding.message(Language::English)).unwrap();
        assert!(!finding.message(Language::Chinese).is_empty());
        for &(place, note) in &finding.related {
            writeln!(result, "    {}: {}", show(&places, place, text), note.text(Language::English)).unwrap();
        }
    }
    if let Some(refusal) = &explanation.error {
        writeln!(result, "=> {}: {}", refusal.error.type_name, refusal.error.message).unwrap();
    }
    expect.assert_eq(&result);
}

/// Shows what was decided about every layer and why.
fn check_reasons(framework: Framework, text: &str, layers: &str, expect: Expect) {
    let (config, places) = bind(framework, text);
    let explanation = qat::explain(&config, &network(&config, framework, Some(layers)), Entry::Retrain);
    let mut result = String::new();
    for layer in &explanation.layers {
        let state = if layer.enabled { "on" } else { "off" };
        writeln!(result, "{} {state} by {}", layer.name, layer.source).unwrap();
        for reason in &layer.because {
            let place = reason.place.map(|place| format!(" @ {}", show(&places, place, text)));
            let message = reason.kind.message(Language::English);
            assert!(!reason.kind.message(Language::Chinese).is_empty());
            writeln!(result, "    {message}{}", place.unwrap_or_default()).unwrap();
        }
    }
    for name in &explanation.undetermined {
        writeln!(result, "{name}: type unknown").unwrap();
    }
    expect.assert_eq(&result);
}

const SAMPLE: &str = include_str!("data/sample/quant.cfg");
const SAMPLE_LAYERS: &str = "conv1 nn.Conv2D, conv2 nn.Conv2D, conv3 nn.Conv2D, fc nn.Dense";
const BODY: &str = "retrain_weight_quant_config {}";

#[test]
fn sample_has_two_skips_without_effect_and_lost_values() {
    check(
        MINDSPORE,
        SAMPLE,
        Some(SAMPLE_LAYERS),
        expect![[r#"
        6 -6.0: Information[clip-min-without-effect]
            `clip_min` has no effect beside `fixed_min: true`, which holds the lower bound at 0; AMCT requires it all the same
            8 true: the lower bound is held at 0 here
        12 "conv2": Warning[skip-without-effect]
            Skipping `conv2` has no effect: `override_layer_configs` for `conv2` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            25 "conv2": this override decides
        13 "nn.Conv2D": Warning[skip-without-effect]
            Skipping `nn.Conv2D` has no effect: `override_layer_types` for `nn.Conv2D` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            16 "nn.Conv2D": this override decides
        16 "nn.Conv2D": Warning[override-drops-values]
            The override for `nn.Conv2D` is taken whole and inherits nothing: `clip_max: 6.0`, `clip_min: -6.0`, `fixed_min: true` are lost for `conv1`, `conv3`. Repeat them here to keep them
            5 6.0: this value does not reach the layer
            6 -6.0: this value does not reach the layer
            8 true: this value does not reach the layer
        25 "conv2": Warning[override-drops-values]
            The override for `conv2` is taken whole and inherits nothing: `fixed_min: true` is lost. Repeat it here to keep it
            8 true: this value does not reach the layer
    "#]],
    );
    check(
        MINDSPORE,
        SAMPLE,
        None,
        expect![[r#"
        6 -6.0: Information[clip-min-without-effect]
            `clip_min` has no effect beside `fixed_min: true`, which holds the lower bound at 0; AMCT requires it all the same
            8 true: the lower bound is held at 0 here
        12 "conv2": Warning[skip-without-effect]
            Skipping `conv2` has no effect: `override_layer_configs` for `conv2` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            25 "conv2": this override decides
        13 "nn.Conv2D": Warning[skip-without-effect]
            Skipping `nn.Conv2D` has no effect: `override_layer_types` for `nn.Conv2D` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            16 "nn.Conv2D": this override decides
        16 "nn.Conv2D": Warning[override-drops-values]
            The override for `nn.Conv2D` is taken whole and inherits nothing: `clip_max: 6.0`, `clip_min: -6.0`, `fixed_min: true` are lost. Repeat them here to keep them
            5 6.0: this value does not reach the layer
            6 -6.0: this value does not reach the layer
            8 true: this value does not reach the layer
        25 "conv2": Warning[override-drops-values]
            The override for `conv2` is taken whole and inherits nothing: `fixed_min: true` is lost. Repeat it here to keep it
            8 true: this value does not reach the layer
    "#]],
    );
}

#[test]
fn sample_is_explained() {
    check_reasons(
        MINDSPORE,
        SAMPLE,
        SAMPLE_LAYERS,
        expect![[r#"
            conv1 on by override_layer_types
                `override_layer_types` for `nn.Conv2D` decides @ 16 "nn.Conv2D"
                `nn.Conv2D` in `skip_layer_types` has no effect: `override_layer_types` switches the layer on again @ 13 "nn.Conv2D"
                `channel_wise: false` @ 19 false
                `clip_max: 6.0` is not inherited: an override is taken whole @ 5 6.0
                `clip_min: -6.0` is not inherited: an override is taken whole @ 6 -6.0
                `fixed_min: true` is not inherited: an override is taken whole @ 8 true
                clip from data (IFMR), by default @ 16 "nn.Conv2D"
                fixed_min: true after ReLU, else false, by default @ 16 "nn.Conv2D"
            conv2 on by override_layer_configs
                `override_layer_configs` for `conv2` decides @ 25 "conv2"
                the override for type `nn.Conv2D` fits too, but one by name beats it @ 16 "nn.Conv2D"
                `conv2` in `skip_layers` has no effect: `override_layer_configs` switches the layer on again @ 12 "conv2"
                `nn.Conv2D` in `skip_layer_types` has no effect: `override_layer_configs` switches the layer on again @ 13 "nn.Conv2D"
                `clip_max: 3.0` @ 29 3.0
                `clip_min: -3.0` @ 30 -3.0
                `channel_wise: true` @ 36 true
                `fixed_min: true` is not inherited: an override is taken whole @ 8 true
                fixed_min: true after ReLU, else false, by default @ 27 { clip_max_min: { clip_max: 3.…
            conv3 on by override_layer_types
                `override_layer_types` for `nn.Conv2D` decides @ 16 "nn.Conv2D"
                `nn.Conv2D` in `skip_layer_types` has no effect: `override_layer_types` switches the layer on again @ 13 "nn.Conv2D"
                `channel_wise: false` @ 19 false
                `clip_max: 6.0` is not inherited: an override is taken whole @ 5 6.0
                `clip_min: -6.0` is not inherited: an override is taken whole @ 6 -6.0
                `fixed_min: true` is not inherited: an override is taken whole @ 8 true
                clip from data (IFMR), by default @ 16 "nn.Conv2D"
                fixed_min: true after ReLU, else false, by default @ 16 "nn.Conv2D"
            fc on by global
                the global `retrain_data_quant_config` decides @ 2 { ulq_quantize: { clip_max_min…
                `clip_max: 6.0` @ 5 6.0
                `clip_min: -6.0` @ 6 -6.0
                `fixed_min: true` @ 8 true
                channel_wise: false, the default for a fully connected layer
        "#]],
    );
}

#[test]
fn documented_sample_gives_what_amct_writes() {
    let (config, _) = bind(MINDSPORE, SAMPLE);
    let list = inventory::json::read(include_bytes!("data/sample/quant.layers.json")).unwrap();
    let explanation = qat::explain(&config, &Network::of_list(&list, MINDSPORE), Entry::Retrain);
    assert_eq!(
        explanation.output.as_deref(),
        Some(include_str!("data/sample/quant.effective.json").trim_end())
    );
}

#[test]
fn a_skip_by_name_loses_against_an_override_by_type() {
    let text =
        "skip_layers: \"a\" override_layer_types { layer_type: \"nn.Dense\" retrain_data_quant_config {} }";
    check(
        MINDSPORE,
        text,
        Some("a nn.Dense, b nn.Conv2D"),
        expect![[r#"
        1 "a": Warning[skip-without-effect]
            Skipping `a` has no effect: `override_layer_types` for `nn.Dense` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            1 "nn.Dense": this override decides
    "#]],
    );
    check(MINDSPORE, text, Some("a nn.Conv2D, b nn.Dense"), expect![[""]]);
    check(MINDSPORE, text, None, expect![[""]]);
}

#[test]
fn a_skipped_type_whose_layers_all_have_overrides() {
    let text = "skip_layer_types: \"nn.Dense\" override_layer_configs { layer_name: \"a\" retrain_data_quant_config {} }";
    check(
        MINDSPORE,
        text,
        Some("a nn.Dense, b nn.Conv2D"),
        expect![[r#"
        1 "nn.Dense": Warning[skip-without-effect]
            Skipping `nn.Dense` has no effect: `override_layer_configs` for `a` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            1 "a": this override decides
    "#]],
    );
    check(MINDSPORE, text, Some("a nn.Dense, b nn.Dense"), expect![[""]]);
    check(
        MINDSPORE,
        text,
        Some("b nn.Conv2D"),
        expect![[r#"
        1 "nn.Dense": Unnecessary[skip-of-absent-type]
            The network has no layer of type `nn.Dense`, so there is nothing to skip
        1 "a": Error[unknown-layer]
            The network has no layer `a`; names are compared exactly. AMCT raises ValueError: some override_layer not in valid_layers for quant
        => ValueError: some override_layer not in valid_layers for quant
    "#]],
    );
}

#[test]
fn bare_overrides() {
    let text = "override_layer_configs { layer_name: \"a\" }\nretrain_weight_quant_config { arq_retrain { channel_wise: false } }";
    check(
        MINDSPORE,
        text,
        Some("a nn.Dense"),
        expect![[r#"
        1 "a": Unnecessary[bare-override]
            The override for `a` sets nothing and changes nothing; it can be removed
    "#]],
    );
    check(
        MINDSPORE,
        text,
        Some("a nn.Conv2D"),
        expect![[r#"
            1 "a": Warning[bare-override]
                The override for `a` sets nothing and resets everything to AMCT's defaults, which loses `channel_wise: false`
                2 false: this value does not reach the layer
        "#]],
    );
    check(
        MINDSPORE,
        text,
        Some("b nn.Conv2D"),
        expect![[r#"
            1 "a": Warning[ignored-override]
                The network has no layer `a`; since this override sets nothing, AMCT ignores it silently
        "#]],
    );
    check(
        MINDSPORE,
        text,
        Some("a nn.ReLU, b nn.Conv2D"),
        expect![[r#"
            1 "a": Warning[ignored-override]
                Layer `a` is of type `nn.ReLU`, which AMCT does not quantise; since this override sets nothing, AMCT ignores it silently
        "#]],
    );
    check(
        MINDSPORE,
        text,
        None,
        expect![[r#"
            1 "a": Warning[bare-override]
                The override for `a` sets nothing and resets everything to AMCT's defaults, which loses `channel_wise: false` (not certain: no layer list)
                2 false: this value does not reach the layer
        "#]],
    );
    let skipped = "override_layer_configs { layer_name: \"a\" } skip_layers: \"a\"";
    check(
        MINDSPORE,
        skipped,
        Some("a nn.Dense"),
        expect![[r#"
        1 "a": Warning[bare-override]
            The override for `a` sets nothing and switches on again what a skip switches off
        1 "a": Warning[skip-without-effect]
            Skipping `a` has no effect: `override_layer_configs` for `a` quantises it all the same, and AMCT does not say so. Remove the skip or the override
            1 "a": this override decides
    "#]],
    );
    check(
        MINDSPORE,
        "override_layer_configs { layer_name: \"a\" } skip_layer_types: \"nn.Dense\"",
        None,
        expect![[""]],
    );
    check(
        PYTORCH,
        "override_layer_types { layer_type: \"Foo\" }",
        None,
        expect![[r#"
            1 "Foo": Warning[ignored-override]
                AMCT quantises no layer type `Foo`; since this override sets nothing, AMCT ignores it silently
        "#]],
    );
}

#[test]
fn overrides_that_decide_nothing() {
    let text = format!(
        "override_layer_types {{ layer_type: \"nn.Dense\" retrain_data_quant_config {{ ulq_quantize {{ \
         clip_max_min {{ clip_max: -1 }} }} }} }} override_layer_configs {{ layer_name: \"a\" {BODY} }}"
    );
    check(
        MINDSPORE,
        &text,
        Some("a nn.Dense"),
        expect![[r#"
        1 "nn.Dense": Unnecessary[shadowed-override]
            Every layer of type `nn.Dense` has an override by name, so this one decides nothing
        1 { clip_max: -1 }: Warning[unused-bad-clip]
            AMCT would refuse this clip range, but no layer uses the override for `nn.Dense`, so nobody notices. Give clip_max above 0 and clip_min below 0
        1 "a": Warning[override-drops-values]
            The override for `a` is taken whole and inherits nothing: `clip_max: -1.0` is lost. Repeat it here to keep it
            1 -1: this value does not reach the layer
    "#]],
    );
    check(
        MINDSPORE,
        &text,
        Some("a nn.Conv2D"),
        expect![[r#"
        1 "nn.Dense": Warning[override-of-absent-type]
            The network has no layer of type `nn.Dense`, so this override decides nothing
        1 { clip_max: -1 }: Warning[unused-bad-clip]
            AMCT would refuse this clip range, but no layer uses the override for `nn.Dense`, so nobody notices. Give clip_max above 0 and clip_min below 0
    "#]],
    );
    check(
        MINDSPORE,
        &text,
        None,
        expect![[r#"
        1 { clip_max: -1 }: Warning[one-sided-clip]
            `clip_max_min` needs both bounds; add clip_min (not certain: no layer list). AMCT raises ValueError: clip_max and clip_min are both required.
        => ValueError: clip_max and clip_min are both required.
    "#]],
    );
}

#[test]
fn repeats_and_superfluous_skips() {
    let text = "skip_layers: [\"a\", \"b\", \"a\"]\nquant_skip_layers: [\"b\", \"c\"]\nquant_skip_types: \"nn.Dense\"";
    check(
        MINDSPORE,
        text,
        Some("a nn.Conv2D, b nn.Conv2D, c nn.Dense, d nn.Conv2D"),
        expect![[r#"
        1 "a": Unnecessary[repeated-skip]
            `a` stands in this list already; remove it. AMCT warns: Please delete repeated items in skip_layers, repeated items are ['a']
            1 "a": the first one
        2 "b": Unnecessary[skip-listed-twice]
            `b` stands in `skip_layers` too; the lists are united, one entry is enough
            1 "b": the first one
        2 "c": Unnecessary[skip-covered-by-type]
            `c` is skipped already, because its type `nn.Dense` is
            3 "nn.Dense": its type is skipped here
    "#]],
    );
    let text = "override_layer_configs { layer_name: \"a\" }\noverride_layer_configs { layer_name: \"a\" }\noverride_layer_configs { layer_name: \"a\" }";
    check(
        MINDSPORE,
        text,
        None,
        expect![[r#"
            2 "a": Error[repeated-override]
                `a` already has an override; merge the two. AMCT raises ValueError: Please delete repeated items in retrain_override_layers,  repeated items are ['a']
                1 "a": the first one
            3 "a": Error[repeated-override]
                `a` already has an override; merge the two. AMCT raises ValueError: Please delete repeated items in retrain_override_layers,  repeated items are ['a']
                1 "a": the first one
            => ValueError: Please delete repeated items in retrain_override_layers,  repeated items are ['a'] 
        "#]],
    );
}

#[test]
fn clips() {
    let clip = |max: &str, min: &str| {
        format!("retrain_data_quant_config {{ ulq_quantize {{ clip_max_min {{ {max} {min} }} }} }}")
    };
    check(
        MINDSPORE,
        &clip("clip_max: 1", ""),
        None,
        expect![[r#"
        1 { clip_max: 1 }: Error[one-sided-clip]
            `clip_max_min` needs both bounds; add clip_min. AMCT raises ValueError: clip_max and clip_min are both required.
        => ValueError: clip_max and clip_min are both required.
    "#]],
    );
    check(
        MINDSPORE,
        &clip("clip_max: 0", "clip_min: 1"),
        None,
        expect![[r#"
            1 0: Error[clip-out-of-range]
                `clip_max` must be above 0 and is 0.0. AMCT raises ValueError: clip max should be larger than 0 for layer nn.Conv2D
            1 1: Error[clip-out-of-range]
                `clip_min` must be below 0 and is 1.0. AMCT raises ValueError: clip min should be less than 0 for layer nn.Conv2D
            => ValueError: clip max should be larger than 0 for layer nn.Conv2D
        "#]],
    );
    let global = clip("clip_max: 0", "clip_min: -1")
        + &format!("override_layer_configs {{ layer_name: \"a\" {BODY} }}");
    check(
        MINDSPORE,
        &global,
        None,
        expect![[r#"
            1 0: Warning[clip-out-of-range]
                `clip_max` must be above 0 and is 0.0 (not certain: no layer list). AMCT raises ValueError: clip max should be larger than 0 for layer nn.Conv2D
            1 "a": Warning[override-drops-values]
                The override for `a` is taken whole and inherits nothing: `clip_max: 0.0`, `clip_min: -1.0` are lost. Repeat them here to keep them
                1 0: this value does not reach the layer
                1 -1: this value does not reach the layer
            => ValueError: clip max should be larger than 0 for layer nn.Conv2D
        "#]],
    );
    check(
        MINDSPORE,
        &global,
        Some("a nn.Dense"),
        expect![[r#"
        1 "a": Warning[override-drops-values]
            The override for `a` is taken whole and inherits nothing: `clip_max: 0.0`, `clip_min: -1.0` are lost. Repeat them here to keep them
            1 0: this value does not reach the layer
            1 -1: this value does not reach the layer
    "#]],
    );
    check(
        MINDSPORE,
        &global,
        Some("a nn.Dense, b nn.Dense, c nn.Conv2D"),
        expect![[r#"
            1 0: Error[clip-out-of-range]
                `clip_max` must be above 0 and is 0.0 (layer `b` and 1 more). AMCT raises ValueError: clip max should be larger than 0 for layer b
            1 "a": Warning[override-drops-values]
                The override for `a` is taken whole and inherits nothing: `clip_max: 0.0`, `clip_min: -1.0` are lost. Repeat them here to keep them
                1 0: this value does not reach the layer
                1 -1: this value does not reach the layer
            => ValueError: clip max should be larger than 0 for layer b
        "#]],
    );
    let by_name =
        format!("override_layer_configs {{ layer_name: \"a\" {} }}", clip("clip_max: 0", "clip_min: -1"));
    check(
        MINDSPORE,
        &by_name,
        None,
        expect![[r#"
            1 0: Error[clip-out-of-range]
                `clip_max` must be above 0 and is 0.0. AMCT raises ValueError: clip max should be larger than 0 for layer a
            => ValueError: clip max should be larger than 0 for layer a
        "#]],
    );
    check(
        MINDSPORE,
        &by_name,
        Some("b nn.Conv2D"),
        expect![[r#"
        1 "a": Error[unknown-layer]
            The network has no layer `a`; names are compared exactly. AMCT raises ValueError: some override_layer not in valid_layers for quant
        1 { clip_max: 0 clip_min: -1 }: Warning[unused-bad-clip]
            AMCT would refuse this clip range, but no layer uses the override for `a`, so nobody notices. Give clip_max above 0 and clip_min below 0
        => ValueError: some override_layer not in valid_layers for quant
    "#]],
    );
    let fixed = "retrain_data_quant_config { ulq_quantize { fixed_min: true clip_max_min { clip_max: 1 clip_min: -1 } } }";
    check(
        MINDSPORE,
        fixed,
        None,
        expect![[r#"
        1 -1: Information[clip-min-without-effect]
            `clip_min` has no effect beside `fixed_min: true`, which holds the lower bound at 0; AMCT requires it all the same
            1 true: the lower bound is held at 0 here
    "#]],
    );
}

#[test]
fn channel_wise_on_fully_connected_layers() {
    let text = "retrain_weight_quant_config { arq_retrain { channel_wise: true } }";
    check(
        MINDSPORE,
        text,
        None,
        expect![[r#"
            1 true: Warning[channel-wise-on-fully-connected]
                `channel_wise: true` reaches layers of type nn.Dense, which cannot have one factor a channel, skipped or not; add an override for nn.Dense with `channel_wise: false` (not certain: no layer list). AMCT raises ValueError: nn.Dense layer can not be channewised
            => ValueError:  nn.Dense layer can not be channewised
        "#]],
    );
    check(
        MINDSPORE,
        text,
        Some("a nn.Dense, b nn.Dense"),
        expect![[r#"
            1 true: Error[channel-wise-on-fully-connected]
                `channel_wise: true` reaches layers of type nn.Dense (layer `a` and 1 more), which cannot have one factor a channel, skipped or not; add an override for nn.Dense with `channel_wise: false`. AMCT raises ValueError: a layer can not be channewised
            => ValueError:  a layer can not be channewised
        "#]],
    );
    check(MINDSPORE, text, Some("a nn.Conv2D"), expect![[""]]);
}

#[test]
fn names_and_types() {
    let text = format!(
        "skip_layers: [\"relu\", \"nope\"] skip_layer_types: \"Conv2d\" override_layer_configs {{ {BODY} }}"
    );
    check(
        MINDSPORE,
        &text,
        Some("relu nn.ReLU, b nn.Conv2D"),
        expect![[r#"
            1 "relu": Error[unknown-layer]
                Layer `relu` is of type `nn.ReLU`, which AMCT does not quantise; remove it here. AMCT raises ValueError: some skip_layers not in valid_layers
            1 "nope": Error[unknown-layer]
                The network has no layer `nope`; names are compared exactly. AMCT raises ValueError: some skip_layers not in valid_layers
            1 "Conv2d": Error[unknown-layer-type]
                AMCT quantises no layer type `Conv2d`; write exactly one of nn.Conv2D, nn.Dense. AMCT raises ValueError: Unrecognized layer type:Conv2d, only support ['nn.Conv2D', 'nn.Dense']
            1 { retrain_weight_quant_config …: Error[unknown-layer]
                The layer name is missing. AMCT raises ValueError: some override_layer not in valid_layers for quant
            => ValueError: Unrecognized layer type:Conv2d, only support ['nn.Conv2D', 'nn.Dense']
        "#]],
    );
    check(
        PYTORCH,
        &text,
        None,
        expect![[r#"
            1 { retrain_weight_quant_config …: Error[unknown-layer]
                The layer name is missing. AMCT raises ValueError: some override_layer not in valid_layers for quant
            => ValueError: some override_layer not in valid_layers for quant
        "#]],
    );
    check(
        MINDSPORE,
        "skip_layer_types: [\"nn.Conv2D\", \"nn.Dense\"]",
        None,
        expect![[r#"
        1 "nn.Conv2D": Error[all-layers-off]
            Every layer is skipped, so nothing would be trained. AMCT raises ValueError: No layer retrain enabled
        => ValueError: No layer retrain enabled
    "#]],
    );
    check(
        MINDSPORE,
        "skip_layers: \"a\"",
        Some("a nn.Conv2D"),
        expect![[r#"
        1 "a": Error[all-layers-off]
            Every layer is skipped, so nothing would be trained. AMCT raises ValueError: No layer retrain enabled
        => ValueError: No layer retrain enabled
    "#]],
    );
    check(
        MINDSPORE,
        "",
        Some("a nn.ReLU"),
        expect![[r#"
        file: Error[no-quantizable-layer]
            The network has no layer that AMCT can quantise. AMCT raises ValueError: Quant supported layer cannot be empty.
        => ValueError: Quant supported layer cannot be empty.
    "#]],
    );
    check(
        MINDSPORE,
        "",
        Some("version nn.Dense"),
        expect![[r#"
        file: Error[reserved-layer-name]
            Layer `version` is called like a key of AMCT's own JSON; rename it in the network. AMCT raises TypeError: Type of Version should be <class 'int'>, but is <class 'collections.OrderedDict'>
        => TypeError: Type of Version should be <class 'int'>, but is <class 'collections.OrderedDict'>
    "#]],
    );
}

#[test]
fn pytorch_only() {
    let text = "batch_num: 0 prune_config { filter_pruner {} } regular_prune_skip_layers: \"a\"\n\
        override_layer_types { layer_type: \"Linear\" prune_config { filter_pruner {} } }\n\
        retrain_data_quant_config { ulq_quantize { dst_type: INT4 } }";
    check(
        PYTORCH,
        text,
        Some("a Linear, b Conv2d"),
        expect![[r#"
            1 0: Error[batch-num-zero]
                `batch_num` must be at least 1. AMCT raises ValueError: batch_num(0) should be greater than zero.
            1 { filter_pruner {} }: Error[pruning-field]
                `prune_config` belongs to pruning, and this file is read for quantisation alone; remove it. AMCT raises ValueError: unexpected prune_config in config_defination if prune is disable.
            1 "a": Error[pruning-field]
                `regular_prune_skip_layers` belongs to pruning, and this file is read for quantisation alone; remove it. AMCT raises ValueError: unexpected regular_prune_skip_layers in config_defination if prune is disable.
            2 "Linear": Warning[override-drops-values]
                The override for `Linear` is taken whole and inherits nothing: `dst_type: INT4` is lost for `a`. Repeat it here to keep it
                3 INT4: this value does not reach the layer
            2 { filter_pruner {} }: Warning[prune-config-ignored]
                AMCT ignores `prune_config` here without a word: this file is read for quantisation alone
            2 {}: Error[pruner-without-algorithm]
                `balanced_l2_norm_filter_prune` is missing here. AMCT raises ValueError: only balanced_l2_norm_filter_prune is support,  but balanced_l2_norm_filter_prune is not found.
            3 INT4: Error[int4-activation]
                Activations cannot be trained in INT4; use INT8 or INT16. AMCT raises ValueError: Int4 quantization aware training is not supported.
            => ValueError: unexpected prune_config in config_defination if prune is disable.
        "#]],
    );
    let text = "retrain_data_quant_config { ulq_quantize { dst_type: INT16 } }\n\
        retrain_weight_quant_config { ulq_retrain { dst_type: INT4 channel_wise: true } }\n\
        override_layer_configs { layer_name: \"a\" retrain_data_quant_config {} }";
    check(
        PYTORCH,
        text,
        Some("a Conv2d, b Conv2d"),
        expect![[r#"
        2 INT4: Error[unsupported-bits]
            Activations in INT16 do not go with weights in INT4 (layer `b`); use INT8/INT8, INT16/INT8 or INT8/INT4. AMCT raises ValueError: Activation and weights data_type are not supported for now. Note, activation is INT16 and weight is INT4.
        3 "a": Warning[override-drops-values]
            The override for `a` is taken whole and inherits nothing: `dst_type: INT16`, `ulq_retrain: {}`, `dst_type: INT4` are lost. Repeat them here to keep them
            1 INT16: this value does not reach the layer
            2 { dst_type: INT4 channel_wise:…: this value does not reach the layer
            2 INT4: this value does not reach the layer
        => ValueError: Activation and weights data_type are not supported for now. Note, activation is INT16 and weight is INT4.
    "#]],
    );
}

#[test]
fn types_that_are_not_known() {
    let text = "override_layer_configs { layer_name: \"a\" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }\n\
        override_layer_types { layer_type: \"nn.Dense\" }";
    check_reasons(
        MINDSPORE,
        text,
        "a, b",
        expect![[r#"
            a on by override_layer_configs
                `override_layer_configs` for `a` decides @ 1 "a"
                `channel_wise: false` @ 1 false
                clip from data (IFMR), by default @ 1 "a"
                fixed_min: true after ReLU, else false, by default @ 1 "a"
            b: type unknown
        "#]],
    );
    check(MINDSPORE, text, Some("a, b"), expect![[""]]);
}

#[test]
fn results_do_not_depend_on_where_the_text_stands() {
    let (first, _) = bind(MINDSPORE, SAMPLE);
    let (second, _) = bind(MINDSPORE, &format!("\n# moved\n\n{SAMPLE}"));
    assert_eq!(first, second);
    let (third, _) = bind(MINDSPORE, &SAMPLE.replace("3.0", "4.0"));
    assert_ne!(first, third);
}

#[test]
fn an_incomplete_list_proves_nothing() {
    let text = "skip_layers: [\"a\", \"nope\"]";
    let (config, _) = bind(MINDSPORE, text);
    let mut list = inventory::json::read(b"a nn.Conv2D").unwrap();
    list.complete = false;
    let explanation = qat::explain(&config, &Network::of_list(&list, MINDSPORE), Entry::Retrain);
    assert_eq!(explanation.error, None);
    let certainties: Vec<_> = explanation.findings.iter().map(|f| (f.code(), f.certainty)).collect();
    let assumed = Certainty::Assumed(quantcfg::amct::Assumption::IncompleteLayerList);
    assert_eq!(certainties, [("unknown-layer", assumed), ("all-layers-off", assumed)]);
}
