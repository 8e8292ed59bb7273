//! `wrong-value` and `missing-colon`: a value of the wrong form for its field, such as a number where a block belongs.

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::language::Language;
use crate::schema::model::{Field, MessageType};
use crate::syntax::tree::{Block, List};
use crate::text::{Edit, TextRange};

/// A scalar where the field holds a block.
pub(in crate::analysis) fn scalar_for_block(
    field: &Field,
    message: &MessageType,
    range: TextRange,
    language: Language,
) -> Diagnostic {
    let (name, kind) = (&field.name, &message.name);
    let text = language.pick(
        format!("`{name}` takes a block of `{kind}`: write `{name}: {{ … }}`."),
        format!("`{name}` 的值应为 `{kind}` 块：写作 `{name}: {{ … }}`。"),
    );
    Diagnostic::new("wrong-value", Severity::Error, range, text)
}

/// A block where the field holds a single value.
pub(in crate::analysis) fn block_for_scalar(
    field: &Field,
    kind: &str,
    block: Block<'_>,
    language: Language,
) -> Diagnostic {
    let name = &field.name;
    let text = language.pick(
        format!("`{name}` takes a value of type {kind}, not a block: write `{name}: …`."),
        format!("`{name}` 的值应为 {kind} 类型，而不是块：写作 `{name}: …`。"),
    );
    Diagnostic::new("wrong-value", Severity::Error, block.open(), text)
}

/// A list for a field that holds one value.
pub(in crate::analysis) fn list_for_singular(field: &Field, list: List<'_>, language: Language) -> Diagnostic {
    let name = &field.name;
    let text = language.pick(
        format!("`{name}` takes a single value: only repeated fields can be written as a list."),
        format!("`{name}` 只能有一个值：只有 repeated 字段才能写成列表。"),
    );
    Diagnostic::new("wrong-value", Severity::Error, list.open(), text)
}

/// No colon between a name and a value that is not a block. `name` is the range of the name.
pub(in crate::analysis) fn missing_colon(name: TextRange, language: Language) -> Diagnostic {
    let text = language.pick(
        "A `:` is missing behind the name; only blocks can do without.",
        "字段名后缺少 `:`；只有块可以省略冒号。",
    );
    let fix = Fix {
        title: language.pick("Insert `:`", "插入 `:`").to_owned(),
        edits: vec![Edit::insert(name.end, ":")],
    };
    Diagnostic { fixes: vec![fix], ..Diagnostic::new("missing-colon", Severity::Error, name, text) }
}
