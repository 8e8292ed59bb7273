//! The checks of names, types and lists, before any block is read: steps 2 to 11 of section 2.

use std::collections::HashMap;

use super::Run;
use crate::amct::basis::Basis;
use crate::amct::certainty::Certainty;
use crate::amct::place::{Place, Placed};
use crate::amct::qat::model::{Override, PrunePart};
use crate::amct::refusal::{AmctError, Cause, Refusal, Warning};
use crate::amct::repeats::Repeats;
use crate::python;

/// How AMCT refuses an unknown type.
#[derive(Clone, Copy)]
enum TypeCheck {
    /// MindSpore: mapped to the types of the engine one by one.
    Mapped,
    /// PyTorch: the whole list against the supported types, with this text.
    Listed(&'static str),
}

impl Run<'_> {
    /// Section 2, step 2.
    pub(super) fn check_layers_exist(&mut self) {
        if self.network.layers.is_empty() {
            let absence = self.network.absence();
            let message = "Quant supported layer cannot be empty.";
            self.refuse(message, Cause::NoQuantizableLayer, Place::FILE, absence);
        }
    }

    /// Section 8. The check of overrides by type is missing in AMCT, which looks at those by name twice.
    pub(super) fn check_pruning_fields(&mut self) {
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
    pub(super) fn check_global_skips(&mut self) {
        let config = self.config;
        self.warn_repeats("skip_layers", &config.skip_layers);
        self.warn_repeats("skip_layer_types", &config.skip_layer_types);
        self.check_types(&config.skip_layer_types, TypeCheck::Mapped);
        let message = "some skip_layers not in valid_layers";
        let abilities = self.abilities;
        for item in &config.skip_layers {
            let is_known = self.network.find(&item.value).is_some()
                || abilities.prune && self.network.find_prunable(&item.value).is_some();
            if !is_known {
                self.refuse_name(&item.value, item.place, message);
            }
        }
        self.check_types(&config.skip_layer_types, TypeCheck::Listed("some skip_layer_types not supported"));
    }

    /// Section 2, steps 5 to 11.
    pub(super) fn check_quantization_fields(&mut self) {
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
        let message = "some quant_skip_layers not in valid_layers";
        if self.abilities.prune {
            let is_prunable = |item: &&Placed<String>| self.network.find_prunable(&item.value).is_some();
            let common: Vec<_> = config.skip_layers.iter().filter(is_prunable).collect();
            common.into_iter().for_each(|item| self.check_name(&item.value, item.place, message));
        }
        self.check_names(&config.quant_skip_layers, message);
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
        if self.network.find(name).is_none() {
            self.refuse_name(name, place, message);
        }
    }

    fn refuse_name(&mut self, name: &str, place: Place, message: &str) {
        let other_type = self.network.other_type(name).map(str::to_owned);
        let certainty = match other_type {
            Some(_) => Certainty::Known,
            // Without a layer list only a missing name is unknown, and no network has a layer without name.
            None if self.network.basis == Basis::Supposed => Certainty::Known,
            None => self.network.absence(),
        };
        self.refuse(message, Cause::UnknownLayer { name: name.to_owned(), other_type }, place, certainty);
    }

    /// AMCT goes through the set of the types.
    fn check_types(&mut self, types: &[Placed<String>], check: TypeCheck) {
        let first: HashMap<_, _> = types.iter().rev().map(|item| (item.value.as_str(), item.place)).collect();
        for name in python::set_order(types.iter().map(|name| name.value.as_str())) {
            if let Some(&place) = first.get(name) {
                self.check_type(name, place, check);
            }
        }
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
                let supported = python::list_repr(supported.iter().copied());
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
    pub(super) fn check_repeated_overrides(&mut self, list: &str, entries: &[Override]) {
        let repeats = Repeats::find_pairs(entries.iter().map(|entry| (entry.key(), entry.key_place())));
        let items = repeats.python_list();
        let message = format!("Please delete repeated items in {list},  repeated items are {items} ");
        let error = AmctError::value_error(message);
        for (key, places) in repeats.items {
            for &place in &places[1..] {
                self.push(Refusal {
                    error: error.clone(),
                    cause: Cause::RepeatedOverride { key: key.clone() },
                    place,
                    related: vec![places[0]],
                    layers: Vec::new(),
                    certainty: Certainty::Known,
                });
            }
        }
    }

    pub(super) fn warn_repeats(&mut self, list: &str, items: &[Placed<String>]) {
        let repeats = Repeats::find(items);
        if repeats.is_empty() || self.result.raised.is_some() {
            return;
        }
        self.result.warnings.push(Warning { message: repeats.warning(list), places: repeats.surplus() });
    }
}
