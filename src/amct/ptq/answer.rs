//! What AMCT writes, and everything worth telling about it (sections 8 to 10).

use std::collections::HashMap;

use super::model::Weights;
use super::resolve::{AsymmetricSource, Correction, Resolved, Source};
use super::{Run, types};
use crate::amct::answer::{Aspect, Block, BlockKind, Skip, SkipEffect};
use crate::amct::basis::Basis;
use crate::amct::calibration::Activation;
use crate::amct::certainty::Certainty;
use crate::amct::explanation::ExplainedLayer;
use crate::amct::finding::{Finding, FindingKind, Level, Note};
use crate::amct::json::Json;
use crate::amct::kv_cache;
use crate::amct::place::{Place, Placed};
use crate::amct::reason::{Reason, ReasonKind};
use crate::amct::table_answer::TableAnswer;
use crate::amct::text::Text;

fn entry(key: &str, value: Json) -> (String, Json) {
    (key.to_owned(), value)
}

impl<'a> Run<'a> {
    /// The whole answer.
    pub(super) fn answer(self, layers: Vec<Resolved<'a>>) -> TableAnswer {
        let config = self.config;
        let or_true = |value: &Option<Placed<bool>>| value.as_ref().is_none_or(|value| value.value);
        let names = config.skip_fusion_layers.iter().map(|name| Json::string(name.value.as_str()));
        let mut keys = vec![
            entry("version", Json::Int(1)),
            entry("batch_num", Json::Int(config.batch_num.as_ref().map_or(1, |value| value.value as i64))),
            entry("activation_offset", Json::Bool(or_true(&config.activation_offset))),
            entry("do_fusion", Json::Bool(or_true(&config.do_fusion))),
        ];
        let mode = config.precision_mode.as_ref().map(|mode| Json::string(mode.value.as_str()));
        keys.extend(mode.map(|mode| entry("fakequant_precision_mode", mode)));
        keys.push(entry("skip_fusion_layers", Json::Array(names.collect())));
        let mut sorted: Vec<_> = layers.iter().collect();
        sorted.sort_by(|a, b| a.name().cmp(b.name()));
        keys.extend(sorted.iter().map(|layer| entry(layer.name(), to_json(layer))));
        let unknown = self.modules.all.iter().filter(|module| module.layer.type_name.is_none());
        TableAnswer {
            basis: self.modules.basis,
            findings: self.findings(&layers),
            undetermined: unknown.map(|module| module.layer.name.clone()).collect(),
            layers: layers.iter().map(|layer| (self.explained(layer), brief(layer))).collect(),
            output: Json::Object(keys).to_python(),
            blocks: self.blocks(&layers),
            skips: self.skips(&layers),
            unwritten: Vec::new(),
            types: types::QUANTIZABLE,
            aspect: Aspect::Quantised,
            report: self.report,
        }
    }

    fn explained(&self, layer: &Resolved<'a>) -> ExplainedLayer {
        ExplainedLayer {
            name: layer.name().to_owned(),
            type_name: layer.module.layer.type_name.clone(),
            enabled: layer.enabled,
            source: layer.source.name(),
            skip_by_name: layer.skip_by_name,
            skip_by_type: layer.skip_by_type,
            values: to_json(layer),
            extra: vec![("asymmetric_source", Json::string(layer.asymmetric_source.name()))],
            because: self.reasons(layer),
            certainty: layer.module.certainty,
        }
    }

