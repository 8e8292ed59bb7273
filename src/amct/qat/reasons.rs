//! The chain of reasons behind the values of one layer.

use super::engine::{Resolution, Source};
use super::inherit;
use super::model::{Block, Config};
use super::network::{Framework, Network, NetworkLayer};
use crate::amct::place::Place;
use crate::amct::reason::{Filled, Reason, ReasonKind};

/// Why the layer of that index has its values, the deciding block first.
pub fn because(config: &Config, network: &Network, resolution: &Resolution, index: usize) -> Vec<Reason> {
    let layer = &network.layers[index];
    let Some(decision) = &resolution.layers[index].decision else { return Vec::new() };
    let framework = network.framework;
    let mut reasons = Vec::new();
    let mut add = |kind: ReasonKind, place: Option<Place>| reasons.push(Reason { kind, place });

    let by_type = type_override(config, network, layer);
    match decision.source.entry(config) {
        Some(entry) => {
            let field = decision.source.name();
            add(ReasonKind::Override { field, key: entry.key().to_owned() }, Some(entry.key_place()));
            if let (Source::ByName(_), Some(outranked)) = (decision.source, by_type) {
                let key = outranked.key().to_owned();
                add(ReasonKind::Outranked { key }, Some(outranked.key_place()));
            }
        }
        None => {
            let data = config.global.data.as_ref().map(|data| ("retrain_data_quant_config", data.place));
            let weight =
                config.global.weight.as_ref().map(|weight| ("retrain_weight_quant_config", weight.place));
            if data.is_none() && weight.is_none() {
                add(ReasonKind::Default, None);
            }
            for (field, place) in data.into_iter().chain(weight) {
                add(ReasonKind::Global { field }, Some(place));
            }
        }
    }
    if decision.lost {
        add(ReasonKind::Lost, None);
        return reasons;
    }
    for (list, item) in matching_skips(config, framework, layer) {
        let kind = match decision.source {
            Source::Global => ReasonKind::Skipped { list, item: item.value.clone() },
            source => ReasonKind::SkipCancelled { list, item: item.value.clone(), field: source.name() },
        };
        add(kind, Some(item.place));
    }
    let block = decision.source.block(config);
    if decision.source != Source::Global {
        for value in inherit::dropped(
            block,
            &outer_blocks(config, decision.source, by_type),
            framework,
            layer.layer_type,
        ) {
            let (field, place) = (value.field(), value.place);
            add(ReasonKind::NotInherited { field, value: value.value }, Some(place));
        }
    }
    let entry_place = decision.source.entry(config).map(|entry| entry.key_place());
    for (filled, place) in filled(block, decision.values.channel_wise) {
        add(ReasonKind::Filled(filled), place.or(entry_place));
    }
    if decision.downgraded {
        let written = block.weight_algorithm().and_then(|weight| weight.dst_type.as_ref());
        add(ReasonKind::Int4Downgraded, written.map(|data_type| data_type.place));
    }
    reasons
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

/// The override for the layer's type, whether it decides or not.
pub(super) fn type_override<'a>(
    config: &'a Config,
    network: &Network,
    layer: &NetworkLayer,
) -> Option<&'a super::model::Override> {
    let name = network.framework.type_name(layer.layer_type?);
    config.by_type.iter().rfind(|entry| entry.key() == name)
}

/// The blocks that a reader takes for the background of an override, the nearest first.
pub(super) fn outer_blocks<'a>(
    config: &'a Config,
    source: Source,
    by_type: Option<&'a super::model::Override>,
) -> Vec<&'a Block> {
    let by_type = by_type.filter(|_| matches!(source, Source::ByName(_))).map(|entry| &entry.block);
    by_type.into_iter().chain([&config.global]).collect()
}

/// The entries of all skip lists that fit a layer.
fn matching_skips<'a>(
    config: &'a Config,
    framework: Framework,
    layer: &'a NetworkLayer,
) -> impl Iterator<Item = (&'static str, &'a crate::amct::place::Placed<String>)> {
    let type_name = layer.layer_type.map(|layer_type| framework.type_name(layer_type));
    let by_name = [("skip_layers", &config.skip_layers), ("quant_skip_layers", &config.quant_skip_layers)];
    let by_type =
        [("skip_layer_types", &config.skip_layer_types), ("quant_skip_types", &config.quant_skip_types)];
    let named = by_name.into_iter().flat_map(|(list, items)| items.iter().map(move |item| (list, item)));
    let typed = by_type.into_iter().flat_map(|(list, items)| items.iter().map(move |item| (list, item)));
    named
        .filter(move |(_, item)| item.value == layer.name)
        .chain(typed.filter(move |(_, item)| Some(item.value.as_str()) == type_name))
}
