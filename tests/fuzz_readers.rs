//! Loader and tree read the same random texts: an error about the text if and only if the loader refuses it, equal
//! values where it does not, and neither ever fails.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::Dice;
use quantcfg::Language;
use quantcfg::analysis::{Severity, Subject, analyse, values};
use quantcfg::loader;
use quantcfg::schema::file;
use quantcfg::schema::model::Schema;
use quantcfg::syntax::tree::Tree;

fn schema(name: &str, root: &str) -> Arc<Schema> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/vectors/{name}.proto"));
    file::load(&path, root).unwrap_or_else(|error| panic!("{}", error.message(Language::English))).schema
}

/// What a random text is made of: names of the schema, values good and bad, marks, and what people mistype.
const PIECES: &[&str] = &[
    "i32",
    "str",
    "fl",
    "b",
    "color",
    "leaf",
    "ri32",
    "rstr",
    "rleaf",
    "rb",
    "m_si",
    "any",
    "ext",
    "self",
    "OptGroup",
    "optgroup",
    "c_int",
    "c_str",
    "v",
    "s",
    "key",
    "value",
    "foo",
    "true",
    "inf",
    ":",
    ":",
    ":",
    ":",
    "{",
    "}",
    "{",
    "}",
    "<",
    ">",
    "[",
    "]",
    "[",
    "]",
    ",",
    ";",
    ",",
    "1",
    "-1",
    "0x1F",
    "017",
    "08",
    "1.5",
    ".5",
    "1e3",
    "1f",
    "- 1",
    "-",
    "RED",
    "false",
    "t",
    "TRUE",
    "\"a\"",
    "'b'",
    "\"\\x41\"",
    "\"\\xff\"",
    "\"\\q\"",
    "\"open",
    "\"中\"",
    "[gen.ext_int]",
    "[gen.nope]",
    "[type.googleapis.com/gen.Leaf]",
    "[a/gen.Nope]",
    "# note\n",
    "\n",
    "\n",
    " ",
    " ",
    "\t",
    "\u{3000}",
    "\u{200b}",
    "：",
    "，",
    "｛",
    "｝",
    "“a”",
    "//x\n",
    "/*x*/",
    "=",
    "中",
    "nn.Conv2D",
    "６",
    "<<<<<<<",
    ">>>>>>>",
    "\r",
    "@",
    "!",
];

fn random_text(dice: &mut Dice) -> String {
    let len = dice.roll(24);
    let mut text = String::new();
    for _ in 0..len {
        text += dice.pick(PIECES);
        if dice.roll(3) > 0 {
            text.push(' ');
        }
    }
    text
}

/// A good text with a few characters taken out, doubled or replaced.
fn mutated(dice: &mut Dice, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(chars.len() + 1);
        let piece = dice.pick(PIECES);
        match dice.roll(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 if at < chars.len() => chars.insert(at, chars[at]),
            2 => {
                let end = (at + dice.roll(12)).min(chars.len());
                chars.drain(at.min(end)..end);
            }
            _ => drop(chars.splice(at..at, piece.chars())),
        }
    }
    chars.into_iter().collect()
}

/// What is wrong, if the readers disagree about a text.
fn disagreement(text: &str, schema: &Schema) -> Option<String> {
    let tree = Tree::parse(text);
    let joined: String = tree.tokens().iter().map(|token| token.text).collect();
    assert_eq!(joined, text);
    let analysis = analyse(&tree, &Subject::of(schema));
    let errors: Vec<_> = analysis.diagnostics.iter().filter(|f| f.severity == Severity::Error).collect();
    match loader::load(text.as_bytes(), schema) {
        Ok(value) if errors.is_empty() => {
            (!common::equal(&value, &values(&tree, schema))).then(|| format!("{text:?}: other values"))
        }
        Err(_) if !errors.is_empty() => None,
        loaded => Some(format!("{text:?}: {:?}, but {errors:?}", loaded.map(|_| "loads"))),
    }
}

#[test]
fn the_readers_agree_on_random_texts() {
    let schema = schema("generic", "gen.All");
    let mut dice = Dice(1);
    let wrong: Vec<_> =
        (0..30_000).filter_map(|_| disagreement(&random_text(&mut dice), &schema)).take(10).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readers_agree_on_vectors_with_further_mistakes() {
    let schemas = [
        ("retrain", schema("retrain", "AMCTMindsporeProto.AMCTRetrainConfig")),
        ("generic", schema("generic", "gen.All")),
        ("generic3", schema("generic3", "gen3.P3")),
    ];
    let mut dice = Dice(2);
    let mut wrong = Vec::new();
    for row in common::vectors("text_format.jsonl.gz") {
        let Ok(text) = String::from_utf8(common::bytes(&row)) else { continue };
        let (_, schema) = schemas.iter().find(|(name, _)| row["schema"] == *name).unwrap();
        for _ in 0..20 {
            wrong.extend(disagreement(&mutated(&mut dice, &text), schema));
        }
    }
    wrong.truncate(10);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts that are made to be slow, deep or endless. The bound is far above what a linear reader needs, and far below
/// what a quadratic one does.
#[test]
fn no_text_takes_long_or_overflows_the_stack() {
    let schema = schema("retrain", "AMCTMindsporeProto.AMCTRetrainConfig");
    let mut dice = Dice(3);
    let random: Vec<u8> = (0..1 << 20).map(|_| dice.roll(256) as u8).collect();
    let texts = [
        ("nested blocks", "a {".repeat(50_000)),
        ("nested lists", "a: [".repeat(50_000)),
        ("bare braces", "{".repeat(50_000)),
        ("angle brackets", "<".repeat(50_000)),
        ("unclosed blocks", "a {\n".repeat(100_001)),
        ("closing braces", "}\n".repeat(100_001)),
        ("unterminated strings", "a: \"\n".repeat(100_001)),
        ("quotes", "\"".repeat(100_001)),
        ("adjacent strings", format!("a: {}", "\"x\" ".repeat(100_001))),
        ("conflict marks", "<<<<<<<\n".repeat(20_000)),
        ("block comments", "/* ".repeat(50_000)),
        ("slashes", "/".repeat(200_000)),
        ("colons", ":".repeat(100_001)),
        ("commas", ",".repeat(100_001)),
        ("han characters", "中".repeat(300_000)),
        ("odd characters", "@".repeat(1 << 20)),
        ("at signs and letters", "@中".repeat(100_000)),
        ("invisible characters", "\u{200b}".repeat(100_000)),
        ("brackets", "[a.".repeat(50_000)),
        ("names", "a ".repeat(100_001)),
        ("blanks before braces", format!("{}{}", " ".repeat(1 << 20), "{ ".repeat(20_000))),
        ("a long line", format!("skip_layers: \"{}\"", "x".repeat(10 << 20))),
        ("a long comment between tokens", format!("skip_layers {} : \"a\"", "# x\n".repeat(200_000))),
        ("random bytes", String::from_utf8_lossy(&random).into_owned()),
    ];
    for (what, text) in texts {
        let start = Instant::now();
        let found = disagreement(&text, &schema);
        assert!(found.is_none(), "{what}");
        let taken = start.elapsed();
        assert!(taken < Duration::from_secs(8), "{what}: {taken:?}");
    }
}
