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
