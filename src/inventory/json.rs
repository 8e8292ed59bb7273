//! Layer lists as text: JSON lists, `name type` lines, and the JSON that AMCT writes. Model files are read elsewhere.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Layer, LayerList};
use crate::language::Language;

/// The largest list that is read. A network with 100,000 layers needs about a tenth of it.
pub const MAX_BYTES: usize = 64 << 20;
/// No layer has a longer name, and no list more layers: what exceeds it is some other file.
const MAX_NAME: usize = 4096;
const MAX_LAYERS: usize = 1_000_000;

/// Why a file is not a layer list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError {
    /// Line of the fault, counted from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub kind: ListErrorKind,
}

/// What is wrong with a layer list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListErrorKind {
    /// Larger than [`MAX_BYTES`], or with more layers than any network.
    TooLarge,
    /// Not UTF-8.
    NotUtf8,
    /// Not JSON, or not of the expected shape; what the JSON reader says about it.
    Json(String),
    /// A line of a text list that can be no layer.
    NotALayer,
    /// There is no layer in it.
    NoLayers,
    /// Two layers of that name.
    DuplicateName(String),
}

impl ListError {
    fn new(line: Option<usize>, kind: ListErrorKind) -> Self {
        Self { line, kind }
    }

    /// What is wrong, where, and what to do.
    pub fn message(&self, language: Language) -> String {
        let shape = r#"[{"name": "conv1", "type": "nn.Conv2D"}, …]"#;
        let text = match &self.kind {
            ListErrorKind::TooLarge => {
                language.pick("the file is too large for a layer list", "文件过大，不像是层列表").to_owned()
            }
            ListErrorKind::NotUtf8 => language
                .pick("the file is not UTF-8; save it as UTF-8", "文件不是 UTF-8 编码，请另存为 UTF-8")
                .to_owned(),
            ListErrorKind::Json(detail) => language.pick(
                format!("not a layer list: {detail}; expected {shape}"),
                format!("不是层列表：{detail}；应为 {shape}"),
            ),
            ListErrorKind::NotALayer => language.pick(
                format!("this line is no layer; write one layer a line as `name type`, or JSON as {shape}"),
                format!("此行不是层；每行写一个层“名称 类型”，或用 JSON：{shape}"),
            ),
            ListErrorKind::NoLayers => language.pick(
                format!("there is no layer in it; expected {shape}"),
                format!("其中没有任何层；应为 {shape}"),
            ),
            ListErrorKind::DuplicateName(name) => language.pick(
                format!("two layers are named `{name}`; layer names are unique in a network, remove one"),
                format!("有两个层都叫 `{name}`；网络中层名唯一，请删去一个"),
            ),
        };
        match self.line {
            Some(line) => language.pick(format!("line {line}: {text}"), format!("第 {line} 行：{text}")),
            None => text,
        }
    }
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Language::English))
    }
}

impl std::error::Error for ListError {}

/// Reads a layer list of any of the three kinds; the first character tells them apart.
pub fn read(bytes: &[u8]) -> Result<LayerList, ListError> {
    if bytes.len() > MAX_BYTES {
        return Err(ListError::new(None, ListErrorKind::TooLarge));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        ListError::new(Some(line), ListErrorKind::NotUtf8)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.trim_start().chars().next();
    let list = match first {
        Some('[') => read_list(text)?,
        Some('{') => read_amct(text)?,
        _ => read_lines(text)?,
    };
    // `[]` says clearly that the network has no layers; an empty file or object says nothing.
    if list.layers.is_empty() && first != Some('[') {
        return Err(ListError::new(None, ListErrorKind::NoLayers));
    }
    if list.layers.len() > MAX_LAYERS {
        return Err(ListError::new(None, ListErrorKind::TooLarge));
    }
    let mut seen = HashMap::new();
    for layer in &list.layers {
        if seen.insert(layer.name.as_str(), ()).is_some() {
            return Err(ListError::new(None, ListErrorKind::DuplicateName(layer.name.clone())));
        }
    }
    Ok(list)
}

/// The list as JSON that [`read`] reads; keys that have their default value are left out.
pub fn write(list: &LayerList) -> String {
    let layers: Vec<Value> = list.layers.iter().map(layer_to_json).collect();
    serde_json::to_string_pretty(&layers).unwrap_or_default()
}

/// A layer as it stands in a list.
#[derive(Deserialize)]
struct ListedLayer {
    name: String,
    #[serde(rename = "type")]
    type_name: Option<String>,
    depthwise: Option<bool>,
    int4_packable: Option<bool>,
    bias: Option<bool>,
    quantizable: Option<bool>,
    prunable: Option<bool>,
    reused: Option<bool>,
    inputs: Option<Vec<String>>,
    module: Option<bool>,
    inferred: Option<bool>,
}

impl From<ListedLayer> for Layer {
    fn from(listed: ListedLayer) -> Self {
        Self {
            name: listed.name,
            type_name: listed.type_name,
            depthwise: listed.depthwise.unwrap_or(false),
            int4_packable: listed.int4_packable.unwrap_or(true),
            bias: listed.bias.unwrap_or(true),
            quantizable: listed.quantizable,
            prunable: listed.prunable,
            reused: listed.reused.unwrap_or(false),
            inputs: listed.inputs,
            module: listed.module.unwrap_or(true),
            inferred: listed.inferred.unwrap_or(false),
        }
    }
}

fn layer_to_json(layer: &Layer) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(layer.name));
    object.insert("type".to_owned(), json!(layer.type_name));
    let flags = [
        ("depthwise", layer.depthwise, false),
        ("int4_packable", layer.int4_packable, true),
        ("bias", layer.bias, true),
        ("reused", layer.reused, false),
        ("module", layer.module, true),
        ("inferred", layer.inferred, false),
    ];
    for (key, value, default) in flags {
        if value != default {
            object.insert(key.to_owned(), json!(value));
        }
    }
    for (key, value) in [("quantizable", layer.quantizable), ("prunable", layer.prunable)] {
        if let Some(value) = value {
            object.insert(key.to_owned(), json!(value));
        }
    }
    if let Some(inputs) = &layer.inputs {
        object.insert("inputs".to_owned(), json!(inputs));
    }
    Value::Object(object)
}

