//! From protobuf descriptors, which have the meaning, and the sources, which have comments and places, to a [`Schema`].

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use protobuf::descriptor::field_descriptor_proto::{Label as ProtoLabel, Type};
use protobuf::descriptor::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::limits::Limits;
use super::model::{
    Doc, EnumId, EnumType, EnumValue, Field, FieldId, FieldKind, Label, Location, MessageId, MessageType,
    Numbers, Oneof, OneofId, Scalar, Schema,
};
use super::prepare::real_name;
use super::proto_source::{self, Entry, EntryKind, ProtoFile};

/// What the scanner found in a .proto file.
pub(super) struct Source {
    /// Its name as other files import it.
    pub(super) name: String,
    /// Where it is.
    pub(super) path: Arc<PathBuf>,
    pub(super) file: ProtoFile,
}

/// The schema whose root is the message of that full name; `None` when no file has it.
pub(super) fn schema(
    files: &[FileDescriptorProto],
    sources: &[Source],
    root: &str,
    numbers: Numbers,
) -> Option<Schema> {
    let mut lowering = Lowering::default();
    for file in files {
        lowering.declare(file);
    }
    for file in files {
        let source = sources.iter().find(|source| source.name == file.name());
        let context = FileContext { is_proto3: file.syntax() == "proto3", source };
        lowering.file(file, &context);
    }
    let Lowering { messages, enums, message_by_name, extension_by_name, .. } = lowering;
    let root = *message_by_name.get(root)?;
    Some(Schema { root, messages, enums, message_by_name, extension_by_name, numbers })
}

struct FileContext<'a> {
    is_proto3: bool,
    /// Nothing for the well-known types, which are part of protobuf-parse.
    source: Option<&'a Source>,
}

impl FileContext<'_> {
    fn entry(&self, full_name: &str) -> Option<&Entry> {
        self.source?.file.entries.get(full_name)
    }

    fn doc(&self, full_name: &str) -> (Doc, Option<Location>) {
        let Some((entry, source)) = self.entry(full_name).zip(self.source) else { return Default::default() };
        let location = Location { file: source.path.clone(), range: entry.range };
        (Doc::of_comment(&entry.comment), Some(location))
    }
}

#[derive(Default)]
struct Lowering {
    messages: Vec<MessageType>,
    enums: Vec<EnumType>,
    message_by_name: HashMap<String, MessageId>,
    enum_by_name: HashMap<String, EnumId>,
    extension_by_name: HashMap<String, (MessageId, FieldId)>,
}

/// The full name of something in a descriptor.
fn join(scope: &str, name: &str) -> String {
    proto_source::join(scope, &real_name(name))
}

impl Lowering {
    /// Gives every message and enum its number, so that fields can refer to those that come later.
    fn declare(&mut self, file: &FileDescriptorProto) {
        file.message_type.iter().for_each(|message| self.declare_message(message, file.package()));
        file.enum_type.iter().for_each(|kind| self.declare_enum(kind, file.package()));
    }

    fn declare_message(&mut self, message: &DescriptorProto, scope: &str) {
        let full_name = join(scope, message.name());
        let id = MessageId(self.messages.len() as u32);
        self.messages.push(MessageType {
            name: real_name(message.name()),
            full_name: full_name.clone(),
            fields: Vec::new(),
            oneofs: Vec::new(),
            field_by_name: HashMap::new(),
            is_extendable: !message.extension_range.is_empty(),
            is_map_entry: message.options.map_entry(),
            doc: Doc::default(),
            location: None,
        });
        self.message_by_name.insert(full_name.clone(), id);
        message.nested_type.iter().for_each(|nested| self.declare_message(nested, &full_name));
        message.enum_type.iter().for_each(|kind| self.declare_enum(kind, &full_name));
    }

    fn declare_enum(&mut self, kind: &EnumDescriptorProto, scope: &str) {
        let full_name = join(scope, kind.name());
        self.enum_by_name.insert(full_name.clone(), EnumId(self.enums.len() as u32));
        self.enums.push(EnumType {
            name: real_name(kind.name()),
            full_name,
            values: Vec::new(),
            is_closed: false,
            doc: Doc::default(),
            location: None,
        });
    }

    fn file(&mut self, file: &FileDescriptorProto, context: &FileContext<'_>) {
        file.message_type.iter().for_each(|message| self.message(message, file.package(), context));
        file.enum_type.iter().for_each(|kind| self.enumeration(kind, file.package(), context));
        file.extension.iter().for_each(|field| self.extension(field, file.package(), context));
    }

    fn message(&mut self, message: &DescriptorProto, scope: &str, context: &FileContext<'_>) {
        let full_name = join(scope, message.name());
        let Some(&id) = self.message_by_name.get(&full_name) else { return };
        // proto3 `optional` makes a oneof of its own, which nobody wrote.
        let is_synthetic = |index: i32| {
            message.field.iter().any(|field| field.proto3_optional() && field.oneof_index == Some(index))
        };
        let mut oneofs = Vec::new();
        let mut oneof_ids = HashMap::new();
        for (index, oneof) in message.oneof_decl.iter().enumerate() {
            if !is_synthetic(index as i32) {
                oneof_ids.insert(index as i32, OneofId(oneofs.len() as u32));
                oneofs.push(Oneof { name: oneof.name().to_owned(), fields: Vec::new() });
            }
        }
        let mut fields = Vec::new();
        let mut field_by_name = HashMap::new();
        for proto in &message.field {
            let oneof = proto.oneof_index.and_then(|index| oneof_ids.get(&index).copied());
            let Some(field) = self.field(proto, &full_name, oneof, context) else { continue };
            let number = FieldId(fields.len() as u32);
            if let Some(oneof) = oneof {
                oneofs[oneof.index()].fields.push(number);
            }
            field_by_name.insert(real_name(proto.name()), number);
            field_by_name.insert(field.name.clone(), number);
            fields.push(field);
        }
        let (doc, location) = context.doc(&full_name);
        let target = &mut self.messages[id.index()];
        // Extensions of other files may be there already; they are numbered behind the message's own fields.
        let extensions = std::mem::take(&mut target.fields);
        (target.oneofs, target.field_by_name, target.doc, target.location) =
            (oneofs, field_by_name, doc, location);
        target.fields = fields;
        for extension in extensions {
            self.add_extension(id, extension);
        }
        message.nested_type.iter().for_each(|nested| self.message(nested, &full_name, context));
        message.enum_type.iter().for_each(|kind| self.enumeration(kind, &full_name, context));
        message.extension.iter().for_each(|field| self.extension(field, &full_name, context));
    }

