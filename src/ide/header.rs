//! What the first comments of a file say about how to read it (`# quantcfg-schema: …` and its siblings).
//!
//! Headers count only before the first token. Finding the files they name is the workspace's work.

use crate::syntax::lexer::{TokenKind, next_token};
use crate::text::TextRange;

/// A key and what it means, in English and Chinese.
type Key = (&'static str, &'static str, &'static str);

/// The keys of headers, with their colon if a value follows.
pub(super) const KEYS: [Key; 5] = [
    (
        "quantcfg-schema: ",
        "The dialect that the file is written in. `quantcfg schema list` names them.",
        "本文件所用的方言，可用 `quantcfg schema list` 查看。",
    ),
    (
        "quantcfg-layers: ",
        "The layer list or model file of the network, relative to this file.",
        "网络的层列表或模型文件，相对于本文件。",
    ),
    (
        "proto-file: ",
        "A .proto of your own to hold the file against, relative to this file; `proto-message` names the message.",
        "自定义 .proto 文件，相对于本文件；消息名由 `proto-message` 指定。",
    ),
    (
        "proto-message: ",
        "The root message in the `proto-file`, such as `pkg.Message`.",
        "`proto-file` 中的根消息，例如 `pkg.Message`。",
    ),
    ("quantcfg-ignore-file", "Hides all findings of this file.", "隐藏本文件的所有问题。"),
];

/// The one that may stand anywhere.
pub(super) const IGNORE: Key = (
    "quantcfg-ignore: ",
    "Hides findings with these codes, parted by commas, in this line and the one below.",
    "隐藏本行及下一行中这些代码（以逗号分隔）的问题。",
);

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
    /// Keys that are none, but close to one: what was written and what was probably meant.
    pub misspelled: Vec<(HeaderValue, &'static str)>,
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
            other => {
                let start = offset + key.len() - key.trim_start_matches('#').trim_start().len();
                if let Some(meant) = misspelled(other) {
                    let written =
                        HeaderValue { text: other.to_owned(), range: TextRange::at(start, other.len()) };
                    self.misspelled.push((written, meant));
                }
                return;
            }
        };
        let start = offset + comment.len() - value.trim_start().len();
        let text = value.trim();
        if slot.is_none() && !text.is_empty() {
            *slot = Some(HeaderValue { text: text.to_owned(), range: TextRange::at(start, text.len()) });
        }
    }
}

/// The key that was probably meant: a comment may begin with anything, so it has to be close.
fn misspelled(written: &str) -> Option<&'static str> {
    let keys = KEYS.iter().chain([&IGNORE]).map(|(key, ..)| key.trim_end_matches([':', ' ']));
    let distance = |key: &&str| strsim::osa_distance(key, &written.to_ascii_lowercase());
    keys.map(|key| (distance(&key), key))
        .filter(|(distance, _)| (1..=2).contains(distance))
        .min()
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_nearly_right_are_noticed() {
        let headers = Headers::of(
            "# quantcfg-shema: x\n#  proto_file: a\n# profile: b\n# note: c\n# quantcfg-ignore: d\n",
        );
        let misspelled: Vec<_> =
            headers.misspelled.iter().map(|(written, meant)| (written.range, *meant)).collect();
        assert_eq!(
            misspelled,
            [(TextRange::new(2, 16), "quantcfg-schema"), (TextRange::new(23, 33), "proto-file")]
        );
    }

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
