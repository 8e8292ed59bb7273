//! Remembers how the client spells the addresses of its documents, so that answers spell them likewise.
//!
//! lsp-types reads every address through the url crate, which rewrites some (`C:/a b` becomes `C:/a%20b`, `中` becomes
//! `%E4%B8%AD`). A client that compares strings would not know its document again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tower_lsp::lsp_types::Url;

/// Spellings that differ from what the url crate makes of them. Most clients have none.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    by_url: Mutex<HashMap<String, String>>,
}

impl Spellings {
    /// Takes note of the address in the parameters of `textDocument/didOpen`.
    pub(super) fn note(&self, params: &Value) {
        let Some(spelling) = params.pointer("/textDocument/uri").and_then(Value::as_str) else { return };
        let Ok(url) = Url::parse(spelling) else { return };
        let mut by_url = self.by_url.lock().unwrap_or_else(PoisonError::into_inner);
        if url.as_str() == spelling {
            by_url.remove(spelling);
        } else {
            by_url.insert(url.into(), spelling.to_owned());
        }
    }

    /// True while every address is spelled as the url crate does.
    pub(super) fn is_empty(&self) -> bool {
        self.by_url.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Puts the client's spelling back wherever an address is a value or a key.
    pub(super) fn restore(&self, message: &mut Value) {
        restore(message, &self.by_url.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn restore(message: &mut Value, by_url: &HashMap<String, String>) {
    match message {
        Value::String(text) => {
            if let Some(spelling) = by_url.get(text.as_str()) {
                text.clone_from(spelling);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| restore(item, by_url)),
        Value::Object(members) => {
            if members.keys().any(|key| by_url.contains_key(key)) {
                let renamed = std::mem::take(members).into_iter();
                *members =
                    renamed.map(|(key, value)| (by_url.get(&key).cloned().unwrap_or(key), value)).collect();
            }
            members.values_mut().for_each(|value| restore(value, by_url));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_go_out_as_they_came_in() {
        let spellings = Spellings::default();
        spellings.note(&json!({ "textDocument": { "uri": "file:///a/b.cfg" } }));
        assert!(spellings.is_empty());
        spellings.note(&json!({ "textDocument": { "uri": "file:///a b/中.cfg" } }));
        let mut message =
            json!({ "changes": { "file:///a%20b/%E4%B8%AD.cfg": [], "x": ["file:///a%20b/%E4%B8%AD.cfg"] } });
        spellings.restore(&mut message);
        assert_eq!(message, json!({ "changes": { "file:///a b/中.cfg": [], "x": ["file:///a b/中.cfg"] } }));
    }
}
