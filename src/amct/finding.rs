//! What a user should know about a configuration: all that AMCT refuses, and all about which it is silent.

use std::sync::Arc;

use super::certainty::Certainty;
use super::place::Place;
use super::refusal::{Refusal, quoted};
use super::text::Text;
use crate::language::Language;

/// A finding about a configuration and a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// Where.
    pub place: Place,
    /// Further places that explain it.
    pub related: Vec<(Place, Note)>,
    /// Whether it holds for sure.
    pub certainty: Certainty,
}

/// What stands at a related place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// An override that decides instead.
    DecidingOverride,
    /// A value that is lost.
    LostValue,
    /// The first of several equal entries.
    First,
    /// A skip of a whole type.
    TypeSkip,
    /// A skip that is cancelled.
    Skip,
    /// `fixed_min: true`
    FixedMin,
}

impl Note {
    /// What stands there.
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::DecidingOverride => language.pick("this override decides", "由此重写块决定"),
            Self::LostValue => language.pick("this value does not reach the layer", "此值不会作用到该层"),
            Self::First => language.pick("the first one", "第一处"),
            Self::TypeSkip => language.pick("its type is skipped here", "此处已跳过其类型"),
            Self::Skip => language.pick("this skip has no effect", "此处的跳过不起作用"),
            Self::FixedMin => language.pick("the lower bound is held at 0 here", "此处将下限固定为 0"),
        }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// AMCT raises for sure.
    Error,
    /// AMCT does what the author hardly meant, or may raise.
    Warning,
    /// Worth knowing.
    Information,
    /// Can go without changing anything.
    Unnecessary,
}

/// A value of an outer block that an override does not take over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The fields that lead to it from an override's block, the value's own last.
    pub path: Vec<&'static str>,
    /// The value as a file would spell it.
    pub value: String,
    /// Where it stands.
    pub place: Place,
}

impl Dropped {
    /// The value's own field.
    pub fn field(&self) -> &'static str {
        self.path.last().copied().unwrap_or_default()
    }
}

/// An override that could be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOverride {
    /// The field that holds it.
    pub field: &'static str,
    /// The field that says what it is for.
    pub key_field: &'static str,
    /// What it is for.
    pub key: String,
    /// Its values: the fields that lead to each, and the value as a file spells it.
    pub values: Vec<(Vec<&'static str>, String)>,
}

/// Why AMCT ignores an override that sets nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// The network has no layer of that name.
    NoSuchLayer,
    /// The layer is of this type, which AMCT does not quantise.
    NotQuantizable(String),
    /// AMCT quantises no such type.
    NoSuchType,
}

/// What a finding is.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingKind {
    /// AMCT refuses the file for this.
    Refused(Box<Refusal>),
    /// A skip entry without effect.
    SkipCancelled {
        /// The entry.
        item: String,
        /// The field that holds the overrides which cancel it.
        field: &'static str,
        /// What those overrides are for.
        keys: Vec<String>,
    },
    /// An override that does not take over values from outside.
    OverrideDropsValues {
        /// What it is for.
        key: String,
        /// The values.
        dropped: Vec<Dropped>,
        /// The layers concerned, where they are known.
        layers: Vec<String>,
    },
    /// An override with nothing but a name or type.
    BareOverride {
        /// What it is for.
        key: String,
        /// The values that it resets to defaults.
        dropped: Vec<Dropped>,
        /// It switches on again what is skipped.
        reenables: bool,
    },
    /// An override with nothing but a name or type, which AMCT ignores.
    IgnoredOverride {
        /// What it is for.
        key: String,
        /// Why AMCT ignores it.
        why: Ignored,
    },
    /// An override for a type of which the network has no layer.
    AbsentType {
        /// The type.
        key: String,
    },
    /// An override for a type of which every layer has one of its own.
    ShadowedOverride {
        /// The type.
        key: String,
    },
    /// A clip that AMCT would refuse, in an override that no layer uses.
    UnusedBadClip {
        /// What the override is for.
        key: String,
    },
    /// An entry that stands in its list already; AMCT warns with this text.
    RepeatedSkip {
        /// The entry.
        item: String,
        /// AMCT's text.
        warning: Arc<str>,
    },
    /// An entry that stands in the other skip list too.
    SkipListedTwice {
        /// The entry.
        item: String,
        /// The other list.
        list: &'static str,
    },
    /// A skipped layer whose type is skipped anyway.
    SkipCoveredByType {
        /// The layer.
        item: String,
        /// Its type.
        type_name: String,
    },
    /// A skipped type of which the network has no layer.
    SkipOfAbsentType {
        /// The type.
        item: String,
    },
    /// `clip_min` beside `fixed_min: true`.
    FixedMinIgnoresClipMin,
    /// `prune_config` where nothing is pruned and AMCT does not say so.
    PruneConfigIgnored,
    /// Anything that one family of dialects alone does.
    Plain {
        /// Stable name of the kind.
        code: &'static str,
        /// How bad it is.
        level: Level,
        /// What happens, and how to mend it.
        text: Text,
    },
    /// Weight INT4 that becomes INT8.
    Int4Downgraded {
        /// The layers.
        layers: Vec<String>,
        /// AMCT's text about the first.
        warning: String,
    },
}

