//! JSON-RPC 2.0 messages: parsing calls, rendering responses.

use serde_json::{Map, Value, json};

/// The most calls in one batch.
const MAX_BATCH: usize = 100;

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcCall {
    /// Absent for notifications, which get no response.
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Option<Value>,
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn parse_error(why: impl std::fmt::Display) -> Self {
        Self::new(-32700, format!("invalid JSON: {why}"))
    }

    pub(crate) fn invalid_request(why: &str) -> Self {
        Self::new(-32600, why)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(-32601, format!("unknown method `{method}`"))
    }

    pub(crate) fn invalid_params(why: impl Into<String>) -> Self {
        Self::new(-32602, why)
    }
}

/// Parses a message, calls `answer` for each call in it, and returns the response, if there is one.
pub(crate) fn receive(
    text: &str,
    mut answer: impl FnMut(&RpcCall) -> Result<Value, RpcError>,
) -> Option<String> {
    let message = match serde_json::from_str::<Value>(text) {
        Ok(message) => message,
        Err(error) => {
            return Some(error_reply(&Value::Null, RpcError::parse_error(error)).to_string());
        }
    };
    let reply = match message {
        Value::Array(calls) if calls.is_empty() => Some(error_reply(
            &Value::Null,
            RpcError::invalid_request("the batch is empty"),
        )),
        Value::Array(calls) if calls.len() > MAX_BATCH => {
            let why = format!("a batch must have at most {MAX_BATCH} calls");
            Some(error_reply(&Value::Null, RpcError::invalid_request(&why)))
        }
        Value::Array(calls) => {
            let replies = calls
                .into_iter()
                .filter_map(|call| answer_one(call, &mut answer));
            let replies: Vec<Value> = replies.collect();
            (!replies.is_empty()).then_some(Value::Array(replies))
        }
        single => answer_one(single, &mut answer),
    };
    reply.map(|reply| reply.to_string())
}

fn answer_one(
    message: Value,
    answer: &mut impl FnMut(&RpcCall) -> Result<Value, RpcError>,
) -> Option<Value> {
    let call = match parse_call(message) {
        Ok(Some(call)) => call,
        Ok(None) => return None,
        Err(invalid) => return Some(error_reply(&invalid.0, invalid.1)),
    };
    let outcome = answer(&call);
    let id = call.id?;
    Some(match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => error_reply(&id, error),
    })
}

/// Parses a call; `None` for a response, because the server sends no requests.
fn parse_call(message: Value) -> Result<Option<RpcCall>, Box<(Value, RpcError)>> {
    let without_id = |why: &str| Box::new((Value::Null, RpcError::invalid_request(why)));
    let Value::Object(mut fields) = message else {
        return Err(without_id(
            "a message must be an object or a batch of objects",
        ));
    };
    let id = match fields.remove("id") {
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => Some(id),
        Some(_) => return Err(without_id("`id` must be a string, a number or null")),
        None => None,
    };
    let with_id = |why: &str| {
        Box::new((
            id.clone().unwrap_or_default(),
            RpcError::invalid_request(why),
        ))
    };
    if !fields.contains_key("method") && is_answer(&fields) {
        return Ok(None);
    }
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(with_id("`jsonrpc` must be \"2.0\""));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(with_id("`method` must be a string"));
    };
    let params = fields.remove("params").filter(|params| !params.is_null());
    if !matches!(params, None | Some(Value::Object(_) | Value::Array(_))) {
        return Err(with_id("`params` must be an object or an array"));
    }
    Ok(Some(RpcCall { id, method, params }))
}

fn is_answer(fields: &Map<String, Value>) -> bool {
    fields.contains_key("result") || fields.contains_key("error")
}

fn error_reply(id: &Value, error: RpcError) -> Value {
    let mut body = json!({ "code": error.code, "message": error.message });
    if let Some(data) = error.data {
        body["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": body })
}

/// An error without a call id.
pub(crate) fn error_message(error: RpcError) -> String {
    error_reply(&Value::Null, error).to_string()
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The response of a server with the single method `echo`.
    fn reply_to(text: &str) -> Value {
        let reply = receive(text, |call| match call.method.as_str() {
            "echo" => Ok(call.params.clone().unwrap_or_default()),
            other => Err(RpcError::unknown_method(other)),
        });
        reply.map_or(Value::Null, |text| {
            serde_json::from_str(&text).expect("JSON")
        })
    }

    fn code(text: &str) -> (Value, i64) {
        let reply = reply_to(text);
        let code = reply["error"]["code"].as_i64().expect("an error");
        (reply["id"].clone(), code)
    }

    #[test]
    fn responses_repeat_the_call_id_unchanged() {
        for id in [
            json!("a"),
            json!(7),
            json!(-1),
            json!(1.5),
            json!(""),
            Value::Null,
        ] {
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": [1] });
            let expected = json!({ "jsonrpc": "2.0", "id": id, "result": [1] });
            assert_eq!(reply_to(&call.to_string()), expected);
        }
    }

    #[test]
    fn invalid_messages_get_the_error_codes_of_the_protocol() {
        for (text, id, expected) in [
            ("{", Value::Null, -32700),
            ("", Value::Null, -32700),
            ("[]", Value::Null, -32600),
            ("17", Value::Null, -32600),
            (r#"{"id":1,"method":"echo"}"#, json!(1), -32600),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"echo"}"#,
                json!(1),
                -32600,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, json!(1), -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"echo"}"#,
                Value::Null,
                -32600,
            ),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":"echo","params":"p"}"#,
                json!("x"),
                -32600,
            ),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":"no"}"#,
                json!("x"),
                -32601,
            ),
        ] {
            assert_eq!(code(text), (id, expected), "{text}");
        }
    }

    #[test]
    fn notifications_and_responses_get_no_response() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"echo"}"#,
            r#"{"jsonrpc":"2.0","method":"no"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":1,"error":{}}]"#,
        ] {
            assert_eq!(reply_to(text), Value::Null, "{text}");
        }
    }

    #[test]
    fn invalid_calls_in_a_batch_fail_individually() {
        let batch = json!([
            { "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "a": 1 } },
            { "jsonrpc": "2.0", "method": "echo" },
            1,
            { "jsonrpc": "2.0", "id": 2, "method": "no" },
        ]);
        let reply = reply_to(&batch.to_string());
        let parts: Vec<_> = reply.as_array().expect("a batch").iter().collect();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0]["result"], json!({ "a": 1 }));
        assert_eq!(parts[1]["error"]["code"], -32600);
        assert_eq!(parts[2]["error"]["code"], -32601);
    }

    #[test]
    fn oversized_batch_is_rejected() {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo" });
        let batch = Value::Array(vec![call; MAX_BATCH + 1]);
        assert_eq!(code(&batch.to_string()), (Value::Null, -32600));
    }
}
