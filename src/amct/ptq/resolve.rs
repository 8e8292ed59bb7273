//! Which block decides each layer, and the corrections that AMCT makes by itself (sections 3 to 5).

use std::collections::{HashMap, HashSet};

use super::model::{Block, Config, Override, Weights};
use super::{Run, types};
use crate::amct::calibration::{Activation, Ifmr};
use crate::amct::modules::Module;

/// Which block decides a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    ByName(usize),
    ByType(usize),
    Common,
    Default,
}

impl Source {
    /// The deciding field as the schema spells it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ByName(_) => "override_layer_configs",
            Self::ByType(_) => "override_layer_types",
            Self::Common => "common_config",
            Self::Default => "default",
        }
    }
}

/// Where `asymmetric` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsymmetricSource {
    /// The type allows nothing else.
    Forced,
    /// The deciding block.
    Block(Source),
    /// `common_config`, although another block decides: the one thing that is inherited.
    Inherited,
    /// `activation_offset`
    Offset,
}

impl AsymmetricSource {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Forced => "layer_type",
            Self::Block(source) => source.name(),
            Self::Inherited => "common_config",
            Self::Offset => "activation_offset",
        }
    }
}

/// A layer after resolution.
#[derive(Clone, Debug)]
pub(super) struct Resolved<'a> {
    pub(super) module: &'a Module,
    pub(super) source: Source,
    pub(super) enabled: bool,
    pub(super) skip_by_name: bool,
    pub(super) skip_by_type: bool,
    /// The parameters, corrected.
    pub(super) block: Block,
    pub(super) activation: Activation,
    pub(super) data_bits: u8,
    pub(super) weight_bits: u64,
    pub(super) channel_wise: bool,
    pub(super) asymmetric: bool,
    pub(super) asymmetric_source: AsymmetricSource,
    /// The weight parameters are written.
    pub(super) has_weights: bool,
    /// What AMCT has changed by itself.
    pub(super) corrections: Vec<Correction>,
}

/// A change that AMCT makes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Correction {
    /// `dmq_balancer` is dropped.
    Balancer,
    /// INT16 activations become INT8.
    Int16,
    /// 6 or 7 bits become 8, silently.
    OddBits,
    /// 4 bits become 8.
    Int4,
    /// The weight parameters are dropped, silently.
    Ada,
}

impl<'a> Resolved<'a> {
    pub(super) fn name(&self) -> &'a str {
        &self.module.layer.name
    }

    pub(super) fn class(&self) -> &'a str {
        self.module.class()
    }

    /// INT16 activations would work for this layer.
    pub(super) fn has_int16(&self) -> bool {
        types::has_int16(self.class()) && (self.class() != "Linear" || self.module.layer.bias)
    }
}

