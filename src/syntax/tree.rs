//! The tree of a text: fields with names, values and separators; blocks and lists with items in them.
//!
//! What is stored is told in `stored`. What others see are small copyable views ([`Item`], [`Block`], …) that know their
//! absolute offset. How a tree comes to be is told in the parser, and how the next one comes from it in `reparse`.

use std::borrow::Cow;
use std::sync::Arc;

use super::errors::SyntaxError;
use super::lexer::{Token, TokenKind};
use super::{parser, reparse};
use crate::text::{Buffer, Change, TextRange};

mod memo;
pub(super) mod stored;

pub use memo::Memo;
use stored::{BodyKind, Chunk, ItemData, Items, Page, Sum};

/// The tree of a whole text. A clone costs one reference count.
#[derive(Clone, Debug)]
pub struct Tree {
    items: Arc<Items>,
}

impl Tree {
    /// Reads a text. Never fails: what makes no sense is an [`ItemKind::Error`] or has an entry in [`Tree::errors`].
    pub fn parse(text: &str) -> Self {
        Self { items: Arc::new(parser::parse(text)) }
    }

    /// The tree of the text after a change: exactly what [`Tree::parse`] makes of it, for the price of what the change
    /// touches.
    pub fn reparse(&self, change: Change, text: &Buffer) -> Self {
        Self { items: Arc::new(reparse::reparse(&self.items, change, text)) }
    }

    /// The top level of the file.
    pub fn root(&self) -> Body<'_> {
        Body { items: &self.items, start: 0 }
    }

    /// All errors, in order of the items that they belong to.
    pub fn errors(&self) -> Vec<SyntaxError> {
        let mut found = Vec::new();
        self.root().collect_errors(&mut found);
        found
    }

    /// The items around an offset, outermost first: those whose range without surrounding white space holds or
    /// touches it. Of two neighbours that touch it the one that ends there is taken, unless it is closed by a bracket
    /// or separator.
    pub fn path_at(&self, offset: usize) -> Vec<Item<'_>> {
        let mut path = Vec::new();
        let mut body = self.root();
        loop {
            let touching = |item: &Item<'_>| item.range().touches(offset);
            let mut candidates = body.items_from(offset).take_while(|item| item.full_range().start <= offset);
            let Some(first) = candidates.find(touching) else { return path };
            let is_over = first.range().end == offset && (first.is_closed() || first.separator().is_some());
            let item = if is_over { candidates.find(touching).unwrap_or(first) } else { first };
            path.push(item);
            match item.body() {
                Some(inner) if inner.range().touches(offset) => body = inner,
                _ => return path,
            }
        }
    }

    /// The token that holds the byte at `offset`; `None` at the end of the text.
    pub fn token_at(&self, offset: usize) -> Option<TokenView<'_>> {
        let mut body = self.root();
        loop {
            match body.items_from(offset).find(|item| item.full_range().end > offset) {
                Some(item) if item.full_range().contains(offset) => match item.body() {
                    Some(inner) if inner.range().contains(offset) => body = inner,
                    _ => return item.tokens().find(|token| token.range.contains(offset)),
                },
                _ => return body.end_tokens().find(|token| token.range.contains(offset)),
            }
        }
    }

    /// All tokens; joined they are the text.
    pub fn tokens(&self) -> Vec<TokenView<'_>> {
        let mut tokens = Vec::new();
        self.root().collect_tokens(&mut tokens);
        tokens
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A field: a name, and what goes with it as far as it is there.
    Field,
    /// An element of a list.
    Element,
    /// Something that cannot stand where it does. A block in it holds fields as if it were not there.
    Error,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// `name`
    Plain,
    /// `[pkg.extension]` or `[prefix/pkg.Type]`
    Bracketed,
}

/// Items between two brackets, or the top level.
#[derive(Clone, Copy, Debug)]
pub struct Body<'t> {
    items: &'t Items,
    start: usize,
}

