//! Formatting, on every text of the vectors: twice is once, every comment stays, no value changes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::path::Path;
use std::sync::Arc;

use quantcfg::ide::format::{apply, format};
use quantcfg::ide::{Context, Snapshot};
use quantcfg::loader;
use quantcfg::schema::file;
use quantcfg::schema::model::Schema;
use quantcfg::syntax::lexer::TokenKind;

fn schema(name: &str, root: &str) -> Arc<Schema> {
    file::load(&Path::new("tests/data/vectors").join(name), root).unwrap().schema
}

fn comments(snapshot: &Snapshot) -> Vec<String> {
    let tokens = snapshot.tree().tokens().into_iter();
    tokens
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| token.text.trim_end().to_owned())
        .collect()
}

#[test]
fn formatting_changes_nothing_but_the_looks() {
    let schemas = [
        ("retrain", schema("retrain.proto", "AMCTMindsporeProto.AMCTRetrainConfig")),
        ("generic", schema("generic.proto", "gen.All")),
        ("generic3", schema("generic3.proto", "gen3.P3")),
    ];
    let rows =
        common::vectors("text_format.jsonl.gz").into_iter().chain(common::vectors("mutations.jsonl.gz"));
    let (mut formatted, mut loaded) = (0, 0);
    for row in rows {
        let Ok(text) = String::from_utf8(common::bytes(&row)) else { continue };
        let schema = &schemas.iter().find(|(name, _)| row["schema"] == *name).unwrap().1;
        let context = Arc::new(Context { schema: schema.clone(), dialect: None, ..Context::default() });
        let open = |text: &str| Snapshot::open(text, context.clone());
        let before = open(&text);
        let after = open(&apply(&text, &format(&before, None)));
        let again = format(&after, None);
        assert!(again.is_empty(), "{}: {again:?}\n{text}\n---\n{}", row["id"], after.text);
        assert_eq!(comments(&before), comments(&after), "{}", row["id"]);
        let values = |text: &str| loader::load(text.as_bytes(), schema).ok();
        let value = values(&text);
        loaded += usize::from(value.is_some());
        formatted += usize::from(after.text.to_string() != text);
        let is_same = match (&value, &values(&after.text.to_string())) {
            (Some(before), Some(after)) => common::equal(before, after),
            (before, after) => before.is_none() && after.is_none(),
        };
        assert!(is_same, "{}\n{text}\n---\n{}", row["id"], after.text);
    }
    assert!(formatted > 500 && loaded > 300, "{formatted} formatted, {loaded} loaded");
}
