//! `$/cancelRequest`.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;

fn wait_forever(client: &Client) -> i64 {
    client.request("quantcfg/test/wait", json!({ "milliseconds": 600_000 }))
}

#[test]
fn cancelling_works_at_once_with_many_requests_under_way() {
    let client = Client::start();
    let slow: Vec<_> = (0..300).map(|_| wait_forever(&client)).collect();
    client.text("file:///none");
    let mut fastest = Duration::MAX;
    for &id in slow.iter().step_by(30) {
        let start = Instant::now();
        client.notify("$/cancelRequest", json!({ "id": id }));
        assert_eq!(client.answer(id)["error"]["code"], -32800);
        fastest = fastest.min(start.elapsed());
    }
    // The machine may be busy once, but not ten times.
    assert!(fastest < Duration::from_millis(50), "{fastest:?}");
}

#[test]
fn cancelling_what_is_answered_or_unknown_does_nothing() {
    let client = Client::start();
    let done = client.request("quantcfg/test/wait", json!({ "milliseconds": 0 }));
    client.result(done);
    for id in [json!(done), json!("x"), json!(12_345_678_901_i64), json!(null), json!({}), json!(1.5)] {
        client.notify("$/cancelRequest", json!({ "id": id }));
    }
    client.notify("$/cancelRequest", json!([]));
    client.text("file:///none");
}

#[test]
fn ids_may_be_texts_and_large_numbers() {
    let client = Client::start();
    for id in [json!("a"), json!(12_345_678_901_i64), json!(-7), json!("1"), json!(u64::MAX)] {
        let params = json!({ "milliseconds": 600_000 });
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "quantcfg/test/wait", "params": params }));
        client.notify("$/cancelRequest", json!({ "id": id }));
        assert_eq!(client.answer(id)["error"]["code"], -32800);
    }
}

#[test]
fn an_id_is_free_again_after_cancelling_and_after_a_panic() {
    let client = Client::start();
    for method in ["quantcfg/test/wait", "quantcfg/test/panic"] {
        let send = |params| {
            client.send(&json!({ "jsonrpc": "2.0", "id": "again", "method": method, "params": params }));
        };
        for _ in 0..2 {
            send(json!({ "milliseconds": 600_000 }));
            client.notify("$/cancelRequest", json!({ "id": "again" }));
            assert!(client.answer("again")["error"]["code"] != -32600);
        }
    }
}
