//! quantcfg: what AMCT will make of a `quant.cfg`, shown before it runs.
pub mod amct;
pub mod analysis;
pub mod ide;
pub mod inventory;
pub mod language;
pub mod schema;
pub mod syntax;
pub mod text;

pub use language::Language;
