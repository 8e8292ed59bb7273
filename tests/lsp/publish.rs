//! Which findings go out, when, and what is taken back.

use serde_json::{Value, json};

use crate::client::{Client, capabilities};

const URI: &str = "file:///net/quant.cfg";
const PUBLISH: &str = "textDocument/publishDiagnostics";

#[test]
fn every_version_is_published_even_without_findings() {
    let client = Client::start();
    client.open(URI, "");
    assert_eq!(client.findings(URI, 1), json!([]));
    for version in 2..20 {
        client.change(URI, version, &[([0, 0, 0, 0], "\n")]);
        assert_eq!(client.findings(URI, version), json!([]));
    }
}

#[test]
fn closing_takes_everything_back_and_nothing_follows() {
    let client = Client::start();
    let large = "batch_num: 1\n".repeat(100_000);
    for text in ["a b c", &large] {
        client.open(URI, text);
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
        let withdrawn = client.wait_for(PUBLISH, |params| params.get("version").is_none());
        assert_eq!(withdrawn, json!({ "uri": URI, "diagnostics": [] }));
        // The analysis of a large document may have been under way; give it another one to finish first.
        client.open("file:///other.cfg", &large);
        client.findings("file:///other.cfg", 1);
        assert!(client.notifications().iter().all(|n| n["params"]["uri"] != URI));
    }
}

#[test]
fn the_first_findings_wait_for_the_settings_but_not_for_long() {
    let client = Client::start();
    client.leave_requests_open();
    client.open(URI, "");
    let request = client.wait_for_request("workspace/configuration");
    client.text(URI);
    assert_eq!(client.notifications(), Vec::<Value>::new(), "published before the settings came");
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": [null] }));
    client.findings(URI, 1);
}

#[test]
fn changed_settings_publish_the_same_version_again_and_equal_ones_do_not() {
    let client = Client::start();
    client.leave_requests_open();
    let answer = |settings: Value| {
        let request = client.wait_for_request("workspace/configuration");
        client.asked.take();
        client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": [settings] }));
    };
    client.open(URI, "");
    answer(Value::Null);
    client.findings(URI, 1);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    answer(json!({ "language": "zh-CN" }));
    client.findings(URI, 1);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    answer(json!({ "language": "zh-CN" }));
    client.change(URI, 2, &[([0, 0, 0, 0], "\n")]);
    let next = client.wait_for(PUBLISH, |_| true);
    assert_eq!(next["version"], 2);
}

#[test]
fn clients_without_configuration_get_findings_and_send_settings_themselves() {
    let client = Client::start_with(json!({ "capabilities": {} }));
    client.open(URI, "");
    client.findings(URI, 1);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "quantcfg": { "language": "zh" } } }),
    );
    client.findings(URI, 1);
    assert!(client.asked.borrow().is_empty());
}

#[test]
fn a_client_that_leaves_out_initialized_is_served() {
    let client = Client::spawn();
    client.ask("initialize", json!({ "capabilities": capabilities() }));
    client.open(URI, "");
    client.findings(URI, 1);
}
