//! Places in a file by number, so that what the engines compute does not change when text only moves.
//!
//! A bound model numbers its values in the order in which they are bound; the ranges stand in [`Places`] beside it.
//! Two models that are equal have the same numbers, so a result of one, with its places, holds for the other too.

use crate::schema::value::{Value, ValueKind};
use crate::text::TextRange;

/// A value in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(u32);

impl Place {
    /// No value in particular: the file as a whole.
    pub const FILE: Self = Self(u32::MAX);

    /// Its number: the first value that was bound has 0.
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// Where the values of a bound model stand.
#[derive(Clone, Debug, Default)]
pub struct Places {
    spans: Vec<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    name: TextRange,
    value: TextRange,
    is_block: bool,
}

impl Places {
    /// Gives a value the next number.
    pub fn add(&mut self, value: &Value) -> Place {
        let is_block = matches!(value.kind, ValueKind::Message(_));
        self.spans.push(Span { name: value.name_range, value: value.range, is_block });
        Place(self.spans.len() as u32 - 1)
    }

    /// The bytes of all values, brackets included, in order of their numbers.
    pub fn ranges(&self) -> impl Iterator<Item = TextRange> {
        self.spans.iter().map(|span| span.value)
    }

    /// The value itself, brackets included; the start of the file for [`Place::FILE`].
    pub fn range(&self, place: Place) -> TextRange {
        self.span(place).value
    }

    /// The name of the field that holds the value.
    pub fn name_range(&self, place: Place) -> TextRange {
        self.span(place).name
    }

    /// What to underline for the value: the name of a block, anything else itself.
    pub fn anchor(&self, place: Place) -> TextRange {
        let span = self.span(place);
        if span.is_block { span.name } else { span.value }
    }

    fn span(&self, place: Place) -> Span {
        let nowhere = Span { name: TextRange::empty(0), value: TextRange::empty(0), is_block: false };
        self.spans.get(place.0 as usize).copied().unwrap_or(nowhere)
    }
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}
