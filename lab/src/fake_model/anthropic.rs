//! The Anthropic Messages API: `/v1/messages` and `/v1/messages/count_tokens`.
//!
//! The formats are the documented ones, as far as Claude Code 2.1 reads them.

use serde_json::{Value, json};

use super::http::{HttpResponse, SseEvent};
use super::protocol::{
    Protocol, ReplyContext, RequestedResult, named_event, names, string, text_of,
};
use super::record::{ModelReply, ParsedConversation, ToolResult};
use super::script::NativeCall;
use crate::scenario::ApiError;

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn route(&self, path: &str) -> Option<RequestedResult> {
        if path.ends_with("/messages") {
            Some(RequestedResult::Answer)
        } else if path.ends_with("/messages/count_tokens") {
            Some(RequestedResult::TokenCount)
        } else {
            None
        }
    }

    fn read(&self, _path: &str, body: &Value) -> ParsedConversation {
        let mut conversation = ParsedConversation {
            model: string(&body["model"]),
            system: text_of(&body["system"]),
            tools: names(&body["tools"], "name").collect(),
            streamed: body["stream"] == true,
            wants_json: body["output_config"]["format"].is_object(),
            ..ParsedConversation::default()
        };
        let mut previous = "";
        for message in body["messages"].as_array().into_iter().flatten() {
            let role = message["role"].as_str().unwrap_or_default();
            match role {
                // A client may send one answer as several messages with one block each.
                "assistant" if previous == "assistant" => {}
                "assistant" => conversation.answers += 1,
                "system" => conversation.add_system_text(&text_of(&message["content"])),
                _ => read_user(&message["content"], &mut conversation),
            }
            previous = role;
        }
        conversation
    }

    fn render(&self, context: &ReplyContext<'_>) -> HttpResponse {
        match context.reply {
            ModelReply::Error(error) => failure(error),
            ModelReply::Answer { text, calls } => {
                let blocks = blocks(text, calls, context);
                let message = message(&blocks, context);
                if context.conversation.streamed {
                    HttpResponse::events(events(&message, &blocks))
                } else {
                    HttpResponse::json(200, message)
                }
            }
        }
    }

    fn token_count(&self) -> HttpResponse {
        HttpResponse::json(200, json!({ "input_tokens": 100 }))
    }
}

fn read_user(content: &Value, conversation: &mut ParsedConversation) {
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        other => std::slice::from_ref(other),
    };
    for block in blocks {
        if block["type"] == "tool_result" {
            conversation.results.push(ToolResult {
                id: string(&block["tool_use_id"]),
                text: text_of(&block["content"]),
                is_error: block["is_error"] == true,
            });
            continue;
        }
        conversation.add_user_text(text_of(block));
    }
}

fn failure(error: &ApiError) -> HttpResponse {
    let body = json!({
        "type": "error",
        "error": { "type": error.kind, "message": error.message },
    });
    HttpResponse::json(error.status, body)
}

fn blocks(text: &str, calls: &[NativeCall], context: &ReplyContext<'_>) -> Vec<Value> {
    let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let calls = calls.iter().enumerate().map(|(index, call)| {
        json!({
            "type": "tool_use",
            "id": context.call_id("toolu", index),
            "name": call.name,
            "input": call.input,
        })
    });
    text.into_iter().chain(calls).collect()
}

fn message(blocks: &[Value], context: &ReplyContext<'_>) -> Value {
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_{}", context.number),
        "type": "message",
        "role": "assistant",
        "model": context.conversation.model,
        "content": blocks,
        "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}

fn events(message: &Value, blocks: &[Value]) -> Vec<SseEvent> {
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Value::Null;
    let mut events = vec![named_event(
        "message_start",
        &json!({ "type": "message_start", "message": opening }),
    )];
    for (index, block) in blocks.iter().enumerate() {
        events.extend(block_events(index, block));
    }
    events.push(named_event(
        "message_delta",
        &json!({
            "type": "message_delta",
            "delta": { "stop_reason": message["stop_reason"], "stop_sequence": null },
            "usage": { "output_tokens": 20 },
        }),
    ));
    events.push(named_event(
        "message_stop",
        &json!({ "type": "message_stop" }),
    ));
    events
}

fn block_events(index: usize, block: &Value) -> [SseEvent; 3] {
    let mut opening = block.clone();
    let delta = if block["type"] == "text" {
        opening["text"] = json!("");
        json!({ "type": "text_delta", "text": block["text"] })
    } else {
        opening["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    };
    [
        named_event(
            "content_block_start",
            &json!({ "type": "content_block_start", "index": index, "content_block": opening }),
        ),
        named_event(
            "content_block_delta",
            &json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        ),
        named_event(
            "content_block_stop",
            &json!({ "type": "content_block_stop", "index": index }),
        ),
    ]
}
