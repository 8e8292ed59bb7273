//! What the thing under the cursor means.

use super::locate::locate;
use super::{Snapshot, describe};
use crate::schema::model::FieldKind;
use crate::syntax::tree::Value;
use crate::text::TextRange;

/// A hover text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The bytes it is about.
    pub range: TextRange,
    /// The text as Markdown.
    pub markdown: String,
}

/// The hover text at a byte offset: for a name its field, for the value of an enum that value, for any other value its
/// field again.
pub fn hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let schema = &*snapshot.context.schema;
    let language = snapshot.context.language;
    let place = locate(snapshot.tree(), schema, offset);
    let step = place.steps.last().filter(|_| place.touches_field)?;
    let owner = schema.message(step.owner);
    let definition = step.definition(schema)?;
    let name = step.item.name()?.range;
    if name.touches(offset) {
        return Some(Hover { range: name, markdown: describe::field(schema, owner, definition, language) });
    }
    let Some(Value::Scalar(scalar)) = step.item.value() else { return None };
    let range = Some(scalar.range()).filter(|range| range.touches(offset))?;
    let value = match definition.kind {
        FieldKind::Enum(id) => {
            let enumeration = schema.enumeration(id);
            let text = snapshot.text.slice(range);
            let value = enumeration.values.iter().find(|value| value.name == text);
            value.map(|value| describe::enum_value(&enumeration.name, value, language))
        }
        _ => None,
    };
    let markdown = value.unwrap_or_else(|| describe::field(schema, owner, definition, language));
    Some(Hover { range, markdown })
}
