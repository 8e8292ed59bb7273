//! The effective parameters of a layer: what the block that decides it says, and AMCT's defaults for the rest.

use super::model::{Block, DataType, WeightAlgorithmKind};
use super::network::{Framework, LayerType};
use crate::amct::json::Json;

/// The parameters of a layer, defaults filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values {
    /// `clip_max` and `clip_min`; `None`: AMCT finds them from data (IFMR).
    pub clip: Option<(f32, f32)>,
    /// `fixed_min`; `None`: AMCT decides from the graph, true after a ReLU, else false.
    pub fixed_min: Option<bool>,
    /// The algorithm for weights; that for data is always `ulq_quantize`.
    pub weight_algorithm: WeightAlgorithmKind,
    /// One factor a channel.
    pub channel_wise: bool,
    /// What data is quantised to.
    pub data_type: DataType,
    /// What weights are quantised to.
    pub weight_type: DataType,
}

impl Values {
    /// The parameters that a block gives a layer of some type, a convolution when it is not known. Nothing is
    /// inherited from another block (section 3).
    pub fn of_block(block: &Block, framework: Framework, layer_type: Option<LayerType>) -> Self {
        let ulq = block.ulq();
        let weight = block.weight_algorithm();
        let clip = ulq.and_then(|ulq| ulq.clip.as_ref());
        let channel_wise = weight.and_then(|weight| weight.channel_wise.as_ref());
        Self {
            clip: clip.and_then(|clip| Some((clip.max.as_ref()?.value, clip.min.as_ref()?.value))),
            fixed_min: ulq.and_then(|ulq| ulq.fixed_min.as_ref()).map(|value| value.value),
            weight_algorithm: weight.map(|weight| weight.kind).unwrap_or_default(),
            channel_wise: match channel_wise {
                Some(explicit) => explicit.value,
                None => !layer_type.is_some_and(|layer_type| framework.is_fully_connected(layer_type)),
            },
            data_type: ulq.and_then(|ulq| ulq.dst_type.as_ref()).map(|value| value.value).unwrap_or_default(),
            weight_type: weight
                .and_then(|w| w.dst_type.as_ref())
                .map(|value| value.value)
                .unwrap_or_default(),
        }
    }

    /// The layer's object as AMCT writes it (section 7).
    pub fn to_json(&self, framework: Framework, enabled: bool) -> Json {
        let mut data = vec![entry("algo", Json::string("ulq_quantize"))];
        if let Some((max, min)) = self.clip {
            data.push(entry("clip_max", Json::Float(f64::from(max))));
            data.push(entry("clip_min", Json::Float(f64::from(min))));
        }
        data.extend(self.fixed_min.map(|value| entry("fixed_min", Json::Bool(value))));
        let channel_wise = entry("channel_wise", Json::Bool(self.channel_wise));
        let algo = entry("algo", Json::string(self.weight_algorithm.name()));
        let mut weight = vec![algo, channel_wise];
        if framework.writes_dst_type() {
            data.push(entry("dst_type", Json::string(self.data_type.name())));
            let at = match self.weight_algorithm {
                WeightAlgorithmKind::Arq => 2,
                WeightAlgorithmKind::Ulq => 1,
            };
            weight.insert(at, entry("dst_type", Json::string(self.weight_type.name())));
        }
        Json::Object(vec![
            entry("retrain_enable", Json::Bool(enabled)),
            entry("retrain_data_config", Json::Object(data)),
            entry("retrain_weight_config", Json::Object(weight)),
        ])
    }
}

pub(super) fn entry(key: &str, value: Json) -> (String, Json) {
    (key.to_owned(), value)
}
