//! Quantisation-aware training and pruning: `AMCTRetrainConfig` of MindSpore and PyTorch, read by
//! `create_quant_retrain_config` (amct-semantics.md) and, for PyTorch, by the functions that prune too
//! (amct-semantics-prune.md).

mod answer;
pub mod engine;
pub mod findings;
mod inherit;
pub mod model;
pub mod network;
pub mod output;
mod prune_findings;
mod pruning;
pub mod reasons;
pub mod values;

pub use answer::{QatAnswer, answer, explain};
pub use engine::{Decision, Resolution, ResolvedLayer, Source, resolve};
pub use model::Config;
pub use network::{Framework, LayerType, Network, NetworkLayer};
pub use reasons::Reasons;
pub use values::Values;
