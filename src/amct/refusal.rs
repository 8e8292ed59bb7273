//! What AMCT raises and logs, and what the user did to bring it about. AMCT's own texts name neither the place nor,
//! mostly, the layer; both are found here.

use std::borrow::Cow;
use std::sync::Arc;

use super::certainty::Certainty;
use super::finding::NewOverride;
use super::place::Place;
use super::prune_kind::PruneKind;
use super::text::Text;
use crate::language::Language;
use crate::python;

/// An exception of AMCT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmctError {
    /// Python's name of its type.
    pub type_name: &'static str,
    /// Its text, exactly.
    pub message: Arc<str>,
}

impl AmctError {
    /// The exception that AMCT uses for almost everything.
    pub fn value_error(message: impl Into<Arc<str>>) -> Self {
        Self { type_name: "ValueError", message: message.into() }
    }
}

/// A warning that AMCT logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Its text, exactly.
    pub message: String,
    /// What it is about.
    pub places: Vec<Place>,
}

/// A reason for which AMCT refuses a file. After the first AMCT says no more; the others would follow once it is mended.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What AMCT raises.
    pub error: AmctError,
    /// What is wrong.
    pub cause: Cause,
    /// Where.
    pub place: Place,
    /// Further places that belong to it, such as the first of two equal names.
    pub related: Vec<Place>,
    /// The layers for which AMCT would raise, the first of them being the one that it does raise for.
    pub layers: Vec<String>,
    /// Whether AMCT raises for sure.
    pub certainty: Certainty,
}

/// What is wrong with a file that AMCT refuses.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The network has no layer that can be quantised.
    NoQuantizableLayer,
    /// A pruning field in a file for quantisation only.
    PruningField {
        /// The field.
        field: &'static str,
    },
    /// A layer type that AMCT does not quantise.
    UnknownType {
        /// The type as written.
        name: String,
        /// The types that it knows.
        supported: &'static [&'static str],
    },
    /// A name that is no quantisable layer.
    UnknownLayer {
        /// The name as written.
        name: String,
        /// The type of the layer of that name, where there is one that cannot be quantised.
        other_type: Option<String>,
    },
    /// Two overrides for the same layer or type.
    RepeatedOverride {
        /// The name or type.
        key: String,
    },
    /// `clip_max_min` with one bound or none.
    OneSidedClip {
        /// The bounds that are missing.
        missing: Vec<&'static str>,
    },
    /// A clip bound on the wrong side of zero.
    ClipOutOfRange {
        /// `clip_max` or `clip_min`.
        bound: &'static str,
        /// Its value after rounding to 32 bits.
        value: f32,
    },
    /// Activations of 4 bits.
    Int4Activation,
    /// A pair of data types that does not go together.
    UnsupportedBits {
        /// For activations.
        data: &'static str,
        /// For weights.
        weight: &'static str,
    },
    /// `batch_num: 0`
    BatchNumZero,
    /// One factor a channel on a fully connected layer.
    ChannelWiseOnFullyConnected {
        /// Its type.
        type_name: &'static str,
        /// An override that keeps everything else as it is, when it is a block for many types that says so.
        cure: Option<Box<NewOverride>>,
    },
    /// A layer that is called like a key of AMCT's JSON.
    ReservedLayerName,
    /// Every layer is skipped.
    AllLayersOff,
    /// INT4 weights on a layer with `AvgPool` in its name.
    AvgPoolInt4,
    /// A pruner without the algorithm that it needs.
    PrunerWithoutAlgorithm {
        /// The algorithm's field.
        field: &'static str,
    },
    /// A filter pruner without `prune_ratio`.
    MissingPruneRatio,
    /// Neither quantisation nor pruning is configured.
    NothingToDo,
    /// The network has no layer that can be pruned.
    NoPrunableLayer,
    /// A `prune_config` with nothing in it, at the root.
    EmptyPruneConfig,
    /// A quantisation field in a file that only prunes.
    QuantizationField {
        /// The field.
        field: &'static str,
    },
    /// A layer or type that cannot be pruned in the way in question; `None`: the root asks for no pruning at all.
    NotPrunable {
        /// The name or type.
        item: String,
        /// The way.
        kind: Option<PruneKind>,
    },
    /// A ratio that is not between 0 and 1.
    PruneRatioOutOfRange {
        /// The ratio after rounding to 32 bits.
        value: f32,
    },
    /// Anything that one family of dialects alone refuses.
    Plain {
        /// Stable name of the kind.
        code: &'static str,
        /// What is wrong and how to mend it.
        text: Text,
    },
}

