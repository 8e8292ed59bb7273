//! An answer whose parts an engine has computed all at once.

use super::answer::{Answer, Aspect, Block, BlockKind, Skip, State};
use super::basis::Basis;
use super::explanation::ExplainedLayer;
use super::finding::{Finding, FindingKind};
use super::place::Place;
use super::reason::Filled;
use super::refusal::{Refusal, Warning};
use super::report::Report;
use super::text::Text;
use crate::language::Language;

/// An answer in full.
#[derive(Clone, Debug)]
pub struct TableAnswer {
    /// What the layers were learned from.
    pub basis: Basis,
    /// Errors and warnings.
    pub report: Report,
    /// What is worth telling besides what AMCT refuses.
    pub findings: Vec<Finding>,
    /// Layers whose type is needed and not known.
    pub undetermined: Vec<String>,
    /// The layers, with their values in short.
    pub layers: Vec<(ExplainedLayer, Text)>,
    /// The text that AMCT writes.
    pub output: String,
    /// The blocks, and the values that they give, in short.
    pub blocks: Vec<(Block, Text)>,
    /// What comes of the skips.
    pub skips: Vec<Skip>,
    /// What is in force unwritten.
    pub unwritten: Vec<(Place, Filled)>,
    /// The types that AMCT knows.
    pub types: &'static [&'static str],
    /// What it does with layers.
    pub aspect: Aspect,
}

impl Answer for TableAnswer {
    fn basis(&self) -> Basis {
        self.basis
    }

    fn error(&self) -> Option<&Refusal> {
        self.report.error()
    }

    fn warnings(&self) -> &[Warning] {
        &self.report.warnings
    }

    fn findings(&self) -> Vec<Finding> {
        let refusals = self.report.refusals.iter().map(|refusal| Finding {
            kind: FindingKind::Refused(Box::new(refusal.clone())),
            place: refusal.place,
            related: Vec::new(),
            certainty: refusal.certainty,
        });
        refusals.chain(self.findings.iter().cloned()).collect()
    }

    fn undetermined(&self) -> Vec<String> {
        self.undetermined.clone()
    }

    fn layer_count(&self) -> usize {
        self.layers.len()
    }

    fn layer_name(&self, layer: usize) -> &str {
        &self.layers[layer].0.name
    }

    fn layer_type(&self, layer: usize) -> Option<&str> {
        self.layers[layer].0.type_name.as_deref()
    }

    fn types(&self) -> &'static [&'static str] {
        self.types
    }

    fn state(&self, layer: usize, language: Language) -> Option<State> {
        let (layer, brief) = &self.layers[layer];
        Some(State { is_enabled: layer.enabled, values: brief.pick(language).to_owned() })
    }

    fn explain(&self) -> Vec<ExplainedLayer> {
        self.layers.iter().map(|(layer, _)| layer.clone()).collect()
    }

    fn output(&self) -> String {
        self.output.clone()
    }

    fn blocks(&self) -> Vec<Block> {
        self.blocks.iter().map(|(block, _)| block.clone()).collect()
    }

    fn block_values(&self, kind: &BlockKind, language: Language) -> String {
        let found = self.blocks.iter().find(|(block, _)| block.kind == *kind);
        found.map(|(_, values)| values.pick(language).to_owned()).unwrap_or_default()
    }

    fn skips(&self) -> Vec<Skip> {
        self.skips.clone()
    }

    fn unwritten(&self) -> Vec<(Place, Filled)> {
        self.unwritten.clone()
    }

    fn verb(&self, language: Language) -> &'static str {
        self.aspect.text(language)
    }
}
