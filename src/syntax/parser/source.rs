//! The tokens of a text with what the parser wants to know about them. Takes nothing and changes nothing.
//!
//! Mistakes that are best read as what their author meant are hidden here: a full-width bracket has the kind of the
//! plain one, and invisible characters and comments of other languages count as white space.

use std::cell::Cell;
use std::ops::Range;

use memchr::{memchr2, memrchr2};

use crate::python;
use crate::syntax::errors::{SyntaxError, SyntaxErrorKind as Kind};
use crate::syntax::lexer::{Token, TokenKind, next_token};
use crate::syntax::tree::stored::{ALL, Brackets, Run};
use crate::text::TextRange;

/// Indentation beyond this many columns is not told apart.
const MAX_INDENTATION: usize = 256;

pub(in crate::syntax) struct Source<'a> {
    text: &'a str,
    ends: Ends,
    /// The last token that anybody looked at, or one behind them all.
    seen: Cell<usize>,
    /// The first token of the top-level item that is being read.
    pub(super) item: usize,
    tokens: Vec<Token>,
    /// Where each token starts, and where the last one ends.
    starts: Vec<u32>,
    /// Which tokens are white space that breaks the line.
    breaks: Vec<bool>,
}

/// Which ends of a document a piece of its text has.
#[derive(Clone, Copy, Debug)]
pub(in crate::syntax) struct Ends {
    pub(in crate::syntax) has_start: bool,
    pub(in crate::syntax) has_end: bool,
}

/// A punctuation mark, as it should be written and as it is, if that is a full-width character.
#[derive(Clone, Copy)]
pub(super) struct Punctuation {
    pub(super) plain: char,
    pub(super) wide: Option<char>,
}

/// The bracket that a kind of token is.
pub(super) const fn bracket(kind: TokenKind) -> char {
    match kind {
        TokenKind::OpenBrace => '{',
        TokenKind::OpenAngle => '<',
        TokenKind::OpenBracket => '[',
        TokenKind::CloseAngle => '>',
        TokenKind::CloseBracket => ']',
        _ => '}',
    }
}

fn full_width(c: char) -> Option<(TokenKind, char)> {
    Some(match c {
        '：' => (TokenKind::Colon, ':'),
        '，' | '、' => (TokenKind::Comma, ','),
        '；' => (TokenKind::Semicolon, ';'),
        '｛' | '（' => (TokenKind::OpenBrace, '{'),
        '｝' | '）' => (TokenKind::CloseBrace, '}'),
        '＜' => (TokenKind::OpenAngle, '<'),
        '＞' => (TokenKind::CloseAngle, '>'),
        '［' | '【' => (TokenKind::OpenBracket, '['),
        '］' | '】' => (TokenKind::CloseBracket, ']'),
        _ => return None,
    })
}

/// Characters that nobody sees and that are not white space for Python.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn is_curly_quote(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '＂' | '＇')
}

/// What some tokens do to the brackets around them; `text` begins with theirs.
pub(super) fn brackets(text: &str, tokens: &[Token]) -> Brackets {
    let mut sum = Brackets::default();
    let mut at = 0;
    for token in tokens {
        let kind = match token.kind {
            TokenKind::Other => text[at..].chars().next().and_then(full_width).map(|(kind, _)| kind),
            kind => Some(kind),
        };
        match kind {
            Some(kind) if kind.is_open() => sum = sum.then(Brackets::OPEN),
            Some(kind) if kind.is_close() => sum = sum.then(Brackets::CLOSE),
            _ => {}
        }
        at += token.len as usize;
    }
    sum
}

