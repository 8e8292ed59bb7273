//! The state of a session, and how settings come to it.
//!
//! One lock guards it; nobody holds it across an `.await`, and nobody analyses under it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tower_lsp::Client;
use tower_lsp::lsp_types::{ConfigurationItem, Registration, Url};

use super::client_profile::ClientProfile;
use super::page;
use super::publish::Queue;
use super::transport::Outbox;
use crate::ide::Context;
use crate::ide::header::Headers;
use crate::language::Language;
use crate::text::{Buffer, TextRange};
use crate::workspace::choice::{self, Wish};
use crate::workspace::{Document, DocumentKey, Documents, Settings};

/// The first findings wait so long for the settings.
const SETTINGS_PATIENCE: Duration = Duration::from_millis(200);
const SECTION: &str = "quantcfg";
/// Headers stand within so many bytes.
const MAX_HEAD: usize = 64 << 10;

/// Everything that handlers, tasks and threads share.
#[derive(Debug)]
pub(super) struct Session {
    /// For requests to the client. Only spawned tasks may wait for it.
    client: Client,
    /// For everything else to the client.
    pub(super) outbox: Outbox,
    /// Tells the loop that documents wait to be analysed though no message came.
    pub(super) work: Notify,
    state: Mutex<State>,
}

/// What changes during a session.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) client: ClientProfile,
    pub(super) documents: Documents,
    pub(super) queue: Queue,
    settings: Settings,
    /// Numbers of the last question for settings and of the last answer that came.
    asked: u64,
    answered: u64,
}

impl State {
    /// The language of messages.
    pub(super) fn language(&self) -> Language {
        self.settings.language.unwrap_or(self.client.language)
    }

    /// What a text at an address is read against.
    pub(super) fn context(&self, uri: &str, text: &str) -> Arc<Context> {
        let text = &text[..text.floor_char_boundary(MAX_HEAD)];
        let path = Url::parse(uri).ok().and_then(|uri| uri.to_file_path().ok());
        let root = path.as_ref().and_then(|path| {
            let around = self.client.folders.iter().filter(|folder| path.starts_with(folder));
            around.max_by_key(|folder| folder.as_os_str().len()).cloned()
        });
        let wish = Wish { root, ..Wish::default() };
        Arc::new(choice::choose(text, path.as_deref(), &wish, self.language()))
    }

    /// Looks anew for what every open document is read against. True when it has changed for any.
    fn refresh_contexts(&mut self) -> bool {
        let keys: Vec<_> = self.documents.iter().map(|(key, _)| key.clone()).collect();
        let changed = keys.into_iter().filter(|key| self.refresh_context(key)).count();
        changed > 0
    }

    /// Looks anew for what a document is read against. True when that has changed.
    pub(super) fn refresh_context(&mut self, key: &DocumentKey) -> bool {
        let Some(document) = self.documents.get(key) else { return false };
        let Some(snapshot) = document.snapshot() else { return false };
        let context = self.context(&document.uri, &head(document.text()));
        let is_same = *context == **snapshot.given();
        if !is_same {
            self.documents.set_context(key, context);
            self.queue.add(key.clone());
        }
        !is_same
    }

    /// The same, when the headers of the text no longer are those that it was read with.
    pub(super) fn follow_headers(&mut self, key: &DocumentKey) {
        let snapshot = self.documents.get(key).and_then(Document::snapshot);
        if snapshot.is_some_and(|snapshot| Headers::of(&head(&snapshot.text)) != snapshot.given().headers) {
            self.refresh_context(key);
        }
    }
}

/// As much of a text as may hold headers: the same stretch whether it comes from an editor or from a buffer.
fn head(text: &Buffer) -> Cow<'_, str> {
    text.slice(TextRange::new(0, MAX_HEAD.min(text.len())))
}

impl Session {
    pub(super) fn new(client: Client, outbox: Outbox) -> Self {
        Self { client, outbox, work: Notify::new(), state: Mutex::default() }
    }

    /// The state, locked. A panic under the lock leaves a state that is whole: documents change in one step.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the client is.
    pub(super) fn begin(&self, params: &Value) -> ClientProfile {
        let profile = ClientProfile::of(params);
        let mut state = self.state();
        state.client = profile.clone();
        state.queue.is_held = profile.has_configuration;
        self.set_settings(&mut state, &Value::Null);
        profile
    }

    /// Asks for the settings and takes them over when they come, however late. Findings wait for them a little.
    pub(super) fn ask_for_settings(self: &Arc<Self>) {
        let number = {
            let mut state = self.state();
            if !state.client.has_configuration {
                return;
            }
            state.asked += 1;
            state.asked
        };
        let session = self.clone();
        tokio::spawn(async move {
            let client = session.client.clone();
            let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
            // A task of its own, because tower-lsp panics when an answer finds that nobody waits for it any more.
            let mut answer = tokio::spawn(async move { client.configuration(vec![item]).await });
            let in_time = tokio::time::timeout(SETTINGS_PATIENCE, &mut answer).await;
            let answer = match in_time {
                Ok(answer) => answer,
                Err(_) => {
                    session.release();
                    answer.await
                }
            };
            if let Ok(Ok(sections)) = answer {
                let mut state = session.state();
                if state.answered < number {
                    state.answered = number;
                    session.set_settings(&mut state, sections.first().unwrap_or(&Value::Null));
                }
            }
            session.release();
        });
    }

    /// Asks for the settings unless that has been done, for clients that leave out `initialized`.
    pub(super) fn ask_for_settings_once(self: &Arc<Self>) {
        let is_first = self.state().asked == 0;
        if is_first {
            self.ask_for_settings();
        }
    }

    /// Hears that settings changed. Clients that can be asked send none, or those of one of many folders.
    pub(super) fn settings_changed(self: &Arc<Self>, settings: &Value) {
        let mut state = self.state();
        if state.client.has_configuration {
            drop(state);
            self.ask_for_settings();
        } else {
            self.set_settings(&mut state, &settings[SECTION]);
        }
    }

    /// Takes new settings over; what is read differently now waits to be analysed.
    fn set_settings(&self, state: &mut State, section: &Value) {
        let settings = Settings::of([&state.client.options, section]);
        if settings == state.settings {
            return;
        }
        state.settings = settings;
        self.reconsider(state);
    }

    /// Reads open documents against what is true now: settings or files beside them have changed.
    pub(super) fn reconsider(&self, state: &mut State) {
        if !state.refresh_contexts() {
            return;
        }
        if state.client.refreshes_lenses {
            let client = self.client.clone();
            tokio::spawn(async move { client.code_lens_refresh().await });
        }
    }

    /// Shows a page about a document, without waiting for the client.
    pub(super) fn show_page(&self, document: Url, page: String, summary: String) {
        let opens_documents = self.state().client.opens_documents;
        tokio::spawn(page::show(self.client.clone(), document, page, summary, opens_documents));
    }

    /// Asks to be told when settings change.
    pub(super) fn register(&self) {
        if !self.state().client.registers_configuration {
            return;
        }
        let registration = Registration {
            id: "settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(serde_json::json!({ "section": SECTION })),
        };
        let client = self.client.clone();
        tokio::spawn(async move { client.register_capability(vec![registration]).await });
    }

    fn release(&self) {
        self.state().queue.is_held = false;
        self.work.notify_one();
    }
}
