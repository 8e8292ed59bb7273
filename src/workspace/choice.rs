//! Which schema and which layers a file is read with: flag, then header, then what lies beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::amct::{Assumption, Certainty, Entry};
use crate::analysis::detect::Why;
use crate::analysis::{Diagnostic, Fix, Severity};
use crate::ide::header::{HeaderValue, Headers};
use crate::ide::{Context, LayerSource, SchemaOrigin};
use crate::inventory::json;
use crate::inventory::model::{self, ModelKind};
use crate::language::Language;
use crate::schema::builtin::{self, Dialect};
use crate::schema::file::{self, SchemaProblem};
use crate::schema::model::Schema;
use crate::text::{Edit, TextRange};
use crate::workspace::settings::{self, Rule, Settings};
use crate::workspace::sources::{SchemaReading, Sources};
use crate::workspace::{layer_cache, override_file};

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
    /// The folder that AMCT runs in; `None`: taken to be `root`, else that of the file.
    pub working_folder: Option<PathBuf>,
    /// Settings that beat those of quantcfg.toml.
    pub settings: Settings,
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
    /// Reads `DIALECT` or `PATH.proto:pkg.Message`.
    pub fn parse(text: &str, language: Language) -> Result<Self, WishError> {
        if let Some(dialect) = Dialect::from_name(text) {
            return Ok(Self::Dialect(dialect));
        }
        let Some((path, message)) = split_schema(text) else {
            return Err(WishError::Unknown(text.to_owned(), known_dialects()));
        };
        let loaded = file::load(Path::new(path), message);
        loaded.map(|loaded| Self::File(loaded.schema)).map_err(|e| WishError::Schema(e.message(language)))
    }
}

/// Splits `PATH.proto:pkg.Message` at its last colon.
fn split_schema(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once(':').filter(|(path, message)| path.ends_with(".proto") && !message.is_empty())
}

fn known_dialects() -> String {
    Dialect::ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ")
}

/// Chooses schema and layers for a text. `path` is where it is saved; an unsaved one has nothing beside it.
pub fn choose(
    text: &str,
    path: Option<&Path>,
    wish: &Wish,
    language: Language,
    sources: &mut Sources,
) -> Context {
    let headers = Headers::of(text);
    let folder = path.and_then(Path::parent);
    let root = wish.root.as_deref().or(folder);
    let (in_file, complaints, looked) = folder.map(|folder| settings::find(folder, root)).unwrap_or_default();
    let settings = wish.settings.clone().over(in_file);
    let language = settings.language.unwrap_or(language);
    let mut chooser = Chooser {
        path,
        root: root.filter(|_| settings.allows_outside != Some(true)),
        settings: &settings,
        language,
        sources,
        problems: Vec::new(),
        files: Vec::new(),
    };
    looked.iter().for_each(|path| chooser.note(path));
    for complaint in complaints {
        let text = format!("{}: {}.", settings::NAME, complaint.message(language));
        chooser.problem("bad-settings", TextRange::empty(0), text);
    }
    for (written, meant) in &headers.misspelled {
        chooser.misspelled(written, meant);
    }
    let (schema, dialect, origin) = match &wish.schema {
        Some(SchemaWish::Dialect(dialect)) => chooser.built_in(*dialect, SchemaOrigin::Flag),
        Some(SchemaWish::File(schema)) => (Some(schema.clone()), None, SchemaOrigin::Flag),
        None => chooser.schema(&headers),
    };
    let layers = match (&wish.layers, dialect) {
        (Some(layers), _) => Some(layers.clone()),
        (None, Some(_)) => chooser.layers(&headers),
        // Nothing is computed for a schema of the user's.
        (None, None) => None,
    };
    let working_folder = match (&wish.working_folder, wish.root.as_deref().or(folder)) {
        (Some(known), _) => Some((known.clone(), Certainty::Known)),
        (None, guessed) => {
            guessed.map(|guess| (guess.to_owned(), Certainty::Assumed(Assumption::WorkingDirectory)))
        }
    };
    let override_file = working_folder
        .as_ref()
        .and_then(|(folder, certainty)| override_file::find(text, folder, *certainty).map(Arc::new));
    if let Some(file) = &override_file {
        chooser.note(Path::new(&file.shown));
    }
    let path = working_folder.zip(path).map(|((folder, _), path)| override_file::normal(&folder.join(path)));
    let Chooser { problems, files, .. } = chooser;
    Context {
        language,
        has_schema: schema.is_some(),
        schema: schema.unwrap_or_else(|| builtin::schema(Dialect::default())),
        dialect,
        entry: wish.entry,
        layers,
        override_file,
        path,
        headers,
        problems,
        origin,
        preferences: settings.preferences,
        files,
    }
}

