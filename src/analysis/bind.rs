//! Holds a tree against a schema: which field each name is, whether its value fits, and the values themselves.
//!
//! Values are merged as AMCT's loader merges them. What cannot be understood is reported and left out, so that the
//! rest still has its meaning. What AMCT computes from the values is no concern of this file.

use super::checks::unknown_field::{Place, Shape, unknown_field};
use super::checks::{any, duplicate, extension, limits, missing_required, shape_mismatch};
use super::{Diagnostic, scalar};
use crate::language::Language;
use crate::schema::builtin::Dialect;
use crate::schema::model::{Field, FieldId, FieldKind, MessageId, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};
use crate::syntax::tree::{self, Body, Item, ItemKind, Name, NameKind};
use crate::text::TextRange;

/// Binds the top level of a tree to the root message. Gives the values, and the findings in no particular order.
pub(super) fn bind(
    root: Body<'_>,
    schema: &Schema,
    dialect: Option<Dialect>,
    language: Language,
) -> (MessageValue, Vec<Diagnostic>) {
    let mut binder = Binder { schema, dialect, language, around: Vec::new(), found: Vec::new() };
    let mut value = MessageValue::new(schema.root);
    // An empty file means AMCT's defaults on purpose: it lacks nothing.
    if let Some(first) = root.items().next() {
        value = binder.block(root, schema.root, TextRange::empty(first.range().start));
    }
    (value, binder.found)
}

pub(super) struct Binder<'s> {
    pub(super) schema: &'s Schema,
    dialect: Option<Dialect>,
    pub(super) language: Language,
    /// The messages around the current one, outermost first.
    around: Vec<MessageId>,
    found: Vec<Diagnostic>,
}

impl Binder<'_> {
    pub(super) fn report(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// A block and what it lacks. `place` is what stands for it in findings.
    fn block(&mut self, body: Body<'_>, message: MessageId, place: TextRange) -> MessageValue {
        let mut value = MessageValue::new(message);
        self.fields(body, &mut value, &mut duplicate::Seen::default());
        let missing = missing_required::missing_required(self.schema, &value, place, self.language);
        self.found.extend(missing);
        value
    }

    fn fields(&mut self, body: Body<'_>, into: &mut MessageValue, seen: &mut duplicate::Seen) {
        for item in body.items() {
            match (item.kind(), item.name(), item.body()) {
                (ItemKind::Field, Some(name), _) => self.field(item, name, into, seen),
                // Braces around fields: the fields in them are understood.
                (ItemKind::Error, None, Some(inner)) => self.fields(inner, into, seen),
                _ => {}
            }
        }
    }

    fn field(&mut self, item: Item<'_>, name: Name<'_>, into: &mut MessageValue, seen: &mut duplicate::Seen) {
        let schema = self.schema;
        let owner = schema.message(into.message);
        let found = match name.kind {
            NameKind::Bracketed if owner.is_any() => {
                return self.expanded_any(item, &name, into);
            }
            NameKind::Bracketed => extension::resolve(schema, into.message, &name, self.language),
            NameKind::Plain => owner.field_by_name.get(&*name.text).copied().ok_or_else(|| {
                let outer: Vec<_> = self.around.iter().rev().copied().collect();
                let place = Place { schema, dialect: self.dialect, message: into.message, outer: &outer };
                unknown_field(&place, &name, shape_of(item), self.language)
            }),
        };
        match found {
            Ok(field) => {
                let value = item.value().map_or(name.range, |value| name.range.cover(value.range()));
                self.found.extend(seen.note(owner, field, value, self.language));
                self.values(item, name.range, field, into);
            }
            Err(finding) => self.report(finding),
        }
    }

    fn values(&mut self, item: Item<'_>, name: TextRange, field: FieldId, into: &mut MessageValue) {
        let definition = self.schema.message(into.message).field(field);
        // A missing value has been reported by the parser.
        let Some(value) = item.value() else { return };
        let tree::Value::List(list) = value else { return self.value(value, name, field, definition, into) };
        if !definition.is_repeated() {
            self.report(shape_mismatch::list_for_singular(definition, list, self.language));
            return;
        }
        if definition.message().is_none() && item.colon().is_none() {
            self.report(shape_mismatch::missing_colon(name, self.language));
        }
        for element in list.elements().items().filter(|element| element.kind() == ItemKind::Element) {
            match element.value() {
                // A list in a list has been reported by the parser.
                None | Some(tree::Value::List(_)) => {}
                Some(value) => {
                    if let tree::Value::Scalar(scalar) = value {
                        self.found.extend(shape_mismatch::adjacent_strings(scalar, self.language));
                    }
                    self.value(value, name, field, definition, into);
                }
            }
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
        let language = self.language;
        let range = value.range();
        let kind = match (value, definition.kind) {
            (tree::Value::Block(block), FieldKind::Message(id)) => {
                self.around.push(into.message);
                let message = self.block(block.body(), id, name_range);
                self.around.pop();
                ValueKind::Message(message)
            }
            (tree::Value::Scalar(scalar), FieldKind::Message(id)) => {
                let message = self.schema.message(id);
                let range = scalar.range();
                return self.report(shape_mismatch::scalar_for_block(definition, message, range, language));
            }
            (tree::Value::Scalar(scalar), _) => match scalar::read(self, scalar, definition) {
                Some(kind) => {
                    self.found.extend(limits::limits(definition, &kind, range, language));
                    kind
                }
                None => return,
            },
            (tree::Value::Block(block), _) => {
                return self.report(shape_mismatch::block_for_scalar(definition, block, language));
            }
            (tree::Value::List(_), _) => return,
        };
        into.merge(self.schema, field, Value { kind, name_range, range });
    }

    fn expanded_any(&mut self, item: Item<'_>, name: &Name<'_>, into: &mut MessageValue) {
        self.found.extend(any::separator(item, self.language));
        let message = match any::resolve(self.schema, name, self.language) {
            Ok(message) => message,
            Err(finding) => return self.report(finding),
        };
        match item.value() {
            Some(tree::Value::Block(block)) => {
                self.around.push(into.message);
                let value = self.block(block.body(), message, name.range);
                self.around.pop();
                self.found.extend(any::missing_required(self.schema, &value, name, self.language));
                into.pack(self.schema, &name.text, value, name.range, block.range());
            }
            Some(value) => {
                let text = self.language.pick("A block belongs here: `{ … }`.", "此处应为块：`{ … }`。");
                let severity = super::Severity::Error;
                self.report(Diagnostic::new("wrong-value", severity, value.range(), text));
            }
            None => {}
        }
    }
}

fn shape_of(item: Item<'_>) -> Shape {
    match item.value() {
        Some(tree::Value::Block(_)) => Shape::Block,
        Some(tree::Value::List(list)) => match list.elements().items().next().and_then(|first| first.value())
        {
            Some(tree::Value::Block(_)) => Shape::Block,
            Some(_) => Shape::Scalar,
            None => Shape::Nothing,
        },
        Some(tree::Value::Scalar(_)) => Shape::Scalar,
        None => Shape::Nothing,
    }
}
