//! quantcfg
pub mod language;
pub mod loader;
pub mod schema;
pub mod syntax;
pub mod text;
pub use language::Language;
