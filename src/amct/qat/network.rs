//! The layers of a network as the QAT engine sees them: which of them can be quantised, and of which type each is.

use std::collections::{HashMap, HashSet};

use super::model::Config;
use crate::amct::basis::Basis;
use crate::amct::certainty::{Assumption, Certainty};
use crate::amct::prune_kind::PruneKind;
use crate::inventory::{Layer, LayerList};

/// Whose schema a file follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// `mindspore-qat`
    MindSpore,
    /// `pytorch-qat`
    PyTorch,
}

impl Framework {
    /// The types that can be quantised, as a file spells them (amct-semantics.md A2 and section 4).
    pub const fn types(self) -> &'static [&'static str] {
        match self {
            Self::MindSpore => &["nn.Conv2D", "nn.Dense"],
            Self::PyTorch => {
                &["Conv1d", "Conv2d", "Conv3d", "Linear", "ConvTranspose2d", "LSTM", "GRU", "ConvTranspose1d"]
            }
        }
    }

    /// The type behind the name that a file uses. Exact: AMCT compares strings.
    pub fn find_type(self, name: &str) -> Option<LayerType> {
        self.types().iter().position(|&known| known == name).map(|index| LayerType(index as u8))
    }

    /// The spelling of a file for a type out of a layer list. Lists of MindSpore networks may also hold the names of
    /// the classes, with or without `nn.`.
    pub fn normalize_type(self, listed: &str) -> String {
        if self == Self::PyTorch {
            return listed.to_owned();
        }
        match listed.strip_prefix("nn.").unwrap_or(listed) {
            "Conv2d" | "Conv2D" => "nn.Conv2D".to_owned(),
            class => format!("nn.{class}"),
        }
    }

    /// The name of a type.
    pub fn type_name(self, layer_type: LayerType) -> &'static str {
        self.types()[usize::from(layer_type.0)]
    }

    /// True for fully connected layers: they cannot have one factor a channel (section 6).
    pub fn is_fully_connected(self, layer_type: LayerType) -> bool {
        matches!(self.type_name(layer_type), "nn.Dense" | "Linear")
    }

    /// True when AMCT maps the types of a file to types of its own, and refuses one by one those that it cannot map.
    pub const fn maps_types(self) -> bool {
        matches!(self, Self::MindSpore)
    }

    /// True when AMCT's JSON names the target type of numbers; MindSpore's does not (A3).
    pub const fn writes_dst_type(self) -> bool {
        matches!(self, Self::PyTorch)
    }
}

/// A type that can be quantised: its place in [`Framework::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerType(u8);

/// The quantisable layers of a network in its order.
#[derive(Clone, Debug)]
pub struct Network {
    /// Whose types these are.
    pub framework: Framework,
    /// Where the layers come from.
    pub basis: Basis,
    /// The layers.
    pub layers: Vec<NetworkLayer>,
    /// The layers that can be pruned, in AMCT's order: those that can lose filters come first.
    pub prunable: Vec<PrunableLayer>,
    by_name: HashMap<String, usize>,
    prunable_by_name: HashMap<String, usize>,
    others: HashMap<String, String>,
    types: HashSet<LayerType>,
}

/// A quantisable layer.
#[derive(Clone, Debug)]
pub struct NetworkLayer {
    /// Its name.
    pub name: String,
    /// Its type; `None` when the list does not tell.
    pub layer_type: Option<LayerType>,
    /// False: AMCT writes weight INT4 as INT8.
    pub int4_packable: bool,
    /// Whether name and type are certain.
    pub certainty: Certainty,
}

/// A layer that can be pruned.
#[derive(Clone, Debug)]
pub struct PrunableLayer {
    /// Its name.
    pub name: String,
    /// Its type; `None` when the list does not tell.
    pub layer_type: Option<LayerType>,
    /// It can lose filters; every one can lose single weights.
    pub has_filters: bool,
    /// Whether name and type are certain.
    pub certainty: Certainty,
}

impl Network {
    /// The network of a layer list.
    pub fn of_list(list: &LayerList, framework: Framework) -> Self {
        let basis = if list.complete { Basis::Complete } else { Basis::Incomplete };
        let mut network = Self::empty(framework, basis);
        list.layers.iter().for_each(|layer| network.add_listed(layer));
        if framework == Framework::PyTorch {
            let layers = list.layers.iter().filter_map(|layer| prunable_layer(layer, framework));
            network.set_prunable(layers.collect());
        }
        network
    }

