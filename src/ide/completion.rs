//! What could be written at the cursor: the fields of the block it is in, or the values of the field it is on.

mod headers;
mod names;

use super::locate::{Place, locate, resolve};
use super::{Snapshot, describe};
use crate::amct::Role;
use crate::schema::limits::Values;
use crate::schema::model::{Field, FieldId, FieldKind, Label, MessageType, Scalar};
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Item, ItemKind, NameKind, Value};
use crate::text::TextRange;

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The bare name or value.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Type and label, for the same line of the list.
    pub detail: String,
    /// Documentation as Markdown.
    pub documentation: String,
    /// The bytes that accepting it replaces.
    pub replace: TextRange,
    /// What is put there, as plain text.
    pub text: String,
    /// The same as an LSP snippet, where it differs.
    pub snippet: Option<String>,
    /// Orders the list.
    pub sort: String,
    /// Struck through.
    pub is_deprecated: bool,
}

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A scalar field.
    Field,
    /// A field that holds a block.
    Block,
    /// A value of an enum, or a boolean.
    Value,
    /// The name of a layer.
    Layer,
    /// A type of layer.
    LayerType,
    /// What a comment can say to us.
    Header,
}

/// Everything that fits at a byte offset, best first. Inside comments that is what comments can say to us.
pub fn completion(snapshot: &Snapshot, offset: usize) -> Vec<CompletionItem> {
    let schema = &*snapshot.context().schema;
    if is_in_comment(snapshot, offset) {
        return headers::headers(snapshot, offset);
    }
    if !snapshot.context().is_checked() {
        return Vec::new();
    }
    let place = locate(snapshot.tree(), schema, offset);
    let touched = place.steps.last().filter(|_| place.touches_field);
    match touched.map(|step| part_at(snapshot, step.item, offset)) {
        Some(Part::Value(range)) => {
            let definition = touched.and_then(|step| step.definition(schema));
            definition.map_or_else(Vec::new, |field| match Role::of_field(&field.name) {
                Some(role) => names::names(snapshot, role, &field.name, range, offset),
                None => values(snapshot, field, range),
            })
        }
        Some(Part::Name(range)) => fields(snapshot, &place, range, touched.map(|step| step.item)),
        Some(Part::Between) | None => fields(snapshot, &place, TextRange::empty(offset), None),
    }
}

/// What part of a field the cursor is on.
enum Part {
    Name(TextRange),
    Value(TextRange),
    Between,
}

fn part_at(snapshot: &Snapshot, item: Item<'_>, offset: usize) -> Part {
    if let Some(name) = item.name().filter(|name| name.range.touches(offset)) {
        return Part::Name(name.range);
    }
    match item.value() {
        Some(Value::Scalar(scalar)) if scalar.range().touches(offset) => {
            let token = scalar.tokens().find(|token| token.range.touches(offset));
            return Part::Value(token.map_or(scalar.range(), |token| token.range));
        }
        Some(Value::List(list)) if list.range().contains(offset) && list.open().end <= offset => {
            let element = list.elements().items().find(|element| element.range().touches(offset));
            return Part::Value(element.map_or(TextRange::empty(offset), |element| element.range()));
        }
        _ => {}
    }
    // Behind a colon on the same line a value is due; on a later line rather the next field.
    match item.colon().filter(|colon| colon.end <= offset) {
        Some(colon) if item.value().is_none_or(|value| offset <= value.range().start) => {
            let between = snapshot.text.slice(TextRange::new(colon.end, offset));
            if between.contains(['\n', '\r']) { Part::Between } else { Part::Value(TextRange::empty(offset)) }
        }
        _ => Part::Between,
    }
}

fn is_in_comment(snapshot: &Snapshot, offset: usize) -> bool {
    let line = snapshot.text.line_range(snapshot.text.line_of(offset));
    offset > line.start
        && snapshot
            .tree()
            .token_at(offset - 1)
            .is_some_and(|token| token.kind == TokenKind::Comment && token.range.start < offset)
}

/// The fields of a block. Those that are taken are left out, save for `own`, the one under the cursor.
fn fields(
    snapshot: &Snapshot,
    place: &Place<'_>,
    replace: TextRange,
    own: Option<Item<'_>>,
) -> Vec<CompletionItem> {
    let schema = &*snapshot.context().schema;
    let Some(id) = place.message else { return Vec::new() };
    let message = schema.message(id);
    let taken: Vec<FieldId> = place
        .body
        .items()
        .filter(|item| item.kind() == ItemKind::Field)
        .filter(|item| own.is_none_or(|own| own.range() != item.range()))
        .filter_map(|item| resolve(schema, id, &item.name()?))
        .collect();
    let is_free = |id: FieldId, field: &Field| {
        let siblings = field.oneof.map_or(&[][..], |oneof| &message.oneofs[oneof.index()].fields);
        field.is_repeated() || !taken.contains(&id) && !siblings.iter().any(|id| taken.contains(id))
    };
    let has_name_only = own.is_none_or(|own| {
        own.colon().is_none()
            && own.value().is_none()
            && own.name().is_some_and(|n| n.kind == NameKind::Plain)
    });
    let mut found: Vec<_> = message
        .field_ids()
        .map(|id| (id, message.field(id)))
        .filter(|&(id, field)| message.field_by_name.contains_key(&field.name) && is_free(id, field))
        .map(|(_, field)| proposal(snapshot, message, field, replace, has_name_only))
        .collect();
    found.sort_by(|a, b| a.sort.cmp(&b.sort));
    found
}

