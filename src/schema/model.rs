//! What a schema is: messages, fields, enums and their documentation. How it comes to be is told elsewhere.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::limits::{self, Limits};
use crate::language::Language;
use crate::text::TextRange;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in the list that the id points into.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A message of a [`Schema`].
    MessageId
);
id!(
    /// An enum of a [`Schema`].
    EnumId
);
id!(
    /// A field within its [`MessageType`]. Extensions are numbered on behind the message's own fields.
    FieldId
);
id!(
    /// A oneof within its [`MessageType`].
    OneofId
);

/// All messages that can be reached from a root message, and everything else its files define.
#[derive(Debug, PartialEq)]
pub struct Schema {
    /// The message that a whole configuration file is.
    pub root: MessageId,
    /// Every message, nested ones and map entries included.
    pub messages: Vec<MessageType>,
    /// Every enum.
    pub enums: Vec<EnumType>,
    /// Messages by full name without leading dot, such as `AMCTMindsporeProto.ClipMaxMin`.
    pub message_by_name: HashMap<String, MessageId>,
    /// Extensions by full name: the message they extend and the field there.
    pub extension_by_name: HashMap<String, (MessageId, FieldId)>,
    /// Whether field numbers may be shown.
    pub numbers: Numbers,
}

/// What the field numbers of a schema are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Those of the real .proto.
    Public,
    /// Invented, since the real .proto is not public. They must not be shown.
    Inferred,
}

impl Schema {
    /// The message behind an id.
    pub fn message(&self, id: MessageId) -> &MessageType {
        &self.messages[id.index()]
    }

    /// The enum behind an id.
    pub fn enumeration(&self, id: EnumId) -> &EnumType {
        &self.enums[id.index()]
    }

    /// The root message.
    pub fn root(&self) -> &MessageType {
        self.message(self.root)
    }
}

/// A message type.
#[derive(Debug, PartialEq)]
pub struct MessageType {
    /// Name without package and outer messages.
    pub name: String,
    /// Full name without leading dot. AMCT's error texts contain it.
    pub full_name: String,
    /// Fields in the order of the .proto file, then extensions of this message.
    pub fields: Vec<Field>,
    /// Oneofs; the synthetic ones of proto3 `optional` are left out.
    pub oneofs: Vec<Oneof>,
    /// Own fields by the name that the text format uses ([`Field::name`]), and groups also by it in small letters, as
    /// protobuf 5 and later takes them (text-format.md F2); no extensions.
    pub field_by_name: HashMap<String, FieldId>,
    /// True when the message allows extensions.
    pub is_extendable: bool,
    /// True for the entry type that a map field implies.
    pub is_map_entry: bool,
    /// Comment in the .proto file.
    pub doc: Doc,
    /// Where it is defined.
    pub location: Option<Location>,
}

impl MessageType {
    /// The field behind an id.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The own field of that name.
    pub fn find(&self, name: &str) -> Option<(FieldId, &Field)> {
        self.field_by_name.get(name).map(|&id| (id, self.field(id)))
    }

    /// True for `google.protobuf.Any`, whose content can be written out: `[prefix/pkg.Type] { … }`.
    pub fn is_any(&self) -> bool {
        self.full_name == "google.protobuf.Any"
    }

    /// Ids of all [`fields`](Self::fields), in order.
    pub fn field_ids(&self) -> impl Iterator<Item = FieldId> + use<> {
        (0..self.fields.len() as u32).map(FieldId)
    }
}

/// A oneof: at most one of its fields is set.
#[derive(Debug, PartialEq, Eq)]
pub struct Oneof {
    /// Its name, which cannot be written in a configuration file.
    pub name: String,
    /// Its members in order.
    pub fields: Vec<FieldId>,
}

/// A field of a message.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// The name in a configuration file. For a group this is the type's name.
    pub name: String,
    /// For extensions the full name, as it stands between brackets; else the same as `name`.
    pub full_name: String,
    /// Field number; see [`Schema::numbers`].
    pub number: i32,
    /// `optional`, `required` or `repeated`.
    pub label: Label,
    /// What it holds.
    pub kind: FieldKind,
    /// True for a proto2 group.
    pub is_group: bool,
    /// True for a proto3 field without presence: unset and default value are the same.
    pub has_implicit_presence: bool,
    /// The oneof it belongs to.
    pub oneof: Option<OneofId>,
    /// `[default = …]` as written, strings without quotes.
    pub default: Option<String>,
    /// True with `[deprecated = true]`.
    pub is_deprecated: bool,
    /// Which numbers make sense, where the .proto says so.
    pub limits: Option<Limits>,
    /// Comment in the .proto file.
    pub doc: Doc,
    /// Where it is defined.
    pub location: Option<Location>,
}

impl Field {
    /// True for `repeated` fields, maps included.
    pub fn is_repeated(&self) -> bool {
        self.label == Label::Repeated
    }

    /// The message it holds, if it holds one.
    pub fn message(&self) -> Option<MessageId> {
        match self.kind {
            FieldKind::Message(id) => Some(id),
            _ => None,
        }
    }
}

/// How often a field may stand in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Once or not at all.
    Optional,
    /// Once. AMCT's loader never checks it (text-format.md F0.1).
    Required,
    /// Any number of times.
    Repeated,
}

