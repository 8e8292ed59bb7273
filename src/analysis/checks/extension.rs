//! `unknown-extension`: a name in brackets that AMCT's loader does not know (text-format.md F1.12).

use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::schema::model::{FieldId, MessageId, Schema};
use crate::syntax::tree::Name;

/// The extension of `message` that a name in brackets means, or what is wrong with it.
pub(in crate::analysis) fn resolve(
    schema: &Schema,
    message: MessageId,
    name: &Name<'_>,
    language: Language,
) -> Result<FieldId, Diagnostic> {
    let owner = schema.message(message);
    let text = match schema.extension_by_name.get(&*name.text) {
        Some(&(extended, field)) if extended == message && owner.is_extendable => return Ok(field),
        _ if !owner.is_extendable => language.pick(
            format!("`{}` cannot be extended; AMCT refuses the file.", owner.name),
            format!("`{}` 不支持扩展；AMCT 会拒绝该文件。", owner.name),
        ),
        Some(_) => language.pick(
            format!("The extension `{}` is for another message than `{}`.", name.text, owner.name),
            format!("扩展 `{}` 不属于 `{}`。", name.text, owner.name),
        ),
        None => language.pick(
            format!("There is no extension `{}` in the schema; AMCT refuses the file.", name.text),
            format!("schema 中没有扩展 `{}`；AMCT 会拒绝该文件。", name.text),
        ),
    };
    Err(Diagnostic::new("unknown-extension", Severity::Error, name.range, text))
}
