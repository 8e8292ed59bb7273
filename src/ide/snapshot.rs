//! One version of a document with everything that was found out about it.

use std::sync::Arc;

use crate::analysis::Diagnostic;
use crate::language::Language;
use crate::text::{Buffer, Edit};

/// What a document is read against.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The language of messages.
    pub language: Language,
}

/// One version of a document. Features take it by reference and never change it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text.
    pub text: Buffer,
    /// What it is read against.
    pub context: Arc<Context>,
}

impl Snapshot {
    /// Reads a whole text.
    pub fn open(text: &str, context: Arc<Context>) -> Self {
        Self { text: Buffer::new(text), context }
    }

    /// The next version: this one after `edits`, each in offsets of the text that the one before it left.
    pub fn edit(&self, edits: &[Edit]) -> Self {
        let mut text = self.text.clone();
        edits.iter().for_each(|edit| text.apply(edit));
        Self { text, context: self.context.clone() }
    }

    /// The same text read against something else.
    pub fn with_context(&self, context: Arc<Context>) -> Self {
        Self { text: self.text.clone(), context }
    }

    /// All findings, in order of their place.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}
