//! From our types to the protocol's. Offsets become positions here, in the encoding that the client chose.

use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    self, CodeActionKind, CodeLens, Command, CompletionItem, CompletionItemKind, CompletionItemTag,
    CompletionTextEdit, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Documentation,
    Hover, HoverContents, InlayHint, InlayHintLabel, InsertTextFormat, Location, MarkupContent, MarkupKind,
    NumberOrString, TextEdit, Url, WorkspaceEdit,
};

use super::client_profile::{ClientProfile, Format};
use super::message::Notification;
use crate::analysis::{Diagnostic, Severity, Tag};
use crate::ide::status::Status;
use crate::ide::{self, effective::certainty_json};
use crate::language::Language;
use crate::text::{Buffer, Edit, Encoding, Position, TextRange};

/// The command behind every lens.
pub(super) const SHOW_EFFECTIVE: &str = "quantcfg.showEffective";

/// The encoding by its name in the protocol.
pub(super) fn encoding(encoding: Encoding) -> lsp_types::PositionEncodingKind {
    match encoding {
        Encoding::Utf8 => lsp_types::PositionEncodingKind::UTF8,
        Encoding::Utf16 => lsp_types::PositionEncodingKind::UTF16,
        Encoding::Utf32 => lsp_types::PositionEncodingKind::UTF32,
    }
}

/// A range in a text.
pub(super) fn range(text: &Buffer, range: TextRange, encoding: Encoding) -> lsp_types::Range {
    let position = |offset| {
        let Position { line, character } = text.position_of(offset, encoding);
        lsp_types::Position { line, character }
    };
    lsp_types::Range { start: position(range.start), end: position(range.end) }
}

/// A finding.
pub(super) fn diagnostic(
    finding: Diagnostic,
    text: &Buffer,
    uri: &Url,
    client: &ClientProfile,
    language: Language,
) -> lsp_types::Diagnostic {
    let range = |place| range(text, place, client.encoding);
    let related = finding.related.into_iter().map(|related| DiagnosticRelatedInformation {
        location: Location { uri: uri.clone(), range: range(related.range) },
        message: related.message,
    });
    let related: Vec<_> = related.filter(|_| client.has_related).collect();
    let tag = finding.tag.filter(|_| client.has_tags).map(|tag| match tag {
        Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => DiagnosticTag::DEPRECATED,
    });
    lsp_types::Diagnostic {
        range: range(finding.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        source: Some("quantcfg".to_owned()),
        message: finding.message,
        related_information: (!related.is_empty()).then_some(related),
        tags: tag.map(|tag| vec![tag]),
        data: client.has_data.then(|| json!({ "certainty": certainty_json(finding.certainty, language) })),
        ..Default::default()
    }
}

/// A hover text.
pub(super) fn hover(hover: ide::hover::Hover, text: &Buffer, client: &ClientProfile) -> Hover {
    Hover {
        contents: HoverContents::Markup(markup(hover.markdown, client.hover_format)),
        range: Some(range(text, hover.range, client.encoding)),
    }
}

/// A proposal.
pub(super) fn completion_item(
    item: ide::completion::CompletionItem,
    text: &Buffer,
    client: &ClientProfile,
) -> CompletionItem {
    use ide::completion::CompletionKind;
    let snippet = item.snippet.filter(|_| client.has_snippets);
    let format = snippet.as_ref().map(|_| InsertTextFormat::SNIPPET);
    let edit = TextEdit {
        range: range(text, item.replace, client.encoding),
        new_text: snippet.unwrap_or(item.text),
    };
    let documentation = (!item.documentation.is_empty())
        .then(|| Documentation::MarkupContent(markup(item.documentation, client.completion_format)));
    CompletionItem {
        // Clients filter by what stands in the range they replace; that is the bare name.
        filter_text: (item.label != edit.new_text).then(|| item.label.clone()),
        label: item.label,
        kind: Some(match item.kind {
            CompletionKind::Field => CompletionItemKind::FIELD,
            CompletionKind::Block => CompletionItemKind::STRUCT,
            CompletionKind::Value => CompletionItemKind::ENUM_MEMBER,
            CompletionKind::Header => CompletionItemKind::KEYWORD,
            CompletionKind::Layer => CompletionItemKind::REFERENCE,
            CompletionKind::LayerType => CompletionItemKind::CLASS,
        }),
        detail: (!item.detail.is_empty()).then_some(item.detail),
        documentation,
        sort_text: Some(item.sort),
        insert_text_format: format,
        text_edit: Some(CompletionTextEdit::Edit(edit)),
        tags: item.is_deprecated.then(|| vec![CompletionItemTag::DEPRECATED]),
        ..Default::default()
    }
}

/// A lens. Whoever clicks it sees the effective configuration of the document.
pub(super) fn code_lens(
    lens: ide::code_lens::CodeLens,
    text: &Buffer,
    uri: &Url,
    client: &ClientProfile,
    language: Language,
) -> CodeLens {
    CodeLens {
        range: range(text, lens.range, client.encoding),
        command: Some(Command {
            title: lens.title,
            command: SHOW_EFFECTIVE.to_owned(),
            arguments: Some(vec![uri.as_str().into()]),
        }),
        data: Some(serde_json::json!({ "certainty": certainty_json(lens.certainty, language) })),
    }
}

/// A fix of a finding.
pub(super) fn code_action(
    action: ide::code_action::CodeAction,
    text: &Buffer,
    uri: &Url,
    client: &ClientProfile,
    language: Language,
) -> lsp_types::CodeAction {
    let edits = action.fix.edits.into_iter().map(|edit| text_edit(edit, text, client));
    lsp_types::CodeAction {
        title: action.fix.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(action.finding, text, uri, client, language)]),
        edit: Some(WorkspaceEdit {
            changes: Some([(uri.clone(), edits.collect())].into_iter().collect()),
            ..Default::default()
        }),
        is_preferred: Some(action.is_preferred),
        ..Default::default()
    }
}

