//! What can be wrong with a text whatever its schema is: where, in words, and how to mend it.

use crate::language::Language;
use crate::text::{Edit, TextRange};

/// A mistake in the form of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where it is best mended.
    pub range: TextRange,
    /// Where it became clear, if that is elsewhere.
    pub related: Option<TextRange>,
}

impl SyntaxError {
    pub(super) fn shifted(&self, by: usize) -> Self {
        Self {
            kind: self.kind.clone(),
            range: self.range.shifted(by),
            related: self.related.map(|r| r.shifted(by)),
        }
    }
}

/// The kinds of mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// A name, a colon, and no value.
    MissingValue,
    /// A name and nothing that goes with it.
    LonelyName,
    /// A name and a value with nothing between them.
    MissingColon,
    /// An opening bracket that nothing closes. Holds the closing bracket.
    Unclosed(char),
    /// A closing bracket that nothing opened.
    StrayClose(char),
    /// A closing bracket of another kind than the opening one. Holds the right one.
    WrongClose(char),
    /// A string without its closing quote, which is held.
    UnterminatedString(char),
    /// A full-width character of a Chinese input method, and what it should be.
    FullWidth(char, char),
    /// Typographic quotes. Holds the text between them.
    CurlyQuotes(String),
    /// `=` or `:=` in the place of a colon.
    Equals,
    /// A second colon.
    DoubledColon,
    /// `//`: the start of a comment in other languages.
    SlashComment,
    /// `/*`: the same.
    BlockComment,
    /// Braces around everything, as in JSON.
    BracesAroundFields,
    /// A name in quotes, as in JSON. Holds the name.
    QuotedName(String),
    /// A value of several words or with characters that need quotes. Holds it.
    UnquotedValue(String),
    /// A minus sign apart from its number, which is held.
    SpaceAfterMinus(String),
    /// A comma behind the last element of a list.
    TrailingComma,
    /// No comma between two elements of a list.
    MissingComma,
    /// A semicolon between the elements of a list.
    SemicolonInList,
    /// A `,` or `;` that ends nothing.
    StraySeparator,
    /// A list in a list.
    NestedList,
    /// A field in a list.
    FieldInList,
    /// An invisible character.
    Invisible(char),
    /// A byte order mark.
    ByteOrderMark,
    /// The marks of a merge conflict.
    MergeConflict,
    /// Blocks nested deeper than the loader can follow.
    TooDeep,
    /// Brackets around a name with something wrong in them.
    BadBracketedName,
    /// Anything else that cannot stand where it does.
    Unexpected(String),
}

