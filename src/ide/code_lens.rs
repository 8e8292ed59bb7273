//! The effective configuration, over the blocks that decide it: one line over each override, over the global blocks,
//! over each skip, and at the top.

use std::collections::BTreeSet;

use super::Snapshot;
use crate::amct::answer::{Block, BlockKind, Skip, SkipEffect};
use crate::amct::{Assumption, Basis, Certainty};
use crate::analysis::{Diagnostic, Effective, Severity};
use crate::language::Language;
use crate::text::TextRange;

/// A line of text above a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLens {
    /// The place: the lens stands above the line of its start.
    pub range: TextRange,
    /// The answer itself.
    pub title: String,
    /// Whether the answer is certain, or what it rests on.
    pub certainty: Certainty,
}

/// How many layers a lens names before it counts.
const SHOWN: usize = 4;

/// All lenses of a document, in order. While the text has errors they show what could be read, so that they stay in place
/// while somebody types; then they are not certain.
pub fn code_lenses(snapshot: &Snapshot) -> Vec<CodeLens> {
    let Some(effective) = &snapshot.analysis().effective else { return Vec::new() };
    let language = snapshot.context().language;
    let certainty = certainty(snapshot, effective);
    let lens = |range, title| CodeLens { range, title, certainty };
    let mut lenses = vec![lens(TextRange::empty(0), top(snapshot, effective))];
    for block in effective.answer.blocks() {
        let title = block_title(effective, &block, language);
        let ranges = block.places.iter().map(|&place| effective.name_range(place));
        lenses.extend(ranges.map(|range| lens(range, title.clone())));
    }
    for skip in effective.answer.skips() {
        lenses.push(lens(effective.range(skip.place), skip_title(snapshot, effective, &skip)));
    }
    lenses.sort_by_key(|lens| lens.range.start);
    lenses
}

fn certainty(snapshot: &Snapshot, effective: &Effective) -> Certainty {
    let has_text_errors = snapshot.analysis().has_text_errors;
    let text = if has_text_errors { Certainty::Assumed(Assumption::TextErrors) } else { Certainty::Known };
    text.and(effective.answer.basis().absence())
}

/// The dialect, how many layers it concerns, and on what the answer rests.
fn top(snapshot: &Snapshot, effective: &Effective) -> String {
    let language = snapshot.context().language;
    let answer = &effective.answer;
    let dialect = snapshot.context().dialect.map_or("", |dialect| dialect.name());
    let entry = answer.entry().map(|entry| format!(" ({})", entry.name())).unwrap_or_default();
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    let errors = snapshot.diagnostics().iter().filter(is_error).count();
    let unknown = answer.undetermined().len();
    let state = match (&snapshot.context().layers, errors) {
        (_, 1..) => language.pick(
            format!("AMCT refuses this file: {errors} {}", if errors == 1 { "error" } else { "errors" }),
            format!("AMCT 会拒绝此文件：{errors} 个错误"),
        ),
        (Some(source), 0) => {
            let file = source.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let all = answer.layer_count();
            let states = (0..all).filter_map(|layer| answer.state(layer, language));
            let enabled = states.filter(|state| state.is_enabled).count();
            let skipped = all - unknown - enabled;
            let types = match unknown {
                0 => String::new(),
                _ => language.pick(format!(", {unknown} of unknown type"), format!("，类型未知 {unknown}")),
            };
            let verb = answer.verb(language);
            language.pick(
                format!(
                    "{all} {}: {enabled} {verb}, {skipped} skipped{types} ({file})",
                    if all == 1 { "layer" } else { "layers" }
                ),
                format!("{all} 层：{verb} {enabled}，跳过 {skipped}{types}（{file}）"),
            )
        }
        (None, 0) => language.pick(
            "no layer list: what follows holds for the names and types in this file".to_owned(),
            "没有层列表：以下仅针对文件中出现的层名和类型".to_owned(),
        ),
    };
    let incomplete = match answer.basis() {
        Basis::Incomplete => format!(" · {}", Assumption::IncompleteLayerList.text(language)),
        _ => String::new(),
    };
    format!("{dialect}{entry} · {state}{incomplete}")
}

