//! Why a layer has the values that it has: one sentence a reason, each with its place in the file.

use super::place::Place;
use super::text::Text;
use crate::language::Language;

/// A step in the explanation of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What happened.
    pub kind: ReasonKind,
    /// The text that brought it about; for a default the block that lacks the field. `None`: nothing in the file.
    pub place: Option<Place>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasonKind {
    /// An override decides.
    Override {
        /// The field that holds it.
        field: &'static str,
        /// The layer name or type that it is for.
        key: String,
    },
    /// A block at the root decides.
    Global {
        /// The block's field.
        field: &'static str,
    },
    /// No block decides: AMCT's defaults.
    Default,
    /// An override by type fits too, and that by name beats it.
    Outranked {
        /// The type.
        key: String,
    },
    /// An entry of a skip list switches the layer off.
    Skipped {
        /// The list.
        list: &'static str,
        /// The entry.
        item: String,
    },
    /// An entry of a skip list fits and has no effect, because an override decides.
    SkipCancelled {
        /// The list.
        list: &'static str,
        /// The entry.
        item: String,
        /// The field that holds the override.
        field: &'static str,
    },
    /// A value stands in the deciding block.
    Set {
        /// The field.
        field: &'static str,
        /// Its value, as AMCT reads it.
        value: String,
    },
    /// A value is not taken over from the outer block.
    NotInherited {
        /// The field.
        field: &'static str,
        /// Its value there.
        value: String,
    },
    /// A value that the file does not give.
    Filled(Filled),
    /// Anything that one family of dialects alone does.
    Plain(Text),
    /// The same, for how a layer is pruned.
    Pruning(Box<ReasonKind>),
    /// An override without a pruner of its own takes the global one.
    PrunerFromRoot {
        /// What the override is for.
        key: String,
    },
    /// AMCT drops the pruning of a layer that cannot be pruned in this way.
    PruningDropped,
    /// An entry of a skip list beats an override.
    SkipWins {
        /// The list.
        list: &'static str,
        /// The entry.
        item: String,
    },
    /// No block at the root quantises, so nothing does.
    NotAskedFor,
    /// INT4 weights become INT8.
    Int4Downgraded,
    /// A global key of AMCT's JSON overwrites the layer.
    Lost,
}

/// A default and why it is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// No clip: AMCT derives the bounds from data.
    ClipFromData,
    /// No `fixed_min`: true behind a ReLU, else false.
    FixedMinFromGraph,
    /// No `channel_wise`: true for this type.
    ChannelWise,
    /// No `channel_wise`, and layers of several types: their types decide.
    ChannelWiseByType,
    /// No `channel_wise`: false, for the layer is fully connected.
    NotChannelWise,
}

impl Filled {
    /// The value in force, short enough for an inlay.
    pub fn label(self, language: Language) -> &'static str {
        match self {
            Self::ClipFromData => language.pick("clip from data (IFMR)", "由数据求截断范围（IFMR）"),
            Self::FixedMinFromGraph => language
                .pick("fixed_min: true after ReLU, else false", "fixed_min: ReLU 之后为 true，否则 false"),
            Self::ChannelWiseByType => language.pick(
                "channel_wise: false if fully connected, else true",
                "channel_wise: 全连接层为 false，其余为 true",
            ),
            Self::ChannelWise => "channel_wise: true",
            Self::NotChannelWise => "channel_wise: false",
        }
    }
}

impl ReasonKind {
    /// The reason as a sentence.
    pub fn message(&self, language: Language) -> String {
        match self {
            Self::Override { field, key } => language
                .pick(format!("`{field}` for `{key}` decides"), format!("由 `{field}` 中 `{key}` 的重写块决定")),
            Self::Global { field } => {
                language.pick(format!("the global `{field}` decides"), format!("由全局 `{field}` 决定"))
            }
            Self::Default => language
                .pick("no block fits: AMCT's defaults", "没有适用的配置块：取 AMCT 默认值")
                .to_owned(),
            Self::Outranked { key } => language.pick(
                format!("the override for type `{key}` fits too, but one by name beats it"),
                format!("类型 `{key}` 的重写块也适用，但按层名的重写优先"),
            ),
            Self::Skipped { list, item } => {
                language.pick(format!("skipped by `{item}` in `{list}`"), format!("被 `{list}` 中的 `{item}` 跳过"))
            }
            Self::SkipCancelled { list, item, field } => language.pick(
                format!("`{item}` in `{list}` has no effect: `{field}` switches the layer on again"),
                format!("`{list}` 中的 `{item}` 不起作用：`{field}` 又启用了该层"),
            ),
            Self::Set { field, value } => format!("`{field}: {value}`"),
            Self::NotInherited { field, value } => language.pick(
                format!("`{field}: {value}` is not inherited: an override is taken whole"),
                format!("`{field}: {value}` 不会继承：重写块整体生效"),
            ),
            Self::Filled(filled) => {
                let label = filled.label(language);
                match filled {
                    Filled::NotChannelWise => language.pick(
                        format!("{label}, the default for a fully connected layer"),
                        format!("{label}，全连接层的默认值"),
                    ),
                    _ => language.pick(format!("{label}, by default"), format!("{label}（默认）")),
                }
            }
            Self::Plain(text) => text.pick(language).to_owned(),
            Self::Pruning(reason) => {
                let text = reason.message(language);
                language.pick(format!("pruning: {text}"), format!("稀疏：{text}"))
            }
            Self::PrunerFromRoot { key } => language.pick(
                format!("the override for `{key}` has no pruner: the global `prune_config` applies"),
                format!("`{key}` 的重写块没有稀疏设置：使用全局 `prune_config`"),
            ),
            Self::PruningDropped => language
                .pick(
                    "the layer cannot be pruned in this way: AMCT drops it without a word",
                    "该层不支持这种稀疏方式：AMCT 会悄悄忽略",
                )
                .to_owned(),
            Self::SkipWins { list, item } => language.pick(
                format!("skipped by `{item}` in `{list}`, which beats every override"),
                format!("被 `{list}` 中的 `{item}` 跳过，跳过优先于重写"),
            ),
            Self::NotAskedFor => language
                .pick(
                    "no block at the root quantises, so layers without an override are not quantised",
                    "根上没有量化配置块，没有重写的层不量化",
                )
                .to_owned(),
            Self::Int4Downgraded => language
                .pick(
                    "INT4 weights of this layer cannot be packed (grouped, or an odd number of input channels): INT8",
                    "该层权重无法按 INT4 打包（分组卷积或输入通道数为奇数）：改为 INT8",
                )
                .to_owned(),
            Self::Lost => language
                .pick(
                    "the layer is called like a global key of AMCT's JSON, which overwrites it: switched off",
                    "该层与 AMCT 结果 JSON 的全局键重名而被覆盖：不量化",
                )
                .to_owned(),
        }
    }
}
