//! The Gemini API: `/v1beta/models/<model>:generateContent`, `:streamGenerateContent` and
//! `:countTokens`.

use serde_json::{Value, json};

use super::http::Response;
use super::protocol::{Answer, Protocol, Wants, names, plain_event, string, text_of};
use super::record::{Heard, Reply, ToolResult};
use super::script::NativeCall;
use crate::scenario::ApiError;

pub(super) struct Gemini;

impl Protocol for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn route(&self, path: &str) -> Option<Wants> {
        match method(path) {
            "generateContent" | "streamGenerateContent" => Some(Wants::Answer),
            "countTokens" => Some(Wants::TokenCount),
            _ => None,
        }
    }

    fn read(&self, path: &str, body: &Value) -> Heard {
        let config = &body["generationConfig"];
        let schema = |key: &str| config[key].is_object();
        let tools = body["tools"].as_array().into_iter().flatten();
        let mut heard = Heard {
            model: model(path).to_owned(),
            system: text_of(&body["systemInstruction"]["parts"]),
            tools: tools
                .flat_map(|tool| names(&tool["functionDeclarations"], "name"))
                .collect(),
            streamed: method(path) == "streamGenerateContent",
            wants_json: config["responseMimeType"] == "application/json"
                || schema("responseSchema")
                || schema("responseJsonSchema"),
            ..Heard::default()
        };
        let mut previous = "";
        for content in body["contents"].as_array().into_iter().flatten() {
            let role = content["role"].as_str().unwrap_or_default();
            match role {
                "model" if previous == "model" => {}
                "model" => heard.answers += 1,
                _ => read_user(&content["parts"], &mut heard),
            }
            previous = role;
        }
        heard
    }

    fn answer(&self, answer: &Answer<'_>) -> Response {
        match answer.reply {
            Reply::Error(error) => failure(error),
            Reply::Answer { text, calls } => {
                let content = content(text, calls, answer);
                if answer.heard.streamed {
                    Response::events(vec![plain_event(content)])
                } else {
                    Response::json(200, content)
                }
            }
        }
    }

    fn token_count(&self) -> Response {
        Response::json(200, json!({ "totalTokens": 100 }))
    }
}

fn method(path: &str) -> &str {
    path.rsplit_once(':').map_or("", |(_, method)| method)
}

fn model(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

fn read_user(parts: &Value, heard: &mut Heard) {
    for part in parts.as_array().into_iter().flatten() {
        match &part["functionResponse"] {
            Value::Object(response) => {
                let response = Value::Object(response.clone());
                heard.results.push(result(&response));
            }
            _ => heard.hear_user(text_of(&part["text"])),
        }
    }
}

/// The response is an object of the client's choosing; Gemini CLI has `output` or `error` in it.
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

fn failure(error: &ApiError) -> Response {
    let body = json!({
        "error": { "code": error.status, "message": error.message, "status": error.kind },
    });
    Response::json(error.status, body)
}

fn content(text: &str, calls: &[NativeCall], answer: &Answer<'_>) -> Value {
    let text = (!text.is_empty()).then(|| json!({ "text": text }));
    let calls = calls.iter().enumerate().map(|(index, call)| {
        json!({
            "functionCall": {
                "id": answer.call_id("call", index),
                "name": call.name,
                "args": call.input,
            },
            // Models that think sign their calls, and clients miss it where it is not there.
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
        "modelVersion": answer.heard.model,
        "responseId": format!("response-{}", answer.number),
    })
}
