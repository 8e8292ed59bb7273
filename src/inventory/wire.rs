//! Protobuf's wire format as a stream of fields, without a schema and without trust: lengths are bounded before memory is
//! taken, and nothing recurses.

use std::io::BufRead;

use protobuf::CodedInputStream;
use protobuf::rt::WireType;

use super::model::ModelError;

/// Longer names are no names.
const MAX_NAME: u32 = 4096;
/// More names, or numbers in a shape, than any model file has.
const MAX_NAMES: usize = 4_000_000;

/// A stream of fields.
pub(super) struct Wire<'a> {
    input: CodedInputStream<'a>,
    names: usize,
}

impl<'a> Wire<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input: CodedInputStream::from_buf_read(input), names: 0 }
    }

    /// Goes through the fields up to the end of the message. `field` gets the number of each; it reads the field and
    /// answers true, or leaves it to be skipped.
    pub(super) fn fields(
        &mut self,
        mut field: impl FnMut(&mut Self, Field) -> Result<bool, ModelError>,
    ) -> Result<(), ModelError> {
        while let Some(tag) = self.input.read_raw_tag_or_eof()? {
            let wire_type = WireType::new(tag & 7).filter(|kind| {
                // Groups nest without end, and no model format has any.
                !matches!(kind, WireType::StartGroup | WireType::EndGroup)
            });
            let wire_type = wire_type.ok_or_else(|| ModelError::Broken(format!("tag {tag}")))?;
            let number = tag >> 3;
            if number == 0 {
                return Err(ModelError::Broken("field 0".to_owned()));
            }
            if !field(self, Field { number, wire_type })? {
                self.input.skip_field(wire_type)?;
            }
        }
        Ok(())
    }

    /// A message in a field.
    pub(super) fn message<T>(
        &mut self,
        at: Field,
        read: impl FnOnce(&mut Self) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        at.expect(WireType::LengthDelimited)?;
        let len = self.input.read_raw_varint64()?;
        let outer = self.input.push_limit(len)?;
        let value = read(self)?;
        self.input.pop_limit(outer);
        Ok(value)
    }

    /// A name.
    pub(super) fn name(&mut self, at: Field) -> Result<String, ModelError> {
        at.expect(WireType::LengthDelimited)?;
        let len = self.input.read_raw_varint32()?;
        if len > MAX_NAME {
            return Err(ModelError::TooLarge("a name"));
        }
        self.count()?;
        let bytes = self.input.read_raw_bytes(len)?;
        String::from_utf8(bytes).map_err(|_| ModelError::Broken("a name is not UTF-8".to_owned()))
    }

    /// A whole number.
    pub(super) fn number(&mut self, at: Field) -> Result<i64, ModelError> {
        at.expect(WireType::Varint)?;
        Ok(self.input.read_raw_varint64()? as i64)
    }

    /// The numbers of a repeated field, packed or one by one.
    pub(super) fn numbers(&mut self, at: Field, into: &mut Vec<i64>) -> Result<(), ModelError> {
        const MAX_DIMENSIONS: usize = 64;
        if at.wire_type == WireType::Varint {
            into.push(self.number(at)?);
        } else {
            let len = self.input.read_raw_varint64()?;
            let outer = self.input.push_limit(len)?;
            while !self.input.eof()? && into.len() <= MAX_DIMENSIONS {
                into.push(self.input.read_raw_varint64()? as i64);
            }
            if !self.input.eof()? {
                return Err(ModelError::TooLarge("a shape"));
            }
            self.input.pop_limit(outer);
        }
        if into.len() > MAX_DIMENSIONS { Err(ModelError::TooLarge("a shape")) } else { Ok(()) }
    }

    fn count(&mut self) -> Result<(), ModelError> {
        self.names += 1;
        if self.names > MAX_NAMES { Err(ModelError::TooLarge("names")) } else { Ok(()) }
    }
}

/// A field before its value is read.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) number: u32,
    wire_type: WireType,
}

impl Field {
    fn expect(self, wire_type: WireType) -> Result<(), ModelError> {
        if self.wire_type == wire_type {
            Ok(())
        } else {
            Err(ModelError::Broken(format!("field {} of another type", self.number)))
        }
    }
}