impl SyntaxErrorKind {
    /// The stable name of the kind.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingValue | Self::LonelyName => "missing-value",
            Self::MissingColon => "missing-colon",
            Self::Unclosed(_) => "unclosed",
            Self::StrayClose(_) => "stray-close",
            Self::WrongClose(_) => "wrong-close",
            Self::UnterminatedString(_) => "unterminated-string",
            Self::FullWidth(..) => "full-width",
            Self::CurlyQuotes(_) => "curly-quotes",
            Self::Equals => "equals-sign",
            Self::DoubledColon => "doubled-colon",
            Self::SlashComment | Self::BlockComment => "foreign-comment",
            Self::BracesAroundFields | Self::QuotedName(_) => "json-style",
            Self::UnquotedValue(_) => "unquoted-string",
            Self::SpaceAfterMinus(_) => "space-after-minus",
            Self::TrailingComma => "trailing-comma",
            Self::MissingComma => "missing-comma",
            Self::SemicolonInList => "semicolon-in-list",
            Self::StraySeparator => "stray-separator",
            Self::NestedList => "nested-list",
            Self::FieldInList => "field-in-list",
            Self::Invisible(_) => "invisible-character",
            Self::ByteOrderMark => "byte-order-mark",
            Self::MergeConflict => "merge-conflict",
            Self::TooDeep => "too-deep",
            Self::BadBracketedName => "bad-bracketed-name",
            Self::Unexpected(_) => "unexpected-text",
        }
    }

    /// What is wrong and what to write instead.
    pub fn message(&self, language: Language) -> String {
        let (english, chinese) = self.messages();
        language.pick(english, chinese)
    }

    fn messages(&self) -> (String, String) {
        let fixed = |english: &str, chinese: &str| (english.to_owned(), chinese.to_owned());
        match self {
            Self::MissingValue => fixed("A value is missing behind the colon.", "冒号后缺少值。"),
            Self::LonelyName => fixed(
                "A name alone is no field: write `name: value` or `name: { … }`.",
                "只有字段名不构成字段：应写作 `name: value` 或 `name: { … }`。",
            ),
            Self::MissingColon => fixed(
                "A `:` is missing between name and value; only blocks can do without.",
                "字段名与值之间缺少 `:`；只有块可以省略冒号。",
            ),
            Self::Unclosed(close) => (
                format!("This bracket is never closed: a `{close}` is missing."),
                format!("括号没有闭合：缺少 `{close}`。"),
            ),
            Self::StrayClose(close) => (
                format!("This `{close}` closes nothing."),
                format!("多余的 `{close}`：没有与之对应的开括号。"),
            ),
            Self::WrongClose(close) => (
                format!("The wrong bracket: what was opened here is closed by `{close}`."),
                format!("括号不匹配：此处应以 `{close}` 闭合。"),
            ),
            Self::UnterminatedString(quote) => (
                format!("This string has no closing `{quote}`; a string ends on the line it begins on."),
                format!("字符串缺少结尾的 `{quote}`；字符串不能跨行。"),
            ),
            Self::FullWidth(wide, plain) => (
                format!("`{wide}` is a full-width character; write `{plain}`."),
                format!("`{wide}` 是全角字符，应改为半角 `{plain}`。"),
            ),
            Self::CurlyQuotes(_) => fixed(
                "Typographic quotes do not make a string; write `\"`.",
                "中文（弯）引号不能表示字符串，应改为 `\"`。",
            ),
            Self::Equals => {
                fixed("Name and value are parted by `:`, not by `=`.", "字段名与值之间用 `:`，而不是 `=`。")
            }
            Self::DoubledColon => fixed("One `:` is enough.", "只需要一个 `:`。"),
            Self::SlashComment | Self::BlockComment => {
                fixed("Comments begin with `#` here.", "注释以 `#` 开头。")
            }
            Self::BracesAroundFields => fixed(
                "The file is not wrapped in braces: its fields stand at the top level.",
                "文件最外层没有花括号：字段直接写在顶层。",
            ),
            Self::QuotedName(name) => {
                (format!("Names stand without quotes: `{name}`."), format!("字段名不加引号：`{name}`。"))
            }
            Self::UnquotedValue(_) => fixed(
                "This is neither a number nor a word; text belongs in quotes.",
                "这既不是数字也不是单词；文本应加引号。",
            ),
            Self::SpaceAfterMinus(_) => {
                fixed("No space between `-` and the number.", "`-` 与数字之间不能有空格。")
            }
            Self::TrailingComma => {
                fixed("No comma behind the last element of a list.", "列表最后一个元素后不能有逗号。")
            }
            Self::MissingComma => fixed("A `,` is missing between the elements.", "列表元素之间缺少 `,`。"),
            Self::SemicolonInList => {
                fixed("The elements of a list are parted by `,`.", "列表元素之间用 `,` 分隔。")
            }
            Self::StraySeparator => fixed(
                "Nothing to part here: one `,` or `;` may stand behind a field, no more.",
                "多余的分隔符：每个字段后最多只能有一个 `,` 或 `;`。",
            ),
            Self::NestedList => fixed("A list cannot hold a list.", "列表中不能再嵌套列表。"),
            Self::FieldInList => fixed(
                "A list holds values, not fields: close it with `]`, or put `{ … }` around the field.",
                "列表中只能是值，不能是字段：请用 `]` 结束列表，或用 `{ … }` 包住字段。",
            ),
            Self::Invisible(c) => (
                format!("An invisible character (U+{:04X}); delete it.", u32::from(*c)),
                format!("此处有不可见字符（U+{:04X}），请删除。", u32::from(*c)),
            ),
            Self::ByteOrderMark => fixed(
                "The file begins with a byte order mark, which AMCT refuses: save as UTF-8 without BOM.",
                "文件以 BOM 开头，AMCT 会拒绝：请另存为不带 BOM 的 UTF-8。",
            ),
            Self::MergeConflict => fixed("An unresolved merge conflict.", "存在未解决的合并冲突。"),
            Self::TooDeep => fixed(
                "Nested too deep: AMCT's loader gives up beyond 300 levels.",
                "嵌套过深：超过 300 层后 AMCT 的加载器无法处理。",
            ),
            Self::BadBracketedName => fixed(
                "Between brackets stands the full name of an extension or type, such as `[pkg.name]`.",
                "方括号中应是扩展或类型的全名，例如 `[pkg.name]`。",
            ),
            Self::Unexpected(text) => (
                format!("Unexpected `{text}`: a field name belongs here."),
                format!("意外的 `{text}`：此处应为字段名。"),
            ),
        }
    }
}

