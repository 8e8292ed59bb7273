//! From text to a lossless tree that understands what follows a mistake. Knows no schema.

pub mod errors;
pub mod lexer;
mod parser;
pub mod tree;
