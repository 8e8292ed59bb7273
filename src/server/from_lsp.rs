//! From the protocol's types to ours.

use tower_lsp::lsp_types::{self, TextDocumentContentChangeEvent, Url};

use crate::text::{Buffer, Encoding, Position, TextRange};
use crate::workspace::{Change, DocumentKey};

/// A place.
pub(super) fn position(position: lsp_types::Position) -> Position {
    Position { line: position.line, character: position.character }
}

/// The document that an address means.
pub(super) fn key(uri: &Url) -> DocumentKey {
    DocumentKey::of(uri.as_str())
}

/// A change of a text.
pub(super) fn change(change: TextDocumentContentChangeEvent) -> Change {
    let range = change.range.map(|range| (position(range.start), position(range.end)));
    Change { range, text: change.text }
}

/// A range of the client's as bytes of a text.
pub(super) fn range(range: lsp_types::Range, text: &Buffer, encoding: Encoding) -> TextRange {
    text.range_of(position(range.start), position(range.end), encoding)
}
