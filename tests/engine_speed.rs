//! A big network with many overrides is resolved within the time of a keystroke.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use quantcfg::amct::Engine;
use quantcfg::inventory::{Layer, LayerList};
use quantcfg::loader;
use quantcfg::schema::builtin::{self, Dialect};

const LAYERS: usize = 5_000;
const OVERRIDES: usize = 1_000;
/// For an optimised build; others get more.
const BUDGET: Duration = Duration::from_millis(5);

#[test]
fn five_thousand_layers_and_a_thousand_overrides() {
    let mut text = String::from(
        "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6 clip_min: -6 } } }\n\
         skip_layer_types: \"nn.Dense\"\n",
    );
    for at in 0..OVERRIDES {
        let name = format!("block{}.conv", at * LAYERS / OVERRIDES);
        writeln!(text, "skip_layers: \"{name}\"").unwrap();
        writeln!(
            text,
            "override_layer_configs {{ layer_name: \"{name}\" retrain_data_quant_config {{ ulq_quantize {{ fixed_min: \
             true }} }} }}"
        )
        .unwrap();
    }
    let layers = (0..LAYERS).map(|at| Layer::new(format!("block{at}.conv"), Some("nn.Conv2D"))).collect();
    let list = LayerList { layers, complete: true };
    let schema = builtin::schema(Dialect::MindsporeQat);
    let value = loader::load(text.as_bytes(), &schema).unwrap();
    let took = (0..7).map(|_| {
        let start = Instant::now();
        let (answer, _) = Engine::MindsporeQat.answer(&value, &schema, Some(&list), None);
        let findings = answer.findings();
        let took = start.elapsed();
        assert_eq!(answer.layer_count(), LAYERS);
        assert!(findings.len() >= 2 * OVERRIDES);
        took
    });
    let best = took.min().unwrap();
    println!("resolved in {best:?}");
    let budget = if cfg!(debug_assertions) { BUDGET * 60 } else { BUDGET };
    assert!(best < budget, "{best:?}");
}
