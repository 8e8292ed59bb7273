//! Quantisation-aware training: `AMCTRetrainConfig` of MindSpore and PyTorch, read by `create_quant_retrain_config`
//! (amct-semantics.md). Pruning and the combined entry are not here.

pub mod engine;
pub mod model;
pub mod network;
pub mod output;
pub mod values;

pub use engine::{Resolution, ResolvedLayer, Source, resolve};
pub use model::Config;
pub use network::{Framework, Network};
