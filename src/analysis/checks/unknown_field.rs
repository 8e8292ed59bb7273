//! `unknown-field`: a name that its message does not have. AMCT refuses the file at the name (text-format.md F1.4, F4).

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::language::Language;
use crate::schema::builtin::{self, Dialect};
use crate::schema::model::{FieldKind, MessageId, Schema};
use crate::syntax::tree::Name;
use crate::text::Edit;

/// How a value was written, as far as it tells which field was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Shape {
    /// A block, or a list that starts with one.
    Block,
    /// A number, string or word.
    Scalar,
    /// Nothing yet.
    Nothing,
}

/// Where a name stands.
pub(in crate::analysis) struct Place<'a> {
    pub(in crate::analysis) schema: &'a Schema,
    pub(in crate::analysis) dialect: Option<Dialect>,
    /// The type of the block.
    pub(in crate::analysis) message: MessageId,
    /// The messages around it, innermost first.
    pub(in crate::analysis) outer: &'a [MessageId],
}

/// The finding for a name that the block does not have.
pub(in crate::analysis) fn unknown_field(
    place: &Place<'_>,
    name: &Name<'_>,
    shape: Shape,
    language: Language,
) -> Diagnostic {
    let &Place { schema, message, outer, .. } = place;
    let owner = schema.message(message);
    let (name, range) = (&*name.text, name.range);
    let mut text = language.pick(
        format!("`{}` has no field `{name}`; AMCT refuses the file.", owner.name),
        format!("`{}` 没有字段 `{name}`；AMCT 会拒绝该文件。", owner.name),
    );
    let mut fixes = Vec::new();
    let others = place.dialects_with(name);
    if let Some(meant) = did_you_mean(schema, message, name, shape) {
        text += &language.pick(format!(" Did you mean `{meant}`?"), format!("是否想写 `{meant}`？"));
        fixes.push(Fix {
            title: language.pick(format!("Change to `{meant}`"), format!("改为 `{meant}`")),
            edits: vec![Edit::replace(range, meant)],
        });
    } else if let Some(&place) = outer.iter().find(|&&id| schema.message(id).find(name).is_some()) {
        let place = &schema.message(place).name;
        text += &language.pick(
            format!(" It belongs to `{place}`, outside of this block."),
            format!("它属于外层的 `{place}`，应写在本块之外。"),
        );
    } else if let (Some(dialect), [_, ..]) = (place.dialect, &others[..]) {
        let names: Vec<_> = others.iter().map(|other| other.name()).collect();
        text += &language.pick(
            format!(" It belongs to {}, but this file is read as {}.", names.join(", "), dialect.name()),
            format!("它属于 {}，而本文件按 {} 读取。", names.join("、"), dialect.name()),
        );
    }
    // Whoever wrote the name as another dialect has it may have meant that dialect.
    fixes.extend(others.iter().map(|other| Fix {
        title: language.pick(
            format!("Read the file as {} (adds a header)", other.name()),
            format!("按 {} 读取本文件（添加文件头）", other.name()),
        ),
        edits: vec![Edit::insert(0, format!("# quantcfg-schema: {}\n", other.name()))],
    }));
    Diagnostic { fixes, ..Diagnostic::new("unknown-field", Severity::Error, range, text) }
}

impl Place<'_> {
    /// The other dialects that have the name here: in their root, or in a message of the same name.
    fn dialects_with(&self, name: &str) -> Vec<Dialect> {
        let Some(dialect) = self.dialect else { return Vec::new() };
        let owner = &self.schema.message(self.message).name;
        let is_root = self.message == self.schema.root;
        let has = |other: &Dialect| {
            let schema = builtin::schema(*other);
            match is_root {
                true => schema.root().find(name).is_some(),
                false => (schema.messages.iter())
                    .any(|message| message.name == *owner && message.find(name).is_some()),
            }
        };
        let mut others: Vec<_> =
            Dialect::ALL.iter().copied().filter(|other| *other != dialect).filter(has).collect();
        // Rather the same kind of configuration in another toolkit than another kind.
        let is_sibling = |other: &Dialect| builtin::schema(*other).root().name == self.schema.root().name;
        if others.iter().any(is_sibling) {
            others.retain(is_sibling);
        }
        others
    }
}

/// The field that was probably meant: near in spelling, and rather one whose value looks like the one that was written.
fn did_you_mean<'s>(schema: &'s Schema, message: MessageId, name: &str, shape: Shape) -> Option<&'s str> {
    let normal = |name: &str| name.replace('-', "_").to_ascii_lowercase();
    let name = normal(name);
    let limit = (name.chars().count() / 3).max(1);
    schema
        .message(message)
        .fields
        .iter()
        .map(|field| {
            let fits = match shape {
                Shape::Nothing => true,
                Shape::Block => matches!(field.kind, FieldKind::Message(_)),
                Shape::Scalar => !matches!(field.kind, FieldKind::Message(_)),
            };
            (strsim::osa_distance(&name, &normal(&field.name)), !fits, field)
        })
        .filter(|&(distance, ..)| distance <= limit)
        .min_by_key(|&(distance, misfit, _)| (distance, misfit))
        .map(|(.., field)| field.name.as_str())
}