impl<'a> Source<'a> {
    /// A piece of a text that begins with a token.
    pub(in crate::syntax) fn new(text: &'a str, ends: Ends) -> Self {
        let mut tokens = Vec::with_capacity(text.len() / 4);
        let mut starts = Vec::with_capacity(text.len() / 4);
        let mut breaks = Vec::with_capacity(text.len() / 4);
        let mut at = 0;
        while let Some(token) = next_token(&text[at..]) {
            starts.push(at as u32);
            tokens.push(token);
            let end = at + token.len as usize;
            breaks.push(
                token.kind == TokenKind::Whitespace
                    && memchr2(b'\n', b'\r', &text.as_bytes()[at..end]).is_some(),
            );
            at = end;
        }
        starts.push(at as u32);
        Self { text, ends, seen: Cell::new(0), item: 0, tokens, starts, breaks }
    }

    fn token(&self, at: usize) -> Option<Token> {
        if at > self.seen.get() {
            self.seen.set(at);
        }
        self.tokens.get(at).copied()
    }

    /// Forgets what was looked at behind the token `at`, to find out how far an item looks. Gives what was known.
    pub(super) fn forget_seen(&self, at: usize) -> usize {
        self.seen.replace(at)
    }

    /// Remembers what [`Source::forget_seen`] gave.
    pub(super) fn remember_seen(&self, seen: usize) {
        self.seen.set(self.seen.get().max(seen));
    }

    /// How many bytes behind the token `end` were looked at.
    pub(super) fn look(&self, end: usize) -> u32 {
        let seen = self.seen.get();
        let Some(token) = self.tokens.get(seen) else { return ALL };
        // Where a token ends that is not a mark depends on the character behind it.
        let more = !matches!(token.kind, TokenKind::String | TokenKind::Colon | TokenKind::Comma)
            && !token.kind.is_bracket();
        (self.starts[seen + 1] + u32::from(more)).saturating_sub(self.starts[end.min(self.tokens.len())])
    }

    /// Whether somebody looked behind the piece, or at its last token, which may go on there.
    pub(in crate::syntax) fn is_too_short(&self) -> bool {
        !self.ends.has_end && self.seen.get() + 1 >= self.tokens.len()
    }

    /// Whether the token before is white space.
    pub(super) fn is_behind_space(&self, at: usize) -> bool {
        at > 0 && self.tokens[at - 1].kind == TokenKind::Whitespace
    }

    /// Whether nothing is before the token.
    pub(super) fn is_first(&self, at: usize) -> bool {
        at == 0 && self.ends.has_start
    }

