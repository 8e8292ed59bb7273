//! Values as Python prints them: `repr` of floats, strings and lists of strings, and the order of its sets.

mod set;

use std::fmt::Write;

pub use set::set_order;

/// `repr(float)`: the shortest decimal that reads back as the same number, with an exponent below 1e-4 and from 1e16
/// on. `inf` and `nan` for what is no number.
pub fn float_repr(value: f64) -> String {
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        return if value < 0.0 { format!("-{text}") } else { text.to_owned() };
    }
    // Rust finds the same shortest digits; only their layout differs.
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let fixed = value.to_string();
        return if fixed.contains('.') { fixed } else { fixed + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// `repr(str)`: in single quotes unless only double quotes avoid escapes.
pub fn str_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut result = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            _ if c == quote => result.extend(['\\', c]),
            _ if is_printable(c) => result.push(c),
            _ => {
                // Writing to a string cannot fail.
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(result, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(result, "\\u{code:04x}"),
                    code => write!(result, "\\U{code:08x}"),
                };
            }
        }
    }
    result.push(quote);
    result
}

/// `repr(list)` of a list of strings.
pub fn list_repr<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", items.into_iter().map(str_repr).collect::<Vec<_>>().join(", "))
}

/// Python's `str.isprintable`. Rust's debug form escapes the same characters, and besides them combining marks, but
/// those only at the start of a text.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    let mut text = String::from("a");
    text.push(c);
    text.escape_debug().nth(1).is_none_or(|c| c != '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_laid_out_like_python() {
        let cases = [
            (6.0, "6.0"),
            (-0.0, "-0.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (f64::from(3.3_f32), "3.299999952316284"),
            (f64::from(0.1_f32), "0.10000000149011612"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (value, expected) in cases {
            assert_eq!(float_repr(value), expected);
        }
    }

    #[test]
    fn strings_are_quoted_and_escaped_like_python() {
        let cases = [
            ("a", "'a'"),
            ("it's", "\"it's\""),
            ("'\"", "'\\'\"'"),
            ("层1\t\u{7f}\u{a0}\u{200b}\u{e000}", "'层1\\t\\x7f\\xa0\\u200b\\ue000'"),
            ("e\u{301}\u{1f600}\u{e0001}", "'e\u{301}\u{1f600}\\U000e0001'"),
        ];
        for (text, expected) in cases {
            assert_eq!(str_repr(text), expected);
        }
        assert_eq!(list_repr(["a", "b"]), "['a', 'b']");
    }
}
