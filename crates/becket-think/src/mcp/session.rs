//! The client side of an MCP session over stdio: JSON-RPC, one message per line.

use becket_runner::process::LineAction;
use serde_json::{Value, json};

use crate::secret::one_line;

const PROTOCOL_VERSION: &str = "2025-06-18";
const INITIALIZE_ID: u64 = 1;
const CALL_ID: u64 = 2;

/// The result of the tool call.
pub(super) enum McpReply {
    /// The text of the result.
    Text(String),
    /// The server or the tool reported an error.
    Error(String),
    /// No response.
    Missing,
}

/// A running session.
pub(super) struct McpSession<'a> {
    tool: &'a str,
    input: Value,
    reply: McpReply,
}

impl<'a> McpSession<'a> {
    pub(super) fn new(tool: &'a str, input: Value) -> Self {
        Self {
            tool,
            input,
            reply: McpReply::Missing,
        }
    }

    pub(super) fn initialize_message() -> Vec<u8> {
        line(&json!({
            "jsonrpc": "2.0", "id": INITIALIZE_ID, "method": "initialize",
            "params": {
                "protocolVersion": PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": { "name": "becket", "version": env!("CARGO_PKG_VERSION") },
            },
        }))
    }

    pub(super) fn into_reply(self) -> McpReply {
        self.reply
    }

    pub(super) fn handle_message(&mut self, bytes: &[u8]) -> LineAction {
        // Some servers print other things to stdout.
        let Ok(message) = serde_json::from_slice::<Value>(bytes) else {
            return LineAction::ReadNext;
        };
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            return answer_request(method, message.get("id"));
        }
        let result = message.get("result");
        match message.get("id").and_then(Value::as_u64) {
            Some(INITIALIZE_ID | CALL_ID) if message.get("error").is_some() => {
                let why = message["error"]["message"]
                    .as_str()
                    .unwrap_or("no reason given");
                self.done(McpReply::Error(format!(
                    "the MCP server returned an error: {}",
                    one_line(why)
                )))
            }
            Some(INITIALIZE_ID) if result.is_some() => LineAction::Write(self.call_messages()),
            Some(CALL_ID) => {
                let heard = result.map_or_else(empty_result, parse_result);
                self.done(heard)
            }
            _ => LineAction::ReadNext,
        }
    }

    fn done(&mut self, heard: McpReply) -> LineAction {
        self.reply = heard;
        LineAction::Finish
    }

    fn call_messages(&self) -> Vec<u8> {
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let call = json!({
            "jsonrpc": "2.0", "id": CALL_ID, "method": "tools/call",
            "params": { "name": self.tool, "arguments": self.input },
        });
        [line(&ready), line(&call)].concat()
    }
}

/// Answers requests of the server, so that it does not wait for a response.
fn answer_request(method: &str, id: Option<&Value>) -> LineAction {
    match (method, id) {
        (_, None) => LineAction::ReadNext,
        ("ping", Some(id)) => {
            LineAction::Write(line(&json!({ "jsonrpc": "2.0", "id": id, "result": {} })))
        }
        (_, Some(id)) => LineAction::Write(line(&json!({
            "jsonrpc": "2.0", "id": id,
            "error": { "code": -32601, "message": "not offered by this client" },
        }))),
    }
}

fn empty_result() -> McpReply {
    McpReply::Error("the MCP server returned neither a result nor an error".to_owned())
}

fn parse_result(result: &Value) -> McpReply {
    let parts = result.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return McpReply::Error(format!("the tool failed: {}", one_line(&text)));
    }
    match result.get("structuredContent") {
        Some(value) if text.is_empty() => McpReply::Text(value.to_string()),
        _ => McpReply::Text(text),
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
