//! The documents that a client has open: their text and version change together, and every reading of them is a snapshot.
//!
//! Nothing here looks at the disk. Requests about documents that are not open are answered with nothing, because an
//! editor's buffer and the file on disk are two texts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ide::{Context, Snapshot};
use crate::text::{Buffer, Edit, Encoding, Position};

/// Documents with more bytes are kept in sync and otherwise left alone.
pub const MAX_ANALYSED: usize = 32 << 20;

/// An address without the freedom of spelling that URIs have: `%e5` and `%E5`, `c%3A` and `C:` are one document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey(Vec<u8>);

impl DocumentKey {
    /// The key of an address such as `file:///c%3A/net/quant.cfg` or `untitled:quant.cfg`.
    ///
    /// Escapes are undone, save for those of characters that would then separate parts or look like an escape. The
    /// letter of a Windows drive is made small, as editors disagree on it.
    pub fn of(uri: &str) -> Self {
        let mut key = Vec::with_capacity(uri.len());
        let mut rest = uri.as_bytes();
        while let Some((&byte, tail)) = rest.split_first() {
            let escaped = (byte == b'%').then(|| tail.get(..2).and_then(hex)).flatten();
            rest = match escaped {
                Some(b'%' | b'/' | b'?' | b'#') => {
                    key.push(b'%');
                    key.extend(tail[..2].to_ascii_uppercase());
                    &tail[2..]
                }
                Some(byte) => {
                    key.push(byte);
                    &tail[2..]
                }
                None => {
                    key.push(byte);
                    tail
                }
            };
        }
        let scheme = memchr::memchr(b':', &key).unwrap_or(0);
        key[..scheme].make_ascii_lowercase();
        // `file:/path` is the same as `file:///path` (RFC 8089).
        if key.starts_with(b"file:/") && !key.starts_with(b"file://") {
            key.splice(.."file:/".len(), *b"file:///");
        }
        if let [b'f', b'i', b'l', b'e', b':', b'/', b'/', b'/', drive @ b'A'..=b'Z', b':', ..] = &mut key[..]
        {
            drive.make_ascii_lowercase();
        }
        Self(key)
    }
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
}

/// A change as a client reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Start and end of what is replaced; without it the whole text is.
    pub range: Option<(Position, Position)>,
    /// What comes in its place.
    pub text: String,
}

/// An open document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The address in the spelling of the client.
    pub uri: String,
    /// The version that the client gave to the text.
    pub version: i32,
    /// Marks this reading: no two readings of any documents share one.
    pub revision: u64,
    /// What it is read against.
    context: Arc<Context>,
    content: Content,
}

/// What is known of a text.
#[derive(Clone, Debug)]
pub enum Content {
    /// Everything.
    Read(Snapshot),
    /// It is beyond [`MAX_ANALYSED`]: only the text.
    TooBig(Buffer),
    /// It is a schema, which others are read against: only the text.
    Schema(Buffer),
}

impl Document {
    /// The text and what is known of it.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The text.
    pub fn text(&self) -> &Buffer {
        match &self.content {
            Content::Read(snapshot) => &snapshot.text,
            Content::TooBig(text) | Content::Schema(text) => text,
        }
    }

    /// Whether it is a .proto file.
    pub fn is_schema(&self) -> bool {
        self.uri.ends_with(".proto")
    }

    /// The document for features, unless it cannot be read.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        match &self.content {
            Content::Read(snapshot) => Some(snapshot),
            Content::TooBig(_) | Content::Schema(_) => None,
        }
    }
}

impl Content {
    fn of(uri: &str, text: &str, context: &Arc<Context>) -> Self {
        if uri.ends_with(".proto") {
            Self::Schema(Buffer::new(text))
        } else if text.len() > MAX_ANALYSED {
            Self::TooBig(Buffer::new(text))
        } else {
            Self::Read(Snapshot::open(text, context.clone()))
        }
    }

    /// What comes of it by an edit. A text that shrinks below the limit is known again.
    fn edited(&self, uri: &str, edit: Edit, context: &Arc<Context>) -> Self {
        match self {
            Self::Schema(text) => {
                let mut text = text.clone();
                text.apply(&edit);
                Self::Schema(text)
            }
            Self::Read(snapshot) => {
                let snapshot = snapshot.edit(&[edit]);
                let is_big = snapshot.text.len() > MAX_ANALYSED;
                if is_big { Self::TooBig(snapshot.text) } else { Self::Read(snapshot) }
            }
            Self::TooBig(text) => {
                let mut text = text.clone();
                text.apply(&edit);
                let is_big = text.len() > MAX_ANALYSED;
                if is_big { Self::TooBig(text) } else { Self::of(uri, &text.to_string(), context) }
            }
        }
    }
}

/// All open documents.
#[derive(Debug, Default)]
pub struct Documents {
    last_revision: u64,
    open: HashMap<DocumentKey, Document>,
}

impl Documents {
    /// Opens a document. One that is open already gets the new text.
    pub fn open(&mut self, uri: String, version: i32, text: &str, context: &Arc<Context>) -> DocumentKey {
        let key = DocumentKey::of(&uri);
        let content = Content::of(&uri, text, context);
        let revision = self.next_revision();
        self.open.insert(key.clone(), Document { uri, version, revision, context: context.clone(), content });
        key
    }

