//! The text of a document; the only user of ropey.
//!
//! A clone costs one reference count, so a snapshot of a document can be handed to a feature while the
//! document is edited on. The build of ropey (see Cargo.toml) breaks lines at LF, CR LF and CR, as LSP does.

use std::borrow::Cow;

use ropey::Rope;

use super::{Edit, TextRange};

/// A text that is cheap to clone and to edit.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    rope: Rope,
}

impl Buffer {
    /// A buffer that holds `text`.
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    /// True when there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of lines; a text that ends in a line break has an empty last line.
    pub fn line_count(&self) -> usize {
        self.rope.len_lines()
    }

    /// The line, from 0, that the byte at `offset` stands in. Offsets past the end are in the last line.
    pub fn line_of(&self, offset: usize) -> usize {
        self.rope.byte_to_line(offset.min(self.len()))
    }

    /// Offset of the first byte of a line, or of the end of the text when there is no such line.
    pub fn line_start(&self, line: usize) -> usize {
        self.rope.try_line_to_byte(line).unwrap_or(self.len())
    }

    /// The bytes of a line without its line break.
    pub fn line_range(&self, line: usize) -> TextRange {
        let start = self.line_start(line);
        let mut end = self.line_start(line + 1);
        for line_break in [b'\n', b'\r'] {
            if end > start && self.rope.byte(end - 1) == line_break {
                end -= 1;
            }
        }
        TextRange::new(start, end)
    }

    /// The text of a range. Ends past the text or inside a character are moved back to a boundary.
    pub fn slice(&self, range: TextRange) -> Cow<'_, str> {
        let start = self.floor_char_boundary(range.start);
        let end = self.floor_char_boundary(range.end).max(start);
        self.rope.byte_slice(start..end).into()
    }

    /// The nearest character boundary at or before `offset`, within the text.
    pub fn floor_char_boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.len());
        self.rope.char_to_byte(self.rope.byte_to_char(offset))
    }

    /// Carries out an edit.
    pub fn apply(&mut self, edit: &Edit) {
        let start = self.rope.byte_to_char(edit.range.start.min(self.len()));
        let end = self.rope.byte_to_char(edit.range.end.min(self.len())).max(start);
        if start < end {
            self.rope.remove(start..end);
        }
        self.rope.insert(start, &edit.text);
    }

    /// All pieces of the text in order. Joined they are the text.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.rope.chunks()
    }

    pub(super) fn rope(&self) -> &Rope {
        &self.rope
    }
}

impl std::fmt::Display for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lf_cr_and_cr_lf_break_lines() {
        let buffer = Buffer::new("a\rb\r\nc\nd\u{b}\u{c}\u{85}\u{2028}\u{2029}e");
        assert_eq!(buffer.line_count(), 4);
        assert_eq!(buffer.slice(buffer.line_range(1)), "b");
        assert_eq!(buffer.line_range(3).start, 7);
    }

    #[test]
    fn edits_and_slices_clamp() {
        let mut buffer = Buffer::new("中文");
        assert_eq!(buffer.slice(TextRange::new(1, 99)), "中文");
        buffer.apply(&Edit::replace(TextRange::new(3, 99), "x"));
        assert_eq!(buffer.to_string(), "中x");
    }
}
