//! Puts fields into blocks and takes items out of a text, in the layout that the text has around them.

use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Block, Item, ItemKind, Tree, Value};
use crate::text::{Edit, TextRange};

/// Fields to be written, by the names that lead to them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    fields: Vec<(String, Content)>,
}

#[derive(Clone, Debug)]
enum Content {
    Value(String),
    Block(Fields),
}

impl Fields {
    /// Adds a value; `{}` is an empty block.
    pub(super) fn add(&mut self, path: &[&str], value: &str) {
        let Some((name, rest)) = path.split_first() else { return };
        let at = match self.fields.iter().position(|(known, _)| known == name) {
            Some(at) => at,
            None => {
                self.fields.push(((*name).to_owned(), Content::Block(Self::default())));
                self.fields.len() - 1
            }
        };
        let content = &mut self.fields[at].1;
        match content {
            Content::Block(fields) if !rest.is_empty() => fields.add(rest, value),
            _ if value == "{}" => {}
            _ => *content = Content::Value(value.to_owned()),
        }
    }

    fn one_line(&self) -> String {
        let field = |(name, content): &(String, Content)| match content {
            Content::Value(value) => format!("{name}: {value}"),
            Content::Block(fields) if fields.fields.is_empty() => format!("{name} {{}}"),
            Content::Block(fields) => format!("{name} {{ {} }}", fields.one_line()),
        };
        self.fields.iter().map(field).collect::<Vec<_>>().join(" ")
    }

    fn lines(&self, indent: &str, unit: &str) -> String {
        let field = |(name, content): &(String, Content)| match content {
            Content::Value(value) => format!("{indent}{name}: {value}\n"),
            Content::Block(fields) if fields.fields.is_empty() => format!("{indent}{name} {{}}\n"),
            Content::Block(fields) => {
                format!("{indent}{name} {{\n{}{indent}}}\n", fields.lines(&format!("{indent}{unit}"), unit))
            }
        };
        self.fields.iter().map(field).collect()
    }
}

/// The layout of a text.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub(super) tree: &'a Tree,
}

