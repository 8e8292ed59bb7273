//! The search for a channel pruning: `AutoChannelPruneConfig`, read by `auto_channel_prune_search`
//! (amct-semantics-auto-prune.md; its section numbers are used here). The search itself needs weights and data: only what
//! it may touch is computed.

mod overrides;

use std::sync::Arc;

use super::answer::{Answer, Aspect, Block, BlockKind};
use super::bind::Binder;
use super::certainty::Certainty;
use super::explanation::ExplainedLayer;
use super::finding::{Finding, FindingKind, Level};
use super::json::Json;
use super::place::{Place, Placed, Places};
use super::qat::network::PrunableLayer;
use super::qat::{self, Framework, Network};
use super::reason::{Reason, ReasonKind};
use super::report::{Fault, Report};
use super::table_answer::TableAnswer;
use super::text::Text;
use crate::inventory::LayerList;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// What can lose channels.
const TYPES: &[&str] = &["Conv2d", "Linear"];

/// The file that `override_prune_cfg` names.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideFile {
    /// The path as it is written.
    pub written: String,
    /// The path as AMCT's process sees it.
    pub shown: String,
    /// What is there.
    pub content: OverrideContent,
    /// Whether the folder that AMCT runs in is known, from which it resolves the path.
    pub certainty: Certainty,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum OverrideContent {
    /// Nothing.
    Missing,
    /// A folder.
    Folder,
    /// A file that AMCT cannot read: Python's exception and its text.
    Refused(&'static str, String),
    /// The values of a file.
    Values(MessageValue),
}

/// The values of a file.
struct Config {
    is_empty: bool,
    compress_ratio: Option<Placed<f32>>,
    ascend_optimized: Option<Placed<bool>>,
    max_prune_ratio: Option<Placed<f32>>,
    test_iteration: Option<Placed<i64>>,
    override_prune_cfg: Option<Placed<String>>,
}

/// Why a layer is not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    ByName,
    ByType,
    SkippedByName,
    SkippedByType,
}

/// Computes the answer for the values of a file. `file` is what its `override_prune_cfg` leads to.
pub fn answer(
    value: &MessageValue,
    schema: &Schema,
    layers: Option<&LayerList>,
    file: Option<&OverrideFile>,
) -> (Arc<dyn Answer>, Places) {
    let mut binder = Binder::new(schema);
    let b = &mut binder;
    let config = Config {
        is_empty: value.fields.is_empty(),
        compress_ratio: b.float(value, "compress_ratio"),
        ascend_optimized: b.bool(value, "ascend_optimized"),
        max_prune_ratio: b.float(value, "max_prune_ratio"),
        test_iteration: b.int(value, "test_iteration"),
        override_prune_cfg: b.string(value, "override_prune_cfg"),
    };
    let places = binder.into_places();
    // What was read belongs to the path that was written then.
    let written = config.override_prune_cfg.as_ref();
    let file = file.filter(|file| written.is_some_and(|path| path.value == file.written));
    let own = match file.map(|file| &file.content) {
        Some(OverrideContent::Values(values)) => {
            Some(qat::Config::bind(values, &crate::schema::builtin::schema(overrides::DIALECT)).0)
        }
        _ => None,
    };
    let network = match layers {
        Some(layers) => Network::of_list(layers, Framework::PyTorch),
        None => Network::supposed(&own.clone().unwrap_or_default(), Framework::PyTorch),
    };
    let mut run = Run { config: &config, network: &network, file, report: Report::new(network.basis) };
    run.check_values();
    let left = run.read_overrides(own.as_ref());
    (Arc::new(run.answer(left)), places)
}

struct Run<'a> {
    config: &'a Config,
    network: &'a Network,
    file: Option<&'a OverrideFile>,
    report: Report,
}

