//! What several tests share: the vectors.

use std::io::Read;
use std::path::Path;

use quantcfg::schema::value::{MessageValue, ValueKind};
use serde_json::Value;

/// The rows of a gzipped file of one JSON object a line below `tests/data/vectors`.
///
/// Lone surrogates in a text, which JSON can hold and Rust cannot, become U+FFFD; such rows also have `bytes_hex`.
pub fn vectors(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors").join(name);
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The bytes of a row of the text vectors.
#[allow(dead_code, reason = "each test uses what it needs")]
pub fn bytes(row: &Value) -> Vec<u8> {
    match row["bytes_hex"].as_str() {
        Some(hex) => {
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
        }
        None => row["text"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// Small numbers that look random and are the same in every run.
#[allow(dead_code, reason = "each test uses what it needs")]
pub struct Dice(pub u64);

#[allow(dead_code, reason = "each test uses what it needs")]
impl Dice {
    /// A number from 0 to `sides - 1`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    /// One of several pieces of text.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// Whether two messages have the same values, wherever they stand.
#[allow(dead_code, reason = "each test uses what it needs")]
pub fn equal(a: &MessageValue, b: &MessageValue) -> bool {
    a.message == b.message
        && a.fields.len() == b.fields.len()
        && a.fields.iter().zip(&b.fields).all(|(a, b)| {
            a.field == b.field
                && a.values.len() == b.values.len()
                && a.values.iter().zip(&b.values).all(|(a, b)| match (&a.kind, &b.kind) {
                    (ValueKind::Message(a), ValueKind::Message(b)) => equal(a, b),
                    (ValueKind::Packed(a), ValueKind::Packed(b)) => equal(a, b),
                    (ValueKind::Float(a), ValueKind::Float(b)) => a.to_bits() == b.to_bits(),
                    (ValueKind::Double(a), ValueKind::Double(b)) => a.to_bits() == b.to_bits(),
                    (a, b) => a == b,
                })
        })
}
