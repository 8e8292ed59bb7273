//! quantcfg shows what AMCT, Huawei Ascend's model compression toolkit, will make of a `quant.cfg` before it runs.
//!
//! A functional core in a thin shell. From the inside out:
//!
//! | module | what it is |
//! |---|---|
//! | [`text`] | the buffer of a document, byte ranges, edits, and the one place that knows lines and columns |
//! | [`syntax`] | text to a lossless, tolerant tree that is re-read only where it changed; scalar literals |
//! | [`schema`] | .proto files to messages, fields and documentation; the built-in dialects |
//! | [`loader`] | AMCT's own reading of the bytes: its verdict, its words, its values |
//! | [`amct`] | from values and a layer list to what AMCT computes for every layer |
//! | [`inventory`] | layer lists and model files |
//! | [`python`] | numbers, texts and characters as Python prints and reads them |
//! | [`analysis`] | tree, schema and layers to findings |
//! | [`ide`] | one editor feature a file, each a pure function of a snapshot and an offset |
//! | [`workspace`] | open documents, and which schema and layers belong to them |
//! | [`server`] | the language server protocol over stdio; the only user of tower-lsp |
//! | [`cli`] | one subcommand a file |
//!
//! Who may use whom: `text <- syntax <- loader, analysis <- ide <- workspace <- server, cli`;
//! `text <- schema <- loader, analysis`; `amct` takes values and serves `analysis`, `ide` and `cli`; `inventory` stands
//! alone; all may use `language` and `python`. `tests/tidy.rs` holds this as a test.
//!
//! The loader and the tree read the same text twice, on purpose. The loader stops at the first error, as AMCT does, and
//! is the truth; the tree goes on after a mistake and finds the place that helps the author. A property test over all
//! vectors holds them together: the tree has an error if and only if the loader refuses, and equal values where it does
//! not.
//!
//! # Invariants
//!
//! 1. Lossless: the tokens of a tree joined are the text.
//! 2. Parsing never fails, always advances, and has a depth limit.
//! 3. A reparse equals a full parse, tree and errors, for any edit.
//! 4. Findings are a function of tree, schema and layers. What is kept from an earlier version equals what a fresh look
//!    would find; places are counted from the piece of the tree that they stand in.
//! 5. Bytes inside, positions outside, converted in one place ([`text::position`]).
//! 6. Features are pure.
//! 7. A document's version and text change together.
//! 8. No lock is held across an `.await`.
//! 9. Every finding has a code.
//! 10. Nothing of an old version goes out after a newer one; a closed file gets one empty list and nothing after it.
//! 11. stdout belongs to the protocol.
//! 12. A panic costs one answer.
//! 13. Loader and tree agree.
//! 14. Formatting twice is formatting once; it keeps every comment and changes no value.

pub mod amct;
pub mod analysis;
pub mod cli;
pub mod ide;
pub mod inventory;
pub mod language;
pub mod loader;
pub mod python;
pub mod schema;
pub mod server;
pub mod syntax;
pub mod text;
pub mod workspace;

pub use language::Language;
