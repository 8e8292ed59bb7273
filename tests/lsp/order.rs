//! Messages take effect in the order in which they were sent, however fast they come.

use serde_json::{Value, json};

use crate::client::Client;
use crate::model::{Dice, Model};

const URI: &str = "file:///net/quant.cfg";

#[test]
fn ten_thousand_edits_without_waiting_leave_the_text_of_the_client() {
    let client = Client::start();
    client.leave_requests_open();
    let mut dice = Dice(7);
    let mut model = Model::new("");
    client.open(URI, "");
    let mut requests = Vec::new();
    for version in 2..10_002 {
        let range = model.range(&mut dice);
        let text = ["batch_num: 1\n", "x", "\n", "层😀", "\"", "{", "}\n", "", "# 量化\n"][dice.roll(9)];
        model.replace(range, text);
        client.change(URI, version, &[(range.map(|n| n as u32), text)]);
        if dice.roll(50) == 0 {
            let position = json!({ "line": dice.roll(100), "character": dice.roll(20) });
            let params = json!({ "textDocument": { "uri": URI }, "position": position });
            let method = ["textDocument/hover", "textDocument/completion"][dice.roll(2)];
            requests.push(client.request(method, params));
        }
        if dice.roll(1000) == 0 {
            // Answers of the client that come late and more than once, and settings that change meanwhile.
            client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
            for request in client.asked.borrow().iter() {
                client.send(
                    &json!({ "jsonrpc": "2.0", "id": request["id"], "result": [{ "language": "en" }] }),
                );
            }
        }
    }
    assert_eq!(client.text(URI), model.text());
    for request in requests {
        client.result(request);
    }
    client.findings(URI, 10_001);
}

#[test]
fn nothing_of_an_old_version_follows_a_newer_one() {
    let client = Client::start();
    client.open(URI, "");
    for version in 2..500 {
        client.change(URI, version, &[([0, 0, 0, 0], "batch_num: 1\n")]);
    }
    client.text(URI);
    let mut published = client.notifications();
    published.retain(|notification| notification["method"] == "textDocument/publishDiagnostics");
    if published.last().is_none_or(|last| last["params"]["version"] != 499) {
        let wanted = |params: &Value| params["version"] == 499;
        published.push(json!({ "params": client.wait_for("textDocument/publishDiagnostics", wanted) }));
    }
    let versions: Vec<_> = published.iter().map(|n| n["params"]["version"].as_i64().unwrap()).collect();
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
}

#[test]
fn changes_sent_at_once_with_a_request_are_seen_by_it() {
    let client = Client::start();
    client.open(URI, "batch_num: 1\n");
    client.change(URI, 2, &[([0, 12, 0, 12], "2")]);
    client.change(URI, 3, &[([0, 13, 0, 13], "3")]);
    client.change(URI, 4, &[([0, 11, 0, 12], "")]);
    assert_eq!(client.text(URI), "batch_num: 23\n");
    client.findings(URI, 4);
}

#[test]
fn a_slow_request_holds_nothing_up() {
    let client = Client::start();
    client.open(URI, "a");
    let slow: Vec<_> =
        (0..300).map(|_| client.request("quantcfg/test/wait", json!({ "milliseconds": 60_000 }))).collect();
    client.change(URI, 2, &[([0, 0, 0, 1], "b")]);
    assert_eq!(client.text(URI), "b");
    client.findings(URI, 2);
    assert!(slow.iter().all(|&slow| !client.has_answer(slow)));
}
