//! What AMCT computes from a configuration and a network: effective values of each layer, warnings and errors.
//!
//! One folder a family of dialects; what several of them need stands beside the folders. An engine gets typed values
//! with places ([`place`]) and never sees text.

pub mod answer;
pub mod auto_prune;
pub mod basis;
pub mod bind;
pub mod calibration;
pub mod certainty;
pub mod distill;
pub mod engine;
pub mod entry;
pub mod explanation;
pub mod finding;
pub mod json;
pub mod kv_cache;
pub mod modules;
pub mod place;
pub mod prune_kind;
pub mod ptq;
pub mod qat;
pub mod reason;
pub mod refusal;
pub mod repeats;
pub mod report;
pub mod role;
pub mod table_answer;
pub mod text;

pub use answer::{Answer, explanation};
pub use basis::Basis;
pub use certainty::{Assumption, Certainty};
pub use engine::Engine;
pub use entry::Entry;
pub use explanation::{ExplainedLayer, Explanation};
pub use finding::{Finding, FindingKind, Level};
pub use json::Json;
pub use place::{Place, Placed, Places};
pub use reason::{Reason, ReasonKind};
pub use refusal::{AmctError, Cause, Refusal, Warning};
pub use role::Role;
pub use table_answer::TableAnswer;
pub use text::Text;
