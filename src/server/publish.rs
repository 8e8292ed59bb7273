//! Which documents are to be analysed, and in what order their findings go out.
//!
//! A revision marks one reading of a document: it changes with the text and with what the text is read against. What
//! is found about a revision goes out only while the document is still at it, decided under the lock that edits and
//! closing take too; so nothing old can follow anything newer, whichever thread found it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tower_lsp::lsp_types::{PublishDiagnosticsParams, Url};

use super::client_profile::ClientProfile;
use super::message::Notification;
use super::session::Session;
use super::to_lsp;
use crate::analysis::{Diagnostic, Severity};
use crate::ide::shown::shown;
use crate::ide::status::Status;
use crate::language::Language;
use crate::text::{Buffer, TextRange};
use crate::workspace::DocumentKey;
use crate::workspace::documents::{Content, Document, MAX_ANALYSED};

/// Texts up to this size are analysed between two messages, larger ones beside them.
const INLINE: usize = 128 << 10;
/// So long may a stream of messages keep findings back.
const PATIENCE: Duration = Duration::from_millis(100);
/// More findings than these help nobody.
const MAX_FINDINGS: usize = 500;

/// The documents that wait to be analysed.
#[derive(Debug, Default)]
pub(super) struct Queue {
    due: Vec<DocumentKey>,
    since: Option<Instant>,
    /// Nothing goes out until the settings are known or have taken too long.
    pub(super) is_held: bool,
    worker: Option<Sender<Job>>,
    /// Lenses have changed though no text did.
    pub(super) are_lenses_stale: bool,
    /// What the client was last told about each open document.
    told: HashMap<DocumentKey, Status>,
}

#[derive(Debug)]
struct Job {
    key: DocumentKey,
    document: Document,
}

impl Queue {
    /// Adds a document, unless it waits already.
    pub(super) fn add(&mut self, key: DocumentKey) {
        if !self.due.contains(&key) {
            self.due.push(key);
        }
        self.since.get_or_insert_with(Instant::now);
    }

    /// True when findings have been kept back for too long.
    pub(super) fn is_overdue(&self) -> bool {
        !self.is_held && self.since.is_some_and(|since| since.elapsed() > PATIENCE)
    }

    /// Forgets a document that is closed.
    fn forget(&mut self, key: &DocumentKey) {
        self.due.retain(|due| due != key);
        self.told.remove(key);
    }

    fn take(&mut self) -> Vec<DocumentKey> {
        if self.is_held {
            return Vec::new();
        }
        self.since = None;
        std::mem::take(&mut self.due)
    }
}

/// Analyses every document that waits.
pub(super) fn publish_due(session: &Arc<Session>) {
    session.refresh_lenses();
    let due = session.state().queue.take();
    for key in due {
        let job = {
            let mut state = session.state();
            // It may have been closed since.
            let Some(document) = state.documents.get(&key) else { continue };
            let is_small = document.text().len() <= INLINE;
            let job = Job { key, document: document.clone() };
            if is_small {
                job
            } else {
                let worker = state.queue.worker.take().or_else(|| start_worker(session));
                match worker.as_ref().map(|worker| worker.send(job)) {
                    Some(Ok(())) => {
                        state.queue.worker = worker;
                        continue;
                    }
                    Some(Err(unsent)) => unsent.0,
                    None => continue,
                }
            }
        };
        analyse(session, &job);
    }
}

/// Starts the thread for large documents.
fn start_worker(session: &Arc<Session>) -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let session = session.clone();
    let worker = thread::Builder::new().name("analysis".to_owned()).spawn(move || {
        while let Ok(job) = jobs.recv() {
            if is_current(&session.state().documents, &job) {
                analyse(&session, &job);
            }
        }
    });
    worker
        .inspect_err(|error| eprintln!("quantcfg: no thread for large documents: {error}"))
        .ok()
        .map(|_| sender)
}

fn is_current(documents: &crate::workspace::Documents, job: &Job) -> bool {
    documents.get(&job.key).is_some_and(|document| document.revision == job.document.revision)
}

fn analyse(session: &Session, job: &Job) {
    let (client, language) = {
        let state = session.state();
        (state.client.clone(), state.language())
    };
    let findings = catch_unwind(AssertUnwindSafe(|| findings(&job.document, language)))
        .unwrap_or_else(|_| vec![our_fault(language)]);
    let status = catch_unwind(AssertUnwindSafe(|| job.document.snapshot().map(Status::of))).ok().flatten();
    let Ok(uri) = Url::parse(&job.document.uri) else { return };
    let message = message(findings, job.document.text(), uri, job.document.version, &client, language);
    let mut state = session.state();
    if !is_current(&state.documents, job) {
        return;
    }
    session.outbox.send(&message);
    if let Some(status) = status
        && state.queue.told.get(&job.key) != Some(&status)
    {
        session.outbox.send(&to_lsp::status(&job.document.uri, &status));
        state.queue.told.insert(job.key.clone(), status);
    }
}

type Message = Notification<'static, PublishDiagnosticsParams>;

fn message(
    mut findings: Vec<Diagnostic>,
    text: &Buffer,
    uri: Url,
    version: i32,
    client: &ClientProfile,
    language: Language,
) -> Message {
    if findings.len() > MAX_FINDINGS {
        let more = findings.len() - MAX_FINDINGS;
        let at = findings[MAX_FINDINGS].range;
        findings.truncate(MAX_FINDINGS);
        let text = language.pick(
            format!("{more} more findings from here on are not shown; mend some of those above first"),
            format!("此处之后另有 {more} 条问题未显示，请先处理前面的问题"),
        );
        findings.push(Diagnostic::new("more-findings", Severity::Information, at, text));
    }
    let diagnostics =
        findings.into_iter().map(|f| to_lsp::diagnostic(f, text, &uri, client, language)).collect();
    let params = PublishDiagnosticsParams { uri, diagnostics, version: Some(version) };
    Notification::new("textDocument/publishDiagnostics", params)
}

/// Takes all findings of a closed document back. Call it under the lock that closed it.
pub(super) fn withdraw(session: &Session, queue: &mut Queue, key: &DocumentKey, document: &Document) {
    queue.forget(key);
    let Ok(uri) = Url::parse(&document.uri) else { return };
    let params = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
    session.outbox.send(&Notification::new("textDocument/publishDiagnostics", params));
}

fn findings(document: &Document, language: Language) -> Vec<Diagnostic> {
    match document.content() {
        Content::Read(snapshot) => shown(snapshot),
        // What is wrong with a schema shows where it is used.
        Content::Schema(_) => Vec::new(),
        Content::TooBig(_) => {
            let limit = MAX_ANALYSED >> 20;
            let text = language.pick(
                format!("this document is larger than {limit} MiB, so it is not analysed; no findings here does not mean that AMCT accepts it"),
                format!("该文件超过 {limit} MiB，未作分析；此处没有问题不代表 AMCT 能接受它"),
            );
            vec![Diagnostic::new("document-too-large", Severity::Information, TextRange::empty(0), text)]
        }
    }
}

/// An empty list would say that all is well.
fn our_fault(language: Language) -> Diagnostic {
    let text = language.pick(
        "quantcfg failed on this text, which is a fault of quantcfg: findings are missing until the text changes. Its log has the details",
        "quantcfg 分析此文本时出错（quantcfg 自身的缺陷）：在文本改变之前问题列表不完整，详见其日志",
    );
    Diagnostic::new("internal-error", Severity::Warning, TextRange::empty(0), text)
}
