//! A small client: starts the program, speaks frames, and looks closely at everything it is told.
//!
//! With `QUANTCFG_LSP_TRACE` every message of a session is written into a file of that folder, for
//! `tests/lsp/conformance`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes this long unless it is broken.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub struct Client {
    child: RefCell<Child>,
    stdin: RefCell<Option<ChildStdin>>,
    incoming: Receiver<Value>,
    last_id: Cell<i64>,
    /// What came while something else was waited for.
    answers: RefCell<HashMap<String, Value>>,
    notifications: RefCell<Vec<Value>>,
    /// Requests of the server, for tests that answer them late or never.
    pub asked: RefCell<Vec<Value>>,
    answers_requests: Cell<bool>,
    trace: Trace,
}

/// The file that a session is written to, if that is asked for.
#[derive(Clone)]
struct Trace(Option<Arc<Mutex<File>>>);

impl Trace {
    fn of_process(id: u32) -> Self {
        Self(std::env::var_os("QUANTCFG_LSP_TRACE").map(|folder| {
            std::fs::create_dir_all(&folder).unwrap();
            let path = Path::new(&folder).join(format!("{id}.jsonl"));
            Arc::new(Mutex::new(File::create(path).unwrap()))
        }))
    }

    fn add(&self, from: &str, message: &Value) {
        if let Some(file) = &self.0 {
            writeln!(file.lock().unwrap(), "{}", json!({ "from": from, "message": message })).unwrap();
        }
    }
}

/// What an ordinary editor can do.
pub fn capabilities() -> Value {
    json!({
        "workspace": { "configuration": true, "didChangeConfiguration": { "dynamicRegistration": true },
            "codeLens": { "refreshSupport": true } },
        "textDocument": {
            "publishDiagnostics": { "versionSupport": true, "relatedInformation": true,
                "dataSupport": true, "tagSupport": { "valueSet": [1, 2] } },
            "completion": { "completionItem": { "snippetSupport": true,
                "documentationFormat": ["markdown", "plaintext"] } },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "definition": { "linkSupport": true },
            "typeDefinition": { "linkSupport": true },
        },
    })
}

