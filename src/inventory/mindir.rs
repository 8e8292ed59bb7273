//! Graphs of MindSpore: the scope of each node spells the path of its cell with the classes on the way, such as
//! `Default/layer1-SequentialCell/0-Block/dw-Conv2d/Conv2D-op0`. Cells that are not called are missing.

use std::collections::{HashMap, HashSet};

use super::Layer;
use super::model::ModelError;
use super::parameters::{Parameter, Parameters, layer};
use super::wire::Wire;

/// The cells without cells inside, in the order in which the graph calls them.
pub(super) fn layers(wire: &mut Wire<'_>) -> Result<Vec<Layer>, ModelError> {
    let mut graph = Graph::default();
    wire.fields(|wire, field| {
        // `graph`, and `functions` with the graphs that it calls.
        if !matches!(field.number, 7 | 8) {
            return Ok(false);
        }
        wire.message(field, |wire| graph.read(wire))?;
        Ok(true)
    })?;
    let parameters = Parameters::of(graph.parameters);
    let outer = |name: &str| {
        let ends = name.match_indices('.').map(|(at, _)| at).collect::<Vec<_>>();
        ends.into_iter().map(|end| name[..end].to_owned()).collect::<Vec<_>>()
    };
    let containers: HashSet<String> = graph.order.iter().flat_map(|name| outer(name)).collect();
    let cells = graph.order.iter().filter(|name| !containers.contains(*name));
    Ok(cells
        .map(|name| layer(name, graph.classes.get(name).map(String::as_str), parameters.find(name)))
        .collect())
}

#[derive(Default)]
struct Graph {
    order: Vec<String>,
    classes: HashMap<String, String>,
    parameters: Vec<Parameter>,
}

impl Graph {
    fn read(&mut self, wire: &mut Wire<'_>) -> Result<(), ModelError> {
        wire.fields(|wire, field| {
            match field.number {
                1 => wire.message(field, |wire| self.node(wire))?,
                3 => {
                    let parameter = wire.message(field, parameter)?;
                    self.parameters.push(parameter);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    fn node(&mut self, wire: &mut Wire<'_>) -> Result<(), ModelError> {
        let mut scope = String::new();
        wire.fields(|wire, field| {
            if field.number != 7 {
                return Ok(false);
            }
            scope = wire.name(field)?;
            Ok(true)
        })?;
        self.add(&scope);
        Ok(())
    }

    fn add(&mut self, scope: &str) {
        let mut parts = scope.split('/');
        // Other roots hold gradients and optimisers.
        if parts.next() != Some("Default") {
            return;
        }
        let parts: Vec<_> = parts.collect();
        let Some((operation, cells)) = parts.split_last().filter(|(_, cells)| !cells.is_empty()) else {
            return;
        };
        let is_bookkeeping = ["Load-", "UpdateState-", "Depend-"].iter().any(|op| operation.starts_with(op));
        let split: Option<Vec<_>> = cells.iter().map(|cell| cell.rsplit_once('-')).collect();
        let Some(split) = split.filter(|_| !is_bookkeeping) else { return };
        let name = split.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(".");
        if let Some((_, class)) = split.last()
            && !self.classes.contains_key(&name)
        {
            self.classes.insert(name.clone(), (*class).to_owned());
            self.order.push(name);
        }
    }
}

fn parameter(wire: &mut Wire<'_>) -> Result<Parameter, ModelError> {
    let mut parameter = Parameter::default();
    wire.fields(|wire, field| {
        match field.number {
            1 => wire.numbers(field, &mut parameter.shape)?,
            7 => parameter.name = wire.name(field)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    // The name of the graph stands before that of the parameter.
    if let Some((_, name)) = parameter.name.rsplit_once(':') {
        parameter.name = name.to_owned();
    }
    Ok(parameter)
}
