//! Which layers are distilled together: the groups of the file and the automatic ones (section 5).

use std::collections::{HashMap, HashSet};

use super::{Resolved, Run, is_distillable};
use crate::amct::basis::Basis;
use crate::amct::modules::{Module, Modules};
use crate::amct::place::Place;
use crate::amct::report::Fault;
use crate::amct::text::Text;

/// Types of the members of a group in a file.
const MEMBERS: &[&str] =
    &["Conv2d", "Linear", "BatchNorm2d", "ReLU", "LeakyReLU", "Sigmoid", "Tanh", "Softmax"];
/// What an automatic unit may end with.
const ACTIVATIONS: &[&str] = &["ReLU", "LeakyReLU", "Sigmoid", "Tanh", "Softmax"];
/// Modules that keep their name in the graph (A2).
const NAMED: &[&str] = &[
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Linear",
    "AvgPool2d",
    "LSTM",
    "GRU",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "Sigmoid",
    "Tanh",
    "Softmax",
];

/// What came of the groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The names of the members; `None` for a node without name.
    pub(super) all: Vec<Vec<Option<String>>>,
    /// The groups of the file that AMCT drops without a word.
    pub(super) dropped: Vec<Place>,
}

/// The nodes of the network and the data that flows between them.
struct Graph<'a> {
    nodes: Vec<&'a Module>,
    inputs: Vec<Vec<usize>>,
    consumers: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn of(modules: &'a Modules) -> Self {
        let mut graph = Self { nodes: Vec::new(), inputs: Vec::new(), consumers: Vec::new() };
        // What a name stands for: its node, or for a module that leaves none what feeds it.
        let mut outputs: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut last: Vec<usize> = Vec::new();
        for module in modules.all.iter().filter(|module| !module.layer.name.is_empty()) {
            let inputs: Vec<usize> = match &module.layer.inputs {
                None => last.clone(),
                Some(names) => {
                    let known = names.iter().filter_map(|name| outputs.get(name.as_str()));
                    known.flatten().copied().collect()
                }
            };
            let is_node = !module.class().starts_with("Dropout");
            last = if is_node {
                graph.nodes.push(module);
                graph.inputs.push(inputs);
                vec![graph.nodes.len() - 1]
            } else {
                inputs
            };
            outputs.insert(&module.layer.name, last.clone());
        }
        graph.consumers = vec![Vec::new(); graph.nodes.len()];
        for (node, inputs) in graph.inputs.iter().enumerate() {
            inputs.iter().for_each(|&input| graph.consumers[input].push(node));
        }
        graph
    }

    /// The module name that a node has in the graph.
    fn module_name(&self, node: usize) -> Option<&'a str> {
        let module = self.nodes[node];
        let is_named = module.layer.module && NAMED.contains(&module.class());
        is_named.then_some(module.layer.name.as_str())
    }

    fn find(&self, name: &str) -> Option<usize> {
        (0..self.nodes.len()).find(|&node| self.module_name(node) == Some(name))
    }

    /// The only path between two nodes.
    fn only_route(&self, start: usize, end: usize) -> Option<Vec<usize>> {
        // How many ways lead from a node to the end; two count as many. Consumers stand behind what they consume.
        let mut ways = vec![0_u8; self.nodes.len()];
        ways[end] = 1;
        for node in (start..end).rev() {
            let sum: u32 = self.consumers[node].iter().map(|&next| u32::from(ways[next])).sum();
            ways[node] = sum.min(2) as u8;
        }
        if start > end || ways[start] != 1 {
            return None;
        }
        let mut route = vec![start];
        while let Some(&node) = route.last()
            && node != end
        {
            route.push(*self.consumers[node].iter().find(|&&next| ways[next] == 1)?);
        }
        Some(route)
    }

    /// The one node that takes the output of another.
    fn only_consumer(&self, node: usize) -> Option<usize> {
        match self.consumers[node][..] {
            [next] => Some(next),
            _ => None,
        }
    }

    /// An automatic unit: a layer, its batch normalisation, its activation.
    fn unit(&self, layer: usize) -> Option<Vec<usize>> {
        let mut unit = vec![layer];
        let class = |node: usize| self.nodes[node].class();
        let mut end = layer;
        if let Some(next) = self.only_consumer(end)
            && class(next).starts_with("BatchNorm")
        {
            if class(next) != "BatchNorm2d" || self.nodes[next].layer.reused {
                return None;
            }
            unit.push(next);
            end = next;
        }
        if let Some(next) = self.only_consumer(end).filter(|&next| ACTIVATIONS.contains(&class(next))) {
            unit.push(next);
        }
        Some(unit)
    }
}

