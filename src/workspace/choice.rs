//! Which schema and which layers a file is read with: flag, then header, then what lies beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::amct::Entry;
use crate::analysis::detect::Why;
use crate::analysis::{Diagnostic, Severity};
use crate::ide::header::{HeaderValue, Headers};
use crate::ide::{Context, LayerSource, SchemaOrigin};
use crate::inventory::json;
use crate::inventory::model::{self, ModelKind};
use crate::language::Language;
use crate::schema::builtin::{self, Dialect};
use crate::schema::file::{self, SchemaError};
use crate::schema::model::Schema;
use crate::text::TextRange;
use crate::workspace::layer_cache;

/// What was asked for from outside of a file. It beats everything in the file.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The schema.
    pub schema: Option<SchemaWish>,
    /// The function of AMCT that reads it.
    pub entry: Option<Entry>,
    /// The layers.
    pub layers: Option<Arc<LayerSource>>,
    /// The folder outside of which a header of the file may not point; `None`: the folder of the file.
    pub root: Option<PathBuf>,
}

/// A schema that was asked for.
#[derive(Clone, Debug)]
pub enum SchemaWish {
    /// A built-in one.
    Dialect(Dialect),
    /// One of the user's.
    File(Arc<Schema>),
}

/// Why a schema that was asked for cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WishError {
    /// Neither a dialect nor `PATH.proto:pkg.Message`.
    #[error("`{0}` is no schema: name a dialect ({1}) or PATH.proto:pkg.Message")]
    Unknown(String, String),
    /// The file cannot be used.
    #[error("{0}")]
    Schema(String),
}

impl SchemaWish {
    /// Reads `DIALECT` or `PATH.proto:pkg.Message`, which is split at its last colon.
    pub fn parse(text: &str, language: Language) -> Result<Self, WishError> {
        if let Some(dialect) = Dialect::from_name(text) {
            return Ok(Self::Dialect(dialect));
        }
        match text.rsplit_once(':') {
            Some((path, message)) if path.ends_with(".proto") && !message.is_empty() => {
                let loaded = file::load(Path::new(path), message);
                loaded
                    .map(|loaded| Self::File(loaded.schema))
                    .map_err(|e| WishError::Schema(e.message(language)))
            }
            _ => {
                let known: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
                Err(WishError::Unknown(text.to_owned(), known.join(", ")))
            }
        }
    }
}

/// Chooses schema and layers for a text. `path` is where it is saved; an unsaved one has nothing beside it.
pub fn choose(text: &str, path: Option<&Path>, wish: &Wish, language: Language) -> Context {
    let headers = Headers::of(text);
    let folder = path.and_then(Path::parent);
    let root = wish.root.as_deref().or(folder);
    let mut chooser = Chooser { folder, root, language, problems: Vec::new() };
    let (schema, dialect, origin) = match &wish.schema {
        Some(SchemaWish::Dialect(dialect)) => (builtin::schema(*dialect), Some(*dialect), SchemaOrigin::Flag),
        Some(SchemaWish::File(schema)) => (schema.clone(), None, SchemaOrigin::Flag),
        None => chooser.schema(&headers),
    };
    let layers = match (&wish.layers, dialect) {
        (Some(layers), _) => Some(layers.clone()),
        (None, Some(_)) => chooser.layers(&headers, path),
        // Nothing is computed for a schema of the user's.
        (None, None) => None,
    };
    let entry = wish.entry;
    Context { language, schema, dialect, entry, layers, headers, problems: chooser.problems, origin }
}

struct Chooser<'a> {
    folder: Option<&'a Path>,
    root: Option<&'a Path>,
    language: Language,
    problems: Vec<Diagnostic>,
}

