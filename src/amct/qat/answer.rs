//! The answer of the QAT engine in the form that all features use.

use std::collections::HashMap;
use std::sync::Arc;

use super::engine::{PruneDecision, Resolution, ResolvedLayer, Source, resolve, written_order};
use super::model::{Block as Parameters, Config, WeightAlgorithmKind};
use super::network::{Framework, Network};
use super::reasons::{Reasons, filled};
use super::values::{Values, entry};
use super::{findings, output, pruning};
use crate::amct::answer::{self, Answer, Aspect, Block, BlockKind, Skip, SkipEffect, State};
use crate::amct::basis::Basis;
use crate::amct::certainty::Certainty;
use crate::amct::entry::Entry;
use crate::amct::explanation::ExplainedLayer;
use crate::amct::finding::Finding;
use crate::amct::json::Json;
use crate::amct::place::{Place, Placed, Places};
use crate::amct::reason::{Filled, Reason, ReasonKind};
use crate::amct::refusal::{Refusal, Warning};
use crate::inventory::LayerList;
use crate::language::Language;
use crate::python;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// What the engine was given, and what it made of it.
#[derive(Clone, Debug)]
pub struct QatAnswer {
    /// The values of the file.
    pub config: Config,
    /// The network.
    pub network: Network,
    /// Which block decides each layer.
    pub resolution: Resolution,
    entry: Entry,
    /// The layers that AMCT writes: numbers among those of the network and among those that can be pruned.
    order: Vec<(Option<usize>, Option<usize>)>,
}

/// Computes the answer for the values of a file.
pub fn answer(
    framework: Framework,
    entry: Option<Entry>,
    value: &MessageValue,
    schema: &Schema,
    layers: Option<&LayerList>,
) -> (Arc<dyn Answer>, Places) {
    let (config, places) = Config::bind(value, schema);
    let network = match layers {
        Some(layers) => Network::of_list(layers, framework),
        None => Network::supposed(&config, framework),
    };
    let entry = entry.unwrap_or_else(|| config.meant_for());
    (Arc::new(QatAnswer::new(config, network, entry)), places)
}

impl QatAnswer {
    /// Resolves a configuration against a network.
    pub fn new(config: Config, network: Network, entry: Entry) -> Self {
        let resolution = resolve(&config, &network, entry);
        let mut order = written_order(&network, resolution.abilities.quant);
        order.retain(|&(layer, prunable)| {
            layer.is_some() || prunable.is_some_and(|index| pruned(&resolution, index).is_some())
        });
        Self { config, network, resolution, entry, order }
    }

    fn resolved(&self, layer: usize) -> Option<&ResolvedLayer> {
        self.resolution.layers.get(self.order[layer].0?)
    }

    fn pruned(&self, layer: usize) -> Option<&PruneDecision> {
        pruned(&self.resolution, self.order[layer].1?)
    }

    fn type_name(&self, layer: usize) -> Option<&'static str> {
        let (layer, prunable) = self.order[layer];
        let quantizable = layer.and_then(|index| self.network.layers[index].layer_type);
        let layer_type = quantizable.or_else(|| self.network.prunable[prunable?].layer_type);
        layer_type.map(|layer_type| self.network.framework.type_name(layer_type))
    }

    /// What AMCT writes about a layer; `None` when it is not determined.
    fn values(&self, layer: usize) -> Option<Json> {
        let mut keys = Vec::new();
        if self.order[layer].0.is_some() {
            let decision = self.resolved(layer)?.decision.as_ref()?;
            let values = decision.values.to_json(self.network.framework, decision.enabled);
            let Json::Object(own) = values else { return None };
            keys.extend(own);
        }
        if let Some(decision) = self.pruned(layer) {
            keys.extend(pruning::to_json(decision, &self.config));
        }
        Some(Json::Object(keys))
    }

    fn source(&self, kind: &BlockKind) -> Source {
        match kind {
            BlockKind::Global => Source::Global,
            BlockKind::ByName(index, _) => Source::ByName(*index),
            BlockKind::ByType(index, _) => Source::ByType(*index),
        }
    }

    fn skip(&self, users: &Users<'_>, list: SkipList, item: &Placed<String>) -> Skip {
        let framework = self.network.framework;
        let wanted = framework.find_type(&item.value);
        let layers: Vec<usize> = match list.of {
            SkipOf::Names => users.by_name.get(item.value.as_str()).into_iter().copied().collect(),
            SkipOf::Types => {
                wanted.and_then(|t| users.by_type.get(framework.type_name(t))).cloned().unwrap_or_default()
            }
        };
        // Nothing is known of the types of layers that the file mentions.
        let is_known =
            |&layer: &usize| self.network.basis != Basis::Supposed || self.layer_name(layer) == item.value;
        let layers: Vec<_> = layers.into_iter().filter(is_known).collect();
        let mut effects = Vec::new();
        if list.quantisation && self.resolution.abilities.quant {
            let mut effect = SkipEffect { aspect: Aspect::Quantised, off: Vec::new(), cancelled: Vec::new() };
            for &layer in &layers {
                let Some(decision) = self.resolved(layer).and_then(|layer| layer.decision.as_ref()) else {
                    continue;
                };
                match decision.source.entry(&self.config) {
                    Some(entry) => {
                        effect.cancelled.push((self.layer_name(layer).to_owned(), entry.key_place()));
                    }
                    None => effect.off.push(self.layer_name(layer).to_owned()),
                }
            }
            effects.push(effect);
        }
        if list.pruning && self.resolution.abilities.prune {
            let pruned = layers.iter().filter(|&&layer| self.pruned(layer).is_some());
            let off = pruned.map(|&layer| self.layer_name(layer).to_owned()).collect();
            effects.push(SkipEffect { aspect: Aspect::Pruned, off, cancelled: Vec::new() });
        }
        Skip { place: item.place, effects, certainty: self.network.absence() }
    }
}

