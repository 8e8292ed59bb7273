//! Which findings are shown, and how bad: all of them, but for what settings and comments in the file say.
//!
//! `# quantcfg-ignore: CODE[, CODE]` hides findings of its own line and of the one below; `# quantcfg-ignore-file`, before the
//! first field, hides all. What AMCT does with the file is not changed by that, so neither lenses nor exit codes of
//! `explain` look here.

use super::Snapshot;
use crate::analysis::Diagnostic;
use crate::syntax::lexer::TokenKind;

const IGNORE: &str = "quantcfg-ignore:";

/// The findings to show, in order of their place.
pub fn shown(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let context = snapshot.context();
    let preferences = &context.preferences;
    if preferences.diagnostics == Some(false) || context.headers.ignores_file {
        return Vec::new();
    }
    let mut ignored = Ignored { snapshot, last: None };
    let findings = snapshot.diagnostics().iter().filter_map(|finding| {
        let severity = match preferences.severities.get(finding.code) {
            None => finding.severity,
            Some(level) => (*level)?,
        };
        let is_shown = !ignored.has(finding.range.start, finding.code);
        is_shown.then(|| Diagnostic { severity, ..finding.clone() })
    });
    findings.collect()
}

/// The codes that comments hide, line by line.
struct Ignored<'s> {
    snapshot: &'s Snapshot,
    /// Findings come in order, often several to a line.
    last: Option<(usize, Vec<String>)>,
}

impl Ignored<'_> {
    fn has(&mut self, offset: usize, code: &str) -> bool {
        let line = self.snapshot.text.line_of(offset);
        if self.last.as_ref().is_none_or(|(last, _)| *last != line) {
            let mut codes = self.codes(line);
            codes.extend(line.checked_sub(1).map(|above| self.codes(above)).unwrap_or_default());
            self.last = Some((line, codes));
        }
        self.last.as_ref().is_some_and(|(_, codes)| codes.iter().any(|ignored| ignored == code))
    }

    fn codes(&self, line: usize) -> Vec<String> {
        let range = self.snapshot.text.line_range(line);
        let text = self.snapshot.text.slice(range);
        let Some(at) = text.find(IGNORE) else { return Vec::new() };
        let token = self.snapshot.tree().token_at(range.start + at);
        if token.is_none_or(|token| token.kind != TokenKind::Comment) {
            return Vec::new();
        }
        let codes = text[at + IGNORE.len()..].split([',', ' ', '\t']);
        codes.filter(|code| !code.is_empty()).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analysis::Severity;
    use crate::ide::Context;
    use crate::ide::header::Headers;
    use crate::ide::preferences::Preferences;

    #[track_caller]
    fn check(text: &str, preferences: Preferences, expected: &[(&str, Severity)]) {
        let context = Context { preferences, headers: Headers::of(text), ..Context::default() };
        let found = shown(&Snapshot::open(text, Arc::new(context)));
        let mut found: Vec<_> = found.iter().map(|finding| (finding.code, finding.severity)).collect();
        found.sort_by_key(|(_, severity)| *severity);
        assert_eq!(found, expected);
    }

    const TWO: [(&str, Severity); 2] =
        [("unknown-field", Severity::Error), ("missing-required", Severity::Information)];

    #[test]
    fn comments_hide_findings_of_their_line_and_the_next() {
        check("foo: 1\n", Preferences::default(), &TWO);
        check("foo: 1 # quantcfg-ignore: unknown-field\n", Preferences::default(), &TWO[1..]);
        check("# quantcfg-ignore: unknown-field, missing-required\nfoo: 1\n", Preferences::default(), &[]);
        check("# quantcfg-ignore: unknown-field\n\nfoo: 1\n", Preferences::default(), &TWO);
        check("# quantcfg-ignore: other\nfoo: 1\n", Preferences::default(), &TWO);
        check("skip_layers: \"# quantcfg-ignore: unknown-field\" foo: 1\n", Preferences::default(), &TWO);
        check("# quantcfg-ignore-file\nfoo: 1\n", Preferences::default(), &[]);
        check("foo: 1 # quantcfg-ignore-file\n", Preferences::default(), &TWO);
    }

    #[test]
    fn settings_choose_severities() {
        let preferences = Preferences {
            severities: [("unknown-field".into(), Some(Severity::Hint)), ("missing-required".into(), None)]
                .into(),
            ..Preferences::default()
        };
        check("foo: 1\n", preferences, &[("unknown-field", Severity::Hint)]);
        check("foo: 1\n", Preferences { diagnostics: Some(false), ..Preferences::default() }, &[]);
    }
}
