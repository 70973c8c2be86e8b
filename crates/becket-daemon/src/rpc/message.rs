//! Messages of JSON-RPC 2.0: reading what a client says, writing what it is told.

use serde_json::{Map, Value, json};

/// The most calls in one batch.
const MOST_IN_BATCH: usize = 100;

/// What a client may call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// Absent for notifications, which are never answered.
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Option<Value>,
}

/// Why a call is answered with an error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Fault {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn parse(why: impl std::fmt::Display) -> Self {
        Self::new(-32700, format!("the message is no JSON: {why}"))
    }

    pub(crate) fn invalid(why: &str) -> Self {
        Self::new(-32600, why)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(-32601, format!("there is no method `{method}`"))
    }

    pub(crate) fn params(why: impl Into<String>) -> Self {
        Self::new(-32602, why)
    }
}

/// Reads one message, lets `answer` say what its calls come to, and gives the text to send back, if any.
pub(crate) fn receive(
    text: &str,
    mut answer: impl FnMut(&Call) -> Result<Value, Fault>,
) -> Option<String> {
    let message = match serde_json::from_str::<Value>(text) {
        Ok(message) => message,
        Err(error) => return Some(failed(&Value::Null, Fault::parse(error)).to_string()),
    };
    let reply = match message {
        Value::Array(calls) if calls.is_empty() => {
            Some(failed(&Value::Null, Fault::invalid("the batch is empty")))
        }
        Value::Array(calls) if calls.len() > MOST_IN_BATCH => {
            let why = format!("a batch has at most {MOST_IN_BATCH} calls");
            Some(failed(&Value::Null, Fault::invalid(&why)))
        }
        Value::Array(calls) => {
            let replies = calls.into_iter().filter_map(|call| one(call, &mut answer));
            let replies: Vec<Value> = replies.collect();
            (!replies.is_empty()).then_some(Value::Array(replies))
        }
        single => one(single, &mut answer),
    };
    reply.map(|reply| reply.to_string())
}

fn one(message: Value, answer: &mut impl FnMut(&Call) -> Result<Value, Fault>) -> Option<Value> {
    let call = match read(message) {
        Ok(Some(call)) => call,
        Ok(None) => return None,
        Err(wrong) => return Some(failed(&wrong.0, wrong.1)),
    };
    let outcome = answer(&call);
    let id = call.id?;
    Some(match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(fault) => failed(&id, fault),
    })
}

/// `None` for what needs no answer: we ask clients nothing, so their answers are nobody's.
fn read(message: Value) -> Result<Option<Call>, Box<(Value, Fault)>> {
    let nobody = |why: &str| Box::new((Value::Null, Fault::invalid(why)));
    let Value::Object(mut fields) = message else {
        return Err(nobody("a message is an object or a batch of them"));
    };
    let id = match fields.remove("id") {
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => Some(id),
        Some(_) => return Err(nobody("`id` is a string, a number or null")),
        None => None,
    };
    let invalid = |why: &str| Box::new((id.clone().unwrap_or_default(), Fault::invalid(why)));
    if !fields.contains_key("method") && is_answer(&fields) {
        return Ok(None);
    }
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` is not \"2.0\""));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(invalid("`method` is no string"));
    };
    let params = fields.remove("params").filter(|params| !params.is_null());
    if !matches!(params, None | Some(Value::Object(_) | Value::Array(_))) {
        return Err(invalid("`params` is neither an object nor an array"));
    }
    Ok(Some(Call { id, method, params }))
}

fn is_answer(fields: &Map<String, Value>) -> bool {
    fields.contains_key("result") || fields.contains_key("error")
}

fn failed(id: &Value, fault: Fault) -> Value {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = fault.data {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// An error that belongs to no call.
pub(crate) fn complaint(fault: Fault) -> String {
    failed(&Value::Null, fault).to_string()
}

/// A call that wants no answer.
pub(crate) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server that knows `echo` alone says.
    fn told(text: &str) -> Value {
        let reply = receive(text, |call| match call.method.as_str() {
            "echo" => Ok(call.params.clone().unwrap_or_default()),
            other => Err(Fault::unknown_method(other)),
        });
        reply.map_or(Value::Null, |text| {
            serde_json::from_str(&text).expect("JSON")
        })
    }

    fn code(text: &str) -> (Value, i64) {
        let reply = told(text);
        let code = reply["error"]["code"].as_i64().expect("an error");
        (reply["id"].clone(), code)
    }

    #[test]
    fn ids_come_back_as_they_were() {
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
            assert_eq!(told(&call.to_string()), expected);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_codes_of_the_protocol() {
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
    fn notifications_and_answers_are_not_answered() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"echo"}"#,
            r#"{"jsonrpc":"2.0","method":"no"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":1,"error":{}}]"#,
        ] {
            assert_eq!(told(text), Value::Null, "{text}");
        }
    }

    #[test]
    fn a_batch_is_answered_as_one_and_its_bad_parts_cost_only_themselves() {
        let batch = json!([
            { "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "a": 1 } },
            { "jsonrpc": "2.0", "method": "echo" },
            1,
            { "jsonrpc": "2.0", "id": 2, "method": "no" },
        ]);
        let reply = told(&batch.to_string());
        let parts: Vec<_> = reply.as_array().expect("a batch").iter().collect();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0]["result"], json!({ "a": 1 }));
        assert_eq!(parts[1]["error"]["code"], -32600);
        assert_eq!(parts[2]["error"]["code"], -32601);
    }

    #[test]
    fn a_batch_without_end_is_refused_as_a_whole() {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo" });
        let batch = Value::Array(vec![call; MOST_IN_BATCH + 1]);
        assert_eq!(code(&batch.to_string()), (Value::Null, -32600));
    }
}
