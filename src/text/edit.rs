//! One replacement in a text.

use super::TextRange;

/// Replaces the bytes of `range` with `text`. Both ends of the range lie on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is taken out, in byte offsets of the text before the edit.
    pub range: TextRange,
    /// What is put in its place.
    pub text: String,
}

impl Edit {
    /// Puts `text` in the place of `range`.
    pub fn replace(range: TextRange, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    /// Puts `text` at `offset`.
    pub fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::replace(TextRange::empty(offset), text)
    }

    /// The bytes that the inserted text occupies afterwards.
    pub fn new_range(&self) -> TextRange {
        TextRange::at(self.range.start, self.text.len())
    }
}
