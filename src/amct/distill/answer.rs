//! What AMCT writes (section 6), and everything worth telling about it.

use std::collections::HashMap;

use super::groups::Groups;
use super::model::{Block as Parameters, Override};
use super::{Resolved, Run, Source, TYPES};
use crate::amct::answer::{Aspect, Block, BlockKind, Skip, SkipEffect};
use crate::amct::basis::Basis;
use crate::amct::calibration::short;
use crate::amct::certainty::Certainty;
use crate::amct::explanation::ExplainedLayer;
use crate::amct::finding::{Finding, FindingKind, Level, Note};
use crate::amct::json::Json;
use crate::amct::place::{Place, Placed};
use crate::amct::reason::{Reason, ReasonKind};
use crate::amct::table_answer::TableAnswer;
use crate::amct::text::Text;

fn entry(key: &str, value: Json) -> (String, Json) {
    (key.to_owned(), value)
}

impl<'a> Run<'a> {
    /// The whole answer.
    pub(super) fn answer(self, layers: Vec<Resolved<'a>>, groups: Groups) -> TableAnswer {
        let config = self.config;
        let count = |value: &Option<Placed<u64>>| value.as_ref().map_or(1, |value| value.value as i64);
        let dump = config.data_dump.as_ref().is_some_and(|dump| dump.value);
        let members = |group: &Vec<Option<String>>| {
            let names = group.iter().map(|name| name.as_deref().map_or(Json::Null, Json::string));
            Json::Array(names.collect())
        };
        let mut keys = vec![
            entry("version", Json::Int(1)),
            entry("batch_num", Json::Int(count(&config.batch_num))),
            entry("group_size", Json::Int(count(&config.group_size))),
            entry("data_dump", Json::Bool(dump)),
            entry("distill_group", Json::Array(groups.all.iter().map(members).collect())),
        ];
        keys.extend(layers.iter().map(|layer| entry(layer.name(), to_json(layer))));
        let unknown = self.modules.all.iter().filter(|module| module.layer.type_name.is_none());
        TableAnswer {
            basis: self.modules.basis,
            findings: self.findings(&layers, &groups),
            undetermined: unknown.map(|module| module.layer.name.clone()).collect(),
            layers: layers.iter().map(|layer| (self.explained(layer), brief(layer))).collect(),
            output: Json::Object(keys).to_python(),
            blocks: self.blocks(&layers),
            skips: self.skips(&layers),
            unwritten: Vec::new(),
            types: TYPES,
            aspect: Aspect::Quantised,
            report: self.report,
        }
    }

    fn explained(&self, layer: &Resolved<'a>) -> ExplainedLayer {
        ExplainedLayer {
            name: layer.name().to_owned(),
            type_name: layer.module.layer.type_name.clone(),
            enabled: layer.is_enabled(),
            source: layer.source.name(),
            skip_by_name: layer.skip_by_name,
            skip_by_type: layer.skip_by_type,
            values: to_json(layer),
            extra: Vec::new(),
            because: self.reasons(layer),
            certainty: layer.module.certainty,
        }
    }

