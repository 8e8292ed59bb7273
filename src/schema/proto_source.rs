//! Reads a .proto file for what protobuf-parse drops or lets pass: comments, places, imports, names and numbers that are
//! taken. Tolerant: it follows the brackets and does not mind what it does not know, so a half-typed file still gives
//! what is whole. It does not resolve types.

mod numbers;
pub(super) mod statement;
pub(super) mod token;

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use crate::text::TextRange;
use numbers::Numbers;
use statement::Statement;
use token::{Kind, Tokens};

/// What stands in a .proto file.
#[derive(Debug, Default)]
pub struct ProtoFile {
    /// The package.
    pub package: String,
    /// Everything that has a name, by full name. Members of oneofs are members of the message, values of an enum those
    /// of the enum; an extension belongs to the scope that it stands in.
    pub entries: HashMap<String, Entry>,
    /// Imported files, with the place of their names.
    pub imports: Vec<(String, TextRange)>,
    /// What is wrong with names and numbers, and where.
    pub mistakes: Vec<(Mistake, TextRange)>,
    /// `edition = "…"`, which protobuf-parse does not know.
    pub edition: Option<TextRange>,
    /// The place where something is nested deeper than protobuf-parse can bear.
    pub too_deep: Option<TextRange>,
}

/// A named thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name.
    pub range: TextRange,
    /// The comments of this thing alone, above it and behind it, without comment marks.
    pub comment: String,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EntryKind {
    Message,
    Enum,
    Field,
    /// The field that a group is; its message has an entry of its own.
    Group,
    EnumValue,
    Oneof,
}

/// Something that protoc refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A name that stands twice in one scope.
    SameName(String),
    /// Two fields, or values of an enum without `allow_alias`, with one number: number, first name, second name.
    SameNumber(i64, String, String),
    /// A number that is reserved, and the name that uses it.
    ReservedNumber(i64, String),
    /// A name that is reserved.
    ReservedName(String),
}

/// Reads a file.
pub fn scan(text: &str) -> ProtoFile {
    let tokens = Tokens::of(text);
    let (statements, too_deep) = statement::statements(&tokens);
    let mut scanner = Scanner { tokens: &tokens, file: ProtoFile { too_deep, ..ProtoFile::default() } };
    scanner.top_level(&statements);
    scanner.file
}

/// What a statement declares. The numbers are tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declaration {
    Message {
        name: usize,
    },
    Enum {
        name: usize,
    },
    Oneof {
        name: usize,
    },
    Extend,
    /// A field or the value of an enum.
    Field {
        name: usize,
        equals: usize,
    },
    Group {
        keyword: usize,
        name: usize,
        equals: usize,
    },
    Option,
    Reserved,
    Extensions,
    Service,
    Import,
    Package,
    Edition,
    /// `syntax`, and what cannot be understood.
    Other,
}

/// What a statement declares, at the top of a file or in a block.
pub(super) fn declaration(tokens: &Tokens<'_>, statement: &Statement, is_top_level: bool) -> Declaration {
    let &Statement { first, head_end, .. } = statement;
    let has_name = first + 1 < head_end && tokens.get(first + 1).kind == Kind::Word;
    let is_value = tokens.is_mark(first + 1, b'=');
    let name = first + 1;
    match tokens.word(first) {
        "message" if has_name && statement.block.is_some() => return Declaration::Message { name },
        "enum" if has_name && statement.block.is_some() => return Declaration::Enum { name },
        "oneof" if has_name && statement.block.is_some() => return Declaration::Oneof { name },
        "extend" if statement.block.is_some() => return Declaration::Extend,
        "option" if !is_value => return Declaration::Option,
        "reserved" if !is_value => return Declaration::Reserved,
        "extensions" if !is_value => return Declaration::Extensions,
        "service" if is_top_level => return Declaration::Service,
        "import" if is_top_level => return Declaration::Import,
        "package" if is_top_level => return Declaration::Package,
        "edition" if is_top_level => return Declaration::Edition,
        _ if is_top_level => return Declaration::Other,
        _ => {}
    }
    let Some(equals) = (first..head_end).find(|&at| tokens.is_mark(at, b'=')) else {
        return Declaration::Other;
    };
    let Some(name) = (first..equals).rfind(|&at| tokens.get(at).kind == Kind::Word) else {
        return Declaration::Other;
    };
    let is_label = matches!(tokens.word(first), "optional" | "required" | "repeated");
    let keyword = first + usize::from(is_label);
    if statement.block.is_some() && tokens.word(keyword) == "group" && keyword < name {
        return Declaration::Group { keyword, name, equals };
    }
    Declaration::Field { name, equals }
}

