//! quantcfg: what AMCT will make of a `quant.cfg`, shown before it runs.
pub mod analysis;
pub mod ide;
pub mod language;
pub mod schema;
pub mod server;
pub mod syntax;
pub mod text;
pub mod workspace;

pub use language::Language;
