//! The checks that AMCT makes while it builds its result, and the packing of INT4 weights: steps 14 and 15 of
//! section 2, sections 6, 8 and 9.

use super::prune::{PruneDecision, written_order};
use super::{Decision, Resolution, ResolvedLayer, Run, Source};
use crate::amct::basis::Basis;
use crate::amct::certainty::{Assumption, Certainty};
use crate::amct::finding::NewOverride;
use crate::amct::place::Place;
use crate::amct::qat::inherit;
use crate::amct::qat::model::{Block, Config, DataType};
use crate::amct::qat::network::{Network, NetworkLayer};
use crate::amct::refusal::{AmctError, Cause, Warning};

impl Run<'_> {
    /// Section 2, steps 14 and 15.
    pub(super) fn build(&mut self, layers: &[ResolvedLayer], pruning: &[Option<PruneDecision>]) {
        self.check_reserved_names();
        let mut all_off = true;
        let mut is_certain = self.network.basis == Basis::Complete;
        let network = self.network;
        for (layer, prunable) in written_order(network, self.abilities.quant) {
            let layer = layer.and_then(|index| Some((&network.layers[index], layers.get(index)?)));
            let prunable = prunable.and_then(|index| {
                let decision = pruning.get(index)?.as_ref()?;
                Some((network.prunable[index].name.as_str(), decision))
            });
            if let Some((layer, resolved)) = layer {
                match &resolved.decision {
                    Some(decision) if !decision.lost => {
                        self.build_layer(layer, decision);
                        all_off &= !decision.enabled;
                        is_certain &= layer.certainty.is_known();
                    }
                    Some(_) => {}
                    None => all_off = false,
                }
            }
            if let Some((name, decision)) = prunable {
                self.build_pruning(name, decision);
                all_off &= !decision.enabled;
                is_certain &= decision.certainty.is_known();
            }
            if let Some((layer, ResolvedLayer { decision: Some(decision), .. })) = layer {
                self.check_avg_pool(layer, decision);
            }
        }
        let has_layers = !layers.is_empty() || !network.prunable.is_empty() && self.abilities.prune;
        // A crash over the global pruner leaves nothing on; it is no fault of its own.
        let has_crashed = self.result.refusals.iter().any(|r| r.cause == Cause::EmptyPruneConfig);
        if all_off && has_layers && !has_crashed {
            // A file that skips every type and has no override switches every network off.
            let has_override = !self.config.by_name.is_empty() || !self.config.by_type.is_empty();
            let skips_every_type = self.skipped_types.len() == self.network.framework.types().len();
            let certainty = match (is_certain || skips_every_type && !has_override, self.network.basis) {
                (true, _) => Certainty::Known,
                (false, Basis::Complete) => Certainty::Assumed(Assumption::InferredType),
                (false, _) => self.network.absence(),
            };
            let config = self.config;
            let lists = [
                &config.skip_layer_types,
                &config.quant_skip_types,
                &config.skip_layers,
                &config.quant_skip_layers,
            ];
            let place = lists.into_iter().flatten().next().map_or(Place::FILE, |item| item.place);
            self.refuse("No layer retrain enabled", Cause::AllLayersOff, place, certainty);
        }
    }

    fn check_reserved_names(&mut self) {
        let network = self.network;
        let type_error = |what: &str, class: &str| AmctError {
            type_name: "TypeError",
            message: format!(
                "Type of {what} should be <class '{class}'>, but is <class 'collections.OrderedDict'>"
            )
            .into(),
        };
        let reserved = [
            ("version", type_error("Version", "int")),
            ("fakequant_precision_mode", type_error("FakequantPrecisionMode", "str")),
            (
                "batch_num",
                if network.framework.maps_types() {
                    AmctError::value_error("unsupported batch_num")
                } else {
                    type_error("BatchNum", "int")
                },
            ),
        ];
        for (name, error) in reserved {
            if let Some(layer) = network.find(name)
                && !self.is_lost(name)
            {
                self.refuse_layer(error, Cause::ReservedLayerName, Place::FILE, Some(name), layer.certainty);
            }
        }
        if let Some(batch_num) = self.config.batch_num.as_ref().filter(|batch_num| batch_num.value == 0) {
            let message = "batch_num(0) should be greater than zero.";
            self.refuse(message, Cause::BatchNumZero, batch_num.place, Certainty::Known);
        }
    }

    fn build_layer(&mut self, layer: &NetworkLayer, decision: &Decision) {
        let block = decision.source.block(self.config);
        let certainty = self.certainty_of(layer, decision.source);
        let name = &layer.name;
        let clip = block.ulq().and_then(|ulq| ulq.clip.as_ref());
        if let Some((max, min)) = clip.and_then(|clip| clip.max.as_ref().zip(clip.min.as_ref())) {
            // Both comparisons are false for NaN, as in Python.
            if max.value <= 0.0 {
                let error =
                    AmctError::value_error(format!("clip max should be larger than 0 for layer {name}"));
                let cause = Cause::ClipOutOfRange { bound: "clip_max", value: max.value };
                self.refuse_layer(error, cause, max.place, Some(name), certainty);
            }
            if min.value >= 0.0 {
                let error =
                    AmctError::value_error(format!("clip min should be less than 0 for layer {name}"));
                let cause = Cause::ClipOutOfRange { bound: "clip_min", value: min.value };
                self.refuse_layer(error, cause, min.place, Some(name), certainty);
            }
        }
        let channel_wise = block.weight_algorithm().and_then(|weight| weight.channel_wise.as_ref());
        let weight_kind = block.weight_algorithm().map(|weight| weight.kind).unwrap_or_default();
        let framework = self.network.framework;
        if let (Some(channel_wise), Some(layer_type)) = (channel_wise, layer.layer_type)
            && channel_wise.value
            && framework.is_fully_connected(layer_type)
        {
            let error = AmctError::value_error(format!(" {name} layer can not be channewised"));
            let type_name = framework.type_name(layer_type);
            let cure = (decision.source == Source::Global).then(|| {
                let outer = [&self.config.global];
                let lost = inherit::dropped(&Block::default(), &outer, framework, Some(layer_type));
                let kept = lost.into_iter().map(|lost| (lost.path, lost.value));
                let off = (vec![inherit::WEIGHT, weight_kind.name(), "channel_wise"], "false".to_owned());
                Box::new(NewOverride {
                    field: "override_layer_types",
                    key_field: "layer_type",
                    key: type_name.to_owned(),
                    values: kept.chain([off]).collect(),
                })
            });
            let cause = Cause::ChannelWiseOnFullyConnected { type_name, cure };
            self.refuse_layer(error, cause, channel_wise.place, Some(name), layer.certainty);
        }
    }

    fn check_avg_pool(&mut self, layer: &NetworkLayer, decision: &Decision) {
        let block = decision.source.block(self.config);
        let certainty = self.certainty_of(layer, decision.source);
        let name = &layer.name;
        if name.contains("AvgPool") && decision.enabled && decision.values.weight_type == DataType::Int4 {
            let message = "Now AvgPool Layer does not support INT4".into();
            let error = AmctError { type_name: "RuntimeError", message };
            let written = block.weight_algorithm().and_then(|algorithm| algorithm.dst_type.as_ref());
            let place = written.map_or(Place::FILE, |data_type| data_type.place);
            self.refuse_layer(error, Cause::AvgPoolInt4, place, Some(name), certainty);
        }
    }
}

/// Section 8: INT4 weights that cannot be packed become INT8, after everything else.
pub(super) fn pack_int4(config: &Config, network: &Network, resolution: &mut Resolution) {
    let raised = resolution.raised.is_some();
    for (layer, resolved) in network.layers.iter().zip(&mut resolution.layers) {
        let Some(decision) = &mut resolved.decision else { continue };
        if layer.int4_packable || decision.lost || decision.values.weight_type != DataType::Int4 {
            continue;
        }
        decision.values.weight_type = DataType::Int8;
        decision.downgraded = true;
        if !raised {
            let block = decision.source.block(config);
            let written = block.weight_algorithm().and_then(|algorithm| algorithm.dst_type.as_ref());
            resolution.warnings.push(Warning {
                message: int4_warning(&layer.name),
                places: written.map(|data_type| data_type.place).into_iter().collect(),
            });
        }
    }
}

/// AMCT's warning about weights that it cannot pack.
pub(in crate::amct::qat) fn int4_warning(layer: &str) -> String {
    format!(
        "Layer {layer} weight cannot be INT4-packed along Cin (grouped conv or odd Cin), downgraded to INT8 (A8W8)."
    )
}
