//! The tree of every vector is lossless, and no text that AMCT's loader accepts has a syntax error.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use quantcfg::Language;
use quantcfg::syntax::tree::Tree;

#[test]
fn accepted_texts_have_no_syntax_error_and_no_token_is_lost() {
    let mut wrong = Vec::new();
    for row in common::vectors("text_format.jsonl.gz").iter().chain(&common::vectors("mutations.jsonl.gz")) {
        let Ok(text) = String::from_utf8(common::bytes(row)) else { continue };
        let tree = Tree::parse(&text);
        let joined: String = tree.tokens().iter().map(|token| token.text).collect();
        assert_eq!(joined, text, "{}", row["id"]);
        let mut end = 0;
        for token in tree.tokens() {
            assert_eq!((token.range.start, token.range.len()), (end, token.text.len()), "{}", row["id"]);
            end = token.range.end;
        }
        for error in tree.errors() {
            assert!(error.range.end <= text.len(), "{}: {error:?}", row["id"]);
            if row["ok"] == true {
                wrong.push(format!(
                    "{} {text:?}: {error:?} {}",
                    row["id"],
                    error.kind.message(Language::English)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} accepted texts have errors:\n{}", wrong.len(), wrong.join("\n"));
}
