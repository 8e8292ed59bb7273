//! A QAT configuration as typed values with places. Nothing is checked or filled in here.

use crate::amct::bind::Binder;
use crate::amct::entry::Entry;
use crate::amct::place::{Place, Placed, Places};
use crate::amct::prune_kind::PruneKind;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// The values of a file. Two equal ones mean the same, wherever their text stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `skip_layers`
    pub skip_layers: Vec<Placed<String>>,
    /// `skip_layer_types`
    pub skip_layer_types: Vec<Placed<String>>,
    /// `quant_skip_layers`
    pub quant_skip_layers: Vec<Placed<String>>,
    /// `quant_skip_types`
    pub quant_skip_types: Vec<Placed<String>>,
    /// `override_layer_configs`
    pub by_name: Vec<Override>,
    /// `override_layer_types`
    pub by_type: Vec<Override>,
    /// The blocks at the root.
    pub global: Block,
    /// `batch_num`
    pub batch_num: Option<Placed<u64>>,
    /// `fakequant_precision_mode`; its only value is `FORCE_FP16_QUANT`.
    pub fakequant_precision_mode: Option<Placed<String>>,
    /// `regular_prune_skip_layers`
    pub regular_prune_skip_layers: Vec<Placed<String>>,
    /// `regular_prune_skip_types`
    pub regular_prune_skip_types: Vec<Placed<String>>,
}

/// An entry of `override_layer_configs` or `override_layer_types`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The entry.
    pub place: Place,
    /// `layer_name` or `layer_type`; when missing AMCT reads the empty string.
    pub key: Option<Placed<String>>,
    /// Its blocks.
    pub block: Block,
}

impl Override {
    /// The layer name or type as AMCT reads it.
    pub fn key(&self) -> &str {
        self.key.as_ref().map_or("", |key| &key.value)
    }

    /// Where to point at for the key.
    pub fn key_place(&self) -> Place {
        self.key.as_ref().map_or(self.place, |key| key.place)
    }
}

/// The parameters that a layer gets as a whole: those at the root or those of an override.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// `retrain_data_quant_config`
    pub data: Option<DataPart>,
    /// `retrain_weight_quant_config`
    pub weight: Option<WeightPart>,
    /// `prune_config`
    pub prune: Option<PrunePart>,
}

impl Block {
    /// True when it quantises in its own way: AMCT checks the name of such an override.
    pub fn has_quantization(&self) -> bool {
        self.data.is_some() || self.weight.is_some()
    }

    /// How it prunes; AMCT takes an empty `prune_config` for none.
    pub fn pruner(&self) -> Option<&Pruner> {
        self.prune.as_ref()?.pruner.as_ref()
    }

    /// `ulq_quantize`, if it is there.
    pub fn ulq(&self) -> Option<&Ulq> {
        self.data.as_ref()?.ulq.as_ref()
    }

    /// The weight algorithm, if it is there.
    pub fn weight_algorithm(&self) -> Option<&WeightAlgorithm> {
        self.weight.as_ref()?.algorithm.as_ref()
    }
}

/// `RetrainDataQuantConfig`
#[derive(Clone, Debug, PartialEq)]
pub struct DataPart {
    /// The block.
    pub place: Place,
    /// `ulq_quantize`
    pub ulq: Option<Ulq>,
}

/// `ULQuantize`, called `ActULQquantize` by PyTorch.
#[derive(Clone, Debug, PartialEq)]
pub struct Ulq {
    /// The block.
    pub place: Place,
    /// `clip_max_min`
    pub clip: Option<Clip>,
    /// `fixed_min`
    pub fixed_min: Option<Placed<bool>>,
    /// `dst_type`
    pub dst_type: Option<Placed<DataType>>,
}

/// `ClipMaxMin`
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// The block.
    pub place: Place,
    /// `clip_max`
    pub max: Option<Placed<f32>>,
    /// `clip_min`
    pub min: Option<Placed<f32>>,
}

/// `RetrainWeightQuantConfig`
#[derive(Clone, Debug, PartialEq)]
pub struct WeightPart {
    /// The block.
    pub place: Place,
    /// The oneof.
    pub algorithm: Option<WeightAlgorithm>,
}

