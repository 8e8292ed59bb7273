//! What the thing under the cursor means.

use super::layer_text::LayerText;
use super::locate::locate;
use super::named::{Named, named_at};
use super::status::Status;
use super::{Snapshot, describe};
use crate::amct::Role;
use crate::schema::model::FieldKind;
use crate::syntax::tree::Value;
use crate::text::TextRange;

/// A hover text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The bytes it is about.
    pub range: TextRange,
    /// The text as Markdown.
    pub markdown: String,
}

/// The hover text at a byte offset: for a name its field, for the value of an enum that value, for any other value its
/// field again; before that, for the name of a layer or a type, what is in force there and why. Anywhere in the first line
/// also what the file is read as. `uri` is the address of the document, for links into it.
pub fn hover(snapshot: &Snapshot, offset: usize, uri: Option<&str>) -> Option<Hover> {
    let found = named(snapshot, offset, uri).or_else(|| hover_field(snapshot, offset));
    if snapshot.text.line_of(offset) > 0 {
        return found;
    }
    let status = Status::of(snapshot).text(snapshot.context().language);
    Some(match found {
        Some(Hover { range, markdown }) => {
            Hover { range, markdown: format!("{markdown}\n\n---\n\n{status}") }
        }
        None => Hover { range: snapshot.text.line_range(0), markdown: status },
    })
}

fn hover_field(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    if !snapshot.context().is_checked() {
        return None;
    }
    let schema = &*snapshot.context().schema;
    let language = snapshot.context().language;
    let place = locate(snapshot.tree(), schema, offset);
    let step = place.steps.last().filter(|_| place.touches_field)?;
    let owner = schema.message(step.owner);
    let definition = step.definition(schema)?;
    let name = step.item.name()?.range;
    if name.touches(offset) {
        return Some(Hover { range: name, markdown: describe::field(schema, owner, definition, language) });
    }
    let Some(Value::Scalar(scalar)) = step.item.value() else { return None };
    let range = Some(scalar.range()).filter(|range| range.touches(offset))?;
    let value = match definition.kind {
        FieldKind::Enum(id) => {
            let enumeration = schema.enumeration(id);
            let text = snapshot.text.slice(range);
            let value = enumeration.values.iter().find(|value| value.name == text);
            value.map(|value| describe::enum_value(schema, enumeration, value, language))
        }
        _ => None,
    };
    let markdown = value.unwrap_or_else(|| describe::field(schema, owner, definition, language));
    Some(Hover { range, markdown })
}

