//! The state of a session, and how settings come to it.
//!
//! One lock guards it; nobody holds it across an `.await`, and nobody analyses under it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tower_lsp::Client;
use tower_lsp::lsp_types::{ConfigurationItem, Registration, Url};

use super::client_profile::ClientProfile;
use super::librarian::Librarian;
use super::page;
use super::publish::Queue;
use super::transport::Outbox;
use crate::ide::Context;
use crate::ide::header::Headers;
use crate::language::Language;
use crate::text::{Buffer, TextRange};
use crate::workspace::choice::{self, Wish};
use crate::workspace::sources;
use crate::workspace::{Document, DocumentKey, Documents, Settings, Sources};

/// The first findings wait so long for the settings.
const SETTINGS_PATIENCE: Duration = Duration::from_millis(200);
const SECTION: &str = "quantcfg";
/// What configurations are read against.
const WATCHED: [&str; 3] = ["**/*.proto", "**/*.layers.json", "**/quantcfg.toml"];
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
    /// What files hold. Locked while files are read, and never together with the state.
    sources: Mutex<Sources>,
    librarian: OnceLock<Librarian>,
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

    /// What is asked for from outside of a document at an address.
    fn wish(&self, path: Option<&Path>) -> Wish {
        let root = path.and_then(|path| {
            let around = self.client.folders.iter().filter(|folder| path.starts_with(folder));
            around.max_by_key(|folder| folder.as_os_str().len()).cloned()
        });
        Wish { root, settings: self.settings.clone(), ..Wish::default() }
    }

    /// True when the headers of a document no longer are those that it is read with.
    fn has_new_headers(&self, key: &DocumentKey) -> bool {
        let snapshot = self.documents.get(key).and_then(Document::snapshot);
        snapshot.is_some_and(|snapshot| Headers::of(&head(&snapshot.text)) != snapshot.given().headers)
    }
}

/// A document that is to be read against what is true now.
struct Candidate {
    key: DocumentKey,
    uri: String,
    revision: u64,
    head: String,
}

/// Where a document is saved.
fn path_of(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok()?.to_file_path().ok()
}

/// As much of a text as may hold headers: the same stretch whether it comes from an editor or from a buffer.
fn head(text: &Buffer) -> Cow<'_, str> {
    text.slice(TextRange::new(0, MAX_HEAD.min(text.len())))
}

impl Session {
    pub(super) fn new(client: Client, outbox: Outbox) -> Self {
        Self {
            client,
            outbox,
            work: Notify::new(),
            state: Mutex::default(),
            sources: Mutex::default(),
            librarian: OnceLock::new(),
        }
    }

    /// What a text at an address is read against. It looks at files, so call it without the state locked.
    pub(super) fn context(&self, uri: &str, text: &str) -> Arc<Context> {
        let text = &text[..text.floor_char_boundary(MAX_HEAD)];
        let path = path_of(uri);
        let (wish, language) = {
            let state = self.state();
            (state.wish(path.as_deref()), state.language())
        };
        Arc::new(choice::choose(text, path.as_deref(), &wish, language, &mut self.sources()))
    }

    /// Looks anew for what a document is read against, if its headers ask for something else now.
    pub(super) fn follow_headers(&self, key: &DocumentKey) {
        if self.state().has_new_headers(key) {
            self.reconsider_some(|other| other == key);
        }
    }

    /// Looks anew for what open documents are read against: settings or files have changed.
    pub(super) fn reconsider(&self) {
        if self.reconsider_some(|_| true) {
            self.state().queue.are_lenses_stale = true;
        }
        self.work.notify_one();
    }

    /// True when any of them is read differently now; those wait to be analysed.
    fn reconsider_some(&self, is_meant: impl Fn(&DocumentKey) -> bool) -> bool {
        let candidates: Vec<_> = {
            let state = self.state();
            let meant = state.documents.iter().filter(|(key, _)| is_meant(key));
            let candidate = |(key, document): (&DocumentKey, &Document)| Candidate {
                key: key.clone(),
                uri: document.uri.clone(),
                revision: document.revision,
                head: head(document.text()).into_owned(),
            };
            meant.filter(|(_, document)| document.snapshot().is_some()).map(candidate).collect()
        };
        let mut has_changed = false;
        for candidate in candidates {
            let context = self.context(&candidate.uri, &candidate.head);
            let mut state = self.state();
            let Some(document) = state.documents.get(&candidate.key) else { continue };
            // An edit meanwhile leaves it true, unless it was one of the headers: then that is followed by itself.
            let is_same = document.snapshot().is_none_or(|snapshot| *context == **snapshot.given());
            let is_outdated = document.revision != candidate.revision
                && Headers::of(&head(document.text())) != context.headers;
            if !is_same && !is_outdated {
                state.documents.set_context(&candidate.key, context);
                state.queue.add(candidate.key);
                has_changed = true;
            }
        }
        has_changed
    }

