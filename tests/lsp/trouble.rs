//! Clients that do not answer, do not read, or go away; and faults of our own.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, capabilities, frame};

const URI: &str = "file:///net/quant.cfg";

#[test]
fn a_client_that_never_answers_is_served_with_defaults() {
    let client = Client::start();
    client.leave_requests_open();
    client.open(URI, "");
    for _ in 0..8 {
        client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    }
    client.findings(URI, 1);
    assert_eq!(client.text(URI), "");
}

#[test]
fn late_double_and_odd_answers_hurt_nobody() {
    let client = Client::start();
    client.leave_requests_open();
    client.open(URI, "");
    let id = client.wait_for_request("workspace/configuration")["id"].take();
    // It has given up waiting by then.
    client.findings(URI, 1);
    for answer in [
        json!({ "id": id, "error": { "code": -32601, "message": "no" } }),
        json!({ "id": id, "result": [] }),
        json!({ "id": id, "error": 3 }),
        json!({ "id": id }),
        json!({ "id": 99, "result": null }),
        json!({ "id": "x", "result": null }),
        json!({ "id": -1, "result": null, "error": null }),
    ] {
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        client.send(&answer);
    }
    assert_eq!(client.text(URI), "");
}

#[test]
fn a_client_that_does_not_read_is_read_from() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quantcfg"))
        .arg("lsp")
        .env("QUANTCFG_TEST", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut send = |message: Value| stdin.write_all(&frame(message.to_string().as_bytes())).unwrap();
    let initialize = json!({ "capabilities": capabilities() });
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize }));
    let text = "x".repeat(64 << 10);
    let document = json!({ "uri": URI, "languageId": "", "version": 1, "text": text });
    send(
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    );
    // Questions and answers are far more than both pipes hold. If either side waited, this would never end.
    for id in 1..200 {
        let params = json!({ "uri": URI, "padding": text });
        send(json!({ "jsonrpc": "2.0", "id": id, "method": "quantcfg/test/text", "params": params }));
    }
    send(json!({ "jsonrpc": "2.0", "id": "last", "method": "shutdown" }));
    send(json!({ "jsonrpc": "2.0", "method": "exit" }));
    // Nor does it wait for ever with its last words.
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_client_that_closes_its_end_of_stdout_is_left() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quantcfg"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let request =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } });
    stdin.write_all(&frame(request.to_string().as_bytes())).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_panic_costs_one_answer() {
    let client = Client::start();
    client.open(URI, "a");
    assert_eq!(client.error("quantcfg/test/panic", Value::Null), -32603);
    client.notify("quantcfg/test/panicWithoutAnswer", Value::Null);
    client.change(URI, 2, &[([0, 1, 0, 1], "b")]);
    assert_eq!(client.text(URI), "ab");
    client.findings(URI, 2);
}
