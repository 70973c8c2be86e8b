//! Token use that an agent reports.

use becket_model::{Event, EventData};
use serde_json::{Map, Value};

use super::turn_effect::turn_id;

/// The tokens of a turn or a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TokenUsage {
    /// The turn's id, to dedupe two reports of one turn.
    pub(crate) turn: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) input: i64,
    pub(crate) output: i64,
    pub(crate) cache_read: i64,
    pub(crate) cache_write: i64,
    pub(crate) reasoning: i64,
}

impl TokenUsage {
    /// The tokens of an event that reports them once, at the end of a request or a turn. Context sizes and running
    /// totals are ignored.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let raw = &event.raw;
        match &event.data {
            EventData::PostModelRequest => of_request(raw),
            EventData::Stop { .. } => {
                // Without output tokens, the number is the size of the context.
                raw.get("output_tokens")?;
                Some(Self {
                    turn: turn_id(event).map(|turn| {
                        // A turn that a hook kept going stops several times, each time with new tokens.
                        let round = raw.get("loop_count").and_then(Value::as_u64);
                        format!("{turn}#{}", round.unwrap_or(0))
                    }),
                    ..parse_tokens(raw)
                })
            }
            _ => None,
        }
        .map(|usage| Self {
            model: model(raw),
            ..usage
        })
    }
}

fn of_request(raw: &Map<String, Value>) -> Option<TokenUsage> {
    let reported = ["token_usage", "usage"]
        .iter()
        .find_map(|key| raw.get(*key)?.as_object());
    if let Some(reported) = reported {
        return Some(parse_tokens(reported));
    }
    let response = raw.get("llm_response")?.as_object()?;
    // Every chunk of a streamed answer has a running count; the last one has the total.
    let pieces = response.get("candidates").and_then(Value::as_array);
    let finished =
        pieces.is_some_and(|all| all.iter().any(|one| one.get("finishReason").is_some()));
    let reported = response.get("usageMetadata")?.as_object()?;
    finished.then(|| parse_tokens(reported))
}

fn model(raw: &Map<String, Value>) -> Option<String> {
    let nested = raw
        .get("llm_request")
        .and_then(|request| request.get("model"));
    let name = raw.get("model").or(nested)?.as_str()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn parse_tokens(reported: &Map<String, Value>) -> TokenUsage {
    let first = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| reported.get(*key)?.as_i64());
        found.unwrap_or(0).max(0)
    };
    TokenUsage {
        input: first(&["input_tokens", "promptTokenCount"]),
        output: first(&["output_tokens", "candidatesTokenCount"]),
        cache_read: first(&[
            "cache_read_tokens",
            "cached_input_tokens",
            "cache_read_input_tokens",
            "cachedContentTokenCount",
        ]),
        cache_write: first(&[
            "cache_write_tokens",
            "cache_write_input_tokens",
            "cache_creation_input_tokens",
        ]),
        reasoning: first(&["reasoning_output_tokens", "thoughtsTokenCount"]),
        ..TokenUsage::default()
    }
}
