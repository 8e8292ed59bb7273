//! A PTQ configuration as typed values with places. Nothing is checked or filled in here.

use crate::amct::bind::Binder;
use crate::amct::calibration::Activation;
use crate::amct::place::{Place, Placed, Places};
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// The values of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Config {
    pub(super) batch_num: Option<Placed<u64>>,
    pub(super) activation_offset: Option<Placed<bool>>,
    pub(super) do_fusion: Option<Placed<bool>>,
    pub(super) precision_mode: Option<Placed<String>>,
    pub(super) skip_layers: Vec<Placed<String>>,
    pub(super) skip_layer_types: Vec<Placed<String>>,
    pub(super) skip_fusion_layers: Vec<Placed<String>>,
    pub(super) common: Option<Block>,
    pub(super) by_name: Vec<Override>,
    pub(super) by_type: Vec<Override>,
}

/// An entry of `override_layer_configs` or `override_layer_types`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Override {
    pub(super) place: Place,
    key: Option<Placed<String>>,
    /// `calibration_config`; without it the entry resets the layer to defaults.
    pub(super) block: Block,
    pub(super) has_block: bool,
}

impl Override {
    pub(super) fn key(&self) -> &str {
        self.key.as_ref().map_or("", |key| &key.value)
    }

    pub(super) fn key_place(&self) -> Place {
        self.key.as_ref().map_or(self.place, |key| key.place)
    }
}

/// `CalibrationConfig`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) place: Place,
    pub(super) activation: Option<Activation>,
    pub(super) weights: Option<Weights>,
    pub(super) balancer: Option<Balancer>,
}

impl Default for Block {
    fn default() -> Self {
        Self { place: Place::FILE, activation: None, weights: None, balancer: None }
    }
}

impl Block {
    /// INT16 activations, with their place.
    pub(super) fn int16(&self) -> Option<Place> {
        let dst_type = self.activation.as_ref()?.common().dst_type.as_ref()?;
        (dst_type.value == "INT16").then_some(dst_type.place)
    }
}

/// How weights are quantised.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Weights {
    Arq { place: Place, channel_wise: Option<Placed<bool>>, bits: Option<Placed<u64>> },
    Ada(Box<Ada>),
}

impl Weights {
    pub(super) fn channel_wise(&self) -> Option<&Placed<bool>> {
        match self {
            Self::Arq { channel_wise, .. } => channel_wise.as_ref(),
            Self::Ada(ada) => ada.channel_wise.as_ref(),
        }
    }

    pub(super) fn place(&self) -> Place {
        match self {
            Self::Arq { place, .. } => *place,
            Self::Ada(ada) => ada.place,
        }
    }
}

/// `ADAquantize`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ada {
    pub(super) place: Place,
    pub(super) num_iteration: Option<Placed<u64>>,
    pub(super) reg_param: Option<Placed<f32>>,
    pub(super) beta_start: Option<Placed<f32>>,
    pub(super) beta_end: Option<Placed<f32>>,
    pub(super) warm_start: Option<Placed<f32>>,
    pub(super) channel_wise: Option<Placed<bool>>,
}

/// `DMQBalancer`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Balancer {
    pub(super) place: Place,
    pub(super) strength: Option<Placed<f32>>,
}

impl Balancer {
    pub(super) fn value(&self) -> f32 {
        self.strength.as_ref().map_or(0.5, |strength| strength.value)
    }
}

impl Config {
    /// Binds the root message of a file.
    pub(super) fn bind(root: &MessageValue, schema: &Schema) -> (Self, Places) {
        let mut binder = Binder::new(schema);
        let b = &mut binder;
        let config = Self {
            batch_num: b.uint(root, "batch_num"),
            activation_offset: b.bool(root, "activation_offset"),
            do_fusion: b.bool(root, "do_fusion"),
            precision_mode: b.enum_name(root, "fakequant_precision_mode"),
            skip_layers: b.strings(root, "skip_layers"),
            skip_layer_types: b.strings(root, "skip_layer_types"),
            skip_fusion_layers: b.strings(root, "skip_fusion_layers"),
            common: b.message(root, "common_config", bind_block),
            by_name: b.messages(root, "override_layer_configs", |b, place, entry| {
                bind_override(b, place, entry, "layer_name")
            }),
            by_type: b.messages(root, "override_layer_types", |b, place, entry| {
                bind_override(b, place, entry, "layer_type")
            }),
        };
        (config, binder.into_places())
    }
}

fn bind_override(b: &mut Binder, place: Place, entry: &MessageValue, key: &str) -> Override {
    let key = b.string(entry, key);
    let block = b.message(entry, "calibration_config", bind_block);
    Override { place, key, has_block: block.is_some(), block: block.unwrap_or_default() }
}

fn bind_block(b: &mut Binder, place: Place, config: &MessageValue) -> Block {
    let arq = b.message(config, "arq_quantize", |b, place, arq| Weights::Arq {
        place,
        channel_wise: b.bool(arq, "channel_wise"),
        bits: b.uint(arq, "quant_bits"),
    });
    let ada = |b: &mut Binder| {
        b.message(config, "ada_quantize", |b, place, ada| {
            Weights::Ada(Box::new(Ada {
                place,
                num_iteration: b.uint(ada, "num_iteration"),
                reg_param: b.float(ada, "reg_param"),
                beta_start: b.float(ada, "beta_range_start"),
                beta_end: b.float(ada, "beta_range_end"),
                warm_start: b.float(ada, "warm_start"),
                channel_wise: b.bool(ada, "channel_wise"),
            }))
        })
    };
    Block {
        place,
        activation: Activation::bind(b, config),
        weights: arq.or_else(|| ada(b)),
        balancer: b.message(config, "dmq_balancer", |b, place, dmq| Balancer {
            place,
            strength: b.float(dmq, "migration_strength"),
        }),
    }
}
