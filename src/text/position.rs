//! The one place where byte offsets become lines and columns, and back.

use super::{Buffer, TextRange};

/// In what units a column is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, the default of LSP.
    #[default]
    Utf16,
    /// Code points.
    Utf32,
}

/// A place as editors name it. Line and character count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of line breaks before the place.
    pub line: u32,
    /// Distance from the start of the line, in units of an [`Encoding`].
    pub character: u32,
}

impl Buffer {
    /// The byte offset of a position. Clamped as LSP asks: a line past the end means the end of the text, a
    /// character past the end of its line means that end. A position inside a character (half of a surrogate
    /// pair) means the start of that character.
    pub fn offset_of(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        if line >= self.line_count() {
            return self.len();
        }
        let range = self.line_range(line);
        let character = position.character as usize;
        let rope = self.rope();
        let offset = match encoding {
            Encoding::Utf8 => return self.floor_char_boundary(range.end.min(range.start + character)),
            Encoding::Utf16 => {
                let units = rope.char_to_utf16_cu(rope.byte_to_char(range.start)) + character;
                if units >= rope.len_utf16_cu() {
                    return range.end;
                }
                rope.char_to_byte(rope.utf16_cu_to_char(units))
            }
            Encoding::Utf32 => {
                let chars = rope.byte_to_char(range.start) + character;
                if chars >= rope.len_chars() {
                    return range.end;
                }
                rope.char_to_byte(chars)
            }
        };
        offset.min(range.end)
    }

    /// The position of a byte offset. Offsets past the end mean the end; one inside a character means its start.
    pub fn position_of(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.line_start(line);
        let rope = self.rope();
        let chars = || (rope.byte_to_char(start), rope.byte_to_char(offset));
        let character = match encoding {
            Encoding::Utf8 => offset - start,
            Encoding::Utf16 => {
                let (start, end) = chars();
                rope.char_to_utf16_cu(end) - rope.char_to_utf16_cu(start)
            }
            Encoding::Utf32 => {
                let (start, end) = chars();
                end - start
            }
        };
        Position { line: line as u32, character: character as u32 }
    }

    /// The range between two positions. A reversed pair is put in order.
    pub fn range_of(&self, start: Position, end: Position, encoding: Encoding) -> TextRange {
        let (start, end) = (self.offset_of(start, encoding), self.offset_of(end, encoding));
        TextRange::new(start.min(end), start.max(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a中😀z\r\nb\r😀";

    #[test]
    fn every_boundary_makes_the_round_trip_in_every_encoding() {
        let buffer = Buffer::new(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in TEXT.char_indices().filter(|&(_, c)| c != '\n') {
                let position = buffer.position_of(offset, encoding);
                assert_eq!(buffer.offset_of(position, encoding), offset, "{encoding:?} {position:?}");
            }
        }
    }

    #[test]
    fn columns_count_in_the_unit_of_the_encoding() {
        let buffer = Buffer::new(TEXT);
        let z = TEXT.find('z').unwrap();
        let column = |encoding| buffer.position_of(z, encoding).character;
        assert_eq!((column(Encoding::Utf8), column(Encoding::Utf16), column(Encoding::Utf32)), (8, 4, 3));
    }

    #[test]
    fn positions_out_of_range_are_clamped() {
        let buffer = Buffer::new(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let at = |line, character| buffer.offset_of(Position { line, character }, encoding);
            assert_eq!(at(0, 5000), TEXT.find('\r').unwrap());
            assert_eq!(at(99, 0), TEXT.len());
            assert_eq!(at(2, u32::MAX), TEXT.len());
        }
    }

    #[test]
    fn half_a_surrogate_pair_means_its_character() {
        let buffer = Buffer::new(TEXT);
        assert_eq!(buffer.offset_of(Position { line: 0, character: 3 }, Encoding::Utf16), 4);
    }
}
