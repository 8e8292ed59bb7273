//! The loop that takes one message after another to its handler: order, cancelling, panics, the phases of a session.
//!
//! It stands in for `tower_lsp::Server`, whose loop lets edits overtake each other, ends on bad input, hangs after a
//! panic and outlives `exit`. It knows no feature: tower-lsp's `LspService` routes to those.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::FuturesUnordered;
use futures::{Sink, SinkExt, StreamExt, poll};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_lsp::{ClientSocket, ExitedError, LspService};

use super::backend::Backend;
use super::message::{self, Incoming, complaint};
use super::transport::Outbox;

/// How long the last answers may take to reach a client that wants to exit.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);
/// How often the client's process is looked for.
const CLIENT_CHECK: Duration = Duration::from_secs(1);
const NOT_INITIALIZED: ErrorCode = ErrorCode::ServerError(-32002);

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client had asked for `shutdown` before.
    Orderly,
    /// It had not.
    Abrupt,
}

/// Serves until the client says `exit`, closes stdin or stdout, or its process is gone.
pub(super) async fn serve(
    mut messages: UnboundedReceiver<Incoming>,
    service: LspService<Backend>,
    client: ClientSocket,
    outbox: Outbox,
    mut stdout_closed: UnboundedReceiver<()>,
) -> Ending {
    let (mut requests_of_ours, answers) = client.split();
    let mut dispatcher = Dispatcher {
        service,
        answers,
        outbox,
        phase: Phase::Uninitialized,
        last_id: 0,
        under_way: HashMap::new(),
        calls: FuturesUnordered::new(),
        client_gone: futures::future::pending().boxed(),
    };
    loop {
        // Of several things that are ready any may come first; only the order of messages matters, and a queue keeps it.
        tokio::select! {
            message = messages.recv() => match message {
                Some(message) => if dispatcher.take(message).await.is_break() { break },
                None => break,
            },
            Some(call) = dispatcher.calls.next() => dispatcher.finish(call),
            Some(request) = requests_of_ours.next() => dispatcher.outbox.send(&request),
            () = dispatcher.service.inner().work_is_due() => {}
            _ = stdout_closed.recv() => break,
            () = &mut dispatcher.client_gone => break,
        }
        let backend = dispatcher.service.inner();
        if messages.is_empty() || backend.is_overdue() {
            // What was not published is published with the next version.
            let _ = catch_unwind(AssertUnwindSafe(|| backend.publish_due()));
        }
    }
    dispatcher.outbox.flush(FLUSH_PATIENCE);
    if dispatcher.phase == Phase::ShutDown { Ending::Orderly } else { Ending::Abrupt }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Uninitialized,
    Running,
    ShutDown,
}

struct Dispatcher<A> {
    service: LspService<Backend>,
    /// Takes the client's answers to requests of ours.
    answers: A,
    outbox: Outbox,
    phase: Phase,
    /// Requests get ids of our own towards tower-lsp, so that no id of a client can confuse it.
    last_id: i32,
    /// Requests without an answer yet: the client's id as JSON text, and ours.
    under_way: HashMap<String, i32>,
    calls: FuturesUnordered<BoxFuture<'static, Finished>>,
    client_gone: BoxFuture<'static, ()>,
}

/// A call that came to its end.
struct Finished {
    /// The client's id and ours, for a request.
    ids: Option<(Value, i32)>,
    /// The answer, if the handler lived to give one.
    outcome: Result<Option<Response>, Panicked>,
}

struct Panicked;

impl<A: Sink<Response, Error = ExitedError> + Unpin> Dispatcher<A> {
    /// Deals with a message. Break means `exit`.
    async fn take(&mut self, message: Incoming) -> ControlFlow<()> {
        match message {
            Incoming::Request { id, method, params } => self.request(id, method, params).await,
            Incoming::Notification { method, params } => return self.notification(method, params).await,
            Incoming::Response(response) => {
                let waiter = AssertUnwindSafe(self.answers.send(response));
                // It panics when nobody waits any more.
                let _ = waiter.catch_unwind().await;
            }
            Incoming::Invalid { id, error } => self.answer(&id, Err(error)),
        }
        ControlFlow::Continue(())
    }

