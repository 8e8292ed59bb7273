//! The tables of layer types (section 1). Their order shows in messages.

/// What can be quantised.
pub(super) const QUANTIZABLE: &[&str] = &[
    "Conv2d",
    "Conv3d",
    "Linear",
    "ConvTranspose2d",
    "AvgPool2d",
    "Conv1d",
    "ConvTranspose1d",
    "GRU",
    "LSTM",
];

/// Whose fusion can be skipped.
pub(super) const FUSION: &[&str] = &["Conv2d", "Conv3d", "Conv1d"];

/// One factor a channel.
pub(super) fn has_channels(class: &str) -> bool {
    !matches!(class, "Linear" | "AvgPool2d")
}

/// INT16 activations; a Linear needs a bias for them.
pub(super) fn has_int16(class: &str) -> bool {
    !matches!(class, "Conv3d" | "AvgPool2d")
}

/// `ada_quantize`
pub(super) fn has_ada(class: &str) -> bool {
    matches!(class, "Conv2d" | "ConvTranspose2d" | "Linear")
}

/// 6 and 7 bits.
pub(super) fn has_odd_bits(class: &str) -> bool {
    class == "Conv2d"
}

/// `dmq_balancer` in an override by name and in `common_config`.
pub(super) fn has_balancer(class: &str) -> bool {
    class != "AvgPool2d"
}

/// `dmq_balancer` in an override by type.
pub(super) fn has_balancer_by_type(class: &str) -> bool {
    !matches!(class, "AvgPool2d" | "LSTM" | "GRU")
}

/// Symmetric activations only.
pub(super) fn is_symmetric(class: &str) -> bool {
    class == "Conv3d"
}
