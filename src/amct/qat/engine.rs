//! Resolves a configuration against a network as `create_quant_retrain_config` does: which block decides each layer,
//! and every error and warning in AMCT's order. Section numbers are those of amct-semantics.md.

use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};

use super::model::{Block, Clip, Config, DataType, Override, PrunePart, Pruner};
use super::network::{Basis, LayerType, Network, NetworkLayer};
use super::values::Values;
use crate::amct::certainty::{Assumption, Certainty};
use crate::amct::place::{Place, Placed};
use crate::amct::refusal::{AmctError, Cause, Refusal, Warning};
use crate::amct::repeats::Repeats;

/// What AMCT makes of a configuration and a network.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// The quantisable layers in network order, one for each of [`Network::layers`].
    pub layers: Vec<ResolvedLayer>,
    /// AMCT's warnings, each once, in order, up to its first error.
    pub warnings: Vec<Warning>,
    /// Why AMCT refuses the file, in its order. Not every one is certain.
    pub refusals: Vec<Refusal>,
    /// Which of the refusals AMCT raises.
    pub raised: Option<usize>,
}

impl Resolution {
    /// What AMCT raises, if it does.
    pub fn error(&self) -> Option<&Refusal> {
        self.raised.map(|index| &self.refusals[index])
    }

    /// The layers whose values depend on a type that is not known.
    pub fn undetermined<'a>(&'a self, network: &'a Network) -> impl Iterator<Item = &'a NetworkLayer> {
        let layers = self.layers.iter().zip(&network.layers);
        layers.filter(|(resolved, _)| resolved.decision.is_none()).map(|(_, layer)| layer)
    }
}

/// A layer after resolution.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedLayer {
    /// What was decided; `None` when it depends on the layer's type and that is not known.
    pub decision: Option<Decision>,
    /// Whether the decision is certain.
    pub certainty: Certainty,
}

/// What was decided about a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The block that decides it.
    pub source: Source,
    /// Whether it is quantised.
    pub enabled: bool,
    /// Its name stands in `skip_layers` or `quant_skip_layers`, with or without effect.
    pub skip_by_name: bool,
    /// Its type stands in `skip_layer_types` or `quant_skip_types`, with or without effect.
    pub skip_by_type: bool,
    /// Its parameters.
    pub values: Values,
    /// Weight INT4 was asked for and cannot be packed, so that INT8 is written.
    pub downgraded: bool,
    /// A global key of AMCT's JSON has taken the layer's place; what is written there is a disabled layer (section 9).
    pub lost: bool,
}

/// Which block decides a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The entry of that index in `override_layer_configs`.
    ByName(usize),
    /// The entry of that index in `override_layer_types`.
    ByType(usize),
    /// The blocks at the root, or AMCT's defaults where there are none.
    Global,
}

impl Source {
    /// The deciding field as the schema spells it, or `global`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByName(_) => "override_layer_configs",
            Self::ByType(_) => "override_layer_types",
            Self::Global => "global",
        }
    }

    /// The override, if it is one.
    pub fn entry(self, config: &Config) -> Option<&Override> {
        match self {
            Self::ByName(index) => config.by_name.get(index),
            Self::ByType(index) => config.by_type.get(index),
            Self::Global => None,
        }
    }

    /// The block.
    pub fn block(self, config: &Config) -> &Block {
        self.entry(config).map_or(&config.global, |entry| &entry.block)
    }
}

/// Computes what AMCT computes.
pub fn resolve(config: &Config, network: &Network) -> Resolution {
    let mut run = Run::new(config, network);
    run.check_layers_exist();
    run.check_pruning_fields();
    run.check_global_skips();
    run.check_quantization_fields();
    run.read_block(&config.global, Certainty::Known, None);
    let layers = run.decide_layers();
    run.build(&layers);
    let mut resolution = Resolution { layers, ..run.result };
    pack_int4(config, network, &mut resolution);
    resolution
}

struct Run<'a> {
    config: &'a Config,
    network: &'a Network,
    names: HashMap<&'a str, usize>,
    types: HashMap<LayerType, usize>,
    skipped_names: HashSet<&'a str>,
    skipped_types: HashSet<LayerType>,
    /// Refusals that concern layers, by place and kind, so that one block that fails for many layers is one refusal.
    by_place: HashMap<(Place, Discriminant<Cause>), usize>,
    result: Resolution,
}

