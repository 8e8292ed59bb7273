//! Cuts a .proto file into tokens and comments, and says to which of its neighbours a comment belongs.

use std::ops::Range;

use crate::text::TextRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Kind {
    /// A name with its dots, a keyword, or a number.
    Word,
    String,
    Mark(u8),
    /// Behind the last token.
    End,
}

#[derive(Clone, Debug)]
pub(in crate::schema) struct Token {
    pub(in crate::schema) kind: Kind,
    pub(in crate::schema) range: TextRange,
    /// The comments between the token before and this one.
    comments: Range<usize>,
    /// Line breaks between the comment or token before and this token.
    breaks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Comment {
    range: TextRange,
    /// Line breaks before it.
    breaks: usize,
    is_block: bool,
}

/// The tokens of a file. The last one is [`Kind::End`].
#[derive(Debug)]
pub(in crate::schema) struct Tokens<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
}

impl<'a> Tokens<'a> {
    pub(in crate::schema) fn of(text: &'a str) -> Self {
        let mut tokens = Self { text, tokens: Vec::new(), comments: Vec::new() };
        let (mut at, mut breaks, mut first_comment) = (0, 0, 0);
        while at < text.len() {
            match text.as_bytes()[at] {
                b'\n' => {
                    breaks += 1;
                    at += 1;
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    let (token, length) = measure(text, at);
                    let range = TextRange::new(at, at + length);
                    at += length;
                    match token {
                        Cut::Comment { is_block } => {
                            tokens.comments.push(Comment { range, breaks, is_block });
                        }
                        Cut::Token(kind) => {
                            let comments = first_comment..tokens.comments.len();
                            first_comment = comments.end;
                            tokens.tokens.push(Token { kind, range, comments, breaks });
                        }
                    }
                    breaks = 0;
                }
            }
        }
        let comments = first_comment..tokens.comments.len();
        tokens.tokens.push(Token { kind: Kind::End, range: TextRange::empty(text.len()), comments, breaks });
        tokens
    }

    /// The token at an index; the last one for every index behind it.
    pub(in crate::schema) fn get(&self, at: usize) -> &Token {
        &self.tokens[at.min(self.tokens.len() - 1)]
    }

    pub(in crate::schema) fn text(&self, at: usize) -> &'a str {
        let range = self.get(at).range;
        &self.text[range.start..range.end]
    }

    /// The word at an index; empty when it is none.
    pub(in crate::schema) fn word(&self, at: usize) -> &'a str {
        if self.get(at).kind == Kind::Word { self.text(at) } else { "" }
    }

    pub(in crate::schema) fn is_mark(&self, at: usize, mark: u8) -> bool {
        self.get(at).kind == Kind::Mark(mark)
    }

    pub(in crate::schema) fn starts_line(&self, at: usize) -> bool {
        let token = self.get(at);
        token.breaks > 0 || self.comments[token.comments.clone()].iter().any(|comment| comment.breaks > 0)
    }

    /// The first token that ends behind an offset.
    pub(in crate::schema) fn covering(&self, offset: usize) -> &Token {
        self.get(self.tokens.partition_point(|token| token.range.end <= offset))
    }

    /// The first word that is spelled so.
    pub(in crate::schema) fn find_word(&self, word: &str) -> Option<TextRange> {
        let is_it = |token: &&Token| {
            token.kind == Kind::Word && &self.text[token.range.start..token.range.end] == word
        };
        self.tokens.iter().find(is_it).map(|token| token.range)
    }

    /// The comment that documents the statement which starts at this token.
    pub(in crate::schema) fn leading(&self, at: usize) -> String {
        self.plain(self.share(at).1)
    }

    /// The comment that documents the statement which the token before this one ends, or whose block it opens.
    pub(in crate::schema) fn trailing(&self, at: usize) -> String {
        self.plain(self.share(at).0)
    }

    /// Shares out the comments before a token, by the rules that protoc documents: first those of the statement before,
    /// then those of the statement that starts here. Whatever empty lines cut off from both belongs to neither.
    fn share(&self, at: usize) -> (Range<usize>, Range<usize>) {
        let token = self.get(at);
        let Range { start, end } = token.comments;
        let comments = &self.comments[..end];
        let none = end..end;
        if start == end {
            return (none.clone(), none);
        }
        let breaks_behind = |at: usize| comments.get(at + 1).map_or(token.breaks, |next| next.breaks);
        let is_group_start = |at: usize| {
            let (previous, this) = (comments[at - 1], comments[at]);
            let follows_on_line = at - 1 == start && previous.breaks == 0;
            this.breaks > 1 || this.is_block || previous.is_block || follows_on_line
        };
        let first_end = (start + 1..end).find(|&at| is_group_start(at)).unwrap_or(end);
        let last_start = (start + 1..end).rfind(|&at| is_group_start(at)).unwrap_or(start);
        let closes = matches!(token.kind, Kind::End | Kind::Mark(b'}' | b']' | b')'));
        let touches_token = !closes && token.breaks <= 1;

        let has_statement_before = at > 0;
        let first = comments[start];
        let is_trailing = has_statement_before
            && match first.breaks {
                0 => !first.is_block || breaks_behind(start) > 0,
                1 => first_end < end || !touches_token,
                _ => false,
            };
        // A block between two things on one line might belong to either.
        let is_lost = has_statement_before && first.breaks == 0 && !is_trailing;
        let is_leading = touches_token && !(last_start == start && (is_trailing || is_lost));
        (
            if is_trailing { start..first_end } else { none.clone() },
            if is_leading { last_start..end } else { none },
        )
    }

    fn plain(&self, comments: Range<usize>) -> String {
        let lines = self.comments[comments]
            .iter()
            .map(|comment| plain(&self.text[comment.range.start..comment.range.end]));
        lines.collect::<Vec<_>>().join("\n")
    }
}

enum Cut {
    Token(Kind),
    Comment { is_block: bool },
}

/// What starts at an offset, and how long it is.
fn measure(text: &str, at: usize) -> (Cut, usize) {
    let rest = &text.as_bytes()[at..];
    match rest[0] {
        b'/' if rest.starts_with(b"//") => {
            (Cut::Comment { is_block: false }, memchr::memchr(b'\n', rest).unwrap_or(rest.len()))
        }
        b'/' if rest.starts_with(b"/*") => {
            let end = memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
            (Cut::Comment { is_block: true }, end)
        }
        quote @ (b'"' | b'\'') => {
            let mut length = 1;
            while length < rest.len() && rest[length] != quote && rest[length] != b'\n' {
                length += if rest[length] == b'\\' { 2 } else { 1 };
            }
            length = length.min(rest.len());
            if rest.get(length) == Some(&quote) {
                length += 1;
            }
            while !text.is_char_boundary(at + length) {
                length += 1;
            }
            (Cut::Token(Kind::String), length)
        }
        byte if is_word(byte) => {
            let length = rest.iter().take_while(|&&byte| is_word(byte) || byte == b'.').count();
            (Cut::Token(Kind::Word), length)
        }
        mark => (Cut::Token(Kind::Mark(mark)), 1),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

/// A comment without its marks, and without the one blank or the stars that usually follow them.
fn plain(comment: &str) -> String {
    if let Some(line) = comment.strip_prefix("//") {
        return line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
    }
    let inner = comment.strip_prefix("/*").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines = inner.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line))
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
