//! Values of scalar fields and enums.

use super::tokenizer::Tokenizer;
use super::{ErrorKind, LoadError};
use crate::python;
use crate::schema::model::{EnumType, Scalar};
use crate::schema::value::ValueKind;
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal;

type Result<T> = std::result::Result<T, LoadError>;

pub(super) fn read(tokens: &mut Tokenizer<'_>, kind: Scalar) -> Result<ValueKind> {
    let value = match kind {
        Scalar::String => {
            let bytes = string(tokens)?;
            // Checked when the token is gone already: the error is at the next one (text-format.md F1.10).
            return literal::decode_utf8(bytes)
                .map(ValueKind::String)
                .map_err(|refusal| tokens.error(&format!("Couldn't parse string: {}", refusal.0)));
        }
        Scalar::Bytes => return string(tokens).map(ValueKind::Bytes),
        Scalar::Bool => {
            let value = literal::boolean(tokens.token());
            ValueKind::Bool(value.ok_or_else(|| tokens.error("Expected \"true\" or \"false\"."))?)
        }
        Scalar::Float | Scalar::Double => {
            let float = literal::float(tokens.token()).map_err(|refusal| tokens.error(&refusal.0))?;
            match kind {
                Scalar::Float => ValueKind::Float(float.value as f32),
                _ => ValueKind::Double(float.value),
            }
        }
        _ => integer(tokens, kind)?,
    };
    tokens.advance()?;
    Ok(value)
}

fn integer(tokens: &Tokenizer<'_>, kind: Scalar) -> Result<ValueKind> {
    let integer = literal::integer(tokens.token()).map_err(|refusal| tokens.error(&refusal.0))?;
    let (min, max) = kind.integer_bounds();
    let value = integer.within(min, max).map_err(|refusal| tokens.error(&refusal.0))?;
    Ok(if kind.is_unsigned() { ValueKind::Uint(value as u64) } else { ValueKind::Int(value as i64) })
}

/// Adjacent string tokens, joined.
fn string(tokens: &mut Tokenizer<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if !matches!(tokens.kind(), Some(TokenKind::String | TokenKind::UnterminatedString)) {
            let found = python::str_repr(tokens.token());
            return Err(tokens.error(&format!("Expected string but found: {found}")));
        }
        let part = literal::unescape(tokens.token()).map_err(|error| tokens.error(&error.refusal().0))?;
        bytes.extend(part);
        tokens.advance()?;
        if !tokens.token().starts_with(['\'', '"']) {
            return Ok(bytes);
        }
    }
}

pub(super) fn read_enum(tokens: &mut Tokenizer<'_>, kind: &EnumType) -> Result<ValueKind> {
    let token = tokens.token();
    let number = match literal::plain_integer(token) {
        Err(_) => {
            let value = kind.values.iter().find(|value| value.name == token);
            value.map(|value| value.number).ok_or_else(|| {
                tokens.error(&format!("Enum type \"{}\" has no value named {token}.", kind.full_name))
            })?
        }
        Ok(number) => {
            let small = number.within(i32::MIN.into(), i32::MAX.into()).ok().map(|number| number as i32);
            let known = small.filter(|number| kind.values.iter().any(|value| value.number == *number));
            match (known, small) {
                (Some(number), _) => number,
                (None, Some(number)) if !kind.is_closed => number,
                // An open enum takes every number, and then it does not fit into the message.
                (None, None) if !kind.is_closed => {
                    return Err(LoadError {
                        kind: ErrorKind::ValueError,
                        line: None,
                        column: None,
                        message: format!("Value out of range: {}", number.python_text()),
                        offset: Some(tokens.range().start),
                    });
                }
                _ => {
                    let text = format!(
                        "Enum type \"{}\" has no value with number {}.",
                        kind.full_name,
                        number.python_text()
                    );
                    return Err(tokens.error(&text));
                }
            }
        }
    };
    tokens.advance()?;
    Ok(ValueKind::Enum(number))
}
