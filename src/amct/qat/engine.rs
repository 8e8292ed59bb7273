//! Resolves a configuration against a network as `create_quant_retrain_config` does: which block decides each layer,
//! and every error and warning in AMCT's order. Section numbers are those of amct-semantics.md.

mod build;
mod fields;
mod prune;

use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use super::model::{Block, Clip, Config, DataType, Override};
use super::network::{LayerType, Network, NetworkLayer};
use super::values::Values;
use crate::amct::basis::Basis;
use crate::amct::certainty::Certainty;
use crate::amct::entry::Entry;
use crate::amct::place::Place;
use crate::amct::refusal::{AmctError, Cause, Refusal, Warning};

pub(super) use build::int4_warning;
pub use prune::{PruneDecision, written_order};

/// What AMCT makes of a configuration and a network.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// The quantisable layers in network order, one for each of [`Network::layers`].
    pub layers: Vec<ResolvedLayer>,
    /// The pruning of layers, one for each of [`Network::prunable`]; empty when nothing is pruned.
    pub pruning: Vec<Option<PruneDecision>>,
    /// What the file does.
    pub abilities: Abilities,
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

/// What a file does to a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// It quantises.
    pub quant: bool,
    /// It prunes.
    pub prune: bool,
    /// Layers that no override decides are quantised.
    pub quantises_the_rest: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self { quant: true, prune: false, quantises_the_rest: true }
    }
}

impl Abilities {
    /// The first entry quantises always; with the second the content of the file decides.
    fn of(config: &Config, entry: Entry) -> Self {
        match entry {
            Entry::Retrain => Self::default(),
            Entry::Compressed => Self {
                quant: config.has_quantization(),
                prune: config.has_pruning(),
                quantises_the_rest: config.global.has_quantization(),
            },
        }
    }
}

/// Computes what AMCT computes.
pub fn resolve(config: &Config, network: &Network, entry: Entry) -> Resolution {
    let mut run = Run::new(config, network, entry);
    let Abilities { quant, prune, .. } = run.abilities;
    if !quant && !prune {
        let message = "proto can not neither retrain nor prune.";
        run.refuse(message, Cause::NothingToDo, Place::FILE, Certainty::Known);
        return Resolution { abilities: run.abilities, ..run.result };
    }
    run.check_abilities();
    run.check_global_skips();
    if quant {
        run.check_quantization_fields();
    }
    if prune {
        run.check_prune_names();
    }
    let mut layers = Vec::new();
    if quant {
        run.read_block(&config.global, Certainty::Known, None);
        layers = run.decide_layers();
    }
    let pruning = if prune { run.decide_pruning() } else { Vec::new() };
    run.build(&layers, &pruning);
    let mut resolution = Resolution { layers, pruning, abilities: run.abilities, ..run.result };
    build::pack_int4(config, network, &mut resolution);
    resolution
}

struct Run<'a> {
    config: &'a Config,
    network: &'a Network,
    abilities: Abilities,
    names: HashMap<&'a str, usize>,
    types: HashMap<LayerType, usize>,
    skipped_names: HashSet<&'a str>,
    skipped_types: HashSet<LayerType>,
    /// Refusals that concern layers, by place and kind, so that one block that fails for many layers is one refusal.
    by_place: HashMap<(Place, Discriminant<Cause>), usize>,
    result: Resolution,
}

impl<'a> Run<'a> {
    fn new(config: &'a Config, network: &'a Network, entry: Entry) -> Self {
        let framework = network.framework;
        let types = config.by_type.iter().enumerate();
        let skipped_types = config.skip_layer_types.iter().chain(&config.quant_skip_types);
        let skipped_names = config.skip_layers.iter().chain(&config.quant_skip_layers);
        Self {
            config,
            network,
            abilities: Abilities::of(config, entry),
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

    fn refuse(&mut self, message: impl Into<Arc<str>>, cause: Cause, place: Place, certainty: Certainty) {
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
        // The layers of a supposed network do not exist; their names would only mislead.
        let layer = layer.filter(|_| self.network.basis != Basis::Supposed).map(str::to_owned);
        let key = (place, discriminant(&cause));
        if let Some(&index) = self.by_place.get(&key) {
            let refusal = &mut self.result.refusals[index];
            refusal.layers.extend(layer);
            if certainty.is_known() {
                refusal.certainty = certainty;
            }
            return;
        }
        self.by_place.insert(key, self.result.refusals.len());
        let layers = layer.into_iter().collect();
        self.push(Refusal { error, cause, place, related: Vec::new(), layers, certainty });
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
                // That of an override by type is read even when nothing is pruned (section 8); that by name is refused.
                if self.abilities.prune || matches!(source, Source::ByType(_)) {
                    self.read_pruner(block.pruner(), certainty, Some(&layer.name));
                }
            }
            let lost = self.is_lost(&layer.name);
            let skip_by_name = self.skipped_names.contains(layer.name.as_str());
            let skip_by_type = layer.layer_type.is_some_and(|t| self.skipped_types.contains(&t));
            let values = Values::of_block(block, network.framework, layer.layer_type);
            self.check_bits(block, &values, layer, certainty);
            let decision = Decision {
                source,
                enabled: !lost
                    && (source != Source::Global
                        || self.abilities.quantises_the_rest && !(skip_by_name || skip_by_type)),
                skip_by_name,
                skip_by_type,
                values,
                downgraded: false,
                lost,
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
}

/// The bounds that a clip block lacks.
fn one_sided(clip: &Clip) -> Option<(&Clip, Vec<&'static str>)> {
    let bounds = [("clip_max", clip.max.is_none()), ("clip_min", clip.min.is_none())];
    let missing: Vec<_> = bounds.into_iter().filter(|&(_, missing)| missing).map(|(name, _)| name).collect();
    (!missing.is_empty()).then_some((clip, missing))
}
