//! One replacement in a text, and what remains of it when the text that was put in stands in the text already.

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

/// That the bytes of `range` were replaced by `len` others, all on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What was taken out, in byte offsets of the text before.
    pub range: TextRange,
    /// Number of bytes in its place.
    pub len: usize,
}

impl Change {
    /// Where an offset at or behind the end of the range stands afterwards.
    pub const fn moved(self, offset: usize) -> usize {
        offset - self.range.end + self.range.start + self.len
    }

    /// Where the offset of the text afterwards, at or behind the end of what was put in, stood before.
    pub const fn moved_back(self, offset: usize) -> usize {
        offset - self.range.start - self.len + self.range.end
    }

    /// This and another one after it as one change, the text between them included.
    pub fn then(self, next: Self) -> Self {
        let new_end = self.range.start + self.len;
        let start = self.range.start.min(next.range.start);
        let old_end = if next.range.end > new_end { self.moved_back(next.range.end) } else { self.range.end };
        let end = if next.range.end > new_end { next.range.start + next.len } else { next.moved(new_end) };
        Self { range: TextRange::new(start, old_end), len: end - start }
    }
}

impl From<&Edit> for Change {
    fn from(edit: &Edit) -> Self {
        Self { range: edit.range, len: edit.text.len() }
    }
}