/// What the members of a block are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    Fields,
    Extensions,
    Values,
}

struct Scanner<'a> {
    tokens: &'a Tokens<'a>,
    file: ProtoFile,
}

impl<'a> Scanner<'a> {
    fn top_level(&mut self, statements: &[Statement]) {
        // The package counts for everything in the file, wherever it stands.
        let package = statements.iter().find(|statement| self.tokens.word(statement.first) == "package");
        if let Some(statement) = package {
            self.file.package = self.tokens.word(statement.first + 1).to_owned();
        }
        let package = self.file.package.clone();
        for statement in statements {
            match declaration(self.tokens, statement, true) {
                Declaration::Import => self.import(statement),
                Declaration::Edition => self.file.edition = Some(self.tokens.get(statement.first).range),
                declared => {
                    self.member(statement, declared, &package, &mut Numbers::default(), Members::Fields)
                }
            }
        }
    }

    fn import(&mut self, statement: &Statement) {
        let name = (statement.first..statement.head_end).find(|&at| self.tokens.get(at).kind == Kind::String);
        if let Some(at) = name {
            let path = self.tokens.text(at).trim_matches(['"', '\'']).to_owned();
            self.file.imports.push((path, self.tokens.get(at).range));
        }
    }

    fn block(&mut self, statement: &Statement, scope: &str, numbers: &mut Numbers<'a>, members: Members) {
        for inner in statement.block.iter().flatten() {
            let declared = declaration(self.tokens, inner, false);
            self.member(inner, declared, scope, numbers, members);
        }
    }

    /// The block of a message or enum, which has numbers of its own.
    fn numbered(&mut self, statement: &Statement, scope: &str, members: Members) {
        let mut numbers = Numbers::default();
        self.block(statement, scope, &mut numbers, members);
        numbers.check(&mut self.file.mistakes);
    }

    fn member(
        &mut self,
        statement: &Statement,
        declared: Declaration,
        scope: &str,
        numbers: &mut Numbers<'a>,
        members: Members,
    ) {
        match declared {
            Declaration::Message { name } => {
                let full_name = self.note(statement, scope, name, EntryKind::Message);
                self.numbered(statement, &full_name, Members::Fields);
            }
            Declaration::Enum { name } => {
                let full_name = self.note(statement, scope, name, EntryKind::Enum);
                self.numbered(statement, &full_name, Members::Values);
            }
            Declaration::Oneof { name } => {
                self.note(statement, scope, name, EntryKind::Oneof);
                self.block(statement, scope, numbers, members);
            }
            Declaration::Extend => self.block(statement, scope, &mut Numbers::default(), Members::Extensions),
            Declaration::Group { name, equals, .. } => {
                let lower = self.tokens.text(name).to_ascii_lowercase();
                self.note_as(statement, join(scope, &lower), name, EntryKind::Group);
                let full_name = self.note(statement, scope, name, EntryKind::Message);
                if members == Members::Fields {
                    numbers.add(self.tokens, name, equals);
                }
                self.numbered(statement, &full_name, Members::Fields);
            }
            Declaration::Field { name, equals } => {
                let kind = if members == Members::Values { EntryKind::EnumValue } else { EntryKind::Field };
                self.note(statement, scope, name, kind);
                // The numbers of extensions belong to the message that is extended.
                if members != Members::Extensions {
                    numbers.add(self.tokens, name, equals);
                }
            }
            Declaration::Reserved => numbers.reserve(self.tokens, statement.first + 1, statement.head_end),
            Declaration::Option
                if self.tokens.word(statement.first + 1) == "allow_alias"
                    && self.tokens.word(statement.first + 3) == "true" =>
            {
                numbers.allow_alias();
            }
            _ => {}
        }
    }

