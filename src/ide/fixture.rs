//! Reads the fixtures of this folder's tests: a text in which `$0` is the cursor.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Context, LayerSource, Snapshot};
use crate::inventory;
use crate::language::Language;
use crate::schema::builtin::Dialect;

/// A text of the MindSpore dialect without layers, and where its cursor is.
pub(super) fn at_cursor(fixture: &str) -> (Snapshot, usize) {
    let offset = fixture.find("$0").expect("a fixture has a cursor");
    (Snapshot::open(&fixture.replacen("$0", "", 1), Arc::default()), offset)
}

/// A text with a network, given as lines of `name type`.
pub(super) fn with_layers(text: &str, layers: Option<&str>, language: Language) -> Snapshot {
    let layers = layers.map(|lines| {
        let list = inventory::json::read(lines.as_bytes()).expect("the layers of a fixture are good");
        Arc::new(LayerSource { path: PathBuf::from("net.layers.json"), list })
    });
    let context = Context { layers, ..Context::of_dialect(Dialect::MindsporeQat, language) };
    Snapshot::open(text, Arc::new(context))
}