impl Finding {
    /// Stable name of the kind of finding.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            FindingKind::Refused(refusal) => refusal.cause.code(),
            FindingKind::Plain { code, .. } => code,
            FindingKind::SkipCancelled { .. } => "skip-without-effect",
            FindingKind::OverrideDropsValues { .. } => "override-drops-values",
            FindingKind::BareOverride { .. } => "bare-override",
            FindingKind::IgnoredOverride { .. } => "ignored-override",
            FindingKind::AbsentType { .. } => "override-of-absent-type",
            FindingKind::ShadowedOverride { .. } => "shadowed-override",
            FindingKind::UnusedBadClip { .. } => "unused-bad-clip",
            FindingKind::RepeatedSkip { .. } => "repeated-skip",
            FindingKind::SkipListedTwice { .. } => "skip-listed-twice",
            FindingKind::SkipCoveredByType { .. } => "skip-covered-by-type",
            FindingKind::SkipOfAbsentType { .. } => "skip-of-absent-type",
            FindingKind::FixedMinIgnoresClipMin => "clip-min-without-effect",
            FindingKind::PruneConfigIgnored => "prune-config-ignored",
            FindingKind::Int4Downgraded { .. } => "int4-downgraded",
        }
    }

    /// How bad it is. Only what is known is an error.
    pub fn level(&self) -> Level {
        match &self.kind {
            FindingKind::Refused(_) if self.certainty.is_known() => Level::Error,
            FindingKind::BareOverride { dropped, reenables: false, .. } if dropped.is_empty() => {
                Level::Unnecessary
            }
            FindingKind::Plain { level, .. } => *level,
            FindingKind::ShadowedOverride { .. }
            | FindingKind::RepeatedSkip { .. }
            | FindingKind::SkipListedTwice { .. }
            | FindingKind::SkipCoveredByType { .. }
            | FindingKind::SkipOfAbsentType { .. } => Level::Unnecessary,
            FindingKind::FixedMinIgnoresClipMin => Level::Information,
            _ => Level::Warning,
        }
    }

    /// What, why, and how to mend it.
    pub fn message(&self, language: Language) -> String {
        let text = match &self.kind {
            FindingKind::Refused(refusal) => return refusal.message(language),
            kind => kind.text(language),
        };
        match self.certainty {
            Certainty::Known => text,
            Certainty::Assumed(assumption) => {
                let what = assumption.text(language);
                language.pick(format!("{text} (not certain: {what})"), format!("{text}（不确定：{what}）"))
            }
        }
    }
}