    fn find_entry(&self, source: Source) -> Option<&'a Override> {
        match source {
            Source::ByName(index) => self.config.by_name.get(index),
            Source::ByType(index) => self.config.by_type.get(index),
            Source::Global | Source::Skip => None,
        }
    }

    fn reasons(&self, layer: &Resolved<'a>) -> Vec<Reason> {
        let config = self.config;
        let mut reasons = Vec::new();
        let mut add = |kind, place| reasons.push(Reason { kind, place });
        let lists = [
            ("quant_skip_layers", &config.quant_skip_layers, layer.name()),
            ("quant_skip_layer_types", &config.quant_skip_layer_types, layer.module.class()),
        ];
        for (list, items, wanted) in lists {
            for item in items.iter().filter(|item| item.value == wanted) {
                add(ReasonKind::SkipWins { list, item: item.value.clone() }, Some(item.place));
            }
        }
        match (layer.source, self.find_entry(layer.source)) {
            (source, Some(entry)) => {
                let kind = ReasonKind::Override { field: source.name(), key: entry.key().to_owned() };
                add(kind, Some(entry.key_place()));
            }
            (Source::Global, None) => {
                let global = &config.global;
                for (field, place) in [
                    ("distill_data_quant_config", global.data),
                    ("distill_weight_quant_config", global.weight),
                ] {
                    if let Some(place) = place {
                        add(ReasonKind::Global { field }, Some(place));
                    }
                }
                if global.data.is_none() && global.weight.is_none() {
                    add(ReasonKind::Default, None);
                }
            }
            _ => {
                let text = Text::new(
                    "a skipped layer gets AMCT's defaults, whatever the blocks say",
                    "被跳过的层使用 AMCT 默认值，与各配置块无关",
                );
                add(ReasonKind::Plain(text), None);
            }
        }
        let block = &layer.block;
        let mut set = |field, value: String, place| add(ReasonKind::Set { field, value }, Some(place));
        if let Some(clip) = &block.clip {
            for (field, bound) in [("clip_max", &clip.max), ("clip_min", &clip.min)] {
                if let Some(bound) = bound {
                    set(field, short(bound.value), bound.place);
                }
            }
        }
        for (field, value) in [("fixed_min", &block.fixed_min), ("channel_wise", &block.channel_wise)] {
            if let Some(value) = value {
                set(field, value.value.to_string(), value.place);
            }
        }
        for value in [&block.data_type, &block.weight_type].into_iter().flatten() {
            set("dst_type", value.value.clone(), value.place);
        }
        reasons
    }

    fn blocks(&self, layers: &[Resolved<'a>]) -> Vec<(Block, Text)> {
        let config = self.config;
        let mut users: HashMap<Source, Vec<usize>> = HashMap::new();
        for (index, layer) in layers.iter().enumerate() {
            users.entry(layer.source).or_default().push(index);
        }
        let mut take = |source| users.remove(&source).unwrap_or_default();
        let global = &config.global;
        let places = [global.data, global.weight].into_iter().flatten().collect();
        let mut blocks = vec![(
            Block { kind: BlockKind::Global, places, layers: take(Source::Global) },
            block_brief(global, true),
        )];
        for (index, entry) in config.by_name.iter().enumerate() {
            let kind = BlockKind::ByName(index, entry.key().to_owned());
            let layers = take(Source::ByName(index));
            blocks.push((Block { kind, places: vec![entry.place], layers }, block_brief(&entry.block, true)));
        }
        for (index, entry) in config.by_type.iter().enumerate() {
            let kind = BlockKind::ByType(index, entry.key().to_owned());
            let layers = take(Source::ByType(index));
            let text = block_brief(&entry.block, entry.key() != "Linear");
            blocks.push((Block { kind, places: vec![entry.place], layers }, text));
        }
        blocks
    }

    fn skips(&self, layers: &[Resolved<'a>]) -> Vec<Skip> {
        let supposed = self.modules.basis == Basis::Supposed;
        let skip = |item: &Placed<String>, off: Vec<String>| Skip {
            place: item.place,
            effects: vec![SkipEffect { aspect: Aspect::Quantised, off, cancelled: Vec::new() }],
            certainty: self.modules.basis.absence(),
        };
        let names = self.config.quant_skip_layers.iter().map(|item| {
            let named = layers.iter().filter(|layer| layer.name() == item.value);
            skip(item, named.map(|layer| layer.name().to_owned()).collect())
        });
        let types = self.config.quant_skip_layer_types.iter().map(|item| {
            let of_type = layers.iter().filter(|layer| {
                layer.module.class() == item.value && (!supposed || layer.name() == item.value)
            });
            skip(item, of_type.map(|layer| layer.name().to_owned()).collect())
        });
        names.chain(types).collect()
    }

    fn findings(&self, layers: &[Resolved<'a>], groups: &Groups) -> Vec<Finding> {
        let config = self.config;
        let mut findings = Vec::new();
        let mut add = |code, level, text, place, related: Vec<(Place, Note)>, certainty| {
            let kind = FindingKind::Plain { code, level, text };
            findings.push(Finding { kind, place, related, certainty });
        };
        for &place in &groups.dropped {
            let text = Text::new(
                "AMCT silently drops this group: its first layer belongs to an automatic group already; start at the \
                 layer before it",
                "AMCT 会悄悄丢弃该组：其首层已属于自动生成的组；请从前一层开始",
            );
            add("group-dropped", Level::Warning, text, place, Vec::new(), self.modules.basis.absence());
        }
        if groups.all.iter().flatten().any(Option::is_none) {
            let text = Text::new(
                "A group holds an operation that is no module, so AMCT's own JSON cannot be read in the next step: \
                 ValueError: layer [None] … not exist or not a nn.Module object.",
                "组中含有不是模块的运算，下一步读取 AMCT 自己的 JSON 会失败：ValueError: layer [None] … not exist or \
                 not a nn.Module object.",
            );
            let certainty = self.modules.basis.absence();
            add("group-without-module", Level::Error, text, Place::FILE, Vec::new(), certainty);
        }
        for entry in &config.by_name {
            let layer = layers.iter().find(|layer| layer.name() == entry.key() && !layer.is_enabled());
            let Some(layer) = layer else { continue };
            let by_name = config.quant_skip_layers.iter().find(|item| item.value == layer.name());
            let by_type = || {
                let types = &config.quant_skip_layer_types;
                types.iter().find(|item| item.value == layer.module.class())
            };
            if let Some(skip) = by_name.or_else(by_type) {
                let certainty = if by_name.is_some() { Certainty::Known } else { layer.module.certainty };
                let related = vec![(skip.place, Note::TypeSkip)];
                let text = skip_wins(entry.key());
                add("override-skipped", Level::Warning, text, entry.key_place(), related, certainty);
            }
        }
        for entry in &config.by_type {
            let types = &config.quant_skip_layer_types;
            if let Some(skip) = types.iter().find(|item| item.value == entry.key()) {
                let related = vec![(skip.place, Note::TypeSkip)];
                let text = skip_wins(entry.key());
                add("override-skipped", Level::Warning, text, entry.key_place(), related, Certainty::Known);
            }
        }
        for entry in config.by_name.iter().chain(&config.by_type) {
            let mut lost = Vec::new();
            if entry.block.data.is_none()
                && let Some(place) = config.global.data
            {
                lost.push(("distill_data_quant_config", place));
            }
            if entry.block.weight.is_none()
                && let Some(place) = config.global.weight
            {
                lost.push(("distill_weight_quant_config", place));
            }
            if !lost.is_empty() {
                let key = entry.key();
                let names: Vec<_> = lost.iter().map(|(name, _)| format!("`{name}`")).collect();
                let names = names.join(", ");
                let text = Text::new(
                    format!("The override for `{key}` is taken whole: the global {names} does not reach it"),
                    format!("`{key}` 的重写块整体生效：全局 {names} 不会作用到它"),
                );
                let related = lost.iter().map(|&(_, place)| (place, Note::LostValue)).collect();
                let code = if lost.len() == 2 { "bare-override" } else { "override-drops-values" };
                add(code, Level::Warning, text, entry.key_place(), related, Certainty::Known);
            }
        }
        findings
    }
}

fn skip_wins(key: &str) -> Text {
    Text::new(
        format!(
            "`{key}` is skipped, and here a skip beats an override: it gets AMCT's defaults, switched off"
        ),
        format!("`{key}` 被跳过；此处跳过优先于重写：该层使用默认值且不量化"),
    )
}

/// The layer's object as AMCT writes it.
fn to_json(layer: &Resolved<'_>) -> Json {
    let block = &layer.block;
    let mut data = vec![entry("algo", Json::string("ulq_quantize"))];
    if let Some(clip) = &block.clip {
        let (max, min) = clip.bounds();
        data.push(entry("clip_max", Json::Float(f64::from(max))));
        data.push(entry("clip_min", Json::Float(f64::from(min))));
    }
    data.extend(block.fixed_min.as_ref().map(|value| entry("fixed_min", Json::Bool(value.value))));
    data.push(entry("dst_type", Json::string(block.data_type())));
    let weight = vec![
        entry("algo", Json::string(block.algorithm())),
        entry("channel_wise", Json::Bool(layer.channel_wise())),
        entry("dst_type", Json::string(block.weight_type())),
    ];
    Json::Object(vec![
        entry("quant_enable", Json::Bool(layer.is_enabled())),
        entry("distill_data_config", Json::Object(data)),
        entry("distill_weight_config", Json::Object(weight)),
    ])
}

fn brief(layer: &Resolved<'_>) -> Text {
    block_brief(&layer.block, layer.module.class() != "Linear")
}

fn block_brief(block: &Parameters, default_channel_wise: bool) -> Text {
    let channel_wise = block.channel_wise.as_ref().map_or(default_channel_wise, |value| value.value);
    let types = match (block.data_type(), block.weight_type()) {
        ("INT8", "INT8") => String::new(),
        (data, weight) => format!(", {data}/{weight}"),
    };
    let rest = format!(", {} channel_wise {channel_wise}{types}", block.algorithm());
    match &block.clip {
        Some(clip) => {
            let (max, min) = clip.bounds();
            let text = format!("ulq {}..{}{rest}", short(min), short(max));
            Text::new(text.clone(), text)
        }
        None => Text::new(format!("ulq, clip from data{rest}"), format!("ulq, 截断范围由数据求得{rest}")),
    }
}