impl Cause {
    /// Stable name of the finding.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoQuantizableLayer => "no-quantizable-layer",
            Self::PruningField { .. } => "pruning-field",
            Self::UnknownType { .. } => "unknown-layer-type",
            Self::UnknownLayer { .. } => "unknown-layer",
            Self::RepeatedOverride { .. } => "repeated-override",
            Self::OneSidedClip { .. } => "one-sided-clip",
            Self::ClipOutOfRange { .. } => "clip-out-of-range",
            Self::Int4Activation => "int4-activation",
            Self::UnsupportedBits { .. } => "unsupported-bits",
            Self::BatchNumZero => "batch-num-zero",
            Self::ChannelWiseOnFullyConnected { .. } => "channel-wise-on-fully-connected",
            Self::ReservedLayerName => "reserved-layer-name",
            Self::AllLayersOff => "all-layers-off",
            Self::AvgPoolInt4 => "avgpool-int4",
            Self::PrunerWithoutAlgorithm { .. } => "pruner-without-algorithm",
            Self::MissingPruneRatio => "missing-prune-ratio",
            Self::Plain { code, .. } => code,
            Self::NothingToDo => "nothing-to-do",
            Self::NoPrunableLayer => "no-prunable-layer",
            Self::EmptyPruneConfig => "empty-prune-config",
            Self::QuantizationField { .. } => "quantization-field",
            Self::NotPrunable { .. } => "not-prunable",
            Self::PruneRatioOutOfRange { .. } => "prune-ratio-out-of-range",
        }
    }
}

/// A text of AMCT's to quote: it may list thousands of names.
pub(super) fn quoted(text: &str) -> Cow<'_, str> {
    const LONG: usize = 240;
    let text = text.trim();
    if text.len() <= LONG {
        text.into()
    } else {
        format!("{}…", &text[..text.floor_char_boundary(LONG)]).into()
    }
}

impl Refusal {
    /// What is wrong and how to mend it, with AMCT's own text.
    pub fn message(&self, language: Language) -> String {
        let text = self.explanation(language);
        let AmctError { type_name, message } = &self.error;
        let assumption = match self.certainty {
            Certainty::Known => String::new(),
            Certainty::Assumed(assumption) => {
                let what = assumption.text(language);
                language.pick(format!(" (not certain: {what})"), format!("（不确定：{what}）"))
            }
        };
        language.pick(
            format!("{text}{assumption}. AMCT raises {type_name}: {}", quoted(message)),
            format!("{text}{assumption}。AMCT 报错 {type_name}: {}", quoted(message)),
        )
    }