    fn reasons(&self, layer: &Resolved<'a>) -> Vec<Reason> {
        let config = self.config;
        let mut reasons = Vec::new();
        let mut add = |kind, place| reasons.push(Reason { kind, place });
        match self.find_entry(layer) {
            Some(entry) => {
                let kind = ReasonKind::Override { field: layer.source.name(), key: entry.key().to_owned() };
                add(kind, Some(entry.key_place()));
            }
            None if layer.source == Source::Common => {
                let place = config.common.as_ref().map(|common| common.place);
                add(ReasonKind::Global { field: "common_config" }, place);
            }
            None => add(ReasonKind::Default, None),
        }
        let lists = [
            ("skip_layers", &config.skip_layers, layer.name()),
            ("skip_layer_types", &config.skip_layer_types, layer.class()),
        ];
        for (list, items, wanted) in lists {
            for item in items.iter().filter(|item| item.value == wanted) {
                let text = item.value.clone();
                let kind = match layer.source {
                    Source::ByName(_) | Source::ByType(_) => ReasonKind::SkipWins { list, item: text },
                    _ => ReasonKind::Skipped { list, item: text },
                };
                add(kind, Some(item.place));
            }
        }
        if let Some(activation) = &layer.block.activation {
            activation.reasons().into_iter().for_each(|reason| add(reason.kind, reason.place));
        }
        let inherited = match layer.asymmetric_source {
            AsymmetricSource::Forced => Some((
                Text::new(
                    "asymmetric: false, the only value for this type",
                    "asymmetric: false，该类型只能如此",
                ),
                None,
            )),
            AsymmetricSource::Inherited => {
                let common = config.common.as_ref().and_then(|common| common.activation.as_ref());
                let place = common.and_then(|common| common.common().asymmetric.as_ref());
                let value = layer.asymmetric;
                Some((
                    Text::new(
                        format!(
                            "asymmetric: {value}, inherited from `common_config`: the algorithm is the same"
                        ),
                        format!("asymmetric: {value}，继承自 `common_config`（算法相同）"),
                    ),
                    place.map(|value| value.place),
                ))
            }
            AsymmetricSource::Offset => {
                let value = layer.asymmetric;
                Some((
                    Text::new(
                        format!("asymmetric: {value}, from `activation_offset`"),
                        format!("asymmetric: {value}，由 `activation_offset` 决定"),
                    ),
                    config.activation_offset.as_ref().map(|offset| offset.place),
                ))
            }
            AsymmetricSource::Block(_) => None,
        };
        if let Some((text, place)) = inherited {
            add(ReasonKind::Plain(text), place);
        }
        for correction in &layer.corrections {
            add(ReasonKind::Plain(correction.text()), None);
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
        let mut blocks = Vec::new();
        let values = |layers: &[usize], all: &[Resolved<'a>]| {
            layers.first().map_or_else(|| Text::new("", ""), |&layer| brief(&all[layer]))
        };
        let common = take(Source::Common);
        let place = config.common.as_ref().map(|common| common.place);
        let text = values(&common, layers);
        blocks.push((
            Block { kind: BlockKind::Global, places: place.into_iter().collect(), layers: common },
            text,
        ));
        for (index, entry) in config.by_name.iter().enumerate() {
            let users = take(Source::ByName(index));
            let text = values(&users, layers);
            let kind = BlockKind::ByName(index, entry.key().to_owned());
            blocks.push((Block { kind, places: vec![entry.place], layers: users }, text));
        }
        for (index, entry) in config.by_type.iter().enumerate() {
            let users = take(Source::ByType(index));
            let text = values(&users, layers);
            let kind = BlockKind::ByType(index, entry.key().to_owned());
            blocks.push((Block { kind, places: vec![entry.place], layers: users }, text));
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
        let names = self.config.skip_layers.iter().map(|item| {
            let named = layers.iter().filter(|layer| layer.name() == item.value);
            skip(item, named.map(|layer| layer.name().to_owned()).collect())
        });
        let types = self.config.skip_layer_types.iter().map(|item| {
            let of_type = layers
                .iter()
                .filter(|layer| layer.class() == item.value && (!supposed || layer.name() == item.value));
            skip(item, of_type.map(|layer| layer.name().to_owned()).collect())
        });
        names.chain(types).collect()
    }

    /// The traps about which AMCT is silent.
    fn findings(&self, layers: &[Resolved<'a>]) -> Vec<Finding> {
        let config = self.config;
        let mut findings = Vec::new();
        let mut add = |code, level, text, place, related: Vec<(Place, Note)>, certainty| {
            let kind = FindingKind::Plain { code, level, text };
            findings.push(Finding { kind, place, related, certainty });
        };
        let mut silent: HashMap<(Place, u8), (Correction, Vec<&Resolved<'_>>)> = HashMap::new();
        for layer in layers {
            if let Some(place) = layer.block.int16().filter(|_| layer.data_bits == 16 && !layer.has_int16()) {
                let name = layer.name();
                let text = Text::new(
                    format!(
                        "Layer `{name}` cannot have INT16 activations, and AMCT notices it a step later: \
                         ValueError: current layer {name} does not support int16 quant."
                    ),
                    format!(
                        "层 `{name}` 不支持 INT16 激活，AMCT 到下一步才报错：ValueError: current layer {name} does \
                         not support int16 quant."
                    ),
                );
                add("int16-unsupported", Level::Error, text, place, Vec::new(), layer.module.certainty);
            }
            for &correction in &layer.corrections {
                let place = correction.place(layer);
                silent.entry((place, correction as u8)).or_insert((correction, Vec::new())).1.push(layer);
            }
        }
        for ((place, _), (correction, layers)) in silent {
            let names: Vec<_> = layers.iter().take(4).map(|layer| format!("`{}`", layer.name())).collect();
            let (names, what) = (names.join(", "), correction.text());
            let more = if layers.len() > 4 { "…" } else { "" };
            let english = what.pick(crate::Language::English);
            let chinese = what.pick(crate::Language::Chinese);
            let text = Text::new(format!("{english} for {names}{more}"), format!("{names}{more}：{chinese}"));
            add(correction.code(), Level::Warning, text, place, Vec::new(), layers[0].module.certainty);
        }
        self.skipped_overrides(layers, &mut add);
        for entry in &config.by_name {
            let Some(module) = self.modules.find(entry.key()) else { continue };
            if module.layer.type_name.is_some() && !module.is_quantizable(types::QUANTIZABLE) {
                let key = entry.key();
                let text = Text::new(
                    format!("AMCT does not quantise `{key}`, so this override does nothing"),
                    format!("AMCT 不量化 `{key}`，此重写块不起作用"),
                );
                let place = entry.key_place();
                add("override-without-effect", Level::Warning, text, place, Vec::new(), module.certainty);
            }
        }
        for (index, entry) in config.by_type.iter().enumerate() {
            let is_used = layers.iter().any(|layer| layer.source == Source::ByType(index));
            if !is_used && types::QUANTIZABLE.contains(&entry.key()) {
                let key = entry.key();
                let text = Text::new(
                    format!(
                        "No layer of type `{key}` is left to this override; its ranges are not even checked"
                    ),
                    format!("没有 `{key}` 类型的层使用此重写块，其取值范围也不会检查"),
                );
                let certainty = self.modules.basis.absence();
                add(
                    "override-of-absent-type",
                    Level::Warning,
                    text,
                    entry.key_place(),
                    Vec::new(),
                    certainty,
                );
            }
        }
        if let Some(common) = &config.common {
            let names = config.by_name.iter().enumerate().map(|(at, entry)| (Source::ByName(at), entry));
            let types = config.by_type.iter().enumerate().map(|(at, entry)| (Source::ByType(at), entry));
            let used = names.chain(types).filter(|(source, _)| layers.iter().any(|l| l.source == *source));
            used.for_each(|(_, entry)| self.dropped(common, entry, &mut add));
        }
        if config.do_fusion.as_ref().is_some_and(|fusion| !fusion.value)
            && let Some(item) = config.skip_fusion_layers.first()
        {
            let text = Text::new(
                "`do_fusion: false` switches off every fusion, so there is nothing to skip",
                "`do_fusion: false` 已关闭所有融合，此处多余",
            );
            add("skip-without-effect", Level::Unnecessary, text, item.place, Vec::new(), Certainty::Known);
        }
        findings
    }

    /// Overrides of layers that are skipped: a skip wins.
    fn skipped_overrides(
        &self,
        layers: &[Resolved<'a>],
        add: &mut impl FnMut(&'static str, Level, Text, Place, Vec<(Place, Note)>, Certainty),
    ) {
        let config = self.config;
        for entry in &config.by_name {
            let layer = layers.iter().find(|layer| layer.name() == entry.key() && !layer.enabled);
            let Some(layer) = layer else { continue };
            let by_name = config.skip_layers.iter().find(|item| item.value == layer.name());
            let skip = by_name.or_else(|| config.skip_layer_types.iter().find(|i| i.value == layer.class()));
            if let Some(skip) = skip.filter(|_| layer.skip_by_name || self.modules.basis != Basis::Supposed) {
                let key = entry.key();
                let text = Text::new(
                    format!("`{key}` is skipped, and here a skip beats an override: it is not quantised"),
                    format!("`{key}` 被跳过；此处跳过优先于重写：该层不量化"),
                );
                let related = vec![(skip.place, Note::TypeSkip)];
                let certainty = if layer.skip_by_name { Certainty::Known } else { layer.module.certainty };
                add("override-skipped", Level::Warning, text, entry.key_place(), related, certainty);
            }
        }
        for entry in &config.by_type {
            if let Some(skip) = config.skip_layer_types.iter().find(|item| item.value == entry.key()) {
                let key = entry.key();
                let text = Text::new(
                    format!("`{key}` is skipped, and here a skip beats an override: it is not quantised"),
                    format!("`{key}` 被跳过；此处跳过优先于重写：该类型不量化"),
                );
                let related = vec![(skip.place, Note::TypeSkip)];
                add("override-skipped", Level::Warning, text, entry.key_place(), related, Certainty::Known);
            }
        }
    }

    /// Parts of `common_config` that an override does not take over.
    fn dropped(
        &self,
        common: &super::model::Block,
        entry: &super::model::Override,
        add: &mut impl FnMut(&'static str, Level, Text, Place, Vec<(Place, Note)>, Certainty),
    ) {
        let own = &entry.block;
        let mut lost = Vec::new();
        if own.activation.is_none()
            && let Some(activation) = &common.activation
        {
            lost.push((
                if activation.algorithm() == "ifmr" { "ifmr_quantize" } else { "hfmg_quantize" },
                activation.common().place,
            ));
        }
        if own.weights.is_none()
            && let Some(weights) = &common.weights
        {
            let name = if matches!(weights, Weights::Ada(_)) { "ada_quantize" } else { "arq_quantize" };
            lost.push((name, weights.place()));
        }
        if own.balancer.is_none()
            && let Some(balancer) = &common.balancer
        {
            lost.push(("dmq_balancer", balancer.place));
        }
        if lost.is_empty() {
            return;
        }
        let (key, names) =
            (entry.key(), lost.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>());
        let names = names.join(", ");
        let text = Text::new(
            format!(
                "The override for `{key}` is taken whole: {names} of `common_config` does not reach it. Repeat it here \
                 to keep it"
            ),
            format!(
                "`{key}` 的重写块整体生效：`common_config` 的 {names} 不会作用到它。若要保留，请在此处重写"
            ),
        );
        let related = lost.iter().map(|&(_, place)| (place, Note::LostValue)).collect();
        let code = if entry.has_block { "override-drops-values" } else { "bare-override" };
        add(code, Level::Warning, text, entry.key_place(), related, Certainty::Known);
    }
}

impl Correction {
    fn text(self) -> Text {
        match self {
            Self::Balancer => Text::new("AMCT drops `dmq_balancer`", "AMCT 会忽略 `dmq_balancer`"),
            Self::Int16 => Text::new("INT16 activations become INT8", "INT16 激活变为 INT8"),
            Self::OddBits => Text::new("6 or 7 bits silently become 8", "6 或 7 比特会悄悄变为 8 比特"),
            Self::Int4 => Text::new("4 bits become 8", "4 比特变为 8 比特"),
            Self::Ada => Text::new(
                "AMCT silently writes no weight parameters, as `ada_quantize` does not fit",
                "`ada_quantize` 不适用，AMCT 会悄悄不写权重参数",
            ),
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Balancer => "balancer-dropped",
            Self::Int16 => "int16-downgraded",
            Self::OddBits => "bits-changed",
            Self::Int4 => "int4-downgraded",
            Self::Ada => "weights-dropped",
        }
    }

    fn place(self, layer: &Resolved<'_>) -> Place {
        let weights = layer.block.weights.as_ref().map_or(Place::FILE, Weights::place);
        match self {
            Self::Balancer => layer.block.place,
            Self::Int16 => layer.block.int16().unwrap_or(Place::FILE),
            Self::OddBits | Self::Int4 | Self::Ada => weights,
        }
    }
}

/// The layer's object as AMCT writes it.
fn to_json(layer: &Resolved<'_>) -> Json {
    let mut keys = vec![entry("quant_enable", Json::Bool(layer.enabled))];
    let balancer = layer.block.balancer.as_ref();
    keys.extend(balancer.map(|balancer| entry("dmq_balancer_param", Json::shortest(balancer.value()))));
    let mut activation = vec![entry("num_bits", Json::Int(i64::from(layer.data_bits)))];
    let asymmetric = entry("asymmetric", Json::Bool(layer.asymmetric));
    let algorithm = entry("act_algo", Json::string(layer.activation.algorithm()));
    match &layer.activation {
        Activation::Ifmr(ifmr) => {
            activation.extend(ifmr.to_json());
            activation.extend([algorithm, asymmetric]);
        }
        Activation::Hfmg(hfmg) => {
            activation.extend([algorithm, asymmetric, entry("num_of_bins", Json::Int(hfmg.bins() as i64))]);
        }
    }
    keys.push(entry("activation_quant_params", Json::Object(activation)));
    if layer.has_weights {
        keys.push(entry("weight_quant_params", Json::Object(weights_json(layer))));
    }
    Json::Object(keys)
}

fn weights_json(layer: &Resolved<'_>) -> Vec<(String, Json)> {
    let channel_wise = entry("channel_wise", Json::Bool(layer.channel_wise));
    match &layer.block.weights {
        Some(Weights::Ada(ada)) => {
            let value = |value: &Option<Placed<f32>>, default: f32| {
                Json::shortest(value.as_ref().map_or(default, |value| value.value))
            };
            let iterations = ada.num_iteration.as_ref().map_or(10_000, |value| value.value as i64);
            let beta = vec![value(&ada.beta_start, 20.0), value(&ada.beta_end, 2.0)];
            vec![
                entry("num_bits", Json::Int(8)),
                entry("reg_param", value(&ada.reg_param, 0.01)),
                entry("warm_start", value(&ada.warm_start, 0.2)),
                entry("num_iteration", Json::Int(iterations)),
                entry("beta_range", Json::Array(beta)),
                channel_wise,
                entry("wts_algo", Json::string("ada_quantize")),
            ]
        }
        _ => vec![
            entry("num_bits", Json::Int(layer.weight_bits as i64)),
            channel_wise,
            entry("wts_algo", Json::string("arq_quantize")),
        ],
    }
}

/// The values in short.
fn brief(layer: &Resolved<'_>) -> Text {
    let activation = kv_cache::brief(&layer.activation);
    let activation = activation.pick(crate::Language::English);
    let weights = match &layer.block.weights {
        _ if !layer.has_weights => "no weights".to_owned(),
        Some(Weights::Ada(_)) => format!("ada, channel_wise {}", layer.channel_wise),
        _ => format!("arq {} bit, channel_wise {}", layer.weight_bits, layer.channel_wise),
    };
    let bits = if layer.data_bits == 8 { String::new() } else { format!(" {} bit", layer.data_bits) };
    let text = format!("{activation}{bits}, asymmetric {}, {weights}", layer.asymmetric);
    Text::new(text.clone(), text)
}
