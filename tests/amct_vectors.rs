//! The engines give what AMCT gives: output, errors, warnings and provenance of every vector.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod amct_support;
mod common;

use std::collections::BTreeSet;

use quantcfg::amct::qat::{self, Framework, Network};
use quantcfg::inventory::{self, LayerList};
use quantcfg::language::Language;
use serde_json::Value;

#[test]
fn qat_vectors() {
    check("effective.jsonl.gz", 996);
}

#[test]
fn qat_files_that_are_meant_for_pruning() {
    check("effective_wrong_entry.jsonl.gz", 127);
}

fn check(file: &str, count: usize) {
    let rows = common::vectors(file);
    assert_eq!(rows.len(), count);
    let wrong: Vec<_> =
        rows.iter().filter_map(|row| Some(format!("{} {}", row["id"], disagreement(row)?))).collect();
    assert!(wrong.is_empty(), "{} of {count} rows disagree:\n{}", wrong.len(), wrong.join("\n"));
}

/// How our answer differs from AMCT's.
fn disagreement(row: &Value) -> Option<String> {
    let framework = match row["dialect"].as_str().unwrap() {
        "mindspore-qat" => Framework::MindSpore,
        "pytorch-qat" => Framework::PyTorch,
        other => panic!("no engine for {other}"),
    };
    // Such rows depend on the release of protobuf or on Python's hashes.
    let is_loose =
        ["hash_order_dependent", "protobuf_version_dependent"].iter().any(|&flag| row[flag] == true);
    let error = |type_name: &str, message: &str| {
        let wanted = &row["error"];
        let is_same = wanted["type"] == type_name && wanted["message"] == message;
        match row["ok"] == true || !is_same && !is_loose {
            true => Some(format!("raises {type_name}: {message}, AMCT: {wanted}")),
            false => None,
        }
    };
    let (config, _) = match amct_support::bind(framework, row["cfg"].as_str().unwrap()) {
        Ok(bound) => bound,
        Err(refused) => return error(refused.kind.name(), &refused.python_text()),
    };
    let network = Network::of_list(&layers(row), framework);
    let explanation = qat::explain(&config, &network);
    for finding in &explanation.findings {
        assert!(
            !finding.message(Language::English).is_empty() && !finding.message(Language::Chinese).is_empty()
        );
    }
    let warnings: BTreeSet<_> = explanation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let wanted: BTreeSet<_> =
        row["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !is_loose && warnings != wanted {
        return Some(format!("warns {warnings:?}, AMCT: {wanted:?}"));
    }
    if let Some(refusal) = &explanation.error {
        return error(refusal.error.type_name, &refusal.error.message);
    }
    if row["ok"] != true {
        return Some(format!("accepts, AMCT: {}", row["error"]));
    }
    if explanation.output.as_deref() != row["output"].as_str() {
        return Some(format!("writes {:?}", explanation.output));
    }
    explanation.layers.iter().find_map(|layer| {
        let provenance = &row["provenance"][&layer.name];
        let wanted = if provenance["quant"].is_object() { &provenance["quant"] } else { provenance };
        let is_same = wanted["source"] == layer.source
            && wanted["skip_by_name"] == layer.skip_by_name
            && wanted["skip_by_type"] == layer.skip_by_type;
        (!is_same).then(|| format!("{layer:?}, AMCT: {wanted}"))
    })
}

/// The layers of a row; a list file cannot be empty, a network of the vectors can.
fn layers(row: &Value) -> LayerList {
    if row["layers"] == Value::Array(Vec::new()) {
        return LayerList { layers: Vec::new(), complete: true };
    }
    inventory::json::read(row["layers"].to_string().as_bytes()).unwrap()
}
