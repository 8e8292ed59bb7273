//! What an override would have taken over if AMCT inherited values, and does not (amct-semantics.md section 3).

use super::model::{Block, DataType, WeightAlgorithmKind};
use super::network::{Framework, LayerType};
use super::values::Values;
use crate::amct::finding::Dropped;
use crate::amct::place::{Place, Placed};
use crate::python;

const DATA: &str = "retrain_data_quant_config";
const ULQ: &str = "ulq_quantize";
/// The block of weights.
pub const WEIGHT: &str = "retrain_weight_quant_config";

/// The values of the outer blocks that `block` does not set and that would change the layer if it inherited them.
/// `outer` goes from the nearest block outwards; the type decides what `channel_wise` is by default.
pub fn dropped(
    block: &Block,
    outer: &[&Block],
    framework: Framework,
    layer_type: Option<LayerType>,
) -> Vec<Dropped> {
    let effective = Values::of_block(block, framework, layer_type);
    let mut dropped = Vec::new();
    let mut lose = |path: &[&'static str], value: String, place: Place| {
        dropped.push(Dropped { path: path.to_vec(), value, place });
    };
    let clip_of = |block: &Block| block.ulq().and_then(|ulq| ulq.clip.clone());
    if clip_of(block).is_none()
        && let Some(clip) = outer.iter().find_map(|block| clip_of(block))
    {
        for (name, bound) in [("clip_max", &clip.max), ("clip_min", &clip.min)] {
            if let Some(bound) = bound {
                let value = python::float_repr(f64::from(bound.value));
                lose(&[DATA, ULQ, "clip_max_min", name], shorten(value, bound.value), bound.place);
            }
        }
    }
    let fixed_min = |block: &Block| block.ulq().and_then(|ulq| ulq.fixed_min.clone());
    if let Some(lost) = lost(block, outer, fixed_min) {
        lose(&[DATA, ULQ, "fixed_min"], lost.value.to_string(), lost.place);
    }
    let data_type = |block: &Block| block.ulq().and_then(|ulq| ulq.dst_type.clone());
    if let Some(lost) = lost(block, outer, data_type).filter(|lost| lost.value != DataType::default()) {
        lose(&[DATA, ULQ, "dst_type"], lost.value.name().to_owned(), lost.place);
    }
    // The fields of a weight algorithm would go with it, into the block's own if it names one.
    let own = block.weight_algorithm().map(|weight| weight.kind);
    let outer_kind = outer.iter().find_map(|block| block.weight_algorithm()).map(|weight| weight.kind);
    let kind = own.or(outer_kind).unwrap_or_default();
    let algorithm = |block: &Block| block.weight_algorithm().filter(|weight| weight.kind == kind).cloned();
    if own.is_none()
        && kind == WeightAlgorithmKind::Ulq
        && let Some(weight) = outer.iter().find_map(|block| algorithm(block))
    {
        lose(&[WEIGHT, kind.name()], "{}".to_owned(), weight.place);
    }
    let channel_wise =
        |block: &Block| block.weight_algorithm().and_then(|weight| weight.channel_wise.clone());
    // A fully connected layer cannot take `true`: that it does not is what such an override is for.
    let can_have = |value: bool| {
        !value || !layer_type.is_some_and(|layer_type| framework.is_fully_connected(layer_type))
    };
    if let Some(lost) = lost(block, outer, channel_wise)
        .filter(|lost| lost.value != effective.channel_wise && can_have(lost.value))
    {
        lose(&[WEIGHT, kind.name(), "channel_wise"], lost.value.to_string(), lost.place);
    }
    let weight_type = |block: &Block| block.weight_algorithm().and_then(|weight| weight.dst_type.clone());
    if let Some(lost) = lost(block, outer, weight_type).filter(|lost| lost.value != DataType::default()) {
        lose(&[WEIGHT, kind.name(), "dst_type"], lost.value.name().to_owned(), lost.place);
    }
    dropped
}

/// The nearest outer value of a field that the block itself does not set.
fn lost<T>(
    block: &Block,
    outer: &[&Block],
    field: impl Fn(&Block) -> Option<Placed<T>>,
) -> Option<Placed<T>> {
    if field(block).is_some() { None } else { outer.iter().find_map(|block| field(block)) }
}

/// A 32-bit float as an author would have written it: the shortest decimal, where that is one.
fn shorten(repr: String, value: f32) -> String {
    let short = value.to_string();
    if value.is_finite() && short.len() < repr.len() && short.contains('.') { short } else { repr }
}
