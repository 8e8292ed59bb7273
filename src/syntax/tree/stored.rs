//! What a tree stores: items in chunks, chunks in pages, offsets relative to what is around them, so that a chunk stays
//! valid wherever it moves. What is known about a stretch without looking into it is summed up beside it.

use std::sync::Arc;

use crate::syntax::errors::SyntaxError;
use crate::syntax::lexer::{Token, TokenKind};

use super::{ItemKind, Memo, NameKind};

/// Neighbouring items between two brackets, or at the top level.
#[derive(Debug, Default)]
pub(in crate::syntax) struct Items {
    pub(in crate::syntax) pages: Vec<Arc<Page>>,
    /// White space and comments between the last item and the closing bracket or end of the text.
    pub(in crate::syntax) end: Run,
    /// Of everything, `end` included.
    pub(in crate::syntax) sum: Sum,
}

/// Neighbouring chunks.
#[derive(Debug, Default)]
pub(in crate::syntax) struct Page {
    pub(in crate::syntax) chunks: Vec<Arc<Chunk>>,
    pub(in crate::syntax) sum: Sum,
}

/// A few neighbouring items. The text and tokens here are the items' own; those between their brackets are in their
/// bodies.
#[derive(Debug, Default)]
pub(in crate::syntax) struct Chunk {
    pub(in crate::syntax) own: Run,
    pub(in crate::syntax) items: Vec<ItemData>,
    pub(in crate::syntax) sum: Sum,
    pub(in crate::syntax) memo: Memo,
}

/// What is known about a stretch of items without looking into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct Sum {
    /// Bytes.
    pub(in crate::syntax) len: u32,
    /// Number of errors.
    pub(in crate::syntax) errors: u32,
    /// So many bytes from the start on were looked at to read it; [`ALL`] when the end of the text was.
    pub(in crate::syntax) reach: u32,
    /// What its brackets do to those around it.
    pub(in crate::syntax) brackets: Brackets,
    /// Whether some item does not close its own bracket, or was read as one that nothing closes: how it is read depends
    /// on all brackets behind it.
    pub(in crate::syntax) is_loose: bool,
    /// Whether something in it is nested too deep.
    pub(in crate::syntax) is_too_deep: bool,
}

/// Up to the end of the text and beyond.
pub(in crate::syntax) const ALL: u32 = u32::MAX;

impl Sum {
    /// The sum of this and what follows.
    pub(in crate::syntax) fn then(self, next: Self) -> Self {
        Self {
            len: self.len + next.len,
            errors: self.errors + next.errors,
            reach: self.reach.max(self.len.saturating_add(next.reach)),
            brackets: self.brackets.then(next.brackets),
            is_loose: self.is_loose || next.is_loose,
            is_too_deep: self.is_too_deep || next.is_too_deep,
        }
    }
}

/// What a stretch does to the brackets around it, all kinds counting alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct Brackets {
    /// So many brackets that were opened before it are closed in it.
    pub(in crate::syntax) closed: u32,
    /// So many that are opened in it are not closed in it.
    pub(in crate::syntax) opened: u32,
}

impl Brackets {
    pub(in crate::syntax) const OPEN: Self = Self { closed: 0, opened: 1 };
    pub(in crate::syntax) const CLOSE: Self = Self { closed: 1, opened: 0 };

    /// Of this and what follows.
    pub(in crate::syntax) const fn then(self, next: Self) -> Self {
        let inner = if self.opened < next.closed { self.opened } else { next.closed };
        Self { closed: self.closed + next.closed - inner, opened: self.opened - inner + next.opened }
    }
}

/// A piece of text and its tokens.
#[derive(Debug, Default, Clone)]
pub(in crate::syntax) struct Run {
    pub(in crate::syntax) text: String,
    pub(in crate::syntax) tokens: Vec<Token>,
}

/// One item. Token numbers count from the item's first own token, leading white space included.
#[derive(Clone, Debug)]
pub(in crate::syntax) struct ItemData {
    pub(in crate::syntax) kind: ItemKind,
    /// Offset in its chunk, bodies before it included.
    pub(in crate::syntax) start: u32,
    /// Bytes, body and surrounding white space included.
    pub(in crate::syntax) len: u32,
    /// Where its own text begins in the chunk's own text, and its own tokens in the chunk's.
    pub(in crate::syntax) text_at: u32,
    pub(in crate::syntax) token_at: u32,
    /// Own tokens before and behind the body.
    pub(in crate::syntax) head_tokens: u32,
    pub(in crate::syntax) tail_tokens: u32,
    /// Leading white space and comments.
    pub(in crate::syntax) first: u32,
    /// The name: its tokens, and whether it stood in brackets.
    pub(in crate::syntax) name: Option<(u32, u32, NameKind)>,
    pub(in crate::syntax) colon: Option<u32>,
    /// The tokens of a scalar value.
    pub(in crate::syntax) scalar: Option<(u32, u32)>,
    pub(in crate::syntax) separator: Option<u32>,
    /// What stands between brackets; the opener is the last head token.
    pub(in crate::syntax) body: Option<Arc<BodyData>>,
    /// Offsets from the start of the item.
    pub(in crate::syntax) errors: Vec<SyntaxError>,
}

/// What stands between two brackets.
#[derive(Debug)]
pub(in crate::syntax) struct BodyData {
    /// Whether a closing bracket follows (the first tail token).
    pub(in crate::syntax) is_closed: bool,
    /// How it was read.
    pub(in crate::syntax) mode: Mode,
    pub(in crate::syntax) items: Items,
}

/// What was decided before a body was read, on which everything in it rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct Mode {
    pub(in crate::syntax) open: Open,
    /// Whether a name that is not indented ends the blocks here.
    pub(in crate::syntax) trusts_indentation: bool,
    /// So many bytes behind the opening bracket were looked at before the body was read.
    pub(in crate::syntax) look: u32,
}

/// The opening bracket of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct Open {
    pub(in crate::syntax) kind: BodyKind,
    /// The kind of its closing bracket.
    pub(in crate::syntax) close: TokenKind,
    /// Width of the white space before the line of the opening bracket, where indentation is trusted.
    pub(in crate::syntax) indentation: u32,
}

/// A block of fields or a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum BodyKind {
    Block,
    List,
}
