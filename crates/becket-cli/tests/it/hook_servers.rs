//! Servers for hooks, on loopback.

use becket_testkit::{HttpStub, StubReply};
use serde_json::json;

/// Returns this decision for every call.
pub(crate) fn decision_server(decision: &str, reason: &str) -> HttpStub {
    let body = json!({ "decision": decision, "reason": reason });
    HttpStub::start([StubReply::json(&body)])
}

/// A model that supports both protocols and always answers with this text.
pub(crate) fn model_server(text: &str) -> HttpStub {
    HttpStub::start([StubReply::json(&json!({
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": text }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7 },
    }))])
}
