//! The pruning of a layer in AMCT's JSON, in words, and the reasons for it.

use super::engine::{PruneDecision, Source};
use super::model::{Config, Override, Pruner};
use super::values::entry;
use crate::amct::json::Json;
use crate::amct::place::Placed;
use crate::amct::reason::{Reason, ReasonKind};
use crate::language::Language;
use crate::python;

/// The keys that pruning adds to the object of a layer (amct-semantics-prune.md section 8).
pub fn to_json(decision: &PruneDecision, config: &Config) -> Vec<(String, Json)> {
    let parameters = match decision.pruner(config) {
        Some(Pruner::Filter { balanced, .. }) => {
            let ratio = balanced.as_ref().and_then(|balanced| balanced.prune_ratio.as_ref());
            let optimized = balanced.as_ref().and_then(|balanced| balanced.ascend_optimized.as_ref());
            vec![
                entry("prune_type", Json::string("filter_prune")),
                entry("algo", Json::string("balanced_l2_norm_filter_prune")),
                entry("prune_ratio", ratio.map_or(Json::Null, |ratio| Json::shortest(ratio.value))),
                entry("ascend_optimized", Json::Bool(optimized.is_none_or(|value| value.value))),
            ]
        }
        Some(Pruner::Selective { l1, .. }) => {
            let frequency = l1.as_ref().and_then(|l1| l1.update_freq.as_ref()).map_or(0, |f| f.value);
            vec![
                entry("prune_type", Json::string("selective_prune")),
                entry("algo", Json::string("l1_selective_prune")),
                entry("n_out_of_m_type", Json::string("M4N2")),
                entry("update_freq", Json::Int(frequency as i64)),
            ]
        }
        None => Vec::new(),
    };
    vec![
        entry("regular_prune_enable", Json::Bool(decision.enabled)),
        entry("regular_prune_config", Json::Object(parameters)),
    ]
}

/// The decision for `explain --format json`.
pub fn provenance(decision: &PruneDecision) -> Json {
    Json::Object(vec![
        entry("enabled", Json::Bool(decision.enabled)),
        entry("source", Json::string(decision.source.name())),
        entry("skip_by_name", Json::Bool(decision.skip_by_name)),
        entry("skip_by_type", Json::Bool(decision.skip_by_type)),
    ])
}

/// The parameters in short, such as `prune_ratio 0.3`.
pub fn brief(pruner: Option<&Pruner>, language: Language) -> String {
    match pruner {
        Some(Pruner::Filter { balanced, .. }) => {
            let ratio = balanced.as_ref().and_then(|balanced| balanced.prune_ratio.as_ref());
            let ratio = ratio.map_or_else(|| "?".to_owned(), |ratio| shortest(ratio.value));
            language.pick(format!("filters pruned by {ratio}"), format!("滤波器稀疏 {ratio}"))
        }
        Some(Pruner::Selective { .. }) => {
            language.pick("2 of 4 weights pruned", "每 4 个权重稀疏 2 个").to_owned()
        }
        None => language.pick("not pruned", "不稀疏").to_owned(),
    }
}

/// Why a layer is pruned as it is.
pub fn reasons(
    decision: &PruneDecision,
    config: &Config,
    layer: &str,
    layer_type: Option<&str>,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut add = |kind: ReasonKind, place| {
        reasons.push(Reason { kind: ReasonKind::Pruning(Box::new(kind)), place: Some(place) });
    };
    match decision.source.entry(config) {
        Some(entry) => {
            let (field, key) = (decision.source.name(), entry.key().to_owned());
            add(ReasonKind::Override { field, key }, entry.key_place());
        }
        None => {
            if let Some(entry) = bare_override(config, layer, layer_type) {
                let key = entry.key().to_owned();
                add(ReasonKind::PrunerFromRoot { key }, entry.key_place());
            }
            if let Some(prune) = &config.global.prune {
                add(ReasonKind::Global { field: "prune_config" }, prune.place);
            }
        }
    }
    let lists = [
        ("skip_layers", &config.skip_layers, Some(layer)),
        ("regular_prune_skip_layers", &config.regular_prune_skip_layers, Some(layer)),
        ("skip_layer_types", &config.skip_layer_types, layer_type),
        ("regular_prune_skip_types", &config.regular_prune_skip_types, layer_type),
    ];
    for (list, items, wanted) in lists {
        for item in items.iter().filter(|item| Some(item.value.as_str()) == wanted) {
            let kind = match decision.source {
                Source::Global => ReasonKind::Skipped { list, item: item.value.clone() },
                _ => ReasonKind::SkipWins { list, item: item.value.clone() },
            };
            add(kind, item.place);
        }
    }
    match decision.pruner(config) {
        Some(Pruner::Filter { balanced: Some(balanced), .. }) => {
            let mut set = |field, value: String, place| add(ReasonKind::Set { field, value }, place);
            if let Some(Placed { value, place }) = &balanced.prune_ratio {
                set("prune_ratio", shortest(*value), *place);
            }
            if let Some(Placed { value, place }) = &balanced.ascend_optimized {
                set("ascend_optimized", value.to_string(), *place);
            }
        }
        Some(Pruner::Selective { l1: Some(l1), .. }) => {
            if let Some(Placed { value, place }) = &l1.update_freq {
                add(ReasonKind::Set { field: "update_freq", value: value.to_string() }, *place);
            }
        }
        _ => {}
    }
    reasons
}

/// The override that fits the layer and does not say how to prune it.
fn bare_override<'a>(config: &'a Config, layer: &str, layer_type: Option<&str>) -> Option<&'a Override> {
    let by_name = config.by_name.iter().rfind(|entry| entry.key() == layer);
    let by_type = || config.by_type.iter().rfind(|entry| Some(entry.key()) == layer_type);
    by_name.or_else(by_type).filter(|entry| entry.block.pruner().is_none())
}

fn shortest(value: f32) -> String {
    match Json::shortest(value) {
        Json::Float(value) => python::float_repr(value),
        _ => String::new(),
    }
}
