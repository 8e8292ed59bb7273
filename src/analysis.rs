//! From a tree, a schema and a layer list to what the author should know about a file.
//!
//! Everything here is a function of those three (invariant 4): nothing is shifted or patched after an edit.

mod bind;
mod checks;
pub mod detect;
pub mod diagnostic;
pub mod effective;
mod fixes;
mod scalar;

pub use diagnostic::{Diagnostic, Fix, Related, Severity, Tag};
pub use effective::Effective;

use std::collections::HashSet;

use self::detect::Foreign;
use crate::amct::Engine;
use crate::inventory::LayerList;
use crate::language::Language;
use crate::schema::builtin::Dialect;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;
use crate::syntax::errors::SyntaxErrorKind;
use crate::syntax::tree::Tree;

/// What was found out about a text.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The values, as far as they can be read.
    pub value: Option<MessageValue>,
    /// Whether the text itself is refused, whatever AMCT would compute from it.
    pub has_text_errors: bool,
    /// All findings, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
    /// What AMCT computes, for schemas with an engine. When the text has errors, from those values that could be read.
    pub effective: Option<Effective>,
}

/// What a text is analysed against.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// The dialect that the schema is; `None` for one of the user's.
    pub dialect: Option<Dialect>,
    /// Whose rules compute the effective configuration.
    pub engine: Option<Engine>,
    /// The layers of the network. Without them it is computed for a network that has every layer the file mentions.
    pub layers: Option<&'a LayerList>,
    /// The language of messages.
    pub language: Language,
}

impl<'a> Subject<'a> {
    /// A schema alone, in English.
    pub fn of(schema: &'a Schema) -> Self {
        Self { schema, dialect: None, engine: None, layers: None, language: Language::English }
    }
}

/// The one finding about a text that AMCT never reads.
pub fn foreign(foreign: Foreign, tree: &Tree, language: Language) -> Analysis {
    Analysis {
        diagnostics: vec![checks::foreign_file::foreign_file(foreign, tree, language)],
        ..Analysis::default()
    }
}

/// Analyses a text.
pub fn analyse(tree: &Tree, subject: &Subject<'_>) -> Analysis {
    let &Subject { schema, dialect, engine, layers, language } = subject;
    let (value, mut diagnostics) = bind::bind(tree.root(), schema, dialect, language);
    // A name that nobody knows is one mistake, also while nothing follows it.
    let unknown = diagnostics.iter().filter(|finding| finding.code.starts_with("unknown-"));
    let unknown: HashSet<_> = unknown.map(|finding| finding.range).collect();
    let errors = tree.errors();
    let errors =
        errors.iter().filter(|e| e.kind != SyntaxErrorKind::LonelyName || !unknown.contains(&e.range));
    diagnostics.extend(errors.map(|error| Diagnostic::of_syntax(error, language)));
    let has_text_errors = diagnostics.iter().any(|finding| finding.severity == Severity::Error);
    let effective = engine.map(|engine| Effective::compute(&value, schema, engine, layers));
    if let Some(effective) = &effective {
        // A text that AMCT cannot read has no effect at all: what it would be is not a second complaint.
        if !has_text_errors {
            let found = effective.diagnostics(tree, language);
            // A bound that AMCT demands by hand is an error there; that it is documented is no news then.
            diagnostics.retain(|old| {
                old.code != "missing-required"
                    || !found
                        .iter()
                        .any(|new| new.severity == Severity::Error && new.range.touches(old.range.start))
            });
            diagnostics.extend(found);
        }
    }
    diagnostics.sort_by_key(|finding| (finding.range.start, finding.severity));
    Analysis { value: Some(value), has_text_errors, diagnostics, effective }
}
