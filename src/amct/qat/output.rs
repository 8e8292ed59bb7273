//! The keys that AMCT's JSON begins with.

use super::engine::Resolution;
use super::model::{Block, Config};
use super::network::{Framework, LayerType, Network};
use super::values::{Values, entry};
use crate::amct::json::Json;

/// The keys before the layers (section 7). Meaningful when AMCT raises nothing and every layer is determined.
pub fn global_keys(config: &Config, network: &Network, resolution: &Resolution) -> Vec<(String, Json)> {
    let mut keys = vec![entry("version", Json::Int(1))];
    let lost = |name: &str| {
        let mut decided = network.layers.iter().zip(&resolution.layers);
        let (layer, _) = decided.find(|(layer, resolved)| {
            layer.name == name && resolved.decision.as_ref().is_some_and(|decision| decision.lost)
        })?;
        Some(lost_layer(network.framework, layer.layer_type))
    };
    if network.framework == Framework::PyTorch {
        let mode = config.fakequant_precision_mode.as_ref().map(|mode| Json::string(mode.value.as_str()));
        keys.extend(
            lost("fakequant_precision_mode").or(mode).map(|value| entry("fakequant_precision_mode", value)),
        );
        if resolution.abilities.quant {
            let batch_num = config.batch_num.as_ref().map_or(1, |batch_num| batch_num.value as i64);
            keys.push(entry("batch_num", lost("batch_num").unwrap_or(Json::Int(batch_num))));
        }
    }
    keys
}

/// What AMCT writes in the place of a global key that has taken a layer's entry: the layer switched off, with the
/// defaults of every part, those of pruning too.
fn lost_layer(framework: Framework, layer_type: Option<LayerType>) -> Json {
    let values = Values::of_block(&Block::default(), framework, layer_type);
    let Json::Object(mut keys) = values.to_json(framework, false) else { return Json::Null };
    keys.push(entry("regular_prune_enable", Json::Bool(true)));
    keys.push(entry(
        "regular_prune_config",
        Json::Object(vec![
            entry("prune_type", Json::string("no_prune_enable")),
            entry("algo", Json::Null),
            entry("prune_ratio", Json::Null),
            entry("ascend_optimized", Json::Bool(true)),
            entry("n_out_of_m_type", Json::Null),
            entry("update_freq", Json::Null),
        ]),
    ));
    Json::Object(keys)
}