fn json_error(error: &serde_json::Error) -> ListError {
    let text = error.to_string();
    let detail = text.split(" at line ").next().unwrap_or(&text).to_owned();
    ListError::new(Some(error.line()).filter(|&line| line > 0), ListErrorKind::Json(detail))
}

fn read_list(text: &str) -> Result<LayerList, ListError> {
    let listed: Vec<ListedLayer> = serde_json::from_str(text).map_err(|error| json_error(&error))?;
    Ok(LayerList { layers: listed.into_iter().map(Layer::from).collect(), complete: true })
}

/// AMCT's JSON names the layers that it can quantise, without their types, between its global keys. A layer's value
/// is an object, that of a global key never.
fn read_amct(text: &str) -> Result<LayerList, ListError> {
    let object: Map<String, Value> =
        serde_json::from_str(&without_bare_floats(text)).map_err(|error| json_error(&error))?;
    let layers = object
        .into_iter()
        .filter(|(_, value)| value.is_object())
        .map(|(name, _)| Layer { quantizable: Some(true), ..Layer::new(name, None) });
    Ok(LayerList { layers: layers.collect(), complete: false })
}

/// Reads a text that Python's `json` wrote. Bare `NaN` and infinities become strings.
pub fn read_python(text: &str) -> Option<Value> {
    let mut strict = String::with_capacity(text.len());
    for (index, piece) in StringParts::new(text) {
        if index % 2 == 1 {
            strict.push_str(piece);
        } else {
            // Negative infinity keeps its sign inside the quotes.
            let piece = piece.replace("-Infinity", "\"-inf\"").replace("Infinity", "\"inf\"");
            strict.push_str(&piece.replace("NaN", "\"nan\""));
        }
    }
    serde_json::from_str(&strict).ok()
}

/// Replaces Python's bare `NaN`, `Infinity` and `-Infinity` outside strings, which strict JSON refuses, by zeros of
/// the same length.
fn without_bare_floats(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, piece) in StringParts::new(text) {
        if index % 2 == 1 {
            result.push_str(piece);
        } else {
            let piece = piece.replace("-Infinity", "0        ").replace("Infinity", "0       ");
            result.push_str(&piece.replace("NaN", "0  "));
        }
    }
    result
}

/// Cuts JSON into what is outside strings (even index) and inside them with their quotes (odd index).
struct StringParts<'a> {
    rest: &'a str,
    index: usize,
}

impl<'a> StringParts<'a> {
    fn new(rest: &'a str) -> Self {
        Self { rest, index: 0 }
    }
}

impl<'a> Iterator for StringParts<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = if self.index.is_multiple_of(2) {
            self.rest.find('"').unwrap_or(self.rest.len())
        } else {
            let mut escaped = false;
            let close = self.rest.char_indices().skip(1).find(|&(_, c)| {
                let is_close = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_close
            });
            close.map_or(self.rest.len(), |(at, _)| at + 1)
        };
        let (piece, rest) = self.rest.split_at(end);
        let index = self.index;
        (self.rest, self.index) = (rest, index + 1);
        Some((index, piece))
    }
}