impl<'a> Run<'a> {
    /// The layers that can be searched.
    fn layers(&self) -> impl Iterator<Item = &'a PrunableLayer> {
        self.network.prunable.iter().filter(|layer| layer.has_filters)
    }

    /// Section 2.
    fn check_values(&mut self) {
        let config = self.config;
        if config.is_empty {
            let text = Text::new(
                "An empty file is an error; write at least `compress_ratio`",
                "空文件会报错；至少写 `compress_ratio`",
            );
            self.report.refuse(Fault::new("nothing-to-do", "config file is empty.", text, Place::FILE));
        }
        if self.layers().next().is_none() {
            let text = Text::new(
                "The network has no layer whose channels AMCT can prune",
                "网络中没有 AMCT 可做通道稀疏的层",
            );
            let message = "graph has no layer support channel prune.";
            let fault = Fault::new("no-prunable-layer", message, text, Place::FILE);
            self.report.refuse(fault.if_holds(self.network.absence()));
        }
        let place = |place: Option<Place>| place.unwrap_or(Place::FILE);
        let ratio = config.compress_ratio.as_ref().map_or(0.0, |ratio| ratio.value);
        // NaN passes every comparison, as in Python.
        if ratio <= 1.0 {
            let text = Text::new(
                "`compress_ratio` is required and must be above 1 after rounding to 32 bits",
                "`compress_ratio` 必填，且舍入到 32 位后必须大于 1",
            );
            let message = "compress_ratio not supported. compress_ratio should be larger than 1.";
            let at = place(config.compress_ratio.as_ref().map(|ratio| ratio.place));
            self.report.refuse(Fault::new("value-out-of-range", message, text, at));
        }
        if let Some(ratio) =
            config.max_prune_ratio.as_ref().filter(|ratio| ratio.value <= 0.0 || ratio.value > 1.0)
        {
            let text = Text::new(
                "`max_prune_ratio` must be above 0 and at most 1",
                "`max_prune_ratio` 必须大于 0 且不大于 1",
            );
            let message = "max_prune_ratio not supported. max_prune_ratio should be in (0, 1].";
            self.report.refuse(Fault::new("value-out-of-range", message, text, ratio.place));
        }
        if let Some(count) = config.test_iteration.as_ref().filter(|count| count.value < 1) {
            let text = Text::new("`test_iteration` must be at least 1", "`test_iteration` 至少为 1");
            let message = "test_iteration not supported. test_iteration should be no smaller than 1.";
            self.report.refuse(Fault::new("value-out-of-range", message, text, count.place));
        }
    }

    fn answer(self, left: Vec<Option<Left>>) -> TableAnswer {
        let config = self.config;
        let entry = |key: &str, value: Json| (key.to_owned(), value);
        let optimized = config.ascend_optimized.as_ref().is_none_or(|value| value.value);
        let search = Json::Object(vec![
            entry("regular_prune_enable", Json::Bool(true)),
            entry(
                "regular_prune_config",
                Json::Object(vec![
                    entry("prune_type", Json::string("filter_prune")),
                    entry("prune_ratio", Json::Null),
                    entry("ascend_optimized", Json::Bool(optimized)),
                    entry("algo", Json::string("balanced_l2_norm_filter_prune")),
                ]),
            ),
        ]);
        let layers: Vec<_> = self.layers().zip(&left).collect();
        let searched = || layers.iter().filter(|(_, left)| left.is_none()).map(|(layer, _)| *layer);
        let ratio = config.compress_ratio.as_ref().map_or(0.0, |ratio| ratio.value);
        let max = config.max_prune_ratio.as_ref().map_or(1.0, |ratio| ratio.value);
        let path = self.file.map(|file| Json::string(file.shown.as_str()));
        let written = config.override_prune_cfg.as_ref().map(|path| Json::string(path.value.as_str()));
        let output = Json::Object(vec![
            entry("compress_ratio", Json::shortest(ratio)),
            entry("ascend_optimized", Json::Bool(optimized)),
            entry("max_prune_ratio", Json::Float(f64::from(max))),
            entry("test_iteration", Json::Int(config.test_iteration.as_ref().map_or(1, |count| count.value))),
            entry("override_prune_cfg", path.or(written).unwrap_or(Json::Null)),
            entry(
                "search_layers",
                Json::Array(searched().map(|layer| Json::string(layer.name.as_str())).collect()),
            ),
            entry(
                "search_config",
                Json::Object(searched().map(|layer| entry(&layer.name, search.clone())).collect()),
            ),
        ]);
        let explained = layers.iter().map(|(layer, left)| self.explained(layer, **left, &search));
        let block = Block {
            kind: BlockKind::Global,
            places: config.compress_ratio.iter().map(|ratio| ratio.place).collect(),
            layers: (0..layers.len()).filter(|&at| layers[at].1.is_none()).collect(),
        };
        TableAnswer {
            basis: self.network.basis,
            findings: self.findings(),
            undetermined: self.unknown_types(),
            layers: explained.collect(),
            output: output.to_python(),
            blocks: vec![(block, Text::new("searched", "参与搜索"))],
            skips: Vec::new(),
            unwritten: Vec::new(),
            types: TYPES,
            aspect: Aspect::Searched,
            report: self.report,
        }
    }

    fn unknown_types(&self) -> Vec<String> {
        let unknown = self.layers().filter(|layer| layer.layer_type.is_none());
        unknown.map(|layer| layer.name.clone()).collect()
    }

    fn explained(&self, layer: &PrunableLayer, left: Option<Left>, search: &Json) -> (ExplainedLayer, Text) {
        let (source, text) = match left {
            None => ("global", Text::new("may lose channels in the search", "参与搜索，可能裁剪通道")),
            Some(Left::ByName) => (
                "override_layer_configs",
                Text::new(
                    "fixed by name in `override_prune_cfg`: not searched",
                    "已在 `override_prune_cfg` 中按层名固定：不搜索",
                ),
            ),
            Some(Left::ByType) => (
                "override_layer_types",
                Text::new(
                    "fixed by type in `override_prune_cfg`: not searched",
                    "已在 `override_prune_cfg` 中按类型固定：不搜索",
                ),
            ),
            Some(Left::SkippedByName) => (
                "global",
                Text::new("skipped by name in `override_prune_cfg`", "在 `override_prune_cfg` 中按层名跳过"),
            ),
            Some(Left::SkippedByType) => (
                "global",
                Text::new("skipped by type in `override_prune_cfg`", "在 `override_prune_cfg` 中按类型跳过"),
            ),
        };
        let place = match left {
            None => self.config.compress_ratio.as_ref().map(|ratio| ratio.place),
            Some(_) => self.config.override_prune_cfg.as_ref().map(|path| path.place),
        };
        let type_name = layer.layer_type.map(|kind| Framework::PyTorch.type_name(kind).to_owned());
        let explained = ExplainedLayer {
            name: layer.name.clone(),
            type_name,
            enabled: left.is_none(),
            source,
            skip_by_name: left == Some(Left::SkippedByName),
            skip_by_type: left == Some(Left::SkippedByType),
            values: if left.is_none() { search.clone() } else { Json::Object(Vec::new()) },
            extra: vec![("searched", Json::Bool(left.is_none()))],
            because: vec![Reason { kind: ReasonKind::Plain(text), place }],
            certainty: layer.certainty,
        };
        (explained, Text::new("searched", "参与搜索"))
    }

    fn findings(&self) -> Vec<Finding> {
        let config = self.config;
        let mut findings = Vec::new();
        let mut add = |code, text, place| {
            findings.push(Finding {
                kind: FindingKind::Plain { code, level: Level::Warning, text },
                place,
                related: Vec::new(),
                certainty: Certainty::Known,
            });
        };
        for ratio in [&config.compress_ratio, &config.max_prune_ratio].into_iter().flatten() {
            if ratio.value.is_nan() {
                let text = Text::new(
                    "nan passes AMCT's checks, and then nothing is searched or pruned",
                    "nan 能通过 AMCT 的检查，但之后不会搜索也不会稀疏",
                );
                add("senseless-value", text, ratio.place);
            }
        }
        if let (Some(path), Some(file)) = (&config.override_prune_cfg, self.file)
            && let OverrideContent::Values(values) = &file.content
        {
            let schema = crate::schema::builtin::schema(overrides::DIALECT);
            let own = qat::Config::bind(values, &schema).0;
            for entry in own.by_name.iter().filter(|entry| entry.block.pruner().is_none()) {
                let key = entry.key();
                let text = Text::new(
                    format!(
                        "The override for `{key}` in `{}` has no pruner and does not fix the layer: it is searched, and the \
                         file that AMCT writes then names it twice",
                        path.value
                    ),
                    format!(
                        "`{}` 中 `{key}` 的重写块没有稀疏设置，并不会固定该层：它仍参与搜索，AMCT 写出的文件会重复其层名",
                        path.value
                    ),
                );
                add("bare-override", text, path.place);
            }
        }
        findings
    }
}
