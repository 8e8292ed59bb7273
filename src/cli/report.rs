//! Findings for people (source excerpts with carets) and for machines (JSON).

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::ide::effective::{certainty_json, json_range};
use crate::language::Language;
use crate::text::{Buffer, TextRange};

/// Findings with an excerpt of the file each, as rustc and ruff print them; colours are ANSI codes.
pub(super) fn human(path: &str, text: &str, diagnostics: &[Diagnostic], language: Language) -> String {
    let renderer = Renderer::styled();
    let mut out = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::HELP,
        };
        let mut snippet = Snippet::source(text)
            .path(path)
            .annotation(AnnotationKind::Primary.span(shown(text, diagnostic.range).into()));
        for related in &diagnostic.related {
            let span = shown(text, related.range).into();
            snippet = snippet.annotation(AnnotationKind::Context.span(span).label(&*related.message));
        }
        let title = level.primary_title(&*diagnostic.message).id(diagnostic.code);
        let mut groups = vec![title.element(snippet)];
        if let Some(Fix { title, .. }) = diagnostic.fixes.first() {
            let word = language.pick("fix", "修复");
            groups.push(Group::with_title(Level::HELP.with_name(word).secondary_title(&**title)));
        }
        let _ = writeln!(out, "{}\n", renderer.render(&groups));
    }
    out
}

/// An empty range at the end of the text cannot be drawn: the last character stands for it.
fn shown(text: &str, range: TextRange) -> TextRange {
    let floor =
        |offset: usize| (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let (start, end) = (floor(range.start), floor(range.end));
    if start < text.len() || start < end {
        return TextRange::new(start, end.max(start));
    }
    let last = text.chars().next_back().map_or(0, char::len_utf8);
    TextRange::new(text.len() - last, text.len())
}

/// How many findings of which kind, in one line; `None` when there are none.
pub(super) fn summary<'a>(
    diagnostics: impl Iterator<Item = &'a Diagnostic>,
    language: Language,
) -> Option<String> {
    let mut counts = [0; 4];
    diagnostics.for_each(|diagnostic| counts[diagnostic.severity as usize] += 1);
    let words = language.pick(
        [("error", "errors"), ("warning", "warnings"), ("note", "notes"), ("hint", "hints")],
        [("个错误", "个错误"), ("个警告", "个警告"), ("条信息", "条信息"), ("条提示", "条提示")],
    );
    let parts: Vec<_> = counts
        .iter()
        .zip(words)
        .filter(|&(&count, _)| count > 0)
        .map(|(&count, (one, many))| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    (!parts.is_empty()).then(|| parts.join(language.pick(", ", "，")))
}

/// A finding as `check --format json` prints it.
pub(super) fn json(text: &Buffer, diagnostic: &Diagnostic, language: Language) -> Value {
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .map(|related| json!({"message": related.message, "range": json_range(text, related.range)}))
        .collect();
    let fixes: Vec<_> = diagnostic
        .fixes
        .iter()
        .map(|fix| {
            let edits: Vec<_> = fix
                .edits
                .iter()
                .map(|edit| json!({"range": json_range(text, edit.range), "text": edit.text}))
                .collect();
            json!({"title": fix.title, "edits": edits})
        })
        .collect();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.name(),
        "message": diagnostic.message,
        "range": json_range(text, diagnostic.range),
        "related": related,
        "fixes": fixes,
        "certainty": certainty_json(diagnostic.certainty, language),
    })
}