    /// Tells the client to ask for lenses again, if they have changed without an edit. Call it in the loop.
    pub(super) fn refresh_lenses(&self) {
        let is_due = {
            let mut state = self.state();
            let is_stale = std::mem::take(&mut state.queue.are_lenses_stale);
            is_stale && state.client.refreshes_lenses
        };
        if is_due {
            let client = self.client.clone();
            tokio::spawn(async move { client.code_lens_refresh().await });
        }
    }

    /// Takes note of the text of a schema that an editor has open, or (`None`) no longer has. What is read against it
    /// is read anew beside the loop.
    pub(super) fn set_schema_buffer(self: &Arc<Self>, uri: &str, text: Option<&str>) {
        let Some(path) = path_of(uri) else { return };
        // The same file as a header names it, whatever links lead to it.
        let path = path.canonicalize().unwrap_or(path);
        self.sources().set_buffer(&path, text);
        self.librarian().poke();
    }

    /// Looks at the files in use once a second, for clients that do not.
    pub(super) fn watch_files(self: &Arc<Self>) {
        self.librarian().watch();
    }

    fn librarian(self: &Arc<Self>) -> &Librarian {
        self.librarian.get_or_init(|| Librarian::start(Arc::downgrade(self)))
    }

    /// True when a file on which an open document depends is no longer what it was when it was read.
    pub(super) fn has_stale_files(&self) -> bool {
        let in_use: BTreeSet<_> = {
            let state = self.state();
            let snapshots = state.documents.iter().filter_map(|(_, document)| document.snapshot());
            snapshots.flat_map(|snapshot| snapshot.given().files.iter().cloned()).collect()
        };
        let stamps = self.sources().stamps(&in_use);
        stamps.into_iter().any(|(path, read)| sources::stamp(&path) != read)
    }

    fn sources(&self) -> MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, locked. A panic under the lock leaves a state that is whole: documents change in one step.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the client is.
    pub(super) fn begin(&self, params: &Value) -> ClientProfile {
        let profile = ClientProfile::of(params);
        {
            let mut state = self.state();
            state.client = profile.clone();
            state.queue.is_held = profile.has_configuration;
        }
        self.set_settings(&Value::Null);
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
                let is_newest = {
                    let mut state = session.state();
                    let is_newest = state.answered < number;
                    state.answered = state.answered.max(number);
                    is_newest
                };
                if is_newest {
                    session.set_settings(sections.first().unwrap_or(&Value::Null));
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
        let has_configuration = self.state().client.has_configuration;
        if has_configuration {
            self.ask_for_settings();
        } else {
            self.set_settings(&settings[SECTION]);
        }
    }

    /// Takes new settings over; what is read differently now waits to be analysed.
    fn set_settings(&self, section: &Value) {
        {
            let mut state = self.state();
            let base = state.client.folders.first().cloned().unwrap_or_default();
            let (options, _) = Settings::read(&state.client.options, &base);
            let (settings, complaints) = Settings::read(section, &base);
            for complaint in complaints {
                eprintln!("quantcfg: {}", complaint.message(Language::English));
            }
            let settings = settings.over(options);
            if settings == state.settings {
                return;
            }
            state.settings = settings;
        }
        self.reconsider();
    }

    /// Shows a page about a document, without waiting for the client.
    pub(super) fn show_page(&self, document: Url, page: String, summary: String) {
        let opens_documents = self.state().client.opens_documents;
        tokio::spawn(page::show(self.client.clone(), document, page, summary, opens_documents));
    }

    /// Asks to be told when settings and files change; looks at the files itself if the client does not.
    pub(super) fn register(self: &Arc<Self>) {
        let (configuration, files) = {
            let state = self.state();
            (state.client.registers_configuration, state.client.registers_files)
        };
        let mut registrations = Vec::new();
        if configuration {
            registrations.push(Registration {
                id: "settings".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(serde_json::json!({ "section": SECTION })),
            });
        }
        if files {
            let watchers: Vec<_> =
                WATCHED.iter().map(|glob| serde_json::json!({ "globPattern": glob })).collect();
            registrations.push(Registration {
                id: "files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: Some(serde_json::json!({ "watchers": watchers })),
            });
        } else {
            self.watch_files();
        }
        if registrations.is_empty() {
            return;
        }
        let client = self.client.clone();
        tokio::spawn(async move { client.register_capability(registrations).await });
    }

    fn release(&self) {
        self.state().queue.is_held = false;
        self.work.notify_one();
    }
}
