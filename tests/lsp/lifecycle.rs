//! From `initialize` to the end of the process, and its code.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, capabilities, frame};

const URI: &str = "file:///net/quant.cfg";
const HOVER: &str = "textDocument/hover";

fn at_start() -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } })
}

#[test]
fn initialize_offers_incremental_sync_and_the_features() {
    let client = Client::spawn();
    let offer = client.ask("initialize", json!({ "capabilities": capabilities() }));
    assert_eq!(offer["serverInfo"]["name"], "quantcfg");
    let offer = &offer["capabilities"];
    assert_eq!(offer["positionEncoding"], "utf-16");
    assert_eq!(offer["textDocumentSync"]["openClose"], true);
    assert_eq!(offer["textDocumentSync"]["change"], 2);
    for feature in ["hoverProvider", "completionProvider", "codeLensProvider"] {
        assert!(offer.get(feature).is_some(), "{feature}");
    }
}

#[test]
fn requests_out_of_phase_are_refused() {
    let client = Client::spawn();
    assert_eq!(client.error(HOVER, at_start()), -32002);
    assert_eq!(client.error("shutdown", Value::Null), -32002);
    assert_eq!(client.error("no/such", json!({})), -32002);
    // Before `initialize` notifications are dropped.
    client.open(URI, "a");
    assert_eq!(client.error("initialize", json!([])), -32602);
    client.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.text(URI), Value::Null);
    assert_eq!(client.error("initialize", json!({ "capabilities": {} })), -32600);
    client.ask("shutdown", Value::Null);
    assert_eq!(client.error(HOVER, at_start()), -32600);
    assert_eq!(client.error("initialize", json!({ "capabilities": {} })), -32600);
}

#[test]
fn values_that_the_server_has_never_heard_of_do_not_spoil_initialize() {
    let client = Client::start_with(json!({
        "processId": null, "rootUri": null, "workspaceFolders": null, "locale": null, "trace": "compact",
        "initializationOptions": null, "clientInfo": null,
        "capabilities": { "workspace": { "workspaceEdit": { "failureHandling": "pray" } }, "general": null,
            "textDocument": { "completion": { "completionItem": { "tagSupport": { "valueSet": ["x"] } } } } },
    }));
    assert_eq!(client.ask(HOVER, at_start()), Value::Null);
}

#[test]
fn exit_after_shutdown_ends_with_code_0_while_stdin_is_open() {
    let client = Client::start();
    client.ask("shutdown", Value::Null);
    client.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(client.exit_code(), 0);
}

#[test]
fn shutdown_and_exit_in_one_piece_get_their_answer() {
    for params in [json!({}), Value::Null, json!([])] {
        let client = Client::start();
        let shutdown = json!({ "jsonrpc": "2.0", "id": "last", "method": "shutdown", "params": params });
        let exit = json!({ "jsonrpc": "2.0", "method": "exit", "params": params });
        let mut bytes = frame(shutdown.to_string().as_bytes());
        bytes.extend(frame(exit.to_string().as_bytes()));
        client.send_bytes(&bytes);
        assert_eq!(client.answer("last")["result"], Value::Null);
        assert_eq!(client.exit_code(), 0);
    }
}

#[test]
fn exit_without_shutdown_ends_with_code_1() {
    let client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 1);
    let client = Client::spawn();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 1);
}

#[test]
fn exit_does_not_wait_for_requests_under_way() {
    let client = Client::start();
    client.request("quantcfg/test/wait", json!({ "milliseconds": 60_000 }));
    client.ask("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0);
}

#[test]
fn the_end_of_stdin_ends_the_process() {
    let client = Client::start();
    let last = client.request(HOVER, at_start());
    client.close_stdin();
    assert_eq!(client.result(last), Value::Null);
    assert_eq!(client.exit_code(), 1);

    let client = Client::start();
    client.ask("shutdown", Value::Null);
    client.close_stdin();
    assert_eq!(client.exit_code(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn the_server_does_not_outlive_its_client() {
    let mut editor = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let client = Client::start_with(json!({ "processId": editor.id(), "capabilities": {} }));
    client.ask(HOVER, at_start());
    drop(editor.stdin.take());
    editor.wait().unwrap();
    assert_eq!(client.exit_code(), 1);
}

#[test]
fn a_process_that_cannot_be_seen_is_not_missed() {
    // As from within a container. The number is above every limit of Linux.
    let client = Client::start_with(json!({ "processId": 2_000_000_000, "capabilities": {} }));
    client.ask("quantcfg/test/wait", json!({ "milliseconds": 1 }));
    assert_eq!(client.ask(HOVER, at_start()), Value::Null);
}
