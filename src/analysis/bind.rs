//! Holds a tree against a schema: which field each name is, whether its value fits, and the values themselves.
//!
//! Values are merged as AMCT's loader merges them. What cannot be understood is reported and left out, so that the
//! rest still has its meaning. What AMCT computes from the values is no concern of this file.

use std::sync::Arc;

use super::checks::unknown_field::{Place, Shape, unknown_field};
use super::checks::{any, duplicate, extension, limits, missing_required, shape_mismatch, swallowed_text};
use super::facts::{Digest, Facts, Spots};
use super::{Diagnostic, scalar};
use crate::language::Language;
use crate::schema::builtin::Dialect;
use crate::schema::model::{FieldId, FieldKind, MessageId, Schema};
use crate::schema::value::MessageValue;
use crate::syntax::tree::{self, Body, Item, ItemKind, Name, NameKind, Part, TokenView};
use crate::text::TextRange;

/// What holding a tree against a schema gives.
pub(super) struct Bound {
    /// In no particular order.
    pub(super) findings: Vec<Diagnostic>,
    /// Of all values.
    pub(super) digest: Digest,
    pub(super) spots: Spots,
}

/// Binds the top level of a tree to the root message. What is known of a piece of the tree already is taken from there.
pub(super) fn bind(root: Body<'_>, schema: &Schema, dialect: Option<Dialect>, language: Language) -> Bound {
    let mut binder = Binder::new(schema, dialect, language);
    let mut facts = Facts::of(schema.root, false);
    let mut parts = Vec::new();
    for part in root.parts() {
        let known = binder.part(part, Within::Block(schema.root));
        binder.found.extend(known.findings.iter().map(|finding| finding.shifted(part.start())));
        facts.append_without_spots(&known, part.start());
        parts.push((part.start(), known));
    }
    binder.comments(root.end_tokens());
    // An empty file means AMCT's defaults on purpose: it lacks nothing.
    if let Some(first) = root.items().next() {
        binder.finish(&facts, TextRange::empty(first.range().start));
    }
    Bound { findings: binder.found, digest: facts.digest, spots: Spots::of(parts.into_iter()) }
}

/// The values of a tree.
pub(super) fn values(root: Body<'_>, schema: &Schema) -> MessageValue {
    let mut binder = Binder { wants_values: true, ..Binder::new(schema, None, Language::default()) };
    let facts = binder.block(root, schema.root, TextRange::empty(0));
    facts.value.unwrap_or_else(|| MessageValue::new(schema.root))
}

pub(super) struct Binder<'s> {
    pub(super) schema: &'s Schema,
    dialect: Option<Dialect>,
    pub(super) language: Language,
    /// The messages around the current one, outermost first.
    around: Vec<MessageId>,
    /// Whether somebody needs the values; then nothing is taken from what is known.
    wants_values: bool,
    found: Vec<Diagnostic>,
}

/// What some items stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// A block of a type.
    Block(MessageId),
    /// A list of scalars, as the value of a field.
    List(MessageId, FieldId),
}

/// What is kept with a piece of a tree, and what it holds for.
struct Known {
    /// The schema by its address: a tree is read against schemas that live as long as it does.
    schema: usize,
    dialect: Option<Dialect>,
    language: Language,
    around: Vec<MessageId>,
    within: Within,
    facts: Arc<Facts>,
}

impl<'s> Binder<'s> {
    fn new(schema: &'s Schema, dialect: Option<Dialect>, language: Language) -> Self {
        Self { schema, dialect, language, around: Vec::new(), wants_values: false, found: Vec::new() }
    }

    pub(super) fn report(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// The facts of a piece, counted from its start.
    fn part(&mut self, part: Part<'_>, within: Within) -> Arc<Facts> {
        let schema = std::ptr::from_ref(self.schema) as usize;
        if let Some(known) = part.memo().get::<Known>()
            && known.schema == schema
            && (known.dialect, known.language, known.within) == (self.dialect, self.language, within)
            && known.around == self.around
        {
            return known.facts.clone();
        }
        let outer = std::mem::take(&mut self.found);
        let (Within::Block(message) | Within::List(message, _)) = within;
        let mut facts = Facts::of(message, false);
        for item in part.items_from_zero() {
            match within {
                Within::Block(_) => self.item(item, &mut facts),
                Within::List(_, field) => self.element(item, None, field, &mut facts),
            }
        }
        facts.findings = std::mem::replace(&mut self.found, outer);
        let facts = Arc::new(facts);
        let (dialect, language, around) = (self.dialect, self.language, self.around.clone());
        part.memo().set(Arc::new(Known { schema, dialect, language, around, within, facts: facts.clone() }));
        facts
    }

    /// The items of a body that is big enough to have several pieces, from what is known of them.
    fn parts(&mut self, body: Body<'_>, within: Within, name: Option<TextRange>, into: &mut Facts) -> bool {
        if self.wants_values || body.parts().nth(1).is_none() {
            return false;
        }
        for part in body.parts() {
            let known = self.part(part, within);
            self.found.extend(known.findings.iter().map(|finding| finding.shifted(part.start())));
            into.append(&known, part.start(), name);
        }
        true
    }

    /// A block and what it lacks. `place` is what stands for it in findings.
    fn block(&mut self, body: Body<'_>, message: MessageId, place: TextRange) -> Facts {
        let mut facts = Facts::of(message, self.wants_values);
        self.fields(body, &mut facts);
        self.finish(&facts, place);
        facts
    }

    /// What can be said only when all of a block is known.
    fn finish(&mut self, facts: &Facts, place: TextRange) {
        let owner = self.schema.message(facts.message);
        let mut seen = duplicate::Seen::default();
        let replaced =
            facts.noted.iter().filter_map(|&(field, range)| seen.note(owner, field, range, self.language));
        self.found.extend(replaced);
        let missing = missing_required::missing_required(owner, &facts.assigned, place, self.language);
        self.found.extend(missing);
    }

    fn comments<'t>(&mut self, tokens: impl Iterator<Item = TokenView<'t>>) {
        let language = self.language;
        self.found.extend(tokens.filter_map(|token| swallowed_text::swallowed_text(token, language)));
    }

