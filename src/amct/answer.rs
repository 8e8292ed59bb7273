//! What every engine answers, in the form that lenses, hover, inlay hints and reports are made from.
//!
//! An engine gives cheap facts at once and the reasons of its layers when somebody asks: they cost more than the rest.

use std::fmt;

use super::basis::Basis;
use super::certainty::Certainty;
use super::entry::Entry;
use super::explanation::{ExplainedLayer, Explanation};
use super::finding::Finding;
use super::place::Place;
use super::reason::Filled;
use super::refusal::{Refusal, Warning};
use crate::language::Language;

/// The answer of an engine to a file and a network. Layers are numbered in network order; those that AMCT writes
/// nothing about have no number.
pub trait Answer: fmt::Debug + Send + Sync {
    /// Which function of AMCT reads the file, in dialects that know several.
    fn entry(&self) -> Option<Entry> {
        None
    }

    /// What the layers were learned from.
    fn basis(&self) -> Basis;

    /// What AMCT raises.
    fn error(&self) -> Option<&Refusal>;

    /// AMCT's warnings, each once, up to its first error.
    fn warnings(&self) -> &[Warning];

    /// Everything worth telling, in no particular order; refusals are among it.
    fn findings(&self) -> Vec<Finding>;

    /// Names of the layers whose values depend on a type that is not known.
    fn undetermined(&self) -> Vec<String>;

    /// How many layers there are.
    fn layer_count(&self) -> usize;

    /// The name of a layer.
    fn layer_name(&self, layer: usize) -> &str;

    /// The type of a layer as a file spells it, where it is known.
    fn layer_type(&self, layer: usize) -> Option<&str>;

    /// The types that AMCT knows, as a file spells them.
    fn types(&self) -> &'static [&'static str];

    /// What AMCT does with a layer, in short; `None` when it is not determined.
    fn state(&self, layer: usize, language: Language) -> Option<State>;

    /// All layers that are determined, with values and reasons.
    fn explain(&self) -> Vec<ExplainedLayer>;

    /// The text that AMCT writes; meaningful when it raises nothing and every layer is determined.
    fn output(&self) -> String;

    /// The blocks that decide layers, or could.
    fn blocks(&self) -> Vec<Block>;

    /// The values that a block gives to layers that use it, in short.
    fn block_values(&self, block: &BlockKind, language: Language) -> String;

    /// Every entry of a skip list and what comes of it.
    fn skips(&self) -> Vec<Skip>;

    /// What is in force in a block though nobody wrote it.
    fn unwritten(&self) -> Vec<(Place, Filled)>;

    /// The verbs of the dialect: what it does to a layer that is enabled.
    fn verb(&self, language: Language) -> &'static str {
        language.pick("quantised", "量化")
    }
}

/// What AMCT does with a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Whether it does anything to the layer.
    pub is_enabled: bool,
    /// The values in short, such as `ulq -3.0..3.0, channel_wise true`.
    pub values: String,
}

/// A block that decides layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where a lens belongs; the root may hold several blocks.
    pub places: Vec<Place>,
    /// The layers that it decides.
    pub layers: Vec<usize>,
}

/// What a block is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// All layers that nothing else decides.
    Global,
    /// The layer of that name; the entry has this index.
    ByName(usize, String),
    /// All layers of that type; the entry has this index.
    ByType(usize, String),
}

/// An entry of a skip list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The entry.
    pub place: Place,
    /// What it is meant to keep from being done, and what comes of it; the lists of pruning and of quantisation may be
    /// one.
    pub effects: Vec<SkipEffect>,
    /// How sure that is.
    pub certainty: Certainty,
}

/// What comes of a skip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipEffect {
    /// What is skipped.
    pub aspect: Aspect,
    /// The layers that it switches off.
    pub off: Vec<String>,
    /// The layers that it would switch off, but an override switches them on again: its field and its key.
    pub cancelled: Vec<(String, Place)>,
}

/// What can be done to a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// Quantised.
    Quantised,
    /// Pruned.
    Pruned,
    /// Searched for a pruning.
    Searched,
}

impl Aspect {
    /// The participle.
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::Quantised => language.pick("quantised", "量化"),
            Self::Pruned => language.pick("pruned", "稀疏"),
            Self::Searched => language.pick("searched", "搜索"),
        }
    }
}

/// Everything about an answer at once.
pub fn explanation(answer: &dyn Answer) -> Explanation {
    let undetermined = answer.undetermined();
    let is_complete = answer.error().is_none() && undetermined.is_empty();
    Explanation {
        layers: answer.explain(),
        output: is_complete.then(|| answer.output()),
        undetermined,
        warnings: answer.warnings().to_vec(),
        error: answer.error().cloned(),
        findings: answer.findings(),
    }
}
