//! AMCT's own reading of a configuration file: what Python's `text_format.Merge` makes of the bytes.
//!
//! The same verdict, the same first error in the same words at the same place, and the same values (text-format.md,
//! measured with protobuf 7.36.2). It stops at the first error, as AMCT does. What helps an author who is still typing
//! comes from the tolerant tree instead.

mod any;
mod merge;
mod scalar;
mod tokenizer;

use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// Reads a whole file as the root message of a schema.
pub fn load(bytes: &[u8], schema: &Schema) -> Result<MessageValue, LoadError> {
    merge::merge(bytes, schema)
}

/// Why AMCT refuses a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.python_text())]
pub struct LoadError {
    /// Python's exception.
    pub kind: ErrorKind,
    /// The line that Python names, from 1; lines end at LF only.
    pub line: Option<u32>,
    /// The column that Python names, from 1, in code points.
    pub column: Option<u32>,
    /// Python's text without the place before it.
    pub message: String,
    /// The byte that is to blame, where there is one.
    pub offset: Option<usize>,
}

impl LoadError {
    /// What Python's `str(error)` gives: with `LINE:COLUMN : ` where it knows the place.
    pub fn python_text(&self) -> String {
        match (self.kind, self.line, self.column) {
            // The place of bad bytes is ours; Python gives none.
            (ErrorKind::ParseError, Some(line), Some(column)) if !self.message.is_empty() => {
                format!("{line}:{column} : {}", self.message)
            }
            _ => self.message.clone(),
        }
    }
}

/// The exceptions that can leave `text_format.Merge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ErrorKind {
    ParseError,
    UnicodeDecodeError,
    ValueError,
    RecursionError,
    EncodeError,
}

impl ErrorKind {
    /// The name of Python's class.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParseError => "ParseError",
            Self::UnicodeDecodeError => "UnicodeDecodeError",
            Self::ValueError => "ValueError",
            Self::RecursionError => "RecursionError",
            Self::EncodeError => "EncodeError",
        }
    }
}
