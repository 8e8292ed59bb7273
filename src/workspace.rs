//! What the editor has open, and what each document is read against.

pub mod choice;
pub mod documents;
mod layer_cache;
pub mod override_file;
pub mod settings;
pub mod sources;

pub use documents::{Change, Document, DocumentKey, Documents};
pub use settings::Settings;
pub use sources::Sources;
