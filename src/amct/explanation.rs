//! The complete answer of an engine in one form for all families: what `explain` prints and an editor shows.

use super::certainty::Certainty;
use super::finding::Finding;
use super::json::Json;
use super::reason::Reason;
use super::refusal::{Refusal, Warning};

/// What AMCT makes of a file and a network.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The layers that AMCT writes, in its order.
    pub layers: Vec<ExplainedLayer>,
    /// Names of the layers whose values depend on a type that the layer list does not tell. Empty: `layers` and
    /// `output` are complete.
    pub undetermined: Vec<String>,
    /// AMCT's warnings, each once, up to its first error.
    pub warnings: Vec<Warning>,
    /// What AMCT raises.
    pub error: Option<Refusal>,
    /// The text that AMCT writes; `None` when it raises or a type is missing.
    pub output: Option<String>,
    /// Everything worth telling, in no particular order; refusals are among it.
    pub findings: Vec<Finding>,
}

/// A layer in AMCT's result.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedLayer {
    /// Its name.
    pub name: String,
    /// Its type as a file spells it.
    pub type_name: Option<String>,
    /// Whether it is quantised.
    pub enabled: bool,
    /// The deciding field as the schema spells it, or `global`.
    pub source: &'static str,
    /// A skip list names it, with or without effect.
    pub skip_by_name: bool,
    /// A skip list names its type, with or without effect.
    pub skip_by_type: bool,
    /// Its object as AMCT writes it.
    pub values: Json,
    /// What only some dialects have, such as the decision about pruning, by its name in JSON.
    pub extra: Vec<(&'static str, Json)>,
    /// Why.
    pub because: Vec<Reason>,
    /// Whether the layer, as it is here, is certain.
    pub certainty: Certainty,
}
