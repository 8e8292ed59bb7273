//! `duplicate-field` and `oneof-conflict`: a value that a later one replaces without a word (text-format.md F5).
//!
//! AMCT's loader merges: of two scalars, and of two members of a oneof, the last wins; two blocks are merged field by
//! field. Never an error, hardly ever meant.

use std::collections::HashMap;

use crate::analysis::diagnostic::{Related, Tag};
use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::schema::model::{FieldId, FieldKind, MessageType};
use crate::text::TextRange;

/// The singular fields seen so far in one block.
#[derive(Default)]
pub(in crate::analysis) struct Seen {
    fields: HashMap<FieldId, TextRange>,
}

impl Seen {
    /// Notes a field and the bytes it stands in, from its name to the end of its value. Gives a finding when it
    /// replaces an earlier one.
    pub(in crate::analysis) fn note(
        &mut self,
        owner: &MessageType,
        field: FieldId,
        range: TextRange,
        language: Language,
    ) -> Option<Diagnostic> {
        let definition = owner.field(field);
        if definition.is_repeated() {
            return None;
        }
        let name = &definition.name;
        if let Some(earlier) = self.fields.insert(field, range) {
            let is_block = matches!(definition.kind, FieldKind::Message(_));
            let text = if is_block {
                language.pick(
                    format!("`{name}` is set twice; AMCT merges both blocks, and what both set is taken from the later one."),
                    format!("`{name}` 写了两次；AMCT 会合并两个块，重复的值以后者为准。"),
                )
            } else {
                language.pick(
                    format!("`{name}` is set again below; AMCT silently takes the last value, this one has no effect."),
                    format!("`{name}` 在下文又写了一次；AMCT 只取最后一个值，此处不起作用。"),
                )
            };
            let tag = (!is_block).then_some(Tag::Unnecessary);
            return Some(finding("duplicate-field", earlier, range, text, tag, language));
        }
        let siblings = &owner.oneofs.get(definition.oneof?.index())?.fields;
        let sibling = siblings.iter().copied().find(|&id| id != field && self.fields.contains_key(&id))?;
        let earlier = self.fields.remove(&sibling)?;
        let loser = &owner.field(sibling).name;
        let text = language.pick(
            format!("Only one of `{loser}` and `{name}` can be set; AMCT silently takes the last, `{name}`."),
            format!("`{loser}` 与 `{name}` 互斥；AMCT 只取最后写的 `{name}`。"),
        );
        Some(finding("oneof-conflict", earlier, range, text, Some(Tag::Unnecessary), language))
    }
}

fn finding(
    code: &'static str,
    earlier: TextRange,
    later: TextRange,
    text: String,
    tag: Option<Tag>,
    language: Language,
) -> Diagnostic {
    let message = language.pick("this one counts", "以此处为准").to_owned();
    Diagnostic {
        related: vec![Related { range: later, message }],
        tag,
        ..Diagnostic::new(code, Severity::Warning, earlier, text)
    }
}
