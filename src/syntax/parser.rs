//! Reads tokens into items. Never fails, always advances, and goes on after a mistake where its author would.
//!
//! The grammar is that of text-format.md F3. What only a schema can tell (whether a field exists, whether it may be a
//! list, what its value must look like) is not looked at here.

mod chunks;
mod source;

use std::sync::Arc;

use self::chunks::Draft;
pub(super) use self::chunks::{BIG, ItemsBuilder, is_trust_right, with_body};
use self::source::Punctuation;
pub(super) use self::source::{Ends, Source};
use super::errors::{SyntaxError, SyntaxErrorKind as Kind};
use super::lexer::TokenKind;
use super::tree::stored::{BodyData, BodyKind, Brackets, Items, Mode, Open, Run};
use super::tree::{ItemKind, NameKind};
use crate::text::TextRange;

/// Blocks nested deeper are an error. Python gives up between 330 and 340 levels, depending on how deep its own stack is
/// (text-format.md F3).
pub const MAX_DEPTH: usize = 300;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Items {
    let source = Source::new(text, Ends { has_start: true, has_end: true });
    Parser::new(source, Vec::new(), text.len(), Brackets::default()).items()
}

pub(super) struct Parser<'a> {
    source: Source<'a>,
    /// The next token.
    at: usize,
    /// The bodies around the next token, outermost first.
    around: Vec<Open>,
    /// Opening brackets without a partner, in order,
    unmatched: Vec<usize>,
    /// as far as they stand before this token.
    known: usize,
    /// Set when it would have taken more text to know that of an opening bracket.
    is_lost: bool,
    /// Set inside a top-level item whose brackets do not add up: there a name that is not indented ends a block.
    trusts_indentation: bool,
    /// Set inside a top-level item once nesting was too deep: that is the mistake, not the brackets that are missing
    /// at the end.
    is_too_deep: bool,
    /// Set until the first item of the text begins.
    is_at_start: bool,
}

impl<'a> Parser<'a> {
    /// A parser for items between the brackets `around`. `behind` are the brackets behind the first `known` bytes.
    pub(super) fn new(source: Source<'a>, around: Vec<Open>, known: usize, behind: Brackets) -> Self {
        let unmatched = if around.is_empty() { source.unmatched_openers(known, behind) } else { Vec::new() };
        Self {
            at: 0,
            around,
            unmatched,
            known: source.token_from(known),
            is_lost: false,
            trusts_indentation: false,
            is_too_deep: false,
            is_at_start: source.is_first(0),
            source,
        }
    }

    /// The same inside a top-level item that is read in a certain way.
    pub(super) fn trusting_indentation(self, trusts_indentation: bool) -> Self {
        Self { trusts_indentation, ..self }
    }

    /// Offset of the next token from the start of the source.
    pub(super) fn offset(&self) -> usize {
        self.source.range(self.at).start
    }

    /// Whether the next item can begin a chunk.
    pub(super) fn is_at_boundary(&self) -> bool {
        !self.source.is_behind_space(self.at)
    }

    /// Whether what was read since the start rests on text that was not there.
    pub(super) fn is_too_short(&self) -> bool {
        self.is_lost || self.source.is_too_short()
    }

    /// Whether something was nested too deep.
    pub(super) const fn is_too_deep(&self) -> bool {
        self.is_too_deep
    }

    /// Items up to the end of the body around them. The closing bracket is left for the caller.
    fn items(&mut self) -> Items {
        let mut items = ItemsBuilder::default();
        while self.item(&mut items) {}
        items.finish(self.end())
    }

    /// Reads one item; false at the end of the body around it.
    pub(super) fn item(&mut self, items: &mut ItemsBuilder) -> bool {
        let seen = self.source.forget_seen(self.at);
        let next = self.source.significant(self.at);
        let is_end = self.ends_here(next);
        let draft = if is_end {
            self.source.last_mistaken_trivia(self.at, next).map(|mistaken| {
                let mut draft = self.draft(ItemKind::Error);
                self.advance_to(mistaken.end, &mut draft);
                draft.first = mistaken.start;
                draft
            })
        } else {
            let before = self.at;
            if self.around.is_empty() {
                self.source.item = before;
                self.is_too_deep = false;
            }
            // Made here and handed down: blocks in blocks in lists come back here, and what each of them holds on the
            // stack limits how deep that can go.
            let mut draft = self.draft(ItemKind::Field);
            match self.around.last().map(|open| open.kind) {
                Some(BodyKind::List) => self.element(next, &mut draft),
                _ => self.field_or_error(next, &mut draft),
            }
            debug_assert!(self.at > before, "every item takes a token");
            self.is_at_start = false;
            Some(draft)
        };
        if let Some(draft) = draft {
            items.push(&self.source, draft, self.at, self.source.look(self.at));
        }
        self.source.remember_seen(seen);
        !is_end
    }