    /// The network to judge a file by when there is no layer list: the layers that the file mentions, taken for
    /// convolutions because those allow every setting, and one layer of every type, named after it.
    pub fn supposed(config: &Config, framework: Framework) -> Self {
        let mut network = Self::empty(framework, Basis::Supposed);
        let convolution = match framework {
            Framework::MindSpore => "nn.Conv2D",
            Framework::PyTorch => "Conv2d",
        };
        let lists = [&config.skip_layers, &config.quant_skip_layers, &config.regular_prune_skip_layers];
        let skipped = lists.into_iter().flatten().map(|name| name.value.as_str());
        let overridden = config.by_name.iter().filter_map(|entry| entry.key.as_ref());
        for name in skipped.chain(overridden.map(|key| key.value.as_str())) {
            if !network.by_name.contains_key(name) {
                network.add(name, framework.find_type(convolution), true, Assumption::NoLayerList);
            }
        }
        for &type_name in framework.types() {
            let mut name = type_name.to_owned();
            while network.by_name.contains_key(&name) {
                name.push('_');
            }
            network.add(&name, framework.find_type(type_name), true, Assumption::NoLayerList);
        }
        if framework == Framework::PyTorch {
            let layers = network.layers.iter().filter_map(|layer| {
                let type_name = framework.type_name(layer.layer_type?);
                let has_filters = PruneKind::Filter.types().contains(&type_name);
                PruneKind::Selective.types().contains(&type_name).then(|| PrunableLayer {
                    name: layer.name.clone(),
                    layer_type: layer.layer_type,
                    has_filters,
                    certainty: layer.certainty,
                })
            });
            network.set_prunable(layers.collect());
        }
        network
    }

    fn set_prunable(&mut self, mut layers: Vec<PrunableLayer>) {
        layers.sort_by_key(|layer| !layer.has_filters);
        self.prunable_by_name =
            layers.iter().enumerate().map(|(index, layer)| (layer.name.clone(), index)).collect();
        self.prunable = layers;
    }

    /// The prunable layer of that name.
    pub fn find_prunable(&self, name: &str) -> Option<usize> {
        self.prunable_by_name.get(name).copied()
    }

    /// True when a layer of that name can be pruned in that way.
    pub fn can_prune(&self, name: &str, kind: PruneKind) -> bool {
        self.find_prunable(name).is_some_and(|index| self.prunable[index].allows(kind))
    }

    fn empty(framework: Framework, basis: Basis) -> Self {
        Self {
            framework,
            basis,
            layers: Vec::new(),
            prunable: Vec::new(),
            by_name: HashMap::new(),
            prunable_by_name: HashMap::new(),
            others: HashMap::new(),
            types: HashSet::new(),
        }
    }

    fn add_listed(&mut self, layer: &Layer) {
        let type_name = layer.type_name.as_deref().map(|name| self.framework.normalize_type(name));
        let layer_type = type_name.as_deref().and_then(|name| self.framework.find_type(name));
        // PyTorch's graph check drops modules that are called more than once (amct-semantics-prune.md A2).
        let is_reused = layer.reused && self.framework == Framework::PyTorch;
        let is_quantizable =
            layer.quantizable != Some(false) && !is_reused && (layer_type.is_some() || type_name.is_none());
        if !is_quantizable {
            self.others.insert(layer.name.clone(), type_name.unwrap_or_default());
        } else if layer.inferred {
            self.add(&layer.name, layer_type, layer.int4_packable, Assumption::InferredType);
        } else {
            self.add(&layer.name, layer_type, layer.int4_packable, None);
        }
    }

    fn add(
        &mut self,
        name: &str,
        layer_type: Option<LayerType>,
        int4_packable: bool,
        assumption: impl Into<Option<Assumption>>,
    ) {
        let certainty = assumption.into().map_or(Certainty::Known, Certainty::Assumed);
        self.by_name.insert(name.to_owned(), self.layers.len());
        self.types.extend(layer_type);
        self.layers.push(NetworkLayer { name: name.to_owned(), layer_type, int4_packable, certainty });
    }

    /// The quantisable layer of that name.
    pub fn find(&self, name: &str) -> Option<&NetworkLayer> {
        self.by_name.get(name).map(|&index| &self.layers[index])
    }

    /// The type of a layer that exists but cannot be quantised.
    pub fn other_type(&self, name: &str) -> Option<&str> {
        self.others.get(name).map(String::as_str)
    }

    /// True when some layer has that type.
    pub fn has_type(&self, layer_type: LayerType) -> bool {
        self.types.contains(&layer_type)
    }

    /// How certain it is that a layer which is not here does not exist.
    pub fn absence(&self) -> Certainty {
        self.basis.absence()
    }
}

impl PrunableLayer {
    /// True when it can be pruned in that way.
    pub fn allows(&self, kind: PruneKind) -> bool {
        self.has_filters || kind == PruneKind::Selective
    }
}

/// A layer of a list as pruning sees it (amct-semantics-prune.md A1 and A2).
fn prunable_layer(layer: &Layer, framework: Framework) -> Option<PrunableLayer> {
    let type_name = layer.type_name.as_deref();
    let fits = |kind: PruneKind| type_name.is_none_or(|name| kind.types().contains(&name));
    let is_prunable = layer.prunable != Some(false) && !layer.reused && fits(PruneKind::Selective);
    is_prunable.then(|| PrunableLayer {
        name: layer.name.clone(),
        layer_type: type_name.and_then(|name| framework.find_type(name)),
        has_filters: fits(PruneKind::Filter) && !layer.depthwise,
        certainty: match (layer.inferred, type_name) {
            (false, Some(_)) => Certainty::Known,
            _ => Certainty::Assumed(Assumption::InferredType),
        },
    })
}
