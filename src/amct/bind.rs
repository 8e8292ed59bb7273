//! Reads fields out of a message value by their names, and numbers the places. Knows no dialect.

use super::place::{Place, Placed, Places};
use crate::schema::model::{FieldKind, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};

/// Binds the values of one file. A field that the schema lacks counts as not set, so one binding serves all variants
/// of a message.
pub struct Binder<'a> {
    schema: &'a Schema,
    places: Places,
}

impl<'a> Binder<'a> {
    /// A binder without places.
    pub fn new(schema: &'a Schema) -> Self {
        Self { schema, places: Places::default() }
    }

    /// The places of everything that was bound.
    pub fn into_places(self) -> Places {
        self.places
    }

    /// All strings of a repeated field.
    pub fn strings(&mut self, message: &MessageValue, field: &str) -> Vec<Placed<String>> {
        message.get(self.schema, field).iter().filter_map(|value| self.placed(value, string)).collect()
    }

    /// A string.
    pub fn string(&mut self, message: &MessageValue, field: &str) -> Option<Placed<String>> {
        self.one(message, field, string)
    }

    /// A bool.
    pub fn bool(&mut self, message: &MessageValue, field: &str) -> Option<Placed<bool>> {
        self.one(message, field, |kind| match kind {
            ValueKind::Bool(value) => Some(*value),
            _ => None,
        })
    }

    /// A float, as AMCT's Python sees it: rounded to 32 bits.
    pub fn float(&mut self, message: &MessageValue, field: &str) -> Option<Placed<f32>> {
        self.one(message, field, |kind| match kind {
            ValueKind::Float(value) => Some(*value),
            _ => None,
        })
    }

    /// An unsigned integer.
    pub fn uint(&mut self, message: &MessageValue, field: &str) -> Option<Placed<u64>> {
        self.one(message, field, |kind| match kind {
            ValueKind::Uint(value) => Some(*value),
            _ => None,
        })
    }

    /// A signed integer.
    pub fn int(&mut self, message: &MessageValue, field: &str) -> Option<Placed<i64>> {
        self.one(message, field, |kind| match kind {
            ValueKind::Int(value) => Some(*value),
            _ => None,
        })
    }

    /// The name of an enum value.
    pub fn enum_name(&mut self, message: &MessageValue, field: &str) -> Option<Placed<String>> {
        let schema = self.schema;
        let (_, definition) = schema.message(message.message).find(field)?;
        let FieldKind::Enum(id) = definition.kind else { return None };
        self.one(message, field, |kind| match kind {
            ValueKind::Enum(number) => {
                schema.enumeration(id).values.iter().find(|v| v.number == *number).map(|v| v.name.clone())
            }
            _ => None,
        })
    }

    /// A message, bound by `bind` from its place and its values.
    pub fn message<T>(
        &mut self,
        message: &MessageValue,
        field: &str,
        bind: impl FnOnce(&mut Self, Place, &MessageValue) -> T,
    ) -> Option<T> {
        let value = message.get_one(self.schema, field)?;
        let ValueKind::Message(inner) = &value.kind else { return None };
        let place = self.places.add(value);
        Some(bind(self, place, inner))
    }

    /// All messages of a repeated field.
    pub fn messages<T>(
        &mut self,
        message: &MessageValue,
        field: &str,
        mut bind: impl FnMut(&mut Self, Place, &MessageValue) -> T,
    ) -> Vec<T> {
        let mut bound = Vec::new();
        for value in message.get(self.schema, field) {
            if let ValueKind::Message(inner) = &value.kind {
                let place = self.places.add(value);
                bound.push(bind(self, place, inner));
            }
        }
        bound
    }

    fn one<T>(
        &mut self,
        message: &MessageValue,
        field: &str,
        read: impl Fn(&ValueKind) -> Option<T>,
    ) -> Option<Placed<T>> {
        message.get_one(self.schema, field).and_then(|value| self.placed(value, read))
    }

    fn placed<T>(&mut self, value: &Value, read: impl Fn(&ValueKind) -> Option<T>) -> Option<Placed<T>> {
        Some(Placed { value: read(&value.kind)?, place: self.places.add(value) })
    }
}

fn string(kind: &ValueKind) -> Option<String> {
    match kind {
        ValueKind::String(text) => Some(text.clone()),
        _ => None,
    }
}
