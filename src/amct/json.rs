//! JSON as Python's `json.dump(…, indent=4, separators=(',', ':'))` writes it, which is how AMCT writes its results.

use crate::python;

/// A JSON value; an object keeps the order of its keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A float. Infinities and NaN are written bare, which is not strict JSON.
    Float(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A string value.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// A 32-bit float as the shortest decimal that reads back as the same 32 bits.
    pub fn shortest(value: f32) -> Self {
        Self::Float(value.to_string().parse().unwrap_or(f64::NAN))
    }

    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text that Python writes: four blanks a level, all but ASCII escaped, no line break at the end.
    pub fn to_python(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text
    }

    /// The value for strict JSON; floats that it cannot express become strings as Python spells them.
    pub fn to_strict(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::from(*value),
            Self::Float(value) if value.is_finite() => Value::from(*value),
            Self::Float(value) => Value::from(bare_float(*value)),
            Self::String(text) => Value::from(text.as_str()),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_strict).collect()),
            Self::Object(entries) => {
                Value::Object(entries.iter().map(|(key, value)| (key.clone(), value.to_strict())).collect())
            }
        }
    }

    fn write(&self, text: &mut String, level: usize) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => text.push_str(&value.to_string()),
            Self::Float(value) => text.push_str(&bare_float(*value)),
            Self::String(value) => write_string(text, value),
            Self::Array(items) => write_items(text, level, ['[', ']'], items, |text, item| {
                item.write(text, level + 1);
            }),
            Self::Object(entries) => write_items(text, level, ['{', '}'], entries, |text, (key, value)| {
                write_string(text, key);
                text.push(':');
                value.write(text, level + 1);
            }),
        }
    }
}

fn write_items<T>(
    text: &mut String,
    level: usize,
    brackets: [char; 2],
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    let line_break = |text: &mut String, level: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("    ", level));
    };
    text.push(brackets[0]);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        line_break(text, level + 1);
        write(text, item);
    }
    if !items.is_empty() {
        line_break(text, level);
    }
    text.push(brackets[1]);
}

fn bare_float(value: f64) -> String {
    match value {
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ if value.is_nan() => "NaN".to_owned(),
        _ => python::float_repr(value),
    }
}

fn write_string(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            ' '..='\u{7e}' => text.push(c),
            // Everything else as UTF-16 code units: a pair for what lies beyond 16 bits.
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn text_is_what_python_writes() {
        let value = Json::Object(vec![
            (
                "版\u{1f600}\u{7f}\u{1}".to_owned(),
                Json::Array(vec![Json::Float(1e-5), Json::Float(f64::NAN)]),
            ),
            ("empty".to_owned(), Json::Object(Vec::new())),
            ("q\"\\\n\u{c}".to_owned(), Json::Bool(true)),
            ("n".to_owned(), Json::Null),
            ("i".to_owned(), Json::Float(f64::NEG_INFINITY)),
        ]);
        expect![[r#"
            {
                "\u7248\ud83d\ude00\u007f\u0001":[
                    1e-05,
                    NaN
                ],
                "empty":{},
                "q\"\\\n\f":true,
                "n":null,
                "i":-Infinity
            }"#]]
        .assert_eq(&value.to_python());
    }
}
