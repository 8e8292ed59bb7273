//! The pruning half of a file: which block prunes each layer, and the checks of amct-semantics-prune.md.

use std::collections::HashSet;

use super::{Run, Source};
use crate::amct::certainty::Certainty;
use crate::amct::place::{Place, Placed};
use crate::amct::prune_kind::PruneKind;
use crate::amct::qat::model::{Config, Override, Pruner};
use crate::amct::qat::network::Network;
use crate::amct::refusal::{AmctError, Cause};

/// What was decided about the pruning of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct PruneDecision {
    /// The block that decides it.
    pub source: Source,
    /// Whether it is pruned.
    pub enabled: bool,
    /// Its name stands in `skip_layers` or `regular_prune_skip_layers`.
    pub skip_by_name: bool,
    /// Its type stands in `skip_layer_types` or `regular_prune_skip_types`.
    pub skip_by_type: bool,
    /// AMCT writes it: the layer can be pruned in the way of the block. The others count as enabled all the same.
    pub is_written: bool,
    /// Whether the decision is certain.
    pub certainty: Certainty,
}

impl PruneDecision {
    /// The parameters: those of the deciding block.
    pub fn pruner<'a>(&self, config: &'a Config) -> Option<&'a Pruner> {
        self.source.block(config).pruner()
    }
}

