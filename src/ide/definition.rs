//! Where the thing under the cursor is defined, and where its type is: places in a .proto file, or the file that a
//! header names. Finding that file and reading it is the caller's work.

use super::locate::{Step, locate};
use super::{SchemaOrigin, Snapshot};
use crate::schema::builtin::{self, Dialect};
use crate::schema::model::{Field, FieldKind, Location, MessageType, Schema};
use crate::syntax::tree::{Item, Value};
use crate::text::TextRange;

/// Which of the two is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The definition of a field, of the value of an enum, or of what a header names.
    Definition,
    /// The message or enum that a field holds, or that a value belongs to.
    Type,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The bytes in the document that it belongs to.
    pub origin: TextRange,
    /// Where it is.
    pub target: Target,
}

/// Where a definition is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A name in the .proto of a built-in dialect.
    Dialect(Dialect, TextRange),
    /// A thing in a .proto file, where it was when the schema was read, and its full name there, by which
    /// [`proto_source::scan`](crate::schema::proto_source::scan) finds it should the file have changed since.
    File(Location, String),
    /// The beginning of a file, by its path as the document spells it.
    Path(String),
}

/// The definition of what is at a byte offset.
pub fn definition(snapshot: &Snapshot, offset: usize, wanted: Wanted) -> Option<Definition> {
    header(snapshot, offset).or_else(|| in_tree(snapshot, offset, wanted))
}

/// A header has no type of its own: it leads to the same place either way.
fn header(snapshot: &Snapshot, offset: usize) -> Option<Definition> {
    let context = snapshot.context();
    let headers = &context.headers;
    let all = [&headers.schema, &headers.proto_file, &headers.proto_message, &headers.layers];
    let header = all.into_iter().flatten().find(|header| header.range.touches(offset))?;
    let target = if Some(header) == headers.schema.as_ref() {
        let dialect = Dialect::from_name(&header.text)?;
        Target::Dialect(dialect, builtin::schema(dialect).root().location.as_ref()?.range)
    } else if Some(header) == headers.proto_message.as_ref() {
        let message = context.schema.message_by_name.get(&header.text)?;
        place(snapshot, Thing::of_message(context.schema.message(*message))?)?
    } else {
        Target::Path(header.text.clone())
    };
    Some(Definition { origin: header.range, target })
}

fn in_tree(snapshot: &Snapshot, offset: usize, wanted: Wanted) -> Option<Definition> {
    let schema = &*snapshot.context().schema;
    let found = locate(snapshot.tree(), schema, offset);
    let step = found.steps.last().filter(|_| found.touches_field)?;
    let name = step.item.name()?;
    let found = |origin, thing: Thing<'_>| Some(Definition { origin, target: place(snapshot, thing)? });
    let owner = schema.message(step.owner);
    let Some(field) = step.definition(schema) else {
        // The type that an Any holds: `[type.googleapis.com/pkg.Message] { … }`.
        let (_, full_name) = name.text.rsplit_once('/')?;
        let id = schema.message_by_name.get(full_name).filter(|_| name.range.touches(offset))?;
        return found(name.range, Thing::of_message(schema.message(*id))?);
    };
    if name.range.touches(offset) {
        return found(name.range, defined(schema, owner, field, wanted)?);
    }
    let range = scalar_at(step, snapshot.tree().path_at(offset).last().copied(), offset)?;
    let thing = match (field.kind, wanted) {
        (FieldKind::Enum(id), Wanted::Definition) => {
            let kind = schema.enumeration(id);
            let text = snapshot.text.slice(range);
            let number = text.parse().ok();
            let mut values = kind.values.iter();
            let value = values.find(|value| value.name == text || Some(value.number) == number)?;
            Thing::new(&value.location, format!("{}.{}", kind.full_name, value.name))
        }
        _ => defined(schema, owner, field, wanted),
    };
    found(range, thing?)
}

/// The value that an offset touches, alone or in a list.
fn scalar_at(step: &Step<'_>, innermost: Option<Item<'_>>, offset: usize) -> Option<TextRange> {
    let items = [innermost, Some(step.item)].into_iter().flatten();
    let mut ranges = items.filter_map(|item| match item.value() {
        Some(Value::Scalar(scalar)) => Some(scalar.range()),
        _ => None,
    });
    ranges.find(|range| range.touches(offset))
}

/// Something that a .proto file defines.
struct Thing<'s> {
    location: &'s Location,
    full_name: String,
}

