//! Both sides of a short conversation in JSON-RPC, one message a line.

use becket_runner::process::Next;
use serde_json::{Value, json};

use crate::secret::one_line;

const PROTOCOL: &str = "2025-06-18";
const GREETING: u64 = 1;
const CALL: u64 = 2;

/// What came of it.
pub(super) enum Heard {
    /// The tool's text.
    Reply(String),
    /// The server or the tool says that something is wrong.
    Bad(String),
    /// No answer.
    Nothing,
}

/// A conversation under way.
pub(super) struct Talk<'a> {
    tool: &'a str,
    input: Value,
    heard: Heard,
}

impl<'a> Talk<'a> {
    pub(super) fn new(tool: &'a str, input: Value) -> Self {
        Self {
            tool,
            input,
            heard: Heard::Nothing,
        }
    }

    pub(super) fn greeting() -> Vec<u8> {
        line(&json!({
            "jsonrpc": "2.0", "id": GREETING, "method": "initialize",
            "params": {
                "protocolVersion": PROTOCOL,
                "capabilities": {},
                "clientInfo": { "name": "becket", "version": env!("CARGO_PKG_VERSION") },
            },
        }))
    }

    pub(super) fn into_heard(self) -> Heard {
        self.heard
    }

    pub(super) fn hear(&mut self, said: &[u8]) -> Next {
        // Some servers print other things as well.
        let Ok(message) = serde_json::from_slice::<Value>(said) else {
            return Next::Listen;
        };
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            return answer(method, message.get("id"));
        }
        let result = message.get("result");
        match message.get("id").and_then(Value::as_u64) {
            Some(GREETING | CALL) if message.get("error").is_some() => {
                let why = message["error"]["message"]
                    .as_str()
                    .unwrap_or("no reason given");
                self.done(Heard::Bad(format!(
                    "the MCP server answered: {}",
                    one_line(why)
                )))
            }
            Some(GREETING) if result.is_some() => Next::Say(self.call()),
            Some(CALL) => {
                let heard = result.map_or_else(nothing, read);
                self.done(heard)
            }
            _ => Next::Listen,
        }
    }

    fn done(&mut self, heard: Heard) -> Next {
        self.heard = heard;
        Next::Done
    }

    fn call(&self) -> Vec<u8> {
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let call = json!({
            "jsonrpc": "2.0", "id": CALL, "method": "tools/call",
            "params": { "name": self.tool, "arguments": self.input },
        });
        [line(&ready), line(&call)].concat()
    }
}

/// A server may ask, too. It gets an answer, lest it wait for one.
fn answer(method: &str, id: Option<&Value>) -> Next {
    match (method, id) {
        (_, None) => Next::Listen,
        ("ping", Some(id)) => Next::Say(line(&json!({ "jsonrpc": "2.0", "id": id, "result": {} }))),
        (_, Some(id)) => Next::Say(line(&json!({
            "jsonrpc": "2.0", "id": id,
            "error": { "code": -32601, "message": "not offered by this client" },
        }))),
    }
}

fn nothing() -> Heard {
    Heard::Bad("the MCP server answered with neither a result nor an error".to_owned())
}

fn read(result: &Value) -> Heard {
    let parts = result.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return Heard::Bad(format!("the tool failed: {}", one_line(&text)));
    }
    match result.get("structuredContent") {
        Some(value) if text.is_empty() => Heard::Reply(value.to_string()),
        _ => Heard::Reply(text),
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
