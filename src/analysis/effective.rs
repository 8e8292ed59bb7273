//! What AMCT computes from the values of a file: the engine's answer together with the places in the file.

use std::sync::{Arc, OnceLock};

use super::diagnostic::{Diagnostic, Related, Severity, Tag};
use super::fixes::{Fixer, Meant};
use crate::amct::finding::{Finding, FindingKind, Level};
use crate::amct::{self, Answer, Engine, Explanation, Place, Places};
use crate::inventory::LayerList;
use crate::language::Language;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;
use crate::syntax::tree::Tree;
use crate::text::TextRange;

/// The answer of an engine.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The answer.
    pub answer: Arc<dyn Answer>,
    explanation: OnceLock<Arc<Explanation>>,
    places: Places,
}

impl Effective {
    /// Computes the effective configuration of a file's values; without layers, for a supposed network.
    pub fn compute(
        value: &MessageValue,
        schema: &Schema,
        engine: Engine,
        layers: Option<&LayerList>,
    ) -> Self {
        let (answer, places) = engine.answer(value, schema, layers);
        Self { answer, explanation: OnceLock::new(), places }
    }

    /// Everything about the answer. Made when somebody first asks: the reasons of every layer cost more than all the
    /// rest.
    pub fn explanation(&self) -> &Explanation {
        self.explanation.get_or_init(|| Arc::new(amct::explanation(&*self.answer)))
    }

    /// The bytes of a value, brackets included.
    pub fn range(&self, place: Place) -> TextRange {
        self.places.range(place)
    }

    /// The bytes of the name that set a value.
    pub fn name_range(&self, place: Place) -> TextRange {
        self.places.name_range(place)
    }

    /// The bytes to underline for a value: the name of a block, anything else itself.
    pub fn anchor(&self, place: Place) -> TextRange {
        self.places.anchor(place)
    }

    /// The engine's findings as findings about the text.
    pub(super) fn diagnostics(&self, tree: &Tree, language: Language) -> Vec<Diagnostic> {
        let mut fixer = Fixer::new(tree, self, language);
        let findings = self.answer.findings();
        let mended = findings.iter().map(|finding| {
            let mut diagnostic = self.diagnostic(finding, language);
            diagnostic.fixes = fixer.fixes(finding);
            if let Some(Meant { name, fix }) = fixer.meant(finding) {
                let hint = language.pick(format!("Did you mean `{name}`? "), format!("是否想写 `{name}`？"));
                diagnostic.message.insert_str(0, &hint);
                diagnostic.fixes.insert(0, fix);
            }
            diagnostic
        });
        mended.collect()
    }

    fn diagnostic(&self, finding: &Finding, language: Language) -> Diagnostic {
        let level = finding.level();
        let related = finding.related.iter().map(|(place, note)| Related {
            range: self.anchor(*place),
            message: note.text(language).to_owned(),
        });
        let mut related: Vec<_> = related.collect();
        if let FindingKind::OverrideDropsValues { dropped, .. } | FindingKind::BareOverride { dropped, .. } =
            &finding.kind
            && related.is_empty()
        {
            related.extend(dropped.iter().map(|dropped| Related {
                range: self.anchor(dropped.place),
                message: language.pick(
                    format!("`{}: {}` does not reach the layer", dropped.field(), dropped.value),
                    format!("`{}: {}` 不会作用到该层", dropped.field(), dropped.value),
                ),
            }));
        }
        Diagnostic {
            related,
            tag: (level == Level::Unnecessary).then_some(Tag::Unnecessary),
            certainty: finding.certainty,
            ..Diagnostic::new(
                finding.code(),
                severity(level),
                self.anchor(finding.place),
                finding.message(language),
            )
        }
    }
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Information => Severity::Information,
        Level::Unnecessary => Severity::Hint,
    }
}
