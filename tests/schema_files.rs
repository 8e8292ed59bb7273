//! Schemas from .proto files: what protobuf-parse refuses, mistakes or dies of, and what no protoc would take.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::path::Path;

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::schema::file;
use quantcfg::schema::model::{Field, FieldKind, Label, MessageType, Schema};

/// Files, the first of which is loaded. Each begins with `// NAME`.
fn load(files: &str, root: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for part in files.split("//- ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap();
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        first.get_or_insert(path);
    }
    let first = first.unwrap();
    match file::load(&first, root) {
        Ok(loaded) => Ok(shown(&loaded.schema)),
        Err(error) => {
            let name = |path: &Path| path.strip_prefix(folder.path()).unwrap_or(path).display().to_string();
            let text = std::fs::read_to_string(&error.file).unwrap_or_default();
            let place = error.range.map_or(String::new(), |range| {
                let line = text[..range.start].matches('\n').count() + 1;
                format!(":{line}: `{}`", &text[range.start..range.end])
            });
            let (english, chinese) =
                (error.problem.message(Language::English), error.problem.message(Language::Chinese));
            assert!(!chinese.is_ascii(), "{chinese}");
            let folder = format!("{}/", folder.path().display());
            Err(format!("{}{place} {english}\n", name(&error.file)).replace(&folder, ""))
        }
    }
}

fn check(files: &str, expected: Expect) {
    expected.assert_eq(&load(files, "p.M").unwrap_or_else(|error| error));
}

/// The body of `p.M` in proto2.
fn check_message(body: &str, expected: Expect) {
    check(&format!("//- a.proto\nsyntax = \"proto2\";\npackage p;\nmessage M {{\n{body}\n}}\n"), expected);
}

fn shown(schema: &Schema) -> String {
    let mut out = String::new();
    for message in &schema.messages {
        show_message(&mut out, schema, message);
    }
    for kind in &schema.enums {
        let values: Vec<_> =
            kind.values.iter().map(|value| format!("{} = {}", value.name, value.number)).collect();
        let closed = if kind.is_closed { "closed" } else { "open" };
        writeln!(out, "enum {} ({closed}): {}", kind.full_name, values.join(", ")).unwrap();
    }
    let mut extensions: Vec<_> = schema.extension_by_name.keys().collect();
    extensions.sort();
    for name in extensions {
        writeln!(out, "extension {name}").unwrap();
    }
    out
}

fn show_message(out: &mut String, schema: &Schema, message: &MessageType) {
    let notes = [(message.is_extendable, " extendable"), (message.is_map_entry, " map entry")];
    let notes: String = notes.iter().filter(|(is, _)| *is).map(|(_, note)| *note).collect();
    writeln!(out, "message {}{notes}", message.full_name).unwrap();
    for field in &message.fields {
        let kind = match field.kind {
            FieldKind::Scalar(scalar) => scalar.keyword().to_owned(),
            FieldKind::Enum(id) => schema.enumeration(id).full_name.clone(),
            FieldKind::Message(id) => schema.message(id).full_name.clone(),
        };
        let oneof =
            field.oneof.map(|id| format!(" in {}", message.oneofs[id.index()].name)).unwrap_or_default();
        writeln!(
            out,
            "  {} {kind} {} = {}{oneof}{}",
            label(field),
            field.name,
            field.number,
            notes_of(field)
        )
        .unwrap();
    }
}

fn label(field: &Field) -> &'static str {
    match (field.label, field.has_implicit_presence) {
        (Label::Optional, true) => "implicit",
        (label, _) => label.keyword(),
    }
}

fn notes_of(field: &Field) -> String {
    let mut notes = String::new();
    if field.is_group {
        notes.push_str(" group");
    }
    if field.is_deprecated {
        notes.push_str(" deprecated");
    }
    if let Some(default) = &field.default {
        write!(notes, " [default = {default}]").unwrap();
    }
    notes
}