    /// Takes the white space before the end of a body.
    pub(super) fn end(&mut self) -> Run {
        let next = self.source.significant(self.at);
        let end = self.source.run(self.at..next);
        self.at = next;
        end
    }

    /// Whether the innermost body ends before the token `next`: with the text, with a closing bracket, or because what
    /// follows shows that the closing bracket is missing.
    fn ends_here(&self, next: usize) -> bool {
        let Some(kind) = self.source.kind(next) else { return true };
        let Some(open) = self.around.last() else { return false };
        match kind {
            kind if kind.is_close() => true,
            _ if self.trusts_indentation && open.kind == BodyKind::Block => {
                self.is_outdented_field(next, open.indentation)
            }
            TokenKind::Ident if open.kind == BodyKind::List => {
                self.source.starts_line(next) && self.source.starts_field(next)
            }
            _ => false,
        }
    }

    /// A field at the start of a line, no further in than the line that opened the block around it.
    fn is_outdented_field(&self, next: usize, indentation: u32) -> bool {
        self.source.starts_line(next)
            && self.source.starts_field(next)
            && self.source.column(next) <= indentation as usize
    }

    fn draft(&self, kind: ItemKind) -> Draft {
        Draft::new(kind, self.at)
    }

    /// Takes the tokens before `to`. Mistakes that count as white space are reported on the way.
    fn advance_to(&mut self, to: usize, draft: &mut Draft) {
        self.source.report_mistaken_trivia(self.at, to, &mut draft.errors);
        self.at = to;
    }

    /// Takes the token `at` as punctuation; a full-width one is reported.
    fn take_punctuation(&mut self, at: usize, draft: &mut Draft) {
        self.advance_to(at, draft);
        if let Some(Punctuation { wide: Some(wide), plain, .. }) = self.source.punctuation(at) {
            draft.error(Kind::FullWidth(wide, plain), self.source.range(at));
        }
        self.at = at + 1;
    }

    fn field_or_error(&mut self, next: usize, draft: &mut Draft) {
        self.advance_to(next, draft);
        draft.first = next;
        let kind = self.source.kind(next);
        match kind {
            Some(TokenKind::OpenAngle) if self.source.is_conflict_mark(next) => self.merge_conflict(draft),
            Some(TokenKind::OpenBrace | TokenKind::OpenAngle) => self.stray_block(draft),
            Some(TokenKind::OpenBracket) => self.bracketed_name(draft),
            Some(TokenKind::String) if self.source.starts_field(next) => {
                let name = self.source.text(next);
                draft.error(Kind::QuotedName(name[1..name.len() - 1].to_owned()), self.source.range(next));
                self.at = next + 1;
                self.field(next, NameKind::Plain, draft);
            }
            _ if self.source.can_name(next) => {
                self.at = self.source.end_of_word(next);
                self.field(next, NameKind::Plain, draft);
            }
            _ => self.junk(draft),
        }
    }

    /// What follows a name: colon, value, separator, as far as they are there.
    fn field(&mut self, name: usize, kind: NameKind, draft: &mut Draft) {
        draft.name = Some((name, self.at, kind));
        self.colon(draft);
        self.value(draft);
        self.separator(draft);
    }

    fn colon(&mut self, draft: &mut Draft) {
        let next = self.source.significant(self.at);
        let is_colon = |at| self.source.kind(at) == Some(TokenKind::Colon);
        if !is_colon(next) && !self.source.is_equals(next) {
            return;
        }
        let mut errors = Vec::new();
        if self.source.is_equals(next) {
            errors.push((Kind::Equals, self.source.range(next)));
        }
        let mut last = next;
        loop {
            let more = last + 1;
            if !is_colon(more) && !self.source.is_equals(more) {
                break;
            }
            if errors.is_empty() {
                let kind = if is_colon(more) { Kind::DoubledColon } else { Kind::Equals };
                let from = if kind == Kind::Equals { next } else { more };
                errors.push((kind, self.source.range(from).cover(self.source.range(more))));
            }
            last = more;
        }
        self.take_punctuation(next, draft);
        draft.colon = Some(next);
        self.at = last + 1;
        errors.into_iter().for_each(|(kind, range)| draft.error(kind, range));
    }

