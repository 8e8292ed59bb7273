//! Shows the page of the effective configuration: in a window of the client where it can open one, else as one line.
//!
//! Most clients drop the result of a command, so the answer alone would show nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

use tower_lsp::Client;
use tower_lsp::lsp_types::{MessageType, ShowDocumentParams, Url};

use super::cache;

/// Shows a page about a document. Call it from a task: it waits for the client.
pub(super) async fn show(
    client: Client,
    document: Url,
    page: String,
    summary: String,
    opens_documents: bool,
) {
    if opens_documents && let Some(uri) = save(&document, &page) {
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(false), selection: None };
        if client.show_document(params).await.is_ok_and(|shown| shown) {
            return;
        }
    }
    client.show_message(MessageType::INFO, summary).await;
}

/// Writes the page into the user's cache folder, one file a document.
fn save(document: &Url, page: &str) -> Option<Url> {
    let folder = cache::folder()?.join("effective");
    let mut hasher = DefaultHasher::new();
    document.hash(&mut hasher);
    let path = folder.join(format!("{:016x}.md", hasher.finish()));
    std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, page)).ok()?;
    Url::from_file_path(path).ok()
}
