//! Our scanner of .proto files against protox: the same names, each with the same comments.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::path::Path;

use quantcfg::schema::proto_source::{EntryKind, scan};

/// The documented name to its comments, without blanks at the ends of lines.
type Comments = BTreeMap<String, String>;

fn trimmed(text: &str) -> String {
    let line = |line: &str| line.trim().trim_start_matches("* ").to_owned();
    text.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What protox says. Field numbers of the descriptor messages stand for their lists.
macro_rules! note {
    ($out:ident, $info:ident, $scope:expr, $item:expr, $path:expr) => {{
        let full_name = match $scope.as_str() {
            "" => $item.name().to_owned(),
            scope => format!("{scope}.{}", $item.name()),
        };
        let location = $info.location.iter().find(|location| location.path == $path);
        let leading = location.map(|location| location.leading_comments()).unwrap_or_default();
        let trailing = location.map(|location| location.trailing_comments()).unwrap_or_default();
        $out.insert(full_name.clone(), trimmed(&format!("{leading}\n{trailing}")));
        full_name
    }};
}

macro_rules! child {
    ($path:expr, $list:literal, $index:expr) => {{
        let mut path = $path.clone();
        path.extend([$list, $index as i32]);
        path
    }};
}

macro_rules! members {
    ($out:ident, $info:ident, $scope:expr, $path:expr, $items:expr, $list:literal) => {
        for (index, item) in $items.iter().enumerate() {
            note!($out, $info, $scope, item, child!($path, $list, index));
        }
    };
}

macro_rules! enums {
    ($out:ident, $info:ident, $scope:expr, $path:expr, $items:expr, $list:literal) => {
        for (index, item) in $items.iter().enumerate() {
            let path = child!($path, $list, index);
            let full_name = note!($out, $info, $scope, item, path);
            members!($out, $info, full_name, path, item.value, 2);
        }
    };
}

fn oracle(text: &str) -> Comments {
    let file = protox_parse::parse("a.proto", text).expect("protox reads it");
    let info = file.source_code_info.clone().unwrap_or_default();
    let mut out = Comments::new();
    let package = file.package().to_owned();
    let top: Vec<i32> = Vec::new();
    members!(out, info, package, top, file.extension, 7);
    enums!(out, info, package, top, file.enum_type, 5);
    let mut todo: Vec<_> = file
        .message_type
        .iter()
        .enumerate()
        .map(|(index, message)| (package.clone(), vec![4, index as i32], message))
        .collect();
    while let Some((scope, path, message)) = todo.pop() {
        if message.options.as_ref().is_some_and(|options| options.map_entry()) {
            continue;
        }
        let full_name = note!(out, info, scope, message, path);
        members!(out, info, full_name, path, message.field, 2);
        members!(out, info, full_name, path, message.extension, 6);
        members!(out, info, full_name, path, message.oneof_decl, 8);
        enums!(out, info, full_name, path, message.enum_type, 4);
        for (index, nested) in message.nested_type.iter().enumerate() {
            todo.push((full_name.clone(), child!(path, 3, index), nested));
        }
    }
    out
}

#[test]
fn names_and_comments_are_those_of_protox() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["proto", "tests/data/vectors", "tests/data/protos"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "proto") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let scanned = scan(&text);
            // protox leaves the comments of a group's message to its field.
            let groups: Vec<_> =
                scanned.entries.values().filter(|entry| entry.kind == EntryKind::Group).collect();
            let is_group = |name: &str| {
                scanned
                    .entries
                    .get(name)
                    .is_some_and(|entry| groups.iter().any(|group| group.range == entry.range))
            };
            let ours: Comments = scanned
                .entries
                .iter()
                .filter(|(name, _)| !is_group(name))
                .map(|(name, entry)| (name.clone(), trimmed(&entry.comment)))
                .collect();
            let mut theirs = oracle(&text);
            // Nor did anybody write the oneofs behind the optional fields of proto3.
            theirs.retain(|name, _| !is_group(name) && !name.contains("._"));
            for (name, comment) in &theirs {
                assert_eq!(ours.get(name), Some(comment), "{}: {name}", path.display());
            }
            assert_eq!(ours.len(), theirs.len(), "{}", path.display());
        }
    }
}