    /// Applies changes, each to the text that the one before it left. Text and version change together: a reader sees
    /// both before or both after. The version is taken as it comes, even if it goes back: the order in which changes
    /// arrive is what counts. False when the document is not open.
    pub fn change(
        &mut self,
        key: &DocumentKey,
        version: i32,
        changes: impl IntoIterator<Item = Change>,
        encoding: Encoding,
    ) -> bool {
        let revision = self.next_revision();
        let Some(document) = self.open.get_mut(key) else { return false };
        for change in changes {
            document.content = match change.range {
                None => Content::of(&document.uri, &change.text, &document.context),
                Some((start, end)) => {
                    let range = document.text().range_of(start, end, encoding);
                    document.content.edited(
                        &document.uri,
                        Edit::replace(range, change.text),
                        &document.context,
                    )
                }
            };
        }
        document.version = version;
        document.revision = revision;
        true
    }

    /// Reads a document against something else. False when it is not open.
    pub fn set_context(&mut self, key: &DocumentKey, context: Arc<Context>) -> bool {
        let revision = self.next_revision();
        let Some(document) = self.open.get_mut(key) else { return false };
        document.revision = revision;
        document.context = context.clone();
        if let Content::Read(snapshot) = &document.content {
            document.content = Content::Read(snapshot.with_context(context));
        }
        true
    }

    fn next_revision(&mut self) -> u64 {
        self.last_revision += 1;
        self.last_revision
    }

    /// Closes a document.
    pub fn close(&mut self, key: &DocumentKey) -> Option<Document> {
        self.open.remove(key)
    }

    /// An open document.
    pub fn get(&self, key: &DocumentKey) -> Option<&Document> {
        self.open.get(key)
    }

    /// All open documents.
    pub fn iter(&self) -> impl Iterator<Item = (&DocumentKey, &Document)> {
        self.open.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        DocumentKey::of(a) == DocumentKey::of(b)
    }

    #[test]
    fn one_document_has_many_spellings() {
        assert!(same("file:///c%3A/a%20b/quant.cfg", "file:///C:/a b/quant.cfg"));
        assert!(same("file:///%E5%B1%82.cfg", "file:///%e5%b1%82.cfg"));
        assert!(same("file:///层.cfg", "file:///%e5%b1%82.cfg"));
        assert!(same("file:/a/quant.cfg", "file:///a/quant.cfg"));
        assert!(same("untitled:a%20b", "UNTITLED:a b"));
        assert!(!same("file:///a/%25.cfg", "file:///a/%2525.cfg"));
        assert!(!same("file:///a%2Fb", "file:///a/b"));
        assert!(!same("file:///A/b", "file:///a/b"));
        assert!(!same("file:///a", "untitled:///a"));
        DocumentKey::of("");
        DocumentKey::of("%");
        DocumentKey::of("%zz%4");
    }

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    fn change(range: ((u32, u32), (u32, u32)), text: &str) -> Change {
        let ((line, character), end) = range;
        Change { range: Some((at(line, character), at(end.0, end.1))), text: text.to_owned() }
    }

    /// The text after changes of one notification.
    #[track_caller]
    fn check(before: &str, changes: &[Change], after: &str) {
        let mut documents = Documents::default();
        let context = Arc::default();
        let key = documents.open("file:///quant.cfg".to_owned(), 1, before, &context);
        assert!(documents.change(&key, 2, changes.iter().cloned(), Encoding::Utf16));
        let document = documents.get(&key).unwrap();
        assert_eq!((document.text().to_string().as_str(), document.version), (after, 2));
    }

    #[test]
    fn changes_of_one_notification_follow_one_another() {
        check("a\n", &[change(((0, 1), (0, 1)), "b\n"), change(((1, 0), (1, 0)), "c")], "ab\nc\n");
    }

    #[test]
    fn a_whole_text_between_ranges_replaces_what_came_before() {
        let whole = Change { range: None, text: "xyz".to_owned() };
        check("a", &[change(((0, 0), (0, 1)), "b"), whole, change(((0, 1), (0, 2)), "")], "xz");
    }

    #[test]
    fn ranges_past_the_end_and_reversed_ranges_are_mended() {
        check("batch_num: 1", &[change(((0, 0), (99, 0)), "x")], "x");
        check("abc", &[change(((0, 2), (0, 1)), "")], "ac");
        check("a😀b", &[change(((0, 2), (0, 3)), "-")], "a-b");
    }

    #[test]
    fn a_document_that_is_too_big_is_kept_in_sync() {
        let big = "#".repeat(MAX_ANALYSED + 1);
        let mut documents = Documents::default();
        let context = Arc::default();
        let key = documents.open("file:///quant.cfg".to_owned(), 1, &big, &context);
        assert!(documents.get(&key).unwrap().snapshot().is_none());
        documents.change(&key, 2, [change(((0, 0), (0, 1)), "x")], Encoding::Utf8);
        assert!(matches!(documents.get(&key).unwrap().content(), Content::TooBig(_)));
        documents.change(&key, 3, [change(((0, 0), (0, 1)), "")], Encoding::Utf8);
        assert_eq!(documents.get(&key).unwrap().snapshot().unwrap().text.len(), MAX_ANALYSED);
    }

    #[test]
    fn a_change_of_a_document_that_is_not_open_does_nothing() {
        let key = DocumentKey::of("file:///quant.cfg");
        assert!(!Documents::default().change(&key, 2, [], Encoding::Utf8));
    }
}