impl FindingKind {
    fn text(&self, language: Language) -> String {
        match self {
            Self::Refused(refusal) => refusal.message(language),
            Self::SkipCancelled { item, field, keys } => {
                let keys = list(keys, language);
                language.pick(
                    format!(
                        "Skipping `{item}` has no effect: `{field}` for {keys} quantises it all the same, and AMCT \
                         does not say so. Remove the skip or the override"
                    ),
                    format!("跳过 `{item}` 不起作用：`{field}` 中的 {keys} 仍使其量化，而 AMCT 不会提示。请删去其一"),
                )
            }
            Self::OverrideDropsValues { key, dropped, layers } => {
                let values = dropped_list(dropped, language);
                let of = if layers.is_empty() { String::new() } else { list(layers, language) };
                language.pick(
                    format!(
                        "The override for `{key}` is taken whole and inherits nothing: {values} {} lost{}. Repeat \
                         {} here to keep {}",
                        if dropped.len() == 1 { "is" } else { "are" },
                        if of.is_empty() { of.clone() } else { format!(" for {of}") },
                        if dropped.len() == 1 { "it" } else { "them" },
                        if dropped.len() == 1 { "it" } else { "them" },
                    ),
                    format!(
                        "`{key}` 的重写块整体生效、不继承：{values} 丢失{}。若要保留，请在此处重写一遍",
                        if of.is_empty() { of.clone() } else { format!("（{of}）") },
                    ),
                )
            }
            Self::BareOverride { key, dropped, reenables } => {
                let effect = match (dropped.is_empty(), reenables) {
                    (true, false) => language.pick(
                        "and changes nothing; it can be removed".to_owned(),
                        "没有任何作用，可以删去".to_owned(),
                    ),
                    (true, true) => language.pick(
                        "and switches on again what a skip switches off".to_owned(),
                        "会重新启用被跳过的层".to_owned(),
                    ),
                    (false, reenables) => {
                        let values = dropped_list(dropped, language);
                        let skip = if *reenables {
                            language.pick(", and switches on again what a skip switches off", "，还会重新启用被跳过的层")
                        } else {
                            ""
                        };
                        language.pick(
                            format!("and resets everything to AMCT's defaults, which loses {values}{skip}"),
                            format!("会把所有参数重置为 AMCT 默认值，丢失 {values}{skip}"),
                        )
                    }
                };
                language.pick(
                    format!("The override for `{key}` sets nothing {effect}"),
                    format!("`{key}` 的重写块没有任何设置，{effect}"),
                )
            }
            Self::IgnoredOverride { key, why } => {
                let (en, zh) = match why {
                    Ignored::NoSuchLayer => {
                        (format!("The network has no layer `{key}`"), format!("网络中没有名为 `{key}` 的层"))
                    }
                    Ignored::NotQuantizable(type_name) => (
                        format!("Layer `{key}` is of type `{type_name}`, which AMCT does not quantise"),
                        format!("层 `{key}` 的类型是 `{type_name}`，AMCT 不量化该类型"),
                    ),
                    Ignored::NoSuchType => {
                        (format!("AMCT quantises no layer type `{key}`"), format!("AMCT 不量化层类型 `{key}`"))
                    }
                };
                language.pick(
                    format!("{en}; since this override sets nothing, AMCT ignores it silently"),
                    format!("{zh}；此重写块又没有任何设置，AMCT 会悄悄忽略它"),
                )
            }
            Self::AbsentType { key } => language.pick(
                format!("The network has no layer of type `{key}`, so this override decides nothing"),
                format!("网络中没有 `{key}` 类型的层，此重写块不起作用"),
            ),
            Self::ShadowedOverride { key } => language.pick(
                format!("Every layer of type `{key}` has an override by name, so this one decides nothing"),
                format!("所有 `{key}` 类型的层都有按层名的重写块，此重写块不起作用"),
            ),
            Self::UnusedBadClip { key } => language.pick(
                format!(
                    "AMCT would refuse this clip range, but no layer uses the override for `{key}`, so nobody \
                     notices. Give clip_max above 0 and clip_min below 0"
                ),
                format!("此截断范围会被 AMCT 拒绝，但没有层使用 `{key}` 的重写块，所以不会报错。clip_max 应大于 0，clip_min 应小于 0"),
            ),
            Self::RepeatedSkip { item, warning } => language.pick(
                format!("`{item}` stands in this list already; remove it. AMCT warns: {}", quoted(warning)),
                format!("`{item}` 在此列表中已出现过，请删去。AMCT 告警：{}", quoted(warning)),
            ),
            Self::SkipListedTwice { item, list } => language.pick(
                format!("`{item}` stands in `{list}` too; the lists are united, one entry is enough"),
                format!("`{item}` 也在 `{list}` 中；两个列表取并集，写一处即可"),
            ),
            Self::SkipCoveredByType { item, type_name } => language.pick(
                format!("`{item}` is skipped already, because its type `{type_name}` is"),
                format!("`{item}` 的类型 `{type_name}` 已被跳过，此项多余"),
            ),
            Self::SkipOfAbsentType { item } => language.pick(
                format!("The network has no layer of type `{item}`, so there is nothing to skip"),
                format!("网络中没有 `{item}` 类型的层，此项没有作用"),
            ),
            Self::FixedMinIgnoresClipMin => language
                .pick(
                    "`clip_min` has no effect beside `fixed_min: true`, which holds the lower bound at 0; AMCT \
                     requires it all the same",
                    "`fixed_min: true` 将下限固定为 0，`clip_min` 不起作用；但 AMCT 仍要求写它",
                )
                .to_owned(),
            Self::PruneConfigIgnored => language
                .pick(
                    "AMCT ignores `prune_config` here without a word: this file is read for quantisation alone",
                    "此文件只用于量化，AMCT 会悄悄忽略此处的 `prune_config`",
                )
                .to_owned(),
            Self::Plain { text, .. } => text.pick(language).to_owned(),
            Self::Int4Downgraded { layers, warning } => {
                let layers = list(layers, language);
                language.pick(
                    format!("INT4 weights become INT8 for {layers}. AMCT warns: {warning}"),
                    format!("{layers} 的 INT4 权重会变为 INT8。AMCT 告警：{warning}"),
                )
            }
        }
    }
}

/// Names for a sentence: the first few, then how many more.
fn list(names: &[String], language: Language) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let text = shown.join(language.pick(", ", "、"));
    match names.len().saturating_sub(SHOWN) {
        0 => text,
        more => language.pick(format!("{text} and {more} more"), format!("{text} 等 {} 个", names.len())),
    }
}

fn dropped_list(dropped: &[Dropped], language: Language) -> String {
    let values: Vec<_> = dropped.iter().map(|d| format!("`{}: {}`", d.field(), d.value)).collect();
    values.join(language.pick(", ", "、"))
}
