//! Python's own view of values and characters, as its texts show: `repr` of floats, strings and lists of strings, the
//! order of its sets, and what its regular expressions take for a word.

mod set;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

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
            _ => result.push_str(&escape(u32::from(c))),
        }
    }
    result.push(quote);
    result
}

/// A code point as Python escapes it: `\x7f`, `\u3000` or `\U0001f600`.
pub fn escape(code: u32) -> String {
    match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

/// `repr(list)` of a list of strings.
pub fn list_repr<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", items.into_iter().map(str_repr).collect::<Vec<_>>().join(", "))
}

/// `str.isprintable`: no separator but the blank, and no control, format, private or unassigned character.
fn is_printable(c: char) -> bool {
    let group = c.general_category_group();
    c == ' ' || !matches!(group, GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other)
}

/// What `\w` matches: letters and numbers of any script, and `_`.
pub fn is_word(c: char) -> bool {
    let is_wide = |c: char| {
        matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
    };
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { is_wide(c) }
}

/// What `\d` matches: decimal digits of any script.
pub fn is_decimal(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { c.general_category() == GeneralCategory::DecimalNumber }
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

    #[test]
    fn words_and_digits_are_those_of_pythons_regular_expressions() {
        for c in ['a', '_', '7', '层', 'é', '٣', 'Ⅷ', '²', 'ª'] {
            assert!(is_word(c), "{c}");
        }
        for c in ['-', '。', '\u{301}', 'Ⓐ', '😀', ' '] {
            assert!(!is_word(c), "{c}");
        }
        assert!(
            is_decimal('3') && is_decimal('٣') && is_decimal('３') && !is_decimal('²') && !is_decimal('Ⅷ')
        );
    }
}
