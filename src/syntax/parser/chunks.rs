//! Packs items into chunks and chunks into pages, and makes their places relative.

use std::sync::Arc;

use super::source::{Source, brackets};
use crate::syntax::errors::{SyntaxError, SyntaxErrorKind};
use crate::syntax::tree::stored::{BodyData, Brackets, Chunk, ItemData, Items, Page, Run, Sum};
use crate::syntax::tree::{ItemKind, NameKind};
use crate::text::TextRange;

/// A chunk takes no more items than this, save such as cannot begin one,
const MAX_ITEMS: usize = 32;
/// and none behind this many bytes.
const MAX_BYTES: u32 = 1024;
/// An item of this size has a chunk of its own, so that nobody has to read it who reads its neighbours.
pub(in crate::syntax) const BIG: u32 = 1024;
/// A chunk below these is filled up before an old one may follow.
const FEW_ITEMS: usize = 8;
const FEW_BYTES: u32 = 256;
/// A page takes no more chunks than this.
const MAX_CHUNKS: usize = 64;

/// An item while it is read. Numbers are those of the tokens of the source, ranges are those of its text.
pub(in crate::syntax) struct Draft {
    pub(super) kind: ItemKind,
    start: usize,
    /// The first token that is not white space or comment.
    pub(super) first: usize,
    pub(super) name: Option<(usize, usize, NameKind)>,
    pub(super) colon: Option<usize>,
    pub(super) scalar: Option<(usize, usize)>,
    pub(super) separator: Option<usize>,
    /// Behind the opening bracket, the closing bracket, and what is between them.
    pub(super) body: Option<(usize, usize, Arc<BodyData>)>,
    pub(super) errors: Vec<SyntaxError>,
}

impl Draft {
    pub(super) fn new(kind: ItemKind, start: usize) -> Self {
        Self {
            kind,
            start,
            first: start,
            name: None,
            colon: None,
            scalar: None,
            separator: None,
            body: None,
            errors: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, kind: SyntaxErrorKind, range: TextRange) {
        self.errors.push(SyntaxError { kind, range, related: None });
    }
}

/// Takes items one by one, and chunks and pages that were there already.
#[derive(Default)]
pub(in crate::syntax) struct ItemsBuilder {
    pages: Vec<Arc<Page>>,
    page: Page,
    chunk: Chunk,
    sum: Sum,
}

impl ItemsBuilder {
    /// Adds an item that ends before the token `end` and was read by looking at `look` bytes behind it.
    pub(super) fn push(&mut self, source: &Source<'_>, draft: Draft, end: usize, look: u32) {
        let Draft { kind, start, first, name, colon, scalar, separator, body, mut errors } = draft;
        let offset = source.range(start).start;
        let len = (source.range(end).start - offset) as u32;
        // Behind white space that belongs to an unclosed block an item cannot be told to start its line by itself.
        let is_full = self.chunk.items.len() >= MAX_ITEMS || self.chunk.sum.len >= MAX_BYTES;
        if (is_full || len >= BIG) && !source.is_behind_space(start) {
            self.end_chunk();
        }
        let chunk = &mut self.chunk;
        let (text_at, token_at) = (chunk.own.text.len() as u32, chunk.own.tokens.len() as u32);
        let (head_end, tail_start) = body.as_ref().map_or((end, end), |&(head, tail, _)| (head, tail));
        source.append(start..head_end, &mut chunk.own);
        source.append(tail_start..end, &mut chunk.own);
        let head_tokens = head_end - start;
        let number = |at: usize| {
            let own = if at < head_end { at - start } else { head_tokens + at - tail_start };
            own as u32
        };
        for error in &mut errors {
            error.range = TextRange::new(error.range.start - offset, error.range.end - offset);
            error.related =
                error.related.map(|range| TextRange::new(range.start - offset, range.end - offset));
        }
        let own = &chunk.own;
        let (head_tokens_end, head_text_end) =
            (token_at as usize + head_tokens, text_at as usize + source.range(head_end).start - offset);
        let head = brackets(&own.text[text_at as usize..], &own.tokens[token_at as usize..head_tokens_end]);
        let tail = brackets(&own.text[head_text_end..], &own.tokens[head_tokens_end..]);
        let is_too_deep = errors.iter().any(|error| error.kind == SyntaxErrorKind::TooDeep);
        let sum =
            sum_of(len, &errors, body.as_ref().map(|(.., body)| &**body), (head, tail), look, is_too_deep);
        let item = ItemData {
            kind,
            start: chunk.sum.len,
            len,
            text_at,
            token_at,
            head_tokens: head_tokens as u32,
            tail_tokens: (end - tail_start) as u32,
            first: (first - start) as u32,
            name: name.map(|(from, to, kind)| (number(from), number(to), kind)),
            colon: colon.map(number),
            scalar: scalar.map(|(from, to)| (number(from), (to - start) as u32)),
            separator: separator.map(number),
            body: body.map(|(.., body)| body),
            errors,
        };
        chunk.sum = chunk.sum.then(sum);
        chunk.items.push(item);
    }

    /// Whether an old chunk may follow: not behind a few small items, which would stay alone for ever.
    pub(in crate::syntax) fn may_join(&self, next: &Chunk) -> bool {
        let chunk = &self.chunk;
        chunk.items.is_empty()
            || chunk.items.len() >= FEW_ITEMS
            || chunk.sum.len >= FEW_BYTES
            || next.sum.len >= BIG
    }

