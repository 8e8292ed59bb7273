//! From a tree, a schema and a layer list to what the author should know about a file.
//!
//! Everything here is a function of those three (invariant 4): nothing is shifted or patched after an edit.

mod bind;
mod checks;
pub mod diagnostic;
pub mod effective;
mod fixes;
mod scalar;

pub use diagnostic::{Diagnostic, Fix, Related, Severity, Tag};
pub use effective::Effective;

use std::collections::HashSet;

use crate::amct::Engine;
use crate::inventory::LayerList;
use crate::language::Language;
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

/// Analyses a text. `engine` says whose rules compute the effective configuration; without `layers` it is computed for
/// a network that has every layer the file mentions.
pub fn analyse(
    tree: &Tree,
    schema: &Schema,
    engine: Option<Engine>,
    layers: Option<&LayerList>,
    language: Language,
) -> Analysis {
    let (value, mut diagnostics) = bind::bind(tree.root(), schema, language);
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
