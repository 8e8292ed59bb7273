//! One version of a document with everything that was found out about it.

mod version;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use self::version::Version;
use super::header::Headers;
use super::preferences::Preferences;
use crate::amct::auto_prune::OverrideFile;
use crate::amct::{Engine, Entry};
use crate::analysis::detect::{Content, Foreign, Why, detect};
use crate::analysis::{self, Analysis, Diagnostic};
use crate::inventory::LayerList;
use crate::language::Language;
use crate::schema::builtin::{self, Dialect};
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;
use crate::syntax::tree::Tree;
use crate::text::{Buffer, Edit};

/// What a document is read against.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The language of messages.
    pub language: Language,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// False when the schema that was asked for cannot be had: then nothing is held against [`schema`](Self::schema).
    pub has_schema: bool,
    /// The dialect that the schema is; `None` for a schema of the user's.
    pub dialect: Option<Dialect>,
    /// The function of AMCT that reads it, if somebody says so; else its content does.
    pub entry: Option<Entry>,
    /// The layers of its network.
    pub layers: Option<Arc<LayerSource>>,
    /// The file that a path in it leads to.
    pub override_file: Option<Arc<OverrideFile>>,
    /// Where it is saved, as the process of AMCT sees it.
    pub path: Option<PathBuf>,
    /// What the file itself says about how to read it.
    pub headers: Headers,
    /// What went wrong while schema and layers were looked for, to be shown in the document.
    pub problems: Vec<Diagnostic>,
    /// Who chose the schema.
    pub origin: SchemaOrigin,
    /// What is shown.
    pub preferences: Preferences,
    /// The files on disk, there or not, on which all this depends.
    pub files: Vec<PathBuf>,
}

/// Who chose a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaOrigin {
    /// A flag of the command line.
    Flag,
    /// A header of the file.
    Header,
    /// The settings.
    Settings,
    /// The content of the file; it is looked at when the file is read.
    Content(Why),
    /// The content of the file, which is none of AMCT's: there is no schema.
    Foreign(Foreign),
}

/// A layer list and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSource {
    /// The file.
    pub path: PathBuf,
    /// The layers in it.
    pub list: LayerList,
}

impl Default for Context {
    fn default() -> Self {
        Self::of_dialect(Dialect::default(), Language::default())
    }
}

impl Context {
    /// A dialect without layers.
    pub fn of_dialect(dialect: Dialect, language: Language) -> Self {
        Self {
            language,
            schema: builtin::schema(dialect),
            dialect: Some(dialect),
            entry: None,
            layers: None,
            override_file: None,
            path: None,
            headers: Headers::default(),
            problems: Vec::new(),
            origin: SchemaOrigin::Flag,
            has_schema: true,
            preferences: Preferences::default(),
            files: Vec::new(),
        }
    }

    /// What it is once the text is known: where the content chooses the schema, with that schema.
    fn of_content(self: &Arc<Self>, tree: &Tree) -> Arc<Self> {
        if !matches!(self.origin, SchemaOrigin::Content(_)) {
            return self.clone();
        }
        let (dialect, origin) = match detect(tree) {
            Content::Dialect(dialect, why) => (Some(dialect), SchemaOrigin::Content(why)),
            Content::Foreign(foreign) => (None, SchemaOrigin::Foreign(foreign)),
        };
        if (dialect, &origin) == (self.dialect, &self.origin) {
            return self.clone();
        }
        let schema = dialect.map_or_else(|| self.schema.clone(), builtin::schema);
        Arc::new(Self { dialect, schema, origin, ..Self::clone(self) })
    }

    /// False when there is nothing to hold the text against.
    pub fn is_checked(&self) -> bool {
        self.has_schema && !matches!(self.origin, SchemaOrigin::Foreign(_))
    }

    /// The rules that compute the effective configuration, where there are any.
    pub fn engine(&self) -> Option<Engine> {
        Engine::of(self.dialect?, self.entry)
    }
}

