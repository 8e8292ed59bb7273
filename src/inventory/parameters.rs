//! What the parameters of a layer tell about it: its name is theirs without the last part, and their shapes give its
//! type away, mostly.

use std::collections::{HashMap, HashSet};

use super::Layer;

/// A parameter of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) shape: Vec<i64>,
}

/// What is known of a layer from its parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) weight: Option<Vec<i64>>,
    pub(super) has_bias: bool,
    parts: HashSet<String>,
}

impl Known {
    /// A convolution of one input channel a group.
    pub(super) fn is_depthwise(&self) -> bool {
        self.weight.as_ref().is_some_and(|shape| shape.len() >= 4 && shape[1] == 1)
    }

    /// Weights along an odd number of channels cannot be packed in pairs.
    pub(super) fn is_packable(&self) -> bool {
        self.weight.as_ref().is_none_or(|shape| shape.len() < 3 || shape[1] % 2 == 0)
    }

    /// The class that such parameters belong to, in MindSpore's names.
    pub(super) fn class(&self) -> Option<&'static str> {
        let has = |part: &str| self.parts.contains(part);
        match &self.weight {
            Some(shape) if shape.len() == 4 => Some("Conv2d"),
            Some(shape) if shape.len() == 5 => Some("Conv3d"),
            Some(shape) if shape.len() == 2 => Some("Dense"),
            _ if has("moving_mean") || has("running_mean") => Some("BatchNorm2d"),
            _ if has("gamma") && has("beta") => Some("LayerNorm"),
            _ if has("embedding_table") => Some("Embedding"),
            _ => None,
        }
    }
}

/// Layers by name, in the order of their first parameters.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) order: Vec<String>,
    known: HashMap<String, Known>,
}

impl Parameters {
    pub(super) fn of(parameters: Vec<Parameter>) -> Self {
        let names: HashSet<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let mut all = Self::default();
        for Parameter { name, shape } in parameters {
            // An optimiser keeps values a parameter of its own, such as `moment1.conv1.weight`.
            let is_state = name.split_once('.').is_some_and(|(_, rest)| names.contains(rest));
            let Some((layer, part)) = name.rsplit_once('.').filter(|_| !is_state) else { continue };
            if !all.known.contains_key(layer) {
                all.order.push(layer.to_owned());
            }
            let known = all.known.entry(layer.to_owned()).or_default();
            match part {
                "weight" => known.weight = Some(shape),
                "bias" => known.has_bias = true,
                _ => {}
            }
            known.parts.insert(part.to_owned());
        }
        all
    }

    pub(super) fn find(&self, layer: &str) -> Option<&Known> {
        self.known.get(layer)
    }
}

/// A layer of a class; what its parameters tell is filled in.
pub(super) fn layer(name: &str, class: Option<&str>, known: Option<&Known>) -> Layer {
    let mut layer = Layer::new(name, class);
    let is_convolution = class.is_some_and(|class| class.starts_with("Conv"));
    if let Some(known) = known {
        layer.depthwise = is_convolution && known.is_depthwise();
        layer.int4_packable = !is_convolution || known.is_packable();
        layer.bias = known.has_bias || !matches!(class, Some("Dense" | "Linear"));
    }
    layer
}
