//! Findings for people: excerpts of the source with carets.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::analysis::{Diagnostic, Fix, Severity};
use crate::language::Language;
use crate::text::{Buffer, Encoding, TextRange};

/// A longer line is not drawn.
const MAX_LINE: usize = 4 << 10;
/// What lies further away than this gets an excerpt of its own.
const NEARBY: usize = 40;

/// Writes findings with an excerpt of the file each, as rustc and ruff print them; colours are ANSI codes.
pub(in crate::cli) fn write(
    out: &mut impl Write,
    path: &str,
    text: &Buffer,
    diagnostics: &[Diagnostic],
    language: Language,
) -> io::Result<()> {
    let renderer = Renderer::styled();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::HELP,
        };
        let mut excerpts =
            vec![Excerpt::of(text, shown(text, diagnostic.range), AnnotationKind::Primary, None)];
        for related in &diagnostic.related {
            let label = Some(&*related.message);
            let excerpt = Excerpt::of(text, shown(text, related.range), AnnotationKind::Context, label);
            match excerpts[0].lines.start.abs_diff(excerpt.lines.start) <= NEARBY {
                true => excerpts[0].join(excerpt),
                false => excerpts.push(excerpt),
            }
        }
        let title = level.primary_title(&*diagnostic.message).id(diagnostic.code);
        let mut groups =
            vec![title.elements(excerpts.into_iter().map(|excerpt| excerpt.element(path, text)))];
        if let Some(Fix { title, .. }) = diagnostic.fixes.first() {
            let word = language.pick("fix", "修复");
            groups.push(Group::with_title(Level::HELP.with_name(word).secondary_title(&**title)));
        }
        writeln!(out, "{}\n", renderer.render(&groups))?;
    }
    Ok(())
}

/// Lines of the file and what is marked in them. Only these lines are drawn from, as drawing looks at all it is given.
struct Excerpt<'a> {
    lines: Range<usize>,
    marks: Vec<(TextRange, AnnotationKind, Option<&'a str>)>,
}

impl<'a> Excerpt<'a> {
    fn of(text: &Buffer, range: TextRange, kind: AnnotationKind, label: Option<&'a str>) -> Self {
        let lines = text.line_of(range.start)..text.line_of(range.end) + 1;
        Self { lines, marks: vec![(range, kind, label)] }
    }

    fn join(&mut self, other: Self) {
        self.lines = self.lines.start.min(other.lines.start)..self.lines.end.max(other.lines.end);
        self.marks.extend(other.marks);
    }

    fn element<'b>(self, path: &'b str, text: &Buffer) -> Element<'b>
    where
        'a: 'b,
    {
        let (first, last) = (self.lines.start, self.lines.end - 1);
        let range = TextRange::new(text.line_start(first), text.line_range(last).end);
        if range.len() > MAX_LINE * self.lines.len() {
            let position = text.position_of(self.marks[0].0.start, Encoding::Utf32);
            let (line, column) = (position.line as usize + 1, position.character as usize + 1);
            return Origin::path(path).line(line).char_column(column).into();
        }
        let mark = |(marked, kind, label): (TextRange, AnnotationKind, Option<&'b str>)| {
            kind.span(marked.start - range.start..marked.end - range.start).label(label)
        };
        let snippet = Snippet::source(text.slice(range).into_owned()).line_start(first + 1).path(path);
        snippet.annotations(self.marks.into_iter().map(mark)).into()
    }
}

/// An empty range at the end of the text cannot be drawn: the last character stands for it.
fn shown(text: &Buffer, range: TextRange) -> TextRange {
    let (start, end) = (text.floor_char_boundary(range.start), text.floor_char_boundary(range.end));
    if start < text.len() || start < end {
        return TextRange::new(start, end.max(start));
    }
    TextRange::new(text.floor_char_boundary(text.len().saturating_sub(1)), text.len())
}
