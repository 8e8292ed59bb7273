//! `google.protobuf.Any` in its expanded form, `[prefix/pkg.Type] { … }`.

use super::merge::Parser;
use super::{ErrorKind, LoadError};
use crate::python;
use crate::schema::value::MessageValue;

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
    let missing = value.missing_required(parser.schema);
    if !missing.is_empty() {
        let text = format!("Message {name} is missing required fields: {}", missing.join(","));
        return Err(without_place(ErrorKind::EncodeError, text));
    }
    let range = open.cover(parser.tokens.previous_range());
    into.pack(parser.schema, &format!("{prefix}/{name}"), value, name_range, range);
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
        part.starts_with(|c| python::is_word(c) && !python::is_decimal(c))
            && part.chars().all(python::is_word)
    };
    if !name.split('.').all(is_identifier) {
        return Err(tokens.error(&format!("Expected type name, got \"{name}\".")));
    }
    Ok((prefix, name))
}

fn is_url(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.~_ !$&()*+,;=%".contains(&b))
}
