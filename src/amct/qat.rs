//! Quantisation-aware training: `AMCTRetrainConfig` of MindSpore and PyTorch, read by `create_quant_retrain_config`
//! (amct-semantics.md). Pruning and the combined entry are not here.

pub mod engine;
pub mod findings;
mod inherit;
pub mod model;
pub mod network;
pub mod output;
pub mod reasons;
pub mod values;

use crate::amct::explanation::{ExplainedLayer, Explanation};

pub use engine::{Decision, Resolution, ResolvedLayer, Source, resolve};
pub use model::Config;
pub use network::{Basis, Framework, LayerType, Network, NetworkLayer};
pub use reasons::Reasons;
pub use values::Values;

/// The complete answer for a file and a network.
pub fn explain(config: &Config, network: &Network) -> Explanation {
    explain_resolution(config, network, &resolve(config, network))
}

/// The complete answer, from what [`resolve`] gave.
pub fn explain_resolution(config: &Config, network: &Network, resolution: &Resolution) -> Explanation {
    let undetermined: Vec<_> = resolution.undetermined(network).map(|layer| layer.name.clone()).collect();
    let error = resolution.error().cloned();
    let is_complete = error.is_none() && undetermined.is_empty();
    let output = is_complete.then(|| output::amct_json(config, network, resolution).to_python());
    Explanation {
        layers: explain_layers(config, network, resolution),
        undetermined,
        output,
        findings: findings::findings(config, network, resolution),
        error,
        warnings: resolution.warnings.clone(),
    }
}

/// The layers of a resolution with their reasons; those whose type is needed and not known are left out.
pub fn explain_layers(config: &Config, network: &Network, resolution: &Resolution) -> Vec<ExplainedLayer> {
    let reasons = Reasons::new(config, network, resolution);
    let layers = network.layers.iter().zip(&resolution.layers).enumerate();
    layers
        .filter_map(|(index, (layer, resolved))| {
            let decision = resolved.decision.as_ref()?;
            Some(ExplainedLayer {
                name: layer.name.clone(),
                type_name: layer.layer_type.map(|layer_type| network.framework.type_name(layer_type)),
                enabled: decision.enabled,
                source: decision.source.name(),
                skip_by_name: decision.skip_by_name,
                skip_by_type: decision.skip_by_type,
                values: decision.values.to_json(network.framework, decision.enabled),
                because: reasons.of_layer(index),
                certainty: resolved.certainty,
            })
        })
        .collect()
}
