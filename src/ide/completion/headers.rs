//! What comments can say to us: headers, before the first field, and their values.

use super::{CompletionItem, CompletionKind};
use crate::ide::Snapshot;
use crate::ide::header::{IGNORE, KEYS};
use crate::language::Language;
use crate::schema::builtin::Dialect;
use crate::text::TextRange;

/// What fits into the comment at an offset.
pub(super) fn headers(snapshot: &Snapshot, offset: usize) -> Vec<CompletionItem> {
    let line = snapshot.text.line_range(snapshot.text.line_of(offset));
    let text = snapshot.text.slice(line);
    let before = &text[..offset - line.start];
    let Some(at) = before.rfind('#') else { return Vec::new() };
    let language = snapshot.context().language;
    let typed = before[at + 1..].trim_start();
    match typed.split_once(':') {
        Some(("quantcfg-schema", value)) => {
            let value = value.trim_start();
            let names =
                Dialect::ALL.iter().map(|dialect| (dialect.name(), dialect_meaning(*dialect, language)));
            items(names, TextRange::new(offset - value.len(), value_end(&text, line, offset)))
        }
        Some((_, _)) => Vec::new(),
        None => {
            let is_first =
                snapshot.tree().root().items().next().is_none_or(|item| offset <= item.range().start);
            let keys = KEYS.iter().filter(|_| is_first).copied().chain([IGNORE]);
            let keys = keys.map(|(key, english, chinese)| (key, language.pick(english, chinese).to_owned()));
            items(keys, TextRange::new(offset - typed.len(), offset))
        }
    }
}

/// The end of the word behind the cursor.
fn value_end(text: &str, line: TextRange, offset: usize) -> usize {
    let rest = &text[offset - line.start..];
    offset + rest.find(char::is_whitespace).unwrap_or(rest.len())
}

fn items<'a>(names: impl Iterator<Item = (&'a str, String)>, replace: TextRange) -> Vec<CompletionItem> {
    let item = |(at, (name, documentation)): (usize, (&str, String))| CompletionItem {
        label: name.trim_end_matches([':', ' ']).to_owned(),
        kind: CompletionKind::Header,
        detail: String::new(),
        documentation,
        replace,
        text: name.to_owned(),
        snippet: None,
        sort: format!("{at:04}"),
        is_deprecated: false,
    };
    names.enumerate().map(item).collect()
}

fn dialect_meaning(dialect: Dialect, language: Language) -> String {
    crate::schema::builtin::schema(dialect).root().doc.text(language).to_owned()
}
