//! Escapes in strings, as Python's codecs `raw_unicode_escape`, `unicode_escape` and `latin-1` treat them one after
//! another, and the check that the result is UTF-8.

use super::Refusal;
use crate::python;

/// Why a string token is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StringError {
    /// No closing quote.
    Unterminated(Refusal),
    /// An escape that Python cannot read.
    Escape(Refusal),
}

impl StringError {
    /// Python's words.
    pub fn refusal(&self) -> &Refusal {
        match self {
            Self::Unterminated(refusal) | Self::Escape(refusal) => refusal,
        }
    }
}

/// The escapes of a string token that mean nothing, so that Python silently keeps their backslash in the value: where each
/// begins in the token, in bytes, and the character behind the backslash.
pub fn unknown_escapes(token: &str) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let mut chars = token.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            continue;
        }
        match chars.next() {
            Some((
                _,
                '\\'
                | '\''
                | '"'
                | 'a'
                | 'b'
                | 't'
                | 'n'
                | 'v'
                | 'f'
                | 'r'
                | '0'..='7'
                | 'x'
                | 'u'
                | 'U'
                | 'N',
            )) => {}
            Some((_, unknown)) => found.push((at, unknown)),
            None => {}
        }
    }
    found
}

/// Takes the quotes off a string token and reads its escapes.
pub fn unescape(token: &str) -> Result<Vec<u8>, StringError> {
    let quote = token.chars().next().unwrap_or_default();
    let inner = token.get(1..).and_then(|rest| rest.strip_suffix(quote));
    let Some(inner) = inner else {
        let text = format!("String missing ending quote: {}", python::str_repr(token));
        return Err(StringError::Unterminated(Refusal(text)));
    };
    if !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    let inner = lengthen_hex(inner);
    let codes = read_unicode_escapes(&inner).map_err(StringError::Escape)?;
    let bytes = encode_utf8(&codes).map_err(StringError::Escape)?;
    let codes = read_c_escapes(&bytes).map_err(StringError::Escape)?;
    encode_latin_1(&codes).map_err(StringError::Escape)
}

/// `\xf` becomes `\x0f`: Python's codec wants two digits.
fn lengthen_hex(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut rest = text.chars().peekable();
    let mut backslashes = 0;
    while let Some(c) = rest.next() {
        out.push(c);
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        if c == 'x' && backslashes % 2 == 1 {
            let mut ahead = rest.clone();
            let one = ahead.next().is_some_and(|c| c.is_ascii_hexdigit());
            let two = ahead.next().is_some_and(|c| c.is_ascii_hexdigit());
            if one && !two {
                out.push('0');
            }
        }
        backslashes = 0;
    }
    out
}

/// Encodes and decodes with `raw_unicode_escape`: `\u4f60` and `\U0001f600` become characters. A character beyond
/// U+00FF is encoded as such an escape first, so behind a backslash it stays one, as text.
fn read_unicode_escapes(text: &str) -> Result<Vec<u32>, Refusal> {
    let mut encoded: Vec<u8> = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c)) {
            Ok(byte) => encoded.push(byte),
            Err(_) => encoded.extend(python::escape(u32::from(c)).bytes()),
        }
    }
    let mut codes = Vec::with_capacity(encoded.len());
    let mut at = 0;
    while at < encoded.len() {
        let start = at;
        let byte = encoded[at];
        at += 1;
        let next = encoded.get(at).copied();
        let digits = match next {
            Some(b'u') if byte == b'\\' => 4,
            Some(b'U') if byte == b'\\' => 8,
            Some(next) if byte == b'\\' => {
                codes.extend([u32::from(byte), u32::from(next)]);
                at += 1;
                continue;
            }
            _ => {
                codes.push(u32::from(byte));
                continue;
            }
        };
        at += 1;
        let hex = encoded[at..].iter().take(digits).take_while(|b| b.is_ascii_hexdigit()).count();
        let value = encoded[at..at + hex].iter().fold(0u64, |value, &digit| {
            value * 16 + u64::from(char::from(digit).to_digit(16).unwrap_or_default())
        });
        at += hex;
        let refuse = |reason: &str| {
            let text = format!(
                "'rawunicodeescape' codec can't decode bytes in position {start}-{}: {reason}",
                at - 1
            );
            Err(Refusal(text))
        };
        if hex < digits {
            return refuse(if digits == 4 {
                "truncated \\uXXXX escape"
            } else {
                "truncated \\UXXXXXXXX escape"
            });
        }
        if value > 0x10_ffff {
            return refuse("\\Uxxxxxxxx out of range");
        }
        codes.push(value as u32);
    }
    Ok(codes)
}

