//! The methods of the protocol: each turns its parameters into our types, asks the core, and turns the answer back.
//!
//! Handlers do all they do before their first `.await`, and most have none: so they see messages in order.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::{GotoTypeDefinitionParams, GotoTypeDefinitionResponse};
use tower_lsp::lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability, CodeActionResponse,
    CodeLens, CodeLensOptions, CodeLensParams, CompletionList, CompletionOptions, CompletionParams,
    CompletionResponse, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, DocumentFormattingParams, DocumentRangeFormattingParams,
    ExecuteCommandOptions, ExecuteCommandParams, GotoDefinitionParams, GotoDefinitionResponse, Hover,
    HoverParams, HoverProviderCapability, InitializeParams, InitializeResult, InitializedParams, InlayHint,
    InlayHintParams, OneOf, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentIdentifier,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, TextEdit, TypeDefinitionProviderCapability, Url,
};
use tower_lsp::{LanguageServer, async_trait, lsp_types};

use super::client_profile::ClientProfile;
use super::session::Session;
use super::{from_lsp, publish, to_lsp};
use crate::ide::definition::{self, Wanted};
use crate::ide::{self, Snapshot, effective};
use crate::workspace::DocumentKey;

/// The receiver of all methods.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) session: Arc<Session>,
}

impl Backend {
    /// Analyses what waits and publishes what is found.
    pub(super) fn publish_due(&self) {
        publish::publish_due(&self.session);
    }

    /// True when findings have waited too long.
    pub(super) fn is_overdue(&self) -> bool {
        self.session.state().queue.is_overdue()
    }

    /// Resolves when there is something to publish though no message came.
    pub(super) async fn work_is_due(&self) {
        self.session.work.notified().await;
    }

    /// A document for a feature, as it is now.
    fn snapshot(&self, uri: &Url) -> Option<(Snapshot, ClientProfile)> {
        let state = self.session.state();
        let snapshot = state.documents.get(&from_lsp::key(uri))?.snapshot()?.clone();
        Some((snapshot, state.client.clone()))
    }

    /// A document and a place in it.
    fn snapshot_at(&self, at: &TextDocumentPositionParams) -> Option<(Snapshot, usize, ClientProfile)> {
        let (snapshot, client) = self.snapshot(&at.text_document.uri)?;
        let offset = snapshot.text.offset_of(from_lsp::position(at.position), client.encoding);
        Some((snapshot, offset, client))
    }

    /// Where the definition of something is.
    async fn go_to(
        &self,
        at: TextDocumentPositionParams,
        wanted: Wanted,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let Some((snapshot, offset, client)) = self.snapshot_at(&at) else { return Ok(None) };
        let Some(found) = definition::definition(&snapshot, offset, wanted) else { return Ok(None) };
        let session = self.session.clone();
        let find = move || {
            super::definition::answer(&session, &at.text_document.uri, &snapshot.text, found, &client)
        };
        Ok(tokio::task::spawn_blocking(find).await.ok().flatten())
    }

    fn format(&self, uri: &Url, range: Option<lsp_types::Range>) -> Option<Vec<TextEdit>> {
        let (snapshot, client) = self.snapshot(uri)?;
        let range = range.map(|range| {
            let (start, end) = (from_lsp::position(range.start), from_lsp::position(range.end));
            snapshot.text.range_of(start, end, client.encoding)
        });
        let edits = ide::format::format(&snapshot, range).into_iter();
        Some(edits.map(|edit| to_lsp::text_edit(edit, &snapshot.text, &client)).collect())
    }

    /// Other documents are read against the buffer of a schema, not against the file.
    fn follow_schema(&self, key: &DocumentKey) {
        let schema = {
            let state = self.session.state();
            let document = state.documents.get(key).filter(|document| document.is_schema());
            document.map(|document| (document.uri.clone(), document.text().to_string()))
        };
        if let Some((uri, text)) = schema {
            self.session.set_schema_buffer(&uri, Some(&text));
        }
    }

    /// `quantcfg/effective`: what `explain --format json` prints.
    pub(super) async fn effective(&self, document: TextDocumentIdentifier) -> Result<Option<Value>> {
        Ok(self.snapshot(&document.uri).and_then(|(snapshot, _)| {
            let refused = effective::refused(&snapshot, snapshot.text.to_string().as_bytes());
            effective::json(&snapshot, refused.as_ref())
        }))
    }

    /// Tracing is not offered, but the notification is no mistake.
    pub(super) async fn set_trace(&self, _: Value) {}

    /// There is no progress that could be cancelled.
    pub(super) async fn cancel_progress(&self, _: Value) {}
}

