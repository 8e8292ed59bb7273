//! Finds numbers and names that one message or enum may not use: taken ones and reserved ones. protobuf-parse lets most
//! of them pass; protoc does not, so AMCT cannot have such a schema.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::Mistake;
use super::token::{Kind, Tokens};
use crate::text::TextRange;

/// The numbers and reserved names of one message or enum.
#[derive(Debug, Default)]
pub(super) struct Numbers<'a> {
    members: Vec<(&'a str, TextRange, Option<i64>)>,
    reserved_numbers: Vec<RangeInclusive<i64>>,
    reserved_names: Vec<&'a str>,
    allows_alias: bool,
}

impl<'a> Numbers<'a> {
    /// Notes a field or value; `equals` is the token of its `=`.
    pub(super) fn add(&mut self, tokens: &Tokens<'a>, name: usize, equals: usize) {
        let number = number(tokens, equals + 1).map(|(number, _)| number);
        self.members.push((tokens.text(name), tokens.get(name).range, number));
    }

    /// Reads what stands behind `reserved`.
    pub(super) fn reserve(&mut self, tokens: &Tokens<'a>, mut at: usize, end: usize) {
        while at < end {
            if tokens.get(at).kind == Kind::String {
                self.reserved_names.push(tokens.text(at).trim_matches(['"', '\'']));
            } else if let Some((from, behind)) = number(tokens, at) {
                at = behind;
                let mut to = from;
                if tokens.word(at) == "to" {
                    (to, at) = number(tokens, at + 1).unwrap_or((i64::MAX, at + 2));
                }
                self.reserved_numbers.push(from..=to);
                continue;
            }
            at += 1;
        }
    }

    /// Notes `option allow_alias = true`.
    pub(super) fn allow_alias(&mut self) {
        self.allows_alias = true;
    }

    pub(super) fn check(&self, mistakes: &mut Vec<(Mistake, TextRange)>) {
        let mut taken: HashMap<i64, &str> = HashMap::new();
        for &(name, range, number) in &self.members {
            if self.reserved_names.contains(&name) {
                mistakes.push((Mistake::ReservedName(name.to_owned()), range));
            }
            let Some(number) = number else { continue };
            if self.reserved_numbers.iter().any(|reserved| reserved.contains(&number)) {
                mistakes.push((Mistake::ReservedNumber(number, name.to_owned()), range));
            }
            if let Some(other) = taken.insert(number, name).filter(|_| !self.allows_alias) {
                mistakes.push((Mistake::SameNumber(number, other.to_owned(), name.to_owned()), range));
            }
        }
    }
}

/// The number at a token, and the token behind it.
fn number(tokens: &Tokens<'_>, at: usize) -> Option<(i64, usize)> {
    let is_negative = tokens.is_mark(at, b'-');
    let at = at + usize::from(is_negative);
    let word = tokens.word(at);
    let magnitude = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16),
        None if word.len() > 1 && word.starts_with('0') => i64::from_str_radix(word, 8),
        None => word.parse(),
    };
    let magnitude = magnitude.ok()?;
    Some((if is_negative { -magnitude } else { magnitude }, at + 1))
}