/// Encodes as UTF-8, which knows no surrogates.
fn encode_utf8(codes: &[u32]) -> Result<Vec<u8>, Refusal> {
    let is_bad = |&code: &u32| char::from_u32(code).is_none();
    if let Some(refusal) = unencodable(codes, is_bad, "utf-8", "surrogates not allowed") {
        return Err(refusal);
    }
    let text: String = codes.iter().filter_map(|&code| char::from_u32(code)).collect();
    Ok(text.into_bytes())
}

fn encode_latin_1(codes: &[u32]) -> Result<Vec<u8>, Refusal> {
    let refusal = unencodable(codes, |&code| code > 0xff, "latin-1", "ordinal not in range(256)");
    refusal.map_or_else(|| Ok(codes.iter().map(|&code| code as u8).collect()), Err)
}

/// Python's words about the first run of code points that an encoding does not have.
fn unencodable(codes: &[u32], is_bad: impl Fn(&u32) -> bool, codec: &str, reason: &str) -> Option<Refusal> {
    let start = codes.iter().position(&is_bad)?;
    let len = codes[start..].iter().take_while(|code| is_bad(code)).count();
    Some(Refusal(if len == 1 {
        format!(
            "'{codec}' codec can't encode character '{}' in position {start}: {reason}",
            python::escape(codes[start])
        )
    } else {
        format!("'{codec}' codec can't encode characters in position {start}-{}: {reason}", start + len - 1)
    }))
}

/// Decodes with `unicode_escape`: bytes are code points, and C's escapes are read. `\u` and `\U` are gone already.
fn read_c_escapes(bytes: &[u8]) -> Result<Vec<u32>, Refusal> {
    let mut codes = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        at += 1;
        if byte != b'\\' {
            codes.push(u32::from(byte));
            continue;
        }
        let Some(&kind) = bytes.get(at) else {
            let text = format!(
                "'unicodeescape' codec can't decode byte 0x5c in position {start}: \\ at end of string"
            );
            return Err(Refusal(text));
        };
        at += 1;
        let code = match kind {
            b'\\' | b'\'' | b'"' => u32::from(kind),
            b'a' => 7,
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'v' => 11,
            b'f' => 12,
            b'r' => 13,
            b'0'..=b'7' => {
                let more = bytes[at..].iter().take(2).take_while(|b| matches!(b, b'0'..=b'7')).count();
                let value = bytes[at - 1..at + more]
                    .iter()
                    .fold(0, |value, digit| value * 8 + u32::from(digit - b'0'));
                at += more;
                value
            }
            b'x' => {
                let hex = bytes[at..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
                at += hex;
                if hex < 2 {
                    return Err(truncated(start, at, "truncated \\xXX escape"));
                }
                hex_value(&bytes[at - 2..at])
            }
            b'u' | b'U' => {
                let digits = if kind == b'u' { 4 } else { 8 };
                let hex = bytes[at..].iter().take(digits).take_while(|b| b.is_ascii_hexdigit()).count();
                at += hex;
                if hex < digits {
                    let reason =
                        if digits == 4 { "truncated \\uXXXX escape" } else { "truncated \\UXXXXXXXX escape" };
                    return Err(truncated(start, at, reason));
                }
                let value = hex_value(&bytes[at - digits..at]);
                if value > 0x10_ffff {
                    return Err(truncated(start, at, "illegal Unicode character"));
                }
                value
            }
            b'N' => {
                let (code, end) = named_character(bytes, start, at)?;
                at = end;
                code
            }
            _ => {
                codes.push(u32::from(b'\\'));
                u32::from(kind)
            }
        };
        codes.push(code);
    }
    Ok(codes)
}

fn hex_value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, &digit| value * 16 + char::from(digit).to_digit(16).unwrap_or_default())
}

fn truncated(start: usize, end: usize, reason: &str) -> Refusal {
    Refusal(format!("'unicodeescape' codec can't decode bytes in position {start}-{}: {reason}", end - 1))
}

/// The characters that a name can stand for without being refused later.
const LATIN_1_NAMES: &str = include_str!("latin_1_names.txt");

