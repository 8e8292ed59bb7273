//! Methods with which a test looks inside and does harm; they exist only when `QUANTCFG_TEST` is set.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tower_lsp::LspServiceBuilder;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use super::backend::Backend;
use super::from_lsp;

/// Adds the methods.
pub(super) fn add(service: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
    service
        .custom_method("quantcfg/test/text", text)
        .custom_method("quantcfg/test/wait", wait)
        .custom_method("quantcfg/test/panic", panic)
        .custom_method("quantcfg/test/panicWithoutAnswer", panic_without_answer)
}

#[derive(Serialize)]
struct Text {
    version: i32,
    text: String,
}

/// The text of a document as the server has it.
async fn text(backend: &Backend, document: TextDocumentIdentifier) -> Result<Option<Text>> {
    let state = backend.session.state();
    let document = state.documents.get(&from_lsp::key(&document.uri));
    Ok(document.map(|document| Text { version: document.version, text: document.text().to_string() }))
}

#[derive(Deserialize)]
struct Wait {
    milliseconds: u64,
}

/// An answer that takes its time.
async fn wait(_: &Backend, wait: Wait) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(wait.milliseconds)).await;
    Ok(())
}

/// A fault in a request, with the state locked.
async fn panic(backend: &Backend) -> Result<()> {
    let _state = backend.session.state();
    panic!("a test asked for this");
}

/// A fault in a notification.
async fn panic_without_answer(_: &Backend) {
    panic!("a test asked for this");
}
