//! What the editor has open, and what each document is read against.

pub mod documents;
pub mod settings;

pub use documents::{Change, Document, DocumentKey, Documents};
pub use settings::Settings;