    /// The kind of a token, `None` behind the last one. A full-width mark has the kind of the plain one.
    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        let kind = self.token(at)?.kind;
        match kind {
            TokenKind::Other => Some(full_width(self.char(at)).map_or(kind, |(kind, _)| kind)),
            _ => Some(kind),
        }
    }

    pub(super) fn punctuation(&self, at: usize) -> Option<Punctuation> {
        match self.token(at)?.kind {
            TokenKind::Other => {
                let wide = self.char(at);
                full_width(wide).map(|(_, plain)| Punctuation { plain, wide: Some(wide) })
            }
            _ => Some(Punctuation { plain: self.char(at), wide: None }),
        }
    }

    pub(super) fn range(&self, at: usize) -> TextRange {
        let last = self.tokens.len();
        TextRange::new(self.starts[at.min(last)] as usize, self.starts[(at + 1).min(last)] as usize)
    }

    pub(super) fn range_without_trailing_space(&self, at: usize) -> TextRange {
        TextRange::at(self.range(at).start, self.text(at).trim_end().len())
    }

    pub(super) fn text(&self, at: usize) -> &'a str {
        let range = self.range(at);
        &self.text[range.start..range.end]
    }

    fn char(&self, at: usize) -> char {
        self.text(at).chars().next().unwrap_or_default()
    }

    /// Text and tokens of a stretch, to keep.
    pub(super) fn run(&self, tokens: Range<usize>) -> Run {
        let text = &self.text[self.starts[tokens.start] as usize..self.starts[tokens.end] as usize];
        Run { text: text.to_owned(), tokens: self.tokens[tokens].to_vec() }
    }

    pub(super) fn append(&self, tokens: Range<usize>, run: &mut Run) {
        run.text.push_str(&self.text[self.starts[tokens.start] as usize..self.starts[tokens.end] as usize]);
        run.tokens.extend_from_slice(&self.tokens[tokens]);
    }

    /// The first token from `at` on that is neither white space nor comment, nor counts as such by mistake.
    pub(super) fn significant(&self, mut at: usize) -> usize {
        while let Some(token) = self.token(at) {
            at = match token.kind {
                TokenKind::Whitespace | TokenKind::Comment => at + 1,
                TokenKind::Other => match self.mistaken_trivia(at) {
                    Some((_, end)) => end,
                    None => break,
                },
                _ => break,
            };
        }
        at
    }

    /// What begins at `at` and counts as white space by mistake: what is wrong, and the token behind it.
    fn mistaken_trivia(&self, at: usize) -> Option<(Kind, usize)> {
        match self.char(at) {
            '\u{feff}' if self.is_first(at) => Some((Kind::ByteOrderMark, at + 1)),
            c if is_invisible(c) => Some((Kind::Invisible(c), at + 1)),
            '＃' => Some((Kind::FullWidth('＃', '#'), self.end_of_line(at))),
            '/' => match self.is_adjacent_char(at + 1)? {
                '/' => Some((Kind::SlashComment, self.end_of_line(at))),
                '*' => Some((Kind::BlockComment, self.end_of_block_comment(at))),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_adjacent_char(&self, at: usize) -> Option<char> {
        self.token(at).filter(|token| token.kind == TokenKind::Other).map(|_| self.char(at))
    }

    /// The first token at or behind `at` that breaks the line.
    fn end_of_line(&self, at: usize) -> usize {
        let end = (at..self.tokens.len()).find(|&at| self.breaks_line(at)).unwrap_or(self.tokens.len());
        self.token(end);
        end
    }

    fn end_of_block_comment(&self, open: usize) -> usize {
        let is = |at: usize, first, second| {
            self.is_adjacent_char(at) == Some(first) && self.is_adjacent_char(at + 1) == Some(second)
        };
        let mut at = open + 2;
        while self.token(at).is_some() && !is(at, '/', '*') {
            if is(at, '*', '/') {
                return at + 2;
            }
            at += 1;
        }
        self.end_of_line(open)
    }

    /// Reports what counts as white space by mistake among the tokens `from..to`.
    pub(super) fn report_mistaken_trivia(&self, from: usize, to: usize, errors: &mut Vec<SyntaxError>) {
        let mut at = from;
        while at < to {
            let mistaken =
                (self.tokens[at].kind == TokenKind::Other).then(|| self.mistaken_trivia(at)).flatten();
            at = match mistaken {
                Some((kind, end)) => {
                    let range = match kind {
                        Kind::SlashComment | Kind::BlockComment => self.range(at).cover(self.range(at + 1)),
                        _ => self.range(at),
                    };
                    errors.push(SyntaxError { kind, range, related: None });
                    end
                }
                None => at + 1,
            };
        }
    }

    /// The last stretch among the tokens `from..to` that counts as white space by mistake.
    pub(super) fn last_mistaken_trivia(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let mut found = None;
        let mut at = from;
        while at < to {
            let mistaken =
                (self.tokens[at].kind == TokenKind::Other).then(|| self.mistaken_trivia(at)).flatten();
            let end = mistaken.map_or(at + 1, |(_, end)| {
                found = Some(at..end);
                end
            });
            at = end;
        }
        found
    }

    fn breaks_line(&self, at: usize) -> bool {
        self.breaks[at]
    }

    /// Whether the white space among the tokens `from..to` breaks the line.
    pub(super) fn has_line_break(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| self.breaks_line(at))
    }

    pub(super) fn starts_line(&self, at: usize) -> bool {
        match at {
            0 => self.is_first(0),
            _ => {
                self.breaks_line(at - 1)
                    || at == 1 && self.is_first(0) && self.tokens[0].kind == TokenKind::Whitespace
            }
        }
    }

    /// Width of the white space before a token that starts its line.
    pub(super) fn column(&self, at: usize) -> usize {
        if at == 0 {
            return 0;
        }
        let space = self.text(at - 1);
        let line = memrchr2(b'\n', b'\r', space.as_bytes()).map_or(0, |line_break| line_break + 1);
        space[line..].chars().take(MAX_INDENTATION).count()
    }

    /// Width of the white space before the first token of the line that `at` is on. A line that begins before the
    /// top-level item counts as not indented.
    pub(super) fn indentation(&self, at: usize) -> usize {
        let mut line = (self.item..=at).rev().take(64);
        match line.find(|&at| self.starts_line(at)) {
            Some(first) => self.column(first),
            None if at - self.item < 64 => 0,
            None => MAX_INDENTATION,
        }
    }

    pub(super) fn is_string(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(TokenKind::String | TokenKind::UnterminatedString))
    }

    pub(super) fn is_equals(&self, at: usize) -> bool {
        self.token(at).is_some_and(|t| t.kind == TokenKind::Other) && matches!(self.char(at), '=' | '＝')
    }

    /// Whether a name can begin with this token: with a letter or digit of any script (text-format.md F2).
    pub(super) fn can_name(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Ident) => true,
            Some(TokenKind::Number | TokenKind::Other) => python::is_word(self.char(at)),
            _ => false,
        }
    }

    /// Whether a value can consist of this token alone. One digit of any script is a number (text-format.md F6).
    pub(super) fn can_be_value(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Ident | TokenKind::Number) => true,
            Some(TokenKind::Other) => python::is_decimal(self.char(at)),
            _ => false,
        }
    }

    /// Whether a name, or a name in quotes, stands here with a colon or an opening brace behind it.
    pub(super) fn starts_field(&self, at: usize) -> bool {
        let end = match self.kind(at) {
            Some(TokenKind::String) => at + 1,
            _ if self.can_name(at) => self.end_of_word(at),
            _ => return false,
        };
        let next = self.significant(end);
        match self.kind(next) {
            Some(TokenKind::Colon | TokenKind::OpenBrace) => true,
            Some(TokenKind::OpenAngle) => !self.is_conflict_mark(next),
            _ => self.is_equals(next),
        }
    }

    /// Behind the last token of the word that begins at `at`: tokens without white space between them that can only
    /// have been meant as one, such as `nn.Conv2D`.
    pub(super) fn end_of_word(&self, at: usize) -> usize {
        let belongs = |&at: &usize| match self.kind(at) {
            Some(TokenKind::Ident | TokenKind::Number) => true,
            Some(TokenKind::Other) => {
                let c = self.char(at);
                !is_curly_quote(c) && !self.is_equals(at) && self.mistaken_trivia(at).is_none()
            }
            _ => false,
        };
        at + 1 + (at + 1..).take_while(belongs).count()
    }

    pub(super) fn is_unsigned_number_on_line(&self, from: usize) -> bool {
        let at = self.significant(from);
        self.kind(at) == Some(TokenKind::Number)
            && self.text(at).starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && !self.has_line_break(from, at)
    }

    pub(super) fn is_opening_curly_quote(&self, at: usize) -> bool {
        self.tokens[at].kind == TokenKind::Other && is_curly_quote(self.char(at))
    }

    /// The text of a string that begins with a plain quote and ends with a typographic one.
    pub(super) fn mixed_quoted(&self, at: usize) -> Option<String> {
        let text = self.text(at).trim_end();
        let inner = text.strip_suffix(is_curly_quote)?;
        Some(inner.get(1..)?.to_owned())
    }

    /// The text of a range.
    pub(super) fn slice(&self, range: TextRange) -> &'a str {
        &self.text[range.start..range.end]
    }

    /// Behind the typographic quote that closes the one at `first`, or behind the line; and the text between them.
    pub(super) fn curly_quoted(&self, first: usize) -> (usize, String) {
        let is_mark = |at: usize| self.is_opening_curly_quote(at) || self.text(at) == "\"";
        let mut end = first + 1;
        while self.token(end).is_some()
            && !self.breaks_line(end)
            && !is_mark(end)
            && self.tokens[end].kind != TokenKind::Comment
        {
            end += 1;
        }
        let inner = &self.text[self.range(first).end..self.range(end).start];
        let is_closed = end < self.tokens.len() && is_mark(end);
        (end + usize::from(is_closed), inner.trim_end().to_owned())
    }

    /// Behind the closing bracket of `[pkg.name]` or `[prefix/pkg.Type]`, from its opening one on. `None` when something
    /// else stands between the brackets. A prefix may hold almost any mark, two slashes included, so nothing in it counts
    /// as a comment; whether the name is a good one is for those to say who know the schema.
    pub(super) fn end_of_bracketed_name(&self, open: usize) -> Option<usize> {
        for at in open + 1.. {
            match self.token(at)?.kind {
                TokenKind::CloseBracket => return Some(at + 1),
                TokenKind::String | TokenKind::UnterminatedString | TokenKind::Colon => return None,
                kind if kind.is_bracket() => return None,
                TokenKind::Whitespace if self.breaks_line(at) && self.starts_field(at + 1) => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether seven angle brackets start the line at `at`.
    pub(super) fn is_conflict_mark(&self, at: usize) -> bool {
        let kind = self.token(at).map(|token| token.kind);
        matches!(kind, Some(TokenKind::OpenAngle | TokenKind::CloseAngle))
            && self.starts_line(at)
            && (at..at + 7).all(|at| self.token(at).map(|token| token.kind) == kind)
    }

    /// Behind the line of the mark that ends the conflict that `first` begins; behind the line of `first` where none does.
    pub(super) fn end_of_conflict(&self, first: usize) -> usize {
        let mut at = first + 7;
        while self.token(at).is_some() && !self.is_conflict_mark(at) {
            at += 1;
        }
        let end = self.token(at).filter(|token| token.kind == TokenKind::CloseAngle);
        self.end_of_line(end.map_or(first, |_| at))
    }

    /// The kind that closes the opening bracket at `open`.
    pub(super) fn partner(&self, open: usize) -> Option<TokenKind> {
        Some(match self.kind(open)? {
            TokenKind::OpenBrace => TokenKind::CloseBrace,
            TokenKind::OpenAngle => TokenKind::CloseAngle,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => return None,
        })
    }

    /// Behind the bracket that closes the one at `open`, all kinds counting alike; the end of the text where none does.
    pub(super) fn end_of_brackets(&self, open: usize) -> usize {
        let mut depth = 0;
        let mut at = open;
        while let Some(kind) = self.kind(at) {
            at += 1;
            depth += i32::from(kind.is_open()) - i32::from(kind.is_close());
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// The opening brackets up to the byte `end` that nothing closes, all kinds counting alike. `behind` are the brackets
    /// from there on.
    pub(super) fn unmatched_openers(&self, end: usize, behind: Brackets) -> Vec<usize> {
        let mut open = Vec::new();
        for at in 0..self.tokens.len() {
            if self.starts[at] as usize >= end {
                break;
            }
            let kind = match self.tokens[at].kind {
                TokenKind::Other => full_width(self.char(at)).map(|(kind, _)| kind),
                kind => Some(kind),
            };
            match kind {
                Some(kind) if kind.is_open() => open.push(at),
                Some(kind) if kind.is_close() => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.truncate(open.len().saturating_sub(behind.closed as usize));
        open
    }

    /// The first token that begins at or behind a byte.
    pub(super) fn token_from(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| (start as usize) < byte)
    }
}
