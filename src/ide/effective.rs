//! The effective configuration of every layer: as JSON for tools, as rows for a table, as a page of Markdown.

use serde_json::{Map, Value, json};

use super::Snapshot;
use crate::amct::{Certainty, ExplainedLayer, Json, Reason};
use crate::analysis::Effective;
use crate::language::Language;
use crate::loader;
use crate::schema::builtin::Dialect;
use crate::text::{Buffer, Encoding, TextRange};

/// The headings of [`rows`].
pub fn header(language: Language) -> [&'static str; 6] {
    language.pick(
        ["layer", "type", "quantised", "decided by", "activations", "weights"],
        ["层", "类型", "量化", "由何决定", "激活", "权重"],
    )
}

/// What AMCT raises instead of computing anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Python's name of the exception.
    pub kind: &'static str,
    /// Python's `str` of it.
    pub message: String,
}

/// Whether AMCT refuses a file: first its loader, then its engine. `bytes` are those of the file, which need not be text.
pub fn refused(snapshot: &Snapshot, bytes: &[u8]) -> Option<Refused> {
    let context = snapshot.context();
    let is_searched = context.dialect == Some(Dialect::AutoChannelPrune);
    // AMCT opens this one as text, which turns every line break into LF.
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let bytes = if is_searched && std::str::from_utf8(bytes).is_ok() { text.as_bytes() } else { bytes };
    if let Err(error) = loader::load(bytes, &context.schema) {
        if is_searched {
            let path = context.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            let message = format!(
                "the config_file {path} cannot be parsered, please ensure it matches with AutoChannelPruneConfig!"
            );
            return Some(Refused { kind: "RuntimeError", message });
        }
        return Some(Refused { kind: error.kind.name(), message: error.python_text() });
    }
    let refusal = snapshot.analysis().effective.as_ref()?.answer.error()?;
    Some(Refused { kind: refusal.error.type_name, message: refusal.error.message.to_string() })
}

/// What AMCT calls the parameters of activations, in all its dialects.
const DATA_PARTS: &[&str] =
    &["retrain_data_config", "activation_quant_params", "kv_data_quant_config", "distill_data_config"];
/// The same for weights, pruning included.
const WEIGHT_PARTS: &[&str] =
    &["retrain_weight_config", "weight_quant_params", "distill_weight_config", "regular_prune_config"];

/// A row a layer, in network order.
pub fn rows(effective: &Effective, language: Language) -> Vec<Vec<String>> {
    effective.explanation().layers.iter().map(|layer| row(layer, language)).collect()
}

fn row(layer: &ExplainedLayer, language: Language) -> Vec<String> {
    // Where layers are pruned too, either makes them take part.
    let pruned = layer.extra.iter().find(|(key, _)| *key == "prune");
    let is_pruned = pruned.is_some_and(|(_, prune)| prune.get("enabled") == Some(&Json::Bool(true)));
    let state = match (layer.enabled, layer.skip_by_name || layer.skip_by_type) {
        (false, _) if is_pruned => language.pick("pruned only", "仅稀疏"),
        (true, _) if is_pruned => language.pick("yes, and pruned", "是，并稀疏"),
        (true, false) => language.pick("yes", "是"),
        (true, true) => language.pick("yes (skip without effect)", "是（跳过不起作用）"),
        (false, _) => language.pick("no (skipped)", "否（跳过）"),
    };
    let part = |keys: &[&str]| {
        let found = keys.iter().filter_map(|key| layer.values.get(key));
        found.map(parameters).collect::<Vec<_>>().join("; ")
    };
    let mut name = layer.name.clone();
    if !layer.certainty.is_known() {
        name.push('?');
    }
    vec![
        name,
        layer.type_name.clone().unwrap_or_default(),
        state.to_owned(),
        layer.source.to_owned(),
        part(DATA_PARTS),
        part(WEIGHT_PARTS),
    ]
}

