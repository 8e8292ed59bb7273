//! A text in the languages of the program, for what a family of dialects says in its own words.

use crate::language::Language;

/// A text in English and Chinese.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    english: String,
    chinese: String,
}

impl Text {
    /// The same text twice.
    pub fn new(english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { english: english.into(), chinese: chinese.into() }
    }

    /// The text in a language.
    pub fn pick(&self, language: Language) -> &str {
        language.pick(&self.english, &self.chinese)
    }
}
