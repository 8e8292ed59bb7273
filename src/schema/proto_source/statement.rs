//! Cuts the tokens of a .proto file into statements with their blocks. It follows the brackets and knows no keywords, so
//! it goes on behind everything that is half typed.

use super::token::{Kind, Tokens};
use crate::text::TextRange;

/// How deep blocks and brackets may be nested. protobuf-parse ends the process somewhere beyond a thousand.
const MAX_DEPTH: usize = 100;

/// A statement: its head, then a `;` or a block.
#[derive(Debug)]
pub(in crate::schema) struct Statement {
    /// Its first token.
    pub(in crate::schema) first: usize,
    /// The token behind its head: `;`, `{`, or whatever follows where that is missing.
    pub(in crate::schema) head_end: usize,
    pub(in crate::schema) block: Option<Vec<Statement>>,
    /// The token behind all of it.
    pub(in crate::schema) end: usize,
}

impl Statement {
    /// The token behind its `;`, or behind the `{` of its block: where its trailing comment stands.
    pub(in crate::schema) fn comment_end(&self, tokens: &Tokens<'_>) -> usize {
        let is_ended = tokens.is_mark(self.head_end, b';') || self.block.is_some();
        self.head_end + usize::from(is_ended)
    }
}

/// The statements of a file, and the place where they are nested too deep; what is deeper is left out.
pub(in crate::schema) fn statements(tokens: &Tokens<'_>) -> (Vec<Statement>, Option<TextRange>) {
    let mut parser = Parser { tokens, at: 0, too_deep: None };
    let mut found = Vec::new();
    while tokens.get(parser.at).kind != Kind::End {
        found.extend(parser.block(0));
        // A stray `}`.
        parser.at += 1;
    }
    (found, parser.too_deep)
}

struct Parser<'a> {
    tokens: &'a Tokens<'a>,
    at: usize,
    too_deep: Option<TextRange>,
}

impl Parser<'_> {
    /// The statements up to a `}` or the end.
    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            match self.tokens.get(self.at).kind {
                Kind::End | Kind::Mark(b'}') => return statements,
                Kind::Mark(b';') => self.at += 1,
                _ => statements.push(self.statement(depth)),
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let tokens = self.tokens;
        let first = self.at;
        let mut brackets: Vec<u8> = Vec::new();
        let mut has_equals = false;
        loop {
            let at = self.at;
            let opens_value = at > first && matches!(tokens.get(at - 1).kind, Kind::Mark(b'=' | b':'));
            match tokens.get(at).kind {
                Kind::End => break,
                Kind::Mark(b'}') if !brackets.contains(&b'{') => break,
                // Within braces it separates the fields of an option's value.
                Kind::Mark(b';') if !brackets.contains(&b'{') => {
                    self.at += 1;
                    return Statement { first, head_end: at, block: None, end: self.at };
                }
                Kind::Mark(b'{') if brackets.is_empty() && !opens_value => {
                    return self.with_block(first, depth);
                }
                Kind::Mark(open @ (b'{' | b'[' | b'(')) => {
                    brackets.push(open);
                    if depth + brackets.len() > MAX_DEPTH {
                        self.too_deep.get_or_insert(tokens.get(at).range);
                        self.skip_brackets();
                        brackets.pop();
                        continue;
                    }
                }
                Kind::Mark(b'}' | b']' | b')') => {
                    brackets.pop();
                }
                Kind::Mark(b'=') => has_equals = true,
                // A value stands on one line: what follows on the next is a statement that lacks its `;` before it.
                Kind::Word if has_equals && brackets.is_empty() && tokens.starts_line(at) && !opens_value => {
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        Statement { first, head_end: self.at, block: None, end: self.at }
    }

    fn with_block(&mut self, first: usize, depth: usize) -> Statement {
        let head_end = self.at;
        if depth >= MAX_DEPTH {
            self.too_deep.get_or_insert(self.tokens.get(head_end).range);
            self.skip_brackets();
            return Statement { first, head_end, block: Some(Vec::new()), end: self.at };
        }
        self.at += 1;
        let block = self.block(depth + 1);
        if self.tokens.is_mark(self.at, b'}') {
            self.at += 1;
        }
        Statement { first, head_end, block: Some(block), end: self.at }
    }

    /// From an opening bracket to behind its closing one.
    fn skip_brackets(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.tokens.get(self.at).kind {
                Kind::End => return,
                Kind::Mark(b'{' | b'[' | b'(') => depth += 1,
                Kind::Mark(b'}' | b']' | b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}
