//! What the layers of a network were learned from, which decides what their absence proves.

use super::certainty::{Assumption, Certainty};

/// What a network was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A list that names every layer.
    Complete,
    /// A list that may lack layers.
    Incomplete,
    /// No list: every layer that the file mentions, and one of every type.
    Supposed,
}

impl Basis {
    /// How certain it is that a layer which is not in the network does not exist.
    pub fn absence(self) -> Certainty {
        match self {
            Self::Complete => Certainty::Known,
            Self::Incomplete => Certainty::Assumed(Assumption::IncompleteLayerList),
            Self::Supposed => Certainty::Assumed(Assumption::NoLayerList),
        }
    }
}
