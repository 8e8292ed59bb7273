//! Packs items into chunks, and makes their places relative.

use std::sync::Arc;

use super::source::Source;
use crate::syntax::errors::{SyntaxError, SyntaxErrorKind};
use crate::syntax::tree::{BodyData, Chunk, ItemData, ItemKind, Items, NameKind, Run};
use crate::text::TextRange;

/// A chunk takes no more items than this,
const MAX_ITEMS: usize = 32;
/// and none behind this many bytes: a big item is the last of its chunk.
const MAX_BYTES: u32 = 2048;

/// An item while it is read. Numbers are those of the tokens of the whole text, ranges are those of the text.
pub(super) struct Draft {
    pub(super) kind: ItemKind,
    start: usize,
    /// The first token that is not white space or comment.
    pub(super) first: usize,
    pub(super) name: Option<(usize, usize, NameKind)>,
    pub(super) colon: Option<usize>,
    pub(super) scalar: Option<(usize, usize)>,
    pub(super) separator: Option<usize>,
    /// Behind the opening bracket, the closing bracket, and what is between them.
    pub(super) body: Option<(usize, usize, BodyData)>,
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

/// Takes items one by one.
#[derive(Default)]
pub(super) struct ItemsBuilder {
    items: Items,
    chunk: Chunk,
}

impl ItemsBuilder {
    /// Adds an item that ends before the token `end`.
    pub(super) fn push(&mut self, source: &Source<'_>, draft: Draft, end: usize) {
        let Draft { kind, start, first, name, colon, scalar, separator, body, mut errors } = draft;
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
        let offset = source.range(start).start;
        for error in &mut errors {
            error.range = TextRange::new(error.range.start - offset, error.range.end - offset);
            error.related =
                error.related.map(|range| TextRange::new(range.start - offset, range.end - offset));
        }
        let len = (source.range(end).start - offset) as u32;
        let inner_errors = body.as_ref().map_or(0, |(.., body)| body.items.errors);
        let item = ItemData {
            kind,
            start: chunk.len,
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
            body: body.map(|(.., body)| Arc::new(body)),
            errors,
        };
        chunk.len += len;
        chunk.errors += inner_errors + item.errors.len() as u32;
        chunk.items.push(item);
        if chunk.items.len() >= MAX_ITEMS || chunk.len >= MAX_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.chunk.items.is_empty() {
            return;
        }
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.own.text.shrink_to_fit();
        chunk.own.tokens.shrink_to_fit();
        chunk.items.shrink_to_fit();
        self.items.len += chunk.len;
        self.items.errors += chunk.errors;
        self.items.chunks.push(Arc::new(chunk));
    }

    /// All items, with the white space that follows the last one.
    pub(super) fn finish(mut self, end: Run) -> Items {
        self.flush();
        self.items.len += end.text.len() as u32;
        self.items.end = end;
        self.items
    }
}
