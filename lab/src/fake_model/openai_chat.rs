//! OpenAI's Chat Completions API, which many other providers also implement: `/v1/chat/completions`.
//!
//! The protocol cannot mark a tool result as failed, so [`ToolResult::is_error`] is never set.

use serde_json::{Value, json};

use super::http::{HttpResponse, SseEvent};
use super::protocol::{
    Protocol, ReplyContext, RequestedResult, openai_failure, plain_event, string, text_of,
};
use super::record::{ModelReply, ParsedConversation, ToolResult};
use super::script::NativeCall;

pub(super) struct OpenAiChat;

impl Protocol for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn route(&self, path: &str) -> Option<RequestedResult> {
        path.ends_with("/chat/completions")
            .then_some(RequestedResult::Answer)
    }

    fn read(&self, _path: &str, body: &Value) -> ParsedConversation {
        let tools = body["tools"].as_array().into_iter().flatten();
        let format = &body["response_format"]["type"];
        let mut conversation = ParsedConversation {
            model: string(&body["model"]),
            tools: tools
                .filter_map(|tool| tool["function"]["name"].as_str())
                .map(str::to_owned)
                .collect(),
            streamed: body["stream"] == true,
            wants_json: format.is_string() && format != "text",
            ..ParsedConversation::default()
        };
        let mut previous = "";
        for message in body["messages"].as_array().into_iter().flatten() {
            let role = message["role"].as_str().unwrap_or_default();
            let content = &message["content"];
            match role {
                // A client may send the text and the calls of one answer as two messages.
                "assistant" if previous == "assistant" => {}
                "assistant" => conversation.answers += 1,
                "tool" => conversation.results.push(ToolResult {
                    id: string(&message["tool_call_id"]),
                    text: text_of(content),
                    is_error: false,
                }),
                "system" | "developer" => conversation.add_system_text(&text_of(content)),
                _ => add_parts(content, &mut conversation),
            }
            previous = role;
        }
        conversation
    }

    fn render(&self, context: &ReplyContext<'_>) -> HttpResponse {
        match context.reply {
            ModelReply::Error(error) => openai_failure(error),
            ModelReply::Answer { text, calls } => {
                let calls = tool_calls(calls, context);
                if context.conversation.streamed {
                    HttpResponse::events(chunks(text, &calls, context))
                } else {
                    HttpResponse::json(200, completion(text, &calls, context))
                }
            }
        }
    }
}

/// Parts stay separate, because clients add their own text next to the user's.
fn add_parts(content: &Value, conversation: &mut ParsedConversation) {
    match content {
        Value::Array(parts) => {
            for part in parts {
                conversation.add_user_text(text_of(part));
            }
        }
        other => conversation.add_user_text(text_of(other)),
    }
}

fn tool_calls(calls: &[NativeCall], context: &ReplyContext<'_>) -> Vec<Value> {
    let calls = calls.iter().enumerate();
    calls
        .map(|(index, call)| {
            json!({
                "id": context.call_id("call", index),
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

/// Empty text is null, as in the real API.
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

fn completion(text: &str, calls: &[Value], context: &ReplyContext<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": content(text) });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{}", context.number),
        "object": "chat.completion",
        "created": 0,
        "model": context.conversation.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason(calls) }],
        "usage": usage(),
    })
}

fn chunks(text: &str, calls: &[Value], context: &ReplyContext<'_>) -> Vec<SseEvent> {
    let chunk = |choices: Value, usage: Value| {
        plain_event(json!({
            "id": format!("chatcmpl-{}", context.number),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": context.conversation.model,
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