fn pruned(resolution: &Resolution, index: usize) -> Option<&PruneDecision> {
    resolution.pruning.get(index)?.as_ref().filter(|decision| decision.is_written)
}

/// The layers of an answer by name and by type.
struct Users<'a> {
    by_name: HashMap<&'a str, usize>,
    by_type: HashMap<&'static str, Vec<usize>>,
}

/// What a skip list names and for what.
#[derive(Clone, Copy)]
struct SkipList {
    of: SkipOf,
    quantisation: bool,
    pruning: bool,
}

#[derive(Clone, Copy)]
enum SkipOf {
    Names,
    Types,
}

impl Answer for QatAnswer {
    fn entry(&self) -> Option<Entry> {
        (self.network.framework == Framework::PyTorch).then_some(self.entry)
    }

    fn basis(&self) -> Basis {
        self.network.basis
    }

    fn error(&self) -> Option<&Refusal> {
        self.resolution.error()
    }

    fn warnings(&self) -> &[Warning] {
        &self.resolution.warnings
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(&self.config, &self.network, &self.resolution)
    }

    fn undetermined(&self) -> Vec<String> {
        let layers = self.resolution.undetermined(&self.network);
        layers.map(|layer| layer.name.clone()).collect()
    }

    fn layer_count(&self) -> usize {
        self.order.len()
    }

    fn layer_name(&self, layer: usize) -> &str {
        match self.order[layer] {
            (Some(index), _) => &self.network.layers[index].name,
            (None, Some(index)) => &self.network.prunable[index].name,
            (None, None) => "",
        }
    }

    fn layer_type(&self, layer: usize) -> Option<&str> {
        self.type_name(layer)
    }