    fn value(&mut self, draft: &mut Draft) {
        let next = self.source.significant(self.at);
        let same_line = !self.source.has_line_break(self.at, next);
        let has_colon = draft.colon.is_some();
        match self.source.kind(next) {
            Some(TokenKind::OpenAngle) if self.source.is_conflict_mark(next) => self.missing_value(draft),
            Some(TokenKind::OpenBrace | TokenKind::OpenAngle) => self.body(next, BodyKind::Block, draft),
            Some(TokenKind::OpenBracket) => {
                let inside = self.source.kind(self.source.significant(next + 1));
                let is_list = has_colon
                    || same_line
                    || matches!(
                        inside,
                        Some(TokenKind::OpenBrace | TokenKind::OpenAngle | TokenKind::CloseBracket)
                    );
                if is_list { self.body(next, BodyKind::List, draft) } else { self.missing_value(draft) }
            }
            Some(
                TokenKind::String | TokenKind::UnterminatedString | TokenKind::Ident | TokenKind::Number,
            ) if self.source.starts_field(next) && !(same_line && self.source.is_string(next)) => {
                self.missing_value(draft);
            }
            Some(TokenKind::String | TokenKind::UnterminatedString) => self.scalar_value(next, draft),
            Some(TokenKind::Ident | TokenKind::Number | TokenKind::Other) if has_colon || same_line => {
                self.scalar_value(next, draft);
            }
            _ => self.missing_value(draft),
        }
    }

    fn scalar_value(&mut self, next: usize, draft: &mut Draft) {
        self.advance_to(next, draft);
        self.scalar(draft);
        if let (None, Some((name, end, _))) = (draft.colon, draft.name) {
            draft.error(Kind::MissingColon, self.source.range(name).cover(self.source.range(end - 1)));
        }
    }

    fn missing_value(&mut self, draft: &mut Draft) {
        match (draft.colon, draft.name) {
            (Some(colon), _) => draft.error(Kind::MissingValue, self.source.range(colon)),
            (None, Some((name, end, _))) => {
                draft.error(Kind::LonelyName, self.source.range(name).cover(self.source.range(end - 1)));
            }
            (None, None) => {}
        }
    }

    /// A value without brackets from the next token on.
    fn scalar(&mut self, draft: &mut Draft) {
        let first = self.at;
        let range = self.source.range(first);
        match self.source.kind(first) {
            Some(TokenKind::String) => {
                self.at += 1;
                // Adjacent strings are one, over lines and comments (text-format.md F6).
                loop {
                    let next = self.source.significant(self.at);
                    if !self.source.is_string(next) || self.source.starts_field(next) {
                        break;
                    }
                    self.advance_to(next + 1, draft);
                    if self.source.kind(next) == Some(TokenKind::UnterminatedString) {
                        self.unterminated(next, draft);
                        break;
                    }
                }
            }
            Some(TokenKind::UnterminatedString) => {
                self.at += 1;
                self.unterminated(first, draft);
            }
            _ if self.source.is_opening_curly_quote(first) => {
                let (end, inner) = self.source.curly_quoted(first);
                self.at = end;
                draft.error(Kind::CurlyQuotes(inner), range.cover(self.source.range(end - 1)));
            }
            Some(TokenKind::Number)
                if self.source.text(first) == "-" && self.source.is_unsigned_number_on_line(first + 1) =>
            {
                let number = self.source.significant(first + 1);
                self.at = number + 1;
                let kind = Kind::SpaceAfterMinus(self.source.text(number).to_owned());
                draft.error(kind, range.cover(self.source.range(number)));
            }
            _ => {
                self.at = self.source.end_of_word(first);
                if self.at > first + 1 || !self.source.can_be_value(first) {
                    let range = range.cover(self.source.range(self.at - 1));
                    draft.error(Kind::UnquotedValue(self.source.slice(range).to_owned()), range);
                }
            }
        }
        draft.scalar = Some((first, self.at));
    }

    fn unterminated(&self, at: usize, draft: &mut Draft) {
        let kind = match self.source.mixed_quoted(at) {
            Some(inner) => Kind::CurlyQuotes(inner),
            None => Kind::UnterminatedString(self.source.text(at).chars().next().unwrap_or('"')),
        };
        draft.error(kind, self.source.range_without_trailing_space(at));
    }