#[async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        // The dispatcher puts the parameters here as they came.
        let client = self.session.begin(&params.initialization_options.unwrap_or_default());
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(to_lsp::encoding(client.encoding)),
                text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                    open_close: Some(true),
                    change: Some(TextDocumentSyncKind::INCREMENTAL),
                    save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                        include_text: Some(false),
                    })),
                    ..Default::default()
                })),
                definition_provider: Some(OneOf::Left(true)),
                type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
                hover_provider: Some(HoverProviderCapability::Simple(true)),
                completion_provider: Some(CompletionOptions {
                    trigger_characters: Some([":", "\"", "'"].map(str::to_owned).to_vec()),
                    ..Default::default()
                }),
                execute_command_provider: Some(ExecuteCommandOptions {
                    commands: vec![to_lsp::SHOW_EFFECTIVE.to_owned()],
                    ..Default::default()
                }),
                code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                    code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                    ..Default::default()
                })),
                inlay_hint_provider: Some(OneOf::Left(true)),
                document_formatting_provider: Some(OneOf::Left(true)),
                document_range_formatting_provider: Some(OneOf::Left(true)),
                code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
                ..Default::default()
            },
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        self.session.ask_for_settings_once();
        self.session.register();
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.session.ask_for_settings_once();
        let opened = params.text_document;
        let context = self.session.context(opened.uri.as_str(), &opened.text);
        let key = {
            let mut state = self.session.state();
            let key = state.documents.open(opened.uri.to_string(), opened.version, &opened.text, &context);
            state.queue.add(key.clone());
            key
        };
        self.follow_schema(&key);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let key = from_lsp::key(&params.text_document.uri);
        {
            let mut state = self.session.state();
            let encoding = state.client.encoding;
            let changes = params.content_changes.into_iter().map(from_lsp::change);
            if !state.documents.change(&key, params.text_document.version, changes, encoding) {
                return;
            }
            state.queue.add(key.clone());
        }
        self.session.follow_headers(&key);
        self.follow_schema(&key);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        // Whatever was saved may be what another document is read against.
        self.session.reconsider();
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {
        self.session.reconsider();
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        let mut state = self.session.state();
        let key = from_lsp::key(&params.text_document.uri);
        if let Some(document) = state.documents.close(&key) {
            publish::withdraw(&self.session, &mut state.queue, &key, &document);
            drop(state);
            if document.is_schema() {
                self.session.set_schema_buffer(&document.uri, None);
            }
        }
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let uri = params.arguments.first().and_then(Value::as_str).and_then(|uri| Url::parse(uri).ok());
        let Some(uri) = uri.filter(|_| params.command == to_lsp::SHOW_EFFECTIVE) else {
            let text = format!("`{}` takes the address of a document", params.command);
            return Err(Error::invalid_params(text));
        };
        let Some((snapshot, _)) = self.snapshot(&uri) else { return Ok(None) };
        let refused = effective::refused(&snapshot, snapshot.text.to_string().as_bytes());
        let Some(page) = effective::markdown(&snapshot, refused.as_ref()) else { return Ok(None) };
        let summary = ide::code_lens::code_lenses(&snapshot).into_iter().next().map(|lens| lens.title);
        self.session.show_page(uri, page.clone(), summary.unwrap_or_default());
        Ok(Some(page.into()))
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.session.settings_changed(&params.settings);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let uri = params.text_document_position_params.text_document.uri.to_string();
        let at = self.snapshot_at(&params.text_document_position_params);
        Ok(at.and_then(|(snapshot, offset, client)| {
            ide::hover::hover(&snapshot, offset, Some(&uri))
                .map(|hover| to_lsp::hover(hover, &snapshot.text, &client))
        }))
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        self.go_to(params.text_document_position_params, Wanted::Definition).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        self.go_to(params.text_document_position_params, Wanted::Type).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = self.snapshot_at(&params.text_document_position);
        Ok(at.map(|(snapshot, offset, client)| {
            let items = ide::completion::completion(&snapshot, offset).into_iter();
            let items = items.map(|item| to_lsp::completion_item(item, &snapshot.text, &client)).collect();
            CompletionResponse::List(CompletionList { is_incomplete: false, items })
        }))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let wanted = params.context.only.unwrap_or_else(|| vec![CodeActionKind::QUICKFIX]);
        // A client may ask for all kinds at once by asking for the empty one.
        let is_wanted =
            wanted.iter().any(|kind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX);
        let uri = params.text_document.uri;
        Ok(self.snapshot(&uri).filter(|_| is_wanted).map(|(snapshot, client)| {
            let range = from_lsp::range(params.range, &snapshot.text, client.encoding);
            let actions = ide::code_action::code_actions(&snapshot, range).into_iter();
            actions
                .map(|action| {
                    let language = snapshot.context().language;
                    to_lsp::code_action(action, &snapshot.text, &uri, &client, language).into()
                })
                .collect()
        }))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        Ok(self.snapshot(&params.text_document.uri).map(|(snapshot, client)| {
            let range = from_lsp::range(params.range, &snapshot.text, client.encoding);
            if snapshot.context().preferences.inlay_hints == Some(false) {
                return Vec::new();
            }
            let hints = ide::inlay_hint::inlay_hints(&snapshot, range).into_iter();
            hints.map(|hint| to_lsp::inlay_hint(hint, &snapshot.text, &client)).collect()
        }))
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        Ok(self.format(&params.text_document.uri, None))
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        Ok(self.format(&params.text_document.uri, Some(params.range)))
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let uri = params.text_document.uri;
        Ok(self.snapshot(&uri).map(|(snapshot, client)| {
            if snapshot.context().preferences.code_lenses == Some(false) {
                return Vec::new();
            }
            let lenses = ide::code_lens::code_lenses(&snapshot).into_iter();
            lenses
                .map(|lens| {
                    to_lsp::code_lens(lens, &snapshot.text, &uri, &client, snapshot.context().language)
                })
                .collect()
        }))
    }
}
