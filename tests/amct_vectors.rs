//! The engines give what AMCT gives: output, errors, warnings and provenance of every vector.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use quantcfg::amct::auto_prune::{OverrideContent, OverrideFile};
use quantcfg::amct::{self, Certainty, Engine, Entry};
use quantcfg::inventory::{self, LayerList};
use quantcfg::language::Language;
use quantcfg::loader;
use quantcfg::schema::builtin::{self, Dialect};
use quantcfg::workspace::override_file;
use serde_json::Value;

#[test]
fn qat() {
    check("effective.jsonl.gz", 996);
}

#[test]
fn qat_files_that_are_meant_for_another_function() {
    check("effective_wrong_entry.jsonl.gz", 127);
}

#[test]
fn quantisation_and_pruning_in_one_file() {
    check("effective_compressed.jsonl.gz", 335);
}

#[test]
fn post_training_quantisation() {
    check("effective_ptq.jsonl.gz", 490);
}

#[test]
fn distillation() {
    check("effective_distill.jsonl.gz", 297);
}

#[test]
fn search_for_a_channel_pruning() {
    check("effective_auto_prune.jsonl.gz", 282);
}

#[test]
fn key_value_cache() {
    check("effective_kv.jsonl.gz", 360);
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
    let dialect = Dialect::from_name(row["dialect"].as_str().unwrap()).unwrap();
    let entry = row["entry"].as_str().and_then(Entry::from_name);
    let engine = Engine::of(dialect, entry).unwrap();
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
    let schema = builtin::schema(dialect);
    let value = match loader::load(row["cfg"].as_str().unwrap().as_bytes(), &schema) {
        Ok(value) => value,
        // AMCT hides where it cannot read this one; the command line knows the path that it names.
        Err(_) if dialect == Dialect::AutoChannelPrune => {
            let is_same = row["error"]["type"] == "RuntimeError";
            return (!is_same).then(|| format!("cannot be read, AMCT: {}", row["error"]));
        }
        Err(refused) => return error(refused.kind.name(), &refused.python_text()),
    };
    let folder = folder(row);
    let file = override_file::find(row["cfg"].as_str().unwrap(), &folder, Certainty::Known);
    let file = file.map(|file| in_folder(file, &folder));
    let (answer, _) = engine.answer(&value, &schema, Some(&layers(row)), file.as_ref());
    let explanation = amct::explanation(&*answer);
    for finding in &explanation.findings {
        assert!(
            !finding.message(Language::English).is_empty() && !finding.message(Language::Chinese).is_empty()
        );
    }
    let warnings: BTreeSet<_> = explanation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let wanted: BTreeSet<_> =
        row["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_logged = row["ok"] == true || row["warnings"].is_array();
    if !is_loose && is_logged && warnings != wanted {
        return Some(format!("warns {warnings:?}, AMCT: {wanted:?}"));
    }
    if let Some(refusal) = &explanation.error {
        return error(refusal.error.type_name, &refusal.error.message);
    }
    if row["ok"] != true {
        return Some(format!("accepts, AMCT: {}", row["error"]));
    }
    if explanation.output.as_deref() != row["output"].as_str() {
        return Some(format!("writes {:?}, AMCT: {}", explanation.output, row["output"]));
    }
    explanation.layers.iter().find_map(|layer| {
        let provenance = &row["provenance"][&layer.name];
        let extra: serde_json::Map<_, _> =
            layer.extra.iter().map(|(key, value)| ((*key).to_owned(), value.to_strict())).collect();
        let own = serde_json::json!({
            "enabled": layer.enabled,
            "source": layer.source,
            "skip_by_name": layer.skip_by_name,
            "skip_by_type": layer.skip_by_type,
        });
        let is_split = provenance["quant"].is_object() || provenance["prune"].is_object();
        let parts = [
            (&own, if is_split { &provenance["quant"] } else { provenance }),
            (&extra.get("prune").cloned().unwrap_or_default(), &provenance["prune"]),
        ];
        let is_same = parts.iter().all(|(have, wanted)| {
            ["enabled", "source", "skip_by_name", "skip_by_type"]
                .iter()
                .all(|&key| wanted[key].is_null() || have[key] == wanted[key])
        });
        (!is_same).then(|| format!("{layer:?}, AMCT: {provenance}"))
    })
}

/// The layers of a row; a list file cannot be empty, a network of the vectors can.
fn layers(row: &Value) -> LayerList {
    if row["layers"] == Value::Array(Vec::new()) {
        return LayerList { layers: Vec::new(), complete: true };
    }
    inventory::json::read(row["layers"].to_string().as_bytes()).unwrap()
}

/// A folder with the further files of a row.
fn folder(row: &Value) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors").join(row["id"].as_str().unwrap());
    if let Some(files) = row["files"].as_object() {
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.as_str().unwrap()).unwrap();
        }
    } else if row["dialect"] == "auto-channel-prune" {
        fs::create_dir_all(&folder).unwrap();
    }
    folder
}

/// The file with the folder called `<DIR>`, as the rows call it.
fn in_folder(file: OverrideFile, folder: &Path) -> OverrideFile {
    let hide = |text: String| text.replace(&folder.display().to_string(), "<DIR>");
    let content = match file.content {
        OverrideContent::Refused(kind, message) => OverrideContent::Refused(kind, hide(message)),
        content => content,
    };
    OverrideFile { shown: hide(file.shown), content, ..file }
}