/// How AMCT refuses an unknown type.
#[derive(Clone, Copy)]
enum TypeCheck {
    /// MindSpore: mapped to the types of the engine one by one.
    Mapped,
    /// PyTorch: the whole list against the supported types, with this text.
    Listed(&'static str),
}

impl<'a> Run<'a> {
    fn new(config: &'a Config, network: &'a Network) -> Self {
        let framework = network.framework;
        let types = config.by_type.iter().enumerate();
        let skipped_types = config.skip_layer_types.iter().chain(&config.quant_skip_types);
        let skipped_names = config.skip_layers.iter().chain(&config.quant_skip_layers);
        Self {
            config,
            network,
            names: config.by_name.iter().enumerate().map(|(index, entry)| (entry.key(), index)).collect(),
            types: types
                .filter_map(|(index, entry)| Some((framework.find_type(entry.key())?, index)))
                .collect(),
            skipped_names: skipped_names.map(|name| name.value.as_str()).collect(),
            skipped_types: skipped_types.filter_map(|name| framework.find_type(&name.value)).collect(),
            by_place: HashMap::new(),
            result: Resolution::default(),
        }
    }

    fn refuse(&mut self, message: impl Into<String>, cause: Cause, place: Place, certainty: Certainty) {
        self.push(Refusal {
            error: AmctError::value_error(message),
            cause,
            place,
            related: Vec::new(),
            layers: Vec::new(),
            certainty,
        });
    }

    fn push(&mut self, refusal: Refusal) {
        // A list that may be incomplete proves nothing: what it makes doubtful does not stop AMCT here.
        let raises = self.network.basis != Basis::Incomplete || refusal.certainty.is_known();
        if raises && self.result.raised.is_none() {
            self.result.raised = Some(self.result.refusals.len());
        }
        self.result.refusals.push(refusal);
    }

    /// A refusal that AMCT raises for a layer; one for all layers at the same place.
    fn refuse_layer(
        &mut self,
        error: AmctError,
        cause: Cause,
        place: Place,
        layer: Option<&str>,
        certainty: Certainty,
    ) {
        let key = (place, discriminant(&cause));
        if let Some(&index) = self.by_place.get(&key) {
            let refusal = &mut self.result.refusals[index];
            refusal.layers.extend(layer.map(str::to_owned));
            if certainty.is_known() {
                refusal.certainty = certainty;
            }
            return;
        }
        self.by_place.insert(key, self.result.refusals.len());
        let layers = layer.map(str::to_owned).into_iter().collect();
        self.push(Refusal { error, cause, place, related: Vec::new(), layers, certainty });
    }

    fn warn_repeats(&mut self, list: &str, items: &[Placed<String>]) {
        let repeats = Repeats::find(items);
        if repeats.is_empty() || self.result.raised.is_some() {
            return;
        }
        let items = repeats.python_list();
        self.result.warnings.push(Warning {
            message: format!("Please delete repeated items in {list}, repeated items are {items} "),
            places: repeats.surplus(),
        });
    }

    /// Section 2, step 2.
    fn check_layers_exist(&mut self) {
        if self.network.layers.is_empty() {
            let absence = self.network.absence();
            let message = "Quant supported layer cannot be empty.";
            self.refuse(message, Cause::NoQuantizableLayer, Place::FILE, absence);
        }
    }

    /// Section 8. The check of overrides by type is missing in AMCT, which looks at those by name twice.
    fn check_pruning_fields(&mut self) {
        let config = self.config;
        let pruned = |part: &Option<PrunePart>| part.as_ref().filter(|p| p.pruner.is_some()).map(|p| p.place);
        let first = |list: &[Placed<String>]| list.first().map(|item| item.place);
        let at_root = [
            ("prune_config", pruned(&config.global.prune)),
            ("regular_prune_skip_layers", first(&config.regular_prune_skip_layers)),
            ("regular_prune_skip_types", first(&config.regular_prune_skip_types)),
        ];
        for (field, place) in at_root {
            if let Some(place) = place {
                let message = format!("unexpected {field} in config_defination if prune is disable.");
                self.refuse(message, Cause::PruningField { field }, place, Certainty::Known);
            }
        }
        for place in config.by_name.iter().filter_map(|entry| pruned(&entry.block.prune)) {
            let message = "unexpected prune_config for override_layer_configs in config_defination if prune is disable.";
            self.refuse(message, Cause::PruningField { field: "prune_config" }, place, Certainty::Known);
        }
    }