impl SyntaxError {
    /// How to mend it, where that is clear: a title and edits.
    pub fn fix(&self, language: Language) -> Option<(String, Vec<Edit>)> {
        let replace = |text: &str| vec![Edit::replace(self.range, text)];
        let to = |text: &str| language.pick(format!("Change to `{text}`"), format!("改为 `{text}`"));
        let delete = || language.pick("Delete it", "删除").to_owned();
        Some(match &self.kind {
            SyntaxErrorKind::MissingColon => {
                (language.pick("Insert `:`", "插入 `:`").to_owned(), vec![Edit::insert(self.range.end, ":")])
            }
            SyntaxErrorKind::UnterminatedString(quote) => (
                language.pick(format!("Insert `{quote}`"), format!("插入 `{quote}`")),
                vec![Edit::insert(self.range.end, *quote)],
            ),
            SyntaxErrorKind::FullWidth(_, plain) => {
                let plain = plain.to_string();
                (to(&plain), replace(&plain))
            }
            SyntaxErrorKind::CurlyQuotes(inner) => {
                let text = format!("\"{inner}\"");
                (to(&text), replace(&text))
            }
            SyntaxErrorKind::UnquotedValue(text) => {
                let text = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
                (to(&text), replace(&text))
            }
            SyntaxErrorKind::SpaceAfterMinus(number) => {
                let text = format!("-{number}");
                (to(&text), replace(&text))
            }
            SyntaxErrorKind::SlashComment => (to("#"), replace("#")),
            SyntaxErrorKind::Equals => (to(":"), replace(":")),
            SyntaxErrorKind::SemicolonInList => (to(","), replace(",")),
            SyntaxErrorKind::WrongClose(close) => {
                let close = close.to_string();
                (to(&close), replace(&close))
            }
            SyntaxErrorKind::QuotedName(name) => (to(name), replace(name)),
            SyntaxErrorKind::MissingComma => (
                language.pick("Insert `,`", "插入 `,`").to_owned(),
                vec![Edit::insert(self.range.start, ", ")],
            ),
            SyntaxErrorKind::StrayClose(_)
            | SyntaxErrorKind::DoubledColon
            | SyntaxErrorKind::TrailingComma
            | SyntaxErrorKind::StraySeparator
            | SyntaxErrorKind::Invisible(_)
            | SyntaxErrorKind::ByteOrderMark => (delete(), replace("")),
            _ => return None,
        })
    }
}