/// One version of a document. Features take it by reference and never change it. A clone is cheap.
///
/// It is read when somebody first asks, from the last version that was read and the changes since: of many edits that
/// come without a pause only the last text is.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The text.
    pub text: Buffer,
    given: Arc<Context>,
    version: Arc<Version<Reading>>,
}

#[derive(Debug)]
struct Reading {
    tree: Tree,
    context: Arc<Context>,
    analysis: Analysis,
    /// When somebody asks for them.
    values: OnceLock<MessageValue>,
}

impl Snapshot {
    /// A whole text.
    pub fn open(text: &str, context: Arc<Context>) -> Self {
        Self::of(Buffer::new(text), context)
    }

    /// The next version: this one after `edits`, each in offsets of the text that the one before it left.
    pub fn edit(&self, edits: &[Edit]) -> Self {
        let mut text = self.text.clone();
        let version = Version::after(&self.version, edits, &mut text);
        Self { text, given: self.given.clone(), version: Arc::new(version) }
    }

    /// The same text read against something else.
    pub fn with_context(&self, context: Arc<Context>) -> Self {
        Self::of(self.text.clone(), context)
    }

    fn of(text: Buffer, given: Arc<Context>) -> Self {
        Self { text, given, version: Arc::new(Version::first()) }
    }

    /// What it was given to be read against; the content may choose another schema.
    pub fn given(&self) -> &Arc<Context> {
        &self.given
    }

    /// What it is read against.
    pub fn context(&self) -> &Context {
        &self.read().context
    }

    /// The tree of the text.
    pub fn tree(&self) -> &Tree {
        &self.read().tree
    }

    /// What was found out about it.
    pub fn analysis(&self) -> &Analysis {
        &self.read().analysis
    }

    /// The values, as far as they can be read.
    pub fn values(&self) -> &MessageValue {
        let reading = self.read();
        reading.values.get_or_init(|| analysis::values(&reading.tree, &reading.context.schema))
    }

    /// All findings, in order of their place.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.analysis().diagnostics
    }

    fn read(&self) -> &Reading {
        self.version.reading(
            &self.text,
            |reading| &reading.tree,
            |tree, before| {
                let context = self.given.of_content(&tree);
                let analysis = match context.origin {
                    SchemaOrigin::Foreign(foreign) => analysis::foreign(foreign, &tree, context.language),
                    _ if !context.has_schema => Analysis::of_findings(context.problems.clone()),
                    _ => {
                        let layers = context.layers.as_ref().map(|source| &source.list);
                        let subject = analysis::Subject {
                            schema: &context.schema,
                            dialect: context.dialect,
                            engine: context.engine(),
                            layers,
                            override_file: context.override_file.as_deref(),
                            language: context.language,
                        };
                        let mut analysis =
                            analysis::analyse_after(before.map(|before| &before.analysis), &tree, &subject);
                        analysis.diagnostics.splice(0..0, context.problems.iter().cloned());
                        analysis
                    }
                };
                Reading { tree, context, analysis, values: OnceLock::new() }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextRange;

    #[test]
    fn a_version_is_read_from_the_last_one_that_was() {
        let text = "skip_layers: \"a\"\n".repeat(300);
        let first = Snapshot::open(&text, Arc::default());
        first.tree();
        // Far apart, near each other, and in one another's text.
        let edits = [(0, 0, "x"), (4000, 4001, ""), (4001, 4001, "{"), (3900, 4002, "}"), (1, 3, "\n")];
        let mut last = first;
        for (start, end, typed) in edits {
            last = last.edit(&[Edit::replace(TextRange::new(start, end), typed)]);
        }
        assert!(last.version.is_behind());
        let afresh = Snapshot::open(&last.text.to_string(), Arc::default());
        assert_eq!(last.tree().errors(), afresh.tree().errors());
        assert_eq!(last.tree().tokens(), afresh.tree().tokens());
        assert_eq!(last.diagnostics(), afresh.diagnostics());
        assert!(!last.version.is_behind(), "what was before is let go");
    }
}
