//! From text to a lossless tree that understands what follows a mistake. Knows no schema.

pub mod errors;
pub mod lexer;
pub mod literal;
mod parser;
mod reparse;
pub mod tree;

pub use parser::MAX_DEPTH;