/// The parameters of an algorithm in a line: `ulq_quantize, clip_max 3.0, clip_min -3.0`.
fn parameters(part: &Json) -> String {
    let Json::Object(entries) = part else { return String::new() };
    let texts = entries.iter().map(|(key, value)| match (key.as_str(), value) {
        ("algo", Json::String(name)) => name.clone(),
        (_, Json::String(text)) => format!("{key} {text}"),
        (_, Json::Array(items)) => {
            let items: Vec<_> = items.iter().map(Json::to_python).collect();
            format!("{key} {}", items.join(".."))
        }
        _ => format!("{key} {}", value.to_python()),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// What `explain --format json` prints and `quantcfg/effective` answers. Ranges have lines and columns from 1 and byte
/// offsets. `None` without an engine for the schema.
pub fn json(snapshot: &Snapshot, refused: Option<&Refused>) -> Option<Value> {
    let effective = snapshot.analysis().effective.as_ref()?;
    let explanation = effective.explanation();
    let language = snapshot.context().language;
    let layers = explanation.layers.iter().filter(|_| refused.is_none());
    let layers: Vec<_> = layers.map(|layer| layer_json(snapshot, effective, layer, language)).collect();
    // A file that cannot be loaded warns of nothing: the engine's own refusal comes after its warnings.
    let was_loaded = refused.is_none() || explanation.error.is_some();
    let warnings = explanation.warnings.iter().filter(|_| was_loaded).map(|warning| &warning.message);
    Some(json!({
        "schema": snapshot.context().dialect.map(|dialect| dialect.name()),
        "entry": effective.answer.entry().map(|entry| entry.name()),
        "layers": layers,
        "warnings": warnings.collect::<Vec<_>>(),
        "error": refused.map(|refused| json!({"type": refused.kind, "message": refused.message})),
    }))
}

fn layer_json(
    snapshot: &Snapshot,
    effective: &Effective,
    layer: &ExplainedLayer,
    language: Language,
) -> Value {
    let because = layer.because.iter().map(|reason| {
        let range = reason.place.map(|place| json_range(&snapshot.text, effective.anchor(place)));
        json!({"message": reason.kind.message(language), "range": range})
    });
    let mut object = Map::new();
    object.insert("name".into(), json!(layer.name));
    object.insert("type".into(), json!(layer.type_name));
    object.insert("enabled".into(), json!(layer.enabled));
    object.insert("source".into(), json!(layer.source));
    object.insert("skip_by_name".into(), json!(layer.skip_by_name));
    object.insert("skip_by_type".into(), json!(layer.skip_by_type));
    object.insert("values".into(), layer.values.to_strict());
    for (key, value) in &layer.extra {
        object.insert((*key).into(), value.to_strict());
    }
    object.insert("because".into(), because.collect());
    object.insert("certainty".into(), certainty_json(layer.certainty, language));
    Value::Object(object)
}

/// `"known"`, or `{"assumed": what}`.
pub fn certainty_json(certainty: Certainty, language: Language) -> Value {
    match certainty {
        Certainty::Known => json!("known"),
        Certainty::Assumed(assumption) => json!({"assumed": assumption.text(language)}),
    }
}

/// A range for machines: lines (as LSP breaks them) and columns (code points) from 1, offsets in bytes.
pub fn json_range(text: &Buffer, range: TextRange) -> Value {
    let place = |offset| {
        let position = text.position_of(offset, Encoding::Utf32);
        json!({"line": position.line + 1, "column": position.character + 1, "offset": offset})
    };
    json!({"start": place(range.start), "end": place(range.end)})
}

/// The page that the command behind a lens shows.
pub fn markdown(snapshot: &Snapshot, refused: Option<&Refused>) -> Option<String> {
    let effective = snapshot.analysis().effective.as_ref()?;
    let language = snapshot.context().language;
    let mut page = language.pick("# Effective configuration\n\n", "# 实际生效的配置\n\n").to_owned();
    if let Some(Refused { kind, message }) = refused {
        let head = language.pick("AMCT refuses this file", "AMCT 会拒绝此文件");
        return Some(page + &format!("{head}: `{kind}: {message}`\n"));
    }
    if snapshot.context().layers.is_none() {
        page += language.pick(
            "There is no layer list, so this holds for the layers that the file mentions and one of every type.\n\n",
            "没有层列表，以下仅针对文件中提到的层以及每种类型各一层。\n\n",
        );
    }
    let cells = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    let header = header(language).map(str::to_owned);
    page += &cells(&header);
    page += &format!("|{}\n", "---|".repeat(header.len()));
    rows(effective, language).iter().for_each(|row| page += &cells(row));
    for layer in &effective.explanation().layers {
        page += &format!("\n## {}\n\n", layer.name);
        for reason in &layer.because {
            page += &format!("- {}\n", reason_text(snapshot, effective, reason, language));
        }
    }
    Some(page)
}

/// A reason with its line.
pub fn reason_text(
    snapshot: &Snapshot,
    effective: &Effective,
    reason: &Reason,
    language: Language,
) -> String {
    let message = reason.kind.message(language);
    match reason_line(snapshot, effective, reason) {
        Some(line) => language.pick(format!("{message} (line {line})"), format!("{message}（第 {line} 行）")),
        None => message,
    }
}

/// The line of a reason, from 1.
pub(super) fn reason_line(snapshot: &Snapshot, effective: &Effective, reason: &Reason) -> Option<usize> {
    let place = reason.place?;
    Some(snapshot.text.line_of(effective.anchor(place).start) + 1)
}
