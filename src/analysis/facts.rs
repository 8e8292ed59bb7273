//! What items say about the message that they stand in: findings, the fields that are set, where values stand, and a
//! digest of the values, so that two texts with equal values are known without looking at the values.
//!
//! Facts of neighbouring items add up to the facts of all of them, however the items are divided. So those of a piece of
//! a tree are kept with it, counted from its start, and an edit elsewhere leaves them as they are.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::Diagnostic;
use crate::schema::model::{FieldId, MessageId, MessageType, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};
use crate::text::TextRange;

/// The facts of some items of a message.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) message: MessageId,
    /// Only in facts that are kept; else they are with who makes them.
    pub(super) findings: Vec<Diagnostic>,
    /// The singular fields in order, each with the bytes from its name to the end of its value.
    pub(super) noted: Vec<(FieldId, TextRange)>,
    /// The fields that have a value.
    pub(super) assigned: Vec<FieldId>,
    pub(super) digest: Digest,
    /// All values, those in blocks included.
    pub(super) spots: Vec<Spot>,
    /// The values themselves, where somebody wants them.
    pub(super) value: Option<MessageValue>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The name that set it; not yet known in the elements of a list.
    pub(super) name: Option<TextRange>,
    pub(super) value: TextRange,
    pub(super) is_block: bool,
}

impl Facts {
    pub(super) fn of(message: MessageId, wants_value: bool) -> Self {
        Self {
            message,
            findings: Vec::new(),
            noted: Vec::new(),
            assigned: Vec::new(),
            digest: Digest::default(),
            spots: Vec::new(),
            value: wants_value.then(|| MessageValue::new(message)),
        }
    }

    /// A field, and the bytes from its name to the end of its value.
    pub(super) fn note(&mut self, owner: &MessageType, field: FieldId, range: TextRange) {
        if !owner.field(field).is_repeated() {
            self.noted.push((field, range));
        }
    }

    /// A value of a field.
    pub(super) fn scalar(
        &mut self,
        schema: &Schema,
        field: FieldId,
        kind: ValueKind,
        name: Option<TextRange>,
        range: TextRange,
    ) {
        self.add(field, Spot { name, value: range, is_block: false }, |hasher| hash(&kind, hasher));
        if let (Some(value), Some(name_range)) = (&mut self.value, name) {
            value.merge(schema, field, Value { kind, name_range, range });
        }
    }

    /// A block as the value of a field.
    pub(super) fn block(
        &mut self,
        schema: &Schema,
        field: FieldId,
        inner: Self,
        name_range: TextRange,
        range: TextRange,
    ) {
        self.spots.extend(inner.spots);
        let spot = Spot { name: Some(name_range), value: range, is_block: true };
        self.add(field, spot, |hasher| inner.digest.hash(hasher));
        if let (Some(value), Some(inner)) = (&mut self.value, inner.value) {
            value.merge(schema, field, Value { kind: ValueKind::Message(inner), name_range, range });
        }
    }

    /// A message in an `Any`.
    pub(super) fn pack(
        &mut self,
        schema: &Schema,
        url: &str,
        inner: Self,
        name_range: TextRange,
        range: TextRange,
    ) {
        self.spots.extend(inner.spots);
        self.spots.push(Spot { name: Some(name_range), value: range, is_block: true });
        self.digest.push(|hasher| (url, inner.message, inner.digest).hash(hasher));
        if let (Some(value), Some(inner)) = (&mut self.value, inner.value) {
            value.pack(schema, url, inner, name_range, range);
        }
    }

    fn add(&mut self, field: FieldId, spot: Spot, content: impl FnOnce(&mut DefaultHasher)) {
        self.assign(field);
        self.spots.push(spot);
        self.digest.push(|hasher| {
            field.hash(hasher);
            content(hasher);
        });
    }

    fn assign(&mut self, field: FieldId) {
        if !self.assigned.contains(&field) {
            self.assigned.push(field);
        }
    }

    /// The facts of the items that follow, which begin at the offset `by`; their findings are left out. `name` is that of
    /// the list which they are the elements of.
    pub(super) fn append(&mut self, next: &Self, by: usize, name: Option<TextRange>) {
        self.append_without_spots(next, by);
        self.spots.extend(
            next.spots.iter().map(|spot| Spot { name: name.or(spot.shifted(by).name), ..spot.shifted(by) }),
        );
    }

    /// The same without the places of the values.
    pub(super) fn append_without_spots(&mut self, next: &Self, by: usize) {
        self.noted.extend(next.noted.iter().map(|&(field, range)| (field, range.shifted(by))));
        next.assigned.iter().for_each(|&field| self.assign(field));
        self.digest.then(next.digest);
    }
}

impl Spot {
    fn shifted(self, by: usize) -> Self {
        Self { name: self.name.map(|name| name.shifted(by)), value: self.value.shifted(by), ..self }
    }
}

/// A number that stands for a sequence of values: equal for equal ones, however they are divided, and for others but by
/// a chance that is not worth mentioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Digest {
    sum: u128,
    /// What to multiply the sum of what stands before with.
    factor: u128,
}

impl Default for Digest {
    fn default() -> Self {
        Self { sum: 0, factor: 1 }
    }
}

impl Digest {
    /// Odd, so that nothing is lost in multiplication.
    const BASE: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

    fn push(&mut self, content: impl FnOnce(&mut DefaultHasher)) {
        let mut hasher = DefaultHasher::new();
        content(&mut hasher);
        self.then(Self { sum: hasher.finish().into(), factor: Self::BASE });
    }

    fn then(&mut self, next: Self) {
        self.sum = self.sum.wrapping_mul(next.factor).wrapping_add(next.sum);
        self.factor = self.factor.wrapping_mul(next.factor);
    }
}

fn hash(kind: &ValueKind, hasher: &mut DefaultHasher) {
    std::mem::discriminant(kind).hash(hasher);
    match kind {
        ValueKind::Bool(value) => value.hash(hasher),
        ValueKind::Int(value) => value.hash(hasher),
        ValueKind::Uint(value) => value.hash(hasher),
        ValueKind::Float(value) => value.to_bits().hash(hasher),
        ValueKind::Double(value) => value.to_bits().hash(hasher),
        ValueKind::String(value) => value.hash(hasher),
        ValueKind::Bytes(value) => value.hash(hasher),
        ValueKind::Enum(value) => value.hash(hasher),
        // Blocks have a digest of their own.
        ValueKind::Message(_) | ValueKind::Packed(_) => {}
    }
}

/// Where all values of a file stand, numbered in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Spots {
    /// The number of the first value of each piece, and where the piece begins.
    parts: Arc<Vec<(usize, usize, Arc<Facts>)>>,
}

impl Spots {
    /// Of the pieces of a file, each with its offset.
    pub(super) fn of(parts: impl Iterator<Item = (usize, Arc<Facts>)>) -> Self {
        let mut number = 0;
        let parts = parts.filter(|(_, facts)| !facts.spots.is_empty()).map(|(start, facts)| {
            let first = number;
            number += facts.spots.len();
            (first, start, facts)
        });
        Self { parts: Arc::new(parts.collect()) }
    }

    /// The spot with a number.
    pub(super) fn get(&self, number: usize) -> Option<Spot> {
        let at = self.parts.partition_point(|&(first, ..)| first <= number).checked_sub(1)?;
        let (first, start, facts) = &self.parts[at];
        Some(facts.spots.get(number - first)?.shifted(*start))
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Spot> {
        self.parts.iter().flat_map(|(_, start, facts)| facts.spots.iter().map(|spot| spot.shifted(*start)))
    }
}
