//! One version of a document with everything that was found out about it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::header::Headers;
use crate::amct::qat::Framework;
use crate::analysis::{self, Analysis, Diagnostic};
use crate::inventory::LayerList;
use crate::language::Language;
use crate::schema::builtin::{self, Dialect};
use crate::schema::model::Schema;
use crate::syntax::tree::Tree;
use crate::text::{Buffer, Change, Edit};

/// What a document is read against.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The language of messages.
    pub language: Language,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// The dialect that the schema is; `None` for a schema of the user's.
    pub dialect: Option<Dialect>,
    /// The layers of its network.
    pub layers: Option<Arc<LayerSource>>,
    /// What the file itself says about how to read it.
    pub headers: Headers,
    /// What went wrong while schema and layers were looked for, to be shown in the document.
    pub problems: Vec<Diagnostic>,
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
            layers: None,
            headers: Headers::default(),
            problems: Vec::new(),
        }
    }

    /// The rules that compute the effective configuration, where there are any.
    pub fn engine(&self) -> Option<Framework> {
        match self.dialect? {
            Dialect::MindsporeQat => Some(Framework::MindSpore),
            _ => None,
        }
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
    /// What it is read against.
    pub context: Arc<Context>,
    version: Arc<Version>,
}

#[derive(Debug, Default)]
struct Version {
    reading: OnceLock<Reading>,
    /// Where to read from, until it is read.
    since: Mutex<Option<Since>>,
}

/// A version that was read, and what has changed since.
#[derive(Clone, Debug)]
struct Since {
    version: Arc<Version>,
    /// Each with the text behind it.
    changes: Vec<(Change, Buffer)>,
}

/// After more changes than these it is cheaper to read all.
const MAX_CHANGES: usize = 64;
/// Changes that are no further apart than this are one.
const NEAR: usize = 1024;

impl Since {
    fn add(&mut self, change: Change, text: Buffer) {
        if let Some((last, behind)) = self.changes.last_mut() {
            let end = last.range.start + last.len;
            if change.range.start <= end + NEAR && last.range.start <= change.range.end + NEAR {
                *last = last.then(change);
                *behind = text;
                return;
            }
        }
        self.changes.push((change, text));
    }

    /// The tree of the last text.
    fn tree(&self) -> Option<Tree> {
        let mut tree = self.version.reading.get()?.tree.clone();
        for (change, text) in &self.changes {
            tree = tree.reparse(*change, text);
        }
        Some(tree)
    }
}

#[derive(Debug)]
struct Reading {
    tree: Tree,
    analysis: Analysis,
}

impl Snapshot {
    /// A whole text.
    pub fn open(text: &str, context: Arc<Context>) -> Self {
        Self::of(Buffer::new(text), context, None)
    }

    /// The next version: this one after `edits`, each in offsets of the text that the one before it left.
    pub fn edit(&self, edits: &[Edit]) -> Self {
        let mut text = self.text.clone();
        let mut since = match self.version.reading.get() {
            Some(_) => Some(Since { version: self.version.clone(), changes: Vec::new() }),
            None => self.version.since.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        for edit in edits {
            text.apply(edit);
            if let Some(since) = &mut since {
                since.add(edit.into(), text.clone());
            }
        }
        Self::of(text, self.context.clone(), since.filter(|since| since.changes.len() <= MAX_CHANGES))
    }

    /// The same text read against something else.
    pub fn with_context(&self, context: Arc<Context>) -> Self {
        Self::of(self.text.clone(), context, None)
    }

    fn of(text: Buffer, context: Arc<Context>, since: Option<Since>) -> Self {
        Self {
            text,
            context,
            version: Arc::new(Version { reading: OnceLock::new(), since: Mutex::new(since) }),
        }
    }

    /// The tree of the text.
    pub fn tree(&self) -> &Tree {
        &self.read().tree
    }

    /// What was found out about it.
    pub fn analysis(&self) -> &Analysis {
        &self.read().analysis
    }

    /// All findings, in order of their place.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.analysis().diagnostics
    }

    fn read(&self) -> &Reading {
        let since = || self.version.since.lock().unwrap_or_else(PoisonError::into_inner);
        self.version.reading.get_or_init(|| {
            let context = &self.context;
            let before = since().clone();
            let tree = before
                .and_then(|before| before.tree())
                .unwrap_or_else(|| Tree::parse(&self.text.to_string()));
            let layers = context.layers.as_ref().map(|source| &source.list);
            let mut analysis =
                analysis::analyse(&tree, &context.schema, context.engine(), layers, context.language);
            analysis.diagnostics.splice(0..0, context.problems.iter().cloned());
            *since() = None;
            Reading { tree, analysis }
        })
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
        let mut last = first.clone();
        for (start, end, typed) in edits {
            last = last.edit(&[Edit::replace(TextRange::new(start, end), typed)]);
        }
        assert!(last.version.since.lock().unwrap().is_some());
        let afresh = Snapshot::open(&last.text.to_string(), Arc::default());
        assert_eq!(last.tree().errors(), afresh.tree().errors());
        assert_eq!(last.tree().tokens(), afresh.tree().tokens());
        assert_eq!(last.diagnostics(), afresh.diagnostics());
        assert!(last.version.since.lock().unwrap().is_none(), "what was before is let go");
    }
}
