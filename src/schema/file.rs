//! Reads a schema of the user's from .proto files.
//!
//! protobuf-parse gives the meaning, but it takes no text from memory, reports one error without a place, and ends the
//! process on import cycles and deep nesting. So our own scanner looks first and refuses what it cannot take; then the
//! files are laid into a private folder for it, on a thread of its own.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protobuf::descriptor::FileDescriptorProto;

use super::lower::{self, Source};
use super::model::Schema;
use super::proto_source;
use crate::language::Language;
use crate::text::TextRange;

/// Bigger files are no schemas.
const MAX_BYTES: u64 = 4 << 20;
/// Nor are this many files.
const MAX_FILES: usize = 256;
/// protobuf-parse overflows its stack somewhere beyond a thousand.
const MAX_DEPTH: usize = 100;
/// Imports are looked for in the folder of the file and in so many above it.
const MAX_ANCESTORS: usize = 8;

/// A schema and the files that it was made from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The file itself and those that it imports.
    pub files: Vec<PathBuf>,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The file to blame.
    pub file: PathBuf,
    /// The place in it, where it is known.
    pub range: Option<TextRange>,
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
    /// Messages are nested too deep.
    TooDeep,
    /// A file imports itself, by way of others or not. Holds the import.
    ImportCycle(String),
    /// An imported file is nowhere.
    MissingImport(String),
    /// Too many files import one another.
    TooManyFiles,
    /// A name stands twice.
    Duplicate(String),
    /// The parser refuses it; holds its words.
    Refused(String),
    /// There is no message of that name; holds those that there are.
    NoSuchMessage(String, Vec<String>),
}

impl SchemaError {
    /// What is wrong, where, and how to mend it.
    pub fn message(&self, language: Language) -> String {
        let file = self.file.display();
        let (english, chinese) = match &self.problem {
            SchemaProblem::Unreadable(reason) => {
                (format!("cannot be read: {reason}"), format!("无法读取：{reason}"))
            }
            SchemaProblem::NotAFile => ("is not a regular file".into(), "不是普通文件".into()),
            SchemaProblem::TooBig => ("is bigger than 4 MiB".into(), "超过 4 MiB".into()),
            SchemaProblem::NotUtf8 => {
                ("is not UTF-8: save it as UTF-8".into(), "不是 UTF-8：请另存为 UTF-8".into())
            }
            SchemaProblem::ByteOrderMark => (
                "begins with a byte order mark: save it as UTF-8 without BOM".into(),
                "以 BOM 开头：请另存为不带 BOM 的 UTF-8".into(),
            ),
            SchemaProblem::Edition => (
                "uses `edition`, which is not supported: write `syntax = \"proto2\";` or `\"proto3\"`".into(),
                "使用了 `edition`，暂不支持：请改为 `syntax = \"proto2\";` 或 `\"proto3\"`".into(),
            ),
            SchemaProblem::TooDeep => {
                ("nests messages deeper than 100 levels".into(), "消息嵌套超过 100 层".into())
            }
            SchemaProblem::ImportCycle(import) => {
                (format!("imports itself by way of `{import}`"), format!("经由 `{import}` 循环导入自身"))
            }
            SchemaProblem::MissingImport(import) => (
                format!("imports `{import}`, which is neither beside it nor in a folder above"),
                format!("导入的 `{import}` 在其所在目录及上级目录中都不存在"),
            ),
            SchemaProblem::TooManyFiles => {
                ("imports more than 256 files".into(), "导入的文件超过 256 个".into())
            }
            SchemaProblem::Duplicate(name) => {
                (format!("defines `{name}` twice"), format!("重复定义了 `{name}`"))
            }
            SchemaProblem::Refused(reason) => {
                (format!("is no valid schema: {reason}"), format!("不是合法的 schema：{reason}"))
            }
            SchemaProblem::NoSuchMessage(name, known) => {
                let known =
                    known.iter().take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                (
                    format!("has no message `{name}`; it has {known}"),
                    format!("没有消息 `{name}`；其中有 {known}"),
                )
            }
        };
        format!("{file}: {}", language.pick(english, chinese))
    }
}

/// Reads the schema whose root is the message `root`, a full name such as `pkg.Message`, in the file at `path`. Nothing
/// is read but regular files: this one, and what it imports from its folder or one above.
pub fn load(path: &Path, root: &str) -> Result<Loaded, SchemaError> {
    let mut files = Files { root: path.to_owned(), read: BTreeMap::new(), around: Vec::new() };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    files.add(&name, path)?;
    let descriptors = files.parse(&name)?;
    let sources: Vec<_> = files
        .read
        .iter()
        .map(|(name, file)| Source {
            name: name.clone(),
            path: Arc::new(file.path.clone()),
            text: &file.text,
        })
        .collect();
    let schema = lower::schema(&descriptors, &sources, root).ok_or_else(|| {
        let own = sources.iter().filter(|source| source.name == name);
        let mut known: Vec<_> = own.flat_map(|source| messages(source.text)).collect();
        known.sort();
        files.error(path, None, SchemaProblem::NoSuchMessage(root.to_owned(), known))
    })?;
    Ok(Loaded { schema: Arc::new(schema), files: files.read.into_values().map(|file| file.path).collect() })
}

