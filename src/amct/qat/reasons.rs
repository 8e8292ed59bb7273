//! The chain of reasons behind the values of a layer.

use std::collections::HashMap;

use super::engine::{Decision, Resolution, Source};
use super::inherit;
use super::model::{Block, Config, DataType, Override};
use super::network::{LayerType, Network};
use crate::amct::place::{Place, Placed};
use crate::amct::reason::{Filled, Reason, ReasonKind};
use crate::python;

/// Gives the reasons of any layer of one resolution.
pub struct Reasons<'a> {
    config: &'a Config,
    network: &'a Network,
    resolution: &'a Resolution,
    by_type: HashMap<LayerType, &'a Override>,
    skipped_names: HashMap<&'a str, Vec<SkipEntry<'a>>>,
    skipped_types: HashMap<LayerType, Vec<SkipEntry<'a>>>,
}

/// A list and an entry in it.
type SkipEntry<'a> = (&'static str, &'a Placed<String>);

impl<'a> Reasons<'a> {
    /// Prepares the look-ups that all layers share.
    pub fn new(config: &'a Config, network: &'a Network, resolution: &'a Resolution) -> Self {
        let framework = network.framework;
        let mut skipped_names: HashMap<_, Vec<_>> = HashMap::new();
        let by_name =
            [("skip_layers", &config.skip_layers), ("quant_skip_layers", &config.quant_skip_layers)];
        for (list, item) in by_name.into_iter().flat_map(|(list, items)| items.iter().map(move |i| (list, i)))
        {
            skipped_names.entry(item.value.as_str()).or_default().push((list, item));
        }
        let mut skipped_types: HashMap<_, Vec<_>> = HashMap::new();
        let by_type =
            [("skip_layer_types", &config.skip_layer_types), ("quant_skip_types", &config.quant_skip_types)];
        for (list, item) in by_type.into_iter().flat_map(|(list, items)| items.iter().map(move |i| (list, i)))
        {
            if let Some(layer_type) = framework.find_type(&item.value) {
                skipped_types.entry(layer_type).or_default().push((list, item));
            }
        }
        let overrides = config.by_type.iter();
        let by_type =
            overrides.filter_map(|entry| Some((framework.find_type(entry.key())?, entry))).collect();
        Self { config, network, resolution, by_type, skipped_names, skipped_types }
    }

    /// Why the layer of that index has its values, the deciding block first.
    pub fn of_layer(&self, index: usize) -> Vec<Reason> {
        let layer = &self.network.layers[index];
        let Some(decision) = &self.resolution.layers[index].decision else { return Vec::new() };
        let by_type = layer.layer_type.and_then(|layer_type| self.by_type.get(&layer_type)).copied();
        let mut chain = Chain::default();
        self.deciding_block(&mut chain, decision, by_type);
        if decision.lost {
            chain.add(ReasonKind::Lost, None);
            return chain.reasons;
        }
        let named = self.skipped_names.get(layer.name.as_str()).into_iter().flatten();
        let typed = layer.layer_type.and_then(|layer_type| self.skipped_types.get(&layer_type));
        for &(list, entry) in named.chain(typed.into_iter().flatten()) {
            let item = entry.value.clone();
            let kind = match decision.source {
                Source::Global => ReasonKind::Skipped { list, item },
                source => ReasonKind::SkipCancelled { list, item, field: source.name() },
            };
            chain.add(kind, Some(entry.place));
        }
        let block = decision.source.block(self.config);
        set_values(&mut chain, block);
        if decision.source != Source::Global {
            let outer = outer_blocks(self.config, decision.source, by_type);
            for value in inherit::dropped(block, &outer, self.network.framework, layer.layer_type) {
                let (field, place) = (value.field(), value.place);
                chain.add(ReasonKind::NotInherited { field, value: value.value }, Some(place));
            }
        }
        let entry_place = decision.source.entry(self.config).map(Override::key_place);
        for (filled, place) in filled(block, decision.values.channel_wise) {
            chain.add(ReasonKind::Filled(filled), place.or(entry_place));
        }
        if decision.downgraded {
            let written = block.weight_algorithm().and_then(|weight| weight.dst_type.as_ref());
            chain.add(ReasonKind::Int4Downgraded, written.map(|data_type| data_type.place));
        }
        chain.reasons
    }

