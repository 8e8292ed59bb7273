//! The parser: fields, blocks, lists, extensions, in the order in which Python looks at them.

use super::any;
use super::scalar;
use super::tokenizer::Tokenizer;
use super::{ErrorKind, LoadError};
use crate::schema::model::{Field, FieldId, FieldKind, MessageId, MessageType, Schema};
use crate::schema::value::{MessageValue, Value, ValueKind};
use crate::syntax::MAX_DEPTH;
use crate::text::TextRange;

type Result<T> = std::result::Result<T, LoadError>;

pub(super) fn merge(bytes: &[u8], schema: &Schema) -> Result<MessageValue> {
    let mut parser = Parser { schema, tokens: Tokenizer::new(bytes)?, depth: 0 };
    let mut root = MessageValue::new(schema.root);
    while !parser.tokens.at_end() {
        parser.field(&mut root)?;
    }
    Ok(root)
}

pub(super) struct Parser<'s, 'a> {
    pub(super) schema: &'s Schema,
    pub(super) tokens: Tokenizer<'a>,
    depth: usize,
}

impl Parser<'_, '_> {
    fn field(&mut self, into: &mut MessageValue) -> Result<()> {
        let message = self.schema.message(into.message);
        let starts_with_bracket = self.tokens.try_consume("[")?;
        if starts_with_bracket && message.is_any() {
            // No separator may follow this one (text-format.md F6).
            return any::expand(self, into);
        }
        let name_start = self.tokens.previous_range();
        let id = if starts_with_bracket { self.extension(message)? } else { self.name(message)? };
        let name_range = if starts_with_bracket {
            name_start.cover(self.tokens.previous_range())
        } else {
            self.tokens.previous_range()
        };
        let field = message.field(id);
        if field.message().is_some() {
            self.tokens.try_consume(":")?;
        } else {
            self.tokens.consume(":")?;
        }
        if field.is_repeated() && self.tokens.try_consume("[")? {
            if !self.tokens.try_consume("]")? {
                loop {
                    self.value(into, id, field, name_range)?;
                    if self.tokens.try_consume("]")? {
                        break;
                    }
                    self.tokens.consume(",")?;
                }
            }
        } else {
            self.value(into, id, field, name_range)?;
        }
        if !self.tokens.try_consume(",")? {
            self.tokens.try_consume(";")?;
        }
        Ok(())
    }

    fn name(&mut self, message: &MessageType) -> Result<FieldId> {
        let name = self.tokens.consume_identifier_or_number()?;
        message.field_by_name.get(name).copied().ok_or_else(|| {
            self.tokens.error_at_previous(format!(
                "Message type \"{}\" has no field named \"{name}\".",
                message.full_name
            ))
        })
    }

    fn extension(&mut self, message: &MessageType) -> Result<FieldId> {
        let mut name = self.tokens.consume_identifier()?.to_owned();
        while self.tokens.try_consume(".")? {
            name.push('.');
            name.push_str(self.tokens.consume_identifier()?);
        }
        if !message.is_extendable {
            let text = format!("Message type \"{}\" does not have extensions.", message.full_name);
            return Err(self.tokens.error_at_previous(text));
        }
        let Some(&(owner, field)) = self.schema.extension_by_name.get(&name) else {
            let text = format!(
                "Extension \"{name}\" not registered. Did you import the _pb2 module which defines it? If you are \
                 trying to place the extension in the MessageSet field of another message that is in an Any or \
                 MessageSet field, that message's _pb2 module must be imported as well"
            );
            return Err(self.tokens.error_at_previous(text));
        };
        if self.schema.message(owner).full_name != message.full_name {
            let text =
                format!("Extension \"{name}\" does not extend message type \"{}\".", message.full_name);
            return Err(self.tokens.error_at_previous(text));
        }
        self.tokens.consume("]")?;
        Ok(field)
    }

    fn value(
        &mut self,
        into: &mut MessageValue,
        id: FieldId,
        field: &Field,
        name_range: TextRange,
    ) -> Result<()> {
        let start = self.tokens.range();
        let kind = match field.kind {
            FieldKind::Message(message) => ValueKind::Message(self.block(message)?),
            FieldKind::Scalar(kind) => scalar::read(&mut self.tokens, kind)?,
            FieldKind::Enum(id) => scalar::read_enum(&mut self.tokens, self.schema.enumeration(id))?,
        };
        let range = start.cover(self.tokens.previous_range());
        into.merge(self.schema, id, Value { kind, name_range, range });
        Ok(())
    }

    fn block(&mut self, message: MessageId) -> Result<MessageValue> {
        let close = if self.tokens.try_consume("<")? {
            ">"
        } else {
            self.tokens.consume("{")?;
            "}"
        };
        self.fields_until(message, close)
    }

    /// The fields of a block whose opening bracket has been taken, and its closing one.
    pub(super) fn fields_until(&mut self, message: MessageId, close: &str) -> Result<MessageValue> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(LoadError {
                kind: ErrorKind::RecursionError,
                line: None,
                column: None,
                message: "maximum recursion depth exceeded".into(),
                offset: Some(self.tokens.previous_range().start),
            });
        }
        let mut value = MessageValue::new(message);
        while !self.tokens.try_consume(close)? {
            if self.tokens.at_end() {
                return Err(self.tokens.error_at_previous(format!("Expected \"{close}\".")));
            }
            self.field(&mut value)?;
        }
        self.depth -= 1;
        Ok(value)
    }
}