fn proposal(
    snapshot: &Snapshot,
    owner: &MessageType,
    field: &Field,
    replace: TextRange,
    with_value: bool,
) -> CompletionItem {
    let schema = &*snapshot.context().schema;
    let is_block = field.message().is_some();
    let (text, snippet) = match field.message() {
        _ if !with_value => (field.name.clone(), None),
        Some(id) => {
            let snippet = format!("{}: {{\n{}}}", field.name, skeleton(schema.message(id)));
            (format!("{}: {{}}", field.name), Some(snippet))
        }
        None => {
            let is_string = field.kind == FieldKind::Scalar(Scalar::String);
            let snippet = is_string.then(|| format!("{}: \"$0\"", field.name));
            (format!("{}: ", field.name), snippet)
        }
    };
    let rank = if field.label == Label::Required { 0 } else { 1 };
    let place = owner.field_by_name.get(&field.name).map_or(0, |id| id.index());
    CompletionItem {
        label: field.name.clone(),
        kind: if is_block { CompletionKind::Block } else { CompletionKind::Field },
        detail: describe::detail(schema, field),
        documentation: describe::field(schema, owner, field, snapshot.context().language),
        replace,
        text,
        snippet,
        sort: format!("{rank}{place:03}"),
        is_deprecated: field.is_deprecated,
    }
}

/// The inside of a new block as a snippet: its required scalars, each a stop, then a line for what else can stand in it.
fn skeleton(message: &MessageType) -> String {
    let is_scalar = |field: &&Field| field.label == Label::Required && field.message().is_none();
    let required = message.fields.iter().filter(is_scalar);
    let mut lines: Vec<_> = required
        .enumerate()
        .map(|(at, field)| match field.kind {
            FieldKind::Scalar(Scalar::String) => format!("    {}: \"${}\"\n", field.name, at + 1),
            _ => format!("    {}: ${}\n", field.name, at + 1),
        })
        .collect();
    if lines.len() < message.fields.len() {
        lines.push("    $0\n".to_owned());
    }
    lines.concat()
}

