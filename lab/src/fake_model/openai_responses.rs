//! OpenAI's Responses API: `/v1/responses`, as far as Codex looks at it.
//!
//! A call whose input is a string is a call of a free-form tool (`custom_tool_call`), such as
//! Codex's `apply_patch`; any other is a `function_call`. The protocol has no word for a tool that
//! failed, so [`ToolResult::is_error`] is never set. Nothing is stored: a client that refers to an
//! earlier response by its id instead of repeating the conversation is not understood.

use serde_json::{Value, json};

use super::http::{Event, Response};
use super::protocol::{Answer, Protocol, Wants, named_event, openai_failure, string, text_of};
use super::record::{Heard, Reply, ToolResult};
use super::script::NativeCall;

pub(super) struct OpenAiResponses;

impl Protocol for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn route(&self, path: &str) -> Option<Wants> {
        path.ends_with("/responses").then_some(Wants::Answer)
    }

    fn read(&self, _path: &str, body: &Value) -> Heard {
        let tools = body["tools"].as_array().into_iter().flatten();
        let format = &body["text"]["format"]["type"];
        let heard = Heard {
            model: string(&body["model"]),
            system: text_of(&body["instructions"]),
            // Tools of the provider itself have a type and no name.
            tools: tools
                .filter_map(|tool| tool["name"].as_str().or(tool["type"].as_str()))
                .map(str::to_owned)
                .collect(),
            streamed: body["stream"] == true,
            wants_json: format.is_string() && format != "text",
            ..Heard::default()
        };
        let mut reading = Reading {
            heard,
            ..Reading::default()
        };
        match &body["input"] {
            Value::Array(items) => items.iter().for_each(|item| reading.read(item)),
            text => reading.heard.hear_user(text_of(text)),
        }
        reading.heard
    }

    fn answer(&self, answer: &Answer<'_>) -> Response {
        match answer.reply {
            Reply::Error(error) => openai_failure(error),
            Reply::Answer { text, calls } => {
                let items = items(text, calls, answer);
                if answer.heard.streamed {
                    Response::events(events(&items, answer))
                } else {
                    Response::json(200, response("completed", &items, answer))
                }
            }
        }
    }
}

/// A conversation half read. An answer of the model is several items here.
#[derive(Default)]
struct Reading {
    heard: Heard,
    /// Whether the item before was the model's.
    in_answer: bool,
    /// The answer that the last call was part of. Results may stand between calls of one answer.
    last_answer: String,
}

impl Reading {
    fn read(&mut self, item: &Value) {
        let kind = item["type"].as_str().unwrap_or("message");
        let role = item["role"].as_str().unwrap_or_default();
        let from_model = match (kind, role) {
            ("message", "assistant") | ("reasoning", _) => {
                self.count(None);
                true
            }
            ("message", "user") => {
                self.heard.hear_user(text_of(&item["content"]));
                false
            }
            ("message", _) => {
                self.heard.hear_system(&text_of(&item["content"]));
                false
            }
            (output, _) if output.ends_with("_output") => {
                self.heard.results.push(ToolResult {
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
        let answer = call.and_then(|id| id.rsplit_once('_')).map(|(it, _)| it);
        let known = answer.is_some_and(|answer| answer == self.last_answer);
        if !self.in_answer && !known {
            self.heard.answers += 1;
        }
        if let Some(answer) = answer {
            answer.clone_into(&mut self.last_answer);
        }
    }
}

fn items(text: &str, calls: &[NativeCall], answer: &Answer<'_>) -> Vec<Value> {
    let message = (!text.is_empty()).then(|| {
        json!({
            "type": "message",
            "id": format!("msg_{}", answer.number),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    });
    let calls = calls.iter().enumerate();
    let calls = calls.map(|(index, call)| match &call.input {
        Value::String(input) => json!({
            "type": "custom_tool_call",
            "id": answer.call_id("ctc", index),
            "call_id": answer.call_id("call", index),
            "name": call.name,
            "input": input,
            "status": "completed",
        }),
        input => json!({
            "type": "function_call",
            "id": answer.call_id("fc", index),
            "call_id": answer.call_id("call", index),
            "name": call.name,
            "arguments": input.to_string(),
            "status": "completed",
        }),
    });
    message.into_iter().chain(calls).collect()
}

fn response(status: &str, items: &[Value], answer: &Answer<'_>) -> Value {
    json!({
        "id": format!("resp_{}", answer.number),
        "object": "response",
        "status": status,
        "model": answer.heard.model,
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

fn events(items: &[Value], answer: &Answer<'_>) -> Vec<Event> {
    let whole = |name: &'static str, status: &str, items: &[Value]| {
        let response = response(status, items, answer);
        named_event(name, &json!({ "type": name, "response": response }))
    };
    let mut events = vec![whole("response.created", "in_progress", &[])];
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item));
    }
    events.push(whole("response.completed", "completed", items));
    events
}

fn item_events(index: usize, item: &Value) -> Vec<Event> {
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
