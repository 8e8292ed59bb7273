//! What the strings of a configuration name: layers of the network or types of layers.

/// What a string names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A layer.
    Layer,
    /// A type of layers.
    LayerType,
}

impl Role {
    /// What the strings of a field name. One table for all dialects: a name means the same in each.
    pub fn of_field(field: &str) -> Option<Self> {
        match field {
            "layer_name"
            | "skip_layers"
            | "quant_skip_layers"
            | "regular_prune_skip_layers"
            | "skip_fusion_layers"
            | "quant_layers"
            | "start_layer_name"
            | "end_layer_name" => Some(Self::Layer),
            "layer_type"
            | "skip_layer_types"
            | "quant_skip_types"
            | "quant_skip_layer_types"
            | "regular_prune_skip_types" => Some(Self::LayerType),
            _ => None,
        }
    }
}
