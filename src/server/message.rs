//! JSON-RPC messages as they come in and go out; knows the shapes of JSON-RPC 2.0, but no method.
//!
//! Reading is done here and not by tower-lsp, because there one message of an unexpected shape ends the server.

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

/// A message from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Wants an answer under this id, a number or a string.
    Request { id: Value, method: String, params: Option<Value> },
    /// Wants no answer.
    Notification { method: String, params: Option<Value> },
    /// Answers a request of ours.
    Response(Response),
    /// Is none of these. The answer goes to the id, which is null when unknown.
    Invalid { id: Value, error: Error },
}

impl Incoming {
    /// Reads the body of a message.
    pub(super) fn parse(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(message) => Self::of_json(message),
            Err(error) => Self::not_json(error.to_string()),
        }
    }

    /// Something that is no JSON at all.
    pub(super) fn not_json(why: impl Into<String>) -> Self {
        Self::Invalid { id: Value::Null, error: complaint(ErrorCode::ParseError, why) }
    }

    /// Something that is no message.
    pub(super) fn not_a_message(why: impl Into<String>) -> Self {
        Self::Invalid { id: Value::Null, error: complaint(ErrorCode::InvalidRequest, why) }
    }

    /// True for what [`Incoming::not_json`] makes.
    pub(super) fn is_not_json(&self) -> bool {
        matches!(self, Self::Invalid { error, .. } if error.code == ErrorCode::ParseError)
    }

    fn of_json(message: Value) -> Self {
        let Value::Object(mut message) = message else {
            return Self::not_a_message(match message {
                Value::Array(_) => "batches are not part of the language server protocol",
                _ => "a message is a JSON object",
            });
        };
        let id = message.remove("id");
        let has_version = message.get("jsonrpc").is_some_and(|version| version == "2.0");
        let is_answer = !message.contains_key("method")
            && (message.contains_key("result") || message.contains_key("error") || id.is_some());
        let invalid = |id: &Option<Value>, why: &str| Self::Invalid {
            id: id.clone().filter(is_id).unwrap_or_default(),
            error: complaint(ErrorCode::InvalidRequest, why),
        };
        if is_answer {
            let (result, error) = (message.remove("result"), message.remove("error"));
            // An error with the id null complains of a message of ours. Whoever answers it starts a quarrel.
            let is_complaint = error.is_some() && id.as_ref().is_none_or(Value::is_null);
            return match id.as_ref().and_then(our_id).or(is_complaint.then_some(Id::Null)) {
                Some(id) => Self::Response(response(id, result, error)),
                None => invalid(&id, "a response needs the id of a request, a request needs a method"),
            };
        }
        let params = message.remove("params").filter(|params| !params.is_null());
        match (message.remove("method"), id) {
            (_, id) if !has_version => invalid(&id, "\"jsonrpc\" has to be \"2.0\""),
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (Some(Value::String(method)), Some(id)) if is_id(&id) => Self::Request { id, method, params },
            (Some(Value::String(_)), Some(_)) => invalid(&None, "an id is a number or a string"),
            (_, id) => invalid(&id, "\"method\" has to be a string"),
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_number() || id.is_string()
}

/// An id that we could have given to a request of our own.
fn our_id(id: &Value) -> Option<Id> {
    match id {
        Value::Number(number) => number.as_i64().map(Id::Number),
        Value::String(text) => Some(Id::String(text.clone())),
        _ => None,
    }
}

/// The answer to a request of ours. An error of an unexpected shape is still an error.
fn response(id: Id, result: Option<Value>, error: Option<Value>) -> Response {
    let Some(error) = error.filter(|error| !error.is_null()) else {
        return Response::from_ok(id, result.unwrap_or_default());
    };
    let code = error.get("code").and_then(Value::as_i64).map_or(ErrorCode::InternalError, ErrorCode::from);
    let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
    Response::from_error(id, complaint(code, message))
}

/// An error to answer with.
pub(super) fn complaint(code: ErrorCode, message: impl Into<String>) -> Error {
    Error { code, message: message.into().into(), data: None }
}

/// The answer to a request of the client.
pub(super) fn answer(id: &Value, result: Result<Value, Error>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

/// A notification to the client.
#[derive(Serialize)]
pub(super) struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: P,
}

impl<'a, P> Notification<'a, P> {
    /// The notification `method` with its parameters.
    pub(super) fn new(method: &'a str, params: P) -> Self {
        Self { jsonrpc: "2.0", method, params }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(body: &str, expected: Expect) {
        let text = match Incoming::parse(body.as_bytes()) {
            Incoming::Request { id, method, params } => format!("request {id} {method} {params:?}"),
            Incoming::Notification { method, params } => format!("notification {method} {params:?}"),
            Incoming::Response(response) => format!("{response:?}"),
            Incoming::Invalid { id, error } => format!("invalid {id}: {} {}", error.code, error.message),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn shapes_of_messages() {
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"m","params":[1]}"#,
            expect![[r#"request "a" m Some(Array [Number(1)])"#]],
        );
        check(r#"{"jsonrpc":"2.0","method":"m","params":null}"#, expect!["notification m None"]);
        check(
            r#"{"jsonrpc":"2.0","id":3}"#,
            expect![[r#"Response { jsonrpc: Version, result: Null, id: Number(3) }"#]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":3,"error":"no"}"#,
            expect![[
                r#"Response { jsonrpc: Version, error: Error { code: InternalError, message: "no message", data: None }, id: Number(3) }"#
            ]],
        );
    }

    #[test]
    fn what_is_no_message() {
        check("[]", expect!["invalid null: -32600 batches are not part of the language server protocol"]);
        check("3", expect!["invalid null: -32600 a message is a JSON object"]);
        check(r#"{"id":1,"method":"m"}"#, expect![[r#"invalid 1: -32600 "jsonrpc" has to be "2.0""#]]);
        check(
            r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            expect!["invalid null: -32600 an id is a number or a string"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
            expect![[r#"invalid 1: -32600 "method" has to be a string"#]],
        );
        check(r#""\ud800""#, expect!["invalid null: -32700 unexpected end of hex escape at line 1 column 8"]);
    }
}
