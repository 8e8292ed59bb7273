//! What is in force in a block though nobody wrote it, behind the bracket that opens the block.

use std::collections::BTreeMap;

use super::Snapshot;
use crate::text::TextRange;

/// A text between the characters of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where it stands.
    pub offset: usize,
    /// What it says.
    pub label: String,
}

/// The hints within a range, in order.
pub fn inlay_hints(snapshot: &Snapshot, range: TextRange) -> Vec<InlayHint> {
    let Some(effective) = &snapshot.analysis().effective else { return Vec::new() };
    let language = snapshot.context().language;
    let mut labels: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (place, filled) in effective.answer.unwritten() {
        let block = effective.range(place);
        let label = filled.label(language);
        let at = labels.entry(block.start + 1).or_default();
        if !block.is_empty() && !at.contains(&label) {
            at.push(label);
        }
    }
    let hints = labels.into_iter().filter(|(offset, labels)| range.touches(*offset) && !labels.is_empty());
    let separator = language.pick(", ", "，");
    hints.map(|(offset, labels)| InlayHint { offset, label: labels.join(separator) }).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture::with_layers;
    use super::*;
    use crate::language::Language;

    /// The text with its hints in guillemets.
    #[track_caller]
    fn check(text: &str, layers: Option<&str>, expected: Expect) {
        let snapshot = with_layers(text, layers, Language::English);
        let mut shown = text.to_owned();
        let hints = inlay_hints(&snapshot, TextRange::new(0, text.len()));
        hints.iter().rev().for_each(|hint| shown.insert_str(hint.offset, &format!("«{}»", hint.label)));
        expected.assert_eq(&shown);
    }

    const NET: &str = "conv1 nn.Conv2D\nfc nn.Dense\n";

    #[test]
    fn blocks_show_what_they_leave_to_amct() {
        check(
            "retrain_data_quant_config { ulq_quantize { } }\n\
             retrain_weight_quant_config { arq_retrain {} }\n\
             override_layer_types { layer_type: \"nn.Dense\" retrain_weight_quant_config {} }\n",
            Some(NET),
            expect![[r#"
                retrain_data_quant_config { ulq_quantize {«clip from data (IFMR), fixed_min: true after ReLU, else false» } }
                retrain_weight_quant_config { arq_retrain {«channel_wise: true»} }
                override_layer_types {«clip from data (IFMR), fixed_min: true after ReLU, else false» layer_type: "nn.Dense" retrain_weight_quant_config {«channel_wise: false»} }
            "#]],
        );
        check(
            "retrain_weight_quant_config { arq_retrain {} }\n\
             override_layer_types { layer_type: \"nn.Dense\" retrain_weight_quant_config {} }\n",
            None,
            expect![[r#"
                retrain_weight_quant_config { arq_retrain {«channel_wise: false if fully connected, else true»} }
                override_layer_types {«clip from data (IFMR), fixed_min: true after ReLU, else false» layer_type: "nn.Dense" retrain_weight_quant_config {«channel_wise: false»} }
            "#]],
        );
    }

    #[test]
    fn what_is_written_needs_no_hint() {
        check(
            "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 1 clip_min: -1 } fixed_min: false } }",
            Some(NET),
            expect![
                "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 1 clip_min: -1 } fixed_min: false } }"
            ],
        );
    }
}
