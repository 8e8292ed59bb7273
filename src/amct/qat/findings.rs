//! Everything that a user should know about a resolved configuration: what AMCT refuses, with its place, and the
//! traps about which it is silent.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::engine::{Resolution, Source};
use super::model::{Clip, Config, Override, Ulq};
use super::network::{LayerType, Network, NetworkLayer};
use super::reasons::outer_blocks;
use super::{inherit, prune_findings};
use crate::amct::basis::Basis;
use crate::amct::certainty::Certainty;
use crate::amct::finding::{Finding, FindingKind, Ignored, Note};
use crate::amct::place::{Place, Placed};
use crate::amct::repeats::Repeats;

/// All findings, in no particular order.
pub fn findings(config: &Config, network: &Network, resolution: &Resolution) -> Vec<Finding> {
    let mut collector = Collector::new(config, network, resolution);
    collector.refusals();
    collector.repeated_skips();
    if resolution.abilities.quant {
        collector.skipped_names();
        collector.skipped_types();
        for (index, entry) in config.by_name.iter().enumerate() {
            collector.override_by_name(Source::ByName(index), entry);
        }
        for (index, entry) in config.by_type.iter().enumerate() {
            collector.override_by_type(Source::ByType(index), entry);
        }
        collector.bounds_without_effect();
        collector.downgrades();
    }
    if resolution.abilities.prune {
        collector.findings.extend(prune_findings::findings(config, network, resolution));
    }
    collector.findings
}

struct Collector<'a> {
    config: &'a Config,
    network: &'a Network,
    resolution: &'a Resolution,
    /// The layers that each override decides.
    users: HashMap<Source, Vec<usize>>,
    names: HashMap<&'a str, &'a Override>,
    types: HashMap<LayerType, &'a Override>,
    type_skips: HashMap<LayerType, Place>,
    /// The overrides that are not the only ones for their layer or type.
    repeated: HashSet<Place>,
    findings: Vec<Finding>,
}

impl<'a> Collector<'a> {
    fn new(config: &'a Config, network: &'a Network, resolution: &'a Resolution) -> Self {
        let mut users: HashMap<Source, Vec<usize>> = HashMap::new();
        for (index, layer) in resolution.layers.iter().enumerate() {
            if let Some(decision) = &layer.decision {
                users.entry(decision.source).or_default().push(index);
            }
        }
        let framework = network.framework;
        let skips = config.quant_skip_types.iter().rev().chain(config.skip_layer_types.iter().rev());
        let types = config.by_type.iter();
        Self {
            config,
            network,
            resolution,
            users,
            names: config.by_name.iter().map(|entry| (entry.key(), entry)).collect(),
            types: types.filter_map(|entry| Some((framework.find_type(entry.key())?, entry))).collect(),
            type_skips: skips
                .filter_map(|item| Some((framework.find_type(&item.value)?, item.place)))
                .collect(),
            repeated: [&config.by_name, &config.by_type]
                .into_iter()
                .flat_map(|entries| {
                    let pairs = entries.iter().map(|entry| (entry.key(), entry.place));
                    Repeats::find_pairs(pairs).items.into_iter().flat_map(|(_, places)| places)
                })
                .collect(),
            findings: Vec::new(),
        }
    }

    fn add(&mut self, kind: FindingKind, place: Place, related: Vec<(Place, Note)>, certainty: Certainty) {
        // The common lists hold for pruning too, where a skip is never without effect.
        let is_common = self.resolution.abilities.prune
            && self.config.skip_layers.iter().chain(&self.config.skip_layer_types).any(|i| i.place == place);
        let kind = match kind {
            FindingKind::SkipCancelled { item, keys, .. } if is_common => {
                prune_findings::half_a_skip(&item, &keys)
            }
            FindingKind::SkipCoveredByType { .. } if is_common => return,
            kind => kind,
        };
        self.findings.push(Finding { kind, place, related, certainty });
    }