/// What is in force for the layers that a string names.
fn named(snapshot: &Snapshot, offset: usize, uri: Option<&str>) -> Option<Hover> {
    let Named { name, range, role } = named_at(snapshot, offset)?;
    let effective = snapshot.analysis().effective.as_ref()?;
    let text = LayerText { snapshot, effective, uri };
    let markdown = match role {
        Role::Layer => text.layer(&name?)?,
        Role::LayerType => text.layer_type(&name?)?,
    };
    Some(Hover { range, markdown })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::super::fixture::{at_cursor, with_layers};
    use super::*;
    use crate::ide::Context;
    use crate::language::Language;
    use crate::schema::builtin::Dialect;

    /// What is hovered, and the text.
    #[track_caller]
    fn check(fixture: &str, expected: Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let shown = hover(&snapshot, offset, None).map_or_else(
            || "nothing".to_owned(),
            |hover| format!("{}\n---\n{}\n", snapshot.text.slice(hover.range), hover.markdown),
        );
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_name_tells_what_its_field_means() {
        check(
            "retrain_data_quant_config { ulq_quantize { fixed$0_min: true } }",
            expect![[r#"
                fixed_min
                ---
                ```proto
                optional bool fixed_min
                ```

                Whether the lower bound is held at 0 and not learned; then `clip_min` has no effect. Meant for inputs that are never negative. When unset: true behind a ReLU, otherwise false; AMCT decides that later, from the graph.

                Field of `AMCTMindsporeProto.ULQuantize`

                ---

                This file is read as `mindspore-qat`: a flag says so. No layer list.
            "#]],
        );
    }

    #[test]
    fn a_value_tells_of_its_field() {
        check(
            "retrain_data_quant_config { ulq_quantize { clip_max_min { clip_max: 6$0.0 } } }",
            expect![[r#"
                6.0
                ---
                ```proto
                required float clip_max
                ```

                The upper bound to start from. Required, and AMCT enforces it. Must be greater than 0, for every layer that uses it.

                For PyTorch, 0.3 to 1.7 times the largest value observed is recommended.

                AMCT takes: > 0

                Field of `AMCTMindsporeProto.ClipMaxMin`

                ---

                This file is read as `mindspore-qat`: a flag says so. No layer list.
            "#]],
        );
    }

    #[test]
    fn a_block_tells_what_can_stand_in_it() {
        check(
            "retrain_weight_quant$0_config {",
            expect![[r#"
                retrain_weight_quant_config
                ---
                ```proto
                required RetrainWeightQuantConfig retrain_weight_quant_config
                ```

                How weights are quantised: global, for every layer that no override decides.

                Precedence: `override_layer_configs` before `override_layer_types` before this. Documented as required; AMCT does not enforce it, and the documentation's own sample leaves it out. When unset: ARQ, with `channel_wise` by the type of the layer.

                Fields of `RetrainWeightQuantConfig`: `arq_retrain`

                Field of `AMCTMindsporeProto.AMCTRetrainConfig`

                ---

                This file is read as `mindspore-qat`: a flag says so. No layer list.
            "#]],
        );
    }

    #[test]
    fn white_space_comments_and_unknown_names_tell_nothing() {
        check(
            "skip_layers: \"a\" $0 # x",
            expect![[r#"
            skip_layers: "a"  # x
            ---
            This file is read as `mindspore-qat`: a flag says so. No layer list.
        "#]],
        );
        check(
            "# skip$0_layers",
            expect![[r#"
            # skip_layers
            ---
            This file is read as `mindspore-qat`: a flag says so. No layer list.
        "#]],
        );
        check(
            "fo$0o: 1",
            expect![[r#"
            foo: 1
            ---
            This file is read as `mindspore-qat`: a flag says so. No layer list.
        "#]],
        );
    }

    #[test]
    fn numbers_are_shown_where_they_are_public() {
        let shown = [Dialect::PytorchPtq, Dialect::OnnxPtq].map(|dialect| {
            let text = "\n\nfakequant_precision_mode: FORCE_FP16_QUANT\n";
            let context = Context::of_dialect(dialect, Language::English);
            let snapshot = Snapshot::open(text, Arc::new(context));
            let heads = ["fakequant", "FORCE"].map(|needle| {
                let hover = text.find(needle).and_then(|at| hover(&snapshot, at, None));
                let markdown = hover.map(|hover| hover.markdown).unwrap_or_default();
                markdown.lines().nth(1).unwrap_or_default().to_owned()
            });
            format!("{}: {}\n", dialect.name(), heads.join(", "))
        });
        expect![[r#"
            pytorch-ptq: optional FakequantPrecisionMode fakequant_precision_mode = 21, FORCE_FP16_QUANT = 1
            onnx-ptq: optional FakequantPrecisionMode fakequant_precision_mode, FORCE_FP16_QUANT
        "#]]
        .assert_eq(&shown.concat());
    }

    #[test]
    fn chinese_users_get_chinese() {
        let snapshot = with_layers("retrain_data_quant_config {}", None, Language::Chinese);
        let text = hover(&snapshot, 3, None).map(|hover| hover.markdown).unwrap_or_default();
        expect![[r#"
            ```proto
            required RetrainDataQuantConfig retrain_data_quant_config
            ```

            量化感知训练的数据（激活）量化参数，全局生效，作用于没有被重写的层。

            优先级：`override_layer_configs` > `override_layer_types` > 本字段。文档写必填，但 AMCT 并不检查；不写时使用 ULQ，初始上下限由 IFMR 求得。

            `RetrainDataQuantConfig` 的字段：`ulq_quantize`

            属于 `AMCTMindsporeProto.AMCTRetrainConfig`

            ---

            本文件按 `mindspore-qat` 读取：由命令行参数指定。 没有层列表。"#]].assert_eq(&text);
    }

    const NET: &str = "conv1 nn.Conv2D\nconv2 nn.Conv2D\nrelu nn.ReLU\nfc nn.Dense\n";

    /// The text about a layer or type of a network.
    #[track_caller]
    fn check_layers(fixture: &str, expected: Expect) {
        let offset = fixture.find("$0").expect("a fixture has a cursor");
        let snapshot = with_layers(&fixture.replacen("$0", "", 1), Some(NET), Language::English);
        let shown = hover(&snapshot, offset, Some("file:///quant.cfg")).map(|hover| hover.markdown);
        expected.assert_eq(&(shown.unwrap_or_default() + "\n"));
    }

    #[test]
    fn a_layer_tells_what_is_in_force_and_why() {
        check_layers(
            "retrain_data_quant_config { ulq_quantize { fixed_min: true } }\n\
             skip_layers: \"conv2$0\"\n\
             override_layer_types {\n  layer_type: \"nn.Conv2D\"\n}\n",
            expect![[r#"
                **conv2** · nn.Conv2D: ulq, clip from data, channel_wise true

                - `override_layer_types` for `nn.Conv2D` decides ([line 4](file:///quant.cfg#L4))
                - `conv2` in `skip_layers` has no effect: `override_layer_types` switches the layer on again ([line 2](file:///quant.cfg#L2))
                - `fixed_min: true` is not inherited: an override is taken whole ([line 1](file:///quant.cfg#L1))
                - clip from data (IFMR), by default ([line 4](file:///quant.cfg#L4))
                - fixed_min: true after ReLU, else false, by default ([line 4](file:///quant.cfg#L4))
                - channel_wise: true, by default ([line 4](file:///quant.cfg#L4))
            "#]],
        );
        check_layers(
            "skip_layers: [\"fc\", \"rel$0u\"]",
            expect![[r#"
                **relu** · nn.ReLU: AMCT does nothing to this layer.

                ---

                This file is read as `mindspore-qat`: a flag says so. 4 layers from `net.layers.json`.
            "#]],
        );
        check_layers(
            "skip_layers: \"no$0\"",
            expect![[r#"
                The network has no layer `no`.

                ---

                This file is read as `mindspore-qat`: a flag says so. 4 layers from `net.layers.json`.
            "#]],
        );
    }

    #[test]
    fn a_type_tells_of_its_layers() {
        check_layers(
            "skip_layer_types: \"nn.Con$0v2D\"\noverride_layer_configs { layer_name: \"conv1\" }",
            expect![[r#"
                **conv1** · nn.Conv2D: ulq, clip from data, channel_wise true

                - `override_layer_configs` for `conv1` decides ([line 2](file:///quant.cfg#L2))
                - `nn.Conv2D` in `skip_layer_types` has no effect: `override_layer_configs` switches the layer on again ([line 1](file:///quant.cfg#L1))
                - clip from data (IFMR), by default ([line 2](file:///quant.cfg#L2))
                - fixed_min: true after ReLU, else false, by default ([line 2](file:///quant.cfg#L2))
                - channel_wise: true, by default ([line 2](file:///quant.cfg#L2))

                **conv2** · nn.Conv2D: skipped

                - no block fits: AMCT's defaults
                - skipped by `nn.Conv2D` in `skip_layer_types` ([line 1](file:///quant.cfg#L1))
                - clip from data (IFMR), by default
                - fixed_min: true after ReLU, else false, by default
                - channel_wise: true, by default

                ---

                This file is read as `mindspore-qat`: a flag says so. 4 layers from `net.layers.json`.
            "#]],
        );
    }
}
