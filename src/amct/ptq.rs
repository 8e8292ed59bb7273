//! Post-training quantisation: `AMCTConfig` of PyTorch, read by `create_quant_config` (amct-semantics-ptq.md; its section
//! numbers are used here).

mod answer;
mod checks;
mod model;
mod ranges;
mod resolve;
mod types;

use std::sync::Arc;

use super::answer::Answer;
use super::modules::Modules;
use super::place::Places;
use super::report::Report;
use crate::inventory::LayerList;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

use model::Config;
use resolve::Resolved;

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
            let lists = [&config.skip_layers, &config.skip_fusion_layers];
            let names = lists.into_iter().flatten().map(|name| name.value.as_str());
            let overridden = config.by_name.iter().map(|entry| entry.key());
            let names = names.chain(overridden).filter(|name| !name.is_empty());
            Modules::supposed(names, "Conv2d", types::QUANTIZABLE)
        }
    };
    let mut run = Run { config: &config, modules: &modules, report: Report::new(modules.basis) };
    run.check_names();
    let mut resolved = run.resolve();
    run.check_network(&resolved);
    run.correct(&mut resolved);
    run.check_globals();
    for layer in &resolved {
        run.check_ranges(layer);
    }
    resolve::drop_ada(&config, &mut resolved);
    (Arc::new(run.answer(resolved)), places)
}

/// One run of the engine.
struct Run<'a> {
    config: &'a Config,
    modules: &'a Modules,
    report: Report,
}

impl<'a> Run<'a> {
    fn find_entry(&self, resolved: &Resolved<'a>) -> Option<&'a model::Override> {
        match resolved.source {
            resolve::Source::ByName(index) => self.config.by_name.get(index),
            resolve::Source::ByType(index) => self.config.by_type.get(index),
            _ => None,
        }
    }
}
