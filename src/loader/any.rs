//! `google.protobuf.Any` in its expanded form, `[prefix/pkg.Type] { … }`.

use super::merge::Parser;
use super::{ErrorKind, LoadError};
use crate::schema::model::{Label, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};

/// The full name of the message that has this form.
pub(super) const ANY: &str = "google.protobuf.Any";

type Result<T> = std::result::Result<T, LoadError>;

/// Reads from behind the opening bracket of the name on.
pub(super) fn expand(parser: &mut Parser<'_, '_>, into: &mut MessageValue) -> Result<()> {
    let start = parser.tokens.previous_range();
    let (prefix, name) = type_url(parser)?;
    let name_range = start.cover(parser.tokens.previous_range());
    parser.tokens.try_consume(":")?;
    let open = parser.tokens.range();
    let close = if parser.tokens.try_consume("<")? {
        ">"
    } else {
        parser.tokens.consume("{")?;
        "}"
    };
    let without_place =
        |kind, message| LoadError { kind, line: None, column: None, message, offset: Some(start.start) };
    let Some(&message) = parser.schema.message_by_name.get(&name) else {
        return Err(without_place(
            ErrorKind::ParseError,
            format!("Type {name} not found in descriptor pool"),
        ));
    };
    let value = parser.fields_until(message, close)?;
    if let Some(missing) = missing_required(parser.schema, &value, "") {
        let text = format!("Message {name} is missing required fields: {missing}");
        return Err(without_place(ErrorKind::EncodeError, text));
    }
    let range = open.cover(parser.tokens.previous_range());
    let kind = ValueKind::Any(format!("{prefix}/{name}"), Box::new(value));
    // Packing replaces whatever the Any held.
    let url = parser.schema.message(into.message).find("type_url");
    if let Some((field, _)) = url {
        into.fields.clear();
        into.merge(parser.schema, field, Value { kind, name_range, range });
    }
    Ok(())
}

/// Prefix and type name, and the bracket behind them. The checks come when the bracket is taken, so their errors are at
/// the token behind it.
fn type_url(parser: &mut Parser<'_, '_>) -> Result<(String, String)> {
    let tokens = &mut parser.tokens;
    let mut parts: Vec<&str> = Vec::new();
    let mut last_slash = None;
    loop {
        if is_url(tokens.token()) {
            parts.push(tokens.token());
            tokens.advance()?;
        } else if tokens.try_consume("/")? {
            last_slash = Some(parts.len());
            parts.push("/");
        } else {
            tokens.consume("]")?;
            break;
        }
    }
    let Some(slash) = last_slash else { return Err(tokens.error("Type URL does not contain \"/\".")) };
    let (prefix, name) = (parts[..slash].concat(), parts[slash + 1..].concat());
    if prefix.is_empty() {
        return Err(tokens.error("Type URL prefix is empty."));
    }
    if prefix.starts_with('/') {
        return Err(tokens.error("Type URL prefix starts with \"/\"."));
    }
    for (at, _) in prefix.match_indices('%') {
        let escape = &prefix[at..prefix.len().min(at + 3)];
        if escape.len() < 3 || !escape[1..].bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(tokens.error(&format!("Invalid percent escape, got \"{escape}\".")));
        }
    }
    let is_identifier = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if !name.split('.').all(is_identifier) {
        return Err(tokens.error(&format!("Expected type name, got \"{name}\".")));
    }
    Ok((prefix, name))
}

fn is_url(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.~_ !$&()*+,;=%".contains(&b))
}

/// The required fields that a message and those in it lack, as Python lists them; `None` when there are none.
fn missing_required(schema: &Schema, value: &MessageValue, path: &str) -> Option<String> {
    let message = schema.message(value.message);
    let mut missing: Vec<String> = message
        .field_ids()
        .filter(|&id| message.field(id).label == Label::Required)
        .filter(|&id| value.fields.iter().all(|set| set.field != id))
        .map(|id| format!("{path}{}", message.field(id).name))
        .collect();
    for set in &value.fields {
        let field = message.field(set.field);
        for (at, inner) in set.values.iter().enumerate() {
            if let ValueKind::Message(inner) = &inner.kind {
                let path = if field.is_repeated() {
                    format!("{path}{}[{at}].", field.name)
                } else {
                    format!("{path}{}.", field.name)
                };
                missing.extend(missing_required(schema, inner, &path));
            }
        }
    }
    (!missing.is_empty()).then(|| missing.join(", "))
}
