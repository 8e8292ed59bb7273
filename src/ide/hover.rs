//! What the thing under the cursor means.

use super::Snapshot;
use crate::text::TextRange;

/// A hover text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The bytes it is about.
    pub range: TextRange,
    /// The text as Markdown.
    pub markdown: String,
}

/// The hover text at a byte offset.
pub fn hover(_snapshot: &Snapshot, _offset: usize) -> Option<Hover> {
    None
}
