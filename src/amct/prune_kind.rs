//! The ways in which AMCT prunes, and the types of layers that allow each.

/// The ways to prune.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PruneKind {
    /// Whole filters are removed.
    Filter,
    /// Single weights become 0: n out of every m.
    Selective,
}

impl PruneKind {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Filter, Self::Selective];

    /// The types of layers that can be pruned in this way (amct-semantics-prune.md A1).
    pub const fn types(self) -> &'static [&'static str] {
        match self {
            Self::Filter => &["Conv2d", "Linear"],
            Self::Selective => &["Conv2d", "Linear", "ConvTranspose2d"],
        }
    }

    /// The name in AMCT's texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter prune",
            Self::Selective => "selective prune",
        }
    }
}
