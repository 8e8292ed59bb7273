//! What an editor can ask for: one feature a file, each a pure function of a [`Snapshot`] and an offset in bytes.

pub mod code_action;
pub mod code_lens;
pub mod completion;
pub mod definition;
mod describe;
pub mod effective;
#[cfg(test)]
mod fixture;
pub mod format;
pub mod header;
pub mod hover;
pub mod inlay_hint;
mod layer_text;
mod locate;
mod named;
pub mod preferences;
pub mod shown;
pub mod snapshot;
pub mod status;

pub use snapshot::{Context, LayerSource, SchemaOrigin, Snapshot};
