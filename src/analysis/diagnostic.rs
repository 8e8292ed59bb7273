//! A finding about a file: what, where, how bad, and how to mend it.

use crate::amct::Certainty;
use crate::language::Language;
use crate::syntax::errors::SyntaxError;
use crate::text::{Edit, TextRange};

/// A finding, in the language it was asked for in.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Stable kebab-case name of the kind of finding.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The bytes it is about.
    pub range: TextRange,
    /// What is wrong, why, and what to do.
    pub message: String,
    /// Further places that explain it.
    pub related: Vec<Related>,
    /// Ways to mend it, the best first.
    pub fixes: Vec<Fix>,
    /// How an editor may draw it.
    pub tag: Option<Tag>,
    /// Whether it is certain, or what it rests on.
    pub certainty: Certainty,
}

impl Diagnostic {
    /// A finding with nothing but a place and a message.
    pub fn new(code: &'static str, severity: Severity, range: TextRange, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            severity,
            range,
            message,
            related: Vec::new(),
            fixes: Vec::new(),
            tag: None,
            certainty: Certainty::Known,
        }
    }
}

impl Diagnostic {
    /// A mistake in the form of a text, as a finding.
    pub(super) fn of_syntax(error: &SyntaxError, language: Language) -> Self {
        let message = language.pick("here it becomes clear", "在此处暴露出来").to_owned();
        Self {
            related: error.related.map(|range| Related { range, message }).into_iter().collect(),
            fixes: error.fix(language).map(|(title, edits)| Fix { title, edits }).into_iter().collect(),
            ..Self::new(error.kind.code(), Severity::Error, error.range, error.kind.message(language))
        }
    }
}

/// How bad a finding is (design: errors are what AMCT refuses).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// AMCT raises.
    Error,
    /// AMCT loads it and does what the author hardly meant.
    Warning,
    /// Worth knowing.
    Information,
    /// Can go without changing anything.
    Hint,
}

impl Severity {
    /// The name in settings and machine formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }

    /// The severity of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Error, Self::Warning, Self::Information, Self::Hint]
            .into_iter()
            .find(|level| level.name() == name)
    }
}

/// How an editor may draw a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Text without effect: faded out.
    Unnecessary,
    /// Text that should no longer be used: struck through.
    Deprecated,
}

/// A further place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// A way to mend a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a menu entry.
    pub title: String,
    /// The edits, all in offsets of the text as it is; they do not overlap.
    pub edits: Vec<Edit>,
}
