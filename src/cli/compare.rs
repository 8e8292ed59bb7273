//! Two results of AMCT, key by key: what `explain --against` and `diff` print.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};

use super::table::table;
use crate::inventory::json::read_python;
use crate::language::Language;

/// A key whose value differs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    /// The layer, or the global key.
    pub(super) layer: String,
    /// The key inside of it, its parts joined by dots; empty: the whole.
    pub(super) key: String,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
}

/// All differences of two results, in the order of the first. `None`: one of them is no JSON object.
pub(super) fn compare(before: &str, after: &str) -> Option<Vec<Difference>> {
    let (before, after) = (read_python(before)?, read_python(after)?);
    let (before, after) = (before.as_object()?, after.as_object()?);
    let mut differences = Vec::new();
    let new = after.keys().filter(|key| !before.contains_key(*key));
    for layer in before.keys().chain(new) {
        inside(layer, String::new(), before.get(layer), after.get(layer), &mut differences);
    }
    Some(differences)
}

fn inside(
    layer: &str,
    key: String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (before, after) {
        let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
        for inner in keys {
            let path = if key.is_empty() { inner.clone() } else { format!("{key}.{inner}") };
            inside(layer, path, a.get(inner), b.get(inner), found);
        }
        return;
    }
    found.push(Difference { layer: layer.to_owned(), key, before: before.cloned(), after: after.cloned() });
}

/// The differences for people.
pub(super) fn write_table(
    out: &mut impl Write,
    [before, after]: [&str; 2],
    differences: &[Difference],
    language: Language,
) -> std::io::Result<()> {
    if differences.is_empty() {
        return writeln!(out, "{}", language.pick("No difference in effect.", "实际效果没有差别。"));
    }
    let shown = |value: &Option<Value>| match value {
        None => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(_)) => language.pick("(there)", "（有）").to_owned(),
        Some(value) => value.to_string(),
    };
    let rows: Vec<_> = differences
        .iter()
        .map(|d| vec![d.layer.clone(), d.key.clone(), shown(&d.before), shown(&d.after)])
        .collect();
    let header = language.pick(["layer", "what"], ["层", "键"]);
    write!(out, "{}", table(&[header[0], header[1], before, after], &rows))
}

/// The differences for tools.
pub(super) fn to_json(differences: &[Difference]) -> Value {
    let differences = differences
        .iter()
        .map(|d| json!({"layer": d.layer, "key": d.key, "before": d.before, "after": d.after}));
    json!({"differences": differences.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_key_by_key() {
        let before = r#"{"version":1,"a":{"x":{"y":NaN,"z":1.0}},"b":{"x":-Infinity}}"#;
        let after = r#"{"version":1,"a":{"x":{"y":NaN,"z":2.0}},"c":{}}"#;
        let found: Vec<_> = compare(before, after)
            .unwrap_or_default()
            .into_iter()
            .map(|d| (d.layer, d.key, d.before.is_some(), d.after.is_some()))
            .collect();
        let expected = [("a", "x.z", true, true), ("b", "", true, false), ("c", "", false, true)];
        assert_eq!(found, expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c, d)));
        assert_eq!(compare("[]", "{}"), None);
    }
}
