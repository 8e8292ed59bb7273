//! `unknown-field`: a name that its message does not have. AMCT refuses the file at the name (text-format.md F1.4, F4).

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::language::Language;
use crate::schema::model::{FieldKind, MessageId, Schema};
use crate::text::{Edit, TextRange};

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

/// The finding for `name` in a block of type `message`; `outer` are the messages around it, innermost first.
pub(in crate::analysis) fn unknown_field(
    schema: &Schema,
    message: MessageId,
    outer: &[MessageId],
    name: &str,
    range: TextRange,
    shape: Shape,
    language: Language,
) -> Diagnostic {
    let owner = schema.message(message);
    let meant = did_you_mean(schema, message, name, shape);
    let mut text = language.pick(
        format!("`{}` has no field `{name}`; AMCT refuses the file.", owner.name),
        format!("`{}` 没有字段 `{name}`；AMCT 会拒绝该文件。", owner.name),
    );
    if let Some(meant) = meant {
        text += &language.pick(format!(" Did you mean `{meant}`?"), format!("是否想写 `{meant}`？"));
    } else if let Some(&place) = outer.iter().find(|&&id| schema.message(id).find(name).is_some()) {
        let place = &schema.message(place).name;
        text += &language.pick(
            format!(" It belongs to `{place}`, outside of this block."),
            format!("它属于外层的 `{place}`，应写在本块之外。"),
        );
    }
    let fixes = meant.map(|meant| Fix {
        title: language.pick(format!("Change to `{meant}`"), format!("改为 `{meant}`")),
        edits: vec![Edit::replace(range, meant)],
    });
    Diagnostic {
        fixes: fixes.into_iter().collect(),
        ..Diagnostic::new("unknown-field", Severity::Error, range, text)
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
