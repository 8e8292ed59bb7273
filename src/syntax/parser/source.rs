//! The tokens of a text with what the parser wants to know about them. Takes nothing and changes nothing.
//!
//! Mistakes that are best read as what their author meant are hidden here: a full-width bracket has the kind of the
//! plain one, and invisible characters and comments of other languages count as white space.

use std::ops::Range;

use memchr::{memchr2, memrchr2};

use crate::python;
use crate::syntax::errors::{SyntaxError, SyntaxErrorKind as Kind};
use crate::syntax::lexer::{Token, TokenKind, next_token};
use crate::syntax::tree::Run;
use crate::text::TextRange;

/// Indentation beyond this many columns is not told apart.
const MAX_INDENTATION: usize = 256;

pub(super) struct Source<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Where each token starts, and where the last one ends.
    starts: Vec<u32>,
    /// Which tokens are white space that breaks the line.
    breaks: Vec<bool>,
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

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
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
        Self { text, tokens, starts, breaks }
    }

    /// The kind of a token, `None` behind the last one. A full-width mark has the kind of the plain one.
    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        let kind = self.tokens.get(at)?.kind;
        match kind {
            TokenKind::Other => Some(full_width(self.char(at)).map_or(kind, |(kind, _)| kind)),
            _ => Some(kind),
        }
    }

    pub(super) fn punctuation(&self, at: usize) -> Option<Punctuation> {
        match self.tokens.get(at)?.kind {
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
        while let Some(token) = self.tokens.get(at) {
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
            '\u{feff}' if at == 0 => Some((Kind::ByteOrderMark, at + 1)),
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
        self.tokens.get(at).filter(|token| token.kind == TokenKind::Other).map(|_| self.char(at))
    }

    /// The first token at or behind `at` that breaks the line.
    fn end_of_line(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|&at| self.breaks_line(at)).unwrap_or(self.tokens.len())
    }

    fn end_of_block_comment(&self, at: usize) -> usize {
        let is_end = |&at: &usize| {
            self.is_adjacent_char(at) == Some('*') && self.is_adjacent_char(at + 1) == Some('/')
        };
        let is_begin =
            |at: usize| self.is_adjacent_char(at) == Some('/') && self.is_adjacent_char(at + 1) == Some('*');
        let rest = (at + 2..self.tokens.len()).take_while(|&at| !is_begin(at));
        rest.into_iter().find(is_end).map_or_else(|| self.end_of_line(at), |end| end + 2)
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
        at == 0 || self.breaks_line(at - 1) || (at == 1 && self.tokens[0].kind == TokenKind::Whitespace)
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

    /// Width of the white space before the first token of the line that `at` is on.
    pub(super) fn indentation(&self, at: usize) -> usize {
        let first = (0..=at).rev().take(64).find(|&at| self.starts_line(at));
        first.map_or(MAX_INDENTATION, |first| self.column(first))
    }

    pub(super) fn is_string(&self, at: usize) -> bool {
        matches!(self.kind(at), Some(TokenKind::String | TokenKind::UnterminatedString))
    }

    pub(super) fn is_equals(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == TokenKind::Other) && matches!(self.char(at), '=' | '＝')
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
        at + 1 + (at + 1..self.tokens.len()).take_while(belongs).count()
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
        while end < self.tokens.len()
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
            match self.tokens.get(at)?.kind {
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
        let kind = self.tokens.get(at).map(|token| token.kind);
        matches!(kind, Some(TokenKind::OpenAngle | TokenKind::CloseAngle))
            && self.starts_line(at)
            && (at..at + 7).all(|at| self.tokens.get(at).map(|token| token.kind) == kind)
    }

    /// Behind the line of the mark that ends the conflict that `first` begins; behind the line of `first` where none does.
    pub(super) fn end_of_conflict(&self, first: usize) -> usize {
        let marks = (first + 7..self.tokens.len()).filter(|&at| self.is_conflict_mark(at));
        let end = marks.into_iter().next().filter(|&at| self.tokens[at].kind == TokenKind::CloseAngle);
        self.end_of_line(end.unwrap_or(first))
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
        for at in open..self.tokens.len() {
            match self.kind(at) {
                Some(kind) if kind.is_open() => depth += 1,
                Some(kind) if kind.is_close() => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.tokens.len()
    }

    /// The opening brackets that nothing closes, all kinds counting alike.
    pub(super) fn unmatched_openers(&self) -> Vec<usize> {
        let mut open = Vec::new();
        for at in 0..self.tokens.len() {
            match self.kind(at) {
                Some(kind) if kind.is_open() => open.push(at),
                Some(kind) if kind.is_close() => {
                    open.pop();
                }
                _ => {}
            }
        }
        open
    }
}
