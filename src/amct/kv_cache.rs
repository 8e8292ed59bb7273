//! Quantisation of the key/value cache: `AMCTQuantCaliConfig`, read by `create_quant_cali_config`
//! (amct-semantics-kv-cache.md; its section numbers are used here).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::answer::{Answer, Aspect, Block, BlockKind};
use super::basis::Basis;
use super::bind::Binder;
use super::calibration::{Activation, Hfmg, Ifmr};
use super::certainty::Certainty;
use super::explanation::ExplainedLayer;
use super::finding::{Finding, FindingKind, Level};
use super::json::Json;
use super::modules::Modules;
use super::place::{Place, Placed, Places};
use super::reason::{Reason, ReasonKind};
use super::repeats::Repeats;
use super::report::{Fault, Report};
use super::table_answer::TableAnswer;
use super::text::Text;
use crate::inventory::LayerList;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

const TYPES: &[&str] = &["Linear"];
const COMMON: &str = "kv_cache_quant_config";
const OVERRIDE: &str = "override_layers_configs";

/// The values of a file.
#[derive(Clone, Debug, Default, PartialEq)]
struct Config {
    batch_num: Option<Placed<u64>>,
    activation_offset: Option<Placed<bool>>,
    common_place: Option<Place>,
    quant_layers: Vec<Placed<String>>,
    common: Option<Activation>,
    overrides: Vec<Override>,
}

#[derive(Clone, Debug, PartialEq)]
struct Override {
    place: Place,
    name: Option<Placed<String>>,
    activation: Option<Activation>,
}

impl Override {
    fn name(&self) -> &str {
        self.name.as_ref().map_or("", |name| &name.value)
    }

    fn name_place(&self) -> Place {
        self.name.as_ref().map_or(self.place, |name| name.place)
    }
}

fn bind(root: &MessageValue, schema: &Schema) -> (Config, Places) {
    let mut binder = Binder::new(schema);
    let b = &mut binder;
    let activation = |b: &mut Binder, message: &MessageValue, field: &str| {
        b.message(message, field, |b, _, config| Activation::bind(b, config)).flatten()
    };
    let mut config = Config {
        batch_num: b.uint(root, "batch_num"),
        activation_offset: b.bool(root, "activation_offset"),
        overrides: b.messages(root, OVERRIDE, |b, place, entry| Override {
            place,
            name: b.string(entry, "layer_name"),
            activation: activation(b, entry, "kv_data_quant_config"),
        }),
        ..Config::default()
    };
    b.message(root, COMMON, |b, place, common| {
        config.common_place = Some(place);
        config.quant_layers = b.strings(common, "quant_layers");
        config.common = activation(b, common, "calibration_config");
    });
    (config, binder.into_places())
}

/// Computes the answer for the values of a file.
pub fn answer(
    value: &MessageValue,
    schema: &Schema,
    layers: Option<&LayerList>,
) -> (Arc<dyn Answer>, Places) {
    let (config, places) = bind(value, schema);
    let modules = match layers {
        Some(layers) => Modules::of_list(layers),
        None => {
            let quantised = config.quant_layers.iter().map(|name| name.value.as_str());
            let overridden = config.overrides.iter().filter_map(|entry| entry.name.as_ref());
            Modules::supposed(quantised.chain(overridden.map(|name| name.value.as_str())), "Linear", &[])
        }
    };
    (Arc::new(Engine::new(&config, &modules).run()), places)
}

struct Engine<'a> {
    config: &'a Config,
    modules: &'a Modules,
    report: Report,
    overrides: HashMap<&'a str, usize>,
}

/// A layer that is quantised, and what decides it.
struct Decided<'a> {
    name: &'a str,
    entry: Option<usize>,
    certainty: Certainty,
}

impl<'a> Engine<'a> {
    fn new(config: &'a Config, modules: &'a Modules) -> Self {
        let overrides = config.overrides.iter().enumerate().map(|(at, entry)| (entry.name(), at)).collect();
        Self { config, modules, report: Report::new(modules.basis), overrides }
    }