    fn deciding_block(&self, chain: &mut Chain, decision: &Decision, by_type: Option<&Override>) {
        let config = self.config;
        let Some(entry) = decision.source.entry(config) else {
            let data = config.global.data.as_ref().map(|data| ("retrain_data_quant_config", data.place));
            let weight = &config.global.weight;
            let weight = weight.as_ref().map(|weight| ("retrain_weight_quant_config", weight.place));
            if data.is_none() && weight.is_none() {
                chain.add(ReasonKind::Default, None);
            }
            for (field, place) in data.into_iter().chain(weight) {
                chain.add(ReasonKind::Global { field }, Some(place));
            }
            return;
        };
        let field = decision.source.name();
        chain.add(ReasonKind::Override { field, key: entry.key().to_owned() }, Some(entry.key_place()));
        if let (Source::ByName(_), Some(outranked)) = (decision.source, by_type) {
            let key = outranked.key().to_owned();
            chain.add(ReasonKind::Outranked { key }, Some(outranked.key_place()));
        }
    }
}

#[derive(Default)]
struct Chain {
    reasons: Vec<Reason>,
}

impl Chain {
    fn add(&mut self, kind: ReasonKind, place: Option<Place>) {
        self.reasons.push(Reason { kind, place });
    }
}

/// The values that stand in a block.
fn set_values(chain: &mut Chain, block: &Block) {
    let mut set = |field: &'static str, value: String, place: Place| {
        chain.add(ReasonKind::Set { field, value }, Some(place));
    };
    let data_type = |data_type: &Placed<DataType>| data_type.value.name().to_owned();
    if let Some(ulq) = block.ulq() {
        if let Some(clip) = &ulq.clip {
            for (field, bound) in [("clip_max", &clip.max), ("clip_min", &clip.min)] {
                if let Some(bound) = bound {
                    set(field, python::float_repr(f64::from(bound.value)), bound.place);
                }
            }
        }
        if let Some(fixed_min) = &ulq.fixed_min {
            set("fixed_min", fixed_min.value.to_string(), fixed_min.place);
        }
        if let Some(dst_type) = &ulq.dst_type {
            set("dst_type", data_type(dst_type), dst_type.place);
        }
    }
    if let Some(weight) = block.weight_algorithm() {
        if let Some(channel_wise) = &weight.channel_wise {
            set("channel_wise", channel_wise.value.to_string(), channel_wise.place);
        }
        if let Some(dst_type) = &weight.dst_type {
            set("dst_type", data_type(dst_type), dst_type.place);
        }
    }
}

/// What a block leaves to AMCT, each with the innermost block that could have said it.
pub fn filled(block: &Block, channel_wise: bool) -> Vec<(Filled, Option<Place>)> {
    let data = block.data.as_ref();
    let data_place = data.map(|data| data.ulq.as_ref().map_or(data.place, |ulq| ulq.place));
    let weight = block.weight.as_ref();
    let weight_place =
        weight.map(|weight| weight.algorithm.as_ref().map_or(weight.place, |algorithm| algorithm.place));
    let mut filled = Vec::new();
    if block.ulq().is_none_or(|ulq| ulq.clip.is_none()) {
        filled.push((Filled::ClipFromData, data_place));
    }
    if block.ulq().is_none_or(|ulq| ulq.fixed_min.is_none()) {
        filled.push((Filled::FixedMinFromGraph, data_place));
    }
    if block.weight_algorithm().is_none_or(|weight| weight.channel_wise.is_none()) {
        let default = if channel_wise { Filled::ChannelWise } else { Filled::NotChannelWise };
        filled.push((default, weight_place));
    }
    filled
}

/// The blocks that a reader takes for the background of an override, the nearest first.
pub(super) fn outer_blocks<'a>(
    config: &'a Config,
    source: Source,
    by_type: Option<&'a Override>,
) -> Vec<&'a Block> {
    let by_type = by_type.filter(|_| matches!(source, Source::ByName(_))).map(|entry| &entry.block);
    by_type.into_iter().chain([&config.global]).collect()
}
