//! What could be written at the cursor.

use super::Snapshot;
use crate::text::TextRange;

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The bare name or value.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Type and label, for the same line of the list.
    pub detail: String,
    /// Documentation as Markdown.
    pub documentation: String,
    /// The bytes that accepting it replaces.
    pub replace: TextRange,
    /// What is put there, as plain text.
    pub text: String,
    /// The same as an LSP snippet, where it differs.
    pub snippet: Option<String>,
    /// Orders the list.
    pub sort: String,
    /// Struck through.
    pub is_deprecated: bool,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A scalar field.
    Field,
    /// A field that holds a block.
    Block,
    /// A value of an enum, or a boolean.
    Value,
    /// The name of a layer.
    Layer,
    /// A type of layer.
    LayerType,
}

/// Everything that fits at a byte offset, best first.
pub fn completion(_snapshot: &Snapshot, _offset: usize) -> Vec<CompletionItem> {
    Vec::new()
}
