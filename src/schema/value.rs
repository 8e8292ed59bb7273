//! A message with values in it, and where in the file each of them stands.
//!
//! Both readers make it: the loader as Python's `text_format.Merge` would, the analysis from the tolerant tree.
//! Merging has happened: a singular field has one value, the last (text-format.md F5).

use super::model::{FieldId, FieldKind, Label, MessageId, Schema};
use crate::text::TextRange;

/// A message value.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageValue {
    /// Its type.
    pub message: MessageId,
    /// The fields that are set, in the order in which they were first set.
    pub fields: Vec<FieldValue>,
}

/// A field that is set.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValue {
    /// Which field of the message.
    pub field: FieldId,
    /// One value for a singular field, any number for a repeated one. Map entries are messages, later keys win.
    pub values: Vec<Value>,
}

/// A value and its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// The name that set it. Elements of a list share their field's name.
    pub name_range: TextRange,
    /// The value itself, brackets included. For a message that was merged from several blocks: the last block.
    pub range: TextRange,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// bool
    Bool(bool),
    /// All signed integer types.
    Int(i64),
    /// All unsigned integer types.
    Uint(u64),
    /// float: already rounded to 32 bits.
    Float(f32),
    /// double
    Double(f64),
    /// string
    String(String),
    /// bytes
    Bytes(Vec<u8>),
    /// The number of an enum value.
    Enum(i32),
    /// A message or group.
    Message(MessageValue),
    /// What a `google.protobuf.Any` in its expanded form holds: the value of its field `value` before it is encoded.
    Packed(Box<MessageValue>),
}

impl MessageValue {
    /// An empty message.
    pub fn new(message: MessageId) -> Self {
        Self { message, fields: Vec::new() }
    }

    /// The values of a field by its name; empty when it is not set or there is no such field.
    pub fn get(&self, schema: &Schema, name: &str) -> &[Value] {
        let id = schema.message(self.message).field_by_name.get(name);
        id.and_then(|&id| self.fields.iter().find(|f| f.field == id)).map_or(&[], |f| &f.values)
    }

    /// The value of a singular field; `None` when it is not set.
    pub fn get_one(&self, schema: &Schema, name: &str) -> Option<&Value> {
        self.get(schema, name).last()
    }

    /// Required fields that are not set here or in the messages in here, each with its path, such as `sub[0].must`.
    pub fn missing_required(&self, schema: &Schema) -> Vec<String> {
        let message = schema.message(self.message);
        let is_missing = |id: &FieldId| {
            message.field(*id).label == Label::Required && self.fields.iter().all(|set| set.field != *id)
        };
        let own = message.field_ids().filter(is_missing).map(|id| message.field(id).name.clone());
        let mut missing: Vec<_> = own.collect();
        for set in &self.fields {
            let field = message.field(set.field);
            for (at, value) in set.values.iter().enumerate() {
                let ValueKind::Message(inner) = &value.kind else { continue };
                let index = if field.is_repeated() { format!("[{at}]") } else { String::new() };
                let path = |name: String| format!("{}{index}.{name}", field.name);
                missing.extend(inner.missing_required(schema).into_iter().map(path));
            }
        }
        missing
    }

    /// Makes this `google.protobuf.Any` hold a message: whatever it held is gone.
    pub fn pack(
        &mut self,
        schema: &Schema,
        url: &str,
        message: MessageValue,
        name_range: TextRange,
        range: TextRange,
    ) {
        self.fields.clear();
        let parts = [
            ("type_url", ValueKind::String(url.to_owned())),
            ("value", ValueKind::Packed(Box::new(message))),
        ];
        for (name, kind) in parts {
            if let Some((field, _)) = schema.message(self.message).find(name) {
                self.merge(schema, field, Value { kind, name_range, range });
            }
        }
    }

    /// Adds or replaces a value as `Merge` does: repeated fields grow, singular scalars are replaced, singular
    /// messages are merged field by field, and setting a oneof member clears its siblings.
    pub fn merge(&mut self, schema: &Schema, field: FieldId, value: Value) {
        let message = schema.message(self.message);
        let definition = message.field(field);
        if let Some(oneof) = definition.oneof {
            let siblings = &message.oneofs[oneof.index()].fields;
            self.fields.retain(|f| f.field == field || !siblings.contains(&f.field));
        }
        let Some(at) = self.fields.iter().position(|f| f.field == field) else {
            self.fields.push(FieldValue { field, values: vec![value] });
            return;
        };
        let values = &mut self.fields[at].values;
        if definition.is_repeated() {
            if let Some(same) = map_key(schema, definition.kind, &value).and_then(|key| {
                values.iter().position(|v| map_key(schema, definition.kind, v) == Some(key.clone()))
            }) {
                values.remove(same);
            }
            values.push(value);
        } else {
            match (values.pop(), value) {
                (
                    Some(Value { kind: ValueKind::Message(mut old), .. }),
                    Value { kind: ValueKind::Message(new), name_range, range },
                ) => {
                    for FieldValue { field, values } in new.fields {
                        values.into_iter().for_each(|value| old.merge(schema, field, value));
                    }
                    values.push(Value { kind: ValueKind::Message(old), name_range, range });
                }
                (_, value) => values.push(value),
            }
        }
    }
}

/// The key of a map entry, the default value of its type when it is not set; `None` for everything else.
fn map_key(schema: &Schema, kind: FieldKind, value: &Value) -> Option<Option<ValueKind>> {
    match (&value.kind, kind) {
        (ValueKind::Message(entry), FieldKind::Message(id)) if schema.message(id).is_map_entry => {
            Some(entry.get_one(schema, "key").map(|key| key.kind.clone()))
        }
        _ => None,
    }
}