    fn types(&self) -> &'static [&'static str] {
        self.network.framework.types()
    }

    fn state(&self, layer: usize, language: Language) -> Option<State> {
        let mut is_enabled = false;
        let mut values = Vec::new();
        if self.order[layer].0.is_some() {
            let decision = self.resolved(layer)?.decision.as_ref()?;
            is_enabled |= decision.enabled;
            if decision.enabled {
                values.push(brief(&decision.values, language));
            } else if self.resolution.abilities.prune {
                values.push(language.pick("not quantised", "不量化").to_owned());
            }
        }
        if let Some(decision) = self.pruned(layer) {
            is_enabled |= decision.enabled;
            let pruner = decision.pruner(&self.config).filter(|_| decision.enabled);
            values.push(pruning::brief(pruner, language));
        }
        Some(State { is_enabled, values: values.join(", ") })
    }

    fn explain(&self) -> Vec<ExplainedLayer> {
        let reasons = Reasons::new(&self.config, &self.network, &self.resolution);
        let layers = (0..self.order.len()).filter_map(|layer| {
            let values = self.values(layer)?;
            let quantised = self.resolved(layer);
            let decision = quantised.and_then(|layer| layer.decision.as_ref());
            let pruned = self.pruned(layer);
            let type_name = self.type_name(layer);
            let mut because = self.order[layer].0.map(|index| reasons.of_layer(index)).unwrap_or_default();
            if decision.is_some_and(|d| d.source == Source::Global)
                && !self.resolution.abilities.quantises_the_rest
            {
                because.insert(0, Reason { kind: ReasonKind::NotAskedFor, place: None });
                because.retain(|reason| !matches!(reason.kind, ReasonKind::Filled(_) | ReasonKind::Default));
            }
            if let Some(decision) = pruned {
                let name = self.layer_name(layer);
                because.extend(pruning::reasons(decision, &self.config, name, type_name));
            }
            let certainty = quantised.map_or(Certainty::Known, |layer| layer.certainty);
            Some(ExplainedLayer {
                name: self.layer_name(layer).to_owned(),
                type_name: type_name.map(str::to_owned),
                enabled: decision.is_some_and(|decision| decision.enabled),
                source: decision.map_or("global", |decision| decision.source.name()),
                skip_by_name: decision.is_some_and(|decision| decision.skip_by_name),
                skip_by_type: decision.is_some_and(|decision| decision.skip_by_type),
                values,
                extra: pruned.map(|decision| ("prune", pruning::provenance(decision))).into_iter().collect(),
                because,
                certainty: pruned.map_or(certainty, |decision| certainty.and(decision.certainty)),
            })
        });
        layers.collect()
    }

    fn output(&self) -> String {
        let lost = |layer: usize| {
            self.resolved(layer).and_then(|layer| layer.decision.as_ref()).is_some_and(|d| d.lost)
        };
        let mut keys = output::global_keys(&self.config, &self.network, &self.resolution);
        for layer in (0..self.order.len()).filter(|&layer| !lost(layer)) {
            if let Some(values) = self.values(layer) {
                keys.push(entry(self.layer_name(layer), values));
            }
        }
        Json::Object(keys).to_python()
    }

    fn blocks(&self) -> Vec<Block> {
        let mut users: HashMap<Source, Vec<usize>> = HashMap::new();
        for layer in 0..self.order.len() {
            let decision = self.resolved(layer).and_then(|layer| layer.decision.as_ref());
            let pruned = self.pruned(layer).map(|decision| decision.source);
            let quantised = decision.map(|decision| decision.source);
            for source in quantised.into_iter().chain(pruned.filter(|source| Some(*source) != quantised)) {
                users.entry(source).or_default().push(layer);
            }
        }
        let mut layers = |source| users.remove(&source).unwrap_or_default();
        let global = &self.config.global;
        let places = [
            global.data.as_ref().map(|part| part.place),
            global.weight.as_ref().map(|part| part.place),
            global.prune.as_ref().map(|part| part.place),
        ];
        let places = places.into_iter().flatten().collect();
        let mut blocks = vec![Block { kind: BlockKind::Global, places, layers: layers(Source::Global) }];
        for (index, entry) in self.config.by_name.iter().enumerate() {
            let kind = BlockKind::ByName(index, entry.key().to_owned());
            let layers = layers(Source::ByName(index));
            blocks.push(Block { kind, places: vec![entry.place], layers });
        }
        for (index, entry) in self.config.by_type.iter().enumerate() {
            let kind = BlockKind::ByType(index, entry.key().to_owned());
            let layers = layers(Source::ByType(index));
            blocks.push(Block { kind, places: vec![entry.place], layers });
        }
        blocks
    }

    fn block_values(&self, kind: &BlockKind, language: Language) -> String {
        let framework = self.network.framework;
        let block = self.source(kind).block(&self.config);
        let layer_type = match kind {
            BlockKind::ByType(_, key) => framework.find_type(key),
            _ => None,
        };
        let abilities = self.resolution.abilities;
        let mut parts = Vec::new();
        if abilities.quant && (*kind != BlockKind::Global || abilities.quantises_the_rest) {
            let values = Values::of_block(block, framework, layer_type);
            let dense = framework.types().iter().find_map(|name| {
                let dense = framework.find_type(name).filter(|kind| framework.is_fully_connected(*kind))?;
                let differs = *kind == BlockKind::Global
                    && Values::of_block(block, framework, Some(dense)).channel_wise != values.channel_wise;
                differs.then(|| language.pick(format!(" ({name}: false)"), format!("（{name} 为 false）")))
            });
            parts.push(brief(&values, language) + &dense.unwrap_or_default());
        } else if abilities.quant {
            parts.push(language.pick("not quantised", "不量化").to_owned());
        }
        if abilities.prune {
            let pruner = block.pruner().or_else(|| self.config.global.pruner());
            parts.push(pruning::brief(pruner, language));
        }
        parts.join(", ")
    }

    fn skips(&self) -> Vec<Skip> {
        let mut users = Users { by_name: HashMap::new(), by_type: HashMap::new() };
        for layer in 0..self.order.len() {
            users.by_name.insert(self.layer_name(layer), layer);
            if let Some(type_name) = self.type_name(layer) {
                users.by_type.entry(type_name).or_default().push(layer);
            }
        }
        let list = |of, quantisation, pruning| SkipList { of, quantisation, pruning };
        let config = &self.config;
        let lists = [
            (&config.skip_layers, list(SkipOf::Names, true, true)),
            (&config.quant_skip_layers, list(SkipOf::Names, true, false)),
            (&config.regular_prune_skip_layers, list(SkipOf::Names, false, true)),
            (&config.skip_layer_types, list(SkipOf::Types, true, true)),
            (&config.quant_skip_types, list(SkipOf::Types, true, false)),
            (&config.regular_prune_skip_types, list(SkipOf::Types, false, true)),
        ];
        let items = lists.into_iter().flat_map(|(items, list)| items.iter().map(move |item| (list, item)));
        items.map(|(list, item)| self.skip(&users, list, item)).collect()
    }

    fn unwritten(&self) -> Vec<(Place, Filled)> {
        if !self.resolution.abilities.quant {
            return Vec::new();
        }
        let framework = self.network.framework;
        let mut unwritten = Vec::new();
        for block in self.blocks() {
            let parameters: &Parameters = self.source(&block.kind).block(&self.config);
            let decided = block.layers.iter().filter_map(|&layer| self.resolved(layer)?.decision.as_ref());
            let decided: Vec<_> = decided.map(|decision| decision.values.channel_wise).collect();
            // What the layers of a block do not agree on cannot stand in it.
            let is_same = decided.windows(2).all(|pair| pair[0] == pair[1]);
            let by_type = match &block.kind {
                BlockKind::ByType(_, key) => framework.find_type(key),
                _ => None,
            };
            let channel_wise = match decided.first() {
                Some(_) if !is_same => None,
                Some(&value) if self.network.basis != Basis::Supposed => Some(value),
                _ => by_type.map(|kind| !framework.is_fully_connected(kind)),
            };
            let entry = self.source(&block.kind).entry(&self.config).map(|entry| entry.place);
            for (filled, place) in filled(parameters, channel_wise.unwrap_or_default()) {
                let is_open =
                    channel_wise.is_none() && matches!(filled, Filled::ChannelWise | Filled::NotChannelWise);
                let filled = if is_open { Filled::ChannelWiseByType } else { filled };
                unwritten.extend(place.or(entry).map(|place| (place, filled)));
            }
        }
        unwritten
    }

    fn verb(&self, language: Language) -> &'static str {
        match (self.resolution.abilities.quant, self.resolution.abilities.prune) {
            (false, true) => Aspect::Pruned.text(language),
            (true, true) => language.pick("quantised or pruned", "量化或稀疏"),
            _ => Aspect::Quantised.text(language),
        }
    }
}

