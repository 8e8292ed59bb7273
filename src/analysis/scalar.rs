//! Reads the scalars of a tree for their fields: the value, or a finding that says what is wrong with it, and the
//! traps about which Python is silent (text-format.md F6).

use super::bind::Binder;
use super::{Diagnostic, Fix, Severity};
use crate::python;
use crate::schema::model::{EnumType, Field, FieldKind, Scalar as ScalarType};
use crate::schema::value::ValueKind;
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal;
use crate::syntax::tree::{Scalar, TokenView};
use crate::text::{Edit, TextRange};

/// The value of a scalar; `None` when there is none, which the parser or a finding made here tells.
pub(super) fn read(binder: &mut Binder<'_>, scalar: Scalar<'_>, field: &Field) -> Option<ValueKind> {
    let tokens: Vec<_> = scalar.tokens().collect();
    let first = *tokens.first()?;
    if is_broken(&tokens) {
        return None;
    }
    let is_string = first.kind == TokenKind::String;
    match field.kind {
        FieldKind::Scalar(kind @ (ScalarType::String | ScalarType::Bytes)) if is_string => {
            let bytes = text(binder, &tokens)?;
            if kind == ScalarType::Bytes {
                return Some(ValueKind::Bytes(bytes));
            }
            literal::decode_utf8(bytes)
                .map(ValueKind::String)
                .map_err(|refusal| {
                    binder.report(bad_escape(binder, scalar.range(), &refusal.0));
                })
                .ok()
        }
        FieldKind::Scalar(ScalarType::String | ScalarType::Bytes) => {
            binder.report(unquoted(binder, field, first));
            None
        }
        _ if tokens.len() > 1 => {
            binder.report(wrong(binder, field, "", scalar.range()));
            None
        }
        FieldKind::Scalar(ScalarType::Bool) => match literal::boolean(first.text) {
            Some(value) => Some(ValueKind::Bool(value)),
            None => {
                binder.report(not_boolean(binder, field, first));
                None
            }
        },
        FieldKind::Scalar(kind @ (ScalarType::Float | ScalarType::Double)) => {
            float(binder, field, kind, first)
        }
        FieldKind::Scalar(kind) => integer(binder, field, kind, first),
        FieldKind::Enum(id) => enum_value(binder, field, binder.schema.enumeration(id), first),
        FieldKind::Message(_) => None,
    }
}

/// Whether the parser has complained about the tokens already.
fn is_broken(tokens: &[TokenView<'_>]) -> bool {
    tokens.iter().any(|token| token.kind == TokenKind::UnterminatedString)
        || tokens.len() > 1 && tokens[0].kind != TokenKind::String
        || tokens[0].kind == TokenKind::Other && !tokens[0].text.starts_with(python::is_decimal)
}

/// The bytes of adjacent strings, joined.
fn text(binder: &mut Binder<'_>, tokens: &[TokenView<'_>]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for token in tokens {
        match literal::unescape(token.text) {
            Ok(part) => {
                bytes.extend(part);
                for (at, c) in literal::unknown_escapes(token.text) {
                    let range = TextRange::at(token.range.start + at, 1 + c.len_utf8());
                    binder.report(kept_backslash(binder, range, c));
                }
            }
            Err(error) => {
                binder.report(bad_escape(binder, token.range, &error.refusal().0));
                return None;
            }
        }
    }
    Some(bytes)
}

fn float(
    binder: &mut Binder<'_>,
    field: &Field,
    kind: ScalarType,
    token: TokenView<'_>,
) -> Option<ValueKind> {
    let Ok(float) = literal::float(token.text) else {
        binder.report(bad_float(binder, field, token));
        return None;
    };
    let single = float.value as f32;
    if float.is_overflow || kind == ScalarType::Float && single.is_infinite() && float.value.is_finite() {
        let text = binder.language.pick(
            format!(
                "`{}` is beyond the range of a {}; AMCT silently reads infinity.",
                token.text,
                kind.keyword()
            ),
            format!("`{}` 超出 {} 的范围；AMCT 会悄悄读作无穷大。", token.text, kind.keyword()),
        );
        binder.report(Diagnostic::new("overflow", Severity::Warning, token.range, text));
    }
    Some(if kind == ScalarType::Float { ValueKind::Float(single) } else { ValueKind::Double(float.value) })
}

fn integer(
    binder: &mut Binder<'_>,
    field: &Field,
    kind: ScalarType,
    token: TokenView<'_>,
) -> Option<ValueKind> {
    let (min, max) = kind.integer_bounds();
    let Ok(integer) = literal::integer(token.text) else {
        binder.report(wrong(binder, field, token.text, token.range));
        return None;
    };
    match integer.within(min, max) {
        Ok(value) if kind.is_unsigned() => Some(ValueKind::Uint(value as u64)),
        Ok(value) => Some(ValueKind::Int(value as i64)),
        Err(_) => {
            let name = &field.name;
            let text = binder.language.pick(
                format!("`{}` is out of range: `{name}` takes {min} to {max}.", token.text),
                format!("`{}` 超出范围：`{name}` 的取值为 {min} 到 {max}。", token.text),
            );
            binder.report(Diagnostic::new("wrong-value", Severity::Error, token.range, text));
            None
        }
    }
}

