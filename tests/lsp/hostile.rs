//! Malformed frames and messages: each gets the right error or none, and the next good request is answered.

use serde_json::{Value, json};

use crate::client::{Client, frame};

/// What has to come back.
enum Back {
    /// Nothing at all.
    Nothing,
    /// One error with this code and the id null.
    Error(i64),
    /// One answer to the id 7: an error with this code.
    Refusal(i64),
    /// One answer to the id 7: a result.
    Result,
}
use Back::{Error, Nothing, Refusal, Result};

const DOCUMENT: &str = "file:///net/quant.cfg";

fn message(text: impl Into<String>) -> Vec<u8> {
    frame(text.into().as_bytes())
}

fn request(method: &str, params: &str) -> Vec<u8> {
    message(format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#))
}

fn notification(method: &str, params: &str) -> Vec<u8> {
    message(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#))
}

fn change(range: &str) -> Vec<u8> {
    let document = format!(r#"{{"uri":"{DOCUMENT}","version":1}}"#);
    let params = format!(r#"{{"textDocument":{document},"contentChanges":[{{"range":{range},"text":""}}]}}"#);
    notification("textDocument/didChange", &params)
}

fn hover(position: &str) -> Vec<u8> {
    let params = format!(r#"{{"textDocument":{{"uri":"{DOCUMENT}"}},"position":{position}}}"#);
    request("textDocument/hover", &params)
}

fn table() -> Vec<(&'static str, Vec<u8>, Back)> {
    let raw = |text: &str| text.as_bytes().to_vec();
    let good = r#"{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x"},"position":{"line":0,"character":0}}}"#;
    let length = good.len();
    let with_header = |header: &str| raw(&format!("{header}\r\n\r\n{good}"));
    let half = &good[..length / 2];
    vec![
        // Frames.
        ("line breaks between messages", raw("\r\n\r\n\n\n"), Nothing),
        ("small letters", with_header(&format!("content-length: {length}")), Result),
        ("capital letters without a space", with_header(&format!("CONTENT-LENGTH:{length}")), Result),
        ("spaces around", with_header(&format!("Content-Length  :   {length}  ")), Result),
        ("line feeds only", raw(&format!("Content-Length: {length}\n\n{good}")), Result),
        (
            "a type first",
            with_header(&format!(
                "Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: {length}"
            )),
            Result,
        ),
        (
            "an odd charset",
            with_header(&format!("Content-Type: text/plain; charset=utf-16\r\nContent-Length: {length}")),
            Result,
        ),
        ("an unknown header", with_header(&format!("X-Trace: 1\r\nContent-Length: {length}")), Result),
        (
            "the length twice",
            with_header(&format!("Content-Length: {length}\r\nContent-Length: {length}")),
            Result,
        ),
        (
            "two lengths",
            with_header(&format!("Content-Length: {length}\r\nContent-Length: 5")),
            Error(-32600),
        ),
        ("no length", with_header("Content-Type: application/json"), Error(-32600)),
        ("a misspelled length", with_header(&format!("Content-Lenght: {length}")), Error(-32600)),
        ("an empty length", with_header("Content-Length:"), Error(-32600)),
        ("a negative length", with_header("Content-Length: -1"), Error(-32600)),
        ("a length with a sign", with_header(&format!("Content-Length: +{length}")), Error(-32600)),
        ("a length in words", with_header("Content-Length: many"), Error(-32600)),
        ("a fractional length", with_header("Content-Length: 1.5"), Error(-32600)),
        ("a hexadecimal length", with_header("Content-Length: 0x10"), Error(-32600)),
        ("a length of an exabyte", with_header("Content-Length: 1152921504606846976"), Error(-32600)),
        ("a length beyond 64 bits", with_header("Content-Length: 99999999999999999999999"), Error(-32600)),
        (
            "a length that is too large by one",
            with_header(&format!("Content-Length: {}", length + 1)),
            Error(-32700),
        ),
        (
            "a length that is too large by a lot",
            with_header(&format!("Content-Length: {}", length + 60)),
            Error(-32600),
        ),
        (
            "a length that is too small",
            with_header(&format!("Content-Length: {}", length - 9)),
            Error(-32700),
        ),
        ("no body", raw("Content-Length: 0\r\n\r\n"), Error(-32700)),
        ("no header at all", raw(&format!("{good}\n")), Error(-32600)),
        ("a line of garbage", raw("hello, world\r\n"), Error(-32600)),
        ("a request of HTTP", raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), Error(-32600)),
        ("zero bytes", vec![0; 300], Error(-32600)),
        ("bytes that are no text", vec![0xff; 300], Error(-32600)),
        ("a header line without an end", [b"X: ".to_vec(), vec![b'a'; 100 << 10]].concat(), Error(-32600)),
        // Bodies.
        ("half a message", message(half), Error(-32700)),
        ("text that is no JSON", message("hello"), Error(-32700)),
        ("white space", message("  \n "), Error(-32700)),
        ("two messages in one body", message(format!("{good}{good}")), Error(-32700)),
        ("a byte order mark", message(format!("\u{feff}{good}")), Error(-32700)),
        ("single quotes", message(good.replace('"', "'")), Error(-32700)),
        ("not a number", message(r#"{"jsonrpc":"2.0","id":NaN,"method":"x"}"#), Error(-32700)),
        (
            "bytes that are no UTF-8",
            frame(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\xfe\"}"),
            Error(-32700),
        ),
        (
            "a character cut in half",
            frame(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xe4\xb8\"}"),
            Error(-32700),
        ),
        ("UTF-16", frame(&good.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()), Error(-32700)),
        ("a lone high surrogate", request("x", r#"["\ud800"]"#), Error(-32700)),
        ("a lone low surrogate", request("x", r#"["\udc00"]"#), Error(-32700)),
        ("lists nested too deeply", message("[".repeat(100_000)), Error(-32700)),
        ("a number", message("5"), Error(-32600)),
        ("null", message("null"), Error(-32600)),
        ("a string", message("\"initialize\""), Error(-32600)),
        ("an empty object", message("{}"), Error(-32600)),
        ("an empty batch", message("[]"), Error(-32600)),
        ("a batch", message(format!("[{good},{good}]")), Error(-32600)),
        // Messages.
        ("no version", message(r#"{"id":7,"method":"textDocument/hover"}"#), Refusal(-32600)),
        (
            "an old version",
            message(r#"{"jsonrpc":"1.0","id":7,"method":"textDocument/hover"}"#),
            Refusal(-32600),
        ),
        (
            "a version as a number",
            message(r#"{"jsonrpc":2.0,"id":7,"method":"textDocument/hover"}"#),
            Refusal(-32600),
        ),
        ("a notification without version", message(r#"{"method":"initialized"}"#), Error(-32600)),
        ("a method as a number", message(r#"{"jsonrpc":"2.0","id":7,"method":1}"#), Refusal(-32600)),
        ("a method that is null", message(r#"{"jsonrpc":"2.0","id":7,"method":null}"#), Refusal(-32600)),
        (
            "an id that is null",
            message(r#"{"jsonrpc":"2.0","id":null,"method":"textDocument/hover"}"#),
            Error(-32600),
        ),
        (
            "an id that is an object",
            message(r#"{"jsonrpc":"2.0","id":{},"method":"textDocument/hover"}"#),
            Error(-32600),
        ),
        (
            "an id that is a list",
            message(r#"{"jsonrpc":"2.0","id":[7],"method":"textDocument/hover"}"#),
            Error(-32600),
        ),
        ("an answer without id", message(r#"{"jsonrpc":"2.0","result":1}"#), Error(-32600)),
        ("an answer to nothing", message(r#"{"jsonrpc":"2.0","id":4711,"result":1}"#), Nothing),
        (
            "an error without an id",
            message(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#),
            Nothing,
        ),
        ("a key twice", message(r#"{"jsonrpc":"2.0","id":6,"id":7,"method":"no/such"}"#), Refusal(-32601)),
        // Methods.
        ("an unknown request", request("no/such", "{}"), Refusal(-32601)),
        ("an unknown request that may be ignored", request("$/such", "{}"), Refusal(-32601)),
        ("an empty method", request("", "{}"), Refusal(-32601)),
        ("an unknown notification", notification("no/such", "{}"), Nothing),
        ("an unknown notification that may be ignored", notification("$/such", "{}"), Nothing),
        ("tracing", notification("$/setTrace", r#"{"value":"verbose"}"#), Nothing),
        ("cancelled progress", notification("window/workDoneProgress/cancel", r#"{"token":1}"#), Nothing),
        ("a second initialize", request("initialize", r#"{"capabilities":{}}"#), Refusal(-32600)),
        ("initialize without an answer", notification("initialize", r#"{"capabilities":{}}"#), Nothing),
        ("shutdown without an answer", notification("shutdown", "null"), Nothing),
        ("exit that wants an answer", request("exit", "null"), Refusal(-32600)),
        ("initialized that wants an answer", request("initialized", "{}"), Refusal(-32600)),
        ("a change that wants an answer", request("textDocument/didChange", "{}"), Refusal(-32600)),
        ("hover that wants none", notification("textDocument/hover", "{}"), Nothing),
        // Parameters.
        ("no parameters", request("textDocument/hover", "null"), Refusal(-32602)),
        ("parameters in a list", request("textDocument/hover", "[]"), Refusal(-32602)),
        ("parameters as a string", request("textDocument/hover", "\"x\""), Refusal(-32602)),
        ("empty parameters", request("textDocument/hover", "{}"), Refusal(-32602)),
        (
            "an address that is none",
            request("textDocument/codeLens", r#"{"textDocument":{"uri":"quant.cfg"}}"#),
            Refusal(-32602),
        ),
        (
            "an address that is null",
            request("textDocument/codeLens", r#"{"textDocument":{"uri":null}}"#),
            Refusal(-32602),
        ),
        ("a negative line", hover(r#"{"line":-1,"character":0}"#), Refusal(-32602)),
        ("a fractional column", hover(r#"{"line":0,"character":0.5}"#), Refusal(-32602)),
        ("a line beyond 32 bits", hover(r#"{"line":4294967296,"character":0}"#), Refusal(-32602)),
        ("a position that is null", hover("null"), Refusal(-32602)),
        ("a line past the end", hover(r#"{"line":4294967295,"character":4294967295}"#), Result),
        ("a column inside a surrogate pair", hover(r#"{"line":0,"character":3}"#), Result),
        ("a change of nothing", notification("textDocument/didChange", "{}"), Nothing),
        (
            "a change with a negative line",
            change(r#"{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}}"#),
            Nothing,
        ),
        ("a change with half a range", change(r#"{"start":{"line":0,"character":0}}"#), Nothing),
        (
            "opening without text",
            notification(
                "textDocument/didOpen",
                r#"{"textDocument":{"uri":"file:///y","languageId":"","version":1}}"#,
            ),
            Nothing,
        ),
        (
            "closing what is not open",
            notification("textDocument/didClose", r#"{"textDocument":{"uri":"file:///y"}}"#),
            Nothing,
        ),
        (
            "saving what is not open",
            notification("textDocument/didSave", r#"{"textDocument":{"uri":"file:///y"}}"#),
            Nothing,
        ),
        (
            "settings that are null",
            notification("workspace/didChangeConfiguration", r#"{"settings":null}"#),
            Nothing,
        ),
        (
            "settings of another type",
            notification("workspace/didChangeConfiguration", r#"{"settings":{"quantcfg":[1]}}"#),
            Nothing,
        ),
        ("cancelling without an id", notification("$/cancelRequest", "{}"), Nothing),
        ("cancelling the unknown", notification("$/cancelRequest", r#"{"id":99}"#), Nothing),
    ]
}

#[test]
fn whatever_comes_gets_the_right_error_and_the_next_request_is_answered() {
    let client = Client::start_with(json!({ "capabilities": {} }));
    client.open(DOCUMENT, "# 😀\n");
    let table = table();
    assert!(table.len() >= 60);
    for (what, bytes, back) in table {
        println!("{what}");
        client.send_bytes(&bytes);
        let next = client.request("quantcfg/test/text", json!({ "uri": DOCUMENT }));
        assert_eq!(client.result(next)["text"], "# 😀\n", "after {what}");
        let answers = client.take_answers();
        let text = format!("{what}: {answers:?}");
        match back {
            Nothing => assert_eq!(answers.len(), 0, "{text}"),
            Error(code) => {
                assert_eq!(answers.len(), 1, "{text}");
                assert_eq!(
                    (&answers[0]["id"], &answers[0]["error"]["code"]),
                    (&Value::Null, &json!(code)),
                    "{text}"
                );
            }
            Refusal(code) => {
                assert_eq!(answers.len(), 1, "{text}");
                assert_eq!(
                    (&answers[0]["id"], &answers[0]["error"]["code"]),
                    (&json!(7), &json!(code)),
                    "{text}"
                );
            }
            Result => {
                assert_eq!(answers.len(), 1, "{text}");
                assert!(answers[0]["id"] == 7 && answers[0].get("result").is_some(), "{text}");
            }
        }
    }
}

#[test]
fn a_request_whose_id_is_under_way_is_refused() {
    let client = Client::start();
    let slow = client.request("quantcfg/test/wait", json!({ "milliseconds": 600_000 }));
    client.send(&json!({ "jsonrpc": "2.0", "id": slow, "method": "textDocument/hover", "params": {} }));
    assert_eq!(client.answer(slow)["error"]["code"], -32600);
    client.notify("$/cancelRequest", json!({ "id": slow }));
    assert_eq!(client.answer(slow)["error"]["code"], -32800);
}

#[test]
fn bytes_may_come_one_at_a_time() {
    let client = Client::start();
    let body = json!({ "jsonrpc": "2.0", "id": "slow", "method": "quantcfg/test/text", "params": { "uri": DOCUMENT } });
    for byte in frame(body.to_string().as_bytes()) {
        client.send_bytes(&[byte]);
    }
    assert_eq!(client.answer("slow")["result"], Value::Null);
}
