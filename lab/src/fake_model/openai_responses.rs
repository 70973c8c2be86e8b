//! OpenAI's Responses API: `/v1/responses`, as far as Codex uses it.
//!
//! A call with a string input is a call of a free-form tool (`custom_tool_call`), such as Codex's `apply_patch`; any other
//! is a `function_call`. The protocol cannot mark a tool result as failed, so [`ToolResult::is_error`] is never set. Nothing
//! is stored: a client that refers to an earlier response by id instead of repeating the conversation is not supported.

use serde_json::{Value, json};

use super::http::{HttpResponse, SseEvent};
use super::protocol::{
    Protocol, ReplyContext, RequestedResult, named_event, openai_failure, string, text_of,
};
use super::record::{ModelReply, ParsedConversation, ToolResult};
use super::script::NativeCall;

pub(super) struct OpenAiResponses;

impl Protocol for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn route(&self, path: &str) -> Option<RequestedResult> {
        path.ends_with("/responses")
            .then_some(RequestedResult::Answer)
    }

    fn read(&self, _path: &str, body: &Value) -> ParsedConversation {
        let tools = body["tools"].as_array().into_iter().flatten();
        let format = &body["text"]["format"]["type"];
        let conversation = ParsedConversation {
            model: string(&body["model"]),
            system: text_of(&body["instructions"]),
            // The provider's own tools have a type and no name.
            tools: tools
                .filter_map(|tool| tool["name"].as_str().or(tool["type"].as_str()))
                .map(str::to_owned)
                .collect(),
            streamed: body["stream"] == true,
            wants_json: format.is_string() && format != "text",
            ..ParsedConversation::default()
        };
        let mut reading = ConversationParser {
            conversation,
            ..ConversationParser::default()
        };
        match &body["input"] {
            Value::Array(items) => items.iter().for_each(|item| reading.read(item)),
            text => reading.conversation.add_user_text(text_of(text)),
        }
        reading.conversation
    }

    fn render(&self, context: &ReplyContext<'_>) -> HttpResponse {
        match context.reply {
            ModelReply::Error(error) => openai_failure(error),
            ModelReply::Answer { text, calls } => {
                let items = items(text, calls, context);
                if context.conversation.streamed {
                    HttpResponse::events(events(&items, context))
                } else {
                    HttpResponse::json(200, response("completed", &items, context))
                }
            }
        }
    }
}

/// Parser state for a conversation, in which one model answer is several items.
#[derive(Default)]
struct ConversationParser {
    conversation: ParsedConversation,
    /// Whether the previous item was the model's.
    in_answer: bool,
    /// The answer of the last call. Results may stand between calls of one answer.
    last_answer: String,
}

impl ConversationParser {
    fn read(&mut self, item: &Value) {
        let kind = item["type"].as_str().unwrap_or("message");
        let role = item["role"].as_str().unwrap_or_default();
        let from_model = match (kind, role) {
            ("message", "assistant") | ("reasoning", _) => {
                self.count(None);
                true
            }
            ("message", "user") => {
                self.conversation.add_user_text(text_of(&item["content"]));
                false
            }
            ("message", _) => {
                self.conversation
                    .add_system_text(&text_of(&item["content"]));
                false
            }
            (output, _) if output.ends_with("_output") => {
                self.conversation.results.push(ToolResult {
                    id: string(&item["call_id"]),
                    text: text_of(&item["output"]),
                    is_error: false,
                });
                false
            }
            (call, _) if call.ends_with("_call") => {
                self.count(item["call_id"].as_str());
                true
            }
            _ => false,
        };
        self.in_answer = from_model;
    }

    fn count(&mut self, call: Option<&str>) {
        let context = call.and_then(|id| id.rsplit_once('_')).map(|(it, _)| it);
        let known = context.is_some_and(|context| context == self.last_answer);
        if !self.in_answer && !known {
            self.conversation.answers += 1;
        }
        if let Some(context) = context {
            context.clone_into(&mut self.last_answer);
        }
    }
}

fn items(text: &str, calls: &[NativeCall], context: &ReplyContext<'_>) -> Vec<Value> {
    let message = (!text.is_empty()).then(|| {
        json!({
            "type": "message",
            "id": format!("msg_{}", context.number),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    });
    let calls = calls.iter().enumerate();
    let calls = calls.map(|(index, call)| match &call.input {
        Value::String(input) => json!({
            "type": "custom_tool_call",
            "id": context.call_id("ctc", index),
            "call_id": context.call_id("call", index),
            "name": call.name,
            "input": input,
            "status": "completed",
        }),
        input => json!({
            "type": "function_call",
            "id": context.call_id("fc", index),
            "call_id": context.call_id("call", index),
            "name": call.name,
            "arguments": input.to_string(),
            "status": "completed",
        }),
    });
    message.into_iter().chain(calls).collect()
}

fn response(status: &str, items: &[Value], context: &ReplyContext<'_>) -> Value {
    json!({
        "id": format!("resp_{}", context.number),
        "object": "response",
        "status": status,
        "model": context.conversation.model,
        "output": items,
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 20,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 120,
        },
    })
}

fn events(items: &[Value], context: &ReplyContext<'_>) -> Vec<SseEvent> {
    let whole = |name: &'static str, status: &str, items: &[Value]| {
        let response = response(status, items, context);
        named_event(name, &json!({ "type": name, "response": response }))
    };
    let mut events = vec![whole("response.created", "in_progress", &[])];
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item));
    }
    events.push(whole("response.completed", "completed", items));
    events
}

fn item_events(index: usize, item: &Value) -> Vec<SseEvent> {
    let event = |name: &'static str, item: &Value| {
        let data = json!({ "type": name, "output_index": index, "item": item });
        named_event(name, &data)
    };
    let mut opening = item.clone();
    opening["status"] = "in_progress".into();
    let mut events = Vec::new();
    if item["type"] == "message" {
        opening["content"] = json!([]);
        let delta = json!({
            "type": "response.output_text.delta",
            "item_id": item["id"],
            "output_index": index,
            "content_index": 0,
            "delta": item["content"][0]["text"],
        });
        events.push(named_event("response.output_text.delta", &delta));
    }
    events.insert(0, event("response.output_item.added", &opening));
    events.push(event("response.output_item.done", item));
    events
}