    /// Adds a chunk as it is.
    pub(in crate::syntax) fn join(&mut self, chunk: Arc<Chunk>) {
        self.end_chunk();
        self.page.sum = self.page.sum.then(chunk.sum);
        self.sum = self.sum.then(chunk.sum);
        self.page.chunks.push(chunk);
        if self.page.chunks.len() >= MAX_CHUNKS {
            self.end_page();
        }
    }

    /// Adds a page as it is.
    pub(in crate::syntax) fn join_page(&mut self, page: Arc<Page>) {
        self.end_chunk();
        if self.page.chunks.len() + page.chunks.len() <= MAX_CHUNKS {
            page.chunks.iter().for_each(|chunk| self.join(chunk.clone()));
            return;
        }
        self.end_page();
        self.sum = self.sum.then(page.sum);
        self.pages.push(page);
    }

    fn end_chunk(&mut self) {
        if self.chunk.items.is_empty() {
            return;
        }
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.own.text.shrink_to_fit();
        chunk.own.tokens.shrink_to_fit();
        chunk.items.shrink_to_fit();
        self.join(Arc::new(chunk));
    }

    fn end_page(&mut self) {
        if !self.page.chunks.is_empty() {
            self.pages.push(Arc::new(std::mem::take(&mut self.page)));
        }
    }

    /// All items, with the white space that follows the last one.
    pub(in crate::syntax) fn finish(mut self, end: Run) -> Items {
        self.end_chunk();
        self.end_page();
        let len = end.text.len() as u32;
        Items { pages: self.pages, end, sum: self.sum.then(Sum { len, ..Sum::default() }) }
    }
}

/// Of one item. `own` are the brackets before and behind its body.
fn sum_of(
    len: u32,
    errors: &[SyntaxError],
    body: Option<&BodyData>,
    own: (Brackets, Brackets),
    look: u32,
    is_too_deep: bool,
) -> Sum {
    let inner = body.map(|body| body.items.sum).unwrap_or_default();
    Sum {
        len,
        errors: errors.len() as u32 + inner.errors,
        reach: len.saturating_add(look),
        brackets: own.0.then(inner.brackets).then(own.1),
        is_loose: body
            .is_some_and(|body| body.mode.trusts_indentation || inner.brackets.then(own.1).closed == 0),
        is_too_deep: is_too_deep || inner.is_too_deep,
    }
}

/// Whether every item was read as the brackets behind it, to the end of the text, demand.
pub(in crate::syntax) fn is_trust_right(items: &Items) -> bool {
    let mut behind = Brackets::default();
    for page in items.pages.iter().rev() {
        if page.sum.is_loose {
            let mut behind = behind;
            for chunk in page.chunks.iter().rev() {
                if chunk.sum.is_loose && !is_trust_right_in(chunk, behind) {
                    return false;
                }
                behind = chunk.sum.brackets.then(behind);
            }
        }
        behind = page.sum.brackets.then(behind);
    }
    true
}

fn is_trust_right_in(chunk: &Chunk, mut behind: Brackets) -> bool {
    for item in chunk.items.iter().rev() {
        let (head, tail) = own_brackets(chunk, item);
        if let Some(body) = item.body.as_deref() {
            behind = body.items.sum.brackets.then(tail).then(behind);
            if body.mode.trusts_indentation != (behind.closed == 0) {
                return false;
            }
        }
        behind = head.then(behind);
    }
    true
}

/// The brackets before the body of an item and behind it.
fn own_brackets(chunk: &Chunk, item: &ItemData) -> (Brackets, Brackets) {
    let (from, head) = (item.token_at as usize, item.head_tokens as usize);
    let (head, tail) = chunk.own.tokens[from..from + head + item.tail_tokens as usize].split_at(head);
    let text = &chunk.own.text[item.text_at as usize..];
    let head_len: u32 = head.iter().map(|token| token.len).sum();
    (brackets(text, head), brackets(&text[head_len as usize..], tail))
}

/// The chunk of one big item with another body in it.
pub(in crate::syntax) fn with_body(chunk: &Chunk, body: BodyData) -> Option<Chunk> {
    let [old] = &chunk.items[..] else { return None };
    let before = old.body.as_deref()?.items.sum;
    let mut item = old.clone();
    let head_tokens = old.head_tokens as usize;
    let head_len: u32 = chunk.own.tokens[..head_tokens].iter().map(|token| token.len).sum();
    let old_end = (head_len + before.len) as usize;
    let moved = |at: usize| {
        if at < old_end { at } else { at - before.len as usize + body.items.sum.len as usize }
    };
    for error in &mut item.errors {
        error.range = TextRange::new(moved(error.range.start), moved(error.range.end));
        error.related = error.related.map(|range| TextRange::new(moved(range.start), moved(range.end)));
    }
    item.len = old.len - before.len + body.items.sum.len;
    let own = own_brackets(chunk, old);
    let look = match chunk.sum.reach {
        u32::MAX => u32::MAX,
        reach => reach - chunk.sum.len,
    };
    let is_too_deep = item.errors.iter().any(|error| error.kind == SyntaxErrorKind::TooDeep);
    let sum = sum_of(item.len, &item.errors, Some(&body), own, look, is_too_deep);
    item.body = Some(Arc::new(body));
    Some(Chunk { own: chunk.own.clone(), items: vec![item], sum, ..Chunk::default() })
}
