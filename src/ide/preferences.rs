//! What the user wants to see of what is found out.

use std::collections::BTreeMap;

use crate::analysis::Severity;

/// How wide a level is indented unless somebody says otherwise, as in AMCT's documentation.
const INDENT: usize = 4;

/// What the user wants to see. What is not said is left to the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Whether findings are shown.
    pub diagnostics: Option<bool>,
    /// The severity of findings by their code; `None` hides them.
    pub severities: BTreeMap<String, Option<Severity>>,
    /// Whether code lenses are shown.
    pub code_lenses: Option<bool>,
    /// Whether inlay hints are shown.
    pub inlay_hints: Option<bool>,
    /// Blanks a level.
    pub indent: Option<usize>,
}

impl Preferences {
    /// These, and where they say nothing, those.
    pub fn over(self, those: Self) -> Self {
        let mut severities = those.severities;
        severities.extend(self.severities);
        Self {
            diagnostics: self.diagnostics.or(those.diagnostics),
            severities,
            code_lenses: self.code_lenses.or(those.code_lenses),
            inlay_hints: self.inlay_hints.or(those.inlay_hints),
            indent: self.indent.or(those.indent),
        }
    }

    /// Blanks a level.
    pub fn indent(&self) -> usize {
        self.indent.unwrap_or(INDENT)
    }
}