impl<'a> Layout<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree }
    }

    /// The text of a range that begins and ends with tokens.
    pub(super) fn text(&self, range: TextRange) -> String {
        let mut text = String::new();
        let mut at = range.start;
        while at < range.end {
            let Some(token) = self.tree.token_at(at) else { break };
            text.push_str(&token.text[at - token.range.start..]);
            at = token.range.end;
        }
        text
    }

    /// New fields at the end of the text.
    pub(super) fn append(&self, fields: &Fields) -> Edit {
        let end = self.tree.root().range().end;
        let is_fresh = end == 0 || self.blanks_before(end).contains(['\n', '\r']);
        let text = fields.lines("", "    ");
        Edit::insert(end, if is_fresh { text } else { format!("\n{text}") })
    }

    /// Fields into the block of an item: into the blocks that are there already, and the rest at its end. `None` when a
    /// bracket is missing.
    pub(super) fn insert(&self, fields: &Fields, item: Item<'a>) -> Option<Vec<Edit>> {
        let Some(Value::Block(block)) = item.value() else { return None };
        let mut edits = Vec::new();
        self.insert_into(fields, block, &mut edits)?;
        Some(edits)
    }

    fn insert_into(&self, fields: &Fields, block: Block<'a>, edits: &mut Vec<Edit>) -> Option<()> {
        let mut new = Fields::default();
        for (name, content) in &fields.fields {
            match (content, block_of(block, name)) {
                (Content::Block(inner), Some(there)) => self.insert_into(inner, there, edits)?,
                _ => new.fields.push((name.clone(), content.clone())),
            }
        }
        if !new.fields.is_empty() {
            let (indent, unit) = self.indents(block)?;
            let text = match &indent {
                Some(indent) => new.lines(indent, &unit),
                None => new.one_line(),
            };
            edits.push(self.put(block, indent.is_some(), &text)?);
        }
        Some(())
    }

    /// The fields of the block of one item into that of another; a value that both set is that of `from`, as AMCT
    /// merges them. What stands at `key` is left out.
    pub(super) fn merge(&self, into: Item<'a>, from: Item<'a>, key: TextRange) -> Option<Vec<Edit>> {
        let (Some(Value::Block(into)), Some(Value::Block(from))) = (into.value(), from.value()) else {
            return None;
        };
        let mut edits = Vec::new();
        self.merge_blocks(into, from, key, &mut edits)?;
        Some(edits)
    }

    fn merge_blocks(
        &self,
        into: Block<'a>,
        from: Block<'a>,
        key: TextRange,
        edits: &mut Vec<Edit>,
    ) -> Option<()> {
        let mut new = Vec::new();
        for item in from.body().items().filter(|item| item.range() != key) {
            let name = item.name()?.text;
            let there = field_of(into, &name);
            match (there.and_then(Item::value), item.value()) {
                (Some(Value::Block(into)), Some(Value::Block(from))) => {
                    self.merge_blocks(into, from, key, edits)?;
                }
                (Some(Value::Scalar(old)), Some(Value::Scalar(value))) => {
                    edits.push(Edit::replace(old.range(), self.text(value.range())));
                }
                _ => new.push(self.text(item.range())),
            }
        }
        if !new.is_empty() {
            let (indent, _) = self.indents(into)?;
            let text = match &indent {
                Some(indent) => new.iter().map(|field| format!("{indent}{field}\n")).collect(),
                None => new.join(" "),
            };
            edits.push(self.put(into, indent.is_some(), &text)?);
        }
        Some(())
    }

    /// Takes an item out: whole lines where nothing else is on them. From a list that would be empty then, the whole
    /// field `around` it.
    pub(super) fn remove(&self, item: Item<'a>, around: Option<Item<'a>>) -> Edit {
        if item.kind() == ItemKind::Element
            && let Some(list) = around
            && let Some(body) = list.body()
        {
            let elements: Vec<_> = body.items().collect();
            let at = elements.iter().position(|other| other.range() == item.range()).unwrap_or(0);
            let is_last = at + 1 == elements.len();
            return match elements.len() {
                0 | 1 => self.remove(list, None),
                _ if is_last => {
                    let before = elements[at - 1];
                    let start = before.separator().map_or(before.range().end, |comma| comma.start);
                    Edit::replace(TextRange::new(start, item.range().end), "")
                }
                _ => Edit::replace(TextRange::new(item.range().start, elements[at + 1].range().start), ""),
            };
        }
        let TextRange { start, end } = item.range();
        let (before, after) = (self.blanks_before(start), self.blanks_after(end));
        let is_first = start == before.len() || before.contains(['\n', '\r']);
        let line_end = after.find('\n').map(|at| at + 1);
        let is_last = line_end.is_some() || end + after.len() == self.tree.root().range().end;
        let range = if is_first && is_last {
            let line = before.rfind(['\n', '\r']).map_or(before.len(), |at| before.len() - at - 1);
            TextRange::new(start - line, end + line_end.unwrap_or(after.len()))
        } else if line_end.is_some() || after.is_empty() {
            TextRange::new(start - before.len(), end)
        } else {
            TextRange::new(start, end + after.len())
        };
        Edit::replace(range, "")
    }

    /// Puts a text before the closing bracket of a block.
    fn put(&self, block: Block<'a>, is_on_lines: bool, text: &str) -> Option<Edit> {
        let close = block.close()?.start;
        let before = self.blanks_before(close);
        if is_on_lines {
            let indent = before.rfind(['\n', '\r']).map(|at| before.len() - at - 1);
            return Some(match indent {
                Some(indent) => Edit::insert(close - indent, text),
                None => Edit::insert(close, format!("\n{text}")),
            });
        }
        Some(match before.is_empty() {
            true => Edit::insert(close, format!(" {text} ")),
            false => Edit::insert(close, format!("{text} ")),
        })
    }

    /// How far fields in a block are indented, and one level; no indent for a block on one line.
    fn indents(&self, block: Block<'a>) -> Option<(Option<String>, String)> {
        let close = block.close()?;
        let last_line = |blanks: &str| blanks.rfind(['\n', '\r']).map(|at| blanks[at + 1..].to_owned());
        let outer = last_line(self.blanks_before(close.start));
        let inner = block.body().items().next();
        let inner = inner.and_then(|item| last_line(self.blanks_before(item.range().start)));
        Some(match (inner, outer) {
            (Some(inner), outer) => {
                let outer = outer.unwrap_or_default();
                let unit = inner.strip_prefix(outer.as_str()).filter(|unit| !unit.is_empty());
                let unit = unit.unwrap_or("    ").to_owned();
                (Some(inner), unit)
            }
            (None, Some(outer)) => (Some(outer + "    "), "    ".to_owned()),
            (None, None) => (None, "    ".to_owned()),
        })
    }

    /// The white space that ends at an offset.
    fn blanks_before(&self, offset: usize) -> &'a str {
        let token = offset.checked_sub(1).and_then(|at| self.tree.token_at(at));
        token
            .filter(|token| token.kind == TokenKind::Whitespace)
            .map_or("", |token| &token.text[..offset - token.range.start])
    }

    /// The white space that begins at an offset.
    fn blanks_after(&self, offset: usize) -> &'a str {
        let token = self.tree.token_at(offset);
        token
            .filter(|token| token.kind == TokenKind::Whitespace)
            .map_or("", |token| &token.text[offset - token.range.start..])
    }
}

/// The last field of a name in a block.
fn field_of<'t>(block: Block<'t>, name: &str) -> Option<Item<'t>> {
    let is_it = |item: &Item<'_>| item.name().is_some_and(|own| own.text == name);
    block.body().items().filter(is_it).last()
}

fn block_of<'t>(block: Block<'t>, name: &str) -> Option<Block<'t>> {
    match field_of(block, name)?.value()? {
        Value::Block(block) => Some(block),
        _ => None,
    }
}
