//! Reads a .proto file for what protobuf-parse drops: comments, places, imports. Tolerant: it follows the brackets and
//! does not mind what it does not know, so a half-typed file still gives what is whole. It knows nothing of types.

use std::collections::HashMap;

use crate::text::TextRange;

/// What stands in a .proto file.
#[derive(Debug, Default)]
pub struct ProtoFile {
    /// Everything that has a name, by full name. Members of oneofs are members of the message, values of an enum those
    /// of the enum; an extension belongs to the scope that it stands in.
    pub entries: HashMap<String, Entry>,
    /// Imported files, with the place of their names.
    pub imports: Vec<(String, TextRange)>,
    /// Names that stand twice in one scope: the second place.
    pub duplicates: Vec<(String, TextRange)>,
    /// `edition = "…"`, which the parser does not know.
    pub edition: Option<TextRange>,
    /// How deep messages are nested, and where deepest.
    pub depth: (usize, TextRange),
}

/// A named thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub range: TextRange,
    /// The comment right above it and the one behind it on its line, without comment marks.
    pub comment: String,
}

/// Reads a file.
pub fn scan(text: &str) -> ProtoFile {
    let tokens = tokenize(text);
    let mut scanner =
        Scanner { text, tokens: &tokens, at: 0, file: ProtoFile::default(), scopes: Vec::new() };
    scanner.run();
    scanner.file
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    String,
    Mark(u8),
    Comment,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    range: TextRange,
    /// Line breaks between the token before and this one.
    breaks: usize,
}

fn tokenize(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut breaks) = (0, 0);
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        let kind = match bytes[at] {
            b'\n' => {
                breaks += 1;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                Kind::Comment
            }
            b'/' if rest.starts_with(b"/*") => {
                at += memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
                Kind::Comment
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                Kind::String
            }
            byte if is_word(byte) => {
                at += rest.iter().take_while(|&&byte| is_word(byte) || byte == b'.').count();
                Kind::Word
            }
            mark => {
                at += 1;
                Kind::Mark(mark)
            }
        };
        while !text.is_char_boundary(at) {
            at += 1;
        }
        tokens.push(Token { kind, range: TextRange::new(start, at), breaks });
        breaks = 0;
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Message,
    Enum,
    /// A oneof or `extend`: what is in it belongs to the scope around it.
    Transparent,
}

