//! Checkpoints of MindSpore: `repeated Value {tag, TensorProto {dims, tensor_type, tensor_content}}`. They hold
//! parameters alone, so layers without any are missing and every type is a guess.

use super::Layer;
use super::model::ModelError;
use super::parameters::{Parameter, Parameters, layer};
use super::wire::Wire;

/// The layers behind the parameters of a checkpoint.
pub(super) fn layers(wire: &mut Wire<'_>) -> Result<Vec<Layer>, ModelError> {
    let mut parameters = Vec::new();
    wire.fields(|wire, field| {
        if field.number != 1 {
            return Ok(false);
        }
        parameters.push(wire.message(field, value)?);
        Ok(true)
    })?;
    let parameters = Parameters::of(parameters);
    let layers = parameters.order.iter().map(|name| {
        let known = parameters.find(name);
        Layer { inferred: true, ..layer(name, known.and_then(|known| known.class()), known) }
    });
    Ok(layers.collect())
}

fn value(wire: &mut Wire<'_>) -> Result<Parameter, ModelError> {
    let mut parameter = Parameter::default();
    wire.fields(|wire, field| {
        match field.number {
            1 => parameter.name = wire.name(field)?,
            2 => wire.message(field, |wire| {
                wire.fields(|wire, field| {
                    if field.number != 1 {
                        return Ok(false);
                    }
                    wire.numbers(field, &mut parameter.shape)?;
                    Ok(true)
                })
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(parameter)
}