/// The values of a layer in short, such as `ulq -3.0..3.0, channel_wise true`.
fn brief(values: &Values, language: Language) -> String {
    let mut parts = vec![match values.clip {
        Some((max, min)) => format!("ulq {}..{}", short_float(min), short_float(max)),
        None => language.pick("ulq, clip from data", "ulq, 截断范围由数据求得").to_owned(),
    }];
    parts.extend(values.fixed_min.map(|fixed_min| format!("fixed_min {fixed_min}")));
    if values.weight_algorithm != WeightAlgorithmKind::default() {
        parts.push(values.weight_algorithm.name().to_owned());
    }
    parts.push(format!("channel_wise {}", values.channel_wise));
    let (data, weight) = (values.data_type, values.weight_type);
    if (data, weight) != Default::default() {
        parts.push(format!("{}/{}", data.name(), weight.name()));
    }
    parts.join(", ")
}

fn short_float(value: f32) -> String {
    match Json::shortest(value) {
        Json::Float(value) => python::float_repr(value),
        _ => String::new(),
    }
}

/// Everything about a configuration and a network at once.
pub fn explain(config: &Config, network: &Network, entry: Entry) -> crate::amct::Explanation {
    answer::explanation(&QatAnswer::new(config.clone(), network.clone(), entry))
}
