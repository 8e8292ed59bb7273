//! A half-open range of byte offsets.

/// The bytes `start..end` of a text. Unlike [`std::ops::Range`] it is `Copy` and orders by start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl TextRange {
    /// The range `start..end`. `end` may not lie before `start`.
    pub const fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    /// The empty range at `offset`.
    pub const fn empty(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// `len` bytes from `start` on.
    pub const fn at(start: usize, len: usize) -> Self {
        Self { start, end: start + len }
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// True when the range holds no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// True when `offset` is inside or at either end: a cursor there touches the range.
    pub const fn touches(self, offset: usize) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// True when the byte at `offset` belongs to the range.
    pub const fn contains(self, offset: usize) -> bool {
        self.start <= offset && offset < self.end
    }

    /// True when all of `other` lies in this range.
    pub const fn covers(self, other: TextRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest range that covers both.
    pub fn cover(self, other: TextRange) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The same range, `by` bytes further on.
    pub const fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }
}

impl std::fmt::Debug for TextRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl From<TextRange> for std::ops::Range<usize> {
    fn from(range: TextRange) -> Self {
        range.start..range.end
    }
}

impl From<std::ops::Range<usize>> for TextRange {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}