/// The values that can be listed: those of enums and booleans.
fn values(snapshot: &Snapshot, field: &Field, replace: TextRange) -> Vec<CompletionItem> {
    let schema = &*snapshot.context().schema;
    let language = snapshot.context().language;
    let value = |at: usize, label: &str, detail: &str, documentation: String| CompletionItem {
        label: label.to_owned(),
        kind: CompletionKind::Value,
        detail: detail.to_owned(),
        documentation,
        replace,
        text: label.to_owned(),
        snippet: None,
        sort: format!("{at:04}"),
        is_deprecated: false,
    };
    match field.kind {
        FieldKind::Scalar(Scalar::Bool) => ["true", "false"]
            .into_iter()
            .enumerate()
            .map(|(at, label)| value(at, label, "bool", field.doc.text(language).to_owned()))
            .collect(),
        FieldKind::Enum(id) => {
            let enumeration = schema.enumeration(id);
            let values = enumeration.values.iter().enumerate();
            values
                .map(|(at, v)| {
                    let documentation = describe::enum_value(schema, enumeration, v, language);
                    value(at, &v.name, &enumeration.name, documentation)
                })
                .collect()
        }
        FieldKind::Scalar(_) => {
            let listed = match field.limits.as_ref().map(|limits| &limits.values) {
                Some(Values::OneOf(values)) => values.iter().map(i64::to_string).collect(),
                _ => Vec::new(),
            };
            // The default comes first, whether it is listed or not.
            let mut labels: Vec<_> = field.default.iter().cloned().collect();
            labels.extend(listed.into_iter().filter(|label| Some(label) != field.default.as_ref()));
            let detail = describe::type_name(schema, field);
            let proposal = |(at, label): (usize, &String)| {
                value(at, label, &detail, field.doc.text(language).to_owned())
            };
            labels.iter().enumerate().map(proposal).collect()
        }
        FieldKind::Message(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture::at_cursor;
    use super::*;

    /// Each proposal with what accepting it makes of the line.
    #[track_caller]
    fn check(fixture: &str, expected: Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let shown: Vec<_> = completion(&snapshot, offset)
            .into_iter()
            .map(|item| {
                let replaced = snapshot.text.slice(item.replace);
                let inserted = item.snippet.as_ref().unwrap_or(&item.text);
                format!("{} ({}): {replaced:?} -> {inserted:?}\n", item.label, item.detail)
            })
            .collect();
        expected.assert_eq(&shown.concat());
    }

    /// The labels alone.
    #[track_caller]
    fn labels(fixture: &str, expected: Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let labels: Vec<_> = completion(&snapshot, offset).into_iter().map(|item| item.label).collect();
        expected.assert_eq(&labels.join(" "));
    }

    #[test]
    fn an_empty_file_offers_the_fields_of_the_root() {
        check(
            "$0",
            expect![[r#"
                retrain_data_quant_config (required RetrainDataQuantConfig): "" -> "retrain_data_quant_config: {\n    $0\n}"
                retrain_weight_quant_config (required RetrainWeightQuantConfig): "" -> "retrain_weight_quant_config: {\n    $0\n}"
                skip_layers (repeated string): "" -> "skip_layers: \"$0\""
                skip_layer_types (repeated string): "" -> "skip_layer_types: \"$0\""
                override_layer_configs (repeated RetrainOverrideLayer): "" -> "override_layer_configs: {\n    layer_name: \"$1\"\n    $0\n}"
                override_layer_types (repeated RetrainOverrideLayerType): "" -> "override_layer_types: {\n    layer_type: \"$1\"\n    $0\n}"
                quant_skip_layers (repeated string): "" -> "quant_skip_layers: \"$0\""
                quant_skip_types (repeated string): "" -> "quant_skip_types: \"$0\""
            "#]],
        );
    }

    #[test]
    fn half_a_name_is_replaced_whole() {
        check(
            "retrain_data_quant_config { ulq_quantize { fi$0x } }",
            expect![[r#"
                clip_max_min (optional ClipMaxMin): "fix" -> "clip_max_min: {\n    clip_max: $1\n    clip_min: $2\n}"
                fixed_min (optional bool): "fix" -> "fixed_min: "
            "#]],
        );
    }

    #[test]
    fn what_is_taken_is_not_offered() {
        labels(
            "retrain_data_quant_config {}\nskip_layers: \"a\"\n$0",
            expect![
                "retrain_weight_quant_config skip_layers skip_layer_types override_layer_configs override_layer_types quant_skip_layers quant_skip_types"
            ],
        );
        labels("retrain_data_quant_config { ulq_quantize {} $0 }", expect![[""]]);
        labels(
            "fixed$0\nretrain_data_quant_config {}",
            expect![
                "retrain_weight_quant_config skip_layers skip_layer_types override_layer_configs override_layer_types quant_skip_layers quant_skip_types"
            ],
        );
    }

    #[test]
    fn a_name_that_has_its_colon_keeps_it() {
        check(
            "retrain_data_quant_config { ulq_quantize { fixed_m$0: true } }",
            expect![[r#"
            clip_max_min (optional ClipMaxMin): "fixed_m" -> "clip_max_min"
            fixed_min (optional bool): "fixed_m" -> "fixed_min"
        "#]],
        );
    }

    #[test]
    fn behind_a_colon_values_are_due() {
        labels("retrain_data_quant_config { ulq_quantize { fixed_min: $0 } }", expect!["true false"]);
        labels("retrain_data_quant_config { ulq_quantize { fixed_min:$0\n } }", expect!["true false"]);
        labels("retrain_data_quant_config { ulq_quantize { fixed_min: t$0 } }", expect!["true false"]);
        labels("retrain_data_quant_config { ulq_quantize { fixed_min:\n$0 } }", expect!["clip_max_min"]);
        labels("skip_layers: \"$0\"", expect![[""]]);
    }

    const NET: &str = "conv1 nn.Conv2D\nconv2 nn.Conv2D\nrelu nn.ReLU\nfc nn.Dense\n";

    /// The text after each proposal for a network is accepted.
    #[track_caller]
    fn names(fixture: &str, expected: Expect) {
        use super::super::fixture::with_layers;
        let offset = fixture.find("$0").expect("a fixture has a cursor");
        let snapshot = with_layers(&fixture.replacen("$0", "", 1), Some(NET), crate::Language::English);
        let text = snapshot.text.to_string();
        let items = completion(&snapshot, offset).into_iter().map(|item| {
            let mut after = text.clone();
            after.replace_range(item.replace.start..item.replace.end, &item.text);
            format!("{} ({}): {after}\n", item.label, item.detail)
        });
        expected.assert_eq(&items.collect::<String>());
    }

    #[test]
    fn strings_offer_the_names_that_are_not_used_yet() {
        names(
            "skip_layers: \"$0\"",
            expect![[r#"
            conv1 (nn.Conv2D): skip_layers: "conv1"
            conv2 (nn.Conv2D): skip_layers: "conv2"
            fc (nn.Dense): skip_layers: "fc"
        "#]],
        );
        names(
            "skip_layers: \"conv1\" skip_layers: \"co$0nv\" # x",
            expect![[r#"
            conv2 (nn.Conv2D): skip_layers: "conv1" skip_layers: "conv2" # x
            fc (nn.Dense): skip_layers: "conv1" skip_layers: "fc" # x
        "#]],
        );
        names(
            "skip_layers: [\"fc\", $0]",
            expect![[r#"
            conv1 (nn.Conv2D): skip_layers: ["fc", "conv1"]
            conv2 (nn.Conv2D): skip_layers: ["fc", "conv2"]
        "#]],
        );
        names(
            "skip_layers: [\"fc\", \"$0\"]",
            expect![[r#"
            conv1 (nn.Conv2D): skip_layers: ["fc", "conv1"]
            conv2 (nn.Conv2D): skip_layers: ["fc", "conv2"]
        "#]],
        );
        names(
            "skip_layers: $0",
            expect![[r#"
            conv1 (nn.Conv2D): skip_layers: "conv1"
            conv2 (nn.Conv2D): skip_layers: "conv2"
            fc (nn.Dense): skip_layers: "fc"
        "#]],
        );
        names(
            "override_layer_configs { layer_name: 'fc' }\noverride_layer_configs { layer_name: '$0",
            expect![[r#"
                conv1 (nn.Conv2D): override_layer_configs { layer_name: 'fc' }
                override_layer_configs { layer_name: 'conv1'
                conv2 (nn.Conv2D): override_layer_configs { layer_name: 'fc' }
                override_layer_configs { layer_name: 'conv2'
            "#]],
        );
        names(
            "override_layer_types { layer_type: \"$0\" }",
            expect![[r#"
            nn.Conv2D (): override_layer_types { layer_type: "nn.Conv2D" }
            nn.Dense (): override_layer_types { layer_type: "nn.Dense" }
        "#]],
        );
    }

    #[test]
    fn blocks_that_are_not_closed_yet_are_blocks() {
        labels("retrain_data_quant_config {\n  $0\n", expect!["ulq_quantize"]);
        labels("retrain_data_quant_config {\n  $0\nskip_layers: \"a\"\n", expect!["ulq_quantize"]);
        labels(
            "override_layer_configs: [{ $0",
            expect!["layer_name retrain_data_quant_config retrain_weight_quant_config"],
        );
        labels(
            "override_layer_configs: [{ layer_name: \"a\" }, { $0 }]",
            expect!["layer_name retrain_data_quant_config retrain_weight_quant_config"],
        );
    }

    #[test]
    fn comments_offer_headers_and_blocks_that_nobody_knows_nothing() {
        labels(
            "# skip$0",
            expect![
                "quantcfg-schema quantcfg-layers proto-file proto-message quantcfg-ignore-file quantcfg-ignore"
            ],
        );
        labels("skip_layers: \"a\" # $0\n", expect!["quantcfg-ignore"]);
        labels(
            "# quantcfg-schema: p$0\nfoo: 1",
            expect![
                "mindspore-qat pytorch-qat pytorch-ptq pytorch-kv-cache pytorch-distill auto-channel-prune mindspore-ptq caffe-qat caffe-ptq tensorflow-qat tensorflow-ptq onnx-ptq"
            ],
        );
        labels("# a note: $0", expect![[""]]);
        labels("foo { $0 }", expect![[""]]);
    }

    #[test]
    fn braces_around_the_file_do_not_hide_its_fields() {
        labels(
            "{ skip_layers: \"a\" $0 }",
            expect![
                "retrain_data_quant_config retrain_weight_quant_config skip_layers skip_layer_types override_layer_configs override_layer_types quant_skip_layers quant_skip_types"
            ],
        );
    }

    #[test]
    fn nothing_goes_wrong_anywhere_in_a_broken_text() {
        let text = "a { b: [ \"x\" { c: \u{ff1a} } 中: '\n<<<<<<< \nskip_layers : [1,, \"a\" } > # x\nretrain_data_quant_config { ulq_quantize";
        for (at, _) in text.char_indices() {
            for end in [text.len(), at] {
                let snapshot = Snapshot::open(&text[..end], Default::default());
                completion(&snapshot, at);
                super::super::hover::hover(&snapshot, at, None);
                super::super::inlay_hint::inlay_hints(&snapshot, TextRange::new(0, snapshot.text.len()));
                super::super::code_lens::code_lenses(&snapshot);
            }
        }
    }
}