    /// Section 2, step 4.
    fn check_global_skips(&mut self) {
        let config = self.config;
        self.warn_repeats("skip_layers", &config.skip_layers);
        self.warn_repeats("skip_layer_types", &config.skip_layer_types);
        self.check_types(&config.skip_layer_types, TypeCheck::Mapped);
        self.check_names(&config.skip_layers, "some skip_layers not in valid_layers");
        self.check_types(&config.skip_layer_types, TypeCheck::Listed("some skip_layer_types not supported"));
    }

    /// Section 2, steps 5 to 11.
    fn check_quantization_fields(&mut self) {
        let config = self.config;
        self.warn_repeats("quant_skip_layers", &config.quant_skip_layers);
        self.warn_repeats("quant_skip_types", &config.quant_skip_types);
        self.check_types(&config.quant_skip_types, TypeCheck::Mapped);
        self.check_repeated_overrides("retrain_override_layers", &config.by_name);
        self.check_repeated_overrides("override_layer_types", &config.by_type);
        for entry in &config.by_type {
            self.check_type(entry.key(), entry.key_place(), TypeCheck::Mapped);
        }
        for entry in config.by_name.iter().filter(|entry| entry.block.has_quantization()) {
            let message = "some override_layer not in valid_layers for quant";
            self.check_name(entry.key(), entry.key_place(), message);
        }
        self.check_names(&config.quant_skip_layers, "some quant_skip_layers not in valid_layers");
        for entry in config.by_type.iter().filter(|entry| entry.block.has_quantization()) {
            let check = TypeCheck::Listed("some override layers types not supported for quant");
            self.check_type(entry.key(), entry.key_place(), check);
        }
        self.check_types(&config.quant_skip_types, TypeCheck::Listed("some quant_skip_types not supported"));
    }

    fn check_names(&mut self, names: &[Placed<String>], message: &str) {
        names.iter().for_each(|name| self.check_name(&name.value, name.place, message));
    }

    fn check_name(&mut self, name: &str, place: Place, message: &str) {
        if self.network.find(name).is_some() {
            return;
        }
        let other_type = self.network.other_type(name).map(str::to_owned);
        let certainty = match other_type {
            Some(_) => Certainty::Known,
            // Without a layer list only a missing name is unknown, and no network has a layer without name.
            None if self.network.basis == Basis::Supposed => Certainty::Known,
            None => self.network.absence(),
        };
        self.refuse(message, Cause::UnknownLayer { name: name.to_owned(), other_type }, place, certainty);
    }

    fn check_types(&mut self, types: &[Placed<String>], check: TypeCheck) {
        types.iter().for_each(|name| self.check_type(&name.value, name.place, check));
    }

    /// Section 4: MindSpore maps types and PyTorch looks them up, at different steps. A check of the other framework
    /// does nothing.
    fn check_type(&mut self, name: &str, place: Place, check: TypeCheck) {
        let framework = self.network.framework;
        if framework.find_type(name).is_some() {
            return;
        }
        let supported = framework.types();
        let message = match (check, framework.maps_types()) {
            (TypeCheck::Mapped, true) => {
                let supported = crate::amct::python::list_repr(supported.iter().copied());
                format!("Unrecognized layer type:{name}, only support {supported}")
            }
            (TypeCheck::Listed(message), false) => message.to_owned(),
            _ => return,
        };
        self.refuse(
            message,
            Cause::UnknownType { name: name.to_owned(), supported },
            place,
            Certainty::Known,
        );
    }

    /// Section 4: bare entries count.
    fn check_repeated_overrides(&mut self, list: &str, entries: &[Override]) {
        let repeats = Repeats::find_pairs(entries.iter().map(|entry| (entry.key(), entry.key_place())));
        let items = repeats.python_list();
        for (key, places) in repeats.items {
            for &place in &places[1..] {
                let message = format!("Please delete repeated items in {list},  repeated items are {items} ");
                self.push(Refusal {
                    error: AmctError::value_error(message),
                    cause: Cause::RepeatedOverride { key: key.clone() },
                    place,
                    related: vec![places[0]],
                    layers: Vec::new(),
                    certainty: Certainty::Known,
                });
            }
        }
    }

