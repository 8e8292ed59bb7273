//! Reads a schema of the user's from .proto files.
//!
//! protobuf-parse gives the meaning, but it takes no text from memory, reports one error without a place, and ends the
//! process on import cycles and deep nesting. So our own scanner looks first and refuses what it cannot take; then the
//! files are laid into a private folder for it, on a thread of its own.

mod error;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use protobuf::descriptor::FileDescriptorProto;

use super::lower::{self, Source};
use super::model::{Numbers, Schema};
use super::prepare::{prepare, real_name};
use super::proto_source::token::Tokens;
use super::proto_source::{self, EntryKind, ProtoFile};
use crate::text::TextRange;

pub use error::{SchemaError, SchemaProblem};

/// Bigger files are no schemas.
const MAX_BYTES: u64 = 4 << 20;
/// Nor are this many files.
const MAX_FILES: usize = 256;
/// Nor so many names: protobuf-parse takes a time that grows with their square.
const MAX_NAMES: usize = 10_000;
/// Imports are looked for in the folder of the file and in so many above it.
const MAX_ANCESTORS: usize = 8;

/// What protobuf-parse has built in.
const BUILT_IN: [&str; 12] = [
    "google/protobuf/any.proto",
    "google/protobuf/api.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/source_context.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/type.proto",
    "google/protobuf/wrappers.proto",
    "rustproto.proto",
];

/// A schema and the files that it was made from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The file itself and those that it imports.
    pub files: Vec<PathBuf>,
}

/// What may be read, and what stands for it.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The folder outside of which nothing is read, without symbolic links in its path; `None`: anywhere.
    pub limit: Option<PathBuf>,
    /// Texts that an editor has not saved yet, by the paths of their files.
    pub buffers: HashMap<PathBuf, Arc<str>>,
}

impl Access {
    /// Whether a file lies within the limit, wherever links lead.
    pub fn allows(&self, path: &Path) -> bool {
        self.limit.as_ref().is_none_or(|limit| path.canonicalize().is_ok_and(|path| path.starts_with(limit)))
    }

    fn read(&self, path: &Path) -> Result<String, SchemaProblem> {
        match self.buffers.get(path) {
            Some(text) => Ok(text.to_string()),
            None => read(path),
        }
    }
}

/// Reads the schema whose root is the message `root`, a full name such as `pkg.Message`, in the file at `path`. Nothing
/// is read but regular files: this one, and what it imports from its folder or one above.
pub fn load(path: &Path, root: &str) -> Result<Loaded, SchemaError> {
    load_with(path, root, &Access::default())
}

/// The same within limits.
pub fn load_with(path: &Path, root: &str, access: &Access) -> Result<Loaded, SchemaError> {
    load_files(path, root, access).map_err(|mut error| {
        let text = access.read(&error.file).unwrap_or_default();
        let before = error.range.and_then(|range| text.get(..range.start));
        error.line = before.map(|before| before.matches('\n').count() + 1);
        error
    })
}

fn load_files(path: &Path, root: &str, access: &Access) -> Result<Loaded, SchemaError> {
    let mut files = Files { root: path.to_owned(), access, read: BTreeMap::new(), around: Vec::new() };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    files.add(&name, path)?;
    files.refuse_double_definitions()?;
    let descriptors = files.parse(&name)?;
    let paths = files.read.values().map(|file| file.path.clone()).collect();
    let sources: Vec<_> = files
        .read
        .into_iter()
        .map(|(name, file)| Source { name, path: Arc::new(file.path), file: file.scanned })
        .collect();
    match lower::schema(&descriptors, &sources, root, Numbers::Public) {
        Some(schema) => Ok(Loaded { schema: Arc::new(schema), files: paths }),
        None => {
            let own = sources.iter().filter(|source| source.name == name);
            let entries = own.flat_map(|source| &source.file.entries);
            let messages = entries.filter(|(_, entry)| entry.kind == EntryKind::Message);
            let mut known: Vec<_> = messages.map(|(name, entry)| (entry.range.start, name.clone())).collect();
            known.sort();
            let known = known.into_iter().map(|(_, name)| name).collect();
            Err(SchemaError {
                file: path.to_owned(),
                range: None,
                line: None,
                problem: SchemaProblem::NoSuchMessage(root.to_owned(), known),
            })
        }
    }
}

