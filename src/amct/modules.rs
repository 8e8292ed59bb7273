//! The modules of a PyTorch network as `named_modules()` lists them, for the engines that look names up there.

use std::collections::HashMap;

use super::basis::Basis;
use super::certainty::{Assumption, Certainty};
use crate::inventory::{Layer, LayerList};

/// A network of modules. The root module, whose name is empty, always exists.
#[derive(Clone, Debug)]
pub struct Modules {
    /// Where the modules come from.
    pub basis: Basis,
    /// The modules, in network order.
    pub all: Vec<Module>,
    by_name: HashMap<String, usize>,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// What the layer list says about it.
    pub layer: Layer,
    /// Whether that is certain.
    pub certainty: Certainty,
}

impl Module {
    /// The class; empty when the list does not tell.
    pub fn class(&self) -> &str {
        self.layer.type_name.as_deref().unwrap_or_default()
    }

    /// True when its class is one of `types` and nothing else keeps AMCT from quantising it.
    pub fn is_quantizable(&self, types: &[&str]) -> bool {
        types.contains(&self.class()) && self.layer.quantizable != Some(false)
    }
}

impl Modules {
    /// The modules of a layer list.
    pub fn of_list(list: &LayerList) -> Self {
        let basis = if list.complete { Basis::Complete } else { Basis::Incomplete };
        let mut modules = Self { basis, all: Vec::new(), by_name: HashMap::new() };
        if list.layers.iter().all(|layer| !layer.name.is_empty()) {
            modules.add(Layer::new("", Some("Net")), Certainty::Known);
        }
        for layer in &list.layers {
            let is_certain = !layer.inferred;
            let certainty =
                if is_certain { Certainty::Known } else { Certainty::Assumed(Assumption::InferredType) };
            modules.add(layer.clone(), certainty);
        }
        modules
    }

    /// The modules that a file mentions, taken for layers of type `class`, and one of every type, named after it.
    pub fn supposed<'a>(names: impl IntoIterator<Item = &'a str>, class: &str, types: &[&str]) -> Self {
        let assumed = Certainty::Assumed(Assumption::NoLayerList);
        let mut modules = Self { basis: Basis::Supposed, all: Vec::new(), by_name: HashMap::new() };
        modules.add(Layer::new("", Some("Net")), assumed);
        for name in names {
            if modules.find(name).is_none() {
                modules.add(Layer::new(name, Some(class)), assumed);
            }
        }
        for &class in types {
            let mut name = class.to_owned();
            while modules.find(&name).is_some() {
                name.push('_');
            }
            modules.add(Layer::new(name, Some(class)), assumed);
        }
        modules
    }

    fn add(&mut self, layer: Layer, certainty: Certainty) {
        self.by_name.insert(layer.name.clone(), self.all.len());
        self.all.push(Module { layer, certainty });
    }

    /// The module of that name.
    pub fn find(&self, name: &str) -> Option<&Module> {
        self.by_name.get(name).map(|&index| &self.all[index])
    }

    /// AMCT's own operations in the network, as Python prints the dictionary of them; `None`: there is none.
    pub fn amct_operations(&self) -> Option<String> {
        let is_own = |class: &str| {
            class.starts_with("Ascend")
                || class.ends_with("QAT")
                || matches!(class, "IFMR" | "HFMG" | "DMQBalancer" | "ULQ" | "ARQ" | "SearchN" | "SearchNv2")
        };
        let own = self.all.iter().filter(|module| is_own(module.class()));
        let items: Vec<_> = own
            .map(|module| {
                let (name, class) = (&module.layer.name, module.class());
                format!("{}: {}", crate::python::str_repr(name), crate::python::str_repr(class))
            })
            .collect();
        (!items.is_empty()).then(|| format!("{{{}}}", items.join(", ")))
    }
}
