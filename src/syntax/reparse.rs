//! The tree of a changed text from the tree before: what the change does not touch is taken over, the rest is read anew
//! by the same parser. The outcome is exactly that of a full parse, save for how items are packed into chunks.
//!
//! Where to begin is known because every chunk remembers how far was looked to read it. The parser then goes on until
//! it stands where an old chunk begins, behind the change: from there on it would read the same. A change between the
//! brackets of one big item is a change of the items in there, and so on inwards. What an item takes from far away is
//! whether its brackets add up; the sums of all brackets tell that without looking.

use std::sync::Arc;

use super::lexer::TokenKind;
use super::parser::{self, BIG, Ends, ItemsBuilder, Parser, Source, is_trust_right, with_body};
use super::tree::stored::{ALL, BodyData, Brackets, Chunk, Items, Mode, Open, Run};
use crate::text::{Buffer, Change, TextRange};

/// The items of the text after `change`, from those before.
pub(super) fn reparse(old: &Items, change: Change, text: &Buffer) -> Items {
    let reader = Reader { change, text };
    let level = Level { old, start: 0, around: Vec::new(), trusts_indentation: false };
    reader
        .items(&level)
        // The change may close a bracket far above, or open one that was closed far below.
        .filter(is_trust_right)
        .unwrap_or_else(|| parser::parse(&text.to_string()))
}

struct Reader<'a> {
    change: Change,
    text: &'a Buffer,
}

/// The items between two brackets, or of the whole text.
struct Level<'a> {
    old: &'a Items,
    /// Offset of the first one, before the change and behind it.
    start: usize,
    around: Vec<Open>,
    trusts_indentation: bool,
}

/// A chunk, by its numbers, and its offset in the old text.
#[derive(Clone, Copy)]
struct Cursor {
    page: usize,
    chunk: usize,
    offset: usize,
}

/// How far the reading came.
enum Outcome {
    /// To an old chunk from which on all is as it was.
    Resumed(ItemsBuilder, Cursor),
    /// To the end of the items.
    Ended(ItemsBuilder, Run, usize),
}

/// So many bytes behind the change are read at first.
const SLACK: usize = 256;

impl Reader<'_> {
    /// The items after the change; `None` when what is around them has to be read too.
    fn items(&self, level: &Level<'_>) -> Option<Items> {
        let first = self.first_touched(level);
        let chunk = level.chunk(first);
        if let Some(chunk) = chunk
            && let Some(chunk) = self.inside(level, first, chunk)
        {
            let mut items = level.before(first);
            items.join(Arc::new(chunk));
            return Some(level.rest(items, level.next(first)));
        }
        if level.depends_on_line() && !chunk.is_some_and(starts_line) {
            return None;
        }
        let mut slack = SLACK;
        let outcome = loop {
            if let Some(outcome) = self.read(level, first, slack) {
                break outcome?;
            }
            slack *= 4;
        };
        match outcome {
            Outcome::Resumed(items, from) => Some(level.rest(items, from)),
            Outcome::Ended(items, end, offset) => {
                let old_end = level.start + level.old.sum.len as usize;
                let is_same = level.around.is_empty()
                    || offset == self.change.moved(old_end)
                        && (!level.trusts_indentation || are_last_tokens_equal(&end, &level.old.end));
                is_same.then(|| items.finish(end))
            }
        }
    }

    /// The first chunk for which something was looked at that has changed; the last one when there is none.
    fn first_touched(&self, level: &Level<'_>) -> Cursor {
        let is_touched =
            |at: usize, reach: u32| reach == ALL || at + reach as usize > self.change.range.start;
        let mut last = Cursor { page: 0, chunk: 0, offset: level.start };
        let mut offset = level.start;
        for (number, page) in level.old.pages.iter().enumerate() {
            let is_last = number + 1 == level.old.pages.len();
            if !is_last && !is_touched(offset, page.sum.reach) {
                offset += page.sum.len as usize;
                continue;
            }
            for (chunk, data) in page.chunks.iter().enumerate() {
                last = Cursor { page: number, chunk, offset };
                if is_touched(offset, data.sum.reach) {
                    return last;
                }
                offset += data.sum.len as usize;
            }
        }
        last
    }

    /// The chunk after a change between the brackets of its only item.
    fn inside(&self, level: &Level<'_>, at: Cursor, chunk: &Chunk) -> Option<Chunk> {
        let [item] = &chunk.items[..] else { return None };
        let body = item.body.as_deref().filter(|body| body.items.sum.len >= BIG && !chunk.sum.is_too_deep)?;
        let head: u32 = chunk.own.tokens[..item.head_tokens as usize].iter().map(|token| token.len).sum();
        let range = TextRange::at(at.offset + head as usize, body.items.sum.len as usize);
        let is_inside = range.start + body.mode.look as usize <= self.change.range.start
            && range.covers(self.change.range);
        if !is_inside || body.mode.look == ALL {
            return None;
        }
        let Mode { open, trusts_indentation, .. } = body.mode;
        let around = level.around.iter().copied().chain([open]).collect();
        let items =
            self.items(&Level { old: &body.items, start: range.start, around, trusts_indentation })?;
        with_body(chunk, BodyData { items, ..*body })
    }

    /// Reads from a chunk on. The outer `None` asks for more slack, the inner one for what is around.
    fn read(&self, level: &Level<'_>, first: Cursor, slack: usize) -> Option<Option<Outcome>> {
        let change_end = self.change.range.start + self.change.len;
        let chunk_end = first.offset + level.chunk(first).map_or(0, |chunk| chunk.sum.len as usize);
        let mut end = change_end.max(self.change.moved(chunk_end.max(self.change.range.end))) + slack;
        let mut known = None;
        if level.around.is_empty() {
            match level.line_behind(first, self.change.moved_back(end - slack) + slack - SLACK) {
                Some((offset, brackets)) => {
                    known = Some((self.change.moved(offset), brackets));
                    end = end.max(self.change.moved(offset) + SLACK);
                }
                None => end = self.text.len(),
            }
        }
        let text = self.text.slice(TextRange::new(first.offset, end));
        let ends =
            Ends { has_start: first.offset == 0, has_end: first.offset + text.len() == self.text.len() };
        let (known, behind) = known.unwrap_or((usize::MAX, Brackets::default()));
        let source = Source::new(&text, ends);
        let known = known.saturating_sub(first.offset);
        let mut parser = Parser::new(source, level.around.clone(), known, behind)
            .trusting_indentation(level.trusts_indentation);
        let mut items = level.before(first);
        let mut next = first;
        loop {
            let at = first.offset + parser.offset();
            if at >= change_end {
                while let Some(chunk) = level.chunk(next)
                    && next.offset < self.change.moved_back(at)
                {
                    next = level.behind(next, chunk);
                }
                if let Some(chunk) = level.chunk(next)
                    && next.offset == self.change.moved_back(at)
                    // The first item of a text is read differently.
                    && next.offset > 0
                    && at > 0
                    && parser.is_at_boundary()
                    && items.may_join(chunk)
                    && (!level.depends_on_line() || starts_line(chunk))
                {
                    return Some(
                        (!parser.is_too_deep() || level.around.is_empty())
                            .then_some(Outcome::Resumed(items, next)),
                    );
                }
            }
            let goes_on = parser.item(&mut items);
            if parser.is_too_short() {
                return None;
            }
            if !goes_on {
                break;
            }
        }
        let run = parser.end();
        if parser.is_too_short() {
            return None;
        }
        let is_fine = !parser.is_too_deep() || level.around.is_empty();
        Some(is_fine.then(|| Outcome::Ended(items, run, first.offset + parser.offset())))
    }
}