impl<'t> Body<'t> {
    /// The items in order.
    pub fn items(self) -> impl Iterator<Item = Item<'t>> {
        self.chunks().flat_map(|(start, chunk)| items_of(chunk, start))
    }

    /// The same items in the pieces in which they are stored. An edit elsewhere leaves a piece as it is.
    pub fn parts(self) -> impl Iterator<Item = Part<'t>> {
        self.chunks().map(|(start, chunk)| Part { chunk, start })
    }

    /// The items that end at or behind an offset.
    pub fn items_from(self, offset: usize) -> impl Iterator<Item = Item<'t>> {
        let ends_before = move |start: usize, sum: Sum| start + (sum.len as usize) < offset;
        self.pages()
            .skip_while(move |(start, page)| ends_before(*start, page.sum))
            .flat_map(|(start, page)| chunks_of(page, start))
            .skip_while(move |(start, chunk)| ends_before(*start, chunk.sum))
            .flat_map(|(start, chunk)| items_of(chunk, start))
            .skip_while(move |item| item.full_range().end < offset)
    }

    fn pages(self) -> impl Iterator<Item = (usize, &'t Page)> {
        let mut at = self.start;
        self.items.pages.iter().map(move |page| {
            let start = at;
            at += page.sum.len as usize;
            (start, &**page)
        })
    }

    fn chunks(self) -> impl Iterator<Item = (usize, &'t Chunk)> {
        self.pages().flat_map(|(start, page)| chunks_of(page, start))
    }

    /// Everything between the brackets, white space included.
    pub fn range(self) -> TextRange {
        TextRange::at(self.start, self.items.sum.len as usize)
    }

    /// The white space and comments behind the last item.
    pub fn end_tokens(self) -> impl Iterator<Item = TokenView<'t>> {
        let run = &self.items.end;
        run_tokens(&run.text, &run.tokens, self.range().end - run.text.len())
    }

    fn collect_errors(self, found: &mut Vec<SyntaxError>) {
        let pages = self.pages().filter(|(_, page)| page.sum.errors > 0);
        let chunks = pages.flat_map(|(start, page)| chunks_of(page, start));
        for item in
            chunks.filter(|(_, chunk)| chunk.sum.errors > 0).flat_map(|(start, chunk)| items_of(chunk, start))
        {
            found.extend(item.data.errors.iter().map(|error| error.shifted(item.start)));
            if let Some(body) = item.body() {
                body.collect_errors(found);
            }
        }
    }

    fn collect_tokens(self, tokens: &mut Vec<TokenView<'t>>) {
        for item in self.items() {
            tokens.extend(item.head_tokens());
            if let Some(body) = item.body() {
                body.collect_tokens(tokens);
            }
            tokens.extend(item.tail_tokens());
        }
        tokens.extend(self.end_tokens());
    }
}

/// A few neighbouring items.
#[derive(Clone, Copy, Debug)]
pub struct Part<'t> {
    chunk: &'t Chunk,
    start: usize,
}

impl<'t> Part<'t> {
    /// Where it begins.
    pub fn start(self) -> usize {
        self.start
    }

    /// Its items as if the text began with them.
    pub fn items_from_zero(self) -> impl Iterator<Item = Item<'t>> {
        items_of(self.chunk, 0)
    }

    /// Where to keep what follows from its items alone.
    pub fn memo(self) -> &'t Memo {
        &self.chunk.memo
    }
}

fn chunks_of(page: &Page, start: usize) -> impl Iterator<Item = (usize, &Chunk)> {
    let mut at = start;
    page.chunks.iter().map(move |chunk| {
        let start = at;
        at += chunk.sum.len as usize;
        (start, &**chunk)
    })
}

fn items_of(chunk: &Chunk, start: usize) -> impl Iterator<Item = Item<'_>> {
    chunk.items.iter().map(move |data| Item { chunk, data, start: start + data.start as usize })
}

fn run_tokens<'t>(text: &'t str, tokens: &'t [Token], start: usize) -> impl Iterator<Item = TokenView<'t>> {
    let mut at = 0;
    tokens.iter().map(move |token| {
        let range = TextRange::at(at, token.len as usize);
        at = range.end;
        TokenView { kind: token.kind, range: range.shifted(start), text: &text[range.start..range.end] }
    })
}

/// A token with its place and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenView<'t> {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes.
    pub range: TextRange,
    /// Its text.
    pub text: &'t str,
}

/// A field, a list element, or an error.
#[derive(Clone, Copy, Debug)]
pub struct Item<'t> {
    chunk: &'t Chunk,
    data: &'t ItemData,
    start: usize,
}

