//! Distillation: `AMCTDistillConfig` of PyTorch, read by `create_distill_config` (amct-semantics-distill.md; its section
//! numbers are used here).

mod answer;
mod checks;
mod groups;
mod model;

use std::sync::Arc;

use super::answer::Answer;
use super::modules::{Module, Modules};
use super::place::Places;
use super::report::Report;
use crate::inventory::LayerList;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

use model::{Block, Config};

/// What can be distilled.
const TYPES: &[&str] = &["Conv2d", "Linear"];

/// Computes the answer for the values of a file.
pub fn answer(
    value: &MessageValue,
    schema: &Schema,
    layers: Option<&LayerList>,
) -> (Arc<dyn Answer>, Places) {
    let (config, places) = Config::bind(value, schema);
    let modules = match layers {
        Some(layers) => Modules::of_list(layers),
        None => {
            let skipped = config.quant_skip_layers.iter().map(|name| name.value.as_str());
            let overridden = config.by_name.iter().map(|entry| entry.key());
            let names = skipped.chain(overridden).filter(|name| !name.is_empty());
            Modules::supposed(names, "Conv2d", TYPES)
        }
    };
    let mut run = Run { config: &config, modules: &modules, report: Report::new(modules.basis) };
    run.check_names();
    let layers = run.resolve();
    run.check_types(&layers);
    let groups = run.groups(&layers);
    run.check_values(&layers);
    (Arc::new(run.answer(layers, groups)), places)
}

/// One run of the engine.
struct Run<'a> {
    config: &'a Config,
    modules: &'a Modules,
    report: Report,
}

/// Which block decides a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    ByName(usize),
    ByType(usize),
    Global,
    /// A skip: AMCT's defaults, whatever the blocks say.
    Skip,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::ByName(_) => "distill_override_layers",
            Self::ByType(_) => "distill_override_layer_types",
            Self::Global => "global",
            Self::Skip => "skip(defaults)",
        }
    }
}

/// A layer after resolution.
#[derive(Clone, Debug)]
struct Resolved<'a> {
    module: &'a Module,
    source: Source,
    skip_by_name: bool,
    skip_by_type: bool,
    block: Block,
}

impl<'a> Resolved<'a> {
    fn name(&self) -> &'a str {
        &self.module.layer.name
    }

    fn is_enabled(&self) -> bool {
        self.source != Source::Skip
    }

    fn channel_wise(&self) -> bool {
        let explicit = self.block.channel_wise.as_ref();
        explicit.map_or(self.module.class() != "Linear", |value| value.value)
    }
}

/// True for the layers that can be distilled (A3).
fn is_distillable(module: &Module) -> bool {
    module.is_quantizable(TYPES) && !module.layer.reused
}