impl Client {
    /// Starts the program and says nothing.
    pub fn spawn() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quantcfg"))
            .arg("lsp")
            .env("QUANTCFG_TEST", "1")
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = RefCell::new(child.stdin.take());
        let stdout = child.stdout.take().unwrap();
        let (sender, incoming) = channel();
        let trace = Trace::of_process(child.id());
        let heard = trace.clone();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout) {
                heard.add("server", &message);
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            child: RefCell::new(child),
            stdin,
            incoming,
            // Far from the ids that tests choose themselves.
            last_id: Cell::new(1000),
            answers: RefCell::default(),
            notifications: RefCell::default(),
            asked: RefCell::default(),
            answers_requests: Cell::new(true),
            trace,
        }
    }

    /// A server that is ready.
    pub fn start() -> Self {
        Self::start_with(json!({ "capabilities": capabilities() }))
    }

    /// A server that is ready, with other parameters of `initialize`.
    pub fn start_with(params: Value) -> Self {
        let client = Self::spawn();
        client.ask("initialize", params);
        client.notify("initialized", json!({}));
        client
    }

    /// The id of the server's process.
    pub fn process(&self) -> u32 {
        self.child.borrow().id()
    }

    /// From now on requests of the server are only collected.
    pub fn leave_requests_open(&self) {
        self.answers_requests.set(false);
    }

    /// Writes bytes as they are.
    pub fn send_bytes(&self, bytes: &[u8]) {
        let mut stdin = self.stdin.borrow_mut();
        let stdin = stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Writes a message.
    pub fn send(&self, message: &Value) {
        self.trace.add("client", message);
        self.send_bytes(&frame(message.to_string().as_bytes()));
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub fn request(&self, method: &str, params: Value) -> i64 {
        self.last_id.set(self.last_id.get() + 1);
        let id = self.last_id.get();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The whole answer to a request.
    #[track_caller]
    pub fn answer(&self, id: impl Into<Value>) -> Value {
        let id = id.into().to_string();
        loop {
            if let Some(answer) = self.answers.borrow_mut().remove(&id) {
                return answer;
            }
            assert!(self.receive(PATIENCE), "no answer to request {id}");
        }
    }

    /// The result of a request that has to succeed.
    #[track_caller]
    pub fn result(&self, id: i64) -> Value {
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Sends a request that has to succeed and waits for its result.
    #[track_caller]
    pub fn ask(&self, method: &str, params: Value) -> Value {
        self.result(self.request(method, params))
    }

    /// Sends a request that has to fail and waits for the code of its error.
    #[track_caller]
    pub fn error(&self, method: &str, params: Value) -> i64 {
        let answer = self.answer(self.request(method, params));
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
    }

    /// True when a request has been answered already.
    pub fn has_answer(&self, id: i64) -> bool {
        while self.receive(Duration::ZERO) {}
        self.answers.borrow().contains_key(&id.to_string())
    }

    /// All answers that nobody has waited for, as far as they came before the last one that somebody did wait for.
    pub fn take_answers(&self) -> Vec<Value> {
        self.answers.take().into_values().collect()
    }

    /// The parameters of the next notification `method` that `is_wanted`. What came before it is forgotten.
    #[track_caller]
    pub fn wait_for(&self, method: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut notifications = self.notifications.borrow_mut();
            let found = notifications.iter().position(|n| n["method"] == method && is_wanted(&n["params"]));
            if let Some(found) = found {
                return notifications.drain(..=found).next_back().unwrap()["params"].take();
            }
            drop(notifications);
            assert!(self.receive(PATIENCE), "no {method}");
        }
    }

    /// All notifications so far. Whatever the server sent before it answered this client's last request is there.
    pub fn notifications(&self) -> Vec<Value> {
        self.notifications.take()
    }

    /// Waits for the server to ask something.
    #[track_caller]
    pub fn wait_for_request(&self, method: &str) -> Value {
        loop {
            if let Some(found) = self.asked.borrow().iter().find(|request| request["method"] == method) {
                return found.clone();
            }
            assert!(self.receive(PATIENCE), "the server never asked {method}");
        }
    }

    /// Opens a document.
    pub fn open(&self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "textproto", "version": 1, "text": text } }),
        );
    }

    /// Sends changes: start and end as line and character, and the new text.
    pub fn change(&self, uri: &str, version: i64, changes: &[([u32; 4], &str)]) {
        let changes: Vec<_> = changes
            .iter()
            .map(|([line, character, end_line, end_character], text)| {
                json!({ "text": text, "range": {
                    "start": { "line": line, "character": character },
                    "end": { "line": end_line, "character": end_character } } })
            })
            .collect();
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes }),
        );
    }

    /// The text that the server has, or null.
    #[track_caller]
    pub fn text(&self, uri: &str) -> Value {
        self.ask("quantcfg/test/text", json!({ "uri": uri }))["text"].take()
    }

    /// The findings of a version.
    #[track_caller]
    pub fn findings(&self, uri: &str, version: i64) -> Value {
        let is_wanted = |params: &Value| params["uri"] == uri && params["version"] == version;
        self.wait_for("textDocument/publishDiagnostics", is_wanted)["diagnostics"].take()
    }

    /// Closes the server's stdin.
    pub fn close_stdin(&self) {
        self.stdin.take();
    }

    /// Waits for the end of the process. Its stdin stays as it is.
    #[track_caller]
    pub fn exit_code(&self) -> i32 {
        // stdout closes with the process.
        while self.receive(PATIENCE) {}
        let mut child = self.child.borrow_mut();
        for _ in 0..1000 {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the process lives on");
    }

    /// Takes in one message. False when none came in time or none will come any more.
    fn receive(&self, patience: Duration) -> bool {
        let message = match self.incoming.recv_timeout(patience) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        };
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        match (message.get("method"), message.get("id")) {
            (Some(_), Some(id)) => {
                if let Some(stdin) = self.stdin.borrow_mut().as_mut().filter(|_| self.answers_requests.get())
                {
                    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                    // The server may have ended meanwhile.
                    let _ = stdin.write_all(&frame(answer.to_string().as_bytes()));
                }
                self.asked.borrow_mut().push(message);
            }
            (Some(_), None) => self.notifications.borrow_mut().push(message),
            (None, Some(id)) => {
                assert!(message.get("result").is_some() != message.get("error").is_some(), "{message}");
                self.answers.borrow_mut().insert(id.to_string(), message);
            }
            (None, None) => panic!("{message}"),
        }
        true
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut child = self.child.borrow_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A body with its header.
pub fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Reads a frame, strictly: anything else on stdout is a fault.
fn read_message(stdout: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    if stdout.read_line(&mut header).ok()? == 0 {
        return None;
    }
    let length = header.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
    let mut body = vec![0; length.unwrap_or_else(|| panic!("{header:?}")).parse().unwrap()];
    let mut blank = [0; 2];
    stdout.read_exact(&mut blank).ok()?;
    assert_eq!(&blank, b"\r\n");
    stdout.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