#[test]
fn groups_are_fields_called_like_their_type() {
    check_message(
        "repeated group Outer = 1 { optional group Inner = 2 { optional int32 a = 1; } message N {} optional N n = 3; \
         oneof o { int32 b = 4; } map<string, N> m = 5; }\noneof c { group G = 2 { /* x */ optional Outer.N n = 1; } }\n\
         extensions 100 to max;\nextend M { optional group Ext = 100 { optional M m = 1; } }",
        expect![[r#"
            message p.M extendable
              repeated p.M.Outer Outer = 1 group
              optional p.M.G G = 2 in c group
              optional p.M.Ext Ext = 100 group
            message p.M.Outer
              optional p.M.Outer.Inner Inner = 2 group
              optional p.M.Outer.N n = 3
              optional int32 b = 4 in o
              repeated p.M.Outer.MEntry m = 5
            message p.M.Outer.Inner
              optional int32 a = 1
            message p.M.Outer.N
            message p.M.Outer.MEntry map entry
              optional string key = 1
              optional p.M.Outer.N value = 2
            message p.M.G
              optional p.M.Outer.N n = 1
            message p.M.Ext
              optional p.M m = 1
            extension p.M.ext
        "#]],
    );
}

#[test]
fn custom_options_need_no_definition() {
    check_message(
        "option (x) = { a: 1\n b { c: 2, d < e: 1 > } };\noptional int32 a = 1 [(y) = {a: 1 b: [1, 2]}, deprecated = true, \
         (z.w).q = \"]\", features.field_presence = IMPLICIT];\noneof o { option (x) = 1; int32 b = 2; }\n\
         extensions 10, 20 to 29 [declaration = { number: 20, full_name: \".p.e\", type: \"int32\" }, verification = DECLARATION];",
        expect![[r#"
            message p.M extendable
              optional int32 a = 1 deprecated
              optional int32 b = 2 in o
        "#]],
    );
}

#[test]
fn inf_and_nan_are_names_like_any_other() {
    check_message(
        "optional inf.nan e = 1 [default = inf];\noptional float f = 2 [default = inf];\noptional double d = 3 [default = \
         -inf];\noptional float n = 4 [default = nan];\nmessage inf { enum nan { nan = 0; inf = 1; } }\nmap<string, inf> nan = 5;\n\
         message N { optional int32 inf = 1; }",
        expect![[r#"
            message p.M
              optional p.M.inf.nan e = 1 [default = inf]
              optional float f = 2 [default = inf]
              optional double d = 3 [default = -inf]
              optional float n = 4 [default = nan]
              repeated p.M.NanEntry nan = 5
            message p.M.inf
            message p.M.NanEntry map entry
              optional string key = 1
              optional p.M.inf value = 2
            message p.M.N
              optional int32 inf = 1
            enum p.M.inf.nan (closed): nan = 0, inf = 1
        "#]],
    );
}

#[test]
fn defaults_are_kept() {
    check_message(
        "optional string s = 1 [default = \"a\\\"b\"];\noptional string t = 2 [default = 'a\"' \"b\"\n 'c', deprecated = false];\n\
         optional bytes b = 3 [default = \"\\x01z\"];\noptional float f = 4 [default = 20];\noptional float g = 5 [default = 0.999999];\n\
         optional E e = 6 [default = B];\nenum E { A = 0; B = 1; }\noptional int32 n = 7 [default = -0x10];",
        expect![[r#"
            message p.M
              optional string s = 1 [default = a"b]
              optional string t = 2 [default = a"bc]
              optional bytes b = 3 [default = \001z]
              optional float f = 4 [default = 20]
              optional float g = 5 [default = 0.999999]
              optional p.M.E e = 6 [default = B]
              optional int32 n = 7 [default = -16]
            enum p.M.E (closed): A = 0, B = 1
        "#]],
    );
}

#[test]
fn extensions_see_the_types_around_them() {
    check_message(
        "extensions 10 to 19;\nmessage T {}\nextend M { optional T t = 10; repeated p.M.T u = 11; optional .p.M v = 12; }",
        expect![[r#"
            message p.M extendable
              optional p.M.T t = 10
              repeated p.M.T u = 11
              optional p.M v = 12
            message p.M.T
            extension p.M.t
            extension p.M.u
            extension p.M.v
        "#]],
    );
}

#[test]
fn proto3_has_open_enums_and_implicit_presence() {
    check(
        "//- a.proto\nsyntax = \"proto3\";\npackage p;\nmessage M { optional int32 a = 1; int32 b = 2; M c = 3; oneof o { string d = 4; } \
         map<string, E> e = 5; repeated E f = 6; }\nenum E { A = 0; B = -1; }\n",
        expect![[r#"
            message p.M
              optional int32 a = 1
              implicit int32 b = 2
              optional p.M c = 3
              optional string d = 4 in o
              repeated p.M.EEntry e = 5
              repeated p.E f = 6
            message p.M.EEntry map entry
              implicit string key = 1
              implicit p.E value = 2
            enum p.E (open): A = 0, B = -1
        "#]],
    );
}

#[test]
fn keywords_are_names_and_services_are_left_out() {
    check_message(
        "optional int32 option = 1; optional int32 message = 2; optional int32 reserved = 3; optional int32 extensions = 4; \
         optional int32 group = 5; optional int32 package = 6; enum E { option = 1; reserved = 2; } ; optional E oneof = 7;\n}\n\
         service S { rpc F(M) returns (stream M) { option (foo) = 1; } }\nmessage N {",
        expect![[r#"
            message p.M
              optional int32 option = 1
              optional int32 message = 2
              optional int32 reserved = 3
              optional int32 extensions = 4
              optional int32 group = 5
              optional int32 package = 6
              optional p.M.E oneof = 7
            message p.N
            enum p.M.E (closed): option = 1, reserved = 2
        "#]],
    );
}

#[test]
fn imports_are_found_around_the_schema_and_around_the_importer() {
    check(
        "//- x/a.proto\npackage p;\nimport public \"google/protobuf/empty.proto\";\nimport \"x/b.proto\";\nmessage M { optional N n = 1; \
         optional google.protobuf.Empty e = 2; }\n//- x/b.proto\npackage p;\nimport \"y/c.proto\";\nmessage N { optional C c = 1; }\n\
         //- x/y/c.proto\npackage p;\nimport \"d.proto\";\nmessage C { optional D d = 1; }\n//- x/y/d.proto\npackage p;\nmessage D {}\n",
        expect![[r#"
            message google.protobuf.Empty
            message p.D
            message p.C
              optional p.D d = 1
            message p.N
              optional p.C c = 1
            message p.M
              optional p.N n = 1
              optional google.protobuf.Empty e = 2
        "#]],
    );
}

#[test]
fn imports_that_lead_nowhere_or_round_are_refused_with_their_place() {
    check(
        "//- a.proto\nimport 'a.proto';\n",
        expect![[r#"
        a.proto:1: `'a.proto'` imports itself by way of `a.proto`
    "#]],
    );
    check(
        "//- a.proto\nimport 'b.proto';\n//- b.proto\n\nimport \"a.proto\";\n",
        expect![[r#"
        b.proto:2: `"a.proto"` imports itself by way of `a.proto`
    "#]],
    );
    check(
        "//- x/a.proto\nimport 'x/b.proto';\n//- x/b.proto\nimport \"x/a.proto\";\n",
        expect![[r#"
        x/b.proto:1: `"x/a.proto"` imports itself by way of `x/a.proto`
    "#]],
    );
    check(
        "//- x/a.proto\nimport 'x/b.proto'; import 'b.proto';\n//- x/b.proto\n",
        expect![[r#"
        x/a.proto:1: `'b.proto'` imports `b.proto`, which is imported as `x/b.proto` already: use one of these names
    "#]],
    );
    check(
        "//- a.proto\nimport 'google/protobuf/nope.proto';\n",
        expect![[r#"
        a.proto:1: `'google/protobuf/nope.proto'` imports `google/protobuf/nope.proto`, which is neither beside it nor in a folder above
    "#]],
    );
    for path in ["/etc/passwd", "../a.proto", "./a.proto", "b\\\\c.proto", ""] {
        let error = load(&format!("//- a.proto\nimport '{path}';\n"), "M").unwrap_err();
        assert!(error.contains("neither beside it"), "{error}");
    }
}

#[test]
fn names_and_numbers_that_are_taken_are_refused() {
    check_message(
        "optional int32 a = 1;\noptional int32 a = 2;",
        expect![[r#"
        a.proto:5: `a` defines `p.M.a` twice
    "#]],
    );
    check_message(
        "message N {}\nenum N { A = 0; }",
        expect![[r#"
        a.proto:5: `N` defines `p.M.N` twice
    "#]],
    );
    check_message(
        "optional int32 a = 1;\noneof o { int32 b = 0x1; }",
        expect![[r#"
        a.proto:5: `b` gives the number 1 to `a` and to `b`: give one of them another
    "#]],
    );
    check_message(
        "optional int32 a = 7;\nreserved 1, 5 to 9;",
        expect![[r#"
        a.proto:4: `a` gives `a` the number 7, which is reserved: give it another
    "#]],
    );
    check_message(
        "optional int32 a = 7;\nreserved 100 to max, 2; reserved 'b', \"a\";",
        expect![[r#"
        a.proto:4: `a` uses the name `a`, which is reserved: choose another
    "#]],
    );
    check_message(
        "enum E { A = 1; B = 1; }",
        expect![[r#"
        a.proto:4: `B` gives the number 1 to `A` and to `B`: give one of them another
    "#]],
    );
    check_message(
        "enum E { option allow_alias = true; A = 1; B = 1; reserved -5 to -2; C = -3; }",
        expect![[r#"
        a.proto:4: `C` gives `C` the number -3, which is reserved: give it another
    "#]],
    );
    check(
        "//- a.proto\npackage p;\nimport 'b.proto';\nmessage M {}\n//- b.proto\npackage p;\nmessage M {}\n",
        expect![[r#"
        b.proto:2: `M` defines `p.M`, which a.proto defines too
    "#]],
    );
}

#[test]
fn what_the_parser_refuses_has_a_place() {
    check_message(
        "optional Foo a = 1;",
        expect![[r#"
        a.proto:4: `Foo` uses the type `Foo`, which neither it nor its imports define
    "#]],
    );
    check_message(
        "optional int32 a = 1\noptional int32 b = 2;",
        expect![[r#"
        a.proto:5: `optional` lacks a `;` before this
    "#]],
    );
    check_message(
        "int32 a = 1;",
        expect![[r#"
        a.proto:4: `int32` has a field without label: in proto2 write `optional`, `required` or `repeated` before it
    "#]],
    );
    check_message(
        "optional int32 a = ;",
        expect![[r#"
        a.proto:4: `;` is no valid schema: incorrect input
    "#]],
    );
    check_message(
        "optional int32 a = 99999999999;",
        expect![[r#"
        a.proto:4: `99999999999` is no valid schema: integer overflow
    "#]],
    );
    check(
        "//- a.proto\nimport 'b.proto';\n//- b.proto\n\nsyntax = \"proto9\";\n",
        expect![[r#"
        b.proto:2: `"proto9"` is no valid schema: unknown syntax
    "#]],
    );
    check(
        "//- a.proto\npackage p;\nmessage N { message O {} }\n",
        expect![[r#"
        a.proto has no message `p.M`; it has `p.N`, `p.N.O`
    "#]],
    );
}

#[test]
fn what_would_end_the_process_is_refused() {
    let nested = |depth: usize| {
        format!(
            "//- a.proto\npackage p;\nmessage M {{ {} {} }}\n",
            "message M { ".repeat(depth),
            "}".repeat(depth)
        )
    };
    assert!(load(&nested(90), "p.M").is_ok());
    for bomb in [
        nested(5_000),
        format!("//- a.proto\nmessage M {{ {}", "message M { ".repeat(100_000)),
        format!("//- a.proto\nmessage M {{ {}", "optional group G = 1 { ".repeat(50_000)),
        format!("//- a.proto\nmessage M {{ option (x) = {}", "{a: ".repeat(50_000)),
        format!("//- a.proto\nmessage M {{ optional int32 a = 1 [default = {}", "[".repeat(50_000)),
        format!("//- a.proto\nmessage M {{ {}", "oneof o { ".repeat(50_000)),
    ] {
        let error = load(&bomb, "p.M").unwrap_err();
        assert!(error.contains("deeper than 100 levels"), "{error}");
    }
    let many: String = (0..12_000).map(|n| format!("message M{n} {{}}\n")).collect();
    assert!(load(&format!("//- a.proto\n{many}"), "M0").unwrap_err().contains("more than 10,000 names"));
    let chain: String = (0..300).map(|n| format!("//- {n}.proto\nimport '{}.proto';\n", n + 1)).collect();
    assert!(load(&chain, "M").unwrap_err().contains("more than 256 files"));
}

#[test]
fn files_that_are_no_schema_are_refused() {
    check(
        "//- a.proto\n\u{feff}syntax = \"proto2\";\n",
        expect![[r#"
        a.proto:1: `﻿` begins with a byte order mark: save it as UTF-8 without BOM
    "#]],
    );
    check(
        "//- a.proto\nedition = \"2023\";\nmessage M {}\n",
        expect![[r#"
        a.proto:1: `edition` uses `edition`, which is not supported: write `syntax = "proto2";` or `"proto3"`
    "#]],
    );
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| file::load(path, "M").unwrap_err().problem.message(Language::English);
    assert_eq!(refused(folder.path()), "is not a regular file");
    assert_eq!(refused(Path::new("/dev/zero")), "is not a regular file");
    assert!(refused(&folder.path().join("nothing.proto")).starts_with("cannot be read: "));
    let path = folder.path().join("a.proto");
    std::fs::write(&path, b"message M {} // \xff").unwrap();
    assert_eq!(refused(&path), "is not UTF-8: save it as UTF-8");
    std::fs::write(&path, " ".repeat(5 << 20)).unwrap();
    assert_eq!(refused(&path), "is bigger than 4 MiB");
}

#[test]
fn every_broken_schema_gives_an_answer() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors");
    let text = std::fs::read_to_string(vectors.join("generic.proto")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.proto");
    let step = 5;
    for at in (0..text.len()).step_by(step) {
        let (before, after) = (&text[..at], &text[at..]);
        // Cut off, bitten out, and with something that does not belong there.
        let strange = ["{", "}", "[", "=", "\"", "/*", "é", "extend ", "group ", "oneof "][at / step % 10];
        for broken in
            [before.to_owned(), format!("{before}{}", &after[1..]), format!("{before}{strange}{after}")]
        {
            std::fs::write(&path, &broken).unwrap();
            if let Err(error) = file::load(&path, "gen.All") {
                assert!(
                    error.range.is_none_or(|range| broken.get(range.start..range.end).is_some()),
                    "{error:?}"
                );
            }
        }
    }
}

#[test]
fn the_schemas_of_the_vectors_load() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors");
    let schema = |name: &str, root: &str| file::load(&vectors.join(name), root).unwrap().schema;
    let generic = schema("generic.proto", "gen.All");
    let root = generic.root();
    for name in ["OptGroup", "optgroup", "inf", "true", "message", "CamelCase", "c_leaf"] {
        assert!(root.find(name).is_some(), "{name}");
    }
    assert!(generic.message_by_name.contains_key("google.protobuf.Any"));
    assert!(generic.message_by_name.contains_key("gen.Req"));
    let mut extensions: Vec<_> = generic.extension_by_name.keys().map(String::as_str).collect();
    extensions.sort_unstable();
    assert_eq!(
        extensions,
        ["gen.Scope.scoped", "gen.ext_int", "gen.ext_leaf", "gen.ext_rleaf", "gen.ext_rstr"]
    );
    let ext = generic.message(generic.message_by_name["gen.Ext"]);
    assert!(ext.is_extendable && ext.find("ext_int").is_none());
    let location = root.find("b").unwrap().1.location.clone().unwrap();
    let text = std::fs::read_to_string(location.file.as_path()).unwrap();
    assert_eq!(&text[location.range.start..], text.split_once("optional bool ").unwrap().1);
    assert!(schema("generic3.proto", "gen3.P3").root().find("i").unwrap().1.has_implicit_presence);
    assert_eq!(schema("retrain.proto", "AMCTMindsporeProto.AMCTRetrainConfig").root().fields.len(), 8);
}
