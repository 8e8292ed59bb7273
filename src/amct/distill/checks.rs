//! The checks of names, types and values, and which block decides each layer (sections 1 to 4).

use std::collections::{HashMap, HashSet};

use super::model::{Block, Override};
use super::{Resolved, Run, Source, TYPES, is_distillable};
use crate::amct::place::{Place, Placed};
use crate::amct::repeats::Repeats;
use crate::amct::report::Fault;
use crate::amct::text::Text;
use crate::python;

impl<'a> Run<'a> {
    pub(super) fn check_names(&mut self) {
        let (config, modules) = (self.config, self.modules);
        let layers: Vec<_> = modules.all.iter().filter(|module| is_distillable(module)).collect();
        let has_unknown = modules.all.iter().any(|module| module.layer.type_name.is_none());
        if layers.is_empty() && !has_unknown {
            let text = Text::new(
                "The network has no Conv2d or Linear to distill",
                "网络中没有可蒸馏的 Conv2d 或 Linear",
            );
            let message = "Not found supported distill quant layers in model.";
            let fault = Fault::new("no-quantizable-layer", message, text, Place::FILE);
            self.report.refuse(fault.if_holds(modules.basis.absence()));
        }
        let names: HashSet<&str> = layers.iter().map(|module| module.layer.name.as_str()).collect();
        // Types must occur in this very network.
        let types: HashSet<&str> = layers.iter().map(|module| module.class()).collect();
        let unknown = has_unknown;
        let pairs = |items: &'a [Placed<String>]| {
            items.iter().map(|i| (i.value.as_str(), i.place)).collect::<Vec<_>>()
        };
        let keys = |entries: &'a [Override]| {
            entries.iter().map(|entry| (entry.key(), entry.key_place())).collect::<Vec<_>>()
        };
        let skipped = pairs(&config.quant_skip_layers);
        self.warn_repeats("quant_skip_layers", &skipped);
        self.check_known("quant_skip_layers", "", &skipped, &names, unknown);
        let skipped = pairs(&config.quant_skip_layer_types);
        self.warn_repeats("quant_skip_layer_types", &skipped);
        self.check_known("quant_skip_layer_types", "", &skipped, &types, unknown);
        let overridden = keys(&config.by_name);
        self.check_repeats("distill_override_layers, ", &overridden);
        self.check_known("distill_override_layers", " for quant", &overridden, &names, unknown);
        let overridden = keys(&config.by_type);
        self.check_repeats("distill_override_layer_types,  ", &overridden);
        self.check_known("distill_override_layer_types", " for quant", &overridden, &types, unknown);
    }

    fn warn_repeats(&mut self, list: &str, items: &[(&str, Place)]) {
        let repeats = Repeats::find_pairs(items.iter().copied());
        if !repeats.is_empty() {
            let message = format!(
                "Please delete repeated items in {list}, repeated items are {}.",
                repeats.python_list()
            );
            self.report.warn(message, repeats.surplus());
        }
    }

    fn check_repeats(&mut self, list: &str, items: &[(&str, Place)]) {
        let repeats = Repeats::find_pairs(items.iter().copied());
        let message =
            format!("Please delete repeated items in {list}repeated items are {}.", repeats.python_list());
        for (key, places) in &repeats.items {
            for &place in &places[1..] {
                let text = Text::new(
                    format!("`{key}` already has an override; merge the two"),
                    format!("`{key}` 已有重写块；请合并为一个"),
                );
                self.report.refuse(Fault::new("repeated-override", message.clone(), text, place));
            }
        }
    }

    /// AMCT lists everything unknown in one text.
    fn check_known(
        &mut self,
        list: &str,
        tail: &str,
        items: &[(&str, Place)],
        known: &HashSet<&str>,
        has_unknown_types: bool,
    ) {
        let unknown: Vec<_> = items.iter().filter(|(item, _)| !known.contains(item)).collect();
        let is_open = |item: &str| {
            let of_unknown_type =
                |name: &str| self.modules.find(name).is_some_and(|module| module.layer.type_name.is_none());
            of_unknown_type(item) || has_unknown_types && TYPES.contains(&item)
        };
        let unknown: Vec<_> = unknown.into_iter().filter(|(item, _)| !is_open(item)).collect();
        let set = python::list_repr(python::set_order(unknown.iter().map(|(item, _)| *item)));
        let absence = self.modules.basis.absence();
        for &&(item, place) in &unknown {
            let text = match self.modules.find(item) {
                Some(module) if !item.is_empty() => {
                    let class = module.class();
                    Text::new(
                        format!("`{item}` is of type {class}; only Conv2d and Linear can be distilled"),
                        format!("`{item}` 的类型是 {class}；只有 Conv2d 和 Linear 可蒸馏"),
                    )
                }
                _ => Text::new(
                    format!("The network has no `{item}` that can be distilled"),
                    format!("网络中没有可蒸馏的 `{item}`"),
                ),
            };
            let message = format!("{list}{set} not exist or supported{tail}");
            let certainty = match self.modules.find(item) {
                Some(module) => module.certainty,
                // No network has a layer without name, or such a type.
                None if item.is_empty() => crate::amct::Certainty::Known,
                None => absence,
            };
            self.report.refuse(Fault::new("unknown-name", message, text, place).if_holds(certainty));
        }
    }

    /// Section 3.
    pub(super) fn resolve(&self) -> Vec<Resolved<'a>> {
        let config = self.config;
        let index = |entries: &'a [Override]| {
            entries.iter().enumerate().map(|(at, entry)| (entry.key(), at)).collect::<HashMap<_, _>>()
        };
        let (by_name, by_type) = (index(&config.by_name), index(&config.by_type));
        let set = |items: &'a [Placed<String>]| {
            items.iter().map(|item| item.value.as_str()).collect::<HashSet<_>>()
        };
        let (names, types) = (set(&config.quant_skip_layers), set(&config.quant_skip_layer_types));
        let layers = self.modules.all.iter().filter(|module| is_distillable(module));
        layers
            .map(|module| {
                let (name, class) = (module.layer.name.as_str(), module.class());
                let (skip_by_name, skip_by_type) = (names.contains(name), types.contains(class));
                let source = match (by_name.get(name), by_type.get(class)) {
                    _ if skip_by_name || skip_by_type => Source::Skip,
                    (Some(&index), _) => Source::ByName(index),
                    (None, Some(&index)) => Source::ByType(index),
                    (None, None) => Source::Global,
                };
                let block = match source {
                    Source::ByName(index) => config.by_name[index].block.clone(),
                    Source::ByType(index) => config.by_type[index].block.clone(),
                    Source::Global => config.global.clone(),
                    Source::Skip => Block::default(),
                };
                Resolved { module, source, skip_by_name, skip_by_type, block }
            })
            .collect()
    }

    /// The pair of target types of each layer, then the counts.
    pub(super) fn check_types(&mut self, layers: &[Resolved<'_>]) {
        for layer in layers {
            let (data, weight) = (layer.block.data_type(), layer.block.weight_type());
            if data == weight {
                continue;
            }
            if !layer.block.has_algorithm {
                let message = "dst_type of RetrainWeightQuantConfig was not given in config, and was set to 'INT8' \
                               by defualt!";
                self.report.warn(message, Vec::new());
                self.report.warnings.dedup();
            }
            let text = Text::new(
                format!("Activations in {data} do not go with weights in {weight}: both must be equal"),
                format!("激活 {data} 与权重 {weight} 不能搭配：两者必须相同"),
            );
            let message = format!(
                "Activation and weights with different data_type are not supported for now. Note, activation is {data} \
                 and weight is {weight}."
            );
            let types = [&layer.block.data_type, &layer.block.weight_type];
            let place = types.into_iter().flatten().next().map_or(Place::FILE, |data_type| data_type.place);
            let fault = Fault::new("unsupported-bits", message, text, place).about(layer.name());
            self.report.refuse(fault.if_holds(layer.module.certainty));
        }
        let config = self.config;
        for (field, value) in [("batch_num", &config.batch_num), ("group_size", &config.group_size)] {
            if let Some(value) = value.as_ref().filter(|value| value.value == 0) {
                let text = Text::new(format!("`{field}` must be at least 1"), format!("`{field}` 至少为 1"));
                let message = format!("{field}(0) should be greater than zero");
                self.report.refuse(Fault::new("count-zero", message, text, value.place));
            }
        }
    }

    /// Section 4 for the layers that use a value, then whether anything is left.
    pub(super) fn check_values(&mut self, layers: &[Resolved<'_>]) {
        for layer in layers {
            self.check_layer(layer);
        }
        if !layers.is_empty() && layers.iter().all(|layer| !layer.is_enabled()) {
            let text = Text::new(
                "Every layer is skipped, so nothing would be distilled",
                "所有层都被跳过，没有可蒸馏的层",
            );
            let absence = self.modules.basis.absence();
            let certainty = layers.iter().fold(absence, |sum, layer| sum.and(layer.module.certainty));
            let config = self.config;
            let lists = [&config.quant_skip_layer_types, &config.quant_skip_layers];
            let place = lists.into_iter().flatten().next().map_or(Place::FILE, |item| item.place);
            let fault = Fault::new("all-layers-off", "No layer enabled distillation", text, place);
            self.report.refuse(fault.if_holds(certainty));
        }
        if let Some(layer) = layers.iter().find(|layer| layer.name() == "version") {
            let text = Text::new(
                "A layer is called like a key of AMCT's own JSON; rename it in the network",
                "有层与 AMCT 结果 JSON 的全局键重名；请在网络中改名",
            );
            let message = "Type of Version should be <class 'int'>, but is <class 'collections.OrderedDict'>";
            let fault = Fault::new("reserved-layer-name", message, text, Place::FILE);
            self.report.refuse(fault.of_type("TypeError").if_holds(layer.module.certainty));
        }
    }

    fn check_layer(&mut self, layer: &Resolved<'_>) {
        let name = layer.name();
        let mut refuse = |code, message: String, text, place| {
            let fault = Fault::new(code, message, text, place).about(name);
            self.report.refuse(fault.if_holds(layer.module.certainty));
        };
        if let Some(clip) = &layer.block.clip {
            let (max, min) = clip.bounds();
            let place = |bound: &Option<Placed<f32>>| bound.as_ref().map_or(clip.place, |bound| bound.place);
            if max <= 0.0 {
                let text = Text::new(
                    "`clip_max` must be above 0; one that is missing is 0",
                    "`clip_max` 必须大于 0；缺少时按 0 处理",
                );
                let message = format!("clip max should be larger than 0 for layer {name}");
                refuse("clip-out-of-range", message, text, place(&clip.max));
            }
            if min >= 0.0 {
                let text = Text::new(
                    "`clip_min` must be below 0; one that is missing is 0",
                    "`clip_min` 必须小于 0；缺少时按 0 处理",
                );
                let message = format!("clip min should be less than 0 for layer {name}");
                refuse("clip-out-of-range", message, text, place(&clip.min));
            }
        }
        if let Some(explicit) = layer.block.channel_wise.as_ref().filter(|value| value.value)
            && layer.module.class() == "Linear"
        {
            let text = Text::new(
                "`channel_wise: true` reaches a Linear, which cannot have one factor a channel; add an override for \
                 Linear with `channel_wise: false`",
                "`channel_wise: true` 作用到了 Linear，该类型不能逐通道量化；请为 Linear 加一个 `channel_wise: false` \
                 的重写块",
            );
            let message = format!(" {name} layer can not be channewised");
            refuse("channel-wise-on-fully-connected", message, text, explicit.place);
        }
    }
}