    fn explanation(&self, language: Language) -> String {
        let layer = self.layers.first().map_or("", String::as_str);
        let of_layers = match self.layers.len() {
            0 => String::new(),
            1 => language.pick(format!(" (layer `{layer}`)"), format!("（层 `{layer}`）")),
            n => language.pick(
                format!(" (layer `{layer}` and {} more)", n - 1),
                format!("（层 `{layer}` 等 {n} 层）"),
            ),
        };
        match &self.cause {
            Cause::NoQuantizableLayer => language
                .pick("The network has no layer that AMCT can quantise", "网络中没有 AMCT 可量化的层")
                .to_owned(),
            Cause::PruningField { field } => language.pick(
                format!("`{field}` belongs to pruning, and this file is read for quantisation alone; remove it"),
                format!("`{field}` 用于稀疏，而此文件只用于量化；请删去"),
            ),
            Cause::UnknownType { name, supported } if name.is_empty() => {
                let supported = supported.join(", ");
                language.pick(
                    format!("The layer type is missing; write one of {supported}"),
                    format!("缺少层类型；请写成其中之一：{supported}"),
                )
            }
            Cause::UnknownType { name, supported } => {
                let supported = supported.join(", ");
                language.pick(
                    format!("AMCT quantises no layer type `{name}`; write exactly one of {supported}"),
                    format!("AMCT 不量化层类型 `{name}`；请准确写成其中之一：{supported}"),
                )
            }
            Cause::UnknownLayer { name, other_type: Some(type_name) } => language.pick(
                format!("Layer `{name}` is of type `{type_name}`, which AMCT does not quantise; remove it here"),
                format!("层 `{name}` 的类型是 `{type_name}`，AMCT 不量化该类型；请从此处删去"),
            ),
            Cause::UnknownLayer { name, other_type: None } if name.is_empty() => {
                language.pick("The layer name is missing", "缺少层名").to_owned()
            }
            Cause::UnknownLayer { name, other_type: None } => language.pick(
                format!("The network has no layer `{name}`; names are compared exactly"),
                format!("网络中没有名为 `{name}` 的层；层名须完全一致"),
            ),
            Cause::RepeatedOverride { key } => language.pick(
                format!("`{key}` already has an override; merge the two"),
                format!("`{key}` 已有重写块；请合并为一个"),
            ),
            Cause::OneSidedClip { missing } => {
                let missing = missing.join(", ");
                language.pick(
                    format!("`clip_max_min` needs both bounds; add {missing}"),
                    format!("`clip_max_min` 须同时给出上下限；请补上 {missing}"),
                )
            }
            Cause::ClipOutOfRange { bound, value } => {
                let value = crate::python::float_repr(f64::from(*value));
                let (en, zh) = if *bound == "clip_max" { ("above", "大于") } else { ("below", "小于") };
                language.pick(
                    format!("`{bound}` must be {en} 0 and is {value}{of_layers}"),
                    format!("`{bound}` 必须{zh} 0，现为 {value}{of_layers}"),
                )
            }
            Cause::Int4Activation => language
                .pick(
                    "Activations cannot be trained in INT4; use INT8 or INT16",
                    "量化感知训练不支持 INT4 激活；请用 INT8 或 INT16",
                )
                .to_owned(),
            Cause::UnsupportedBits { data, weight } => language.pick(
                format!(
                    "Activations in {data} do not go with weights in {weight}{of_layers}; use INT8/INT8, INT16/INT8 \
                     or INT8/INT4"
                ),
                format!("激活 {data} 与权重 {weight} 不能搭配{of_layers}；可用 INT8/INT8、INT16/INT8、INT8/INT4"),
            ),
            Cause::BatchNumZero => {
                language.pick("`batch_num` must be at least 1", "`batch_num` 至少为 1").to_owned()
            }
            Cause::ChannelWiseOnFullyConnected { type_name, .. } => language.pick(
                format!(
                    "`channel_wise: true` reaches layers of type {type_name}{of_layers}, which cannot have one factor \
                     a channel, skipped or not; add an override for {type_name} with `channel_wise: false`"
                ),
                format!(
                    "`channel_wise: true` 作用到了 {type_name} 类型的层{of_layers}，该类型不能逐通道量化，跳过也不行；\
                     请为 {type_name} 加一个 `channel_wise: false` 的重写块"
                ),
            ),
            Cause::ReservedLayerName => language.pick(
                format!("Layer `{layer}` is called like a key of AMCT's own JSON; rename it in the network"),
                format!("层 `{layer}` 与 AMCT 结果 JSON 的全局键重名；请在网络中改名"),
            ),
            Cause::AllLayersOff => language
                .pick("Every layer is skipped, so nothing would be trained", "所有层都被跳过，没有可训练的层")
                .to_owned(),
            Cause::AvgPoolInt4 => language.pick(
                format!("Layer `{layer}` has `AvgPool` in its name and INT4 weights; use INT8"),
                format!("层 `{layer}` 的名字含 `AvgPool`，权重又是 INT4；请用 INT8"),
            ),
            Cause::PrunerWithoutAlgorithm { field } => {
                language.pick(format!("`{field}` is missing here"), format!("此处缺少 `{field}`"))
            }
            Cause::Plain { text, .. } => format!("{}{of_layers}", text.pick(language)),
            Cause::NothingToDo => language
                .pick(
                    "Nothing is quantised or pruned here: create_compressed_retrain_model needs at least one \
                     retrain_data_quant_config, retrain_weight_quant_config or prune_config",
                    "此处既没有量化也没有稀疏：create_compressed_retrain_model 至少需要一个 \
                     retrain_data_quant_config、retrain_weight_quant_config 或 prune_config",
                )
                .to_owned(),
            Cause::NoPrunableLayer => language
                .pick("The network has no layer that AMCT can prune", "网络中没有 AMCT 可稀疏的层")
                .to_owned(),
            Cause::EmptyPruneConfig => language
                .pick(
                    "An empty `prune_config` crashes AMCT; give it filter_pruner or n_out_of_m_pruner, or remove it",
                    "空的 `prune_config` 会使 AMCT 崩溃；请写入 filter_pruner 或 n_out_of_m_pruner，或删去",
                )
                .to_owned(),
            Cause::QuantizationField { field } => language.pick(
                format!("`{field}` belongs to quantisation, and this file only prunes; remove it"),
                format!("`{field}` 用于量化，而此文件只做稀疏；请删去"),
            ),
            Cause::NotPrunable { item, kind: None } => language.pick(
                format!("`{item}` cannot be skipped: there is no `prune_config` at the root, so nothing can be pruned by it"),
                format!("无法跳过 `{item}`：根上没有 `prune_config`"),
            ),
            Cause::NotPrunable { item, kind: Some(kind) } => {
                let types = kind.types().join(", ");
                language.pick(
                    format!("`{item}` cannot be pruned by {}, which takes {types} only", kind.name()),
                    format!("`{item}` 不支持 {}，只支持 {types}", kind.name()),
                )
            }
            Cause::PruneRatioOutOfRange { value } => {
                let value = python::float_repr(f64::from(*value));
                language.pick(
                    format!("`prune_ratio` must be above 0 and below 1 and is {value}{of_layers}"),
                    format!("`prune_ratio` 必须大于 0 且小于 1，现为 {value}{of_layers}"),
                )
            }
            Cause::MissingPruneRatio => {
                language.pick("`prune_ratio` is missing here", "此处缺少 `prune_ratio`").to_owned()
            }
        }
    }
}