    /// What AMCT checks when it reads a block: the global ones always, an override when a layer uses it (sections 2
    /// and 5).
    fn read_block(&mut self, block: &Block, certainty: Certainty, layer: Option<&str>) {
        let ulq = block.ulq();
        if let Some((clip, missing)) = ulq.and_then(|ulq| ulq.clip.as_ref()).and_then(one_sided) {
            let error = AmctError::value_error("clip_max and clip_min are both required.");
            self.refuse_layer(error, Cause::OneSidedClip { missing }, clip.place, layer, certainty);
        }
        if let Some(data_type) = ulq.and_then(|ulq| ulq.dst_type.as_ref())
            && data_type.value == DataType::Int4
        {
            let error = AmctError::value_error("Int4 quantization aware training is not supported.");
            self.refuse_layer(error, Cause::Int4Activation, data_type.place, layer, certainty);
        }
    }

    /// The prune part of an override by type is read, although it is not used (section 8).
    fn read_pruner(&mut self, entry: &Override, certainty: Certainty, layer: &str) {
        let (field, place) = match entry.block.prune.as_ref().and_then(|prune| prune.pruner.as_ref()) {
            Some(Pruner::Filter { place, balanced: None }) => ("balanced_l2_norm_filter_prune", *place),
            Some(Pruner::Selective { place, l1: None }) => ("l1_selective_prune", *place),
            Some(Pruner::Filter { balanced: Some(balanced), .. }) if balanced.prune_ratio.is_none() => {
                let message = "prune_ratio is required for balanced_l2_norm_filter_prune, please add it.";
                let error = AmctError::value_error(message);
                return self.refuse_layer(
                    error,
                    Cause::MissingPruneRatio,
                    balanced.place,
                    Some(layer),
                    certainty,
                );
            }
            _ => return,
        };
        let error = AmctError::value_error(format!("only {field} is support,  but {field} is not found."));
        self.refuse_layer(error, Cause::PrunerWithoutAlgorithm { field }, place, Some(layer), certainty);
    }

    /// Section 3, and step 13 of section 2.
    fn decide_layers(&mut self) -> Vec<ResolvedLayer> {
        let (config, network) = (self.config, self.network);
        let mut layers = Vec::with_capacity(network.layers.len());
        for layer in &network.layers {
            let Some((source, is_type_needed)) = self.source(layer) else {
                layers.push(ResolvedLayer { decision: None, certainty: layer.certainty });
                continue;
            };
            let certainty = self.certainty_of(layer, source);
            let block = source.block(config);
            if source != Source::Global {
                self.read_block(block, certainty, Some(&layer.name));
                if let (Source::ByType(_), Some(entry)) = (source, source.entry(config)) {
                    self.read_pruner(entry, certainty, &layer.name);
                }
            }
            let skip_by_name = self.skipped_names.contains(layer.name.as_str());
            let skip_by_type = layer.layer_type.is_some_and(|t| self.skipped_types.contains(&t));
            let values = Values::of_block(block, network.framework, layer.layer_type);
            self.check_bits(block, &values, layer, certainty);
            let decision = Decision {
                source,
                enabled: source != Source::Global || !(skip_by_name || skip_by_type),
                skip_by_name,
                skip_by_type,
                values,
                downgraded: false,
                lost: self.is_lost(&layer.name),
            };
            let decision = (!is_type_needed).then_some(decision);
            layers.push(ResolvedLayer { decision, certainty: layer.certainty });
        }
        layers
    }

    /// The block that decides a layer, and whether its values still depend on a type that is not known. `None` when
    /// already the block does.
    fn source(&self, layer: &NetworkLayer) -> Option<(Source, bool)> {
        let needs_type = |source: Source| {
            let weight = source.block(self.config).weight_algorithm();
            let channel_wise = weight.and_then(|weight| weight.channel_wise.as_ref());
            layer.layer_type.is_none() && channel_wise.is_none_or(|explicit| explicit.value)
        };
        let source = match (self.names.get(layer.name.as_str()), layer.layer_type) {
            (Some(&index), _) => Source::ByName(index),
            (None, Some(layer_type)) => {
                self.types.get(&layer_type).map_or(Source::Global, |&index| Source::ByType(index))
            }
            (None, None) if self.types.is_empty() && self.skipped_types.is_empty() => Source::Global,
            (None, None) => return None,
        };
        Some((source, needs_type(source)))
    }