    fn note(&mut self, statement: &Statement, scope: &str, name: usize, kind: EntryKind) -> String {
        let full_name = join(scope, self.tokens.text(name));
        self.note_as(statement, full_name.clone(), name, kind);
        full_name
    }

    fn note_as(&mut self, statement: &Statement, full_name: String, name: usize, kind: EntryKind) {
        let range = self.tokens.get(name).range;
        let leading = self.tokens.leading(statement.first);
        let trailing = self.tokens.trailing(statement.comment_end(self.tokens));
        let comment =
            [leading, trailing].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        match self.file.entries.entry(full_name) {
            Slot::Occupied(taken) => self.file.mistakes.push((Mistake::SameName(taken.key().clone()), range)),
            Slot::Vacant(slot) => {
                slot.insert(Entry { kind, range, comment });
            }
        }
    }
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let file = scan(text);
        let mut lines: Vec<_> = file
            .entries
            .iter()
            .map(|(name, entry)| {
                let written = &text[entry.range.start..entry.range.end];
                (entry.range.start, format!("{name} ({written}): {:?}\n", entry.comment))
            })
            .collect();
        lines.sort();
        expected.assert_eq(&lines.into_iter().map(|(_, line)| line).collect::<String>());
    }

    #[test]
    fn a_comment_belongs_to_what_it_touches() {
        check(
            "// Licence.\n\nsyntax = 'proto2';\npackage p;\n\n// Detached.\n\n// Above\n// two lines.\nmessage M { // of M\n  \
             optional int32 a = 1; // behind a\n  /* block\n   * of b */\n  map<string, M> b = 2 [(x) = {c: 1}];\n  oneof o {\n    // in c\n    \
             string c = 3;\n  }\n  repeated group G = 4 { optional bool d = 1; }\n}\nenum E { // of E\n  A = 0; // of A\n}\n",
            expect![[r#"
                p.M (M): "Above\ntwo lines.\nof M"
                p.M.a (a): "behind a"
                p.M.b (b): "block\nof b"
                p.M.o (o): ""
                p.M.c (c): "in c"
                p.M.G (G): ""
                p.M.g (G): ""
                p.M.G.d (d): ""
                p.E (E): "of E"
                p.E.A (A): "of A"
            "#]],
        );
    }

    #[test]
    fn a_half_typed_file_gives_what_is_whole() {
        check(
            "package p;\nmessage M {\n  optional int32 a = 1;\n  optional\n}\nmessage N { optional bool b = 1;",
            expect![[r#"
                p.M (M): ""
                p.M.a (a): ""
                p.N (N): ""
                p.N.b (b): ""
            "#]],
        );
    }

    #[test]
    fn a_statement_without_its_end_costs_no_other() {
        check(
            "message M {\n  optional int32 a = 1\n  optional int32 b = 2;\n  optional\n  optional int32 c = 3 [deprecated\n}\n\
             ]} {} message N { option (x) = {\n} enum E { A = 0 B = ",
            expect![[r#"
                M (M): ""
                M.a (a): ""
                M.b (b): ""
                M.c (c): ""
                N (N): ""
            "#]],
        );
    }

    #[test]
    fn imports_editions_mistakes_and_depth_are_noticed() {
        let file =
            scan("edition = \"2023\";\nimport public 'a/b.proto';\nmessage M { message N {} message N {} }");
        assert_eq!(file.imports[0].0, "a/b.proto");
        assert!(file.edition.is_some());
        assert_eq!(file.mistakes[0].0, Mistake::SameName("M.N".to_owned()));
        assert_eq!(file.too_deep, None);
        assert!(scan(&"message M {".repeat(200)).too_deep.is_some());
    }
}
