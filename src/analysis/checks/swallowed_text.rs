//! `swallowed-text`: lines that belong to the comment before them, because they are broken by CR alone. Editors break
//! the line there, AMCT's loader ends a comment at LF only (text-format.md F2).

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::language::Language;
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::TokenView;
use crate::text::{Edit, TextRange};

/// The finding for a comment with text behind a lone CR that is no comment itself.
pub(in crate::analysis) fn swallowed_text(token: TokenView<'_>, language: Language) -> Option<Diagnostic> {
    if token.kind != TokenKind::Comment {
        return None;
    }
    let breaks = memchr::memchr_iter(b'\r', token.text.as_bytes());
    let lost = breaks.clone().map(|at| at + 1).find(|&at| {
        let line = token.text[at..].trim_start_matches([' ', '\t']);
        !line.is_empty() && !line.starts_with(['#', '\r'])
    })?;
    let text = language.pick(
        "AMCT takes this for a part of the comment above: the line is broken by CR alone, and only LF ends a comment. Save the file with LF line ends.",
        "AMCT 将此处视为上方注释的一部分：该行仅以 CR 换行，而只有 LF 才会结束注释。请将文件保存为 LF 换行。",
    );
    let edits = breaks.map(|at| Edit::replace(TextRange::at(token.range.start + at, 1), "\n"));
    let title = language.pick("Break the lines by LF", "改用 LF 换行").to_owned();
    let range = TextRange::new(token.range.start + lost, token.range.end);
    Some(Diagnostic {
        fixes: vec![Fix { title, edits: edits.collect() }],
        ..Diagnostic::new("swallowed-text", Severity::Warning, range, text)
    })
}
