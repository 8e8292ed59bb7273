//! `unknown-type` and its siblings: what can be wrong with `[prefix/pkg.Type] { … }` in a `google.protobuf.Any`
//! (text-format.md F6).

use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::schema::model::{MessageId, Schema};
use crate::schema::value::MessageValue;
use crate::syntax::tree::{Item, Name};

/// The type that the name of an expanded `Any` means, or what is wrong with it.
pub(in crate::analysis) fn resolve(
    schema: &Schema,
    name: &Name<'_>,
    language: Language,
) -> Result<MessageId, Diagnostic> {
    let error = |code, text| Err(Diagnostic::new(code, Severity::Error, name.range, text));
    let Some((prefix, type_name)) = name.text.rsplit_once('/') else {
        return error(
            "bad-type-url",
            language
                .pick("A type is named `[prefix/pkg.Type]` here.", "此处应写作 `[前缀/包名.类型]`。")
                .to_owned(),
        );
    };
    if prefix.is_empty()
        || prefix.starts_with('/')
        || !prefix.bytes().all(is_url)
        || !are_escapes_good(prefix)
    {
        let text = language.pick(
            format!("`{prefix}` is no prefix of a type: write `type.googleapis.com/{type_name}`."),
            format!("`{prefix}` 不是合法的类型前缀：应写作 `type.googleapis.com/{type_name}`。"),
        );
        return error("bad-type-url", text);
    }
    schema.message_by_name.get(type_name).copied().map_or_else(
        || {
            let text = language.pick(
                format!("The schema has no type `{type_name}`; AMCT refuses the file."),
                format!("schema 中没有类型 `{type_name}`；AMCT 会拒绝该文件。"),
            );
            error("unknown-type", text)
        },
        Ok,
    )
}

fn is_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-.~_!$&()*+,;=%".contains(&byte)
}

fn are_escapes_good(prefix: &str) -> bool {
    prefix.match_indices('%').all(|(at, _)| {
        let digits = prefix.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// A required field that is missing inside of an expanded `Any`: the one place where the loader minds, because it has to
/// encode what is there.
pub(in crate::analysis) fn missing_required(
    schema: &Schema,
    value: &MessageValue,
    name: &Name<'_>,
    language: Language,
) -> Option<Diagnostic> {
    let missing = value.missing_required(schema);
    let fields: Vec<_> = missing.iter().map(|field| format!("`{field}`")).collect();
    let text = language.pick(
        format!("Required here, and missing: {}; AMCT refuses the file.", fields.join(", ")),
        format!("此处必填但缺少：{}；AMCT 会拒绝该文件。", fields.join("、")),
    );
    (!missing.is_empty()).then(|| Diagnostic::new("missing-in-any", Severity::Error, name.range, text))
}

/// A separator behind an expanded `Any`, which Python does not take there.
pub(in crate::analysis) fn separator(item: Item<'_>, language: Language) -> Option<Diagnostic> {
    let text = language.pick(
        "No `,` or `;` may stand behind this block; Python's loader refuses it here.",
        "此块之后不能有 `,` 或 `;`，Python 的加载器会拒绝。",
    );
    Some(Diagnostic::new("stray-separator", Severity::Error, item.separator()?, text))
}
