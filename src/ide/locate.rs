//! Where an offset is in terms of the schema: in which message, on which field, on its name or its value.

use crate::schema::model::{Field, FieldId, FieldKind, MessageId, Schema};
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Body, Item, ItemKind, Name, NameKind, Tree, Value};
use crate::text::TextRange;

/// A field on the way from the root to an offset.
#[derive(Clone, Copy)]
pub(super) struct Step<'t> {
    /// The field in the file.
    pub(super) item: Item<'t>,
    /// The message it stands in.
    pub(super) owner: MessageId,
    /// The field it means, if its message has one of that name.
    pub(super) field: Option<FieldId>,
}

impl<'t> Step<'t> {
    /// The definition of the field.
    pub(super) fn definition<'s>(&self, schema: &'s Schema) -> Option<&'s Field> {
        self.field.map(|id| schema.message(self.owner).field(id))
    }
}

/// The block around an offset, and how to get there.
pub(super) struct Place<'t> {
    /// The innermost block that holds the offset.
    pub(super) body: Body<'t>,
    /// Its message; `None` inside a block that the schema does not know.
    pub(super) message: Option<MessageId>,
    /// The fields on the way, outermost first. When the offset touches a field of `body` itself, that field is the last.
    pub(super) steps: Vec<Step<'t>>,
    /// The last step is the field that the offset touches, rather than the one whose block it is in.
    pub(super) touches_field: bool,
}

/// Finds the place of an offset.
pub(super) fn locate<'t>(tree: &'t Tree, schema: &Schema, offset: usize) -> Place<'t> {
    let mut place =
        Place { body: tree.root(), message: Some(schema.root), steps: Vec::new(), touches_field: false };
    for item in tree.path_at(offset) {
        match item.kind() {
            ItemKind::Field => {
                let Some(owner) = place.message else { break };
                let field = item.name().and_then(|name| resolve(schema, owner, &name));
                place.steps.push(Step { item, owner, field });
                place.touches_field = true;
            }
            ItemKind::Element => {}
            ItemKind::Error => continue,
        }
        let inside = |open: TextRange, close: Option<TextRange>| {
            open.end <= offset && close.is_none_or(|close| offset <= close.start)
        };
        if let Some(Value::Block(block)) = item.value()
            && inside(block.open(), block.close())
        {
            let kind = place.steps.last().and_then(|step| step.definition(schema)).map(|field| field.kind);
            place.body = block.body();
            place.message = match kind {
                Some(FieldKind::Message(id)) => Some(id),
                _ => None,
            };
            place.touches_field = false;
        }
    }
    if !place.touches_field {
        follow_colon(tree, schema, offset, &mut place);
    }
    place
}

/// Behind `name:` and blanks the offset is still on that field, whose value is due.
fn follow_colon<'t>(tree: &'t Tree, schema: &Schema, offset: usize, place: &mut Place<'t>) {
    let before = place.body.items().take_while(|item| item.range().end <= offset).last();
    let (Some(item), Some(owner)) = (before, place.message) else { return };
    let is_due = item.kind() == ItemKind::Field && item.colon().is_some() && item.value().is_none();
    let is_on_line = |at: usize| match tree.token_at(at) {
        Some(token) => {
            token.kind == TokenKind::Whitespace && !token.text[..offset - at].contains(['\n', '\r'])
        }
        None => false,
    };
    let end = item.range().end;
    if is_due && item.separator().is_none() && end < offset && is_on_line(end) {
        let field = item.name().and_then(|name| resolve(schema, owner, &name));
        place.steps.push(Step { item, owner, field });
        place.touches_field = true;
    }
}

/// The field of `owner` that a name means.
pub(super) fn resolve(schema: &Schema, owner: MessageId, name: &Name<'_>) -> Option<FieldId> {
    match name.kind {
        NameKind::Plain => schema.message(owner).field_by_name.get(&*name.text).copied(),
        NameKind::Bracketed => {
            schema.extension_by_name.get(&*name.text).filter(|(id, _)| *id == owner).map(|&(_, field)| field)
        }
    }
}