    fn add_extension(&mut self, id: MessageId, field: Field) {
        let fields = &mut self.messages[id.index()].fields;
        self.extension_by_name.insert(field.full_name.clone(), (id, FieldId(fields.len() as u32)));
        fields.push(field);
    }

    fn extension(&mut self, proto: &FieldDescriptorProto, scope: &str, context: &FileContext<'_>) {
        let extendee = real_name(proto.extendee().trim_start_matches('.'));
        let extended = self.message_by_name.get(&extendee).copied();
        if let (Some(id), Some(mut field)) = (extended, self.field(proto, scope, None, context)) {
            field.full_name = join(scope, proto.name());
            self.add_extension(id, field);
        }
    }

    fn field(
        &self,
        proto: &FieldDescriptorProto,
        scope: &str,
        oneof: Option<OneofId>,
        context: &FileContext<'_>,
    ) -> Option<Field> {
        let type_name = real_name(proto.type_name().trim_start_matches('.'));
        let kind = match proto.type_() {
            Type::TYPE_MESSAGE | Type::TYPE_GROUP => {
                FieldKind::Message(*self.message_by_name.get(&type_name)?)
            }
            Type::TYPE_ENUM => FieldKind::Enum(*self.enum_by_name.get(&type_name)?),
            scalar => FieldKind::Scalar(lower_scalar(scalar)?),
        };
        let full_name = join(scope, proto.name());
        let is_group = context.entry(&full_name).is_some_and(|entry| entry.kind == EntryKind::Group);
        // A group's field is called like its type, in small letters; the text format wants the type's name.
        let name = match kind {
            FieldKind::Message(id) if is_group => self.messages[id.index()].name.clone(),
            _ => real_name(proto.name()),
        };
        let label = match proto.label() {
            ProtoLabel::LABEL_OPTIONAL => Label::Optional,
            ProtoLabel::LABEL_REQUIRED => Label::Required,
            ProtoLabel::LABEL_REPEATED => Label::Repeated,
        };
        let (doc, location) = context.doc(&full_name);
        let default = match kind {
            FieldKind::Enum(_) => proto.default_value.as_deref().map(real_name),
            _ => proto.default_value.clone(),
        };
        Some(Field {
            full_name: name.clone(),
            name,
            number: proto.number(),
            label,
            kind,
            is_group,
            has_implicit_presence: context.is_proto3
                && label != Label::Repeated
                && oneof.is_none()
                && !proto.proto3_optional()
                && !matches!(kind, FieldKind::Message(_)),
            oneof,
            default,
            is_deprecated: proto.options.deprecated(),
            limits: context.entry(&full_name).and_then(|entry| Limits::of_comment(&entry.comment)),
            doc,
            location,
        })
    }

    fn enumeration(&mut self, proto: &EnumDescriptorProto, scope: &str, context: &FileContext<'_>) {
        let full_name = join(scope, proto.name());
        let Some(&id) = self.enum_by_name.get(&full_name) else { return };
        let values = proto.value.iter().map(|value| {
            let (doc, location) = context.doc(&join(&full_name, value.name()));
            EnumValue { name: real_name(value.name()), number: value.number(), doc, location }
        });
        let (doc, location) = context.doc(&full_name);
        let target = &mut self.enums[id.index()];
        target.values = values.collect();
        target.is_closed = !context.is_proto3;
        (target.doc, target.location) = (doc, location);
    }
}

fn lower_scalar(kind: Type) -> Option<Scalar> {
    Some(match kind {
        Type::TYPE_DOUBLE => Scalar::Double,
        Type::TYPE_FLOAT => Scalar::Float,
        Type::TYPE_INT64 => Scalar::Int64,
        Type::TYPE_UINT64 => Scalar::Uint64,
        Type::TYPE_INT32 => Scalar::Int32,
        Type::TYPE_FIXED64 => Scalar::Fixed64,
        Type::TYPE_FIXED32 => Scalar::Fixed32,
        Type::TYPE_BOOL => Scalar::Bool,
        Type::TYPE_STRING => Scalar::String,
        Type::TYPE_BYTES => Scalar::Bytes,
        Type::TYPE_UINT32 => Scalar::Uint32,
        Type::TYPE_SFIXED32 => Scalar::Sfixed32,
        Type::TYPE_SFIXED64 => Scalar::Sfixed64,
        Type::TYPE_SINT32 => Scalar::Sint32,
        Type::TYPE_SINT64 => Scalar::Sint64,
        Type::TYPE_MESSAGE | Type::TYPE_GROUP | Type::TYPE_ENUM => return None,
    })
}