    /// How certain it is that AMCT reads this block for this layer.
    fn certainty_of(&self, layer: &NetworkLayer, source: Source) -> Certainty {
        match source {
            // If the layer does not exist AMCT raises for that reason.
            Source::ByName(index) if self.config.by_name[index].block.has_quantization() => Certainty::Known,
            // Without overrides every network has layers that use the global blocks.
            Source::Global
                if self.network.basis == Basis::Supposed
                    && self.config.by_name.is_empty()
                    && self.config.by_type.is_empty() =>
            {
                Certainty::Known
            }
            _ => layer.certainty,
        }
    }

    fn check_bits(&mut self, block: &Block, values: &Values, layer: &NetworkLayer, certainty: Certainty) {
        let (data, weight) = (values.data_type, values.weight_type);
        let is_legal = matches!(
            (data, weight),
            // INT4 activations have been refused already.
            (DataType::Int4, _)
                | (DataType::Int8, DataType::Int8 | DataType::Int4)
                | (DataType::Int16, DataType::Int8)
        );
        if is_legal {
            return;
        }
        let (data, weight) = (data.name(), weight.name());
        let written = block.weight_algorithm().and_then(|algorithm| algorithm.dst_type.as_ref());
        let error = AmctError::value_error(format!(
            "Activation and weights data_type are not supported for now. Note, activation is {data} and weight is \
             {weight}."
        ));
        let place = written.map_or(Place::FILE, |data_type| data_type.place);
        self.refuse_layer(
            error,
            Cause::UnsupportedBits { data, weight },
            place,
            Some(&layer.name),
            certainty,
        );
    }

    /// Section 9: PyTorch puts a global key over the entry of a layer of that name.
    fn is_lost(&self, name: &str) -> bool {
        !self.network.framework.maps_types()
            && (name == "fakequant_precision_mode"
                || (name == "batch_num" && self.config.batch_num.is_some()))
    }

    /// Section 2, steps 14 and 15.
    fn build(&mut self, layers: &[ResolvedLayer]) {
        self.check_reserved_names();
        let mut all_off = true;
        let mut is_certain = self.network.basis == Basis::Complete;
        for (layer, resolved) in self.network.layers.iter().zip(layers) {
            match &resolved.decision {
                Some(decision) if !decision.lost => {
                    self.build_layer(layer, decision);
                    all_off &= !decision.enabled;
                    is_certain &= layer.certainty.is_known();
                }
                Some(_) => {}
                None => all_off = false,
            }
        }
        if all_off && !layers.is_empty() {
            // A file that skips every type and has no override switches every network off.
            let has_override = !self.config.by_name.is_empty() || !self.config.by_type.is_empty();
            let skips_every_type = self.skipped_types.len() == self.network.framework.types().len();
            let certainty = match (is_certain || skips_every_type && !has_override, self.network.basis) {
                (true, _) => Certainty::Known,
                (false, Basis::Complete) => Certainty::Assumed(Assumption::InferredType),
                (false, _) => self.network.absence(),
            };
            let config = self.config;
            let lists = [
                &config.skip_layer_types,
                &config.quant_skip_types,
                &config.skip_layers,
                &config.quant_skip_layers,
            ];
            let place = lists.into_iter().flatten().next().map_or(Place::FILE, |item| item.place);
            self.refuse("No layer retrain enabled", Cause::AllLayersOff, place, certainty);
        }
    }

