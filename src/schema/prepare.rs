//! Writes a .proto file anew for protobuf-parse: the same definitions, without what it refuses, mistakes or dies of.
//!
//! Options that no configuration file depends on, services and reservations are left out. Groups become messages and
//! fields (the scanner knows which fields are groups), types in `extend` blocks get full names, and names that it would
//! mistake get stand-ins. Lines stay where they are, so that the parser's complaints can be placed.

use std::collections::HashMap;

use super::proto_source::statement::{self, Statement};
use super::proto_source::token::{Kind, Tokens};
use super::proto_source::{Declaration, Entry, EntryKind, ProtoFile, declaration, join};
use crate::text::TextRange;

/// Names that protobuf-parse takes for numbers or, in an enum, for keywords.
const MISTAKEN: [&str; 4] = ["inf", "nan", "option", "reserved"];
/// What makes a stand-in of such a name. It is lost where protobuf-parse makes the name of a map's entry.
const MARK: &str = "__";

/// The options of fields that matter here.
const KEPT_OPTIONS: [&str; 2] = ["default", "deprecated"];

/// The text for protobuf-parse.
pub(super) fn prepare(text: &str, file: &ProtoFile) -> String {
    let tokens = Tokens::of(text);
    let (statements, _) = statement::statements(&tokens);
    let mut writer = Writer {
        text,
        tokens: &tokens,
        entries: &file.entries,
        out: String::with_capacity(text.len()),
        next: 0,
        at: 0,
        is_moved: false,
    };
    writer.statements(&statements, Scope { name: &file.package, place: Place::File });
    writer.out
}

/// The dotted name for which that of a descriptor stands in.
pub(super) fn real_name(name: &str) -> String {
    let real = |part: &str| {
        part.strip_suffix(MARK).filter(|name| MISTAKEN.contains(name)).unwrap_or(part).to_owned()
    };
    name.split('.').map(real).collect::<Vec<_>>().join(".")
}

fn safe_name(name: &str) -> String {
    let safe = |part: &str| if MISTAKEN.contains(&part) { format!("{part}{MARK}") } else { part.to_owned() };
    name.split('.').map(safe).collect::<Vec<_>>().join(".")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Message,
    /// An enum.
    Values,
    /// A oneof, where no message may stand.
    Oneof,
    /// An `extend` block, where no message may stand either.
    Extend,
}

#[derive(Clone, Copy)]
struct Scope<'a> {
    /// The full name of the package or message around.
    name: &'a str,
    place: Place,
}

struct Writer<'a> {
    text: &'a str,
    tokens: &'a Tokens<'a>,
    entries: &'a HashMap<String, Entry>,
    out: String,
    /// The token to write next.
    next: usize,
    /// The end of what is written.
    at: usize,
    /// True for what is written elsewhere than it stood, and so without line breaks.
    is_moved: bool,
}

