//! `out-of-range`: a number that the .proto says makes no sense. What AMCT itself refuses its engine reports; this is for
//! what nobody is known to refuse.

use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::schema::limits::Enforcement;
use crate::schema::model::Field;
use crate::schema::value::ValueKind;
use crate::text::TextRange;

/// The finding for a value out of its field's limits.
pub(in crate::analysis) fn limits(
    field: &Field,
    value: &ValueKind,
    range: TextRange,
    language: Language,
) -> Option<Diagnostic> {
    let limits = field.limits.as_ref().filter(|limits| limits.enforcement == Enforcement::Nobody)?;
    let number = match *value {
        ValueKind::Int(number) => number as f64,
        ValueKind::Uint(number) => number as f64,
        ValueKind::Float(number) => f64::from(number),
        ValueKind::Double(number) => number,
        _ => return None,
    };
    if limits.values.contains(number) {
        return None;
    }
    let (name, values) = (&field.name, &limits.values);
    let text = language.pick(
        format!("`{name}` makes sense with {values}; AMCT is not known to refuse other values."),
        format!("`{name}` 的合理取值为 {values}；AMCT 是否拒绝其他值尚不清楚。"),
    );
    Some(Diagnostic::new("out-of-range", Severity::Warning, range, text))
}
