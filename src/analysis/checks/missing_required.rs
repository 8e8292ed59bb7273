//! `missing-required`: a field that its documentation calls required and that is not there. AMCT's loader never checks
//! it (text-format.md F0.1), so it is worth knowing, no more.

use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::schema::model::{FieldId, Label, MessageType};
use crate::text::TextRange;

/// The finding for a block that lacks required fields. `assigned` are those that it has, `place` is where it begins.
pub(in crate::analysis) fn missing_required(
    message: &MessageType,
    assigned: &[FieldId],
    place: TextRange,
    language: Language,
) -> Option<Diagnostic> {
    let missing: Vec<_> = message
        .field_ids()
        .filter(|&id| message.field(id).label == Label::Required)
        .filter(|id| !assigned.contains(id))
        .map(|id| format!("`{}`", message.field(id).name))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let text = language.pick(
        format!(
            "`{}` is documented with {}, which AMCT does not enforce.",
            message.name,
            missing.join(" and ")
        ),
        format!("文档要求 `{}` 填写 {}，但 AMCT 并不检查。", message.name, missing.join("、")),
    );
    Some(Diagnostic::new("missing-required", Severity::Information, place, text))
}