struct Scanner<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    file: ProtoFile,
    /// The names around, joined, and what kind of block it is.
    scopes: Vec<(String, Block)>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut package = String::new();
        while let Some(token) = self.tokens.get(self.at).copied() {
            match token.kind {
                Kind::Comment => self.at += 1,
                Kind::Mark(b'}') => {
                    self.scopes.pop();
                    self.at += 1;
                }
                Kind::Word if self.scopes.is_empty() && self.word(0) == "package" => {
                    package = self.word(1).to_owned();
                    self.skip_statement();
                }
                Kind::Word if self.scopes.is_empty() && self.word(0) == "import" => self.import(),
                Kind::Word if self.word(0) == "edition" && self.mark(1) == Some(b'=') => {
                    self.file.edition = Some(token.range);
                    self.skip_statement();
                }
                Kind::Word => self.declaration(&package),
                _ => self.at += 1,
            }
        }
    }

    /// The tokens of the statement from here on, comments left out.
    fn ahead(&self) -> impl Iterator<Item = (usize, Token)> + '_ {
        let tokens = self.tokens[self.at..].iter().copied().enumerate();
        tokens.map(|(at, token)| (at + self.at, token)).filter(|(_, token)| token.kind != Kind::Comment)
    }

    fn slice(&self, range: TextRange) -> &str {
        &self.text[range.start..range.end]
    }

    fn word(&self, ahead: usize) -> &str {
        let token = self.ahead().nth(ahead).filter(|(_, token)| token.kind == Kind::Word);
        token.map_or("", |(_, token)| self.slice(token.range))
    }

    fn mark(&self, ahead: usize) -> Option<u8> {
        match self.ahead().nth(ahead)?.1.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    fn import(&mut self) {
        let name = self.ahead().skip(1).take(2).find(|(_, token)| token.kind == Kind::String);
        if let Some((_, token)) = name {
            let path = self.slice(token.range).trim_matches(['"', '\'']).to_owned();
            self.file.imports.push((path, token.range));
        }
        self.skip_statement();
    }

    /// A message, enum, oneof, extend block, field or enum value; anything else is skipped.
    fn declaration(&mut self, package: &str) {
        let first = self.at;
        let scope = self.scopes.last().map_or(package, |(scope, _)| scope).to_owned();
        let inside = self.scopes.last().map(|(_, block)| *block);
        let name =
            self.ahead().nth(1).filter(|(_, token)| token.kind == Kind::Word).map(|(_, token)| token.range);
        let opens = self.mark(2) == Some(b'{');
        match (self.word(0), name) {
            ("message", Some(name)) if opens => self.open(first, &scope, name, Block::Message),
            ("enum", Some(name)) if opens => self.open(first, &scope, name, Block::Enum),
            ("oneof" | "extend", Some(_)) if opens => {
                self.at = self.behind_mark(b'{');
                self.scopes.push((scope, Block::Transparent));
            }
            ("option" | "reserved" | "extensions" | "syntax" | "service" | "rpc", _)
                if self.mark(1) != Some(b'=') || inside.is_none() =>
            {
                self.skip_statement();
            }
            _ => self.field(first, &scope, inside),
        }
    }

    fn open(&mut self, first: usize, scope: &str, name: TextRange, block: Block) {
        let full_name = self.note(first, scope, name, self.behind_mark(b'{'));
        self.at = self.behind_mark(b'{');
        self.scopes.push((full_name, block));
        let depth = self.scopes.len();
        if depth > self.file.depth.0 {
            self.file.depth = (depth, name);
        }
    }

    /// A field, group or enum value: its name is the word before `=`.
    fn field(&mut self, first: usize, scope: &str, inside: Option<Block>) {
        let mut name = None;
        let mut equals = None;
        for (at, token) in self.ahead() {
            match token.kind {
                Kind::Mark(b'=') => {
                    equals = Some(at);
                    break;
                }
                Kind::Mark(b';' | b'{' | b'}') => break,
                Kind::Word => name = Some(token.range),
                _ => {}
            }
        }
        let is_group = self.ahead().take(2).any(|(_, token)| self.slice(token.range) == "group");
        let end = self.end_of_statement();
        let Some((name, _)) = name.zip(equals).filter(|_| inside.is_some()) else {
            self.at = end.max(first + 1);
            return;
        };
        if is_group {
            let lower = self.slice(name).to_ascii_lowercase();
            let body = self.behind_mark(b'{');
            self.note_as(first, &join(scope, &lower), name, body);
            let full_name = self.note(first, scope, name, body);
            self.at = body;
            self.scopes.push((full_name, Block::Message));
            return;
        }
        self.note(first, scope, name, end);
        self.at = end;
    }

    fn note(&mut self, first: usize, scope: &str, name: TextRange, end: usize) -> String {
        let full_name = join(scope, self.slice(name));
        self.note_as(first, &full_name, name, end);
        full_name
    }

    /// Notes a name. `first` is the first token of its statement, `end` the token behind it.
    fn note_as(&mut self, first: usize, full_name: &str, name: TextRange, end: usize) {
        let entry = Entry { range: name, comment: self.comment(first, end) };
        if self.file.entries.contains_key(full_name) {
            self.file.duplicates.push((full_name.to_owned(), name));
        } else {
            self.file.entries.insert(full_name.to_owned(), entry);
        }
    }

    /// The comment block that ends on the line above the statement, and a comment behind it on its last line.
    fn comment(&self, first: usize, end: usize) -> String {
        let mut start = first;
        let mut breaks = self.tokens[first].breaks;
        while start > 0 && self.tokens[start - 1].kind == Kind::Comment && breaks <= 1 {
            let stands_behind_something = self.tokens[start - 1].breaks == 0 && start > 1;
            if stands_behind_something {
                break;
            }
            start -= 1;
            breaks = self.tokens[start].breaks;
        }
        let trailing = self.tokens.get(end).filter(|token| token.kind == Kind::Comment && token.breaks == 0);
        let lines =
            self.tokens[start..first].iter().chain(trailing).map(|token| plain(self.slice(token.range)));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn behind_mark(&self, mark: u8) -> usize {
        let found = self.ahead().find(|(_, token)| token.kind == Kind::Mark(mark));
        found.map_or(self.tokens.len(), |(at, _)| at + 1)
    }

    /// Behind the `;` of this statement, or behind the block that ends it.
    fn end_of_statement(&self) -> usize {
        let mut depth = 0;
        for (at, token) in self.ahead() {
            match token.kind {
                Kind::Mark(b'{' | b'[') => depth += 1,
                Kind::Mark(b'}') if depth == 0 => return at,
                Kind::Mark(mark @ (b'}' | b']')) => {
                    depth -= 1;
                    let closes_option = self.mark_at(at + 1) == Some(b';');
                    if mark == b'}' && depth == 0 && !closes_option {
                        return at + 1;
                    }
                }
                Kind::Mark(b';') if depth == 0 => return at + 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn mark_at(&self, at: usize) -> Option<u8> {
        match self.tokens.get(at)?.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    fn skip_statement(&mut self) {
        self.at = self.end_of_statement().max(self.at + 1);
    }
}

fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// A comment without its marks, and without the one blank or the stars that usually follow them.
fn plain(comment: &str) -> String {
    if let Some(line) = comment.strip_prefix("//") {
        return line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
    }
    let inner = comment.strip_prefix("/*").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let lines = inner.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line))
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
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
    fn imports_editions_duplicates_and_depth_are_noticed() {
        let file =
            scan("edition = \"2023\";\nimport public 'a/b.proto';\nmessage M { message N {} message N {} }");
        assert_eq!(file.imports[0].0, "a/b.proto");
        assert!(file.edition.is_some());
        assert_eq!(file.duplicates[0].0, "M.N");
        assert_eq!(file.depth.0, 2);
    }
}