    fn refusals(&mut self) {
        for refusal in &self.resolution.refusals {
            let related = refusal.related.iter().map(|&place| (place, Note::First)).collect();
            let kind = FindingKind::Refused(Box::new(refusal.clone()));
            self.add(kind, refusal.place, related, refusal.certainty);
        }
    }

    fn repeated_skips(&mut self) {
        let config = self.config;
        let lists = [
            ("skip_layers", &config.skip_layers),
            ("skip_layer_types", &config.skip_layer_types),
            ("quant_skip_layers", &config.quant_skip_layers),
            ("quant_skip_types", &config.quant_skip_types),
        ];
        for (list, items) in lists {
            let repeats = Repeats::find(items);
            let warning: Arc<str> = repeats.warning(list).into();
            for (item, places) in repeats.items {
                for &place in &places[1..] {
                    let kind = FindingKind::RepeatedSkip { item: item.clone(), warning: warning.clone() };
                    self.add(kind, place, vec![(places[0], Note::First)], Certainty::Known);
                }
            }
        }
        let pairs = [
            ("skip_layers", &config.skip_layers, &config.quant_skip_layers),
            ("skip_layer_types", &config.skip_layer_types, &config.quant_skip_types),
        ];
        for (list, common, own) in pairs {
            let common: HashMap<_, _> = common.iter().rev().map(|i| (i.value.as_str(), i.place)).collect();
            for item in first_of_each(own) {
                if let Some(&first) = common.get(item.value.as_str()) {
                    let kind = FindingKind::SkipListedTwice { item: item.value.clone(), list };
                    self.add(kind, item.place, vec![(first, Note::First)], Certainty::Known);
                }
            }
        }
    }

    fn skipped_names(&mut self) {
        let config = self.config;
        for item in first_of_each(&config.skip_layers).chain(first_of_each(&config.quant_skip_layers)) {
            let layer = self.network.find(&item.value);
            // Without a layer list the types of layers are not even guessed.
            let layer_type =
                layer.filter(|_| self.network.basis != Basis::Supposed).and_then(|l| l.layer_type);
            let by_name = self.names.get(item.value.as_str()).map(|&entry| (entry, "override_layer_configs"));
            let by_type = layer_type
                .and_then(|layer_type| self.types.get(&layer_type))
                .map(|&entry| (entry, "override_layer_types"));
            let certainty = match by_name {
                Some(_) => Certainty::Known,
                None => layer.map_or(Certainty::Known, |layer| layer.certainty),
            };
            if let Some((entry, field)) = by_name.or(by_type) {
                let keys = vec![entry.key().to_owned()];
                let kind = FindingKind::SkipCancelled { item: item.value.clone(), field, keys };
                self.add(kind, item.place, vec![(entry.key_place(), Note::DecidingOverride)], certainty);
            } else if let Some(layer_type) = layer_type
                && let Some(&skip) = self.type_skips.get(&layer_type)
            {
                let type_name = self.network.framework.type_name(layer_type).to_owned();
                let kind = FindingKind::SkipCoveredByType { item: item.value.clone(), type_name };
                self.add(kind, item.place, vec![(skip, Note::TypeSkip)], certainty);
            }
        }
    }

    fn skipped_types(&mut self) {
        let (config, network) = (self.config, self.network);
        for item in first_of_each(&config.skip_layer_types).chain(first_of_each(&config.quant_skip_types)) {
            let Some(layer_type) = network.framework.find_type(&item.value) else { continue };
            let text = item.value.clone();
            if let Some(entry) = self.types.get(&layer_type) {
                let keys = vec![entry.key().to_owned()];
                let related = vec![(entry.key_place(), Note::DecidingOverride)];
                let kind = FindingKind::SkipCancelled { item: text, field: "override_layer_types", keys };
                self.add(kind, item.place, related, Certainty::Known);
                continue;
            }
            if network.basis == Basis::Supposed || self.has_undetermined_types() {
                continue;
            }
            let layers = || network.layers.iter().filter(move |layer| layer.layer_type == Some(layer_type));
            if layers().next().is_none() {
                self.add(
                    FindingKind::SkipOfAbsentType { item: text },
                    item.place,
                    Vec::new(),
                    network.absence(),
                );
                continue;
            }
            let overrides: Option<Vec<_>> =
                layers().map(|layer| self.names.get(layer.name.as_str())).collect();
            if let Some(overrides) = overrides {
                let related =
                    overrides.iter().map(|entry| (entry.key_place(), Note::DecidingOverride)).collect();
                let keys = overrides.iter().map(|entry| entry.key().to_owned()).collect();
                let certainty = layers().fold(network.absence(), |sum, layer| sum.and(layer.certainty));
                let kind = FindingKind::SkipCancelled { item: text, field: "override_layer_configs", keys };
                self.add(kind, item.place, related, certainty);
            }
        }
    }