    /// One `,` or `;` behind a field.
    fn separator(&mut self, draft: &mut Draft) {
        let is_separator = |at| matches!(self.source.kind(at), Some(TokenKind::Comma | TokenKind::Semicolon));
        let next = self.source.significant(self.at);
        if !is_separator(next) {
            return;
        }
        let mut doubled = None;
        let mut last = next;
        loop {
            let more = self.source.significant(last + 1);
            if !is_separator(more) {
                break;
            }
            doubled = Some(doubled.unwrap_or(self.source.range(more)).cover(self.source.range(more)));
            last = more;
        }
        self.take_punctuation(next, draft);
        draft.separator = Some(next);
        if let Some(range) = doubled {
            self.advance_to(last + 1, draft);
            draft.error(Kind::StraySeparator, range);
        }
    }

    /// An opening bracket at `open` and everything up to its partner.
    fn body(&mut self, open: usize, kind: BodyKind, draft: &mut Draft) {
        self.take_punctuation(open, draft);
        let Some(close) = self.source.partner(open) else { return };
        // Between two blocks there is at most one list, unless the text is wrong anyway.
        let blocks = self.around.iter().filter(|open| open.kind == BodyKind::Block).count();
        if blocks >= MAX_DEPTH || self.around.len() >= 2 * MAX_DEPTH {
            self.is_too_deep = true;
            draft.error(Kind::TooDeep, self.source.range(open));
            self.at = self.source.end_of_brackets(open);
            return;
        }
        let is_top_level = self.around.is_empty();
        if is_top_level {
            self.is_lost |= open >= self.known;
            self.trusts_indentation = self.unmatched.binary_search(&open).is_ok();
        }
        let trusts_indentation = self.trusts_indentation;
        let indentation = if trusts_indentation { self.source.indentation(open) } else { 0 };
        let open_body = Open { kind, close, indentation: indentation as u32 };
        let mode = Mode { open: open_body, trusts_indentation, look: self.source.look(self.at) };
        self.around.push(open_body);
        let head_end = self.at;
        let items = self.items();
        let next = self.at;
        let is_closed = self.close(open, next, draft);
        self.around.pop();
        if is_top_level {
            self.trusts_indentation = false;
        }
        draft.body = Some((head_end, next, Arc::new(BodyData { is_closed, mode, items })));
    }

    /// Takes the closing bracket at `next`, or reports that it is missing.
    fn close(&mut self, open: usize, next: usize, draft: &mut Draft) -> bool {
        let Some((&Open { close, indentation, .. }, outer)) = self.around.split_last() else { return false };
        let plain = source::bracket(close);
        let found = self.source.kind(next).filter(|kind| {
            matches!(kind, TokenKind::CloseBrace | TokenKind::CloseAngle | TokenKind::CloseBracket)
        });
        let belongs_outside = |kind: TokenKind| {
            let is_expected_outside = outer.iter().any(|open| open.close == kind);
            let is_outdented = self.trusts_indentation
                && self.source.starts_line(next)
                && self.source.column(next) < indentation as usize;
            is_expected_outside && (kind != close || is_outdented)
        };
        match found {
            Some(kind) if !belongs_outside(kind) => {
                if kind == close {
                    self.take_punctuation(next, draft);
                } else {
                    draft.error(Kind::WrongClose(plain), self.source.range(next));
                    self.at = next + 1;
                }
                true
            }
            None if self.is_too_deep => false,
            _ => {
                let related = self.source.kind(next).map(|_| self.source.range(next));
                draft.errors.push(SyntaxError {
                    kind: Kind::Unclosed(plain),
                    range: self.source.range(open),
                    related,
                });
                false
            }
        }
    }

    /// `[pkg.extension]` or `[prefix/pkg.Type]` and its value.
    fn bracketed_name(&mut self, draft: &mut Draft) {
        let open = self.at;
        match self.source.end_of_bracketed_name(open) {
            Some(end) => {
                self.at = end;
                if end == open + 2 {
                    draft.error(
                        Kind::BadBracketedName,
                        self.source.range(open).cover(self.source.range(open + 1)),
                    );
                }
                self.field(open, NameKind::Bracketed, draft);
            }
            None => {
                draft.kind = ItemKind::Error;
                draft.error(Kind::Unexpected("[".into()), self.source.range(open));
                self.body(open, BodyKind::List, draft);
                self.separator(draft);
            }
        }
    }