fn messages(text: &str) -> Vec<String> {
    let is_type =
        |name: &str| name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase));
    proto_source::scan(text).entries.into_keys().filter(|name| is_type(name)).collect()
}

struct File {
    path: PathBuf,
    text: String,
}

struct Files {
    root: PathBuf,
    /// By the name under which they are imported.
    read: BTreeMap<String, File>,
    /// The names of the files whose imports are being followed.
    around: Vec<String>,
}

impl Files {
    fn error(&self, file: &Path, range: Option<TextRange>, problem: SchemaProblem) -> SchemaError {
        SchemaError { file: file.to_owned(), range, problem }
    }

    /// Reads a file and all that it imports.
    fn add(&mut self, name: &str, path: &Path) -> Result<(), SchemaError> {
        let text = read(path).map_err(|problem| self.error(path, None, problem))?;
        let scanned = proto_source::scan(&text);
        let refuse = |range, problem| Err(self.error(path, Some(range), problem));
        if text.starts_with('\u{feff}') {
            return refuse(TextRange::at(0, '\u{feff}'.len_utf8()), SchemaProblem::ByteOrderMark);
        }
        if let Some(range) = scanned.edition {
            return refuse(range, SchemaProblem::Edition);
        }
        if scanned.depth.0 > MAX_DEPTH {
            return refuse(scanned.depth.1, SchemaProblem::TooDeep);
        }
        if let Some((name, range)) = scanned.duplicates.first() {
            return refuse(*range, SchemaProblem::Duplicate(name.clone()));
        }
        if self.read.len() >= MAX_FILES {
            return refuse(TextRange::empty(0), SchemaProblem::TooManyFiles);
        }
        self.read.insert(name.to_owned(), File { path: path.to_owned(), text });
        self.around.push(name.to_owned());
        for (import, range) in scanned.imports {
            if self.around.contains(&import) {
                return Err(self.error(path, Some(range), SchemaProblem::ImportCycle(import)));
            }
            // The parser has the well-known types built in.
            if self.read.contains_key(&import) || import.starts_with("google/protobuf/") {
                continue;
            }
            match self.find(&import) {
                Some(found) => self.add(&import, &found)?,
                None => return Err(self.error(path, Some(range), SchemaProblem::MissingImport(import))),
            }
        }
        self.around.pop();
        Ok(())
    }

    fn find(&self, import: &str) -> Option<PathBuf> {
        let import = Path::new(import);
        let is_plain = import.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let folders = self.root.ancestors().skip(1).take(MAX_ANCESTORS + 1);
        folders.map(|folder| folder.join(import)).find(|path| is_plain && path.is_file())
    }

    fn parse(&self, name: &str) -> Result<Vec<FileDescriptorProto>, SchemaError> {
        let root = &self.root;
        let unreadable =
            |error: std::io::Error| self.error(root, None, SchemaProblem::Unreadable(error.to_string()));
        let folder = tempfile::Builder::new().prefix("quantcfg").tempdir().map_err(unreadable)?;
        for (name, file) in &self.read {
            let target = folder.path().join(name);
            target.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(unreadable)?;
            std::fs::write(target, lower::hide_literals(&file.text)).map_err(unreadable)?;
        }
        let (include, input) = (folder.path().to_owned(), folder.path().join(name));
        let parse = move || {
            let mut parser = protobuf_parse::Parser::new();
            parser.pure().include(include).input(input);
            catch_unwind(AssertUnwindSafe(|| parser.parse_and_typecheck()))
        };
        let thread = std::thread::Builder::new().name("schema".into()).stack_size(64 << 20).spawn(parse);
        let parsed = thread.map_err(unreadable)?.join();
        match parsed {
            Ok(Ok(Ok(parsed))) => Ok(parsed.file_descriptors),
            Ok(Ok(Err(error))) => {
                let words = format!("{error:#}").replace(&folder.path().display().to_string(), "");
                Err(self.error(root, None, SchemaProblem::Refused(words)))
            }
            _ => Err(self.error(root, None, SchemaProblem::Refused("the parser gave up".to_owned()))),
        }
    }
}

fn read(path: &Path) -> Result<String, SchemaProblem> {
    let unreadable = |error: std::io::Error| SchemaProblem::Unreadable(error.to_string());
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(SchemaProblem::NotAFile);
    }
    if metadata.len() > MAX_BYTES {
        return Err(SchemaProblem::TooBig);
    }
    String::from_utf8(std::fs::read(path).map_err(unreadable)?).map_err(|_| SchemaProblem::NotUtf8)
}
