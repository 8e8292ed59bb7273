//! Fields and messages in words, for hover and completion: signature, documentation, siblings.

use crate::language::Language;
use crate::schema::limits::Enforcement;
use crate::schema::model::{EnumType, EnumValue, Field, FieldKind, Label, MessageType, Numbers, Schema};

/// Label, type, name and number as a .proto file has them, such as `optional bool fixed_min = 2`. The number is left
/// out where it is not public, as in MindSpore's schema.
pub(super) fn signature(schema: &Schema, field: &Field) -> String {
    format!("{} {}{}", detail(schema, field), field.name, number(schema, field.number))
}

fn number(schema: &Schema, number: i32) -> String {
    match schema.numbers {
        Numbers::Public => format!(" = {number}"),
        Numbers::Inferred => String::new(),
    }
}

/// The values that make sense, and who minds others.
fn limits(field: &Field, language: Language) -> Option<String> {
    let limits = field.limits.as_ref()?;
    let values = &limits.values;
    Some(match limits.enforcement {
        Enforcement::Amct => {
            language.pick(format!("AMCT takes: {values}"), format!("AMCT 接受的取值：{values}"))
        }
        Enforcement::Nobody => language.pick(
            format!("Makes sense with: {values} (AMCT is not known to refuse other values)"),
            format!("合理取值：{values}（AMCT 是否拒绝其他值尚不清楚）"),
        ),
    })
}

/// Label and type, such as `optional bool`. A oneof member bears no label in a .proto file and none here.
pub(super) fn detail(schema: &Schema, field: &Field) -> String {
    let kind = type_name(schema, field);
    match (field.oneof, field.label) {
        (Some(_), _) => kind,
        (None, Label::Repeated) if kind.starts_with("map<") => kind,
        (None, label) => format!("{} {kind}", label.keyword()),
    }
}

/// The type of a field, without package: `float`, `ClipMaxMin`, `map<string, int32>`.
pub(super) fn type_name(schema: &Schema, field: &Field) -> String {
    match field.kind {
        FieldKind::Scalar(scalar) => scalar.keyword().to_owned(),
        FieldKind::Enum(id) => schema.enumeration(id).name.clone(),
        FieldKind::Message(id) => {
            let message = schema.message(id);
            match (message.find("key"), message.find("value")) {
                (Some((_, key)), Some((_, value))) if message.is_map_entry => {
                    format!("map<{}, {}>", type_name(schema, key), type_name(schema, value))
                }
                _ => message.name.clone(),
            }
        }
    }
}

/// What a field means, as Markdown: signature, documentation, default, the other members of its oneof, and for a block
/// the fields that can stand in it.
pub(super) fn field(schema: &Schema, owner: &MessageType, field: &Field, language: Language) -> String {
    let mut parts = vec![format!("```proto\n{}\n```", signature(schema, field))];
    let doc = field.doc.text(language);
    let block = field.message().map(|id| schema.message(id));
    if !doc.is_empty() {
        parts.push(doc.to_owned());
    } else if let Some(doc) = block.map(|message| message.doc.text(language)).filter(|doc| !doc.is_empty()) {
        parts.push(doc.to_owned());
    }
    if let Some(default) = &field.default {
        parts.push(language.pick(format!("Default: `{default}`"), format!("默认值：`{default}`")));
    }
    parts.extend(limits(field, language));
    if let FieldKind::Enum(id) = field.kind {
        let values: Vec<_> = schema.enumeration(id).values.iter().map(|v| format!("`{}`", v.name)).collect();
        parts.push(
            language.pick(format!("One of {}", values.join(", ")), format!("可取 {}", values.join("、"))),
        );
    }
    if let Some(oneof) = field.oneof {
        let siblings: Vec<_> = owner.oneofs[oneof.index()]
            .fields
            .iter()
            .map(|&id| &owner.field(id).name)
            .filter(|name| **name != field.name)
            .map(|name| format!("`{name}`"))
            .collect();
        if !siblings.is_empty() {
            parts.push(language.pick(
                format!("Only one of this and {} takes effect: the last in the file.", siblings.join(", ")),
                format!("与 {} 互斥：只有文件中最后写的一个生效。", siblings.join("、")),
            ));
        }
    }
    if let Some(message) = block.filter(|message| !message.fields.is_empty() && !message.is_map_entry) {
        let fields: Vec<_> = message.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        parts.push(language.pick(
            format!("Fields of `{}`: {}", message.name, fields.join(", ")),
            format!("`{}` 的字段：{}", message.name, fields.join("、")),
        ));
    }
    parts.push(
        language.pick(format!("Field of `{}`", owner.full_name), format!("属于 `{}`", owner.full_name)),
    );
    parts.join("\n\n")
}

/// What an enum value means, as Markdown.
pub(super) fn enum_value(schema: &Schema, owner: &EnumType, value: &EnumValue, language: Language) -> String {
    let doc = value.doc.text(language);
    let head = format!("```proto\n{}{}\n```", value.name, number(schema, value.number));
    let owner = &owner.name;
    let tail = language.pick(format!("Value of `{owner}`"), format!("`{owner}` 的取值"));
    if doc.is_empty() { format!("{head}\n\n{tail}") } else { format!("{head}\n\n{doc}\n\n{tail}") }
}
