//! Why a schema cannot be used, in words.

use std::path::PathBuf;

use crate::language::Language;
use crate::schema::proto_source::Mistake;
use crate::text::TextRange;

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The file to blame.
    pub file: PathBuf,
    /// The place in it, where it is known.
    pub range: Option<TextRange>,
    /// The line of that place, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: SchemaProblem,
}

/// What can be wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaProblem {
    /// It cannot be read; holds the reason that the system gives.
    Unreadable(String),
    /// It is no regular file.
    NotAFile,
    /// It is too big.
    TooBig,
    /// It is not UTF-8.
    NotUtf8,
    /// It begins with a byte order mark.
    ByteOrderMark,
    /// It uses `edition`.
    Edition,
    /// Something is nested too deep.
    TooDeep,
    /// A file imports itself, by way of others or not. Holds the import.
    ImportCycle(String),
    /// An imported file is nowhere.
    MissingImport(String),
    /// Too many files import one another.
    TooManyFiles,
    /// Too many names are defined.
    TooManyNames,
    /// A file is imported under two names; holds both.
    TwoNames(String, String),
    /// A name or number is taken or reserved.
    Mistake(Mistake),
    /// Another file defines the same name. Holds the name and that file.
    DefinedElsewhere(String, PathBuf),
    /// There is no type of that name.
    UnknownType(String),
    /// A field of a proto2 file lacks `optional`, `required` or `repeated`.
    NoLabel,
    /// A mark is missing.
    Expected(String),
    /// The parser refuses it; holds its words.
    Refused(String),
    /// There is no message of that name; holds those that there are.
    NoSuchMessage(String, Vec<String>),
}

impl SchemaError {
    /// What is wrong, where, and how to mend it.
    pub fn message(&self, language: Language) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}: {}", self.file.display(), self.problem.message(language))
    }
}

impl SchemaProblem {
    /// What is wrong and how to mend it, without the name of the file.
    pub fn message(&self, language: Language) -> String {
        let (english, chinese) = match self {
            Self::Unreadable(reason) => (format!("cannot be read: {reason}"), format!("无法读取：{reason}")),
            Self::NotAFile => ("is not a regular file".into(), "不是普通文件".into()),
            Self::TooBig => ("is bigger than 4 MiB".into(), "超过 4 MiB".into()),
            Self::NotUtf8 => ("is not UTF-8: save it as UTF-8".into(), "不是 UTF-8：请另存为 UTF-8".into()),
            Self::ByteOrderMark => (
                "begins with a byte order mark: save it as UTF-8 without BOM".into(),
                "以 BOM 开头：请另存为不带 BOM 的 UTF-8".into(),
            ),
            Self::Edition => (
                "uses `edition`, which is not supported: write `syntax = \"proto2\";` or `\"proto3\"`".into(),
                "使用了 `edition`，暂不支持：请改为 `syntax = \"proto2\";` 或 `\"proto3\"`".into(),
            ),
            Self::TooDeep => (
                "nests messages or brackets deeper than 100 levels".into(),
                "消息或括号嵌套超过 100 层".into(),
            ),
            Self::ImportCycle(import) => {
                (format!("imports itself by way of `{import}`"), format!("经由 `{import}` 循环导入自身"))
            }
            Self::MissingImport(import) => (
                format!("imports `{import}`, which is neither beside it nor in a folder above"),
                format!("导入的 `{import}` 在其所在目录及上级目录中都不存在"),
            ),
            Self::TooManyFiles => ("imports more than 256 files".into(), "导入的文件超过 256 个".into()),
            Self::TooManyNames => (
                "defines more than 10,000 names, with its imports".into(),
                "连同导入的文件定义了超过 10000 个名称".into(),
            ),
            Self::TwoNames(import, other) => (
                format!("imports `{import}`, which is imported as `{other}` already: use one of these names"),
                format!("导入了 `{import}`，而该文件已按 `{other}` 导入：请统一用其中一个名称"),
            ),
            Self::Mistake(mistake) => return mistake.message(language),
            Self::DefinedElsewhere(name, file) => (
                format!("defines `{name}`, which {} defines too", file.display()),
                format!("定义了 `{name}`，而 {} 也定义了它", file.display()),
            ),
            Self::UnknownType(name) => (
                format!("uses the type `{name}`, which neither it nor its imports define"),
                format!("使用了类型 `{name}`，但该文件及其导入的文件都没有定义它"),
            ),
            Self::NoLabel => (
                "has a field without label: in proto2 write `optional`, `required` or `repeated` before it"
                    .into(),
                "有字段缺少标签：proto2 中须在字段前写 `optional`、`required` 或 `repeated`".into(),
            ),
            Self::Expected(mark) => {
                (format!("lacks a `{mark}` before this"), format!("此处之前缺少 `{mark}`"))
            }
            Self::Refused(reason) => {
                (format!("is no valid schema: {reason}"), format!("不是合法的 schema：{reason}"))
            }
            Self::NoSuchMessage(name, known) if known.is_empty() => {
                (format!("has no message `{name}`"), format!("没有消息 `{name}`"))
            }
            Self::NoSuchMessage(name, known) => {
                let known =
                    known.iter().take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                (
                    format!("has no message `{name}`; it has {known}"),
                    format!("没有消息 `{name}`；其中有 {known}"),
                )
            }
        };
        language.pick(english, chinese)
    }
}

impl Mistake {
    fn message(&self, language: Language) -> String {
        let (english, chinese) = match self {
            Self::SameName(name) => (format!("defines `{name}` twice"), format!("重复定义了 `{name}`")),
            Self::SameNumber(number, first, second) => (
                format!("gives the number {number} to `{first}` and to `{second}`: give one of them another"),
                format!("`{first}` 和 `{second}` 的编号都是 {number}：请给其中一个换编号"),
            ),
            Self::ReservedNumber(number, name) => (
                format!("gives `{name}` the number {number}, which is reserved: give it another"),
                format!("`{name}` 的编号 {number} 已被 reserved 保留：请换编号"),
            ),
            Self::ReservedName(name) => (
                format!("uses the name `{name}`, which is reserved: choose another"),
                format!("名称 `{name}` 已被 reserved 保留：请换名称"),
            ),
        };
        language.pick(english, chinese)
    }
}