impl<'t> Item<'t> {
    /// What it is.
    pub fn kind(self) -> ItemKind {
        self.data.kind
    }

    /// All its bytes, leading white space and comments included.
    pub fn full_range(self) -> TextRange {
        TextRange::at(self.start, self.data.len as usize)
    }

    /// Its bytes from its first token that is not white space or comment on.
    pub fn range(self) -> TextRange {
        let leading: u32 = self.own_tokens()[..self.data.first as usize].iter().map(|token| token.len).sum();
        TextRange::new(self.start + leading as usize, self.full_range().end)
    }

    /// Its name. Elements and most errors have none.
    pub fn name(self) -> Option<Name<'t>> {
        let (from, to, kind) = self.data.name?;
        let range = self.head_range(from, to);
        let text = match kind {
            NameKind::Plain => {
                let text = self.text_of(range);
                let quoted = self.own_tokens()[from as usize].kind == TokenKind::String;
                Cow::Borrowed(if quoted { &text[1..text.len() - 1] } else { text })
            }
            NameKind::Bracketed => self
                .head_tokens()
                .skip(from as usize + 1)
                .take((to - from) as usize - 1)
                .filter(|token| !token.kind.is_trivia() && token.kind != TokenKind::CloseBracket)
                .map(|token| token.text)
                .collect(),
        };
        Some(Name { kind, text, range })
    }

    /// The colon, or what was written in its place.
    pub fn colon(self) -> Option<TextRange> {
        self.data.colon.map(|at| self.head_range(at, at + 1))
    }

    /// Its value, as far as there is one.
    pub fn value(self) -> Option<Value<'t>> {
        if let Some((from, to)) = self.data.scalar {
            return Some(Value::Scalar(Scalar { item: self, from, to }));
        }
        let body = self.body()?;
        match self.data.body.as_deref()?.mode.open.kind {
            BodyKind::Block => Some(Value::Block(Block { item: self, body })),
            BodyKind::List => Some(Value::List(List { item: self, body })),
        }
    }

    /// The `,` or `;` behind it.
    pub fn separator(self) -> Option<TextRange> {
        let at = self.data.separator?;
        Some(if at < self.data.head_tokens {
            self.head_range(at, at + 1)
        } else {
            self.tail_range(at - self.data.head_tokens)
        })
    }

    /// Its own tokens: those between its brackets are left out.
    pub fn tokens(self) -> impl Iterator<Item = TokenView<'t>> {
        self.head_tokens().chain(self.tail_tokens())
    }

    /// What is between its brackets.
    pub fn body(self) -> Option<Body<'t>> {
        let body = self.data.body.as_deref()?;
        let start = self.start + self.head_len();
        Some(Body { items: &body.items, start })
    }

    /// True when it ends in its closing bracket.
    fn is_closed(self) -> bool {
        self.data.body.as_deref().is_some_and(|body| body.is_closed)
    }

    fn own_tokens(self) -> &'t [Token] {
        let from = self.data.token_at as usize;
        &self.chunk.own.tokens[from..from + (self.data.head_tokens + self.data.tail_tokens) as usize]
    }

    fn head_len(self) -> usize {
        self.own_tokens()[..self.data.head_tokens as usize].iter().map(|token| token.len as usize).sum()
    }

    fn head_tokens(self) -> impl Iterator<Item = TokenView<'t>> {
        let tokens = &self.own_tokens()[..self.data.head_tokens as usize];
        run_tokens(&self.chunk.own.text[self.data.text_at as usize..], tokens, self.start)
    }

    fn tail_tokens(self) -> impl Iterator<Item = TokenView<'t>> {
        let tokens = &self.own_tokens()[self.data.head_tokens as usize..];
        let text = &self.chunk.own.text[self.data.text_at as usize + self.head_len()..];
        run_tokens(text, tokens, self.start + self.head_len() + self.body_len())
    }

    fn body_len(self) -> usize {
        self.data.body.as_deref().map_or(0, |body| body.items.sum.len as usize)
    }

    /// The bytes of the head tokens `from..to`.
    fn head_range(self, from: u32, to: u32) -> TextRange {
        let tokens = self.own_tokens();
        let len = |range: std::ops::Range<usize>| tokens[range].iter().map(|t| t.len as usize).sum::<usize>();
        TextRange::at(self.start + len(0..from as usize), len(from as usize..to as usize))
    }

    /// The bytes of a tail token.
    fn tail_range(self, at: u32) -> TextRange {
        let tail = &self.own_tokens()[self.data.head_tokens as usize..];
        let before: usize = tail[..at as usize].iter().map(|token| token.len as usize).sum();
        TextRange::at(self.start + self.head_len() + self.body_len() + before, tail[at as usize].len as usize)
    }

    /// The text of a range of the head.
    fn text_of(self, range: TextRange) -> &'t str {
        let from = self.data.text_at as usize + range.start - self.start;
        &self.chunk.own.text[from..from + range.len()]
    }
}

