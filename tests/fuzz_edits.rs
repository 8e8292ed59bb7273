//! A tree that was re-read where its text changed is the tree of the new text, after any edit, and what is found out from
//! it is what is found out from the new text.
//!
//! `cargo test` makes 20,000 edits. The long run, with a seed of your choice, is
//!
//! ```text
//! QUANTCFG_FUZZ_EDITS=200000 QUANTCFG_FUZZ_SEED=1 cargo test --release --test fuzz_edits -- --nocapture
//! ```
//!
//! The texts are made of the rows of the vectors: single ones, many in a row, and many in one block.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::sync::Arc;

use common::Dice;
use quantcfg::Language;
use quantcfg::ide::code_lens::code_lenses;
use quantcfg::ide::{Context, LayerSource, Snapshot};
use quantcfg::inventory;
use quantcfg::schema::builtin::Dialect;
use quantcfg::syntax::tree::{Body, Item, Tree, Value};
use quantcfg::text::{Buffer, Change, Edit, TextRange};

/// What is typed or pasted.
const PIECES: &[&str] = &[
    "{",
    "}",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "\n",
    "\n",
    "\r",
    "\r\n",
    " ",
    "  ",
    "\t",
    ":",
    ",",
    ";",
    "#",
    "# x\n",
    "a",
    "b: 1",
    "1",
    ".",
    "-",
    "\\",
    "=",
    "//",
    "/*",
    "*/",
    "/",
    "*",
    "name",
    "x {\n",
    "  }\n",
    "\n}\n",
    "a: [",
    "\"s\"",
    "“",
    "”",
    "：",
    "，",
    "｛",
    "｝",
    "（",
    "【",
    "中",
    "😀",
    "é",
    "\u{200b}",
    "\u{feff}",
    "\u{3000}",
    "\u{2028}",
    "\0",
    "<<<<<<<",
    ">>>>>>>",
    "<<<<<<< a\n",
    ">>>>>>> b\n",
    "[a.b]: ",
    "[t/p.T] {",
    "true",
    "\na: 1\n",
    "  b {\n    c: 2\n  }\n",
    "\"open\n",
    "a: - 1",
    "@",
    "{}",
    "[]",
    "\"\"",
    "a:",
    "a: \"x\" \"y\"",
];

fn corpus() -> Vec<String> {
    let rows = ["text_format.jsonl.gz", "mutations.jsonl.gz"].into_iter().flat_map(common::vectors);
    let texts = rows.filter_map(|row| String::from_utf8(common::bytes(&row)).ok());
    texts.filter(|text| text.len() < 4096).collect()
}

/// A text to begin with: one row, many in a row, or many in blocks in blocks.
fn seed_text(dice: &mut Dice, corpus: &[String]) -> String {
    let mut text = String::new();
    let rows = [1, 1, 4, 12][dice.roll(4)];
    for _ in 0..rows {
        text += &corpus[dice.roll(corpus.len())];
        if dice.roll(8) > 0 {
            text.push('\n');
        }
    }
    for _ in 0..[0, 0, 1, 2][dice.roll(4)] {
        if dice.roll(2) == 0 {
            text = text.lines().map(|line| format!("  {line}\n")).collect();
        }
        let close = ["}\n", "}\n", "}", ""][dice.roll(4)];
        text = format!("{}wrap {{\n{text}{close}", ["", "", "a: 1\n", "a: 1 "][dice.roll(4)]);
        if dice.roll(3) == 0 {
            text += &corpus[dice.roll(corpus.len())];
        }
    }
    text
}

fn random_edit(dice: &mut Dice, text: &Buffer, corpus: &[String]) -> Edit {
    if dice.roll(400) == 0 {
        return Edit::replace(TextRange::new(0, text.len()), seed_text(dice, corpus));
    }
    let at = text.floor_char_boundary(dice.roll(text.len() + 1));
    let len = [0, 0, 0, 1, 1, 2, 5, 20, 200][dice.roll(9)];
    let end = text.floor_char_boundary(at + dice.roll(len + 1)).max(at);
    let typed = match dice.roll(12) {
        0 => String::new(),
        1 => {
            let from = text.floor_char_boundary(dice.roll(text.len() + 1));
            text.slice(TextRange::new(from, from + dice.roll(120))).into_owned()
        }
        2 => dice.pick(PIECES).to_owned() + dice.pick(PIECES),
        _ if at == end || dice.roll(2) == 0 => dice.pick(PIECES).to_owned(),
        _ => String::new(),
    };
    Edit::replace(TextRange::new(at, end), typed)
}

/// The first difference between two trees.
fn difference(a: &Tree, b: &Tree) -> Option<String> {
    let (left, right) = (a.errors(), b.errors());
    let at = left.iter().zip(&right).position(|(a, b)| a != b).unwrap_or(left.len().min(right.len()));
    if at < left.len().max(right.len()) {
        return Some(format!("error {:?}\n instead of {:?}", left.get(at), right.get(at)));
    }
    if a.tokens() != b.tokens() {
        return Some("tokens".to_owned());
    }
    body_difference(a.root(), b.root())
}

fn body_difference(a: Body<'_>, b: Body<'_>) -> Option<String> {
    let (mut left, mut right) = (a.items(), b.items());
    loop {
        match (left.next(), right.next()) {
            (None, None) if a.range() == b.range() => return None,
            (Some(a), Some(b)) if shape(a) == shape(b) => {
                if let (Some(a), Some(b)) = (a.body(), b.body())
                    && let Some(found) = body_difference(a, b)
                {
                    return Some(found);
                }
            }
            (a, b) => return Some(format!("{:?}\n instead of {:?}", a.map(shape), b.map(shape))),
        }
    }
}

