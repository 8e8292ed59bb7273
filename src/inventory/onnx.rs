//! Graphs in ONNX: nodes are numbered, so the names of layers are read off the weights that nodes use. Layers without
//! weights are missing, and every type is a guess from the operation.

use std::collections::HashSet;

use super::Layer;
use super::model::ModelError;
use super::parameters::{Parameter, Parameters, layer};
use super::wire::Wire;

/// The layers behind the weights, in the order of the nodes.
pub(super) fn layers(wire: &mut Wire<'_>) -> Result<Vec<Layer>, ModelError> {
    let mut producer = Producer::Other;
    let mut graph = Graph::default();
    wire.fields(|wire, field| {
        match field.number {
            2 => {
                if wire.name(field)?.eq_ignore_ascii_case("pytorch") {
                    producer = Producer::PyTorch;
                }
            }
            7 => wire.message(field, |wire| graph.read(wire))?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let initializers: HashSet<String> = graph.parameters.iter().map(|p| p.name.clone()).collect();
    let parameters = Parameters::of(graph.parameters);
    let mut seen = HashSet::new();
    let mut layers = Vec::new();
    for node in graph.nodes {
        let weight = node.inputs.iter().find(|input| initializers.contains(*input));
        let Some((name, _)) = weight.and_then(|weight| weight.rsplit_once('.')) else { continue };
        let known = parameters.find(name);
        let dimensions = known.and_then(|known| known.weight.as_ref()).map_or(0, Vec::len);
        if seen.insert(name.to_owned()) {
            let class = class(&node.operation, dimensions, producer);
            let mut layer = layer(name, class, known);
            layer.int4_packable &= node.groups <= 1;
            layer.inferred = true;
            layers.push(layer);
        }
    }
    Ok(layers)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Producer {
    PyTorch,
    Other,
}

/// The class that an operation comes from, in the names of the framework.
fn class(operation: &str, dimensions: usize, producer: Producer) -> Option<&'static str> {
    let is_torch = producer == Producer::PyTorch;
    Some(match (operation, dimensions) {
        ("Conv", 3) => "Conv1d",
        ("Conv", 4) => "Conv2d",
        ("Conv", 5) => "Conv3d",
        ("ConvTranspose", 3) if is_torch => "ConvTranspose1d",
        ("ConvTranspose", 4) if is_torch => "ConvTranspose2d",
        ("ConvTranspose", 4) => "Conv2dTranspose",
        ("Gemm" | "MatMul" | "Add", 2) if is_torch => "Linear",
        ("Gemm" | "MatMul", 2) => "Dense",
        // The weight of a fully connected layer was transposed and lost its name; its bias has kept it.
        ("Add", 0) if is_torch => "Linear",
        ("BatchNormalization", _) => "BatchNorm2d",
        _ => return None,
    })
}

#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    parameters: Vec<Parameter>,
}

struct Node {
    operation: String,
    inputs: Vec<String>,
    groups: i64,
}

impl Graph {
    fn read(&mut self, wire: &mut Wire<'_>) -> Result<(), ModelError> {
        wire.fields(|wire, field| {
            match field.number {
                1 => {
                    let node = wire.message(field, node)?;
                    // Without a dot an input is the result of another node, or an unnamed constant.
                    if node.inputs.iter().any(|input| input.contains('.')) {
                        self.nodes.push(node);
                    }
                }
                5 => {
                    let parameter = wire.message(field, parameter)?;
                    self.parameters.push(parameter);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

fn node(wire: &mut Wire<'_>) -> Result<Node, ModelError> {
    let mut node = Node { operation: String::new(), inputs: Vec::new(), groups: 1 };
    wire.fields(|wire, field| {
        match field.number {
            1 => node.inputs.push(wire.name(field)?),
            4 => node.operation = wire.name(field)?,
            5 => {
                if let Some(groups) = wire.message(field, groups)? {
                    node.groups = groups;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(node)
}

/// The value of an attribute that is called `group`.
fn groups(wire: &mut Wire<'_>) -> Result<Option<i64>, ModelError> {
    let (mut is_group, mut value) = (false, None);
    wire.fields(|wire, field| {
        match field.number {
            1 => is_group = wire.name(field)? == "group",
            3 => value = Some(wire.number(field)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(value.filter(|_| is_group))
}

fn parameter(wire: &mut Wire<'_>) -> Result<Parameter, ModelError> {
    let mut parameter = Parameter::default();
    wire.fields(|wire, field| {
        match field.number {
            1 => wire.numbers(field, &mut parameter.shape)?,
            8 => parameter.name = wire.name(field)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(parameter)
}