/// A name as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'t> {
    /// How it is written.
    pub kind: NameKind,
    /// The name itself, without quotes, brackets, and white space between brackets.
    pub text: Cow<'t, str>,
    /// Its bytes, with quotes or brackets.
    pub range: TextRange,
}

/// What a field or element holds.
#[derive(Clone, Copy, Debug)]
pub enum Value<'t> {
    /// A number, a word, or strings.
    Scalar(Scalar<'t>),
    /// `{ … }` or `< … >`
    Block(Block<'t>),
    /// `[ … ]`
    List(List<'t>),
}

impl Value<'_> {
    /// Its bytes, brackets included.
    pub fn range(self) -> TextRange {
        match self {
            Self::Scalar(scalar) => scalar.range(),
            Self::Block(Block { item, .. }) | Self::List(List { item, .. }) => bracket_range(item),
        }
    }
}

fn bracket_range(item: Item<'_>) -> TextRange {
    let open = item.head_range(item.data.head_tokens - 1, item.data.head_tokens);
    match closer(item) {
        Some(close) => open.cover(close),
        None => TextRange::new(
            open.start,
            open.end + item.body_len() - item.body().map_or(0, |b| b.items.end.text.len()),
        ),
    }
}

fn closer(item: Item<'_>) -> Option<TextRange> {
    item.is_closed().then(|| item.tail_range(0))
}

/// A value without brackets: one token, several strings that belong together, or something broken.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'t> {
    item: Item<'t>,
    from: u32,
    to: u32,
}

impl<'t> Scalar<'t> {
    /// From its first to its last token.
    pub fn range(self) -> TextRange {
        self.item.head_range(self.from, self.to)
    }

    /// Its tokens without white space and comments.
    pub fn tokens(self) -> impl Iterator<Item = TokenView<'t>> {
        self.item
            .head_tokens()
            .skip(self.from as usize)
            .take((self.to - self.from) as usize)
            .filter(|token| !token.kind.is_trivia())
    }
}

/// A block of fields.
#[derive(Clone, Copy, Debug)]
pub struct Block<'t> {
    item: Item<'t>,
    body: Body<'t>,
}

impl<'t> Block<'t> {
    /// The opening bracket.
    pub fn open(self) -> TextRange {
        self.item.head_range(self.item.data.head_tokens - 1, self.item.data.head_tokens)
    }

    /// The closing bracket, if it is there.
    pub fn close(self) -> Option<TextRange> {
        closer(self.item)
    }

    /// The fields in it.
    pub fn body(self) -> Body<'t> {
        self.body
    }

    /// From bracket to bracket.
    pub fn range(self) -> TextRange {
        bracket_range(self.item)
    }
}

/// A list of values.
#[derive(Clone, Copy, Debug)]
pub struct List<'t> {
    item: Item<'t>,
    body: Body<'t>,
}

impl<'t> List<'t> {
    /// The opening bracket.
    pub fn open(self) -> TextRange {
        self.item.head_range(self.item.data.head_tokens - 1, self.item.data.head_tokens)
    }

    /// The closing bracket, if it is there.
    pub fn close(self) -> Option<TextRange> {
        closer(self.item)
    }

    /// The elements in it.
    pub fn elements(self) -> Body<'t> {
        self.body
    }

    /// From bracket to bracket.
    pub fn range(self) -> TextRange {
        bracket_range(self.item)
    }
}
