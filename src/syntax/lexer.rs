//! Cuts a text into tokens, exactly where Python's `text_format` tokenizer cuts it.
//!
//! The rules are those of `google.protobuf.text_format` (text-format.md F2): identifiers may hold `+` and `-`,
//! numbers are greedy, a string ends at the latest with its line, white space is Unicode's, and everything else
//! is a token of one code point. Nothing is judged here: a bad number or an unterminated string is a token too.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// A run of white space, line breaks included.
    Whitespace,
    /// `#` up to the next LF, which is not part of it.
    Comment,
    /// `[A-Za-z_][0-9A-Za-z_+-]*`
    Ident,
    /// `([0-9+-]|\.[0-9])[0-9A-Za-z_.+-]*`
    Number,
    /// A quoted string that its own quote ends.
    String,
    /// A quoted string that the end of its line ends (LF, or the end of the text).
    UnterminatedString,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `<`
    OpenAngle,
    /// `>`
    CloseAngle,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// Any other single code point.
    Other,
}

impl TokenKind {
    /// White space and comments: what the grammar does not see.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Whitespace | Self::Comment)
    }

    /// `{`, `<` and `[`.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::OpenBrace | Self::OpenAngle | Self::OpenBracket)
    }

    /// `}`, `>` and `]`.
    pub const fn is_close(self) -> bool {
        matches!(self, Self::CloseBrace | Self::CloseAngle | Self::CloseBracket)
    }

    /// An opening or closing bracket.
    pub const fn is_bracket(self) -> bool {
        self.is_open() || self.is_close()
    }
}

/// A token: its kind and its length in bytes. Where it starts is known by who walks over the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Length in bytes, never 0.
    pub len: u32,
}

/// The token that starts at the first byte of `text`; `None` at the end of the text.
///
/// To find where the token ends, at most one code point behind it has been looked at, save for a string without
/// closing quote, which has been read up to and including its LF.
pub fn next_token(text: &str) -> Option<Token> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let (kind, len) = match CLASS[first as usize] {
        Class::Space => (TokenKind::Whitespace, whitespace_len(text)),
        Class::Hash => (TokenKind::Comment, line_len(bytes)),
        Class::Letter => (TokenKind::Ident, 1 + run_len(&bytes[1..], IDENT)),
        Class::Number => (TokenKind::Number, 1 + run_len(&bytes[1..], NUMBER)),
        Class::Dot if bytes.get(1).is_some_and(u8::is_ascii_digit) => {
            (TokenKind::Number, 2 + run_len(&bytes[2..], NUMBER))
        }
        Class::Quote => string(bytes),
        Class::Punctuation(kind) => (kind, 1),
        Class::NonAscii => {
            let c = text.chars().next()?;
            if is_python_space(c) {
                (TokenKind::Whitespace, whitespace_len(text))
            } else {
                (TokenKind::Other, c.len_utf8())
            }
        }
        Class::Dot | Class::Other => (TokenKind::Other, 1),
    };
    Some(Token { kind, len: u32::try_from(len).unwrap_or(u32::MAX) })
}

/// What Python's `\s` matches in a `str` (text-format.md F2); NEL, NBSP and the ideographic space are in it, zero-width
/// characters and the byte order mark are not.
pub const fn is_python_space(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r'
            | '\u{1c}'..='\u{20}'
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

#[derive(Clone, Copy)]
enum Class {
    Space,
    Hash,
    Letter,
    Number,
    Dot,
    Quote,
    Punctuation(TokenKind),
    Other,
    NonAscii,
}

const IDENT: u8 = 1;
const NUMBER: u8 = 2;
const BLANK: u8 = 4;

/// For each byte the runs it can continue.
const RUNS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-') {
            table[byte] |= IDENT | NUMBER;
        }
        if b == b'.' {
            table[byte] |= NUMBER;
        }
        if is_python_space(b as char) {
            table[byte] |= BLANK;
        }
        byte += 1;
    }
    table
};

const CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = match b {
            b'#' => Class::Hash,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
            b'0'..=b'9' | b'+' | b'-' => Class::Number,
            b'.' => Class::Dot,
            b'"' | b'\'' => Class::Quote,
            b':' => Class::Punctuation(TokenKind::Colon),
            b',' => Class::Punctuation(TokenKind::Comma),
            b';' => Class::Punctuation(TokenKind::Semicolon),
            b'{' => Class::Punctuation(TokenKind::OpenBrace),
            b'}' => Class::Punctuation(TokenKind::CloseBrace),
            b'<' => Class::Punctuation(TokenKind::OpenAngle),
            b'>' => Class::Punctuation(TokenKind::CloseAngle),
            b'[' => Class::Punctuation(TokenKind::OpenBracket),
            b']' => Class::Punctuation(TokenKind::CloseBracket),
            128.. => Class::NonAscii,
            _ if is_python_space(b as char) => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

fn run_len(bytes: &[u8], run: u8) -> usize {
    bytes.iter().position(|&b| RUNS[b as usize] & run == 0).unwrap_or(bytes.len())
}

fn whitespace_len(text: &str) -> usize {
    let mut len = 0;
    loop {
        len += run_len(&text.as_bytes()[len..], BLANK);
        match text[len..].chars().next() {
            Some(c) if !c.is_ascii() && is_python_space(c) => len += c.len_utf8(),
            _ => return len,
        }
    }
}

fn line_len(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// A backslash hides the character behind it, whatever it is, but never the LF.
fn string(bytes: &[u8]) -> (TokenKind, usize) {
    let quote = bytes[0];
    let mut at = 1;
    loop {
        match memchr::memchr3(quote, b'\\', b'\n', &bytes[at..]) {
            None => return (TokenKind::UnterminatedString, bytes.len()),
            Some(step) => {
                at += step;
                match bytes[at] {
                    b'\n' => return (TokenKind::UnterminatedString, at),
                    b'\\' => match bytes.get(at + 1) {
                        None => return (TokenKind::UnterminatedString, at + 1),
                        Some(b'\n') => return (TokenKind::UnterminatedString, at + 1),
                        Some(_) => at += 2,
                    },
                    _ => return (TokenKind::String, at + 1),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let mut at = 0;
        let mut shown = Vec::new();
        while let Some(token) = next_token(&text[at..]) {
            let end = at + token.len as usize;
            if token.kind != TokenKind::Whitespace {
                shown.push(format!("{:?} {:?}", token.kind, &text[at..end]));
            }
            at = end;
        }
        assert_eq!(at, text.len(), "the tokens joined are the text");
        expected.assert_eq(&shown.join(" · "));
    }

    #[test]
    fn plus_and_minus_belong_to_names() {
        check("skip-layers: true-", expect![[r#"Ident "skip-layers" · Colon ":" · Ident "true-""#]]);
    }

    #[test]
    fn numbers_are_greedy() {
        check(
            "6.0clip_min 1-1 .5 . -.5",
            expect![[r#"Number "6.0clip_min" · Number "1-1" · Number ".5" · Other "." · Number "-.5""#]],
        );
    }

    #[test]
    fn a_string_ends_with_its_line_at_the_latest() {
        check(
            "'a\"b' \"a # no comment\nx \"a\\\ny \"a\\\"",
            expect![[
                r#"String "'a\"b'" · UnterminatedString "\"a # no comment" · Ident "x" · UnterminatedString "\"a\\" · Ident "y" · UnterminatedString "\"a\\\"""#
            ]],
        );
    }

    #[test]
    fn comments_end_at_lf_only() {
        check("# a\rb\u{2028}c\nd", expect![[r##"Comment "# a\rb\u{2028}c" · Ident "d""##]]);
    }

    #[test]
    fn white_space_is_that_of_unicode() {
        check(
            "a\u{3000}b\u{a0}\u{85}c\u{200b}d",
            expect![[r#"Ident "a" · Ident "b" · Ident "c" · Other "\u{200b}" · Ident "d""#]],
        );
    }

    #[test]
    fn other_characters_are_a_token_each() {
        check(
            "中文：//*",
            expect![[r#"Other "中" · Other "文" · Other "：" · Other "/" · Other "/" · Other "*""#]],
        );
    }
}