impl<'s> Thing<'s> {
    /// Nothing for the well-known types, which lie in no file.
    fn new(location: &'s Option<Location>, full_name: String) -> Option<Self> {
        Some(Self { location: location.as_ref()?, full_name })
    }

    fn of_message(message: &'s MessageType) -> Option<Self> {
        Self::new(&message.location, message.full_name.clone())
    }
}

fn defined<'s>(
    schema: &'s Schema,
    owner: &MessageType,
    field: &'s Field,
    wanted: Wanted,
) -> Option<Thing<'s>> {
    match (wanted, field.kind) {
        (Wanted::Definition, _) => {
            // Of an extension the full name is known, and the field of a group is called in small letters.
            let full_name = match (field.full_name == field.name, field.is_group) {
                (false, _) => field.full_name.clone(),
                (true, true) => format!("{}.{}", owner.full_name, field.name.to_ascii_lowercase()),
                (true, false) => format!("{}.{}", owner.full_name, field.name),
            };
            Thing::new(&field.location, full_name)
        }
        (Wanted::Type, FieldKind::Scalar(_)) => None,
        (Wanted::Type, FieldKind::Enum(id)) => {
            let kind = schema.enumeration(id);
            Thing::new(&kind.location, kind.full_name.clone())
        }
        (Wanted::Type, FieldKind::Message(id)) => {
            let message = schema.message(id);
            match message.find("value") {
                // Nobody wrote the type that a map implies.
                Some((_, value)) if message.is_map_entry => defined(schema, message, value, wanted),
                _ => Thing::of_message(message),
            }
        }
    }
}