    fn has_undetermined_types(&self) -> bool {
        self.network.layers.iter().any(|layer| layer.layer_type.is_none())
    }

    fn override_by_name(&mut self, source: Source, entry: &'a Override) {
        let key = entry.key().to_owned();
        let Some(layer) = self.network.find(&key) else {
            if !entry.block.has_quantization() {
                let (why, certainty) = match self.network.other_type(&key) {
                    Some(type_name) => (Ignored::NotQuantizable(type_name.to_owned()), Certainty::Known),
                    None => (Ignored::NoSuchLayer, self.network.absence()),
                };
                let kind = FindingKind::IgnoredOverride { key, why };
                self.add(kind, entry.key_place(), Vec::new(), certainty);
            } else {
                self.unused_bad_clip(entry);
            }
            return;
        };
        // Two overrides for one layer are an error already.
        if !self.repeated.contains(&entry.place) {
            let layers = Vec::new();
            let layer_type = layer.layer_type.filter(|_| self.network.basis != Basis::Supposed);
            let by_type = layer_type.and_then(|layer_type| self.types.get(&layer_type)).copied();
            self.dropped_values(source, entry, by_type, layer_type, layers, layer.certainty);
        }
    }

    fn override_by_type(&mut self, source: Source, entry: &'a Override) {
        let is_ignored = !self.resolution.abilities.prune;
        if let Some(prune) = entry.block.prune.as_ref().filter(|prune| is_ignored && prune.pruner.is_some()) {
            self.add(FindingKind::PruneConfigIgnored, prune.place, Vec::new(), Certainty::Known);
        }
        let key = entry.key().to_owned();
        let Some(layer_type) = self.network.framework.find_type(&key) else {
            if !entry.block.has_quantization() && !self.network.framework.maps_types() {
                let kind = FindingKind::IgnoredOverride { key, why: Ignored::NoSuchType };
                self.add(kind, entry.key_place(), Vec::new(), Certainty::Known);
            }
            return;
        };
        if self.repeated.contains(&entry.place) {
            return;
        }
        let users = self.users.get(&source).cloned().unwrap_or_default();
        if users.is_empty() {
            if self.has_undetermined_types() {
                return;
            }
            let certainty = self.network.absence();
            let kind = if self.network.has_type(layer_type) {
                FindingKind::ShadowedOverride { key }
            } else {
                FindingKind::AbsentType { key }
            };
            self.add(kind, entry.key_place(), Vec::new(), certainty);
            self.unused_bad_clip(entry);
            return;
        }
        let is_supposed = self.network.basis == Basis::Supposed;
        let names = users.iter().map(|&index| self.network.layers[index].name.clone());
        let layers = if is_supposed { Vec::new() } else { names.collect() };
        self.dropped_values(source, entry, None, Some(layer_type), layers, Certainty::Known);
    }

