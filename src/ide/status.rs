//! What a file is read as, and why: its dialect or schema, and its layers.

use super::{SchemaOrigin, Snapshot};
use crate::amct::Entry;
use crate::analysis::detect::Why;
use crate::language::Language;

/// What a file is read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The dialect, or the full name of the root message of a schema of the user's; `None` for what AMCT never reads.
    pub schema: Option<String>,
    /// Which function of AMCT reads it, in dialects that know several.
    pub entry: Option<&'static str>,
    /// Who chose it, in words.
    pub why: String,
    /// The layers.
    pub layers: Option<LayerStatus>,
}

/// A layer list in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerStatus {
    /// The file.
    pub path: String,
    /// How many layers it has.
    pub count: usize,
    /// Whether it names every layer of the network.
    pub complete: bool,
}

impl Status {
    /// That of a document.
    pub fn of(snapshot: &Snapshot) -> Self {
        let context = snapshot.context();
        let root = &context.schema.root().full_name;
        let name = || context.dialect.map_or_else(|| root.clone(), |dialect| dialect.name().to_owned());
        let schema = context.is_checked().then(name);
        let layers = context.layers.as_ref().map(|source| LayerStatus {
            path: source.path.display().to_string(),
            count: source.list.layers.len(),
            complete: source.list.complete,
        });
        let language = context.language;
        let why = if context.has_schema { why(&context.origin, language) } else { no_schema(language) };
        let effective = snapshot.analysis().effective.as_ref();
        let entry = effective.and_then(|effective| effective.answer.entry()).map(Entry::name);
        Self { schema, entry, why, layers }
    }

    /// As Markdown.
    pub fn text(&self, language: Language) -> String {
        let Some(schema) = &self.schema else { return self.why.clone() };
        let entry = self.entry.map(|entry| format!(" ({entry})")).unwrap_or_default();
        let read = language.pick(
            format!("This file is read as `{schema}`{entry}: {}.", self.why),
            format!("本文件按 `{schema}`{entry} 读取：{}。", self.why),
        );
        let layers = match &self.layers {
            Some(layers) => {
                let LayerStatus { path, count, .. } = layers;
                language
                    .pick(format!("{count} layers from `{path}`."), format!("来自 `{path}` 的 {count} 层。"))
            }
            None => language.pick("No layer list.", "没有层列表。").to_owned(),
        };
        format!("{read} {layers}")
    }
}

fn no_schema(language: Language) -> String {
    language
        .pick(
            "The schema that this file asks for cannot be had, so nothing is checked.",
            "本文件指定的 schema 无法使用，因此不作检查。",
        )
        .to_owned()
}

fn why(origin: &SchemaOrigin, language: Language) -> String {
    match origin {
        SchemaOrigin::Flag => language.pick("a flag says so", "由命令行参数指定").to_owned(),
        SchemaOrigin::Header => language.pick("its header says so", "由文件头指定").to_owned(),
        SchemaOrigin::Settings => language.pick("the settings say so", "由设置指定").to_owned(),
        SchemaOrigin::Content(Why::Field(name)) => {
            language.pick(format!("it has `{name}`"), format!("文件中有 `{name}`"))
        }
        SchemaOrigin::Content(Why::LayerType(name)) => {
            language.pick(format!("it spells a layer type `{name}`"), format!("文件中的层类型写作 `{name}`"))
        }
        SchemaOrigin::Content(Why::Custom) => {
            language.pick("nothing in it says otherwise", "文件内容没有指向其他方言").to_owned()
        }
        SchemaOrigin::Foreign(_) => {
            language.pick("This is no configuration of AMCT.", "这不是 AMCT 的配置文件。").to_owned()
        }
    }
}
