//! What AMCT computes from the values of a file: the engine's answer together with the places in the file.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::diagnostic::{Diagnostic, Related, Severity, Tag};
use super::facts::{Spot, Spots};
use super::fixes::{Fixer, Meant};
use crate::amct::auto_prune::OverrideFile;
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
    /// The number of the value that each place stands for,
    values: Arc<[usize]>,
    /// and where the values stand. This alone changes while the values stay what they are.
    spots: Spots,
}

impl Effective {
    /// Computes the effective configuration of a file's values; without layers, for a supposed network.
    pub(super) fn compute(
        value: &MessageValue,
        schema: &Schema,
        engine: Engine,
        layers: Option<&LayerList>,
        file: Option<&OverrideFile>,
        spots: Spots,
    ) -> Self {
        let (answer, places) = engine.answer(value, schema, layers, file);
        let values = numbers(&places, &spots);
        Self { answer, explanation: OnceLock::new(), values, spots }
    }

    /// The same for a text with equal values.
    pub(super) fn standing_at(&self, spots: Spots) -> Self {
        Self { spots, ..self.clone() }
    }

    fn spot(&self, place: Place) -> Option<Spot> {
        self.spots.get(*self.values.get(place.number())?)
    }

    /// Everything about the answer. Made when somebody first asks: the reasons of every layer cost more than all the
    /// rest.
    pub fn explanation(&self) -> &Explanation {
        self.explanation.get_or_init(|| Arc::new(amct::explanation(&*self.answer)))
    }

    /// The bytes of a value, brackets included.
    pub fn range(&self, place: Place) -> TextRange {
        self.spot(place).map_or(NOWHERE, |spot| spot.value)
    }

    /// The bytes of the name that set a value.
    pub fn name_range(&self, place: Place) -> TextRange {
        self.spot(place).and_then(|spot| spot.name).unwrap_or(NOWHERE)
    }

    /// The bytes to underline for a value: the name of a block, anything else itself.
    pub fn anchor(&self, place: Place) -> TextRange {
        match self.spot(place) {
            Some(Spot { name: Some(name), is_block: true, .. }) => name,
            spot => spot.map_or(NOWHERE, |spot| spot.value),
        }
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

/// Where what stands for the whole file is shown.
const NOWHERE: TextRange = TextRange::empty(0);

/// The number of the value that each place stands for.
fn numbers(places: &Places, spots: &Spots) -> Arc<[usize]> {
    let by_range: HashMap<_, _> =
        spots.iter().enumerate().map(|(number, spot)| (spot.value, number)).collect();
    places.ranges().map(|range| by_range.get(&range).copied().unwrap_or(usize::MAX)).collect()
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Information => Severity::Information,
        Level::Unnecessary => Severity::Hint,
    }
}
