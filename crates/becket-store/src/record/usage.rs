//! Tokens, where an agent tells of them.

use becket_model::{Event, EventData};
use serde_json::{Map, Value};

use super::mark::turn;

/// What a turn or a request cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Usage {
    /// Set where two reports may be of one turn.
    pub(crate) turn: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) input: i64,
    pub(crate) output: i64,
    pub(crate) cache_read: i64,
    pub(crate) cache_write: i64,
    pub(crate) reasoning: i64,
}

impl Usage {
    /// The tokens of an event that tells of them once: the end of a request, or of a turn. Reports of
    /// a context's size and running totals are not counted.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let raw = &event.raw;
        match &event.data {
            EventData::PostModelRequest => of_request(raw),
            EventData::Stop { .. } => {
                // One number alone is the size of the context.
                raw.get("output_tokens")?;
                Some(Self {
                    turn: turn(event).map(|turn| {
                        // A turn that was kept going rests again, and was paid for again.
                        let round = raw.get("loop_count").and_then(Value::as_u64);
                        format!("{turn}#{}", round.unwrap_or(0))
                    }),
                    ..counted(raw)
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

fn of_request(raw: &Map<String, Value>) -> Option<Usage> {
    let told = ["token_usage", "usage"]
        .iter()
        .find_map(|key| raw.get(*key)?.as_object());
    if let Some(told) = told {
        return Some(counted(told));
    }
    let response = raw.get("llm_response")?.as_object()?;
    // Every piece of a streamed answer has the count so far; the last one has all.
    let pieces = response.get("candidates").and_then(Value::as_array);
    let finished =
        pieces.is_some_and(|all| all.iter().any(|one| one.get("finishReason").is_some()));
    let told = response.get("usageMetadata")?.as_object()?;
    finished.then(|| counted(told))
}

fn model(raw: &Map<String, Value>) -> Option<String> {
    let nested = raw
        .get("llm_request")
        .and_then(|request| request.get("model"));
    let name = raw.get("model").or(nested)?.as_str()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn counted(told: &Map<String, Value>) -> Usage {
    let first = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| told.get(*key)?.as_i64());
        found.unwrap_or(0).max(0)
    };
    Usage {
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
        ..Usage::default()
    }
}
