//! Texts of documents: addresses, opening, closing, sizes.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///net/quant.cfg";

fn close(client: &Client, uri: &str) {
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
}

/// A document opened under one address is changed under the other, and findings bear the first.
#[track_caller]
fn one_document(opened: &str, changed: &str) {
    let client = Client::start();
    client.open(opened, "a");
    client.change(changed, 2, &[([0, 1, 0, 1], "b")]);
    client.findings(opened, 2);
    assert_eq!(client.text(opened), "ab");
    assert_eq!(client.text(changed), "ab");
    close(&client, changed);
    let is_withdrawn = |params: &Value| params["diagnostics"] == json!([]) && params["uri"] == opened;
    client.wait_for("textDocument/publishDiagnostics", is_withdrawn);
    assert_eq!(client.text(opened), Value::Null);
}

#[test]
fn one_document_may_be_spelled_in_many_ways() {
    one_document("file:///c%3A/a%20b/quant.cfg", "file:///C:/a b/quant.cfg");
    one_document("file:///C:/a b/quant.cfg", "file:///c%3A/a%20b/quant.cfg");
    one_document("file:///%E5%B1%82/quant.cfg", "file:///%e5%b1%82/quant.cfg");
    one_document("file:///层/quant.cfg", "file:///%e5%b1%82/quant.cfg");
    one_document("untitled:quant.cfg", "untitled:quant.cfg");
    one_document("untitled:Untitled-1", "untitled:Untitled%2D1");
    one_document("file:///a/%25.cfg", "file:///a/%25.cfg");
}

#[test]
fn the_language_id_is_only_a_hint() {
    let client = Client::start();
    for language in ["conf", "cfg", "plaintext", "", "🚀"] {
        let document = json!({ "uri": URI, "languageId": language, "version": 1, "text": "a" });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        client.findings(URI, 1);
        close(&client, URI);
    }
}

#[test]
fn several_changes_of_one_notification_follow_one_another() {
    let client = Client::start();
    client.open(URI, "common_config {}");
    client.change(URI, 2, &[([0, 15, 0, 15], "\n"), ([1, 0, 1, 0], "\t\t"), ([0, 0, 0, 6], "")]);
    assert_eq!(client.text(URI), "_config {\n\t\t}");
}

#[test]
fn ranges_past_the_end_or_reversed_are_mended() {
    let client = Client::start();
    client.open(URI, "batch_num: 1");
    client.change(URI, 2, &[([0, 5000, 99, 0], "!")]);
    assert_eq!(client.text(URI), "batch_num: 1!");
    client.change(URI, 3, &[([0, 13, 0, 12], "")]);
    assert_eq!(client.text(URI), "batch_num: 1");
    client.change(URI, 4, &[([7, 7, 3, 3], "\n😀")]);
    client.change(URI, 5, &[([1, 1, 1, 1], "x")]);
    assert_eq!(client.text(URI), "batch_num: 1\nx😀");
    client.change(URI, 6, &[([0, 0, u32::MAX, u32::MAX], "")]);
    assert_eq!(client.text(URI), "");
}

#[test]
fn a_version_may_go_back_and_a_document_be_opened_twice() {
    let client = Client::start();
    client.open(URI, "a");
    client.change(URI, 9, &[([0, 1, 0, 1], "b")]);
    client.change(URI, 3, &[([0, 2, 0, 2], "c")]);
    assert_eq!(client.text(URI), "abc");
    client.findings(URI, 3);
    client.open(URI, "new");
    client.change(URI, 2, &[([0, 3, 0, 3], "er")]);
    assert_eq!(client.text(URI), "newer");
    client.findings(URI, 2);
}

#[test]
fn what_is_not_open_is_not_touched() {
    let client = Client::start();
    client.change(URI, 2, &[([0, 0, 0, 0], "b")]);
    close(&client, URI);
    assert_eq!(client.text(URI), Value::Null);
    let position = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.ask("textDocument/hover", position.clone()), Value::Null);
    assert_eq!(client.ask("textDocument/completion", position), Value::Null);
    assert_eq!(client.notifications(), Vec::<Value>::new());
}

#[test]
fn a_document_beyond_the_limit_is_kept_in_sync_and_left_alone() {
    let client = Client::start();
    let line = "# 一个很大的文件 ------------------------------------------------\n";
    let text = line.repeat((33 << 20) / line.len());
    client.open(URI, &text);
    client.change(URI, 2, &[([0, 0, 0, 1], "x")]);
    let findings = client.findings(URI, 2);
    assert_eq!(findings.as_array().unwrap().len(), 1);
    assert_eq!((&findings[0]["code"], &findings[0]["severity"]), (&json!("document-too-large"), &json!(3)));
    let document = json!({ "uri": URI });
    let position = json!({ "textDocument": document, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.ask("textDocument/hover", position.clone()), Value::Null);
    assert_eq!(client.ask("textDocument/completion", position), Value::Null);
    assert_eq!(client.ask("textDocument/codeLens", json!({ "textDocument": document })), Value::Null);
    // Small again, it is analysed again.
    client.change(URI, 3, &[([1, 0, u32::MAX, 0], "")]);
    assert_eq!(client.text(URI), format!("x{}", &line[1..]));
    assert!(client.findings(URI, 3).as_array().unwrap().iter().all(|f| f["code"] != "document-too-large"));
}