/// `ARQRetrain` or `WtsULQRetrain`: they have the same fields.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightAlgorithm {
    /// The block.
    pub place: Place,
    /// Which of the two.
    pub kind: WeightAlgorithmKind,
    /// `channel_wise`
    pub channel_wise: Option<Placed<bool>>,
    /// `dst_type`
    pub dst_type: Option<Placed<DataType>>,
}

/// The algorithms that quantise weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightAlgorithmKind {
    /// `arq_retrain`
    #[default]
    Arq,
    /// `ulq_retrain`, PyTorch only.
    Ulq,
}

impl WeightAlgorithmKind {
    /// The name of the field and in AMCT's JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arq => "arq_retrain",
            Self::Ulq => "ulq_retrain",
        }
    }
}

/// What numbers are quantised to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataType {
    /// 4 bits
    Int4,
    /// 8 bits, the default everywhere.
    #[default]
    Int8,
    /// 16 bits
    Int16,
}

impl DataType {
    const ALL: [Self; 3] = [Self::Int4, Self::Int8, Self::Int16];

    /// The name in the file and in AMCT's JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int4 => "INT4",
            Self::Int8 => "INT8",
            Self::Int16 => "INT16",
        }
    }
}

/// `PruneConfig`
#[derive(Clone, Debug, PartialEq)]
pub struct PrunePart {
    /// The block.
    pub place: Place,
    /// The oneof; AMCT takes a block without it for no block.
    pub pruner: Option<Pruner>,
}

/// How to prune.
#[derive(Clone, Debug, PartialEq)]
pub enum Pruner {
    /// `filter_pruner`
    Filter {
        /// The block.
        place: Place,
        /// `balanced_l2_norm_filter_prune`
        balanced: Option<BalancedPruner>,
    },
    /// `n_out_of_m_pruner`
    Selective {
        /// The block.
        place: Place,
        /// `l1_selective_prune`
        l1: Option<SelectivePruner>,
    },
}

impl Pruner {
    /// Which of the two.
    pub const fn kind(&self) -> PruneKind {
        match self {
            Self::Filter { .. } => PruneKind::Filter,
            Self::Selective { .. } => PruneKind::Selective,
        }
    }

    /// The block.
    pub const fn place(&self) -> Place {
        match self {
            Self::Filter { place, .. } | Self::Selective { place, .. } => *place,
        }
    }
}

/// `BalancedL2NormFilterPruner`
#[derive(Clone, Debug, PartialEq)]
pub struct BalancedPruner {
    /// The block.
    pub place: Place,
    /// `prune_ratio`
    pub prune_ratio: Option<Placed<f32>>,
    /// `ascend_optimized`
    pub ascend_optimized: Option<Placed<bool>>,
}

/// `L1SelectivePruner`; its `n_out_of_m_type` has one value only.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectivePruner {
    /// The block.
    pub place: Place,
    /// `update_freq`
    pub update_freq: Option<Placed<u64>>,
}

impl Config {
    /// Binds the root message of a file. Fields are found by name, so the schemas of MindSpore and PyTorch both fit.
    pub fn bind(root: &MessageValue, schema: &Schema) -> (Self, Places) {
        let mut binder = Binder::new(schema);
        let b = &mut binder;
        let config = Self {
            skip_layers: b.strings(root, "skip_layers"),
            skip_layer_types: b.strings(root, "skip_layer_types"),
            quant_skip_layers: b.strings(root, "quant_skip_layers"),
            quant_skip_types: b.strings(root, "quant_skip_types"),
            by_name: b.messages(root, "override_layer_configs", |b, place, entry| Override {
                place,
                key: b.string(entry, "layer_name"),
                block: bind_block(b, entry),
            }),
            by_type: b.messages(root, "override_layer_types", |b, place, entry| Override {
                place,
                key: b.string(entry, "layer_type"),
                block: bind_block(b, entry),
            }),
            global: bind_block(b, root),
            batch_num: b.uint(root, "batch_num"),
            fakequant_precision_mode: b.enum_name(root, "fakequant_precision_mode"),
            regular_prune_skip_layers: b.strings(root, "regular_prune_skip_layers"),
            regular_prune_skip_types: b.strings(root, "regular_prune_skip_types"),
        };
        (config, binder.into_places())
    }
}