/// A smaller text that still goes wrong, for whoever mends it.
fn shrunk(mut before: String, mut log: Vec<Edit>) -> (String, Vec<Edit>, String) {
    let fails = |before: &str, log: &[Edit]| {
        let mut text = Buffer::new(before);
        let mut tree = Tree::parse(before);
        for edit in log {
            text.apply(edit);
            tree = tree.reparse(Change::from(edit), &text);
        }
        difference(&tree, &Tree::parse(&text.to_string()))
    };
    let mut found = fails(&before, &log).unwrap_or_else(|| "only after the edits before these".to_owned());
    let mut len = before.len() / 2;
    while len > 0 {
        let mut at = 0;
        while at + len <= before.len() {
            let gap = TextRange::at(at, len);
            let is_apart = log.iter().all(|edit| edit.range.end < gap.start || gap.end < edit.range.start);
            if log.len() == 1
                && is_apart
                && before.is_char_boundary(gap.start)
                && before.is_char_boundary(gap.end)
            {
                let mut text = before.clone();
                text.replace_range(std::ops::Range::from(gap), "");
                let mut moved = log[0].clone();
                if gap.end <= moved.range.start {
                    moved.range = TextRange::new(moved.range.start - len, moved.range.end - len);
                }
                if let Some(difference) = fails(&text, std::slice::from_ref(&moved)) {
                    (before, log, found) = (text, vec![moved], difference);
                    continue;
                }
            }
            at += len;
        }
        len /= 2;
    }
    (before, log, found)
}

/// All that can be asked about an item itself.
fn shape(item: Item<'_>) -> impl PartialEq + std::fmt::Debug {
    let value = item.value().map(|value| {
        let details = match value {
            Value::Scalar(scalar) => (0, scalar.tokens().count(), None),
            Value::Block(block) => (1, block.open().start, block.close()),
            Value::List(list) => (2, list.open().start, list.close()),
        };
        (value.range(), details)
    });
    (
        (
            item.kind(),
            item.range(),
            item.full_range(),
            item.name().map(|name| (name.kind, name.text, name.range)),
        ),
        (item.colon(), value, item.separator(), item.body().map(Body::range)),
    )
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn edits() -> u64 {
    number("QUANTCFG_FUZZ_EDITS").unwrap_or(20_000)
}

fn seed() -> u64 {
    number("QUANTCFG_FUZZ_SEED").unwrap_or(1)
}

#[test]
fn a_reparse_equals_a_parse() {
    let edits = edits();
    let mut dice = Dice(seed());
    let corpus = corpus();
    let mut made = 0;
    while made < edits {
        let mut text = Buffer::new(&seed_text(&mut dice, &corpus));
        let mut tree = Tree::parse(&text.to_string());
        for _ in 0..60 {
            let before = text.to_string();
            let notification = [1, 1, 1, 2, 4][dice.roll(5)];
            let mut log = Vec::new();
            for _ in 0..notification {
                let edit = random_edit(&mut dice, &text, &corpus);
                text.apply(&edit);
                tree = tree.reparse(Change::from(&edit), &text);
                log.push(edit);
            }
            made += notification as u64;
            let now = text.to_string();
            let joined: String = tree.tokens().iter().map(|token| token.text).collect();
            assert_eq!(joined, now, "{before:?}\n{log:?}");
            if difference(&tree, &Tree::parse(&now)).is_some() {
                let (before, log, difference) = shrunk(before, log);
                panic!("{before:?}\n{log:?}\n{difference}");
            }
        }
    }
}

/// What is found out about a version that is read from an earlier one is what a fresh reading of its text finds out.
/// Not every version is read, as when somebody types faster than findings are asked for.
#[test]
fn an_analysis_after_an_edit_equals_a_fresh_one() {
    let edits = edits() / 4;
    let mut dice = Dice(seed() + 1);
    let corpus = corpus();
    let layers = inventory::json::read(b"conv1 nn.Conv2D\nconv2 nn.Conv2D\nfc nn.Dense\n").unwrap();
    let layers = Some(Arc::new(LayerSource { path: "net".into(), list: layers }));
    let contexts = [Dialect::MindsporeQat, Dialect::PytorchQat].map(|dialect| {
        let context = Context::of_dialect(dialect, Language::English);
        [Arc::new(Context { layers: layers.clone(), ..context.clone() }), Arc::new(context)]
    });
    let mut made = 0;
    while made < edits {
        let context = &contexts[dice.roll(2)][dice.roll(2)];
        let mut snapshot = Snapshot::open(&seed_text(&mut dice, &corpus), context.clone());
        for _ in 0..30 {
            if dice.roll(3) > 0 {
                let afresh = Snapshot::open(&snapshot.text.to_string(), context.clone());
                assert_eq!(snapshot.diagnostics(), afresh.diagnostics(), "{}", snapshot.text);
                assert_eq!(snapshot.analysis().has_text_errors, afresh.analysis().has_text_errors);
                assert_eq!(code_lenses(&snapshot), code_lenses(&afresh), "{}", snapshot.text);
            }
            for _ in 0..=dice.roll(3) {
                let edit = random_edit(&mut dice, &snapshot.text, &corpus);
                snapshot = snapshot.edit(&[edit]);
                made += 1;
            }
        }
    }
}
