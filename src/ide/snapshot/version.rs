//! From what the reading of a version begins: the last version that was read, and what has changed since.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::syntax::tree::Tree;
use crate::text::{Buffer, Change, Edit};

/// After more changes than these it is cheaper to read all.
const MAX_CHANGES: usize = 64;
/// Changes that are no further apart than this are one.
const NEAR: usize = 1024;

/// A text that is read when somebody first asks, and what was read.
#[derive(Debug)]
pub(super) struct Version<R> {
    reading: OnceLock<R>,
    /// Where to read from, until it is read.
    since: Mutex<Option<Since<R>>>,
}

#[derive(Debug)]
struct Since<R> {
    /// It was read.
    version: Arc<Version<R>>,
    /// Each with the text behind it.
    changes: Vec<(Change, Buffer)>,
}

impl<R> Clone for Since<R> {
    fn clone(&self) -> Self {
        Self { version: self.version.clone(), changes: self.changes.clone() }
    }
}

impl<R> Since<R> {
    fn add(&mut self, change: Change, text: Buffer) {
        if let Some((last, behind)) = self.changes.last_mut() {
            let end = last.range.start + last.len;
            if change.range.start <= end + NEAR && last.range.start <= change.range.end + NEAR {
                *last = last.then(change);
                *behind = text;
                return;
            }
        }
        self.changes.push((change, text));
    }
}

impl<R> Version<R> {
    /// A text without history.
    pub(super) fn first() -> Self {
        Self { reading: OnceLock::new(), since: Mutex::new(None) }
    }

    /// The version after `edits`, which are carried out on `text`.
    pub(super) fn after(before: &Arc<Self>, edits: &[Edit], text: &mut Buffer) -> Self {
        let mut since = match before.reading.get() {
            Some(_) => Some(Since { version: before.clone(), changes: Vec::new() }),
            None => before.since.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        for edit in edits {
            text.apply(edit);
            if let Some(since) = &mut since {
                since.add(edit.into(), text.clone());
            }
        }
        let since = since.filter(|since| since.changes.len() <= MAX_CHANGES);
        Self { reading: OnceLock::new(), since: Mutex::new(since) }
    }

    /// What was read. `read` makes it of the tree of `text`, and of what was read of an earlier version; `tree_of` gives
    /// the tree in that.
    pub(super) fn reading(
        &self,
        text: &Buffer,
        tree_of: impl Fn(&R) -> &Tree,
        read: impl FnOnce(Tree, Option<&R>) -> R,
    ) -> &R {
        let since = || self.since.lock().unwrap_or_else(PoisonError::into_inner);
        self.reading.get_or_init(|| {
            let before = since().clone();
            let old = before.as_ref().and_then(|before| before.version.reading.get());
            let tree = match (&before, old) {
                (Some(before), Some(old)) => before
                    .changes
                    .iter()
                    .fold(tree_of(old).clone(), |tree, (change, text)| tree.reparse(*change, text)),
                _ => Tree::parse(&text.to_string()),
            };
            let reading = read(tree, old);
            // What was before is let go.
            *since() = None;
            reading
        })
    }

    /// Whether an earlier version is kept to read this one from.
    #[cfg(test)]
    pub(super) fn is_behind(&self) -> bool {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