impl Chooser<'_> {
    fn schema(&mut self, headers: &Headers) -> (Arc<Schema>, Option<Dialect>, SchemaOrigin) {
        if let Some(header) = &headers.schema {
            match Dialect::from_name(&header.text) {
                Some(dialect) => return (builtin::schema(dialect), Some(dialect), SchemaOrigin::Header),
                None => {
                    let known: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
                    let known = known.join(", ");
                    let text = self.language.pick(
                        format!("There is no dialect `{}`; there is {known}.", header.text),
                        format!("没有名为 `{}` 的方言，可选：{known}。", header.text),
                    );
                    self.problem("unknown-schema", header.range, text);
                }
            }
        }
        if let (Some(path), Some(message)) = (&headers.proto_file, &headers.proto_message)
            && let Some(found) = self.inside(path)
        {
            match file::load(&found, &message.text) {
                Ok(loaded) => return (loaded.schema, None, SchemaOrigin::Header),
                Err(error) => {
                    let text = SchemaError::message(&error, self.language);
                    self.problem("broken-schema", path.range, text);
                }
            }
        }
        let custom = Dialect::default();
        (builtin::schema(custom), Some(custom), SchemaOrigin::Content(Why::Custom))
    }

    fn layers(&mut self, headers: &Headers, path: Option<&Path>) -> Option<Arc<LayerSource>> {
        let (place, found) = match &headers.layers {
            Some(header) => (header.range, self.inside(header)?),
            None => (TextRange::empty(0), beside(path?)?),
        };
        match read_layers(&found, self.language) {
            Ok(layers) => Some(layers),
            Err(reason) => {
                self.problem("unreadable-layers", place, reason);
                None
            }
        }
    }

    /// The file that a header names, unless it lies outside of the workspace: a file that somebody sent must not make
    /// us read whatever it likes.
    fn inside(&mut self, header: &HeaderValue) -> Option<PathBuf> {
        let (folder, root) = (self.folder?, self.root?);
        let wanted = folder.join(&header.text);
        let problem = match (wanted.canonicalize(), root.canonicalize()) {
            (Ok(found), Ok(root)) if found.starts_with(&root) && found.is_file() => return Some(found),
            (Ok(found), _) if !found.is_file() => self.language.pick(
                format!("`{}` is no regular file.", header.text),
                format!("`{}` 不是普通文件。", header.text),
            ),
            (Ok(_), _) => self.language.pick(
                format!("`{}` lies outside of the workspace and is not read.", header.text),
                format!("`{}` 位于工作区之外，不会读取。", header.text),
            ),
            (Err(error), _) => self.language.pick(
                format!("`{}` cannot be read: {error}.", header.text),
                format!("无法读取 `{}`：{error}。", header.text),
            ),
        };
        self.problem("unreadable-header-file", header.range, problem);
        None
    }

    fn problem(&mut self, code: &'static str, range: TextRange, text: String) {
        self.problems.push(Diagnostic::new(code, Severity::Warning, range, text));
    }
}

/// `NAME.layers.json`, else a model file `NAME.*`, beside `NAME.cfg`; else the only model file of the folder.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_stem()?.to_str()?;
    let list = path.with_file_name(format!("{name}.layers.json"));
    let models = ModelKind::ALL.map(|kind| path.with_file_name(format!("{name}.{}", kind.extension())));
    let named = [list].into_iter().chain(models).find(|found| found.is_file());
    named.or_else(|| only_model(path.parent()?))
}

/// The model file of a folder that has exactly one.
fn only_model(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let files = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut models = files.filter(|path| ModelKind::of_path(path).is_some() && path.is_file());
    models.next().filter(|_| models.next().is_none())
}

/// Reads a layer list or a model file; what has not changed on disk since it was last read is not read again. The error
/// says which file, what is wrong, and where.
pub fn read_layers(path: &Path, language: Language) -> Result<Arc<LayerSource>, String> {
    layer_cache::get(path, || read_layers_anew(path, language))
}

fn read_layers_anew(path: &Path, language: Language) -> Result<LayerSource, String> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        language.pick(
            format!("The layer list {shown} cannot be read: {error}."),
            format!("无法读取层列表 {shown}：{error}。"),
        )
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if let Some(kind) = ModelKind::of_path(path).filter(|_| metadata.is_file()) {
        let list =
            model::read_file(path, kind).map_err(|error| format!("{shown}: {}", error.message(language)))?;
        return Ok(LayerSource { path: path.to_owned(), list });
    }
    if !metadata.is_file() || metadata.len() > json::MAX_BYTES as u64 {
        return Err(language.pick(
            format!("The layer list {shown} is no regular file of at most 64 MiB."),
            format!("层列表 {shown} 不是普通文件，或超过 64 MiB。"),
        ));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    match json::read(&bytes) {
        Ok(list) => Ok(LayerSource { path: path.to_owned(), list }),
        Err(error) => {
            let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
            Err(format!("{shown}{line}: {}", error.message(language)))
        }
    }
}