/// Over a block, the layers that it decides and their values.
fn block_title(effective: &Effective, block: &Block, language: Language) -> String {
    let answer = &effective.answer;
    if answer.basis() == Basis::Supposed {
        let who = match &block.kind {
            BlockKind::Global => language.pick("every other layer", "其余各层").to_owned(),
            BlockKind::ByName(_, key) => key.clone(),
            BlockKind::ByType(_, key) => language.pick(
                format!("every {key} without an override of its own"),
                format!("没有单独重写的所有 {key}"),
            ),
        };
        return format!("{who}: {}", answer.block_values(&block.kind, language));
    }
    if !block.layers.is_empty() {
        return grouped(effective, &block.layers, language);
    }
    let is_open = !answer.undetermined().is_empty();
    match &block.kind {
        BlockKind::Global if is_open => language
            .pick("no layer of known type is left to the global blocks", "没有已知类型的层使用全局配置")
            .to_owned(),
        BlockKind::Global => {
            language.pick("no layer is left to the global blocks", "没有层使用全局配置").to_owned()
        }
        BlockKind::ByName(_, key) | BlockKind::ByType(_, key) if is_open => language
            .pick(format!("{key}: decides no layer of known type"), format!("{key}：不决定任何已知类型的层")),
        BlockKind::ByName(_, key) | BlockKind::ByType(_, key) => {
            language.pick(format!("{key}: decides no layer"), format!("{key}：不决定任何层"))
        }
    }
}

/// Over a skip, whether it has any effect and what cancels it.
fn skip_title(snapshot: &Snapshot, effective: &Effective, skip: &Skip) -> String {
    let language = snapshot.context().language;
    let is_alone = skip.effects.len() == 1;
    let texts = skip.effects.iter().map(|effect| effect_text(snapshot, effective, effect, is_alone));
    let text = texts.collect::<Vec<_>>().join(language.pick("; ", "；"));
    if text.is_empty() { language.pick("skips nothing", "不起作用").to_owned() } else { text }
}

fn effect_text(snapshot: &Snapshot, effective: &Effective, effect: &SkipEffect, is_alone: bool) -> String {
    let language = snapshot.context().language;
    let what = match is_alone {
        true => language.pick("skips", "跳过").to_owned(),
        false => language.pick(
            format!("not {}", effect.aspect.text(language)),
            format!("不{}", effect.aspect.text(language)),
        ),
    };
    let names: Vec<_> = effect.off.iter().map(String::as_str).collect();
    let off = (!names.is_empty()).then(|| format!("{what}: {}", names_text(&names, language)));
    let line = |place| snapshot.text.line_of(effective.anchor(place).start) + 1;
    let lines: BTreeSet<_> = effect.cancelled.iter().map(|(_, place)| line(*place)).collect();
    let cancelled = (!lines.is_empty()).then(|| {
        let lines = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let layers: Vec<_> = effect.cancelled.iter().map(|(layer, _)| layer.as_str()).collect();
        let layers = names_text(&layers, language);
        let verb = effect.aspect.text(language);
        language.pick(
            format!("no effect on {layers}: {verb} all the same by the override in line {lines}"),
            format!("对 {layers} 不起作用：第 {lines} 行的重写块使其仍被{verb}"),
        )
    });
    let texts: Vec<_> = off.into_iter().chain(cancelled).collect();
    match texts.is_empty() {
        true if is_alone => language.pick("skips no layer", "没有跳过任何层").to_owned(),
        true => format!("{what}: {}", language.pick("none", "无")),
        false => texts.join(language.pick("; ", "；")),
    }
}

/// Layers with the same values together, in network order: `conv1, conv3: ulq …; fc: …`.
fn grouped(effective: &Effective, layers: &[usize], language: Language) -> String {
    let answer = &effective.answer;
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for &layer in layers {
        let Some(state) = answer.state(layer, language) else { continue };
        let is_plain_skip = !state.is_enabled;
        let text = if is_plain_skip { language.pick("skipped", "跳过").to_owned() } else { state.values };
        let name = answer.layer_name(layer);
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(name),
            None => groups.push((text, vec![name])),
        }
    }
    let texts: Vec<_> =
        groups.iter().map(|(text, names)| format!("{}: {text}", names_text(names, language))).collect();
    texts.join("; ")
}