fn enum_value(
    binder: &mut Binder<'_>,
    field: &Field,
    kind: &EnumType,
    token: TokenView<'_>,
) -> Option<ValueKind> {
    if let Some(value) = kind.values.iter().find(|value| value.name == token.text) {
        return Some(ValueKind::Enum(value.number));
    }
    let number = literal::plain_integer(token.text).ok();
    let number = number.and_then(|number| number.within(i32::MIN.into(), i32::MAX.into()).ok());
    let is_known =
        |number: &i128| !kind.is_closed || kind.values.iter().any(|v| i128::from(v.number) == *number);
    if let Some(number) = number.filter(is_known) {
        return Some(ValueKind::Enum(number as i32));
    }
    let names: Vec<_> = kind.values.iter().map(|value| format!("`{}`", value.name)).collect();
    let text = binder.language.pick(
        format!("`{}` is no value of `{}`, which takes {}.", token.text, field.name, names.join(", ")),
        format!("`{}` 不是 `{}` 的取值，可取 {}。", token.text, field.name, names.join("、")),
    );
    let word = token.text.trim_matches(['"', '\'']).to_ascii_uppercase();
    let near = kind
        .values
        .iter()
        .map(|value| (strsim::osa_distance(&word, &value.name.to_ascii_uppercase()), value));
    let near = near
        .min_by_key(|(distance, _)| *distance)
        .filter(|&(distance, value)| distance * 3 <= value.name.len());
    let fixes = near.map(|(_, value)| change_to(binder, token.range, &value.name)).into_iter().collect();
    binder.report(Diagnostic { fixes, ..Diagnostic::new("wrong-value", Severity::Error, token.range, text) });
    None
}

fn change_to(binder: &Binder<'_>, range: TextRange, text: &str) -> Fix {
    let title = binder.language.pick(format!("Change to `{text}`"), format!("改为 `{text}`"));
    Fix { title, edits: vec![Edit::replace(range, text)] }
}

fn not_boolean(binder: &Binder<'_>, field: &Field, token: TokenView<'_>) -> Diagnostic {
    let name = &field.name;
    let text = binder.language.pick(
        format!("`{}` is no boolean: `{name}` takes `true` or `false`.", token.text),
        format!("`{}` 不是布尔值：`{name}` 应为 `true` 或 `false`。", token.text),
    );
    let meant = match token.text.trim_matches(['"', '\'']).to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" | "enable" | "enabled" => Some("true"),
        "false" | "no" | "off" | "n" | "0" | "disable" | "disabled" => Some("false"),
        _ => None,
    };
    let fixes = meant.map(|meant| change_to(binder, token.range, meant)).into_iter().collect();
    Diagnostic { fixes, ..Diagnostic::new("wrong-value", Severity::Error, token.range, text) }
}

fn bad_float(binder: &Binder<'_>, field: &Field, token: TokenView<'_>) -> Diagnostic {
    let unsigned = token.text.trim_start_matches('-');
    let is_octal = unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.as_bytes()[1].is_ascii_digit();
    if !is_octal {
        return wrong(binder, field, token.text, token.range);
    }
    let text = binder.language.pick(
        format!(
            "`{}` has a leading zero: newer protobuf releases refuse it, releases up to 5.29 read it as decimal.",
            token.text
        ),
        format!("`{}` 带有前导零：较新的 protobuf 会拒绝，5.29 及更早版本按十进制读取。", token.text),
    );
    let plain = unsigned.trim_start_matches('0');
    let plain =
        if plain.starts_with(|c: char| c.is_ascii_digit()) { plain.to_owned() } else { format!("0{plain}") };
    let sign = &token.text[..token.text.len() - unsigned.len()];
    let fixes = vec![change_to(binder, token.range, &format!("{sign}{plain}"))];
    Diagnostic { fixes, ..Diagnostic::new("leading-zero", Severity::Error, token.range, text) }
}

/// A value that is no number of the type of its field.
fn wrong(binder: &Binder<'_>, field: &Field, found: &str, range: TextRange) -> Diagnostic {
    let name = &field.name;
    let kind = match field.kind {
        FieldKind::Scalar(kind) => kind.keyword(),
        _ => "enum",
    };
    let text = binder.language.pick(
        format!("`{found}` does not fit `{name}`, which takes a single value of type {kind}."),
        format!("`{found}` 不适用于 `{name}`：应为单个 {kind} 类型的值。"),
    );
    let inner = found.trim_matches(['"', '\'']);
    let is_quoted_number = inner.len() + 2 == found.len() && literal::float(inner).is_ok();
    let fixes = is_quoted_number.then(|| change_to(binder, range, inner)).into_iter().collect();
    Diagnostic { fixes, ..Diagnostic::new("wrong-value", Severity::Error, range, text) }
}

fn unquoted(binder: &Binder<'_>, field: &Field, token: TokenView<'_>) -> Diagnostic {
    let text = binder.language.pick(
        format!("`{}` takes text in quotes: `\"{}\"`.", field.name, token.text),
        format!("`{}` 的值是字符串，应加引号：`\"{}\"`。", field.name, token.text),
    );
    let fix = change_to(binder, token.range, &format!("\"{}\"", token.text));
    Diagnostic { fixes: vec![fix], ..Diagnostic::new("unquoted-string", Severity::Error, token.range, text) }
}

fn bad_escape(binder: &Binder<'_>, range: TextRange, reason: &str) -> Diagnostic {
    let text = binder.language.pick(
        format!("AMCT cannot read this string ({reason}). A backslash is written `\\\\`."),
        format!("AMCT 无法读取该字符串（{reason}）。反斜杠应写作 `\\\\`。"),
    );
    Diagnostic::new("bad-escape", Severity::Error, range, text)
}

fn kept_backslash(binder: &Binder<'_>, range: TextRange, c: char) -> Diagnostic {
    let text = binder.language.pick(
        format!("`\\{c}` is no escape; AMCT silently keeps the backslash in the value."),
        format!("`\\{c}` 不是转义序列；AMCT 会悄悄把反斜杠留在值中。"),
    );
    let escaped = format!("\\\\{c}");
    let fixes = vec![change_to(binder, range, &escaped)];
    Diagnostic { fixes, ..Diagnostic::new("unknown-escape", Severity::Warning, range, text) }
}
