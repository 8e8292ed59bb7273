//! The string under the cursor that names a layer or a type of layers.

use super::Snapshot;
use super::locate::{Step, locate};
use crate::amct::Role;
use crate::syntax::literal;
use crate::syntax::tree::{ItemKind, Scalar, Value};
use crate::text::TextRange;

/// A string that names something in the network.
pub(super) struct Named {
    /// The name; `None` while the string cannot be read.
    pub(super) name: Option<String>,
    /// The string with its quotes.
    pub(super) range: TextRange,
    /// What it names.
    pub(super) role: Role,
}

/// The string at an offset, if its field names layers or types.
pub(super) fn named_at(snapshot: &Snapshot, offset: usize) -> Option<Named> {
    let schema = &*snapshot.context().schema;
    let place = locate(snapshot.tree(), schema, offset);
    let step = place.steps.last().filter(|_| place.touches_field)?;
    let role = Role::of_field(&step.definition(schema)?.name)?;
    let scalar = scalars(step).into_iter().find(|scalar| scalar.range().touches(offset))?;
    Some(Named { name: text_of(&scalar), range: scalar.range(), role })
}

/// The scalars of a field: its value, or the elements of its list.
pub(super) fn scalars<'t>(step: &Step<'t>) -> Vec<Scalar<'t>> {
    match step.item.value() {
        Some(Value::Scalar(scalar)) => vec![scalar],
        Some(Value::List(list)) => {
            let elements = list.elements().items().filter(|item| item.kind() == ItemKind::Element);
            let scalar = |value| match value {
                Value::Scalar(scalar) => Some(scalar),
                _ => None,
            };
            elements.filter_map(|item| scalar(item.value()?)).collect()
        }
        _ => Vec::new(),
    }
}

/// What the adjacent strings of a value say together.
pub(super) fn text_of(scalar: &Scalar<'_>) -> Option<String> {
    let mut bytes = Vec::new();
    for token in scalar.tokens() {
        if matches!(token.text.chars().next(), Some('"' | '\'')) {
            bytes.extend(literal::unescape(token.text).ok()?);
        } else if !token.kind.is_trivia() {
            return None;
        }
    }
    literal::decode_utf8(bytes).ok()
}
