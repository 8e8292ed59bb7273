//! Holds a tree against a schema: which field each name is, whether its value fits, and the values themselves.
//!
//! Values are merged as AMCT's loader merges them. What cannot be understood is reported and left out, so that the
//! rest still has its meaning. What AMCT computes from the values is no concern of this file.

use super::checks::shape_mismatch::{self, Expected};
use super::checks::unknown_field::{Shape, unknown_field};
use super::checks::{duplicate, extension};
use super::{Diagnostic, scalar};
use crate::language::Language;
use crate::schema::model::{Field, FieldId, FieldKind, MessageId, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};
use crate::syntax::tree::{self, Body, Item, ItemKind, Name, NameKind};
use crate::text::TextRange;

/// Binds the top level of a tree to the root message.
///
/// Gives the values and the findings, in no particular order.
pub fn bind(root: Body<'_>, schema: &Schema, language: Language) -> (MessageValue, Vec<Diagnostic>) {
    let mut binder = Binder { schema, language, around: Vec::new(), found: Vec::new() };
    let value = binder.message(root, schema.root);
    (value, binder.found)
}

pub(super) struct Binder<'s> {
    pub(super) schema: &'s Schema,
    pub(super) language: Language,
    /// The messages around the current one, outermost first.
    around: Vec<MessageId>,
    pub(super) found: Vec<Diagnostic>,
}

impl Binder<'_> {
    fn message(&mut self, body: Body<'_>, message: MessageId) -> MessageValue {
        let mut into = MessageValue::new(message);
        let mut set = duplicate::Seen::default();
        for item in body.items().filter(|item| item.kind() == ItemKind::Field) {
            let Some(name) = item.name() else { continue };
            let Some(field) = self.resolve(message, item, name) else { continue };
            self.field(item, name, field, &mut into);
            let definition = self.schema.message(message).field(field);
            if let Some(finding) = set.note(self.schema.message(message), field, definition, item, self.language) {
                self.found.push(finding);
            }
        }
        into
    }

    /// Finds the field that a name means, or reports that there is none.
    fn resolve(&mut self, message: MessageId, item: Item<'_>, name: Name<'_>) -> Option<FieldId> {
        let owner = self.schema.message(message);
        match name.kind {
            NameKind::Plain => {
                let found = owner.field_by_name.get(&*name.text).copied();
                if found.is_none() {
                    let outer: Vec<_> = self.around.iter().rev().copied().collect();
                    self.found.push(unknown_field(
                        self.schema,
                        message,
                        &outer,
                        &name.text,
                        name.range,
                        shape_of(item),
                        self.language,
                    ));
                }
                found
            }
            NameKind::Bracketed => match extension::resolve(self.schema, message, &name, self.language) {
                Ok(field) => field,
                Err(finding) => {
                    self.found.push(finding);
                    None
                }
            },
        }
    }

    fn field(&mut self, item: Item<'_>, name: Name<'_>, field: FieldId, into: &mut MessageValue) {
        let definition = self.schema.message(into.message).field(field);
        // A missing value has been reported by the parser.
        let Some(value) = item.value() else { return };
        match value {
            tree::Value::List(list) => {
                let is_block_list = matches!(definition.kind, FieldKind::Message(_));
                if !definition.is_repeated() {
                    self.found.push(shape_mismatch::list_for_singular(definition, &list, self.language));
                    return;
                }
                if !is_block_list && item.colon().is_none() {
                    self.found.push(shape_mismatch::missing_colon(name.range, self.language));
                }
                for element in list.elements().items().filter(|element| element.kind() == ItemKind::Element) {
                    let Some(value) = element.value() else { continue };
                    self.value(value, name.range, field, definition, into);
                }
            }
            value => self.value(value, name.range, field, definition, into),
        }
    }

    /// One value of a field: not a list.
    fn value(
        &mut self,
        value: tree::Value<'_>,
        name_range: TextRange,
        field: FieldId,
        definition: &Field,
        into: &mut MessageValue,
    ) {
        let range = value.range();
        let kind = match (value, definition.kind) {
            (tree::Value::Block(block), FieldKind::Message(id)) => {
                self.around.push(into.message);
                let message = self.message(block.body(), id);
                self.around.pop();
                Some(ValueKind::Message(message))
            }
            (tree::Value::Scalar(scalar), FieldKind::Message(id)) => {
                let expected = Expected::Block(self.schema.message(id));
                self.found.push(shape_mismatch::mismatch(definition, expected, scalar.range(), self.language));
                None
            }
            (tree::Value::Scalar(scalar), _) => scalar::read(self, scalar, definition),
            (tree::Value::Block(block), _) => {
                self.found.push(shape_mismatch::mismatch(
                    definition,
                    Expected::Scalar,
                    block.open_range(),
                    self.language,
                ));
                None
            }
            // A list in a list: reported by the parser.
            (tree::Value::List(_), _) => None,
        };
        if let Some(kind) = kind {
            into.merge(self.schema, field, Value { kind, name_range, range });
        }
    }
}

fn shape_of(item: Item<'_>) -> Shape {
    match item.value() {
        Some(tree::Value::Block(_)) => Shape::Block,
        Some(tree::Value::List(list)) => list
            .elements()
            .items()
            .next()
            .map_or(Shape::Nothing, |first| match first.value() {
                Some(tree::Value::Block(_)) => Shape::Block,
                Some(_) => Shape::Scalar,
                None => Shape::Nothing,
            }),
        Some(tree::Value::Scalar(_)) => Shape::Scalar,
        None => Shape::Nothing,
    }
}
