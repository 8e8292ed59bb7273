//! The names of layers and types that fit into a string: in network order, without those that stand there already.

use std::collections::HashSet;

use super::{CompletionItem, CompletionKind};
use crate::amct::{Basis, Role};
use crate::ide::Snapshot;
use crate::schema::value::{MessageValue, ValueKind};
use crate::text::TextRange;

/// The names for a field; `replace` is the string under the cursor at `offset`, or an empty range.
pub(super) fn names(
    snapshot: &Snapshot,
    role: Role,
    field: &str,
    replace: TextRange,
    offset: usize,
) -> Vec<CompletionItem> {
    let analysis = snapshot.analysis();
    let (Some(effective), Some(value)) = (&analysis.effective, &analysis.value) else { return Vec::new() };
    let answer = &effective.answer;
    let mut used = HashSet::new();
    collect_used(snapshot, value, field, offset, &mut used);
    let spot = Spot::of(snapshot, replace, offset);
    let language = snapshot.context().language;
    let layers = 0..if answer.basis() == Basis::Supposed { 0 } else { answer.layer_count() };
    let mut found: Vec<(&str, String, String)> = Vec::new();
    match role {
        Role::Layer => {
            for layer in layers.filter(|&layer| !used.contains(answer.layer_name(layer))) {
                let state = answer.state(layer, language).map(|state| match state.is_enabled {
                    true => state.values,
                    false => language.pick("skipped", "跳过").to_owned(),
                });
                let detail = answer.layer_type(layer).unwrap_or_default().to_owned();
                found.push((answer.layer_name(layer), detail, state.unwrap_or_default()));
            }
        }
        Role::LayerType => {
            let present = layers.filter_map(|layer| answer.layer_type(layer));
            let mut seen = HashSet::new();
            let types = present.chain(answer.types().iter().copied());
            for name in types.filter(|name| seen.insert(*name) && !used.contains(*name)) {
                found.push((name, String::new(), String::new()));
            }
        }
    }
    let kind = match role {
        Role::Layer => CompletionKind::Layer,
        Role::LayerType => CompletionKind::LayerType,
    };
    let items = found.into_iter().enumerate();
    items
        .map(|(at, (name, detail, documentation))| CompletionItem {
            label: name.to_owned(),
            kind,
            detail,
            documentation,
            replace: spot.replace,
            text: spot.text(name),
            snippet: None,
            sort: format!("{at:06}"),
            is_deprecated: false,
        })
        .collect()
}

/// Where a name goes: between quotes that are there, or with quotes of its own.
struct Spot {
    replace: TextRange,
    quote: char,
    opens: bool,
    closes: bool,
}

impl Spot {
    fn of(snapshot: &Snapshot, replace: TextRange, offset: usize) -> Self {
        let text = snapshot.text.slice(replace);
        let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return Self { replace, quote: '"', opens: true, closes: true };
        };
        let start = replace.start + 1;
        let is_closed = text.len() > 1 && text.ends_with(quote);
        // What follows an open string on its line is hardly part of it.
        let end = if is_closed { replace.end - 1 } else { offset.max(start) };
        Self { replace: TextRange::new(start, end), quote, opens: false, closes: !is_closed }
    }

    fn text(&self, name: &str) -> String {
        let mut text = String::new();
        text.extend(self.opens.then_some(self.quote));
        for c in name.chars() {
            text.extend((c == self.quote || c == '\\').then_some('\\'));
            text.push(c);
        }
        text.extend(self.closes.then_some(self.quote));
        text
    }
}

/// The strings of all fields of a name, save for the one at the cursor.
fn collect_used(
    snapshot: &Snapshot,
    message: &MessageValue,
    field: &str,
    offset: usize,
    used: &mut HashSet<String>,
) {
    let owner = snapshot.context().schema.message(message.message);
    for set in &message.fields {
        let is_it = owner.field(set.field).name == field;
        for value in &set.values {
            match &value.kind {
                ValueKind::String(text) if is_it && !value.range.touches(offset) => {
                    used.insert(text.clone());
                }
                ValueKind::Message(inner) => collect_used(snapshot, inner, field, offset, used),
                _ => {}
            }
        }
    }
}
