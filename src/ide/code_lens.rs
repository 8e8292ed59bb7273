//! The effective configuration, over the blocks that decide it: one line over each override, over the global blocks,
//! and at the top.

use super::Snapshot;
use crate::amct::qat::model::Override;
use crate::amct::qat::{Basis, Decision, Source, Values};
use crate::amct::{Assumption, Certainty};
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
    let config = &effective.config;
    let certainty = certainty(snapshot, effective);
    let mut lenses =
        vec![CodeLens { range: TextRange::empty(0), title: top(snapshot, effective), certainty }];
    for (range, title) in globals(effective, language) {
        lenses.push(CodeLens { range, title, certainty });
    }
    let by_name = config.by_name.iter().enumerate().map(|(index, entry)| (Source::ByName(index), entry));
    let by_type = config.by_type.iter().enumerate().map(|(index, entry)| (Source::ByType(index), entry));
    for (source, entry) in by_name.chain(by_type) {
        let title = override_title(effective, source, entry, language);
        lenses.push(CodeLens { range: effective.name_range(entry.place), title, certainty });
    }
    lenses.sort_by_key(|lens| lens.range.start);
    lenses
}

fn certainty(snapshot: &Snapshot, effective: &Effective) -> Certainty {
    let has_text_errors = snapshot.analysis().has_text_errors;
    let text = if has_text_errors { Certainty::Assumed(Assumption::TextErrors) } else { Certainty::Known };
    text.and(effective.network.absence())
}

/// The dialect, how many layers it concerns, and on what the answer rests.
fn top(snapshot: &Snapshot, effective: &Effective) -> String {
    let language = snapshot.context().language;
    let dialect = snapshot.context().dialect.map_or("", |dialect| dialect.name());
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    let errors = snapshot.diagnostics().iter().filter(is_error).count();
    let layers = &effective.explanation.layers;
    let enabled = layers.iter().filter(|layer| layer.enabled).count();
    let state = match (&snapshot.context().layers, errors) {
        (_, 1..) => language.pick(
            format!("AMCT refuses this file: {errors} {}", if errors == 1 { "error" } else { "errors" }),
            format!("AMCT 会拒绝此文件：{errors} 个错误"),
        ),
        (Some(source), 0) => {
            let file = source.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let unknown = effective.explanation.undetermined.len();
            let (all, skipped) = (layers.len() + unknown, layers.len() - enabled);
            let types = match unknown {
                0 => String::new(),
                _ => language.pick(format!(", {unknown} of unknown type"), format!("，类型未知 {unknown}")),
            };
            language.pick(
                format!(
                    "{all} {}: {enabled} quantised, {skipped} skipped{types} ({file})",
                    if all == 1 { "layer" } else { "layers" }
                ),
                format!("{all} 层：量化 {enabled}，跳过 {skipped}{types}（{file}）"),
            )
        }
        (None, 0) => language.pick(
            "no layer list: what follows holds for the names and types in this file".to_owned(),
            "没有层列表：以下仅针对文件中出现的层名和类型".to_owned(),
        ),
    };
    let incomplete = match effective.network.basis {
        Basis::Incomplete => format!(" · {}", Assumption::IncompleteLayerList.text(language)),
        _ => String::new(),
    };
    format!("{dialect} · {state}{incomplete}")
}

/// Over each global block, the layers that are left to it.
fn globals(effective: &Effective, language: Language) -> Vec<(TextRange, String)> {
    let global = &effective.config.global;
    let places = [global.data.as_ref().map(|part| part.place), global.weight.as_ref().map(|part| part.place)];
    let left = layers_of(effective, Source::Global);
    let title = if effective.is_supposed() {
        let framework = effective.network.framework;
        let values = Values::of_block(global, framework, None);
        let rest = language.pick("every other layer", "其余各层");
        let dense = framework.types().iter().find_map(|name| {
            let layer_type = framework.find_type(name).filter(|kind| framework.is_fully_connected(*kind))?;
            let differs =
                Values::of_block(global, framework, Some(layer_type)).channel_wise != values.channel_wise;
            differs.then(|| language.pick(format!(" ({name}: false)"), format!("（{name} 为 false）")))
        });
        format!("{rest}: {}{}", values_text(&values, language), dense.unwrap_or_default())
    } else if left.is_empty() && !effective.explanation.undetermined.is_empty() {
        language
            .pick("no layer of known type is left to the global blocks", "没有已知类型的层使用全局配置")
            .to_owned()
    } else if left.is_empty() {
        language.pick("no layer is left to the global blocks", "没有层使用全局配置").to_owned()
    } else {
        grouped(&left, language)
    };
    places.into_iter().flatten().map(|place| (effective.name_range(place), title.clone())).collect()
}

fn override_title(effective: &Effective, source: Source, entry: &Override, language: Language) -> String {
    let framework = effective.network.framework;
    let decided = layers_of(effective, source);
    let key = entry.key();
    if effective.is_supposed() {
        let layer_type = match source {
            Source::ByType(_) => framework.find_type(key),
            _ => None,
        };
        let who = match source {
            Source::ByType(_) => language.pick(
                format!("every {key} without an override of its own"),
                format!("没有单独重写的所有 {key}"),
            ),
            _ => key.to_owned(),
        };
        return format!(
            "{who}: {}",
            values_text(&Values::of_block(&entry.block, framework, layer_type), language)
        );
    }
    if decided.is_empty() && !effective.explanation.undetermined.is_empty() {
        return language.pick(
            format!("{key}: decides no layer of known type"),
            format!("{key}：不决定任何已知类型的层"),
        );
    }
    if decided.is_empty() {
        return language.pick(format!("{key}: decides no layer"), format!("{key}：不决定任何层"));
    }
    grouped(&decided, language)
}

/// A layer's name and what was decided for it.
type Decided<'e> = (&'e str, &'e Decision);

fn layers_of(effective: &Effective, source: Source) -> Vec<Decided<'_>> {
    let layers = effective.network.layers.iter().zip(&effective.resolution.layers);
    layers
        .filter_map(|(layer, resolved)| Some((layer.name.as_str(), resolved.decision.as_ref()?)))
        .filter(|(_, decision)| decision.source == source)
        .collect()
}

/// Layers with the same values together, in network order: `conv1, conv3: ulq …; fc: …`.
fn grouped(layers: &[Decided<'_>], language: Language) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, decision) in layers {
        let text = if decision.enabled {
            values_text(&decision.values, language)
        } else {
            language.pick("skipped", "跳过").to_owned()
        };
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

/// The values of a layer in short, such as `ulq -3.0..3.0, channel_wise true`.
fn values_text(values: &Values, language: Language) -> String {
    let mut parts = vec![match values.clip {
        Some((max, min)) => format!("ulq {min:?}..{max:?}"),
        None => language.pick("ulq, clip from data", "ulq, 截断范围由数据求得").to_owned(),
    }];
    parts.extend(values.fixed_min.map(|fixed_min| format!("fixed_min {fixed_min}")));
    parts.push(format!("channel_wise {}", values.channel_wise));
    parts.join(", ")
}

impl Effective {
    fn is_supposed(&self) -> bool {
        self.network.basis == Basis::Supposed
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