impl<'a> Run<'a> {
    /// Section 3, in network order.
    pub(super) fn resolve(&self) -> Vec<Resolved<'a>> {
        let config = self.config;
        let index = |entries: &'a [Override]| {
            let keys = entries.iter().enumerate().map(|(at, entry)| (entry.key(), at));
            keys.collect::<HashMap<_, _>>()
        };
        let (by_name, by_type) = (index(&config.by_name), index(&config.by_type));
        let skipped: HashSet<_> = config.skip_layers.iter().map(|name| name.value.as_str()).collect();
        let skipped_types: HashSet<_> =
            config.skip_layer_types.iter().map(|name| name.value.as_str()).collect();
        let modules = self.modules.all.iter();
        let layers = modules.filter(|module| module.is_quantizable(types::QUANTIZABLE));
        layers
            .map(|module| {
                let name = module.layer.name.as_str();
                let source = match (by_name.get(name), by_type.get(module.class())) {
                    (Some(&index), _) => Source::ByName(index),
                    (None, Some(&index)) => Source::ByType(index),
                    (None, None) if config.common.is_some() => Source::Common,
                    (None, None) => Source::Default,
                };
                let block = match source {
                    Source::ByName(index) => config.by_name[index].block.clone(),
                    Source::ByType(index) => config.by_type[index].block.clone(),
                    Source::Common => config.common.clone().unwrap_or_default(),
                    Source::Default => Block::default(),
                };
                let (skip_by_name, skip_by_type) =
                    (skipped.contains(name), skipped_types.contains(module.class()));
                self.layer(module, source, block, skip_by_name, skip_by_type)
            })
            .collect()
    }

    fn layer(
        &self,
        module: &'a Module,
        source: Source,
        block: Block,
        skip_by_name: bool,
        skip_by_type: bool,
    ) -> Resolved<'a> {
        let class = module.class();
        let activation = block.activation.clone().unwrap_or_else(|| Activation::Ifmr(Ifmr::default()));
        let (asymmetric, asymmetric_source) = self.asymmetric(class, source, &activation);
        let weights = block.weights.as_ref();
        let channel_wise = weights.and_then(Weights::channel_wise).map(|value| value.value);
        let bits = match weights {
            Some(Weights::Arq { bits: Some(bits), .. }) => bits.value,
            _ => 8,
        };
        Resolved {
            module,
            source,
            enabled: !skip_by_name && !skip_by_type,
            skip_by_name,
            skip_by_type,
            data_bits: if block.int16().is_some() { 16 } else { 8 },
            weight_bits: bits,
            channel_wise: channel_wise.unwrap_or_else(|| types::has_channels(class)),
            asymmetric,
            asymmetric_source,
            has_weights: true,
            corrections: Vec::new(),
            activation,
            block,
        }
    }

    /// Section 4.
    fn asymmetric(&self, class: &str, source: Source, activation: &Activation) -> (bool, AsymmetricSource) {
        let config = self.config;
        if types::is_symmetric(class) {
            return (false, AsymmetricSource::Forced);
        }
        if let Some(explicit) = &activation.common().asymmetric {
            return (explicit.value, AsymmetricSource::Block(source));
        }
        let common = config.common.as_ref().and_then(|common| common.activation.as_ref());
        if let Some(common) = common.filter(|common| common.algorithm() == activation.algorithm())
            && let Some(explicit) = &common.common().asymmetric
        {
            return (explicit.value, AsymmetricSource::Inherited);
        }
        let offset = config.activation_offset.as_ref().is_none_or(|offset| offset.value);
        (offset, AsymmetricSource::Offset)
    }

    /// Section 5, a to e.
    pub(super) fn correct(&mut self, layers: &mut [Resolved<'a>]) {
        let common = self.config.common.as_ref();
        if let Some(balancer) = common.and_then(|common| common.balancer.as_ref()) {
            let mut usable = layers.iter().filter(|layer| layer.enabled);
            if !usable.any(|layer| types::has_balancer(layer.class())) {
                let message = "Except skip_layers or skip_types, no layer in graph support dmq_balancer, please \
                               remove dmq_balancer in config file.";
                self.report.warn(message, vec![balancer.place]);
            }
        }
        let wants_int16 = common.is_some_and(|common| common.int16().is_some());
        for layer in layers {
            let name = layer.name();
            if let Some(balancer) = layer.block.balancer.as_ref()
                // 0 is no number to AMCT here, and refused later.
                && balancer.value() != 0.0
                && !types::has_balancer(layer.class())
            {
                let message =
                    format!("Layer {name} does not support dmq_balancer, remove dmq_balancer in config file");
                self.report.warn(message, vec![balancer.place]);
                layer.block.balancer = None;
                layer.corrections.push(Correction::Balancer);
            }
            if wants_int16 && layer.data_bits == 16 && !layer.has_int16() {
                let message = format!("Layer {name} does not support int16_quantizable, set int8");
                self.report.warn(message, layer.block.int16().into_iter().collect());
                layer.data_bits = 8;
                layer.corrections.push(Correction::Int16);
            }
            let is_odd = matches!(layer.weight_bits, 6 | 7) && !types::has_odd_bits(layer.class());
            if is_odd && layer.source == Source::Common {
                layer.weight_bits = 8;
                layer.corrections.push(Correction::OddBits);
            }
            if layer.weight_bits == 4 && !layer.module.layer.int4_packable && layer.class() != "AvgPool2d" {
                let message = format!(
                    "Layer {name} weight cannot be INT4-packed along Cin (grouped conv or odd Cin), downgraded to \
                     INT8 (A8W8)."
                );
                let places = layer.block.weights.as_ref().map(Weights::place);
                self.report.warn(message, places.into_iter().collect());
                layer.weight_bits = 8;
                layer.corrections.push(Correction::Int4);
            }
        }
    }
}

/// Section 5, f: after everything has been checked.
pub(super) fn drop_ada(config: &Config, layers: &mut [Resolved<'_>]) {
    let is_ada = |block: &Block| matches!(block.weights, Some(Weights::Ada(_)));
    if !config.common.as_ref().is_some_and(is_ada) {
        return;
    }
    for layer in layers.iter_mut().filter(|layer| is_ada(&layer.block) && !types::has_ada(layer.class())) {
        layer.has_weights = false;
        layer.corrections.push(Correction::Ada);
    }
}
