//! The checks of the file that `override_prune_cfg` names, and which layers it keeps from the search (section 3).

use std::collections::HashSet;

use super::{Left, OverrideContent, Run, TYPES};
use crate::amct::place::{Place, Placed};
use crate::amct::prune_kind::PruneKind;
use crate::amct::qat;
use crate::amct::qat::model::{Override, Pruner};
use crate::amct::repeats::Repeats;
use crate::amct::report::Fault;
use crate::amct::text::Text;
use crate::schema::builtin::{self, Dialect};

/// What the file is read as.
pub(super) const DIALECT: Dialect = Dialect::PytorchQat;

/// The fields that may stand in it.
const ALLOWED: &[&str] = &[
    "skip_layers",
    "skip_layer_types",
    "regular_prune_skip_layers",
    "regular_prune_skip_types",
    "override_layer_configs",
    "override_layer_types",
];

impl Run<'_> {
    /// Checks the file; for each layer that could be searched, why it is not.
    pub(super) fn read_overrides(&mut self, own: Option<&qat::Config>) -> Vec<Option<Left>> {
        let layers: Vec<_> = self.layers().collect();
        let Some(path) = self.config.override_prune_cfg.as_ref() else { return vec![None; layers.len()] };
        self.check_file(path);
        let Some(own) = own else { return vec![None; layers.len()] };
        self.check_content(own, path.place);
        let set = |lists: [&[Placed<String>]; 2]| -> HashSet<String> {
            lists.into_iter().flatten().map(|item| item.value.clone()).collect()
        };
        let names = set([&own.skip_layers, &own.regular_prune_skip_layers]);
        let types = set([&own.skip_layer_types, &own.regular_prune_skip_types]);
        let keys = |entries: &[Override]| -> HashSet<String> {
            let fixed = entries.iter().filter(|entry| is_filter(entry));
            fixed.map(|entry| entry.key().to_owned()).collect()
        };
        let (by_name, by_type) = (keys(&own.by_name), keys(&own.by_type));
        let left: Vec<_> = layers
            .iter()
            .map(|layer| {
                let class =
                    layer.layer_type.map(|kind| qat::Framework::PyTorch.type_name(kind)).unwrap_or_default();
                if by_name.contains(&layer.name) {
                    Some(Left::ByName)
                } else if names.contains(&layer.name) {
                    Some(Left::SkippedByName)
                } else if by_type.contains(class) {
                    Some(Left::ByType)
                } else {
                    types.contains(class).then_some(Left::SkippedByType)
                }
            })
            .collect();
        if !left.is_empty() && left.iter().all(Option::is_some) {
            let text = Text::new(
                "Every layer is fixed or skipped, so there is nothing to search",
                "所有层都已固定或跳过，没有可搜索的层",
            );
            let message =
                "no layer to be searched, please make sure not all layers are overrided or skipped.";
            let fault = Fault::new("all-layers-off", message, text, path.place);
            self.report.refuse(fault.if_holds(self.network.absence()));
        }
        left
    }

    fn check_file(&mut self, path: &Placed<String>) {
        let Some(file) = self.file else { return };
        let shown = &file.shown;
        let fault = match &file.content {
            OverrideContent::Values(_) => return,
            OverrideContent::Missing => {
                let message = format!(
                    "The {shown} in AutoChannelPruneConfig does not exist, please check the file path."
                );
                let text = Text::new(
                    format!(
                        "There is no file {shown}; the path is resolved from the folder that AMCT runs in"
                    ),
                    format!("文件 {shown} 不存在；路径相对于 AMCT 的运行目录"),
                );
                Fault::new("override-file-missing", message, text, path.place)
            }
            OverrideContent::Folder => {
                let message = format!("[Errno 21] Is a directory: {}", crate::python::str_repr(shown));
                let text = Text::new(format!("{shown} is a folder"), format!("{shown} 是文件夹"));
                let fault = Fault::new("override-file-missing", message, text, path.place);
                fault.of_type("IsADirectoryError")
            }
            OverrideContent::Refused(kind, message) => {
                let text = Text::new(format!("AMCT cannot read {shown}"), format!("AMCT 无法读取 {shown}"));
                let fault = Fault::new("override-file-broken", message.clone(), text, path.place);
                fault.of_type(kind)
            }
        };
        self.report.refuse(fault.if_holds(file.certainty));
    }

    fn refuse(&mut self, message: impl Into<String>, text: Text, place: Place) {
        let certainty = self.file.map_or(crate::amct::Certainty::Known, |file| file.certainty);
        let fault = Fault::new("bad-override-file", message, text, place);
        self.report.refuse(fault.if_holds(certainty));
    }

    fn check_content(&mut self, own: &qat::Config, place: Place) {
        let schema = builtin::schema(DIALECT);
        if let Some(OverrideContent::Values(values)) = self.file.map(|file| &file.content) {
            let message = schema.message(values.message);
            let foreign = values.fields.iter().map(|set| &message.field(set.field).name);
            if let Some(field) = foreign.filter(|name| !ALLOWED.contains(&name.as_str())).min() {
                let text = Text::new(
                    format!(
                        "`{field}` must not stand in the override file, which takes overrides and skips only"
                    ),
                    format!("重写文件中不能有 `{field}`，只允许重写和跳过"),
                );
                self.refuse("override_prune_cfg should contain only override or skip config.", text, place);
            }
        }
        self.check_repeats("retrain_override_layers", &own.by_name, place);
        self.check_entries("override_layer_configs", &own.by_name, place);
        for entry in own.by_name.iter().filter(|entry| is_filter(entry)) {
            if !self.network.can_prune(entry.key(), PruneKind::Filter) {
                let text = not_prunable(entry.key());
                self.refuse("some override_layer not in valid_layers for filter prune", text, place);
            }
        }
        self.check_repeats("override_layer_types", &own.by_type, place);
        self.check_entries("override_layer_types", &own.by_type, place);
        for entry in own.by_type.iter().filter(|entry| is_filter(entry)) {
            if !TYPES.contains(&entry.key()) {
                let text = not_prunable(entry.key());
                self.refuse("some override_types not supported for filter prune", text, place);
            }
        }
        self.warn_repeats("skip_layers", &own.skip_layers, place);
        self.warn_repeats("skip_layer_types", &own.skip_layer_types, place);
        self.warn_repeats("regular_prune_skip_layers", &own.regular_prune_skip_layers, place);
        self.warn_repeats("regular_prune_skip_types", &own.regular_prune_skip_types, place);
        for item in own.skip_layers.iter().chain(&own.regular_prune_skip_layers) {
            if !self.network.can_prune(&item.value, PruneKind::Filter) {
                let text = not_prunable(&item.value);
                self.refuse("some regular_prune_skip_layers not in valid_layers", text, place);
            }
        }
        for item in own.skip_layer_types.iter().chain(&own.regular_prune_skip_types) {
            if !TYPES.contains(&item.value.as_str()) {
                let text = not_prunable(&item.value);
                self.refuse("some regular_prune_skip_types not supported", text, place);
            }
        }
    }

    fn check_repeats(&mut self, list: &str, entries: &[Override], place: Place) {
        let repeats = Repeats::find_pairs(entries.iter().map(|entry| (entry.key(), entry.place)));
        if !repeats.is_empty() {
            let items = repeats.python_list();
            let text = Text::new(
                format!("The override file names {items} more than once"),
                format!("重写文件中 {items} 出现多次"),
            );
            let message = format!("Please delete repeated items in {list},  repeated items are {items} ");
            self.refuse(message, text, place);
        }
    }

    fn warn_repeats(&mut self, list: &str, items: &[Placed<String>], place: Place) {
        let repeats = Repeats::find(items);
        if !repeats.is_empty() {
            self.report.warn(repeats.warning(list), vec![place]);
        }
    }

    /// An empty `prune_config` is legal by name and illegal by type.
    fn check_entries(&mut self, list: &str, entries: &[Override], place: Place) {
        let is_bad = |entry: &&Override| {
            let block = &entry.block;
            let is_selective = matches!(block.pruner(), Some(Pruner::Selective { .. }));
            let is_empty = block.prune.as_ref().is_some_and(|prune| prune.pruner.is_none());
            block.has_quantization() || is_selective || is_empty && list == "override_layer_types"
        };
        if let Some(entry) = entries.iter().find(is_bad) {
            let key = entry.key();
            let text = Text::new(
                format!("The override for `{key}` may hold filter_pruner only"),
                format!("`{key}` 的重写块只能含 filter_pruner"),
            );
            let message = format!("{list} in override_prune_cfg should contain only filter_pruner config.");
            self.refuse(message, text, place);
        }
    }
}

fn is_filter(entry: &Override) -> bool {
    matches!(entry.block.pruner(), Some(Pruner::Filter { .. }))
}

fn not_prunable(item: &str) -> Text {
    Text::new(
        format!("`{item}` in the override file is nothing whose channels can be pruned"),
        format!("重写文件中的 `{item}` 不能做通道稀疏"),
    )
}