impl Writer<'_> {
    /// Writes statements, and behind them nothing. Gives the groups whose messages have yet to be written.
    fn statements<'s>(&mut self, statements: &'s [Statement], scope: Scope<'_>) -> Vec<&'s Statement> {
        let mut moved = Vec::new();
        for statement in statements {
            self.copy(statement.first);
            self.statement(statement, scope, &mut moved);
        }
        moved
    }

    /// Writes a statement. The groups of a place where no message may stand leave their messages in `moved`.
    fn statement<'s>(&mut self, statement: &'s Statement, scope: Scope<'_>, moved: &mut Vec<&'s Statement>) {
        let &Statement { first, head_end, end, .. } = statement;
        match declaration(self.tokens, statement, scope.place == Place::File) {
            Declaration::Option | Declaration::Reserved | Declaration::Service => self.blank(end),
            Declaration::Extensions => {
                let options = (first..head_end).find(|&at| self.tokens.is_mark(at, b'['));
                self.copy(options.unwrap_or(head_end));
                self.blank(head_end);
                self.copy(end);
            }
            Declaration::Message { name } => {
                self.names(head_end);
                let full_name = join(scope.name, self.tokens.text(name));
                self.block(statement, Scope { name: &full_name, place: Place::Message });
            }
            Declaration::Enum { .. } => {
                self.names(head_end);
                self.block(statement, Scope { place: Place::Values, ..scope });
            }
            Declaration::Oneof { .. } => {
                self.names(head_end);
                self.block(statement, Scope { place: Place::Oneof, ..scope });
            }
            Declaration::Extend => {
                self.copy(first + 1);
                self.type_name(head_end, scope.name);
                self.block(statement, Scope { place: Place::Extend, ..scope });
            }
            Declaration::Field { name, equals } => {
                let is_float = (first..name).any(|at| matches!(self.tokens.word(at), "float" | "double"));
                if scope.place == Place::Extend {
                    self.type_name(name, scope.name);
                }
                self.names(equals);
                self.options(head_end, is_float);
                self.copy(end);
            }
            Declaration::Group { keyword, name, .. } => {
                self.copy(keyword);
                self.blank(keyword + 1);
                self.copy(name);
                self.out.push(' ');
                let own_name = self.tokens.text(name);
                match scope.place {
                    Place::Extend => self.out.push_str(&format!(".{} ", join(scope.name, own_name))),
                    _ => self.out.push_str(&format!("{own_name} ")),
                }
                self.out.push_str(&own_name.to_ascii_lowercase());
                (self.next, self.at) = (name + 1, self.tokens.get(name).range.end);
                self.options(head_end, false);
                self.out.push(';');
                match scope.place {
                    Place::Oneof | Place::Extend => {
                        moved.push(statement);
                        self.blank(end);
                    }
                    _ => self.group_message(statement, name, scope),
                }
            }
            Declaration::Import | Declaration::Package | Declaration::Edition | Declaration::Other => {
                self.copy(end)
            }
        }
    }

    fn group_message(&mut self, statement: &Statement, name: usize, scope: Scope<'_>) {
        let own_name = self.tokens.text(name);
        self.out.push_str(&format!(" message {own_name} "));
        let full_name = join(scope.name, own_name);
        self.block(statement, Scope { name: &full_name, place: Place::Message });
    }

    /// Writes the block of a statement, and the rest of the statement.
    fn block(&mut self, statement: &Statement, scope: Scope<'_>) {
        self.copy(statement.head_end + 1);
        let moved = self.statements(statement.block.as_deref().unwrap_or_default(), scope);
        self.copy(statement.end);
        let behind = (self.next, self.at, self.is_moved);
        self.is_moved = true;
        for group in moved {
            let Declaration::Group { name, .. } = declaration(self.tokens, group, false) else { continue };
            (self.next, self.at) = (group.head_end, self.tokens.get(group.head_end).range.start);
            self.group_message(group, name, scope);
        }
        (self.next, self.at, self.is_moved) = behind;
    }

    /// Copies up to a token; names get their stand-ins.
    fn names(&mut self, end: usize) {
        for at in self.next..end {
            self.copy(at);
            match MISTAKEN.iter().any(|name| self.tokens.word(at).contains(name)) {
                true => self.write(at, &safe_name(self.tokens.word(at))),
                false => self.copy(at + 1),
            }
        }
    }

    /// Writes the type before a token, as seen from a scope: protobuf-parse looks up the types of extensions from one
    /// scope further out.
    fn type_name(&mut self, end: usize, scope: &str) {
        let at = end - 1;
        self.names(at);
        let name = self.tokens.word(at);
        let is_absolute = at > 0 && self.tokens.is_mark(at - 1, b'.');
        let mut around = Some(scope).filter(|_| !is_absolute && !name.is_empty());
        while let Some(scope) = around {
            let full_name = join(scope, name);
            if self
                .entries
                .get(&full_name)
                .is_some_and(|entry| matches!(entry.kind, EntryKind::Message | EntryKind::Enum))
            {
                self.write(at, &format!(".{}", safe_name(&full_name)));
                return;
            }
            around = match scope.rsplit_once('.') {
                Some((outer, _)) => Some(outer),
                None => Some("").filter(|_| !scope.is_empty()),
            };
        }
        self.names(end);
    }

    /// Copies up to the end of a statement's head; of the options of a field only those that matter.
    fn options(&mut self, head_end: usize, is_float: bool) {
        let Some(open) = (self.next..head_end).find(|&at| self.tokens.is_mark(at, b'[')) else {
            return self.copy(head_end);
        };
        self.copy(open);
        let Some((options, close)) = self.list(open, head_end) else { return self.copy(head_end) };
        let is_kept = |&(start, _): &(usize, usize)| {
            KEPT_OPTIONS.contains(&self.tokens.word(start)) && self.tokens.is_mark(start + 1, b'=')
        };
        let kept: Vec<_> = options.into_iter().filter(is_kept).collect();
        if !kept.is_empty() {
            self.copy(open + 1);
        }
        for (number, &(start, end)) in kept.iter().enumerate() {
            if number > 0 {
                self.out.push(',');
            }
            self.blank(start);
            self.copy(start + 2);
            if is_float { self.copy(end) } else { self.value(end) }
        }
        self.blank(close);
        if kept.is_empty() {
            self.blank(close + 1)
        } else {
            self.copy(close + 1)
        }
        self.copy(head_end);
    }

    /// The elements between brackets, each from its first token to the one behind it, and the closing bracket.
    fn list(&self, open: usize, end: usize) -> Option<(Vec<(usize, usize)>, usize)> {
        let (mut elements, mut start, mut depth) = (Vec::new(), open + 1, 0);
        for at in open + 1..end {
            match self.tokens.get(at).kind {
                Kind::Mark(b'{' | b'[' | b'(') => depth += 1,
                Kind::Mark(b']') if depth == 0 => {
                    elements.push((start, at));
                    return Some((elements, at));
                }
                Kind::Mark(b'}' | b']' | b')') => depth -= 1,
                Kind::Mark(b',') if depth == 0 => {
                    elements.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
        }
        None
    }

    /// Writes a default that is no float: names get their stand-ins, and strings that follow one another become one.
    fn value(&mut self, end: usize) {
        let are_strings = (self.next..end).all(|at| self.tokens.get(at).kind == Kind::String);
        if !are_strings || end <= self.next + 1 {
            return self.names(end);
        }
        let joined: String = (self.next..end).map(|at| unquoted(self.tokens.text(at))).collect();
        self.out.push_str(&format!("\"{joined}\""));
        self.blank(end);
    }

    fn write(&mut self, at: usize, text: &str) {
        let TextRange { start, end } = self.tokens.get(at).range;
        self.gap(start);
        self.out.push_str(text);
        (self.next, self.at) = (at + 1, self.at.max(end));
    }

    /// Copies the tokens up to one.
    fn copy(&mut self, end: usize) {
        for at in self.next..end {
            self.write(at, self.tokens.text(at));
        }
    }

    /// Leaves the tokens up to one out.
    fn blank(&mut self, end: usize) {
        if end > self.next {
            self.gap(self.tokens.get(end - 1).range.end);
            self.next = end;
        }
    }

    /// Blanks and line breaks in place of the text up to an offset.
    fn gap(&mut self, end: usize) {
        let is_break = |c: char| c == '\n' && !self.is_moved;
        let end = end.max(self.at);
        self.out.extend(self.text[self.at..end].chars().map(|c| if is_break(c) { '\n' } else { ' ' }));
        self.at = end;
    }
}

/// What stands between the quotes of a string, as it must stand between double quotes.
fn unquoted(string: &str) -> String {
    let mut out = String::new();
    let mut is_escaped = false;
    for c in string[1..].strip_suffix(&string[..1]).unwrap_or(&string[1..]).chars() {
        if c == '"' && !is_escaped {
            out.push('\\');
        }
        out.push(c);
        is_escaped = c == '\\' && !is_escaped;
    }
    out
}
