//! From bytes to a lossless tree. Knows nothing of any schema.

pub mod lexer;
