//! The text vectors: the loader's verdict, place, words and values are AMCT's, and the tolerant tree agrees with them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use quantcfg::Language;
use quantcfg::analysis::{Severity, Subject, analyse};
use quantcfg::loader::{self, LoadError};
use quantcfg::schema::file;
use quantcfg::schema::model::{Field, FieldKind, MessageId, Scalar, Schema};
use quantcfg::schema::value::{MessageValue, Value, ValueKind};
use quantcfg::syntax::tree::Tree;
use serde_json::{Map, Value as Json, json};

fn schemas() -> HashMap<&'static str, Arc<Schema>> {
    [("retrain", "AMCTMindsporeProto.AMCTRetrainConfig"), ("generic", "gen.All"), ("generic3", "gen3.P3")]
        .into_iter()
        .map(|(name, root)| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/vectors/{name}.proto"));
            let loaded = file::load(&path, root)
                .unwrap_or_else(|error| panic!("{}", error.message(Language::English)));
            (name, loaded.schema)
        })
        .collect()
}

fn rows() -> Vec<Json> {
    let mut rows = common::vectors("text_format.jsonl.gz");
    rows.extend(common::vectors("mutations.jsonl.gz"));
    rows
}

#[test]
fn the_loader_speaks_as_python_does() {
    let schemas = schemas();
    let mut wrong = Vec::new();
    for row in rows() {
        let bytes = common::bytes(&row);
        let schema = &schemas[row["schema"].as_str().unwrap()];
        let shown = format!("{} {:?}", row["id"], String::from_utf8_lossy(&bytes));
        match loader::load(&bytes, schema) {
            Ok(_) if row["ok"] == false => wrong.push(format!("{shown}: accepted, but {}", row["error"])),
            Err(error) if row["ok"] == true => wrong.push(format!("{shown}: refused with {error:?}")),
            Err(error) => {
                let LoadError { line, column, message, .. } = error;
                let expected = &row["error"];
                let place = (json!(line), json!(column));
                if expected["message"] != message
                    || (!expected["line"].is_null()
                        && place != (expected["line"].clone(), expected["column"].clone()))
                {
                    wrong.push(format!("{shown}: {line:?}:{column:?} {message:?}, but {expected}"));
                }
            }
            Ok(value) => {
                let value = message_json(schema, &value);
                if row["parsed"].is_object() && value != row["parsed"] {
                    wrong.push(format!("{shown}: {value}, but {}", row["parsed"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Two runs of the same text through both readers: an error about the text if and only if the loader refuses.
#[test]
fn the_tree_has_an_error_if_and_only_if_the_loader_refuses() {
    let schemas = schemas();
    let mut wrong = Vec::new();
    for row in rows() {
        let Ok(text) = String::from_utf8(common::bytes(&row)) else { continue };
        let schema = &schemas[row["schema"].as_str().unwrap()];
        let analysis = analyse(&Tree::parse(&text), &Subject::of(schema));
        let errors: Vec<_> =
            analysis.diagnostics.iter().filter(|finding| finding.severity == Severity::Error).collect();
        let loads = loader::load(text.as_bytes(), schema);
        if errors.is_empty() != loads.is_ok() {
            wrong.push(format!("{} {text:?}: {loads:?}, but {errors:?}", row["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn message_json(schema: &Schema, value: &MessageValue) -> Json {
    let message = schema.message(value.message);
    let mut object = Map::new();
    for set in &value.fields {
        let field = message.field(set.field);
        let key = match () {
            () if field.is_group => field.name.to_ascii_lowercase(),
            () if field.full_name == field.name => field.name.clone(),
            () => format!("[{}]", field.full_name),
        };
        let mut values = set.values.iter().map(|value| value_json(schema, field, value));
        let value = match field.message().filter(|&id| schema.message(id).is_map_entry) {
            Some(entry) => map_json(schema, entry, &set.values),
            None if field.is_repeated() => values.collect(),
            None => values.next().unwrap(),
        };
        object.insert(key, value);
    }
    Json::Object(object)
}

fn value_json(schema: &Schema, field: &Field, value: &Value) -> Json {
    let float = |value: f64| match value {
        value if value.is_nan() => json!("nan"),
        value if value.is_infinite() => json!(if value > 0.0 { "inf" } else { "-inf" }),
        value => json!(value),
    };
    match &value.kind {
        ValueKind::Bool(value) => json!(value),
        ValueKind::Int(value) => json!(value),
        ValueKind::Uint(value) => json!(value),
        ValueKind::Float(value) => float(f64::from(*value)),
        ValueKind::Double(value) => float(*value),
        ValueKind::String(value) => json!(value),
        ValueKind::Bytes(value) => {
            json!({"hex": value.iter().map(|byte| format!("{byte:02x}")).collect::<String>()})
        }
        ValueKind::Enum(number) => match field.kind {
            FieldKind::Enum(id) => {
                let name = schema.enumeration(id).values.iter().find(|value| value.number == *number);
                name.map_or(json!(number), |value| json!(value.name))
            }
            _ => json!(number),
        },
        ValueKind::Message(value) => message_json(schema, value),
        // The encoded bytes, which the vectors show, are those of `gen.Leaf { v: N }`.
        ValueKind::Packed(value) => json!({"hex": encoded_leaf(schema, value)}),
    }
}

/// A map: keys as text, defaults filled in.
fn map_json(schema: &Schema, entry: MessageId, values: &[Value]) -> Json {
    let mut object = Map::new();
    let entry = schema.message(entry);
    for value in values {
        let ValueKind::Message(value) = &value.kind else { unreachable!("map entries are messages") };
        let part = |name| {
            let (_, field) = entry.find(name).unwrap();
            match value.get_one(schema, name) {
                Some(value) => value_json(schema, field, value),
                None => match field.kind {
                    FieldKind::Message(_) => json!({}),
                    FieldKind::Scalar(Scalar::String) => json!(""),
                    FieldKind::Scalar(Scalar::Bool) => json!(false),
                    FieldKind::Enum(id) => json!(schema.enumeration(id).values[0].name),
                    _ => json!(0),
                },
            }
        };
        let key = match part("key") {
            Json::String(key) => key,
            other => other.to_string(),
        };
        object.insert(key, part("value"));
    }
    Json::Object(object)
}

fn encoded_leaf(schema: &Schema, leaf: &MessageValue) -> String {
    match leaf.get_one(schema, "v").map(|value| &value.kind) {
        Some(ValueKind::Int(number @ 0..128)) => format!("08{number:02x}"),
        None => String::new(),
        Some(other) => panic!("the vectors hold no {other:?}"),
    }
}