    async fn request(&mut self, id: Value, method: String, params: Option<Value>) {
        let refusal = match (self.phase, method.as_str()) {
            (Phase::ShutDown, _) => Some(complaint(ErrorCode::InvalidRequest, "the server is shut down")),
            (_, "exit") => Some(complaint(ErrorCode::InvalidRequest, "exit is a notification")),
            (Phase::Running, "initialize") => {
                Some(complaint(ErrorCode::InvalidRequest, "the server is initialized already"))
            }
            (Phase::Uninitialized, "initialize") => None,
            (Phase::Uninitialized, _) => Some(complaint(NOT_INITIALIZED, "initialize has to come first")),
            _ if self.under_way.contains_key(&id.to_string()) => {
                Some(complaint(ErrorCode::InvalidRequest, "a request with this id is under way"))
            }
            _ => None,
        };
        if let Some(error) = refusal {
            return self.answer(&id, Err(error));
        }
        let params = match (method.as_str(), params) {
            ("initialize", Some(params @ Value::Object(_))) => {
                if let Some(process) = params["processId"].as_u64() {
                    self.client_gone = client_gone(process);
                }
                // Taken from here by the handler as it is: see `ClientProfile`.
                Some(json!({ "capabilities": {}, "initializationOptions": params }))
            }
            ("shutdown", _) => {
                self.phase = Phase::ShutDown;
                // Some clients send null or {}.
                None
            }
            (_, params) => params,
        };
        self.last_id = self.last_id.wrapping_add(1);
        let ours = self.last_id;
        self.under_way.insert(id.to_string(), ours);
        let mut request = Request::build(method).id(i64::from(ours));
        if let Some(params) = params {
            request = request.params(params);
        }
        self.call(request.finish(), Some((id, ours))).await;
    }

    async fn notification(&mut self, method: String, params: Option<Value>) -> ControlFlow<()> {
        let params = match (method.as_str(), params) {
            ("exit", _) => return ControlFlow::Break(()),
            ("$/cancelRequest", params) => {
                let id = params.as_ref().map(|params| params["id"].to_string());
                if let Some(&ours) = id.and_then(|id| self.under_way.get(&id)) {
                    self.cancel(ours).await;
                }
                return ControlFlow::Continue(());
            }
            // Requests without an id cannot be answered, and must not change the phase behind our back.
            ("initialize" | "shutdown", _) => return ControlFlow::Continue(()),
            ("initialized", None) => Some(json!({})),
            ("textDocument/didOpen", Some(params)) => {
                self.outbox.note_spelling(&params);
                Some(params)
            }
            (_, params) => params,
        };
        if self.phase == Phase::Running {
            let mut request = Request::build(method);
            if let Some(params) = params {
                request = request.params(params);
            }
            self.call(request.finish(), None).await;
        }
        ControlFlow::Continue(())
    }

    /// Starts a call and polls it once before anything else happens, so that handlers see messages in order as far as
    /// their first `.await`.
    async fn call(&mut self, request: Request, ids: Option<(Value, i32)>) {
        let service = &mut self.service;
        let called = catch_unwind(AssertUnwindSafe(|| service.call(request)));
        let mut call = async move {
            let outcome = match called {
                Ok(handler) => match AssertUnwindSafe(handler).catch_unwind().await {
                    Ok(Ok(response)) => Ok(response),
                    // tower-lsp believes that it has exited, which only this loop decides.
                    Ok(Err(_)) => Ok(None),
                    Err(_) => Err(Panicked),
                },
                Err(_) => Err(Panicked),
            };
            Finished { ids, outcome }
        }
        .boxed();
        match poll!(&mut call) {
            std::task::Poll::Ready(finished) => self.finish(finished),
            std::task::Poll::Pending => self.calls.push(call),
        }
    }

    /// Lets tower-lsp drop the handler of a request. Its answer is then "cancelled", if it has none yet.
    async fn cancel(&mut self, ours: i32) {
        let cancel = Request::build("$/cancelRequest").params(json!({ "id": ours })).finish();
        let _ = self.service.call(cancel).await;
    }

    fn finish(&mut self, call: Finished) {
        let Some((id, ours)) = call.ids else { return };
        self.under_way.remove(&id.to_string());
        let result = match call.outcome {
            Ok(Some(response)) => response.into_parts().1,
            // tower-lsp gives no answer to unknown requests that begin with `$/`.
            Ok(None) => Err(Error::method_not_found()),
            Err(Panicked) => {
                // It still holds the id of the request.
                let _ = self.cancel(ours).now_or_never();
                Err(complaint(ErrorCode::InternalError, "internal error: see the log of quantcfg"))
            }
        };
        if self.phase == Phase::Uninitialized && result.is_ok() {
            self.phase = Phase::Running;
        }
        self.answer(&id, result);
    }

    fn answer(&self, id: &Value, result: Result<Value, Error>) {
        self.outbox.send(&message::answer(id, result));
    }
}

/// Resolves when a process has ended. One that is not to be seen now, as from within a container, is not watched; nor is
/// any where there is no /proc: closing stdin tells as much.
fn client_gone(process: u64) -> BoxFuture<'static, ()> {
    let entry = PathBuf::from(format!("/proc/{process}"));
    // Looked at here and not when the future is first polled: by then the client may have ended.
    if !entry.exists() {
        return futures::future::pending().boxed();
    }
    let watch = async move {
        while entry.exists() {
            tokio::time::sleep(CLIENT_CHECK).await;
        }
    };
    watch.boxed()
}
