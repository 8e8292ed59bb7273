//! What stands before each token of a text that is laid out.

use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Body, Item, ItemKind, NameKind, TokenView, Tree, Value};
use crate::text::{Edit, TextRange};

/// A list that would be longer has an element a line.
const MAX_WIDTH: usize = 100;

/// A stretch of the text that stays, what comes before it, and what comes in its place if it does not.
struct Piece {
    before: Gap,
    range: TextRange,
    text: Option<&'static str>,
}

/// What comes before a piece.
enum Gap {
    /// These characters.
    Text(&'static str),
    /// A new line, indented so many levels.
    Line(usize),
    /// The same after a blank line.
    Paragraph(usize),
    /// What is there.
    Kept,
}

/// A text in pieces.
pub(super) struct Layout<'t> {
    text: &'t str,
    indent: usize,
    /// Places of errors, in order.
    errors: Vec<TextRange>,
    pieces: Vec<Piece>,
    /// The end of the last piece.
    end: usize,
    /// The last piece is a comment, so the next one needs a new line.
    is_behind_comment: bool,
    /// Nothing came yet in this block.
    is_at_start: bool,
}

impl<'t> Layout<'t> {
    /// Takes a text to pieces.
    pub(super) fn of(text: &'t str, tree: &'t Tree, indent: usize) -> Self {
        let mut errors: Vec<_> = tree.errors().iter().map(|error| error.range).collect();
        errors.sort_by_key(|range| range.start);
        let mut layout = Self {
            text,
            indent,
            errors,
            pieces: Vec::new(),
            end: 0,
            is_behind_comment: false,
            is_at_start: true,
        };
        layout.fields(tree.root(), 0);
        layout
    }

    /// The edits from the text to its layout.
    pub(super) fn edits(&self, text: &str) -> Vec<Edit> {
        let line_break = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let mut edits = Vec::new();
        let mut replace = |range: TextRange, new: String| {
            if text[range.start..range.end] != new {
                edits.push(Edit::replace(range, new));
            }
        };
        let mut end = 0;
        for (at, piece) in self.pieces.iter().enumerate() {
            let blanks = |levels: usize| " ".repeat(levels * self.indent);
            let before = match piece.before {
                Gap::Text(text) => text.to_owned(),
                // The first line needs no break before it.
                Gap::Line(levels) | Gap::Paragraph(levels) if at == 0 => blanks(levels),
                Gap::Line(levels) => line_break.to_owned() + &blanks(levels),
                Gap::Paragraph(levels) => line_break.repeat(2) + &blanks(levels),
                Gap::Kept => text[end..piece.range.start].to_owned(),
            };
            replace(TextRange::new(end, piece.range.start), before);
            if let Some(new) = piece.text {
                replace(piece.range, new.to_owned());
            }
            end = piece.range.end;
        }
        let rest = if self.pieces.is_empty() { String::new() } else { line_break.to_owned() };
        replace(TextRange::new(end, text.len()), rest);
        edits
    }

    fn push(&mut self, before: Gap, range: TextRange, text: Option<&'static str>) {
        self.pieces.push(Piece { before, range, text });
        self.end = range.end;
        self.is_behind_comment = false;
        self.is_at_start = false;
    }

    /// The fields of a block, or of the text, and the comments around them.
    fn fields(&mut self, body: Body<'t>, level: usize) {
        for item in body.items() {
            self.comments(leading(item), level);
            if self.is_broken(item) {
                self.keep(item);
                continue;
            }
            self.field(item, level);
        }
        self.comments(body.end_tokens(), level);
    }

    /// White space and comments between fields.
    fn comments(&mut self, tokens: impl Iterator<Item = TokenView<'t>>, level: usize) {
        for token in tokens.filter(|token| token.kind == TokenKind::Comment) {
            let range = TextRange::at(token.range.start, token.text.trim_end().len());
            let is_behind = self.end > 0 || !self.pieces.is_empty();
            let on_same_line = !self.text[self.end..range.start].contains('\n');
            let gap = if is_behind && on_same_line { Gap::Text(" ") } else { self.line(range.start, level) };
            self.push(gap, range, None);
            self.is_behind_comment = true;
        }
    }

    /// The break before something that begins a line; blank lines before it part paragraphs.
    fn line(&self, start: usize, level: usize) -> Gap {
        let breaks = self.text[self.end..start].matches('\n').count();
        if breaks > 1 && !self.is_at_start { Gap::Paragraph(level) } else { Gap::Line(level) }
    }

    fn keep(&mut self, item: Item<'t>) {
        let range = item.range();
        let end = range.start + self.text[range.start..range.end].trim_end().len();
        self.push(Gap::Kept, TextRange::new(range.start, end.max(range.start)), None);
    }

