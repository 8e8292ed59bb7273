//! A layer, or all layers of a type, in words: what is in force and the chain of reasons, each a link to its line.

use super::Snapshot;
use super::effective::reason_line;
use crate::amct::{ExplainedLayer, Reason};
use crate::analysis::Effective;
use crate::language::Language;

/// How many groups of layers a text about a type describes.
const SHOWN_GROUPS: usize = 4;
/// How many layers a group names.
const SHOWN_LAYERS: usize = 4;

/// Writes about the layers of one document.
pub(super) struct LayerText<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) effective: &'a Effective,
    /// The address of the document, for links.
    pub(super) uri: Option<&'a str>,
}

impl LayerText<'_> {
    /// Everything about a layer. `None` when AMCT writes nothing about it and the layer list does not know it either.
    pub(super) fn layer(&self, name: &str) -> Option<String> {
        let language = self.language();
        let layers = &self.effective.explanation().layers;
        if let Some(layer) = layers.iter().find(|layer| layer.name == name) {
            let mut text = self.head(layer);
            layer.because.iter().for_each(|reason| text += &self.reason(reason));
            return Some(text);
        }
        let list = &self.snapshot.context().layers.as_ref()?.list;
        let Some(listed) = list.layers.iter().find(|layer| layer.name == name) else {
            return list.complete.then(|| {
                language.pick(
                    format!("The network has no layer `{name}`."),
                    format!("网络中没有名为 `{name}` 的层。"),
                )
            });
        };
        Some(match &listed.type_name {
            Some(type_name) => language.pick(
                format!("**{name}** · {type_name}: AMCT does nothing to this layer."),
                format!("**{name}** · {type_name}：AMCT 不处理该层。"),
            ),
            None => language.pick(format!("**{name}** · type unknown"), format!("**{name}** · 类型未知")),
        })
    }

    /// The layers of a type, those with the same values and the same deciding block together.
    pub(super) fn layer_type(&self, name: &str) -> Option<String> {
        let language = self.language();
        let explanation = self.effective.explanation();
        let of_type = explanation.layers.iter().filter(|layer| layer.type_name.as_deref() == Some(name));
        let mut groups: Vec<Vec<&ExplainedLayer>> = Vec::new();
        for layer in of_type {
            let is_like =
                |other: &ExplainedLayer| other.values == layer.values && other.source == layer.source;
            match groups.iter_mut().find(|group| is_like(group[0])) {
                Some(group) => group.push(layer),
                None => groups.push(vec![layer]),
            }
        }
        let mut texts = Vec::new();
        for group in groups.iter().take(SHOWN_GROUPS) {
            let names: Vec<_> = group.iter().take(SHOWN_LAYERS).map(|layer| layer.name.as_str()).collect();
            let more = group.len().saturating_sub(SHOWN_LAYERS);
            let names = match more {
                0 => names.join(", "),
                _ => language.pick(
                    format!("{} and {more} more", names.join(", ")),
                    format!("{} 等 {} 层", names.join(", "), group.len()),
                ),
            };
            let mut text = self.titled(&names, group[0]);
            group[0].because.iter().for_each(|reason| text += &self.reason(reason));
            texts.push(text);
        }
        if let Some(more) = groups.len().checked_sub(SHOWN_GROUPS).filter(|&more| more > 0) {
            texts.push(language.pick(format!("… and {more} more groups"), format!("……另有 {more} 组")));
        }
        match texts.is_empty() {
            false => Some(texts.join("\n\n")),
            true => self.snapshot.context().layers.as_ref().filter(|source| source.list.complete).map(|_| {
                language.pick(
                    format!("AMCT does nothing to layers of type `{name}` in this network."),
                    format!("此网络中没有 AMCT 处理的 `{name}` 层。"),
                )
            }),
        }
    }

    fn head(&self, layer: &ExplainedLayer) -> String {
        self.titled(&layer.name, layer)
    }

    fn titled(&self, title: &str, layer: &ExplainedLayer) -> String {
        let language = self.language();
        let answer = &self.effective.answer;
        let number = (0..answer.layer_count()).find(|&number| answer.layer_name(number) == layer.name);
        let state = number.and_then(|number| answer.state(number, language));
        let what = match &state {
            Some(state) if state.is_enabled => state.values.clone(),
            _ => language.pick("skipped", "跳过").to_owned(),
        };
        let type_name = layer.type_name.as_ref().map(|name| format!(" · {name}")).unwrap_or_default();
        format!("**{title}**{type_name}: {what}\n")
    }

    fn reason(&self, reason: &Reason) -> String {
        let language = self.language();
        let message = reason.kind.message(language);
        let Some(line) = reason_line(self.snapshot, self.effective, reason) else {
            return format!("\n- {message}");
        };
        let label = language.pick(format!("line {line}"), format!("第 {line} 行"));
        match self.uri {
            Some(uri) => format!("\n- {message} ([{label}]({uri}#L{line}))"),
            None => format!("\n- {message} ({label})"),
        }
    }

    fn language(&self) -> Language {
        self.snapshot.context().language
    }
}