    fn fields(&mut self, body: Body<'_>, into: &mut Facts) {
        self.comments(body.end_tokens());
        if !self.parts(body, Within::Block(into.message), None, into) {
            // A loop, because blocks in blocks come back here: `for_each` would take far more of the stack.
            for item in body.items() {
                self.item(item, into);
            }
        }
    }

    fn item(&mut self, item: Item<'_>, into: &mut Facts) {
        self.comments(item.tokens());
        match (item.kind(), item.name(), item.body()) {
            (ItemKind::Field, Some(name), _) => self.field(item, name, into),
            // Braces around fields: the fields in them are understood.
            (ItemKind::Error, None, Some(inner)) => self.fields(inner, into),
            _ => {}
        }
    }

    fn field(&mut self, item: Item<'_>, name: Name<'_>, into: &mut Facts) {
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
                into.note(owner, field, value);
                self.values(item, name.range, field, into);
            }
            Err(finding) => self.report(finding),
        }
    }

    fn values(&mut self, item: Item<'_>, name: TextRange, field: FieldId, into: &mut Facts) {
        let definition = self.schema.message(into.message).field(field);
        // A missing value has been reported by the parser.
        let Some(value) = item.value() else { return };
        let tree::Value::List(list) = value else { return self.value(value, Some(name), field, into) };
        if !definition.is_repeated() {
            self.report(shape_mismatch::list_for_singular(definition, list, self.language));
            return;
        }
        if definition.message().is_none() && item.colon().is_none() {
            self.report(shape_mismatch::missing_colon(name, self.language));
        }
        let elements = list.elements();
        let is_scalar = definition.message().is_none();
        if is_scalar && self.parts(elements, Within::List(into.message, field), Some(name), into) {
            return;
        }
        for element in elements.items() {
            self.element(element, Some(name), field, into);
        }
    }

    /// An element of a list. The name of the list is known, or will be.
    fn element(&mut self, element: Item<'_>, name: Option<TextRange>, field: FieldId, into: &mut Facts) {
        if element.kind() != ItemKind::Element {
            return;
        }
        match element.value() {
            // A list in a list has been reported by the parser.
            None | Some(tree::Value::List(_)) => {}
            Some(value) => {
                if let tree::Value::Scalar(scalar) = value {
                    self.found.extend(shape_mismatch::adjacent_strings(scalar, self.language));
                }
                self.value(value, name, field, into);
            }
        }
    }

    /// One value of a field: not a list.
    fn value(&mut self, value: tree::Value<'_>, name: Option<TextRange>, field: FieldId, into: &mut Facts) {
        let language = self.language;
        let range = value.range();
        let definition = self.schema.message(into.message).field(field);
        let kind = match (value, definition.kind) {
            (tree::Value::Block(block), FieldKind::Message(id)) => {
                let name = name.unwrap_or(range);
                self.around.push(into.message);
                let inner = self.block(block.body(), id, name);
                self.around.pop();
                return into.block(self.schema, field, inner, name, range);
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
        into.scalar(self.schema, field, kind, name, range);
    }

    fn expanded_any(&mut self, item: Item<'_>, name: &Name<'_>, into: &mut Facts) {
        self.found.extend(any::separator(item, self.language));
        let message = match any::resolve(self.schema, name, self.language) {
            Ok(message) => message,
            Err(finding) => return self.report(finding),
        };
        match item.value() {
            Some(tree::Value::Block(block)) => {
                self.around.push(into.message);
                // Here alone the loader minds what is missing, at any depth, so the values are needed.
                let wanted = std::mem::replace(&mut self.wants_values, true);
                let inner = self.block(block.body(), message, name.range);
                self.wants_values = wanted;
                self.around.pop();
                let missing = inner
                    .value
                    .as_ref()
                    .map(|value| any::missing_required(self.schema, value, name, self.language));
                self.found.extend(missing.flatten());
                into.pack(self.schema, &name.text, inner, name.range, block.range());
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