impl Run<'_> {
    /// The groups, and what AMCT refuses of those in the file.
    pub(super) fn groups(&mut self, layers: &[Resolved<'_>]) -> Groups {
        // Without layers nothing is known of the edges between them.
        if self.modules.basis == Basis::Supposed || layers.is_empty() {
            return Groups::default();
        }
        let graph = Graph::of(self.modules);
        let routes = self.routes(&graph);
        self.check_members(&graph, &routes);
        let groups = self.assign(&graph, &routes);
        if groups.all.is_empty() {
            let text = Text::new("There is no group to distill", "没有可蒸馏的组");
            let message = "Not found distill group in graph, please check the model or cfg file.";
            let fault = Fault::new("no-group", message, text, Place::FILE);
            self.report.refuse(fault.if_holds(self.modules.basis.absence()));
        }
        groups
    }

    fn routes(&mut self, graph: &Graph<'_>) -> Vec<Option<Vec<usize>>> {
        let config = self.config;
        let mut routes = Vec::new();
        for group in &config.groups {
            let ends = graph.find(&group.start).zip(graph.find(&group.end));
            let route = ends.and_then(|(start, end)| graph.only_route(start, end));
            if let Some(module) = ends.map(|(start, _)| graph.nodes[start]).filter(|node| node.layer.reused) {
                let start = &group.start;
                let text = Text::new(
                    format!("`{start}` is called more than once, so no group can start there"),
                    format!("`{start}` 被多次调用，不能作为组的首层"),
                );
                let message =
                    format!("Not support module {start} be reused as a start layer of distill_group");
                let fault = Fault::new("reused-group-start", message, text, group.place);
                self.report.refuse(fault.if_holds(module.certainty));
            } else if route.is_none() {
                let (start, end) = (&group.start, &group.end);
                let text = Text::new(
                    format!("There is no path, or more than one, from `{start}` to `{end}`"),
                    format!("从 `{start}` 到 `{end}` 没有路径，或不止一条"),
                );
                let message = format!(
                    "Can not find an only route from start_layer_name({start}) to end_layer_name({end}), please check \
                     whether layer in model and in right order."
                );
                let fault = Fault::new("no-only-route", message, text, group.place);
                self.report.refuse(fault.if_holds(self.modules.basis.absence()));
            }
            routes.push(route);
        }
        routes
    }

    fn check_members(&mut self, graph: &Graph<'_>, routes: &[Option<Vec<usize>>]) {
        let config = self.config;
        for (group, route) in config.groups.iter().zip(routes) {
            for &node in route.iter().flatten() {
                let class = graph.nodes[node].class();
                let shown = group.shown();
                let (message, text) = match graph.module_name(node) {
                    None => (
                        format!("layer [None] in {shown} not exist or not a nn.Module object."),
                        Text::new(
                            format!("The group goes through a {class}, which cannot be a member"),
                            format!("该组经过 {class}，而它不能作为成员"),
                        ),
                    ),
                    Some(name) if !MEMBERS.contains(&class) => (
                        format!(
                            "layer [{name}] in {shown} is not a supported type{}.",
                            crate::python::list_repr(MEMBERS.iter().copied())
                        ),
                        Text::new(
                            format!("`{name}` is a {class}, which cannot be a member of a group"),
                            format!("`{name}` 是 {class}，不能作为组的成员"),
                        ),
                    ),
                    Some(_) => continue,
                };
                let fault = Fault::new("bad-group-member", message, text, group.place);
                self.report.refuse(fault.if_holds(graph.nodes[node].certainty));
            }
        }
        for (at, (first, a)) in config.groups.iter().zip(routes).enumerate() {
            for (second, b) in config.groups.iter().zip(routes).skip(at + 1) {
                let (Some(a), Some(b)) = (a, b) else { continue };
                if a.iter().any(|node| b.contains(node)) {
                    let text = Text::new("Two groups share a layer", "两个组含有相同的层");
                    let message =
                        format!("There is an intersection between {} and {}", first.shown(), second.shown());
                    self.report.refuse(Fault::new("groups-intersect", message, text, second.place));
                }
            }
        }
    }

    /// The groups in network order.
    fn assign(&self, graph: &Graph<'_>, routes: &[Option<Vec<usize>>]) -> Groups {
        let group_size = self.config.group_size.as_ref().map_or(1, |size| size.value);
        let named: HashSet<usize> = routes.iter().flatten().flatten().copied().collect();
        let is_free = |node: usize| is_distillable(graph.nodes[node]) && !named.contains(&node);
        let mut taken = vec![false; graph.nodes.len()];
        let mut groups = Groups::default();
        for node in 0..graph.nodes.len() {
            if taken[node] {
                continue;
            }
            let own = routes.iter().flatten().find(|route| route[0] == node);
            let members = match own {
                Some(route) => route.clone(),
                None if is_free(node) => {
                    let Some(mut members) = graph.unit(node) else { continue };
                    for _ in 1..group_size.min(graph.nodes.len() as u64) {
                        let next = members.last().and_then(|&end| graph.only_consumer(end));
                        let unit = next.filter(|&next| is_free(next)).and_then(|next| graph.unit(next));
                        let Some(unit) = unit else { break };
                        members.extend(unit);
                    }
                    members
                }
                None => continue,
            };
            members.iter().for_each(|&member| taken[member] = true);
            let names = members.iter().map(|&member| graph.module_name(member).map(str::to_owned));
            groups.all.push(names.collect());
        }
        for (group, route) in self.config.groups.iter().zip(routes) {
            if let Some(route) = route
                && !groups.all.iter().any(|members| {
                    members.len() == route.len()
                        && members.first().and_then(|name| name.as_deref()) == graph.module_name(route[0])
                })
            {
                groups.dropped.push(group.place);
            }
        }
        groups
    }
}