    fn run(mut self) -> TableAnswer {
        let undetermined = self.check_names();
        if let Some(batch_num) = self.config.batch_num.as_ref().filter(|batch_num| batch_num.value == 0) {
            let text = Text::new("`batch_num` must be at least 1", "`batch_num` 至少为 1");
            let message = "batch_num(0) should be greater than zero";
            self.report.refuse(Fault::new("batch-num-zero", message, text, batch_num.place));
        }
        let decided = self.decide();
        self.check_reserved(&decided);
        for layer in &decided {
            if !self.is_lost(layer.name) {
                self.check_range(layer);
            }
        }
        self.build(&decided, undetermined)
    }

    /// Section 3, steps 0 and 2 to 4.
    fn check_names(&mut self) -> Vec<String> {
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
        let names = config.quant_layers.iter().map(|name| (name.value.as_str(), name.place));
        let overridden = config.overrides.iter().map(|entry| (entry.name(), entry.name_place()));
        let mut undetermined = Vec::new();
        self.check_list(names.collect(), &mut undetermined);
        self.check_list(overridden.collect(), &mut undetermined);
        undetermined
    }

    fn check_list(&mut self, names: Vec<(&str, Place)>, undetermined: &mut Vec<String>) {
        let repeats = Repeats::find_pairs(names.iter().copied());
        if !repeats.is_empty() {
            let message = repeats.warning("kv_cache_quant_layers");
            for (item, places) in &repeats.items {
                let text = Text::new(
                    format!("`{item}` stands here already; remove one"),
                    format!("`{item}` 已出现过，请删去其一"),
                );
                for &place in &places[1..] {
                    self.report.refuse(Fault::new("repeated-layer", message.clone(), text.clone(), place));
                }
            }
        }
        for (name, place) in names {
            let fault = match self.modules.find(name) {
                None => {
                    let text = Text::new(
                        format!("The network has no layer `{name}`; names are compared exactly"),
                        format!("网络中没有名为 `{name}` 的层；层名须完全一致"),
                    );
                    let message = format!("Layer {name} does not exist in the model.");
                    let fault = Fault::new("unknown-layer", message, text, place);
                    fault.if_holds(self.modules.basis.absence())
                }
                Some(module) if module.layer.type_name.is_none() => {
                    undetermined.push(name.to_owned());
                    continue;
                }
                Some(module) if !TYPES.contains(&module.class()) => {
                    let class = module.class();
                    let text = Text::new(
                        format!("`{name}` is of type {class}; only Linear modules can be named here"),
                        format!("`{name}` 的类型是 {class}；此处只能写 Linear 层"),
                    );
                    let message = format!(
                        "The type of Layer {name} is {class}, it does not support in kv_cache_quant_layers."
                    );
                    Fault::new("not-quantizable", message, text, place).if_holds(module.certainty)
                }
                Some(_) => continue,
            };
            self.report.refuse(fault);
        }
    }

