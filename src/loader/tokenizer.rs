//! Python's tokenizer: one token of look-ahead over lines that are decoded only when they are reached.
//!
//! Its state is Python's, because error places are made from it: an error about the current token quotes the current
//! line, one about the token before it does not, and behind the last token the line is empty (text-format.md F1).

use super::{ErrorKind, LoadError};
use crate::python::{is_decimal, is_word};
use crate::syntax::lexer::{TokenKind, next_token};
use crate::syntax::literal;
use crate::text::TextRange;

pub(super) struct Tokenizer<'a> {
    bytes: &'a [u8],
    /// Where the next line starts; `None` once all are read.
    next_line: Option<usize>,
    /// The current line, empty before the first and behind the last.
    line_text: &'a str,
    /// Number of the current line from 0; -1 before the first.
    line: i64,
    /// Where the current line starts in the file.
    line_start: usize,
    /// The current token's place in the line, in bytes and in code points.
    column_bytes: usize,
    column: usize,
    /// The current token, empty behind the last one.
    token: &'a str,
    kind: Option<TokenKind>,
    previous_line: i64,
    previous_column: usize,
    previous: TextRange,
}

type Result<T> = std::result::Result<T, LoadError>;

impl<'a> Tokenizer<'a> {
    /// Reads up to the first token.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let mut tokenizer = Self {
            bytes,
            next_line: Some(0),
            line_text: "",
            line: -1,
            line_start: 0,
            column_bytes: 0,
            column: 0,
            token: "",
            kind: None,
            previous_line: 0,
            previous_column: 0,
            previous: TextRange::empty(0),
        };
        // What goes wrong before the first token is there, Python wraps in a ParseError without text (F7).
        match tokenizer.skip_whitespace().and_then(|()| tokenizer.advance()) {
            Ok(()) => Ok(tokenizer),
            Err(error) => Err(LoadError { kind: ErrorKind::ParseError, message: String::new(), ..error }),
        }
    }

    pub(super) fn at_end(&self) -> bool {
        self.token.is_empty()
    }

    pub(super) fn token(&self) -> &'a str {
        self.token
    }

    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.kind
    }

    /// The bytes of the current token in the file.
    pub(super) fn range(&self) -> TextRange {
        TextRange::at((self.line_start + self.column_bytes).min(self.bytes.len()), self.token.len())
    }

    /// The bytes of the token before the current one.
    pub(super) fn previous_range(&self) -> TextRange {
        self.previous
    }

    /// Goes to the next token.
    pub(super) fn advance(&mut self) -> Result<()> {
        self.previous_line = self.line;
        self.previous_column = self.column;
        self.previous = self.range();
        self.column_bytes += self.token.len();
        self.column += self.token.chars().count();
        self.skip_whitespace()?;
        let rest = self.line_text.get(self.column_bytes..).unwrap_or_default();
        match next_token(rest) {
            Some(token) => {
                self.token = &rest[..token.len as usize];
                self.kind = Some(token.kind);
            }
            None => {
                self.token = "";
                self.kind = None;
            }
        }
        Ok(())
    }

    fn skip_whitespace(&mut self) -> Result<()> {
        loop {
            while self.line_text.len() <= self.column_bytes {
                if !self.pop_line()? {
                    return Ok(());
                }
            }
            let rest = &self.line_text[self.column_bytes..];
            match next_token(rest).filter(|token| token.kind.is_trivia()) {
                Some(token) => {
                    self.column += rest[..token.len as usize].chars().count();
                    self.column_bytes += token.len as usize;
                }
                None => return Ok(()),
            }
        }
    }

    /// Goes to the next line. Behind the last one the line is empty, but the column stays where it was.
    fn pop_line(&mut self) -> Result<bool> {
        let Some(start) = self.next_line else {
            self.line_text = "";
            return Ok(false);
        };
        let rest = &self.bytes[start..];
        let len = memchr::memchr(b'\n', rest);
        let line = &rest[..len.unwrap_or(rest.len())];
        match std::str::from_utf8(line) {
            Ok(text) => {
                self.next_line = len.map(|len| start + len + 1);
                self.line_text = text;
                self.line_start = start;
                self.line += 1;
                self.column_bytes = 0;
                self.column = 0;
                Ok(true)
            }
            Err(error) => {
                let good = String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count();
                Err(LoadError {
                    kind: ErrorKind::UnicodeDecodeError,
                    line: u32::try_from(self.line + 2).ok(),
                    column: u32::try_from(good + 1).ok(),
                    message: literal::undecodable(line, error),
                    offset: Some(start + error.valid_up_to()),
                })
            }
        }
    }

    pub(super) fn try_consume(&mut self, token: &str) -> Result<bool> {
        let found = self.token == token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn consume(&mut self, token: &str) -> Result<()> {
        if self.try_consume(token)? { Ok(()) } else { Err(self.error(&format!("Expected \"{token}\"."))) }
    }

    pub(super) fn consume_identifier(&mut self) -> Result<&'a str> {
        let token = self.token;
        if !token.starts_with(|c: char| is_word(c) && !is_decimal(c)) {
            return Err(self.error("Expected identifier."));
        }
        self.advance()?;
        Ok(token)
    }

    pub(super) fn consume_identifier_or_number(&mut self) -> Result<&'a str> {
        let token = self.token;
        if !token.starts_with(is_word) {
            return Err(self.error(&format!("Expected identifier or number, got {token}.")));
        }
        self.advance()?;
        Ok(token)
    }

    /// An error at the current token; it quotes the line.
    pub(super) fn error(&self, message: &str) -> LoadError {
        LoadError {
            kind: ErrorKind::ParseError,
            line: u32::try_from(self.line + 1).ok(),
            column: u32::try_from(self.column + 1).ok(),
            message: format!("'{}': {message}", self.line_text),
            offset: Some(self.range().start),
        }
    }

    /// An error at the token before the current one.
    pub(super) fn error_at_previous(&self, message: String) -> LoadError {
        LoadError {
            kind: ErrorKind::ParseError,
            line: u32::try_from(self.previous_line + 1).ok(),
            column: u32::try_from(self.previous_column + 1).ok(),
            message,
            offset: Some(self.previous.start),
        }
    }
}