impl Level<'_> {
    fn chunk(&self, at: Cursor) -> Option<&Chunk> {
        self.old.pages.get(at.page)?.chunks.get(at.chunk).map(|chunk| &**chunk)
    }

    /// The place behind a chunk.
    fn behind(&self, at: Cursor, chunk: &Chunk) -> Cursor {
        let offset = at.offset + chunk.sum.len as usize;
        let is_last = self.old.pages.get(at.page).is_none_or(|page| at.chunk + 1 >= page.chunks.len());
        let (page, chunk) = if is_last { (at.page + 1, 0) } else { (at.page, at.chunk + 1) };
        Cursor { page, chunk, offset }
    }

    fn next(&self, at: Cursor) -> Cursor {
        self.chunk(at).map_or(at, |chunk| self.behind(at, chunk))
    }

    /// Everything before a chunk.
    fn before(&self, at: Cursor) -> ItemsBuilder {
        let mut items = ItemsBuilder::default();
        self.old.pages[..at.page].iter().for_each(|page| items.join_page(page.clone()));
        let page = self.old.pages.get(at.page);
        let chunks = page.map_or(&[][..], |page| &page.chunks[..at.chunk]);
        chunks.iter().for_each(|chunk| items.join(chunk.clone()));
        items
    }

    /// The items so far and all old ones from a chunk on.
    fn rest(&self, mut items: ItemsBuilder, from: Cursor) -> Items {
        if let Some(page) = self.old.pages.get(from.page) {
            page.chunks[from.chunk..].iter().for_each(|chunk| items.join(chunk.clone()));
            self.old.pages[from.page + 1..].iter().for_each(|page| items.join_page(page.clone()));
        }
        items.finish(self.old.end.clone())
    }

    /// Whether items here are read in view of the line that they begin on.
    fn depends_on_line(&self) -> bool {
        self.trusts_indentation && !self.around.is_empty()
    }

    /// The first line break at or behind the old offset `from` with a chunk of its own behind it: the offset behind
    /// the line break, and what all brackets behind it amount to.
    fn line_behind(&self, first: Cursor, from: usize) -> Option<(usize, Brackets)> {
        let mut at = first;
        while let Some(chunk) = self.chunk(at) {
            if at.offset >= from
                && let Some(line) = line_start(chunk)
            {
                return Some((at.offset + line, self.brackets_from(at)));
            }
            at = self.behind(at, chunk);
        }
        None
    }

    fn brackets_from(&self, at: Cursor) -> Brackets {
        let pages = &self.old.pages;
        let chunks = pages[at.page].chunks[at.chunk..].iter().map(|chunk| chunk.sum.brackets);
        let pages = pages[at.page + 1..].iter().map(|page| page.sum.brackets);
        chunks.chain(pages).fold(Brackets::default(), Brackets::then)
    }
}

/// Where the first line begins behind a line break in the white space and comments that a chunk begins with.
fn line_start(chunk: &Chunk) -> Option<usize> {
    let mut at = 0;
    for token in &chunk.own.tokens {
        let text = &chunk.own.text[at..at + token.len as usize];
        match token.kind {
            TokenKind::Whitespace => match text.find('\n') {
                Some(line_break) => return Some(at + line_break + 1),
                None => at += text.len(),
            },
            TokenKind::Comment => at += text.len(),
            _ => return None,
        }
    }
    None
}

fn starts_line(chunk: &Chunk) -> bool {
    line_start(chunk).is_some()
}

/// Whether what follows two runs stands at the same column for the same reason.
fn are_last_tokens_equal(a: &Run, b: &Run) -> bool {
    let last = |run: &Run| {
        run.tokens
            .last()
            .map(|token| (token.kind, run.text[run.text.len() - token.len as usize..].to_owned()))
    };
    last(a).is_some() && last(a) == last(b)
}