impl Run<'_> {
    /// Section 7: what the entry and the network allow at all.
    pub(super) fn check_abilities(&mut self) {
        let config = self.config;
        if self.abilities.prune && self.network.prunable.is_empty() {
            let message = "Prune supported layer cannot be empty.";
            self.refuse(message, Cause::NoPrunableLayer, Place::FILE, self.network.absence());
        }
        if self.abilities.quant {
            self.check_layers_exist();
        }
        if let Some(part) = config.global.prune.as_ref().filter(|part| part.pruner.is_none())
            && self.abilities.prune
        {
            self.push(super::Refusal {
                error: AmctError {
                    type_name: "UnboundLocalError",
                    message:
                        "cannot access local variable 'prune_type' where it is not associated with a value"
                            .into(),
                },
                cause: Cause::EmptyPruneConfig,
                place: part.place,
                related: Vec::new(),
                layers: Vec::new(),
                certainty: Certainty::Known,
            });
        }
        let first = |list: &[Placed<String>]| list.first().map(|item| item.place);
        if !self.abilities.quant {
            let lists = [
                ("quant_skip_layers", first(&config.quant_skip_layers)),
                ("quant_skip_types", first(&config.quant_skip_types)),
            ];
            for (field, place) in lists {
                if let Some(place) = place {
                    let message = format!("unexpected {field} in config_defination if retrain is disable.");
                    self.refuse(message, Cause::QuantizationField { field }, place, Certainty::Known);
                }
            }
        }
        if !self.abilities.prune {
            self.check_pruning_fields();
        }
    }

    /// Section 7, the checks of names and types when pruning is on.
    pub(super) fn check_prune_names(&mut self) {
        let config = self.config;
        self.warn_repeats("regular_prune_skip_layers", &config.regular_prune_skip_layers);
        self.warn_repeats("regular_prune_skip_types", &config.regular_prune_skip_types);
        if !self.abilities.quant {
            self.check_repeated_overrides("retrain_override_layers", &config.by_name);
            self.check_repeated_overrides("override_layer_types", &config.by_type);
        }
        let refused: HashSet<_> = self.result.refusals.iter().map(|refusal| refusal.place).collect();
        let kind = config.global.pruner().map(Pruner::kind);
        for kind in PruneKind::ALL {
            let message = format!("some override_layer not in valid_layers for {}", kind.name());
            let of_kind =
                |entry: &&Override| entry.block.pruner().is_some_and(|pruner| pruner.kind() == kind);
            for entry in config.by_name.iter().filter(of_kind) {
                self.check_prunable(entry.key(), entry.key_place(), Some(kind), &message, &refused);
            }
        }
        let message = "some regular_prune_skip_layers not in valid_layers";
        for item in config.skip_layers.iter().chain(&config.regular_prune_skip_layers) {
            self.check_prunable(&item.value, item.place, kind, message, &refused);
        }
        for kind in PruneKind::ALL {
            let message = format!("some override_types not supported for {}", kind.name());
            // An empty block counts as the second kind here.
            let of_kind = |entry: &&Override| {
                entry.block.prune.as_ref().is_some_and(|part| {
                    part.pruner.as_ref().map_or(PruneKind::Selective, Pruner::kind) == kind
                })
            };
            for entry in config.by_type.iter().filter(of_kind) {
                self.check_prunable_type(entry.key(), entry.key_place(), Some(kind), &message, &refused);
            }
        }
        let message = "some regular_prune_skip_types not supported";
        for item in config.skip_layer_types.iter().chain(&config.regular_prune_skip_types) {
            self.check_prunable_type(&item.value, item.place, kind, message, &refused);
        }
    }

    fn check_prunable(
        &mut self,
        name: &str,
        place: Place,
        kind: Option<PruneKind>,
        message: &str,
        refused: &HashSet<Place>,
    ) {
        let can_prune = kind.is_some_and(|kind| self.network.can_prune(name, kind));
        if can_prune || refused.contains(&place) {
            return;
        }
        let exists = self.network.find(name).is_some() || self.network.find_prunable(name).is_some();
        let certainty = match kind {
            None => Certainty::Known,
            Some(_) if exists => self.network.find(name).map_or(Certainty::Known, |layer| layer.certainty),
            Some(_) => self.network.absence(),
        };
        let cause = match kind {
            Some(_) if !exists => Cause::UnknownLayer {
                name: name.to_owned(),
                other_type: self.network.other_type(name).map(str::to_owned),
            },
            _ => Cause::NotPrunable { item: name.to_owned(), kind },
        };
        self.refuse(message, cause, place, certainty);
    }

    fn check_prunable_type(
        &mut self,
        name: &str,
        place: Place,
        kind: Option<PruneKind>,
        message: &str,
        refused: &HashSet<Place>,
    ) {
        let types = kind.map_or(&[][..], PruneKind::types);
        if !types.contains(&name) && !refused.contains(&place) {
            let cause = Cause::NotPrunable { item: name.to_owned(), kind };
            self.refuse(message, cause, place, Certainty::Known);
        }
    }

    /// The structure of a pruner: checked for the global block always, for an override when a layer uses it.
    pub(super) fn read_pruner(&mut self, pruner: Option<&Pruner>, certainty: Certainty, layer: Option<&str>) {
        let (field, place) = match pruner {
            Some(Pruner::Filter { place, balanced: None }) => ("balanced_l2_norm_filter_prune", *place),
            Some(Pruner::Selective { place, l1: None }) => ("l1_selective_prune", *place),
            Some(Pruner::Filter { balanced: Some(balanced), .. }) if balanced.prune_ratio.is_none() => {
                let message = "prune_ratio is required for balanced_l2_norm_filter_prune, please add it.";
                let error = AmctError::value_error(message);
                let cause = Cause::MissingPruneRatio;
                return self.refuse_layer(error, cause, balanced.place, layer, certainty);
            }
            _ => return,
        };
        let error = AmctError::value_error(format!("only {field} is support,  but {field} is not found."));
        self.refuse_layer(error, Cause::PrunerWithoutAlgorithm { field }, place, layer, certainty);
    }

    /// Section 3. One decision for each of [`Network::prunable`] that has any.
    pub(super) fn decide_pruning(&mut self) -> Vec<Option<PruneDecision>> {
        let (config, network) = (self.config, self.network);
        let names: HashSet<_> = config
            .skip_layers
            .iter()
            .chain(&config.regular_prune_skip_layers)
            .map(|item| item.value.as_str())
            .collect();
        let types: HashSet<_> = config
            .skip_layer_types
            .iter()
            .chain(&config.regular_prune_skip_types)
            .filter_map(|item| network.framework.find_type(&item.value))
            .collect();
        let global = config.global.pruner();
        self.read_pruner(global, Certainty::Known, None);
        let mut decisions = Vec::with_capacity(network.prunable.len());
        for layer in &network.prunable {
            let by_name = self.names.get(layer.name.as_str()).map(|&index| Source::ByName(index));
            let by_type = || {
                let index = self.types.get(&layer.layer_type?)?;
                Some(Source::ByType(*index))
            };
            let entry = by_name.or_else(by_type);
            if entry.is_none() && !global.is_some_and(|pruner| layer.allows(pruner.kind())) {
                decisions.push(None);
                continue;
            }
            // An override without pruner falls back to the global one: the opposite of its quantisation.
            let source = entry.filter(|entry| entry.block(config).pruner().is_some());
            let source = source.unwrap_or(Source::Global);
            let pruner = source.block(config).pruner();
            if source != Source::Global {
                self.read_pruner(pruner, layer.certainty, Some(&layer.name));
            }
            let skip_by_name = names.contains(layer.name.as_str());
            let skip_by_type = layer.layer_type.is_some_and(|layer_type| types.contains(&layer_type));
            decisions.push(Some(PruneDecision {
                source,
                enabled: !skip_by_name && !skip_by_type,
                skip_by_name,
                skip_by_type,
                is_written: pruner.is_some_and(|pruner| layer.allows(pruner.kind())),
                certainty: layer.certainty,
            }));
        }
        decisions
    }

    /// Section 6: the range of the ratio, when AMCT builds the entry of a layer.
    pub(super) fn build_pruning(&mut self, name: &str, decision: &PruneDecision) {
        if let Some(Pruner::Filter { balanced: Some(balanced), .. }) = decision.pruner(self.config)
            && let Some(ratio) = &balanced.prune_ratio
            && decision.is_written
            // Both comparisons are false for NaN, as in Python.
            && (ratio.value <= 0.0 || ratio.value >= 1.0)
        {
            let error = AmctError::value_error(format!(
                "prune ration should be greater than 0 and less than 1 for layer {name}"
            ));
            let cause = Cause::PruneRatioOutOfRange { value: ratio.value };
            self.refuse_layer(error, cause, ratio.place, Some(name), decision.certainty);
        }
    }
}

/// The layers in the order in which AMCT writes them: quantisable ones in network order when quantisation is on, then
/// the prunable ones that are not among them. The second number is that of the layer among [`Network::prunable`].
pub fn written_order(network: &Network, quant: bool) -> Vec<(Option<usize>, Option<usize>)> {
    let mut order = Vec::new();
    if quant {
        let layers = network.layers.iter().enumerate();
        order.extend(layers.map(|(index, layer)| (Some(index), network.find_prunable(&layer.name))));
    }
    let others = network.prunable.iter().enumerate();
    let others = others.filter(|(_, layer)| !quant || network.find(&layer.name).is_none());
    order.extend(others.map(|(index, _)| (None, Some(index))));
    order
}