impl Label {
    /// The keyword of the .proto language.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
            Self::Repeated => "repeated",
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A number, string, bool or bytes.
    Scalar(Scalar),
    /// A value of an enum.
    Enum(EnumId),
    /// A message or group.
    Message(MessageId),
}

/// The scalar types of protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scalar {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
}

impl Scalar {
    /// The smallest and the largest value of an integer type; those of `int32` for what is no integer, as enums have.
    pub const fn integer_bounds(self) -> (i128, i128) {
        match self {
            Self::Uint32 | Self::Fixed32 => (0, u32::MAX as i128),
            Self::Uint64 | Self::Fixed64 => (0, u64::MAX as i128),
            Self::Int64 | Self::Sint64 | Self::Sfixed64 => (i64::MIN as i128, i64::MAX as i128),
            _ => (i32::MIN as i128, i32::MAX as i128),
        }
    }

    /// True for integers without sign.
    pub const fn is_unsigned(self) -> bool {
        self.integer_bounds().0 == 0
    }

    /// The keyword of the .proto language.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Sint32 => "sint32",
            Self::Sint64 => "sint64",
            Self::Fixed32 => "fixed32",
            Self::Fixed64 => "fixed64",
            Self::Sfixed32 => "sfixed32",
            Self::Sfixed64 => "sfixed64",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Bytes => "bytes",
        }
    }
}

/// An enum type.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumType {
    /// Name without package and outer messages.
    pub name: String,
    /// Full name without leading dot.
    pub full_name: String,
    /// Values in order; aliases are values of their own with the same number.
    pub values: Vec<EnumValue>,
    /// True for proto2 enums: a number without a name is refused.
    pub is_closed: bool,
    /// Comment in the .proto file.
    pub doc: Doc,
    /// Where it is defined.
    pub location: Option<Location>,
}

/// A value of an enum.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: i32,
    /// Comment in the .proto file.
    pub doc: Doc,
    /// Where it is defined.
    pub location: Option<Location>,
}

/// Where something is defined: a .proto file and the bytes of the name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file; for a built-in dialect only its name.
    pub file: Arc<PathBuf>,
    /// The name.
    pub range: TextRange,
}

/// A documentation comment in one or two languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// The paragraphs before the first one that starts with a Han character, each on one line.
    pub english: String,
    /// The paragraphs from there on.
    pub chinese: String,
}

impl Doc {
    /// Splits a comment: a paragraph (text between empty lines) that starts with a Han character begins the Chinese part.
    /// Lines that state [`Limits`] are no documentation.
    pub fn of_comment(comment: &str) -> Self {
        let lines: Vec<_> = comment.lines().filter(|line| !limits::is_annotation(line)).collect();
        let comment = lines.join("\n");
        let mut at = 0;
        let mut starts_paragraph = true;
        for line in comment.split_inclusive('\n') {
            if starts_paragraph && line.trim_start().starts_with(is_han) {
                break;
            }
            starts_paragraph = line.trim().is_empty();
            at += line.len();
        }
        let (english, chinese) = comment.split_at(at);
        Self { english: reflowed(english), chinese: reflowed(chinese) }
    }

    /// The text in a language, or in the other one where only that exists. Empty when undocumented.
    pub fn text(&self, language: Language) -> &str {
        let (first, second) = language.pick((&self.english, &self.chinese), (&self.chinese, &self.english));
        if first.is_empty() { second } else { first }
    }
}

fn is_han(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}

/// Joins the lines of each paragraph, since a comment breaks them where its file ends, not where the reader's window
/// does. Lines that are indented or begin a list stay on their own.
fn reflowed(text: &str) -> String {
    let mut out = String::new();
    for line in text.trim().lines().map(str::trim_end) {
        let stands_alone =
            line.is_empty() || line.starts_with([' ', '\t', '-', '*', '#', '|']) || line.starts_with("```");
        let ends_paragraph = out.is_empty() || out.ends_with('\n');
        if stands_alone && !ends_paragraph {
            out.push('\n');
        } else if !ends_paragraph {
            // Chinese has no blank between words, and none where a line ends.
            let is_wide = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
            if !is_wide(out.chars().next_back()) && !is_wide(line.chars().next()) {
                out.push(' ');
            }
        }
        out.push_str(line);
        if stands_alone {
            out.push('\n');
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_paragraph_are_joined_and_lists_stay() {
        assert_eq!(reflowed("a\n`b`\n\nc:\n- d\n- e\nf"), "a `b`\n\nc:\n- d\n- e\nf");
        assert_eq!(reflowed("中文。\n两行 `a`\nb"), "中文。两行 `a` b");
    }

    #[test]
    fn a_comment_splits_at_its_first_chinese_paragraph() {
        let doc = Doc::of_comment("Names (中文 inside).\nMore.\n\nSecond.\n\n层名。\n\nx\n");
        assert_eq!(doc.text(Language::English), "Names (中文 inside). More.\n\nSecond.");
        assert_eq!(doc.text(Language::Chinese), "层名。\n\nx");
        assert_eq!(Doc::of_comment("only English").text(Language::Chinese), "only English");
    }
}
