//! A distillation configuration as typed values with places. Nothing is checked or filled in here.

use crate::amct::bind::Binder;
use crate::amct::place::{Place, Placed, Places};
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// The values of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) batch_num: Option<Placed<u64>>,
    pub(super) group_size: Option<Placed<u64>>,
    pub(super) data_dump: Option<Placed<bool>>,
    pub(super) groups: Vec<Group>,
    pub(super) global: Block,
    pub(super) by_name: Vec<Override>,
    pub(super) by_type: Vec<Override>,
    pub(super) quant_skip_layers: Vec<Placed<String>>,
    pub(super) quant_skip_layer_types: Vec<Placed<String>>,
}

/// `DistillGroup`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) place: Place,
    pub(super) start: String,
    pub(super) end: String,
}

impl Group {
    /// As AMCT's texts name it.
    pub(super) fn shown(&self) -> String {
        format!("distill_group(start_layer_name: {}, end_layer_name: {})", self.start, self.end)
    }
}

/// An entry of the lists of overrides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Override {
    pub(super) place: Place,
    key: Option<Placed<String>>,
    pub(super) block: Block,
}

impl Override {
    pub(super) fn key(&self) -> &str {
        self.key.as_ref().map_or("", |key| &key.value)
    }

    pub(super) fn key_place(&self) -> Place {
        self.key.as_ref().map_or(self.place, |key| key.place)
    }
}

/// The parameters that a layer gets as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    /// The data block.
    pub(super) data: Option<Place>,
    pub(super) clip: Option<Clip>,
    pub(super) fixed_min: Option<Placed<bool>>,
    pub(super) data_type: Option<Placed<String>>,
    /// The weight block.
    pub(super) weight: Option<Place>,
    /// `ulq_distill` rather than `arq_distill`.
    pub(super) is_ulq: bool,
    /// The weight block names an algorithm.
    pub(super) has_algorithm: bool,
    pub(super) channel_wise: Option<Placed<bool>>,
    pub(super) weight_type: Option<Placed<String>>,
}

/// `ClipMaxMin`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clip {
    pub(super) place: Place,
    pub(super) max: Option<Placed<f32>>,
    pub(super) min: Option<Placed<f32>>,
}

impl Clip {
    /// The bounds; one that is missing is 0 (section 4).
    pub(super) fn bounds(&self) -> (f32, f32) {
        let or_zero = |bound: &Option<Placed<f32>>| bound.as_ref().map_or(0.0, |bound| bound.value);
        (or_zero(&self.max), or_zero(&self.min))
    }
}

impl Block {
    pub(super) fn data_type(&self) -> &str {
        self.data_type.as_ref().map_or("INT8", |data_type| &data_type.value)
    }

    pub(super) fn weight_type(&self) -> &str {
        self.weight_type.as_ref().map_or("INT8", |data_type| &data_type.value)
    }

    pub(super) fn algorithm(&self) -> &'static str {
        if self.is_ulq { "ulq_distill" } else { "arq_distill" }
    }
}

impl Config {
    /// Binds the root message of a file.
    pub(super) fn bind(root: &MessageValue, schema: &Schema) -> (Self, Places) {
        let mut binder = Binder::new(schema);
        let b = &mut binder;
        let overrides = |b: &mut Binder, field: &str, key: &str| {
            b.messages(root, field, |b, place, entry| Override {
                place,
                key: b.string(entry, key),
                block: bind_block(b, entry),
            })
        };
        let config = Self {
            by_name: overrides(b, "distill_override_layers", "layer_name"),
            by_type: overrides(b, "distill_override_layer_types", "layer_type"),
            batch_num: b.uint(root, "batch_num"),
            group_size: b.uint(root, "group_size"),
            data_dump: b.bool(root, "data_dump"),
            groups: b.messages(root, "distill_group", |b, place, group| Group {
                place,
                start: b.string(group, "start_layer_name").map(|name| name.value).unwrap_or_default(),
                end: b.string(group, "end_layer_name").map(|name| name.value).unwrap_or_default(),
            }),
            global: bind_block(b, root),
            quant_skip_layers: b.strings(root, "quant_skip_layers"),
            quant_skip_layer_types: b.strings(root, "quant_skip_layer_types"),
        };
        (config, binder.into_places())
    }
}

fn bind_block(b: &mut Binder, message: &MessageValue) -> Block {
    let mut block = Block::default();
    b.message(message, "distill_data_quant_config", |b, place, data| {
        block.data = Some(place);
        b.message(data, "ulq_quantize", |b, _, ulq| {
            block.clip = b.message(ulq, "clip_max_min", |b, place, clip| Clip {
                place,
                max: b.float(clip, "clip_max"),
                min: b.float(clip, "clip_min"),
            });
            block.fixed_min = b.bool(ulq, "fixed_min");
            block.data_type = b.enum_name(ulq, "dst_type");
        });
    });
    b.message(message, "distill_weight_quant_config", |b, place, weight| {
        block.weight = Some(place);
        for (field, is_ulq) in [("arq_distill", false), ("ulq_distill", true)] {
            b.message(weight, field, |b, _, algorithm| {
                block.has_algorithm = true;
                block.is_ulq = is_ulq;
                block.channel_wise = b.bool(algorithm, "channel_wise");
                block.weight_type = b.enum_name(algorithm, "dst_type");
            });
        }
    });
    block
}