    fn dropped_values(
        &mut self,
        source: Source,
        entry: &Override,
        by_type: Option<&'a Override>,
        layer_type: Option<LayerType>,
        layers: Vec<String>,
        certainty: Certainty,
    ) {
        let outer = outer_blocks(self.config, source, by_type);
        let dropped = inherit::dropped(&entry.block, &outer, self.network.framework, layer_type);
        let related: Vec<_> = dropped.iter().map(|value| (value.place, Note::LostValue)).collect();
        // Only the default of channel_wise depends on the layer; everything else stands in the file.
        let is_certain = dropped.iter().any(|value| value.field() != "channel_wise") || layer_type.is_some();
        let certainty = if is_certain { Certainty::Known } else { certainty };
        let key = entry.key().to_owned();
        if !entry.block.has_quantization() && entry.block.prune.is_none() {
            let reenables = self.reenables(source);
            // That it changes nothing cannot be said while skips or overrides by type may concern the layer.
            let may_matter = !self.types.is_empty() || !self.type_skips.is_empty();
            if dropped.is_empty() && !reenables && layer_type.is_none() && may_matter {
                return;
            }
            let kind = FindingKind::BareOverride { key, dropped, reenables };
            self.add(kind, entry.key_place(), related, certainty);
        } else if !dropped.is_empty() {
            let kind = FindingKind::OverrideDropsValues { key, dropped, layers };
            self.add(kind, entry.key_place(), related, certainty);
        }
    }

    /// True when a skip would have switched off a layer that this override decides.
    fn reenables(&self, source: Source) -> bool {
        let users = self.users.get(&source).into_iter().flatten();
        users
            .filter_map(|&index| self.resolution.layers[index].decision.as_ref())
            .any(|decision| decision.skip_by_name || decision.skip_by_type)
    }

    fn unused_bad_clip(&mut self, entry: &Override) {
        if let Some(clip) = entry.block.ulq().and_then(|ulq| ulq.clip.as_ref()).filter(|clip| is_bad(clip)) {
            let kind = FindingKind::UnusedBadClip { key: entry.key().to_owned() };
            self.add(kind, clip.place, Vec::new(), self.network.absence());
        }
    }

    fn bounds_without_effect(&mut self) {
        let config = self.config;
        let entries = config.by_name.iter().chain(&config.by_type).map(|entry| &entry.block);
        for ulq in entries.chain([&config.global]).filter_map(|block| block.ulq()) {
            if let Some((fixed_min, clip_min)) = unused_clip_min(ulq) {
                let related = vec![(fixed_min, Note::FixedMin)];
                self.add(FindingKind::FixedMinIgnoresClipMin, clip_min, related, Certainty::Known);
            }
        }
    }

    fn downgrades(&mut self) {
        let mut by_place: Vec<(Place, Vec<&'a NetworkLayer>)> = Vec::new();
        for (layer, resolved) in self.network.layers.iter().zip(&self.resolution.layers) {
            let Some(decision) = resolved.decision.as_ref().filter(|decision| decision.downgraded) else {
                continue;
            };
            let weight = decision.source.block(self.config).weight_algorithm();
            let Some(data_type) = weight.and_then(|weight| weight.dst_type.as_ref()) else { continue };
            match by_place.iter_mut().find(|(place, _)| *place == data_type.place) {
                Some((_, layers)) => layers.push(layer),
                None => by_place.push((data_type.place, vec![layer])),
            }
        }
        for (place, layers) in by_place {
            let warning = super::engine::int4_warning(&layers[0].name);
            let names = layers.iter().map(|layer| layer.name.clone()).collect();
            let kind = FindingKind::Int4Downgraded { layers: names, warning };
            self.add(kind, place, Vec::new(), layers[0].certainty);
        }
    }
}

/// The items of a list without those that repeat an earlier one.
fn first_of_each(items: &[Placed<String>]) -> impl Iterator<Item = &Placed<String>> {
    let mut seen = HashSet::new();
    items.iter().filter(move |item| seen.insert(item.value.as_str()))
}

fn is_bad(clip: &Clip) -> bool {
    match (&clip.max, &clip.min) {
        (Some(max), Some(min)) => max.value <= 0.0 || min.value >= 0.0,
        _ => true,
    }
}

fn unused_clip_min(ulq: &Ulq) -> Option<(Place, Place)> {
    let fixed_min = ulq.fixed_min.as_ref().filter(|fixed_min| fixed_min.value)?;
    Some((fixed_min.place, ulq.clip.as_ref()?.min.as_ref()?.place))
}
