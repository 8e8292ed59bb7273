//! What the first comments of a file say about how to read it (`# quantcfg-schema: …` and its siblings).
//!
//! Headers count only before the first token. Finding the files they name is the workspace's work.

use crate::syntax::lexer::{TokenKind, next_token};
use crate::text::TextRange;

/// The headers of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// `# quantcfg-schema: DIALECT`
    pub schema: Option<HeaderValue>,
    /// `# proto-file: PATH`, relative to the file.
    pub proto_file: Option<HeaderValue>,
    /// `# proto-message: NAME`, the root message in that file.
    pub proto_message: Option<HeaderValue>,
    /// `# quantcfg-layers: PATH`, relative to the file.
    pub layers: Option<HeaderValue>,
    /// `# quantcfg-ignore-file`
    pub ignores_file: bool,
}

/// The value of a header and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderValue {
    /// The text behind the colon without white space around it.
    pub text: String,
    /// Its bytes.
    pub range: TextRange,
}

impl Headers {
    /// Reads the headers at the start of a text. The first of two headers with the same key counts.
    pub fn of(text: &str) -> Self {
        let mut headers = Self::default();
        // A byte order mark is refused elsewhere; what follows it is still understood.
        let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        while let Some(token) = next_token(&text[at..]) {
            let end = at + token.len as usize;
            match token.kind {
                TokenKind::Comment => headers.read(&text[at..end], at),
                TokenKind::Whitespace => {}
                _ => break,
            }
            at = end;
        }
        headers
    }

    fn read(&mut self, comment: &str, offset: usize) {
        self.ignores_file |= comment.trim_start_matches('#').trim() == "quantcfg-ignore-file";
        let Some((key, value)) = comment.split_once(':') else { return };
        let slot = match key.trim_start_matches('#').trim() {
            "quantcfg-schema" => &mut self.schema,
            "proto-file" => &mut self.proto_file,
            "proto-message" => &mut self.proto_message,
            "quantcfg-layers" => &mut self.layers,
            _ => return,
        };
        let start = offset + comment.len() - value.trim_start().len();
        let text = value.trim();
        if slot.is_none() && !text.is_empty() {
            *slot = Some(HeaderValue { text: text.to_owned(), range: TextRange::at(start, text.len()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> [Option<String>; 4] {
        let Headers { schema, proto_file, proto_message, layers, .. } = Headers::of(text);
        [schema, proto_file, proto_message, layers].map(|value| {
            value.map(|value| {
                assert_eq!(&text[value.range.start..value.range.end], value.text);
                value.text
            })
        })
    }

    #[test]
    fn headers_stand_in_comments_before_the_first_token() {
        let text = "# my net\n#quantcfg-schema:mindspore-qat\r\n\n  # quantcfg-layers:  a b.json \nbatch_num: 1\n# proto-file: x\n";
        assert_eq!(texts(text), [Some("mindspore-qat".into()), None, None, Some("a b.json".into())]);
    }

    #[test]
    fn the_first_header_of_a_key_counts() {
        let text = "# proto-file: a.proto\n# proto-file: b.proto\n# proto-message:\n# proto-message: p.M";
        assert_eq!(texts(text), [None, Some("a.proto".into()), Some("p.M".into()), None]);
    }
}