/// `\N{NAME}`. Only names of what `latin-1` has are built in. Any other is refused in either case: it is taken for that of
/// a character that `latin-1` lacks, as nearly all are, and BULLET's code point stands where Python shows its own.
fn named_character(bytes: &[u8], start: usize, at: usize) -> Result<(u32, usize), Refusal> {
    const BULLET: u32 = 0x2022;
    let rest = &bytes[at..];
    let close = rest.iter().position(|&byte| byte == b'}');
    match (rest.first(), close) {
        (Some(b'{'), Some(close)) if close > 1 => {
            Ok((latin_1_character(&rest[1..close]).unwrap_or(BULLET), at + close + 1))
        }
        (Some(b'{'), close) => {
            let end = at + close.unwrap_or(rest.len());
            Err(truncated(start, end, "malformed \\N character escape"))
        }
        _ => Err(truncated(start, at, "malformed \\N character escape")),
    }
}

/// The code point up to U+00FF that has this name, in small or capital letters.
fn latin_1_character(name: &[u8]) -> Option<u32> {
    LATIN_1_NAMES.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (code, names) = line.split_once(' ')?;
        let is_named = names.split("; ").any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        is_named.then(|| u32::from_str_radix(code, 16).ok())?
    })
}

/// Checks that the bytes of a string field are UTF-8. Python's words about the first bytes that are not.
pub fn decode_utf8(bytes: Vec<u8>) -> Result<String, Refusal> {
    String::from_utf8(bytes).map_err(|error| Refusal(undecodable(error.as_bytes(), error.utf8_error())))
}

/// Python's words about bytes that are not UTF-8: `'utf-8' codec can't decode byte 0xd6 in position 2: …`.
pub fn undecodable(bytes: &[u8], error: std::str::Utf8Error) -> String {
    let start = error.valid_up_to();
    let is_lead = matches!(bytes[start], 0xc2..=0xf4);
    let (len, reason) = match error.error_len() {
        None => (bytes.len() - start, "unexpected end of data"),
        Some(len) if is_lead => (len, "invalid continuation byte"),
        Some(len) => (len, "invalid start byte"),
    };
    if len == 1 {
        format!("'utf-8' codec can't decode byte 0x{:02x} in position {start}: {reason}", bytes[start])
    } else {
        format!("'utf-8' codec can't decode bytes in position {start}-{}: {reason}", start + len - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(token: &str) -> Result<String, String> {
        unescape(token)
            .map_err(|error| error.refusal().0.clone())
            .and_then(|bytes| decode_utf8(bytes).map_err(|refusal| refusal.0))
    }

    #[test]
    fn known_escapes_are_read_and_unknown_ones_kept() {
        for (token, expected) in [
            (r#""\n\t\\\"\'""#, "\n\t\\\"'"),
            (r#""\101\x41\x4z""#, "AA\u{4}z"),
            (r#""\u4f60\U0001f600""#, "你😀"),
            (r#""\q\8\?""#, r"\q\8\?"),
            (r#""\中""#, r"\u4e2d"),
            (r#""\xc3\xa9""#, "é"),
            (r#""\\u4f60""#, r"\u4f60"),
            (r#""\N{Latin Small Letter A}\N{HT}""#, "a\t"),
        ] {
            assert_eq!(value(token).as_deref(), Ok(expected), "{token}");
        }
    }

    #[test]
    fn unknown_escapes_have_their_places() {
        assert_eq!(unknown_escapes("'\\\\q\\q\\x41\\中'"), [(4, 'q'), (10, '中')]);
    }

    #[test]
    fn python_speaks_about_bad_escapes() {
        for (token, expected) in [
            (
                r#""C:\users""#,
                "'rawunicodeescape' codec can't decode bytes in position 2-3: truncated \\uXXXX escape",
            ),
            (r#""\xg""#, "'unicodeescape' codec can't decode bytes in position 0-1: truncated \\xXX escape"),
            (
                r#""\400""#,
                "'latin-1' codec can't encode character '\\u0100' in position 0: ordinal not in range(256)",
            ),
            (
                r#""\ud83d\ude00""#,
                "'utf-8' codec can't encode characters in position 0-1: surrogates not allowed",
            ),
            (
                r#""\N{BULLET}""#,
                "'latin-1' codec can't encode character '\\u2022' in position 0: ordinal not in range(256)",
            ),
            (
                r#""\N{}""#,
                "'unicodeescape' codec can't decode bytes in position 0-2: malformed \\N character escape",
            ),
            (r#""\N{SHY}""#, "'utf-8' codec can't decode byte 0xad in position 0: invalid start byte"),
            (r#""\xff""#, "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
            (r#""abc\""#, "'unicodeescape' codec can't decode byte 0x5c in position 3: \\ at end of string"),
            (r#""a"#, "String missing ending quote: '\"a'"),
        ] {
            assert_eq!(value(token), Err(expected.to_owned()), "{token}");
        }
    }
}
