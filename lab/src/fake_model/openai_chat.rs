//! OpenAI's Chat Completions API, as many other providers speak it too: `/v1/chat/completions`.
//!
//! The protocol has no word for a tool that failed, so [`ToolResult::is_error`] is never set.

use serde_json::{Value, json};

use super::http::{Event, Response};
use super::protocol::{Answer, Protocol, Wants, openai_failure, plain_event, string, text_of};
use super::record::{Heard, Reply, ToolResult};
use super::script::NativeCall;

pub(super) struct OpenAiChat;

impl Protocol for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn route(&self, path: &str) -> Option<Wants> {
        path.ends_with("/chat/completions").then_some(Wants::Answer)
    }

    fn read(&self, _path: &str, body: &Value) -> Heard {
        let tools = body["tools"].as_array().into_iter().flatten();
        let format = &body["response_format"]["type"];
        let mut heard = Heard {
            model: string(&body["model"]),
            tools: tools
                .filter_map(|tool| tool["function"]["name"].as_str())
                .map(str::to_owned)
                .collect(),
            streamed: body["stream"] == true,
            wants_json: format.is_string() && format != "text",
            ..Heard::default()
        };
        let mut previous = "";
        for message in body["messages"].as_array().into_iter().flatten() {
            let role = message["role"].as_str().unwrap_or_default();
            let content = &message["content"];
            match role {
                // A client may send the text and the calls of one answer as two messages.
                "assistant" if previous == "assistant" => {}
                "assistant" => heard.answers += 1,
                "tool" => heard.results.push(ToolResult {
                    id: string(&message["tool_call_id"]),
                    text: text_of(content),
                    is_error: false,
                }),
                "system" | "developer" => heard.hear_system(&text_of(content)),
                _ => hear_parts(content, &mut heard),
            }
            previous = role;
        }
        heard
    }

    fn answer(&self, answer: &Answer<'_>) -> Response {
        match answer.reply {
            Reply::Error(error) => openai_failure(error),
            Reply::Answer { text, calls } => {
                let calls = tool_calls(calls, answer);
                if answer.heard.streamed {
                    Response::events(chunks(text, &calls, answer))
                } else {
                    Response::json(200, completion(text, &calls, answer))
                }
            }
        }
    }
}

/// Parts stay apart, because clients put what they add themselves beside what the person said.
fn hear_parts(content: &Value, heard: &mut Heard) {
    match content {
        Value::Array(parts) => {
            for part in parts {
                heard.hear_user(text_of(part));
            }
        }
        other => heard.hear_user(text_of(other)),
    }
}

fn tool_calls(calls: &[NativeCall], answer: &Answer<'_>) -> Vec<Value> {
    let calls = calls.iter().enumerate();
    calls
        .map(|(index, call)| {
            json!({
                "id": answer.call_id("call", index),
                "type": "function",
                "function": { "name": call.name, "arguments": call.input.to_string() },
            })
        })
        .collect()
}

fn finish_reason(calls: &[Value]) -> &'static str {
    if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    }
}

/// No text is null, as it is with the real API where there are calls.
fn content(text: &str) -> Value {
    if text.is_empty() {
        Value::Null
    } else {
        text.into()
    }
}

fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 })
}

fn completion(text: &str, calls: &[Value], answer: &Answer<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": content(text) });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{}", answer.number),
        "object": "chat.completion",
        "created": 0,
        "model": answer.heard.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason(calls) }],
        "usage": usage(),
    })
}

fn chunks(text: &str, calls: &[Value], answer: &Answer<'_>) -> Vec<Event> {
    let chunk = |choices: Value, usage: Value| {
        plain_event(json!({
            "id": format!("chatcmpl-{}", answer.number),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": answer.heard.model,
            "choices": choices,
            "usage": usage,
        }))
    };
    let step = |delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        chunk(json!([choice]), Value::Null)
    };
    let opening = json!({ "role": "assistant", "content": content(text) });
    let mut events = vec![step(opening, Value::Null)];
    for (index, call) in calls.iter().enumerate() {
        let mut call = call.clone();
        call["index"] = index.into();
        events.push(step(json!({ "tool_calls": [call] }), Value::Null));
    }
    events.push(step(json!({}), finish_reason(calls).into()));
    events.push(chunk(json!([]), usage()));
    events.push(plain_event("[DONE]"));
    events
}
