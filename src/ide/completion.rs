//! What could be written at the cursor: the fields of the block it is in, or the values of the field it is on.

use super::locate::{Place, locate, resolve};
use super::{Snapshot, describe};
use crate::schema::model::{Field, FieldId, FieldKind, Label, MessageType, Scalar, Schema};
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Item, ItemKind, NameKind, Value};
use crate::text::TextRange;

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The bare name or value.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Type and label, for the same line of the list.
    pub detail: String,
    /// Documentation as Markdown.
    pub documentation: String,
    /// The bytes that accepting it replaces.
    pub replace: TextRange,
    /// What is put there, as plain text.
    pub text: String,
    /// The same as an LSP snippet, where it differs.
    pub snippet: Option<String>,
    /// Orders the list.
    pub sort: String,
    /// Struck through.
    pub is_deprecated: bool,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A scalar field.
    Field,
    /// A field that holds a block.
    Block,
    /// A value of an enum, or a boolean.
    Value,
    /// The name of a layer.
    Layer,
    /// A type of layer.
    LayerType,
}

/// Everything that fits at a byte offset, best first. Nothing inside comments.
pub fn completion(snapshot: &Snapshot, offset: usize) -> Vec<CompletionItem> {
    let schema = &*snapshot.context.schema;
    if is_in_comment(snapshot, offset) {
        return Vec::new();
    }
    let place = locate(snapshot.tree(), schema, offset);
    let touched = place.steps.last().filter(|_| place.touches_field);
    match touched.map(|step| part_at(snapshot, step.item, offset)) {
        Some(Part::Value(range)) => {
            let definition = touched.and_then(|step| step.definition(schema));
            definition.map_or_else(Vec::new, |field| values(snapshot, field, range))
        }
        Some(Part::Name(range)) => fields(snapshot, &place, range, touched.map(|step| step.item)),
        Some(Part::Between) | None => fields(snapshot, &place, TextRange::empty(offset), None),
    }
}

/// What part of a field the cursor is on.
enum Part {
    Name(TextRange),
    Value(TextRange),
    Between,
}

fn part_at(snapshot: &Snapshot, item: Item<'_>, offset: usize) -> Part {
    if let Some(name) = item.name().filter(|name| name.range.touches(offset)) {
        return Part::Name(name.range);
    }
    match item.value() {
        Some(Value::Scalar(scalar)) if scalar.range().touches(offset) => {
            let token = scalar.tokens().find(|token| token.range.touches(offset));
            return Part::Value(token.map_or(scalar.range(), |token| token.range));
        }
        Some(Value::List(list)) if list.range().contains(offset) && list.open().end <= offset => {
            let element = list.elements().items().find(|element| element.range().touches(offset));
            return Part::Value(element.map_or(TextRange::empty(offset), |element| element.range()));
        }
        _ => {}
    }
    // Behind a colon on the same line a value is due; on a later line rather the next field.
    match item.colon().filter(|colon| colon.end <= offset) {
        Some(colon) if item.value().is_none_or(|value| offset <= value.range().start) => {
            let between = snapshot.text.slice(TextRange::new(colon.end, offset));
            if between.contains(['\n', '\r']) { Part::Between } else { Part::Value(TextRange::empty(offset)) }
        }
        _ => Part::Between,
    }
}

fn is_in_comment(snapshot: &Snapshot, offset: usize) -> bool {
    let line = snapshot.text.line_range(snapshot.text.line_of(offset));
    offset > line.start
        && snapshot
            .tree()
            .token_at(offset - 1)
            .is_some_and(|token| token.kind == TokenKind::Comment && token.range.start < offset)
}

