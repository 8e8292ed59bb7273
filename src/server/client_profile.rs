//! What the client can do and wants, from the parameters of `initialize`.
//!
//! Read from JSON by hand: lsp-types refuses the whole request for a single value that it does not know, and every
//! client has a newer specification than it sooner or later.

use std::path::PathBuf;

use serde_json::Value;
use tower_lsp::lsp_types::Url;

use crate::language::Language;
use crate::text::Encoding;

/// A client.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientProfile {
    /// The unit of columns that both sides use.
    pub(super) encoding: Encoding,
    /// The language of the user interface.
    pub(super) language: Language,
    /// `initializationOptions`: the settings before `workspace/configuration` has been answered.
    pub(super) options: Value,
    /// The client opens a document when asked to.
    pub(super) opens_documents: bool,
    /// The folders of the workspace.
    pub(super) folders: Vec<PathBuf>,
    /// The client answers `workspace/configuration`.
    pub(super) has_configuration: bool,
    /// The client can be asked to tell about changed settings.
    pub(super) registers_configuration: bool,
    /// The client can be asked to tell about changed files.
    pub(super) registers_files: bool,
    /// The client asks for lenses again when told to.
    pub(super) refreshes_lenses: bool,
    /// The client shows related places of a finding.
    pub(super) has_related: bool,
    /// The client fades out what is unnecessary and strikes through what is deprecated.
    pub(super) has_tags: bool,
    /// The client takes findings with data of ours; eglot's strict mode refuses all findings for it.
    pub(super) has_data: bool,
    /// Hover texts can be Markdown.
    pub(super) hover_format: Format,
    /// Documentation of proposals can be Markdown.
    pub(super) completion_format: Format,
    /// Proposals can be snippets.
    pub(super) has_snippets: bool,
    /// The client wants to be told what a definition is the definition of.
    pub(super) takes_links: bool,
}

/// How texts are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Format {
    #[default]
    Plain,
    Markdown,
}

impl ClientProfile {
    /// Reads the parameters of `initialize`. What is missing or of another type counts as absent.
    pub(super) fn of(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let can = |path: &str| capability(path).is_some_and(|value| value == true);
        let has = |path: &str| capability(path).is_some_and(|value| !value.is_null() && value != false);
        Self {
            encoding: encoding(capability("general/positionEncodings")),
            language: params["locale"].as_str().map(Language::of_locale).unwrap_or_default(),
            options: params["initializationOptions"].clone(),
            opens_documents: can("window/showDocument/support"),
            folders: folders(params),
            has_configuration: can("workspace/configuration"),
            registers_configuration: can("workspace/didChangeConfiguration/dynamicRegistration"),
            registers_files: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            refreshes_lenses: can("workspace/codeLens/refreshSupport"),
            has_related: can("textDocument/publishDiagnostics/relatedInformation"),
            has_tags: has("textDocument/publishDiagnostics/tagSupport"),
            has_data: can("textDocument/publishDiagnostics/dataSupport"),
            hover_format: format(capability("textDocument/hover/contentFormat")),
            completion_format: format(capability(
                "textDocument/completion/completionItem/documentationFormat",
            )),
            has_snippets: can("textDocument/completion/completionItem/snippetSupport"),
            takes_links: can("textDocument/definition/linkSupport")
                && can("textDocument/typeDefinition/linkSupport"),
        }
    }
}

/// `workspaceFolders`, else the older `rootUri`.
fn folders(params: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| Url::parse(uri.as_str()?).ok()?.to_file_path().ok();
    let folders = params["workspaceFolders"].as_array().into_iter().flatten();
    let folders: Vec<_> = folders.filter_map(|folder| path(&folder["uri"])).collect();
    if folders.is_empty() { path(&params["rootUri"]).into_iter().collect() } else { folders }
}

/// Clients list encodings in the order of their preference; the first one we know is taken.
fn encoding(offered: Option<&Value>) -> Encoding {
    let known = |name: &Value| match name.as_str()? {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    };
    offered.and_then(Value::as_array).into_iter().flatten().find_map(known).unwrap_or_default()
}

/// Markdown wherever the client takes it, even as its second choice: our texts are written in it.
fn format(offered: Option<&Value>) -> Format {
    let takes_markdown = offered.and_then(Value::as_array).is_some_and(|f| f.iter().any(|f| f == "markdown"));
    if takes_markdown { Format::Markdown } else { Format::Plain }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_known_encoding_is_taken() {
        let check = |offered: Value, expected: Encoding| {
            let params = json!({ "capabilities": { "general": { "positionEncodings": offered } } });
            assert_eq!(ClientProfile::of(&params).encoding, expected);
        };
        check(json!(["utf-7", "utf-32", "utf-8"]), Encoding::Utf32);
        check(json!(["utf-8", "utf-16"]), Encoding::Utf8);
        check(json!([]), Encoding::Utf16);
        check(json!("utf-8"), Encoding::Utf16);
        check(json!(null), Encoding::Utf16);
    }

    #[test]
    fn odd_parameters_count_as_absent() {
        let profile = ClientProfile::of(&json!({ "capabilities": { "workspace": [] }, "locale": 5 }));
        assert!(!profile.has_configuration);
        assert_eq!(profile.language, Language::English);
        ClientProfile::of(&json!([]));
        ClientProfile::of(&Value::Null);
    }
}