fn names_text(names: &[&str], language: Language) -> String {
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => shown,
        Some(more) => {
            language.pick(format!("{shown} and {more} more"), format!("{shown} 等 {} 层", names.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture::with_layers;
    use super::*;

    const NET: &str = "conv1 nn.Conv2D\nconv2 nn.Conv2D\nrelu nn.ReLU\nfc nn.Dense\n";

    /// Each lens above its line.
    #[track_caller]
    fn check(text: &str, layers: Option<&str>, language: Language, expected: Expect) {
        let snapshot = with_layers(text, layers, language);
        let mut out = String::new();
        let lenses = code_lenses(&snapshot);
        for line in 0..snapshot.text.line_count() {
            let above = lenses.iter().filter(|lens| snapshot.text.line_of(lens.range.start) == line);
            above.for_each(|lens| {
                out += &format!(
                    "» ({}) {}\n",
                    if lens.certainty.is_known() { "known" } else { "assumed" },
                    lens.title
                )
            });
            out += &snapshot.text.slice(snapshot.text.line_range(line));
            out.push('\n');
        }
        expected.assert_eq(&out);
    }

    const TEXT: &str = "retrain_data_quant_config { ulq_quantize { fixed_min: true } }\n\
        skip_layers: \"conv2\"\n\
        override_layer_types { layer_type: \"nn.Dense\" retrain_data_quant_config {} }\n\
        override_layer_configs { layer_name: \"conv1\" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }\n";

    #[test]
    fn lenses_say_what_each_block_decides() {
        check(
            TEXT,
            Some(NET),
            Language::English,
            expect![[r#"
                » (known) mindspore-qat · 3 layers: 2 quantised, 1 skipped (net.layers.json)
                » (known) conv2: skipped
                retrain_data_quant_config { ulq_quantize { fixed_min: true } }
                » (known) skips: conv2
                skip_layers: "conv2"
                » (known) fc: ulq, clip from data, channel_wise false
                override_layer_types { layer_type: "nn.Dense" retrain_data_quant_config {} }
                » (known) conv1: ulq, clip from data, channel_wise false
                override_layer_configs { layer_name: "conv1" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }

            "#]],
        );
        check(
            TEXT,
            Some(NET),
            Language::Chinese,
            expect![[r#"
                » (known) mindspore-qat · 3 层：量化 2，跳过 1（net.layers.json）
                » (known) conv2: 跳过
                retrain_data_quant_config { ulq_quantize { fixed_min: true } }
                » (known) 跳过: conv2
                skip_layers: "conv2"
                » (known) fc: ulq, 截断范围由数据求得, channel_wise false
                override_layer_types { layer_type: "nn.Dense" retrain_data_quant_config {} }
                » (known) conv1: ulq, 截断范围由数据求得, channel_wise false
                override_layer_configs { layer_name: "conv1" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }

            "#]],
        );
    }

    #[test]
    fn without_layers_they_speak_of_what_the_file_mentions() {
        check(
            TEXT,
            None,
            Language::English,
            expect![[r#"
                » (assumed) mindspore-qat · no layer list: what follows holds for the names and types in this file
                » (assumed) every other layer: ulq, clip from data, fixed_min true, channel_wise true (nn.Dense: false)
                retrain_data_quant_config { ulq_quantize { fixed_min: true } }
                » (assumed) skips: conv2
                skip_layers: "conv2"
                » (assumed) every nn.Dense without an override of its own: ulq, clip from data, channel_wise false
                override_layer_types { layer_type: "nn.Dense" retrain_data_quant_config {} }
                » (assumed) conv1: ulq, clip from data, channel_wise false
                override_layer_configs { layer_name: "conv1" retrain_weight_quant_config { arq_retrain { channel_wise: false } } }

            "#]],
        );
    }

    #[test]
    fn an_empty_file_has_one_at_the_top() {
        check(
            "",
            Some(NET),
            Language::English,
            expect![[r#"
                » (known) mindspore-qat · 3 layers: 3 quantised, 0 skipped (net.layers.json)

            "#]],
        );
    }

    #[test]
    fn a_file_that_is_refused_says_so_at_the_top() {
        check(
            "foo: 1\nretrain_weight_quant_config {}\n",
            Some(NET),
            Language::English,
            expect![[r#"
                » (assumed) mindspore-qat · AMCT refuses this file: 1 error
                foo: 1
                » (assumed) conv1, conv2: ulq, clip from data, channel_wise true; fc: ulq, clip from data, channel_wise false
                retrain_weight_quant_config {}

            "#]],
        );
        check(
            "skip_layers: \"nowhere\"\n",
            Some(NET),
            Language::English,
            expect![[r#"
                » (known) mindspore-qat · AMCT refuses this file: 1 error
                » (known) skips no layer
                skip_layers: "nowhere"

            "#]],
        );
    }

    #[test]
    fn many_layers_are_counted() {
        let net: String = (0..7).map(|at| format!("c{at} nn.Conv2D\n")).collect();
        check(
            "retrain_weight_quant_config {}\n",
            Some(&net),
            Language::English,
            expect![[r#"
                » (known) mindspore-qat · 7 layers: 7 quantised, 0 skipped (net.layers.json)
                » (known) c0, c1, c2, c3 and 3 more: ulq, clip from data, channel_wise true
                retrain_weight_quant_config {}

            "#]],
        );
    }

    #[test]
    fn overrides_that_decide_nothing_say_so() {
        check(
            "override_layer_types { layer_type: \"nn.Dense\" }\n",
            Some("c nn.Conv2D\n"),
            Language::English,
            expect![[r#"
                » (known) mindspore-qat · 1 layer: 1 quantised, 0 skipped (net.layers.json)
                » (known) nn.Dense: decides no layer
                override_layer_types { layer_type: "nn.Dense" }

            "#]],
        );
    }
}