    /// A block without a name. What is in it is read as if its braces were not there.
    fn stray_block(&mut self, draft: &mut Draft) {
        let open = self.at;
        draft.kind = ItemKind::Error;
        let is_around_everything = self.around.is_empty() && self.is_at_start;
        let kind = if is_around_everything {
            Kind::BracesAroundFields
        } else {
            Kind::Unexpected(self.source.text(open).to_owned())
        };
        draft.error(kind, self.source.range(open));
        self.body(open, BodyKind::Block, draft);
        self.separator(draft);
    }

    /// Both sides of a merge conflict are one mistake; neither is understood.
    fn merge_conflict(&mut self, draft: &mut Draft) {
        draft.kind = ItemKind::Error;
        let first = self.at;
        self.at = self.source.end_of_conflict(first);
        draft.error(Kind::MergeConflict, self.source.range(first).cover(self.source.range(first + 6)));
    }

    /// Tokens that cannot begin a field, up to the end of the line or the next thing that makes sense.
    fn junk(&mut self, draft: &mut Draft) {
        draft.kind = ItemKind::Error;
        let first = self.at;
        let mut last = first;
        loop {
            let next = self.source.significant(last + 1);
            let goes_on = self.source.kind(next).is_some_and(|kind| {
                !kind.is_bracket()
                    && !self.source.has_line_break(last + 1, next)
                    && !self.source.starts_field(next)
            });
            if !goes_on {
                break;
            }
            last = self.source.end_of_word(next) - 1;
        }
        self.advance_to(last + 1, draft);
        let range = self.source.range(first).cover(self.source.range(last));
        let kind = match self.source.kind(first) {
            Some(TokenKind::Comma | TokenKind::Semicolon) => Kind::StraySeparator,
            Some(TokenKind::UnterminatedString) => {
                Kind::UnterminatedString(self.source.text(first).chars().next().unwrap_or('"'))
            }
            Some(kind @ (TokenKind::CloseBrace | TokenKind::CloseAngle | TokenKind::CloseBracket)) => {
                Kind::StrayClose(source::bracket(kind))
            }
            _ => Kind::Unexpected(self.source.text(first).to_owned()),
        };
        draft.error(kind, range);
        let next = self.source.significant(self.at);
        if matches!(self.source.kind(next), Some(TokenKind::OpenBrace))
            && !self.source.has_line_break(self.at, next)
        {
            self.body(next, BodyKind::Block, draft);
            self.separator(draft);
        }
    }

    /// An element of a list with the comma behind it.
    fn element(&mut self, next: usize, draft: &mut Draft) {
        draft.kind = ItemKind::Element;
        self.advance_to(next, draft);
        draft.first = next;
        match self.source.kind(next) {
            Some(TokenKind::OpenBrace | TokenKind::OpenAngle) => self.body(next, BodyKind::Block, draft),
            Some(TokenKind::OpenBracket) => {
                draft.error(Kind::NestedList, self.source.range(next));
                self.body(next, BodyKind::List, draft);
            }
            Some(TokenKind::Comma | TokenKind::Semicolon | TokenKind::Colon) => {
                draft.kind = ItemKind::Error;
                draft.error(Kind::StraySeparator, self.source.range(next));
                self.at = next + 1;
                return;
            }
            _ if self.source.starts_field(next) => {
                draft.kind = ItemKind::Error;
                self.at = self.source.end_of_word(next);
                draft.name = Some((next, self.at, NameKind::Plain));
                draft.error(Kind::FieldInList, self.source.range(next));
                self.colon(draft);
                self.value(draft);
            }
            _ => self.scalar(draft),
        }
        self.comma(draft);
    }

    fn comma(&mut self, draft: &mut Draft) {
        let next = self.source.significant(self.at);
        match self.source.kind(next) {
            Some(kind @ (TokenKind::Comma | TokenKind::Semicolon)) => {
                self.take_punctuation(next, draft);
                draft.separator = Some(next);
                let behind = self.source.kind(self.source.significant(next + 1));
                if kind == TokenKind::Semicolon {
                    draft.error(Kind::SemicolonInList, self.source.range(next));
                } else if behind == Some(TokenKind::CloseBracket) {
                    draft.error(Kind::TrailingComma, self.source.range(next));
                }
            }
            Some(kind) if !kind.is_close() && !self.ends_here(next) => {
                draft.error(Kind::MissingComma, TextRange::empty(self.source.range(self.at - 1).end));
            }
            _ => {}
        }
    }
}