    fn check_reserved_names(&mut self) {
        let network = self.network;
        let type_error = |what: &str, class: &str| AmctError {
            type_name: "TypeError",
            message: format!(
                "Type of {what} should be <class '{class}'>, but is <class 'collections.OrderedDict'>"
            ),
        };
        let reserved = [
            ("version", type_error("Version", "int")),
            ("fakequant_precision_mode", type_error("FakequantPrecisionMode", "str")),
            (
                "batch_num",
                if network.framework.maps_types() {
                    AmctError::value_error("unsupported batch_num")
                } else {
                    type_error("BatchNum", "int")
                },
            ),
        ];
        for (name, error) in reserved {
            if let Some(layer) = network.find(name)
                && !self.is_lost(name)
            {
                self.refuse_layer(error, Cause::ReservedLayerName, Place::FILE, Some(name), layer.certainty);
            }
        }
        if let Some(batch_num) = self.config.batch_num.as_ref().filter(|batch_num| batch_num.value == 0) {
            let message = "batch_num(0) should be greater than zero.";
            self.refuse(message, Cause::BatchNumZero, batch_num.place, Certainty::Known);
        }
    }

    fn build_layer(&mut self, layer: &NetworkLayer, decision: &Decision) {
        let block = decision.source.block(self.config);
        let certainty = self.certainty_of(layer, decision.source);
        let name = &layer.name;
        let clip = block.ulq().and_then(|ulq| ulq.clip.as_ref());
        if let Some((max, min)) = clip.and_then(|clip| clip.max.as_ref().zip(clip.min.as_ref())) {
            // Both comparisons are false for NaN, as in Python.
            if max.value <= 0.0 {
                let error =
                    AmctError::value_error(format!("clip max should be larger than 0 for layer {name}"));
                let cause = Cause::ClipOutOfRange { bound: "clip_max", value: max.value };
                self.refuse_layer(error, cause, max.place, Some(name), certainty);
            }
            if min.value >= 0.0 {
                let error =
                    AmctError::value_error(format!("clip min should be less than 0 for layer {name}"));
                let cause = Cause::ClipOutOfRange { bound: "clip_min", value: min.value };
                self.refuse_layer(error, cause, min.place, Some(name), certainty);
            }
        }
        let channel_wise = block.weight_algorithm().and_then(|weight| weight.channel_wise.as_ref());
        let framework = self.network.framework;
        if let (Some(channel_wise), Some(layer_type)) = (channel_wise, layer.layer_type)
            && channel_wise.value
            && framework.is_fully_connected(layer_type)
        {
            let error = AmctError::value_error(format!(" {name} layer can not be channewised"));
            let type_name = framework.type_name(layer_type);
            let cause = Cause::ChannelWiseOnFullyConnected { type_name };
            self.refuse_layer(error, cause, channel_wise.place, Some(name), layer.certainty);
        }
        if name.contains("AvgPool") && decision.enabled && decision.values.weight_type == DataType::Int4 {
            let message = "Now AvgPool Layer does not support INT4".to_owned();
            let error = AmctError { type_name: "RuntimeError", message };
            let written = block.weight_algorithm().and_then(|algorithm| algorithm.dst_type.as_ref());
            let place = written.map_or(Place::FILE, |data_type| data_type.place);
            self.refuse_layer(error, Cause::AvgPoolInt4, place, Some(name), certainty);
        }
    }
}

/// Section 8: INT4 weights that cannot be packed become INT8, after everything else.
fn pack_int4(config: &Config, network: &Network, resolution: &mut Resolution) {
    let raised = resolution.raised.is_some();
    for (layer, resolved) in network.layers.iter().zip(&mut resolution.layers) {
        let Some(decision) = &mut resolved.decision else { continue };
        if layer.int4_packable || decision.lost || decision.values.weight_type != DataType::Int4 {
            continue;
        }
        decision.values.weight_type = DataType::Int8;
        decision.downgraded = true;
        if !raised {
            let block = decision.source.block(config);
            let written = block.weight_algorithm().and_then(|algorithm| algorithm.dst_type.as_ref());
            resolution.warnings.push(Warning {
                message: format!(
                    "Layer {} weight cannot be INT4-packed along Cin (grouped conv or odd Cin), downgraded to \
                     INT8 (A8W8).",
                    layer.name
                ),
                places: written.map(|data_type| data_type.place).into_iter().collect(),
            });
        }
    }
}

/// The bounds that a clip block lacks.
fn one_sided(clip: &Clip) -> Option<(&Clip, Vec<&'static str>)> {
    let bounds = [("clip_max", clip.max.is_none()), ("clip_min", clip.min.is_none())];
    let missing: Vec<_> = bounds.into_iter().filter(|&(_, missing)| missing).map(|(name, _)| name).collect();
    (!missing.is_empty()).then_some((clip, missing))
}