/// A schema, the dialect that it is, and who chose it. Without a schema there is a problem that says why.
type Chosen = (Option<Arc<Schema>>, Option<Dialect>, SchemaOrigin);

/// What a header or a setting names, and where to complain about it.
struct Named<'a> {
    text: &'a str,
    place: TextRange,
}

impl<'a> From<&'a HeaderValue> for Named<'a> {
    fn from(header: &'a HeaderValue) -> Self {
        Self { text: &header.text, place: header.range }
    }
}

struct Chooser<'a> {
    /// Where the text is saved.
    path: Option<&'a Path>,
    /// Outside of this folder nothing is read that the file or quantcfg.toml names; `None`: anywhere.
    root: Option<&'a Path>,
    settings: &'a Settings,
    language: Language,
    sources: &'a mut Sources,
    problems: Vec<Diagnostic>,
    /// What was looked at on disk.
    files: Vec<PathBuf>,
}

impl Chooser<'_> {
    fn built_in(&self, dialect: Dialect, origin: SchemaOrigin) -> Chosen {
        (Some(builtin::schema(dialect)), Some(dialect), origin)
    }

    fn schema(&mut self, headers: &Headers) -> Chosen {
        match (&headers.schema, &headers.proto_file, &headers.proto_message) {
            (Some(header), ..) => self.named_dialect(header),
            (None, Some(path), Some(message)) => {
                let Some(folder) = self.path.and_then(Path::parent) else {
                    return (None, None, SchemaOrigin::Header);
                };
                self.proto_file(folder, path.into(), message.into(), SchemaOrigin::Header)
            }
            (None, Some(header), None) | (None, None, Some(header)) => {
                let missing = if headers.proto_file.is_some() { "proto-message" } else { "proto-file" };
                let text = self.language.pick(
                    format!("This needs a line `# {missing}: …` beside it; without it nothing is checked."),
                    format!("还需要一行 `# {missing}: …`；缺少它时不作检查。"),
                );
                self.no_schema("incomplete-header", header.range, text)
            }
            (None, None, None) => match Rule::find(&self.settings.schemas, self.path) {
                Some(rule) => self.schema_of_settings(rule),
                None => self.built_in(Dialect::default(), SchemaOrigin::Content(Why::Custom)),
            },
        }
    }

    fn misspelled(&mut self, written: &HeaderValue, meant: &str) {
        let text = self.language.pick(
            format!("This comment says nothing to quantcfg; `{meant}` would.",),
            format!("quantcfg 不识别此注释；是否想写 `{meant}`？"),
        );
        let title = self.language.pick(format!("Change to `{meant}`"), format!("改为 `{meant}`"));
        let fixes = vec![Fix { title, edits: vec![Edit::replace(written.range, meant)] }];
        self.problems.push(Diagnostic {
            fixes,
            ..Diagnostic::new("unknown-header", Severity::Warning, written.range, text)
        });
    }

    fn schema_of_settings(&mut self, rule: &Rule) -> Chosen {
        let place = TextRange::empty(0);
        if let Some(dialect) = Dialect::from_name(&rule.value) {
            return self.built_in(dialect, SchemaOrigin::Settings);
        }
        let Some((path, message)) = split_schema(&rule.value) else {
            let text = self.language.pick(
                format!(
                    "The settings ask for the schema `{}`, which is neither a dialect ({}) nor \
                     PATH.proto:pkg.Message; nothing is checked.",
                    rule.value,
                    known_dialects()
                ),
                format!(
                    "设置中的 schema `{}` 既不是方言（{}），也不是 PATH.proto:pkg.Message，因此不作检查。",
                    rule.value,
                    known_dialects()
                ),
            );
            return self.no_schema("unknown-schema", place, text);
        };
        let (path, message) = (Named { text: path, place }, Named { text: message, place });
        self.proto_file(&rule.base, path, message, SchemaOrigin::Settings)
    }

    fn named_dialect(&mut self, header: &HeaderValue) -> Chosen {
        if let Some(dialect) = Dialect::from_name(&header.text) {
            return self.built_in(dialect, SchemaOrigin::Header);
        }
        let near =
            Dialect::ALL.iter().min_by_key(|dialect| strsim::osa_distance(dialect.name(), &header.text));
        let known = known_dialects();
        let text = self.language.pick(
            format!("There is no dialect `{}`, so nothing is checked; there is {known}.", header.text),
            format!("没有名为 `{}` 的方言，因此不作检查；可选：{known}。", header.text),
        );
        let chosen = self.no_schema("unknown-schema", header.range, text);
        if let (Some(near), Some(problem)) = (near, self.problems.last_mut()) {
            problem.fixes.push(Fix {
                title: self
                    .language
                    .pick(format!("Change to `{}`", near.name()), format!("改为 `{}`", near.name())),
                edits: vec![Edit::replace(header.range, near.name())],
            });
        }
        chosen
    }

    fn proto_file(
        &mut self,
        base: &Path,
        path: Named<'_>,
        message: Named<'_>,
        origin: SchemaOrigin,
    ) -> Chosen {
        let Some(found) = self.usable(base, &path) else { return (None, None, origin) };
        let limit = self.root.and_then(|root| root.canonicalize().ok());
        self.note(&found);
        let SchemaReading { schema, files, error } = self.sources.schema(&found, message.text, limit);
        files.iter().filter(|path| **path != found).for_each(|path| self.note(path));
        if let Some(error) = error {
            let place = match error.problem {
                SchemaProblem::NoSuchMessage(..) => message.place,
                _ => path.place,
            };
            let until = match schema {
                Some(_) => self.language.pick(
                    "Until it is mended the last good version is used.",
                    "修复之前沿用上一个正确的版本。",
                ),
                None => self.language.pick("Until it is mended nothing is checked.", "修复之前不作检查。"),
            };
            let separator = self.language.pick(". ", "。");
            let text = format!("{}{separator}{until}", error.message(self.language));
            let severity = if schema.is_some() { Severity::Warning } else { Severity::Error };
            self.add_problem("broken-schema", severity, place, text);
        }
        (schema, None, origin)
    }

    /// An explicit choice that cannot be followed: holding the text against anything else would only mislead.
    fn no_schema(&mut self, code: &'static str, range: TextRange, text: String) -> Chosen {
        self.add_problem(code, Severity::Error, range, text);
        (None, None, SchemaOrigin::Header)
    }

    fn layers(&mut self, headers: &Headers) -> Option<Arc<LayerSource>> {
        let path = self.path?;
        let (place, found) = match (&headers.layers, Rule::find(&self.settings.layers, Some(path))) {
            (Some(header), _) => (header.range, self.usable(path.parent()?, &header.into())?),
            (None, Some(rule)) => {
                let place = TextRange::empty(0);
                (place, self.usable(&rule.base, &Named { text: &rule.value, place })?)
            }
            (None, None) => {
                // Whatever comes to lie there changes the folder.
                self.note(
                    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
                );
                (TextRange::empty(0), beside(path)?)
            }
        };
        self.note(&found);
        match read_layers(&found, self.language) {
            Ok(layers) => Some(layers),
            Err(reason) => {
                self.problem("unreadable-layers", place, reason);
                None
            }
        }
    }

    /// The file that a header or a setting names, unless it lies outside of the workspace: a file that somebody sent
    /// must not make us read whatever it likes.
    fn usable(&mut self, base: &Path, named: &Named<'_>) -> Option<PathBuf> {
        let text = named.text;
        let wanted = base.join(text);
        self.note(&wanted);
        let is_inside = |found: &Path| match self.root {
            Some(root) => root.canonicalize().is_ok_and(|root| found.starts_with(root)),
            None => true,
        };
        let problem = match wanted.canonicalize() {
            Ok(found) if !is_inside(&found) => self.language.pick(
                format!("`{text}` lies outside of the workspace and is not read."),
                format!("`{text}` 位于工作区之外，不会读取。"),
            ),
            Ok(found) if found.is_file() => return Some(found),
            Ok(_) => self
                .language
                .pick(format!("`{text}` is no regular file."), format!("`{text}` 不是普通文件。")),
            Err(error) => self
                .language
                .pick(format!("`{text}` cannot be read: {error}."), format!("无法读取 `{text}`：{error}。")),
        };
        self.problem("unreadable-header-file", named.place, problem);
        None
    }

    /// Takes note of a file that is about to be read, there or not.
    fn note(&mut self, path: &Path) {
        self.sources.note(path);
        self.files.push(path.to_owned());
    }

    fn problem(&mut self, code: &'static str, range: TextRange, text: String) {
        self.add_problem(code, Severity::Warning, range, text);
    }

    fn add_problem(&mut self, code: &'static str, severity: Severity, range: TextRange, text: String) {
        self.problems.push(Diagnostic::new(code, severity, range, text));
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