/// The fields of a block. Those that are taken are left out, save for `own`, the one under the cursor.
fn fields(
    snapshot: &Snapshot,
    place: &Place<'_>,
    replace: TextRange,
    own: Option<Item<'_>>,
) -> Vec<CompletionItem> {
    let schema = &*snapshot.context.schema;
    let Some(id) = place.message else { return Vec::new() };
    let message = schema.message(id);
    let taken: Vec<FieldId> = place
        .body
        .items()
        .filter(|item| item.kind() == ItemKind::Field)
        .filter(|item| own.is_none_or(|own| own.range() != item.range()))
        .filter_map(|item| resolve(schema, id, &item.name()?))
        .collect();
    let is_free = |id: FieldId, field: &Field| {
        let siblings = field.oneof.map_or(&[][..], |oneof| &message.oneofs[oneof.index()].fields);
        field.is_repeated() || !taken.contains(&id) && !siblings.iter().any(|id| taken.contains(id))
    };
    let has_name_only = own.is_none_or(|own| {
        own.colon().is_none()
            && own.value().is_none()
            && own.name().is_some_and(|n| n.kind == NameKind::Plain)
    });
    let mut found: Vec<_> = message
        .field_ids()
        .map(|id| (id, message.field(id)))
        .filter(|&(id, field)| message.field_by_name.contains_key(&field.name) && is_free(id, field))
        .map(|(_, field)| proposal(snapshot, message, field, replace, has_name_only))
        .collect();
    found.sort_by(|a, b| a.sort.cmp(&b.sort));
    found
}

fn proposal(
    snapshot: &Snapshot,
    owner: &MessageType,
    field: &Field,
    replace: TextRange,
    with_value: bool,
) -> CompletionItem {
    let schema = &*snapshot.context.schema;
    let is_block = field.message().is_some();
    let (text, snippet) = match field.message() {
        _ if !with_value => (field.name.clone(), None),
        Some(id) => {
            let snippet = format!("{}: {{\n{}\n}}", field.name, skeleton(schema, schema.message(id)));
            (format!("{}: {{}}", field.name), Some(snippet))
        }
        None => {
            let is_string = field.kind == FieldKind::Scalar(Scalar::String);
            let snippet = is_string.then(|| format!("{}: \"$0\"", field.name));
            (format!("{}: ", field.name), snippet)
        }
    };
    let rank = if field.label == Label::Required { 0 } else { 1 };
    let place = owner.field_by_name.get(&field.name).map_or(0, |id| id.index());
    CompletionItem {
        label: field.name.clone(),
        kind: if is_block { CompletionKind::Block } else { CompletionKind::Field },
        detail: describe::detail(schema, field),
        documentation: describe::field(schema, owner, field, snapshot.context.language),
        replace,
        text,
        snippet,
        sort: format!("{rank}{place:03}"),
        is_deprecated: field.is_deprecated,
    }
}

/// The inside of a new block as a snippet: its required scalars, each a stop, then the final stop.
fn skeleton(schema: &Schema, message: &MessageType) -> String {
    let _ = schema;
    let required = message.fields.iter().filter(|f| f.label == Label::Required && f.message().is_none());
    let lines: Vec<_> = required
        .enumerate()
        .map(|(at, field)| match field.kind {
            FieldKind::Scalar(Scalar::String) => format!("    {}: \"${}\"", field.name, at + 1),
            _ => format!("    {}: ${}", field.name, at + 1),
        })
        .collect();
    if lines.is_empty() { "    $0".to_owned() } else { lines.join("\n") + "$0" }
}

/// The values that can be listed: those of enums and booleans.
fn values(snapshot: &Snapshot, field: &Field, replace: TextRange) -> Vec<CompletionItem> {
    let schema = &*snapshot.context.schema;
    let language = snapshot.context.language;
    let value = |at: usize, label: &str, detail: &str, documentation: String| CompletionItem {
        label: label.to_owned(),
        kind: CompletionKind::Value,
        detail: detail.to_owned(),
        documentation,
        replace,
        text: label.to_owned(),
        snippet: None,
        sort: format!("{at:04}"),
        is_deprecated: false,
    };
    match field.kind {
        FieldKind::Scalar(Scalar::Bool) => ["true", "false"]
            .into_iter()
            .enumerate()
            .map(|(at, label)| value(at, label, "bool", field.doc.text(language).to_owned()))
            .collect(),
        FieldKind::Enum(id) => {
            let enumeration = schema.enumeration(id);
            let values = enumeration.values.iter().enumerate();
            values
                .map(|(at, v)| {
                    let documentation = describe::enum_value(&enumeration.name, v, language);
                    value(at, &v.name, &enumeration.name, documentation)
                })
                .collect()
        }
        _ => Vec::new(),
    }
}
