//! The Gemini API: `/v1beta/models/<model>:generateContent`, `:streamGenerateContent` and
//! `:countTokens`.

use serde_json::{Value, json};

use super::http::HttpResponse;
use super::protocol::{
    Protocol, ReplyContext, RequestedResult, names, plain_event, string, text_of,
};
use super::record::{ModelReply, ParsedConversation, ToolResult};
use super::script::NativeCall;
use crate::scenario::ApiError;

pub(super) struct GeminiApi;

impl Protocol for GeminiApi {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn route(&self, path: &str) -> Option<RequestedResult> {
        match method(path) {
            "generateContent" | "streamGenerateContent" => Some(RequestedResult::Answer),
            "countTokens" => Some(RequestedResult::TokenCount),
            _ => None,
        }
    }

    fn read(&self, path: &str, body: &Value) -> ParsedConversation {
        let config = &body["generationConfig"];
        let schema = |key: &str| config[key].is_object();
        let tools = body["tools"].as_array().into_iter().flatten();
        let mut conversation = ParsedConversation {
            model: model(path).to_owned(),
            system: text_of(&body["systemInstruction"]["parts"]),
            tools: tools
                .flat_map(|tool| names(&tool["functionDeclarations"], "name"))
                .collect(),
            streamed: method(path) == "streamGenerateContent",
            wants_json: config["responseMimeType"] == "application/json"
                || schema("responseSchema")
                || schema("responseJsonSchema"),
            ..ParsedConversation::default()
        };
        let mut previous = "";
        for content in body["contents"].as_array().into_iter().flatten() {
            let role = content["role"].as_str().unwrap_or_default();
            match role {
                "model" if previous == "model" => {}
                "model" => conversation.answers += 1,
                _ => read_user(&content["parts"], &mut conversation),
            }
            previous = role;
        }
        conversation
    }

    fn render(&self, context: &ReplyContext<'_>) -> HttpResponse {
        match context.reply {
            ModelReply::Error(error) => failure(error),
            ModelReply::Answer { text, calls } => {
                let body = content(text, calls, context);
                if context.conversation.streamed {
                    HttpResponse::events(vec![plain_event(body)])
                } else {
                    HttpResponse::json(200, body)
                }
            }
        }
    }

    fn token_count(&self) -> HttpResponse {
        HttpResponse::json(200, json!({ "totalTokens": 100 }))
    }
}

fn method(path: &str) -> &str {
    path.rsplit_once(':').map_or("", |(_, method)| method)
}

fn model(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

fn read_user(parts: &Value, conversation: &mut ParsedConversation) {
    for part in parts.as_array().into_iter().flatten() {
        match &part["functionResponse"] {
            Value::Object(response) => {
                let response = Value::Object(response.clone());
                conversation.results.push(result(&response));
            }
            _ => conversation.add_user_text(text_of(&part["text"])),
        }
    }
}

/// The response is an object in the client's format; Gemini CLI uses `output` or `error`.
fn result(response: &Value) -> ToolResult {
    let given = &response["response"];
    let (text, is_error) = match (&given["output"], &given["error"]) {
        (_, Value::String(error)) => (error.clone(), true),
        (Value::String(output), _) => (output.clone(), false),
        _ => (given.to_string(), false),
    };
    ToolResult {
        id: string(&response["id"]),
        text,
        is_error,
    }
}

fn failure(error: &ApiError) -> HttpResponse {
    let body = json!({
        "error": { "code": error.status, "message": error.message, "status": error.kind },
    });
    HttpResponse::json(error.status, body)
}

fn content(text: &str, calls: &[NativeCall], context: &ReplyContext<'_>) -> Value {
    let text = (!text.is_empty()).then(|| json!({ "text": text }));
    let calls = calls.iter().enumerate().map(|(index, call)| {
        json!({
            "functionCall": {
                "id": context.call_id("call", index),
                "name": call.name,
                "args": call.input,
            },
            // Thinking models sign their calls, and clients expect the signature.
            "thoughtSignature": "bGFi",
        })
    });
    let parts: Vec<Value> = text.into_iter().chain(calls).collect();
    json!({
        "candidates": [{
            "index": 0,
            "content": { "role": "model", "parts": parts },
            "finishReason": "STOP",
        }],
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 20,
            "totalTokenCount": 120,
        },
        "modelVersion": context.conversation.model,
        "responseId": format!("response-{}", context.number),
    })
}