struct File {
    path: PathBuf,
    text: String,
    scanned: ProtoFile,
}

struct Files<'a> {
    root: PathBuf,
    access: &'a Access,
    /// By the name under which they are imported.
    read: BTreeMap<String, File>,
    /// The names of the files whose imports are being followed.
    around: Vec<String>,
}

impl Files<'_> {
    fn error(&self, file: &Path, range: Option<TextRange>, problem: SchemaProblem) -> SchemaError {
        SchemaError { file: file.to_owned(), range, line: None, problem }
    }

    /// Reads a file and all that it imports.
    fn add(&mut self, name: &str, path: &Path) -> Result<(), SchemaError> {
        let text = self.access.read(path).map_err(|problem| self.error(path, None, problem))?;
        let refuse = |range, problem| Err(self.error(path, Some(range), problem));
        if text.starts_with('\u{feff}') {
            return refuse(TextRange::at(0, '\u{feff}'.len_utf8()), SchemaProblem::ByteOrderMark);
        }
        let scanned = proto_source::scan(&text);
        if let Some(range) = scanned.edition {
            return refuse(range, SchemaProblem::Edition);
        }
        if let Some(range) = scanned.too_deep {
            return refuse(range, SchemaProblem::TooDeep);
        }
        let names = self.read.values().map(|file| file.scanned.entries.len()).sum::<usize>();
        if names + scanned.entries.len() > MAX_NAMES {
            return refuse(TextRange::empty(0), SchemaProblem::TooManyNames);
        }
        if let Some((mistake, range)) = scanned.mistakes.iter().min_by_key(|(_, range)| range.start) {
            return refuse(*range, SchemaProblem::Mistake(mistake.clone()));
        }
        let imports = scanned.imports.clone();
        self.read.insert(name.to_owned(), File { path: path.to_owned(), text, scanned });
        self.around.push(name.to_owned());
        for (import, range) in imports {
            let refuse = |problem| Err(self.error(path, Some(range), problem));
            if self.around.contains(&import) {
                return refuse(SchemaProblem::ImportCycle(import));
            }
            if self.read.contains_key(&import) || BUILT_IN.contains(&import.as_str()) {
                continue;
            }
            if self.read.len() >= MAX_FILES {
                return refuse(SchemaProblem::TooManyFiles);
            }
            let Some(found) = self.find(&import, path) else {
                return refuse(SchemaProblem::MissingImport(import));
            };
            if let Some((name, _)) = self.read.iter().find(|(_, file)| file.path == found) {
                return refuse(match self.around.contains(name) {
                    true => SchemaProblem::ImportCycle(import),
                    false => SchemaProblem::TwoNames(import, name.clone()),
                });
            }
            self.add(&import, &found)?;
        }
        self.around.pop();
        Ok(())
    }

    /// Looks for an import around the schema's own file, as protoc would from one of those folders, and then around the
    /// file that imports it.
    fn find(&self, import: &str, importer: &Path) -> Option<PathBuf> {
        let import = Path::new(import);
        let is_plain = import.components().all(|part| matches!(part, Component::Normal(_)));
        let around = |file: &'_ Path| -> Vec<PathBuf> {
            file.ancestors().skip(1).take(MAX_ANCESTORS + 1).map(|folder| folder.join(import)).collect()
        };
        let mut candidates = around(&self.root).into_iter().chain(around(importer));
        candidates.find(|path| is_plain && path.is_file() && self.access.allows(path))
    }

    /// protobuf-parse takes the first of two definitions in different files.
    fn refuse_double_definitions(&self) -> Result<(), SchemaError> {
        let mut seen: HashMap<&str, &Path> = HashMap::new();
        for file in self.read.values() {
            for (name, entry) in &file.scanned.entries {
                if let Some(other) = seen.insert(name, &file.path) {
                    let problem = SchemaProblem::DefinedElsewhere(name.clone(), other.to_owned());
                    return Err(self.error(&file.path, Some(entry.range), problem));
                }
            }
        }
        Ok(())
    }

    fn parse(&self, name: &str) -> Result<Vec<FileDescriptorProto>, SchemaError> {
        let root = self.root.as_path();
        let unreadable =
            |error: std::io::Error| self.error(root, None, SchemaProblem::Unreadable(error.to_string()));
        let folder = tempfile::tempdir().map_err(unreadable)?;
        for (name, file) in &self.read {
            let target = folder.path().join(name);
            let parent = target.parent().unwrap_or(folder.path());
            std::fs::create_dir_all(parent).map_err(unreadable)?;
            std::fs::write(target, prepare(&file.text, &file.scanned)).map_err(unreadable)?;
        }
        let (include, input) = (folder.path().to_owned(), folder.path().join(name));
        let parse = move || {
            let mut parser = protobuf_parse::Parser::new();
            parser.pure().include(include).input(input);
            catch_unwind(AssertUnwindSafe(|| parser.parse_and_typecheck()))
        };
        let thread = std::thread::Builder::new().name("schema".into()).stack_size(64 << 20).spawn(parse);
        match thread.map_err(unreadable)?.join() {
            Ok(Ok(Ok(parsed))) => Ok(parsed.file_descriptors),
            Ok(Ok(Err(error))) => {
                let words = error.root_cause().to_string();
                Err(self.refused(&format!("{error:#}"), &words, folder.path()))
            }
            _ => Err(self.error(root, None, SchemaProblem::Refused("the parser gave up".to_owned()))),
        }
    }

    /// Finds the place that the parser's complaint is about. Its long form names the file, and line and column where it
    /// knows them.
    fn refused(&self, long: &str, words: &str, folder: &Path) -> SchemaError {
        let in_quotes = |text: &str, before: &str| {
            let (_, rest) = text.split_once(before)?;
            rest.split_once('`').map(|(inner, _)| inner.to_owned())
        };
        let path = in_quotes(long, "error in `").map(PathBuf::from).unwrap_or_default();
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
        let Some(file) = self.read.get(name.as_ref()) else {
            return self.error(&self.root, None, SchemaProblem::Refused(words.to_owned()));
        };
        let tokens = Tokens::of(&file.text);
        let unknown = ["object is not found by path `", "object is not found by path: "]
            .iter()
            .find_map(|before| words.split_once(before))
            .map(|(_, rest)| real_name(rest.split('`').next().unwrap_or(rest)));
        if let Some(unknown) = unknown {
            let range = tokens.find_word(&unknown);
            return self.error(&file.path, range, SchemaProblem::UnknownType(unknown));
        }
        let range = place(long).map(|(line, column)| {
            let start = file.text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
            let rest = file.text.get(start..).unwrap_or_default();
            let column = rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at);
            tokens.covering(start + column).range
        });
        let problem = match (words, in_quotes(words, "expecting char `")) {
            ("label required", _) => SchemaProblem::NoLabel,
            (_, Some(mark)) => SchemaProblem::Expected(mark),
            _ => SchemaProblem::Refused(words.to_owned()),
        };
        self.error(&file.path, range, problem)
    }
}

/// Line and column in the parser's `at 3:14: …`, from 1.
fn place(message: &str) -> Option<(usize, usize)> {
    message.match_indices("at ").find_map(|(at, before)| {
        let mut numbers = message[at + before.len()..].splitn(3, ':').map(|part| part.trim().parse().ok());
        Some((numbers.next()??, numbers.next()??)).filter(|&(line, column)| line > 0 && column > 0)
    })
}

/// Reads a regular file, and of that no more than a schema can hold.
pub fn read(path: &Path) -> Result<String, SchemaProblem> {
    let unreadable = |error: std::io::Error| SchemaProblem::Unreadable(error.to_string());
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(SchemaProblem::NotAFile);
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(SchemaProblem::TooBig);
    }
    String::from_utf8(bytes).map_err(|_| SchemaProblem::NotUtf8)
}
