//! From a tree, a schema and a layer list to what the author should know about a file.
//!
//! Everything here is a function of those three (invariant 4): nothing is shifted or patched after an edit.

mod bind;
mod checks;
pub mod detect;
pub mod diagnostic;
pub mod effective;
mod facts;
mod fixes;
mod scalar;

pub use diagnostic::{Diagnostic, Fix, Related, Severity, Tag};
pub use effective::Effective;

use std::collections::HashSet;

use self::bind::Bound;
use self::detect::Foreign;
use self::facts::Digest;
use crate::amct::Engine;
use crate::amct::auto_prune::OverrideFile;
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
    /// Whether the text itself is refused, whatever AMCT would compute from it.
    pub has_text_errors: bool,
    /// All findings, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
    /// What AMCT computes, for schemas with an engine. When the text has errors, from those values that could be read.
    pub effective: Option<Effective>,
    /// Of the values that it was computed from, and what from besides.
    basis: Option<(Digest, Basis)>,
}

impl Analysis {
    /// Of a text that is held against nothing: only what was found out otherwise.
    pub fn of_findings(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, ..Self::default() }
    }
}

/// What the effective configuration is computed from besides the values; schema and layers by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Basis {
    schema: usize,
    layers: Option<usize>,
    override_file: Option<usize>,
    engine: Option<Engine>,
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
    /// The file that a path in the text leads to.
    pub override_file: Option<&'a OverrideFile>,
    /// The language of messages.
    pub language: Language,
}

impl<'a> Subject<'a> {
    /// A schema alone, in English.
    pub fn of(schema: &'a Schema) -> Self {
        Self {
            schema,
            dialect: None,
            engine: None,
            layers: None,
            override_file: None,
            language: Language::English,
        }
    }
}

/// The one finding about a text that AMCT never reads.
pub fn foreign(foreign: Foreign, tree: &Tree, language: Language) -> Analysis {
    Analysis::of_findings(vec![checks::foreign_file::foreign_file(foreign, tree, language)])
}

/// The values of a text, as far as they can be read.
pub fn values(tree: &Tree, schema: &Schema) -> MessageValue {
    bind::values(tree.root(), schema)
}

/// Analyses a text.
pub fn analyse(tree: &Tree, subject: &Subject<'_>) -> Analysis {
    analyse_after(None, tree, subject)
}

/// Analyses a text that comes from another one by an edit: the outcome is the same, and takes from that of the other
/// what holds for both. Schema and layers have to be those of before by their addresses, or live beside them.
pub fn analyse_after(before: Option<&Analysis>, tree: &Tree, subject: &Subject<'_>) -> Analysis {
    let &Subject { schema, dialect, engine, layers, override_file, language } = subject;
    let Bound { findings: mut diagnostics, digest, spots } =
        bind::bind(tree.root(), schema, dialect, language);
    // A name that nobody knows is one mistake, also while nothing follows it.
    let unknown = diagnostics.iter().filter(|finding| finding.code.starts_with("unknown-"));
    let unknown: HashSet<_> = unknown.map(|finding| finding.range).collect();
    let errors = tree.errors();
    let errors =
        errors.iter().filter(|e| e.kind != SyntaxErrorKind::LonelyName || !unknown.contains(&e.range));
    diagnostics.extend(errors.map(|error| Diagnostic::of_syntax(error, language)));
    let has_text_errors = diagnostics.iter().any(|finding| finding.severity == Severity::Error);
    let basis = Basis {
        schema: std::ptr::from_ref(schema) as usize,
        layers: layers.map(|layers| std::ptr::from_ref(layers) as usize),
        override_file: override_file.map(|file| std::ptr::from_ref(file) as usize),
        engine,
    };
    let before = before.filter(|before| before.basis == Some((digest, basis)));
    let effective = engine.map(|engine| match before.and_then(|before| before.effective.as_ref()) {
        // Only places have changed.
        Some(effective) => effective.standing_at(spots),
        None => Effective::compute(&values(tree, schema), schema, engine, layers, override_file, spots),
    });
    if let Some(effective) = &effective {
        // A text that AMCT cannot read has no effect at all: what it would be is not a second complaint.
        if !has_text_errors {
            let found = effective.diagnostics(tree, language);
            // A bound that AMCT demands by hand is an error there; that it is documented is no news then.
            let demanded: Vec<_> =
                found.iter().filter(|f| f.severity == Severity::Error).map(|f| f.range).collect();
            diagnostics.retain(|old| {
                old.code != "missing-required" || !demanded.iter().any(|range| range.touches(old.range.start))
            });
            diagnostics.extend(found);
        }
    }
    diagnostics.sort_by_key(|finding| (finding.range.start, finding.severity));
    Analysis { has_text_errors, diagnostics, effective, basis: Some((digest, basis)) }
}