/// One layer a line: the name, blanks or a tab, the type. Only the last word is the type, so names may hold blanks;
/// a single word is a name without type. Empty lines and lines that begin with `#` say nothing.
fn read_lines(text: &str) -> Result<LayerList, ListError> {
    let mut layers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_layer = line.len() <= MAX_NAME && !line.contains(|c: char| c.is_control() && c != '\t');
        if !is_layer {
            return Err(ListError::new(Some(index + 1), ListErrorKind::NotALayer));
        }
        let split = line.rsplit_once('\t').or_else(|| line.rsplit_once(char::is_whitespace));
        layers.push(match split {
            Some((name, type_name)) => Layer::new(name.trim_end(), Some(type_name.trim_start())),
            None => Layer::new(line, None),
        });
    }
    Ok(LayerList { layers, complete: true })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let result = match read(text.as_bytes()) {
            Ok(list) => format!(
                "complete: {}\n{}\n",
                list.complete,
                list.layers
                    .iter()
                    .map(|layer| layer_to_json(layer).to_string())
                    .collect::<Vec<_>>()
                    .join("\n")
            ),
            Err(error) => {
                format!("{}\n{}\n", error.message(Language::English), error.message(Language::Chinese))
            }
        };
        expect.assert_eq(&result);
    }

    #[test]
    fn a_json_list_may_hold_null_types_and_unknown_keys() {
        check(
            r#"[{"name":"a","type":"nn.Conv2D","depthwise":true,"shape":[1]},
                {"name":"b","type":null},{"name":"c","int4_packable":false,"inputs":["a"]}]"#,
            expect![[r#"
                complete: true
                {"name":"a","type":"nn.Conv2D","depthwise":true}
                {"name":"b","type":null}
                {"name":"c","type":null,"int4_packable":false,"inputs":["a"]}
            "#]],
        );
    }

    #[test]
    fn lines_end_in_the_type() {
        check(
            "\u{feff}# names\nconv1 nn.Conv2D\n\nconv 1   nn.Dense\nx\tReLU\nlonely\n",
            expect![[r#"
                complete: true
                {"name":"conv1","type":"nn.Conv2D"}
                {"name":"conv 1","type":"nn.Dense"}
                {"name":"x","type":"ReLU"}
                {"name":"lonely","type":null}
            "#]],
        );
    }

    #[test]
    fn what_amct_wrote_names_layers_without_types() {
        check(
            r#"{"version":1,"batch_num":2,"a NaN \" Infinity":{"clip":-Infinity},"b":{"x":NaN}}"#,
            expect![[r#"
                complete: false
                {"name":"a NaN \" Infinity","type":null,"quantizable":true}
                {"name":"b","type":null,"quantizable":true}
            "#]],
        );
    }

    #[test]
    fn errors_say_where_and_what_to_do() {
        check(
            "[{\"name\": \"a\"},\n{\"name\": 3}]",
            expect![[r#"
                line 2: not a layer list: invalid type: integer `3`, expected a string; expected [{"name": "conv1", "type": "nn.Conv2D"}, …]
                第 2 行：不是层列表：invalid type: integer `3`, expected a string；应为 [{"name": "conv1", "type": "nn.Conv2D"}, …]
            "#]],
        );
        check(
            "{\"version\": 1}",
            expect![[r#"
                there is no layer in it; expected [{"name": "conv1", "type": "nn.Conv2D"}, …]
                其中没有任何层；应为 [{"name": "conv1", "type": "nn.Conv2D"}, …]
            "#]],
        );
        check(
            "a b\na c\n",
            expect![[r#"
                two layers are named `a`; layer names are unique in a network, remove one
                有两个层都叫 `a`；网络中层名唯一，请删去一个
            "#]],
        );
        check(
            "\u{1}\u{2}",
            expect![[r#"
                line 1: this line is no layer; write one layer a line as `name type`, or JSON as [{"name": "conv1", "type": "nn.Conv2D"}, …]
                第 1 行：此行不是层；每行写一个层“名称 类型”，或用 JSON：[{"name": "conv1", "type": "nn.Conv2D"}, …]
            "#]],
        );
    }

    #[test]
    fn deep_nesting_is_refused_not_followed() {
        let deep = format!("[{{\"name\":\"a\",\"x\":{}}}]", "[".repeat(100_000));
        assert!(matches!(read(deep.as_bytes()), Err(ListError { kind: ListErrorKind::Json(_), .. })));
    }

    #[test]
    fn writing_and_reading_is_the_identity() {
        let mut layer = Layer::new("a", Some("Conv2d"));
        (layer.reused, layer.module, layer.quantizable) = (true, false, Some(false));
        let list = LayerList { layers: vec![layer, Layer::new("b", None)], complete: true };
        assert_eq!(read(write(&list).as_bytes()), Ok(list));
    }
}