impl Config {
    /// True when a block for quantisation stands anywhere, be it empty (amct-semantics-prune.md section 1).
    pub fn has_quantization(&self) -> bool {
        self.all_blocks().any(Block::has_quantization)
    }

    /// True when a block for pruning stands anywhere, be it empty.
    pub fn has_pruning(&self) -> bool {
        self.all_blocks().any(|block| block.prune.is_some())
    }

    /// The function that a file of this content is meant for.
    pub fn meant_for(&self) -> Entry {
        if self.has_pruning() { Entry::Compressed } else { Entry::Retrain }
    }

    fn all_blocks(&self) -> impl Iterator<Item = &Block> {
        let overrides = self.by_name.iter().chain(&self.by_type);
        [&self.global].into_iter().chain(overrides.map(|entry| &entry.block))
    }
}

fn bind_block(b: &mut Binder, message: &MessageValue) -> Block {
    Block {
        data: b.message(message, "retrain_data_quant_config", |b, place, data| DataPart {
            place,
            ulq: b.message(data, "ulq_quantize", bind_ulq),
        }),
        weight: b.message(message, "retrain_weight_quant_config", |b, place, weight| {
            let arq = b.message(weight, "arq_retrain", |b, place, algorithm| {
                bind_weight_algorithm(b, place, algorithm, WeightAlgorithmKind::Arq)
            });
            let ulq = |b: &mut Binder| {
                b.message(weight, "ulq_retrain", |b, place, algorithm| {
                    bind_weight_algorithm(b, place, algorithm, WeightAlgorithmKind::Ulq)
                })
            };
            WeightPart { place, algorithm: arq.or_else(|| ulq(b)) }
        }),
        prune: b.message(message, "prune_config", bind_prune),
    }
}

fn bind_ulq(b: &mut Binder, place: Place, ulq: &MessageValue) -> Ulq {
    Ulq {
        place,
        clip: b.message(ulq, "clip_max_min", |b, place, clip| Clip {
            place,
            max: b.float(clip, "clip_max"),
            min: b.float(clip, "clip_min"),
        }),
        fixed_min: b.bool(ulq, "fixed_min"),
        dst_type: bind_data_type(b, ulq),
    }
}

fn bind_weight_algorithm(
    b: &mut Binder,
    place: Place,
    algorithm: &MessageValue,
    kind: WeightAlgorithmKind,
) -> WeightAlgorithm {
    WeightAlgorithm {
        place,
        kind,
        channel_wise: b.bool(algorithm, "channel_wise"),
        dst_type: bind_data_type(b, algorithm),
    }
}

fn bind_data_type(b: &mut Binder, message: &MessageValue) -> Option<Placed<DataType>> {
    let Placed { value: name, place } = b.enum_name(message, "dst_type")?;
    let value = DataType::ALL.into_iter().find(|data_type| data_type.name() == name)?;
    Some(Placed { value, place })
}

fn bind_prune(b: &mut Binder, place: Place, prune: &MessageValue) -> PrunePart {
    let filter = b.message(prune, "filter_pruner", |b, place, filter| Pruner::Filter {
        place,
        balanced: b.message(filter, "balanced_l2_norm_filter_prune", |b, place, balanced| BalancedPruner {
            place,
            prune_ratio: b.float(balanced, "prune_ratio"),
            ascend_optimized: b.bool(balanced, "ascend_optimized"),
        }),
    });
    let selective = |b: &mut Binder| {
        b.message(prune, "n_out_of_m_pruner", |b, place, selective| Pruner::Selective {
            place,
            l1: b.message(selective, "l1_selective_prune", |b, place, l1| SelectivePruner {
                place,
                update_freq: b.uint(l1, "update_freq"),
            }),
        })
    };
    PrunePart { place, pruner: filter.or_else(|| selective(b)) }
}
