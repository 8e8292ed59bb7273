//! The checks of names, types and capabilities, before any range (section 6, steps 0 to 12).

use std::collections::HashSet;

use super::model::{Block, Override, Weights};
use super::resolve::Resolved;
use super::{Run, types};
use crate::amct::certainty::Certainty;
use crate::amct::place::{Place, Placed};
use crate::amct::repeats::Repeats;
use crate::amct::report::Fault;
use crate::amct::text::Text;
use crate::python;

/// For what a capability is asked.
struct Target<'t> {
    /// `conv1 layer`, `Conv2d type`
    shown: String,
    /// `Layer conv1`, `Layer type Conv2d`
    title: String,
    class: &'t str,
    /// Whether it can be quantised at all.
    is_quantizable: bool,
    has_bias: bool,
    is_type: bool,
    certainty: Certainty,
}

impl Run<'_> {
    /// Steps 0 to 6.
    pub(super) fn check_names(&mut self) {
        let config = self.config;
        if let Some(operations) = self.modules.amct_operations() {
            let message = format!(
                "The model cannot be quantized for following quant layers are in the model {operations}"
            );
            let text = Text::new(
                "The network holds layers of AMCT's own: it is quantised already",
                "网络中含有 AMCT 的层：该网络已量化",
            );
            let fault = Fault::new("quantised-already", message, text, Place::FILE);
            self.report.refuse(fault.of_type("RuntimeError"));
        }
        let pairs = |items: &[Placed<String>]| {
            items.iter().map(|item| (item.value.clone(), item.place)).collect::<Vec<_>>()
        };
        self.check_repeats("skip_layers", pairs(&config.skip_layers));
        self.check_repeats("skip_layer_types", pairs(&config.skip_layer_types));
        self.check_repeats("skip_fusion_layers", pairs(&config.skip_fusion_layers));
        let keys = |entries: &[Override]| {
            entries.iter().map(|entry| (entry.key().to_owned(), entry.key_place())).collect::<Vec<_>>()
        };
        self.check_repeats("override_layer_configs", keys(&config.by_name));
        config.by_name.iter().for_each(|entry| self.check_override_by_name(entry));
        self.check_repeats("override_layer_types", keys(&config.by_type));
        config.by_type.iter().for_each(|entry| self.check_override_by_type(entry));
        self.check_skips();
    }

    fn check_repeats(&mut self, list: &str, items: Vec<(String, Place)>) {
        let repeats = Repeats::find_pairs(items.iter().map(|(item, place)| (item.as_str(), *place)));
        let message = repeats.warning(list);
        for (item, places) in &repeats.items {
            for &place in &places[1..] {
                let text = Text::new(
                    format!("`{item}` stands in `{list}` already, which is an error here; remove it"),
                    format!("`{item}` 在 `{list}` 中已出现过，此处属于错误，请删去"),
                );
                self.report.refuse(Fault::new("repeated-entry", message.clone(), text, place));
            }
        }
    }

    fn check_override_by_name(&mut self, entry: &Override) {
        let name = entry.key();
        let Some(module) = self.modules.find(name) else {
            self.refuse_unknown(name, entry.key_place());
            return;
        };
        let target = Target {
            shown: format!("{name} layer"),
            title: format!("Layer {name}"),
            class: module.class(),
            is_quantizable: module.is_quantizable(types::QUANTIZABLE),
            has_bias: module.layer.bias,
            is_type: false,
            certainty: module.certainty,
        };
        if module.layer.type_name.is_some() {
            self.check_capabilities(&target, &entry.block);
        }
    }

    fn check_override_by_type(&mut self, entry: &Override) {
        let class = entry.key();
        if !types::QUANTIZABLE.contains(&class) {
            self.refuse_type(class, entry.key_place());
            return;
        }
        let target = Target {
            shown: format!("{class} type"),
            title: format!("Layer type {class}"),
            class,
            is_quantizable: true,
            has_bias: true,
            is_type: true,
            certainty: Certainty::Known,
        };
        self.check_capabilities(&target, &entry.block);
    }

    /// What an override asks of a layer that cannot have it.
    fn check_capabilities(&mut self, target: &Target<'_>, block: &Block) {
        let Target { shown, title, class, is_quantizable, .. } = target;
        let mut refuse = |message: String, what: &str, place| {
            let text = Text::new(
                format!("{title} cannot have {what}; remove it here"),
                format!("{title} 不支持 {what}；请在此处删去"),
            );
            let fault = Fault::new("unsupported-setting", message, text, place);
            self.report.refuse(fault.if_holds(target.certainty));
        };
        if let Some(activation) = &block.activation
            && let Some(asymmetric) = activation.common().asymmetric.as_ref().filter(|value| value.value)
            && types::is_symmetric(class)
            && *is_quantizable
        {
            let message = format!("{title} can only set asymmetric be False ");
            refuse(message, "`asymmetric: true`", asymmetric.place);
        }
        if let Some(Weights::Arq { channel_wise: Some(channel_wise), .. }) = &block.weights
            && channel_wise.value
            && !(*is_quantizable && types::has_channels(class))
        {
            let message = format!("channel_wise can only be False for {shown}.");
            refuse(message, "`channel_wise: true`", channel_wise.place);
        }
        if let Some(balancer) = &block.balancer {
            let can = if target.is_type { types::has_balancer_by_type } else { types::has_balancer };
            if !(*is_quantizable && can(class)) {
                let message = format!("dmq_balancer not support for {shown}");
                refuse(message, "`dmq_balancer`", balancer.place);
            }
        }
        if let Some(place) = block.int16() {
            let has_bias = *class != "Linear" || target.has_bias;
            if !(*is_quantizable && types::has_int16(class) && has_bias) {
                refuse(format!("int16_quantizable not support for {shown}"), "INT16", place);
            }
        }
        match &block.weights {
            Some(Weights::Ada(ada)) if !(*is_quantizable && types::has_ada(class)) => {
                // AMCT says "layer" for a type too.
                let name = shown.trim_end_matches(" type").trim_end_matches(" layer");
                let message = format!("ada_quantizable not support for {name} layer");
                refuse(message, "`ada_quantize`", ada.place);
            }
            Some(Weights::Arq { bits: Some(bits), .. })
                // By its class alone, be it quantisable or not.
                if matches!(bits.value, 6 | 7) && !types::has_odd_bits(class) =>
            {
                let message = format!("quant_bits {} not support for {shown}", bits.value);
                refuse(message, "6 or 7 bits", bits.place);
            }
            _ => {}
        }
    }

    fn refuse_unknown(&mut self, name: &str, place: Place) {
        let text = Text::new(
            format!("The network has no layer `{name}`; names are compared exactly"),
            format!("网络中没有名为 `{name}` 的层；层名须完全一致"),
        );
        let message = format!("Layer {name} does not exist in the graph.");
        let fault = Fault::new("unknown-layer", message, text, place);
        self.report.refuse(fault.if_holds(self.modules.basis.absence()));
    }

    fn refuse_type(&mut self, class: &str, place: Place) {
        let types = types::QUANTIZABLE.join(", ");
        let text = Text::new(
            format!("AMCT quantises no layer type `{class}`; write exactly one of {types}"),
            format!("AMCT 不量化层类型 `{class}`；请准确写成其中之一：{types}"),
        );
        let message = format!("Layer type {class} does not support quantize.");
        self.report.refuse(Fault::new("unknown-layer-type", message, text, place));
    }

    /// Steps 5 and 6.
    fn check_skips(&mut self) {
        let config = self.config;
        for item in &config.skip_layers {
            if self.modules.find(&item.value).is_none() {
                self.refuse_unknown(&item.value, item.place);
            }
        }
        for item in &config.skip_layers {
            let Some(module) = self.modules.find(&item.value) else { continue };
            if module.layer.type_name.is_some() && !types::QUANTIZABLE.contains(&module.class()) {
                let (name, class) = (&item.value, module.class());
                let text = Text::new(
                    format!("`{name}` is of type {class}, which AMCT does not quantise; remove it here"),
                    format!("`{name}` 的类型是 {class}，AMCT 不量化该类型；请从此处删去"),
                );
                let message = format!("Layer {name} does not support quantization.");
                let fault = Fault::new("not-quantizable", message, text, item.place);
                self.report.refuse(fault.if_holds(module.certainty));
            }
        }
        for item in &config.skip_layer_types {
            if !types::QUANTIZABLE.contains(&item.value.as_str()) {
                self.refuse_type(&item.value, item.place);
            }
        }
        let skipped: HashSet<_> = config.skip_layer_types.iter().map(|item| item.value.as_str()).collect();
        if types::QUANTIZABLE.iter().all(|class| skipped.contains(class)) {
            let text = Text::new(
                "Every type is skipped, so nothing would be quantised",
                "所有类型都被跳过，没有可量化的层",
            );
            let message = "Except skip_types, no type need to quantize.";
            let place = config.skip_layer_types[0].place;
            self.report.refuse(Fault::new("all-layers-off", message, text, place));
        }
    }

    /// Steps 7 to 9.
    pub(super) fn check_network(&mut self, layers: &[Resolved<'_>]) {
        let basis = self.modules.basis;
        let has_unknown = self.modules.all.iter().any(|module| module.layer.type_name.is_none());
        if layers.is_empty() {
            if !has_unknown {
                let text = Text::new(
                    "The network has no layer that AMCT can quantise",
                    "网络中没有 AMCT 可量化的层",
                );
                let message = "No layer support quantization in the graph.";
                let fault = Fault::new("no-quantizable-layer", message, text, Place::FILE);
                self.report.refuse(fault.if_holds(basis.absence()));
            }
            return;
        }
        let reserved = [
            "version",
            "batch_num",
            "activation_offset",
            "do_fusion",
            "fakequant_precision_mode",
            "skip_fusion_layers",
        ];
        for name in reserved {
            let named = layers.iter().find(|layer| layer.name() == name);
            if let Some(layer) = named {
                let text = Text::new(
                    format!(
                        "Layer `{name}` is called like a key of AMCT's own JSON; rename it in the network"
                    ),
                    format!("层 `{name}` 与 AMCT 结果 JSON 的全局键重名；请在网络中改名"),
                );
                let message = format!("{name} is a global parameter, can not be a layer name");
                let fault = Fault::new("reserved-layer-name", message, text, Place::FILE);
                self.report.refuse(fault.if_holds(layer.module.certainty));
            }
        }
        if !has_unknown && layers.iter().all(|layer| !layer.enabled) {
            let text = Text::new(
                "Every layer is skipped, so nothing would be quantised",
                "所有层都被跳过，没有可量化的层",
            );
            let message = "Except skip_layers or skip_types, no layer need to quantize.";
            let certainty = layers.iter().fold(basis.absence(), |sum, layer| sum.and(layer.module.certainty));
            let fault = Fault::new("all-layers-off", message, text, Place::FILE);
            self.report.refuse(fault.if_holds(certainty));
        }
    }

    /// Steps 11 and 12.
    pub(super) fn check_globals(&mut self) {
        let config = self.config;
        if let Some(batch_num) = config.batch_num.as_ref().filter(|batch_num| batch_num.value == 0) {
            let text = Text::new("`batch_num` must be at least 1", "`batch_num` 至少为 1");
            let message = "The batch_num must be greater than zero.";
            self.report.refuse(Fault::new("batch-num-zero", message, text, batch_num.place));
        }
        for item in &config.skip_fusion_layers {
            let name = &item.value;
            let fault = match self.modules.find(name) {
                None => {
                    let text = Text::new(
                        format!("The network has no layer `{name}`; names are compared exactly"),
                        format!("网络中没有名为 `{name}` 的层；层名须完全一致"),
                    );
                    let message =
                        format!("Layer \"{name}\" in skip_fusion_layers does not exist in the graph.");
                    let fault = Fault::new("unknown-layer", message, text, item.place);
                    fault.if_holds(self.modules.basis.absence())
                }
                Some(module)
                    if module.layer.type_name.is_some() && !types::FUSION.contains(&module.class()) =>
                {
                    let fusion = types::FUSION.join(", ");
                    let text = Text::new(
                        format!("Only the fusion of {fusion} can be skipped, not that of `{name}`"),
                        format!("只能跳过 {fusion} 的融合，`{name}` 不行"),
                    );
                    let supported = python::list_repr(types::FUSION.iter().copied());
                    let message =
                        format!("Skip fusion layer \"{name}\"'s type not in supported list {supported}");
                    let fault = Fault::new("not-fusible", message, text, item.place);
                    fault.if_holds(module.certainty)
                }
                Some(_) => continue,
            };
            self.report.refuse(fault);
        }
    }
}
