//! The fixes of the findings under a selection, as entries of a menu.

use super::Snapshot;
use crate::analysis::{Diagnostic, Fix};
use crate::text::TextRange;

/// A way to mend a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeAction {
    /// What is mended.
    pub finding: Diagnostic,
    /// How.
    pub fix: Fix,
    /// The best way to mend it, for clients with a key for that.
    pub is_preferred: bool,
}

/// All fixes of the findings that touch a range, in order of their place.
pub fn code_actions(snapshot: &Snapshot, range: TextRange) -> Vec<CodeAction> {
    let touches =
        |finding: &&Diagnostic| finding.range.start <= range.end && range.start <= finding.range.end;
    let findings = snapshot.diagnostics().iter().filter(touches);
    let actions = findings.flat_map(|finding| {
        finding.fixes.iter().enumerate().map(|(at, fix)| CodeAction {
            finding: finding.clone(),
            fix: fix.clone(),
            is_preferred: at == 0,
        })
    });
    actions.collect()
}