fn place(snapshot: &Snapshot, thing: Thing<'_>) -> Option<Target> {
    let context = snapshot.context();
    match (context.dialect, &context.origin) {
        (_, SchemaOrigin::Foreign(_)) => None,
        (Some(dialect), _) => Some(Target::Dialect(dialect, thing.location.range)),
        (None, _) => Some(Target::File(thing.location.clone(), thing.full_name)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::ide::Context;
    use crate::ide::fixture::at_cursor;
    use crate::ide::header::Headers;
    use crate::language::Language;
    use crate::schema::{file, proto_source};

    fn show(snapshot: &Snapshot, offset: usize) -> String {
        let shown = [Wanted::Definition, Wanted::Type].map(|wanted| {
            let Some(Definition { origin, target }) = definition(snapshot, offset, wanted) else {
                return format!("{wanted:?}: nothing\n");
            };
            let origin = snapshot.text.slice(origin);
            let (file, text, range) = match target {
                Target::Dialect(dialect, range) => {
                    (dialect.name().to_owned(), dialect.source().into(), range)
                }
                Target::File(Location { file, range }, name) => {
                    let text = std::fs::read_to_string(&*file).unwrap_or_default();
                    let entry = proto_source::scan(&text).entries.remove(&name);
                    assert_eq!(entry.map(|entry| entry.range), Some(range));
                    (file.display().to_string(), text, range)
                }
                Target::Path(path) => return format!("{wanted:?} of `{origin}`: the file {path}\n"),
            };
            let line = text[..range.start].rfind('\n').map_or(0, |line_break| line_break + 1);
            let rest = text[line..].lines().next().unwrap_or_default();
            format!(
                "{wanted:?} of `{origin}`: {file}: {} in `{}`\n",
                &text[range.start..range.end],
                rest.trim()
            )
        });
        shown.concat()
    }

    #[track_caller]
    fn check(fixture: &str, expected: Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let text = snapshot.text.to_string();
        let headers = Headers::of(&text);
        let dialect = headers.schema.as_ref().and_then(|header| Dialect::from_name(&header.text));
        let context = Context::of_dialect(dialect.unwrap_or_default(), Language::English);
        let snapshot = snapshot.with_context(Arc::new(Context { headers, ..context }));
        expected.assert_eq(&show(&snapshot, offset));
    }

    /// The same with a schema of the user's.
    #[track_caller]
    fn check_own(fixture: &str, expected: Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let schema = file::load(Path::new("tests/data/protos/comments.proto"), "c.M")
            .expect("the schema is good")
            .schema;
        let headers = Headers::of(&snapshot.text.to_string());
        let context = Context { schema, dialect: None, headers, ..Context::default() };
        expected.assert_eq(&show(&snapshot.with_context(Arc::new(context)), offset));
    }

    #[test]
    fn a_field_leads_to_its_line_and_to_its_message() {
        check(
            "retrain_data_quant$0_config { }",
            expect![[r#"
            Definition of `retrain_data_quant_config`: mindspore-qat: retrain_data_quant_config in `required RetrainDataQuantConfig retrain_data_quant_config = 2;`
            Type of `retrain_data_quant_config`: mindspore-qat: RetrainDataQuantConfig in `message RetrainDataQuantConfig {`
        "#]],
        );
        check(
            "retrain_data_quant_config { ulq_quantize { fixed_min: tr$0ue } }",
            expect![[r#"
            Definition of `true`: mindspore-qat: fixed_min in `optional bool fixed_min = 2;`
            Type: nothing
        "#]],
        );
        check(
            "skip_layers: [ 'a', 'b$0' ]",
            expect![[r#"
            Definition of `'b'`: mindspore-qat: skip_layers in `repeated string skip_layers = 4;`
            Type: nothing
        "#]],
        );
    }

    #[test]
    fn the_value_of_an_enum_leads_to_itself_and_to_its_enum() {
        let header = "# quantcfg-schema: pytorch-qat\n";
        let with = |text: &str| {
            format!("{header}retrain_data_quant_config {{ ulq_quantize {{ dst_type: {text} }} }}")
        };
        check(
            &with("IN$0T8"),
            expect![[r#"
            Definition of `INT8`: pytorch-qat: INT8 in `INT8 = 1;`
            Type of `INT8`: pytorch-qat: DataType in `enum DataType {`
        "#]],
        );
        check(
            &with("$02"),
            expect![[r#"
            Definition of `2`: pytorch-qat: INT16 in `INT16 = 2;`
            Type of `2`: pytorch-qat: DataType in `enum DataType {`
        "#]],
        );
        check(
            &with("IN$0"),
            expect![[r#"
            Definition: nothing
            Type of `IN`: pytorch-qat: DataType in `enum DataType {`
        "#]],
        );
    }

    #[test]
    fn headers_lead_to_what_they_name() {
        check(
            "# quantcfg-schema: pytorch$0-ptq\n",
            expect![[r#"
            Definition of `pytorch-ptq`: pytorch-ptq: AMCTConfig in `message AMCTConfig {`
            Type of `pytorch-ptq`: pytorch-ptq: AMCTConfig in `message AMCTConfig {`
        "#]],
        );
        check(
            "# quantcfg-schema: no$0ne\n",
            expect![[r#"
            Definition: nothing
            Type: nothing
        "#]],
        );
        check(
            "# quantcfg-layers: net$0.json\n",
            expect![[r#"
            Definition of `net.json`: the file net.json
            Type of `net.json`: the file net.json
        "#]],
        );
        check_own(
            "# proto-file: a$0/b.proto\n# proto-message: c.M",
            expect![[r#"
            Definition of `a/b.proto`: the file a/b.proto
            Type of `a/b.proto`: the file a/b.proto
        "#]],
        );
        check_own(
            "# proto-file: a/b.proto\n# proto-message: c.$0M",
            expect![[r#"
            Definition of `c.M`: tests/data/protos/comments.proto: M in `message M { // behind its brace`
            Type of `c.M`: tests/data/protos/comments.proto: M in `message M { // behind its brace`
        "#]],
        );
    }

    #[test]
    fn any_proto_file_is_followed() {
        check_own(
            "h { value { a$0: 1 } }",
            expect![[r#"
            Definition of `a`: tests/data/protos/comments.proto: a in `optional int32 a = 1; // behind a`
            Type: nothing
        "#]],
        );
        check_own(
            "$0h { value { a: 1 } }",
            expect![[r#"
            Definition of `h`: tests/data/protos/comments.proto: h in `map<string, M> h = 8; // a map`
            Type of `h`: tests/data/protos/comments.proto: M in `message M { // behind its brace`
        "#]],
        );
        check_own(
            "[c.x$0]: 1",
            expect![[r#"
            Definition of `[c.x]`: tests/data/protos/comments.proto: x in `optional int32 x = 100; // behind x`
            Type: nothing
        "#]],
        );
    }

    #[test]
    fn white_space_comments_and_unknown_names_lead_nowhere() {
        for text in ["skip_layers: 'a' $0 # x", "# x$0", "fo$0o: 1", "retrain_data_quant_config { $0 }", "$0"]
        {
            check(
                text,
                expect![[r#"
                Definition: nothing
                Type: nothing
            "#]],
            );
        }
    }
}