/// A text between the characters of the document.
pub(super) fn inlay_hint(
    hint: ide::inlay_hint::InlayHint,
    text: &Buffer,
    client: &ClientProfile,
) -> InlayHint {
    InlayHint {
        position: range(text, TextRange::empty(hint.offset), client.encoding).start,
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: Some(true),
        data: None,
    }
}

fn markup(markdown: String, format: Format) -> MarkupContent {
    match format {
        Format::Markdown => MarkupContent { kind: MarkupKind::Markdown, value: markdown },
        Format::Plain => MarkupContent { kind: MarkupKind::PlainText, value: plain(&markdown) },
    }
}

/// The text without the marks of Markdown that we use: fences, code and bold.
fn plain(markdown: &str) -> String {
    let mut lines = Vec::new();
    let mut is_code = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            lines.push(line.to_owned());
        } else {
            lines.push(without_links(&line.replace("**", "").replace('`', "")));
        }
    }
    lines.join("\n")
}

/// Links to lines as their words: `[line 3](file:///a.cfg#L3)` is `line 3`.
fn without_links(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((before, (label, after))) =
        rest.split_once('[').and_then(|(before, link)| Some((before, link.split_once("](")?)))
    {
        let Some((_, behind)) = after.split_once(')') else { break };
        text += before;
        text += label;
        rest = behind;
    }
    text + rest
}

/// `quantcfg/status`: what a document is read as.
pub(super) fn status(uri: &str, status: &Status) -> Notification<'static, Value> {
    let layers = status
        .layers
        .as_ref()
        .map(|layers| json!({ "path": layers.path, "count": layers.count, "complete": layers.complete }));
    let params = json!({
        "uri": uri,
        "schema": status.schema,
        "entry": status.entry,
        "why": status.why,
        "layers": layers,
    });
    Notification::new("quantcfg/status", params)
}

/// An edit of a document.
pub(super) fn text_edit(edit: Edit, text: &Buffer, client: &ClientProfile) -> TextEdit {
    TextEdit { range: range(text, edit.range, client.encoding), new_text: edit.text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_keeps_code_as_it_is() {
        let markdown = "```proto\noptional float `x`\n```\n\nThe **last** of `a`\n";
        assert_eq!(plain(markdown), "optional float `x`\n\nThe last of a");
        assert_eq!(plain("- x ([line 3](file:///a.cfg#L3)) [b"), "- x (line 3) [b");
    }
}