    /// True when the item is not what it should be, or has a comment where none can stand in our layout.
    fn is_broken(&self, item: Item<'t>) -> bool {
        // A block has room for broken fields, a list is one thing.
        let block = match item.value() {
            Some(Value::Block(block)) => Some(block.body()),
            _ => None,
        };
        let body = block.map(Body::range);
        let own = |range: TextRange| body.is_none_or(|body| range.start < body.start || range.end > body.end);
        let range = item.full_range();
        let first = self.errors.partition_point(|error| error.end < range.start);
        let errors = self.errors[first..].iter().take_while(|error| error.start <= range.end);
        let mut inner = own_tokens(item);
        item.kind() == ItemKind::Error
            || item.value().is_none()
            || errors.into_iter().any(|error| own(*error))
            || inner.any(|token| token.kind == TokenKind::Comment)
            || item.body().is_some_and(|_| closer(item).is_none())
    }

    fn field(&mut self, item: Item<'t>, level: usize) {
        let start = item.range().start;
        let mut gap = self.line(start, level);
        let Some(name) = item.name() else { return self.keep(item) };
        let name_tokens = own_tokens(item).take_while(|token| token.range.end <= name.range.end);
        for token in name_tokens.filter(|token| !token.kind.is_trivia()) {
            self.push(gap, token.range, None);
            gap = Gap::Text("");
        }
        let has_colon = item.colon().is_some();
        if let Some(colon) = item.colon() {
            self.push(Gap::Text(""), colon, None);
        }
        let gap = if has_colon { Gap::Text(" ") } else { Gap::Text(": ") };
        self.value(item, gap, level);
        // Behind an expanded `Any` a separator is refused, and that is for the author to mend.
        if let Some(separator) = item.separator().filter(|_| name.kind == NameKind::Bracketed) {
            self.push(Gap::Text(""), separator, None);
        }
    }

    fn value(&mut self, item: Item<'t>, mut gap: Gap, level: usize) {
        match item.value() {
            Some(Value::Scalar(scalar)) => {
                for token in scalar.tokens() {
                    let is_below = self.text[self.end..token.range.start].contains('\n');
                    if is_below && !matches!(gap, Gap::Text(": ")) && self.is_behind_string() {
                        gap = Gap::Line(level + 1);
                    }
                    self.push(gap, token.range, None);
                    gap = Gap::Text(" ");
                }
            }
            Some(Value::Block(block)) => {
                self.push(gap, block.open(), Some("{"));
                self.is_at_start = true;
                self.fields(block.body(), level + 1);
                let close = if self.is_at_start { Gap::Text("") } else { Gap::Line(level) };
                if let Some(range) = block.close() {
                    self.push(close, range, Some("}"));
                }
            }
            Some(Value::List(list)) => {
                let is_tall = self.is_tall(item);
                self.push(gap, list.open(), None);
                self.is_at_start = true;
                let mut is_first = true;
                for element in list.elements().items() {
                    self.comments(leading(element), level + 1);
                    let gap = match (is_tall, is_first) {
                        (true, _) => self.line(element.range().start, level + 1),
                        (false, true) => Gap::Text(""),
                        (false, false) => Gap::Text(" "),
                    };
                    self.value(element, gap, level + 1);
                    if let Some(comma) = element.separator() {
                        self.push(Gap::Text(""), comma, None);
                    }
                    is_first = false;
                }
                self.comments(list.elements().end_tokens(), level + 1);
                let close = if is_tall && !self.is_at_start { Gap::Line(level) } else { Gap::Text("") };
                if let Some(range) = list.close() {
                    self.push(close, range, None);
                }
            }
            None => {}
        }
    }

    fn is_behind_string(&self) -> bool {
        self.text[..self.end].ends_with(['"', '\''])
    }

    /// Whether a list has an element a line: because it had, because of blocks or comments, or because it is long.
    fn is_tall(&self, item: Item<'t>) -> bool {
        let Some(Value::List(list)) = item.value() else { return false };
        let elements = list.elements();
        let has_blocks = elements.items().any(|element| !matches!(element.value(), Some(Value::Scalar(_))));
        let inside = &self.text[elements.range().start..elements.range().end];
        let begins_below =
            inside.trim_start_matches([' ', '\t', '\r']).starts_with('\n') && !inside.trim().is_empty();
        let has_comments = elements.items().flat_map(leading).chain(elements.end_tokens()).any(is_comment);
        let width: usize = item.range().start
            - self.text[..item.range().start].rfind('\n').map_or(0, |at| at + 1)
            + item.range().len();
        has_blocks || begins_below || has_comments || width > MAX_WIDTH
    }
}

fn is_comment(token: TokenView<'_>) -> bool {
    token.kind == TokenKind::Comment
}

/// White space and comments before an item.
fn leading(item: Item<'_>) -> impl Iterator<Item = TokenView<'_>> {
    let start = item.range().start;
    item.tokens().take_while(move |token| token.range.start < start)
}

/// The tokens of an item from its first on that is not white space or comment, without those between its brackets.
fn own_tokens(item: Item<'_>) -> impl Iterator<Item = TokenView<'_>> {
    let start = item.range().start;
    item.tokens().skip_while(move |token| token.range.start < start)
}

fn closer(item: Item<'_>) -> Option<TextRange> {
    match item.value()? {
        Value::Block(block) => block.close(),
        Value::List(list) => list.close(),
        Value::Scalar(_) => None,
    }
}