    /// Section 2 and the order of section 5.
    fn decide(&self) -> Vec<Decided<'a>> {
        let config = self.config;
        let mut seen = HashSet::new();
        let names = config.quant_layers.iter().map(|name| name.value.as_str());
        let names = names.chain(config.overrides.iter().map(Override::name));
        let names = names.filter(|name| seen.insert(*name));
        names
            .map(|name| Decided {
                name,
                entry: self.overrides.get(name).copied(),
                certainty: self.modules.find(name).map_or(Certainty::Known, |module| module.certainty),
            })
            .collect()
    }

    /// Section 3, steps 6 and 7, and the layers that a global key overwrites.
    fn check_reserved(&mut self, decided: &[Decided<'_>]) {
        if decided.is_empty() {
            let message = "No quant enable layer in quant config file, please check the quant config file.";
            let text = Text::new(
                "No layer is named, so nothing would be quantised; write quant_layers or an override",
                "没有指定任何层，不会量化任何内容；请写 quant_layers 或重写块",
            );
            let fault = Fault::new("nothing-to-do", message, text, Place::FILE);
            self.report.refuse(fault.of_type("RuntimeError"));
            return;
        }
        let reserved = Text::new(
            "A layer is called like a global key of AMCT's JSON; rename it in the network",
            "有层与 AMCT 结果 JSON 的全局键重名；请在网络中改名",
        );
        if decided.iter().any(|layer| layer.name == "activation_offset")
            && self.config.activation_offset.is_none()
        {
            let message = "Type of ActivationOffset should be <class 'bool'>, but is <class \
                           'collections.OrderedDict'>";
            let fault = Fault::new("reserved-layer-name", message, reserved, Place::FILE);
            self.report.refuse(fault.of_type("TypeError").about("activation_offset"));
        } else if decided.iter().all(|layer| self.is_lost(layer.name)) {
            let message = "'NoneType' object has no attribute 'items'";
            let fault = Fault::new("reserved-layer-name", message, reserved, Place::FILE);
            self.report.refuse(fault.of_type("AttributeError"));
        }
    }

    fn is_lost(&self, name: &str) -> bool {
        name == "batch_num" || name == "activation_offset" && self.config.activation_offset.is_some()
    }

    fn activation(&self, layer: &Decided<'_>) -> Activation {
        let block = match layer.entry {
            Some(index) => &self.config.overrides[index].activation,
            None => &self.config.common,
        };
        block.clone().unwrap_or_else(|| Activation::Ifmr(Ifmr::default()))
    }

    /// Section 4. AMCT's texts name no layer.
    fn check_range(&mut self, layer: &Decided<'_>) {
        let activation = self.activation(layer);
        let mut refuse = |message: String, text: Text, place| {
            let fault = Fault::new("value-out-of-range", message, text, place);
            self.report.refuse(fault.about(layer.name).if_holds(layer.certainty));
        };
        match activation {
            Activation::Ifmr(ifmr) => {
                let [max, _, start, end, step] = ifmr.values();
                if max <= 0.5 || max > 1.0 {
                    let message = "The max_percentile must be greater than 0.5 and less than or equal to 1.0";
                    let text = Text::new(
                        "`max_percentile` must be above 0.5 and at most 1",
                        "`max_percentile` 必须大于 0.5 且不大于 1",
                    );
                    refuse(message.to_owned(), text, ifmr.place(&ifmr.max));
                }
                if start > end {
                    let text = Text::new(
                        "`search_range_start` must not be above `search_range_end`",
                        "`search_range_start` 不能大于 `search_range_end`",
                    );
                    let message = "Search range start must smaller than search range end";
                    refuse(message.to_owned(), text, ifmr.place(&ifmr.start));
                }
                if step <= 0.0 {
                    let text = Text::new("`search_step` must be above 0", "`search_step` 必须大于 0");
                    let message = "Search step must be greater than zero";
                    refuse(message.to_owned(), text, ifmr.place(&ifmr.step));
                }
            }
            Activation::Hfmg(hfmg) if !hfmg.has_good_bins() => {
                let bins = hfmg.bins();
                let message = format!("num_of_bins {bins} must be in [1024, 2048, 4096, 8192]");
                refuse(message, bad_bins(bins), hfmg.bins_place());
            }
            Activation::Hfmg(_) => {}
        }
    }

    fn build(self, decided: &[Decided<'a>], undetermined: Vec<String>) -> TableAnswer {
        let config = self.config;
        let offset = config.activation_offset.as_ref().is_none_or(|offset| offset.value);
        let batch_num = config.batch_num.as_ref().map_or(1, |batch_num| batch_num.value as i64);
        let entry = |key: &str, value: Json| (key.to_owned(), value);
        let mut keys =
            vec![entry("batch_num", Json::Int(batch_num)), entry("activation_offset", Json::Bool(offset))];
        let mut layers = Vec::new();
        let mut users: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for layer in decided.iter().filter(|layer| !self.is_lost(layer.name)) {
            let activation = self.activation(layer);
            let values = to_json(&activation);
            keys.push(entry(layer.name, values.clone()));
            users.entry(layer.entry).or_default().push(layers.len());
            let with_offset =
                activation.common().asymmetric.as_ref().map_or(offset, |asymmetric| asymmetric.value);
            let explained = ExplainedLayer {
                name: layer.name.to_owned(),
                type_name: self.modules.find(layer.name).and_then(|module| module.layer.type_name.clone()),
                enabled: true,
                source: Self::source(layer.entry),
                skip_by_name: false,
                skip_by_type: false,
                values,
                extra: vec![("effective_with_offset", Json::Bool(with_offset))],
                because: self.reasons(layer, &activation, with_offset),
                certainty: layer.certainty,
            };
            layers.push((explained, brief(&activation)));
        }
        let mut blocks = Vec::new();
        let default = Activation::Ifmr(Ifmr::default());
        let values = |activation: &Option<Activation>| brief(activation.as_ref().unwrap_or(&default));
        let common = Block {
            kind: BlockKind::Global,
            places: config.common_place.into_iter().collect(),
            layers: users.remove(&None).unwrap_or_default(),
        };
        blocks.push((common, values(&config.common)));
        for (index, entry) in config.overrides.iter().enumerate() {
            let kind = BlockKind::ByName(index, entry.name().to_owned());
            let layers = users.remove(&Some(index)).unwrap_or_default();
            blocks.push((Block { kind, places: vec![entry.place], layers }, values(&entry.activation)));
        }
        TableAnswer {
            basis: self.modules.basis,
            findings: self.findings(decided),
            report: self.report,
            undetermined,
            layers,
            output: Json::Object(keys).to_python(),
            blocks,
            skips: Vec::new(),
            unwritten: Vec::new(),
            types: TYPES,
            aspect: Aspect::Quantised,
        }
    }

    fn source(entry: Option<usize>) -> &'static str {
        match entry {
            Some(_) => OVERRIDE,
            None => COMMON,
        }
    }

    fn reasons(&self, layer: &Decided<'_>, activation: &Activation, with_offset: bool) -> Vec<Reason> {
        let config = self.config;
        let mut reasons = Vec::new();
        let mut add = |kind, place| reasons.push(Reason { kind, place });
        match layer.entry {
            Some(index) => {
                let entry = &config.overrides[index];
                let kind = ReasonKind::Override { field: OVERRIDE, key: entry.name().to_owned() };
                add(kind, Some(entry.name_place()));
            }
            None if config.common.is_some() => {
                add(ReasonKind::Global { field: COMMON }, config.common_place);
            }
            None => add(ReasonKind::Default, None),
        }
        for reason in activation.reasons() {
            add(reason.kind, reason.place);
        }
        if activation.common().asymmetric.is_none() {
            let text = Text::new(
                format!("no `asymmetric` here: `activation_offset` decides, {with_offset}"),
                format!("此处没有 `asymmetric`：由 `activation_offset` 决定，为 {with_offset}"),
            );
            add(ReasonKind::Plain(text), config.activation_offset.as_ref().map(|offset| offset.place));
        }
        reasons
    }

    /// Section 6: what is legal and hardly meant.
    fn findings(&self, decided: &[Decided<'_>]) -> Vec<Finding> {
        let config = self.config;
        let mut findings = Vec::new();
        let mut add = |code, text, place| {
            findings.push(Finding {
                kind: FindingKind::Plain { code, level: Level::Warning, text },
                place,
                related: Vec::new(),
                certainty: Certainty::Known,
            });
        };
        let asymmetric = config.common.as_ref().and_then(|common| common.common().asymmetric.as_ref());
        for entry in &config.overrides {
            if entry.activation.is_none() && config.common.is_some() {
                let name = entry.name();
                let text = Text::new(
                    format!("The override for `{name}` sets nothing: it resets the layer to AMCT's defaults"),
                    format!("`{name}` 的重写块没有任何设置：会把该层重置为 AMCT 默认值"),
                );
                add("bare-override", text, entry.name_place());
            } else if let Some(outer) = asymmetric
                && entry.activation.as_ref().is_some_and(|own| own.common().asymmetric.is_none())
            {
                let (name, value) = (entry.name(), outer.value);
                let text = Text::new(
                    format!(
                        "The override for `{name}` does not inherit `asymmetric: {value}`; repeat it here"
                    ),
                    format!("`{name}` 的重写块不继承 `asymmetric: {value}`；请在此处重写"),
                );
                add("override-drops-values", text, entry.name_place());
            }
        }
        if let Some(place) = config.common_place
            && config.common.is_some()
            && self.modules.basis != Basis::Incomplete
            && !decided.is_empty()
            && decided.iter().all(|layer| layer.entry.is_some())
        {
            let text = Text::new(
                "No layer uses this calibration, so AMCT does not even check it",
                "没有层使用此校准配置，AMCT 不会检查它",
            );
            add("block-without-effect", text, place);
        }
        for activation in
            config.overrides.iter().filter_map(|entry| entry.activation.as_ref()).chain(&config.common)
        {
            if let Activation::Ifmr(ifmr) = activation {
                // That `min_percentile` makes sense is held against its advised range already.
                let [_, _, start, end, step] = ifmr.values();
                if start <= 0.0 || start == end {
                    let text = Text::new(
                        "A search range must be positive and not empty; AMCT does not check it here",
                        "搜索范围应为正且非空，但 AMCT 在此处不检查",
                    );
                    add("senseless-value", text, ifmr.place(&ifmr.start));
                }
                if step > end - start && start < end {
                    let text = Text::new(
                        "`search_step` is larger than the search range; AMCT does not check it here",
                        "`search_step` 大于搜索范围，但 AMCT 在此处不检查",
                    );
                    add("senseless-value", text, ifmr.place(&ifmr.step));
                }
            }
        }
        findings
    }
}

/// What is wrong with a number of bins.
pub(super) fn bad_bins(bins: u64) -> Text {
    Text::new(
        format!("`num_of_bins` must be 1024, 2048, 4096 or 8192 and is {bins}"),
        format!("`num_of_bins` 必须是 1024、2048、4096 或 8192，现为 {bins}"),
    )
}

fn to_json(activation: &Activation) -> Json {
    let entry = |key: &str, value: Json| (key.to_owned(), value);
    let mut keys = vec![entry("act_algo", Json::string(activation.algorithm()))];
    match activation {
        Activation::Ifmr(ifmr) => keys.extend(ifmr.to_json()),
        Activation::Hfmg(hfmg) => keys.push(entry("num_of_bins", Json::Int(hfmg.bins() as i64))),
    }
    let common = activation.common();
    keys.extend(common.asymmetric.as_ref().map(|value| entry("asymmetric", Json::Bool(value.value))));
    let is_channel = common.granularity.as_ref().is_some_and(|value| value.value == "per_channel");
    keys.push(entry("quant_granularity", Json::Int(i64::from(is_channel))));
    Json::Object(vec![entry("kv_data_quant_config", Json::Object(keys))])
}

/// How activations are calibrated, in short.
pub(super) fn brief(activation: &Activation) -> Text {
    let text = match activation {
        Activation::Ifmr(ifmr) => {
            let [_, _, start, end, step] = ifmr.values();
            use super::calibration::short;
            format!("ifmr {}..{} step {}", short(start), short(end), short(step))
        }
        Activation::Hfmg(hfmg @ Hfmg { .. }) => format!("hfmg {} bins", hfmg.bins()),
    };
    Text::new(text.clone(), text)
}
