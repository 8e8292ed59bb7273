//! From a tree, a schema and a layer list to what the author should know about a file.
//!
//! Everything here is a function of those three (invariant 4): nothing is shifted or patched after an edit.

pub mod diagnostic;

pub use diagnostic::{Diagnostic, Fix, Related, Severity, Tag};
