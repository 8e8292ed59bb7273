//! Reads scalar tokens as Python's `text_format` does (text-format.md F6), with Python's own words when it refuses.
//!
//! Both readers use it: the loader needs Python's words, the analysis needs to know that a value is refused and what
//! silently happens to one that is not.

mod number;
mod string;

pub use number::{Float, Integer, float, integer, plain_integer};
pub use string::{StringError, decode_utf8, undecodable, unescape, unknown_escapes};

/// Why Python refuses a token: the text of its exception, without place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

/// Reads a boolean; `None` for anything but the eight spellings.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "t" | "True" | "1" => Some(true),
        "false" | "f" | "False" | "0" => Some(false),
        _ => None,
    }
}

/// A text as Python's `repr` shows it, quotes included.
pub fn python_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            c => out.push_str(&escape(u32::from(c))),
        }
    }
    out.push(quote);
    out
}

/// A code point as Python escapes it: `\x7f`, `\u3000` or `\U0001f600`.
fn escape(code: u32) -> String {
    match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

/// Whether `str.isprintable` holds: no control, format, private or separator character save the space. Unassigned code
/// points outside of the noncharacters are taken for printable.
fn is_printable(c: char) -> bool {
    !matches!(u32::from(c),
        0..=0x1f | 0x7f..=0xa0 | 0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890 | 0x891 | 0x8e2 | 0x1680 | 0x180e
        | 0x2000..=0x200f | 0x2028..=0x202f | 0x205f..=0x206f | 0x3000 | 0xe000..=0xf8ff | 0xfeff | 0xfff9..=0xfffb
        | 0xfdd0..=0xfdef | 0x110bd | 0x110cd | 0x13430..=0x13438 | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0001..=0xe007f | 0xf0000..)
        && u32::from(c) & 0xfffe != 0xfffe
}
