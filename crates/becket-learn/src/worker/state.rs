//! State of learning: token usage of today, pause, queue counts.

use becket_store::{
    Error, ExtractionCounts, FailedExtraction, Millis, StoreReader, WriteTransaction,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::llm::TokensSpent;

const SPENT: &str = "learn/spent";
const PAUSED: &str = "learn/paused";

/// Maximum number of failed jobs in the list.
const MAX_FAILED_LISTED: usize = 50;

/// The state of learning
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Status")]
pub struct LearnStatus {
    /// Number of jobs by state
    pub queue: ExtractionCounts,
    /// Why waiting jobs were postponed, if they were
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_off: Option<String>,
    /// Tokens used today (UTC)
    pub spent_today: TokensSpent,
    /// Whether the daily token limit stopped the last request. Rules are used until tomorrow
    pub out_of_tokens: bool,
    /// When the user paused learning
    pub paused_since: Option<Millis>,
    /// Jobs that were given up, latest first
    pub given_up: Vec<FailedExtraction>,
}

/// Reads the state with the current daily limit. If the limit was raised since, learning is no longer out of tokens.
pub fn status(reader: &StoreReader, limit: Option<u64>, now: Millis) -> Result<LearnStatus, Error> {
    let kept_out = today_record(reader, now)?["out_at"].as_u64();
    Ok(LearnStatus {
        queue: reader.extractions()?,
        put_off: reader.last_extraction_error()?,
        spent_today: tokens_spent(reader, now)?,
        out_of_tokens: limit.is_some_and(|limit| Some(limit) <= kept_out),
        paused_since: paused_since(reader)?,
        given_up: reader.failed_extractions(MAX_FAILED_LISTED)?,
    })
}

/// Pauses the queue until [`resume`].
pub fn pause(group: &mut WriteTransaction<'_>, now: Millis) -> Result<(), Error> {
    group.set_meta(PAUSED, &now.to_text())
}

/// Resumes the queue.
pub fn resume(group: &mut WriteTransaction<'_>) -> Result<(), Error> {
    group.set_meta(PAUSED, "")
}

pub(super) fn is_paused(reader: &StoreReader) -> Result<bool, Error> {
    Ok(paused_since(reader)?.is_some())
}

fn paused_since(reader: &StoreReader) -> Result<Option<Millis>, Error> {
    let text = reader.meta(PAUSED)?.filter(|text| !text.is_empty());
    // An unreadable value still means paused.
    Ok(text.map(|text| Millis::parse(&text).unwrap_or_default()))
}

/// Tokens used on the day of `now`.
pub(super) fn tokens_spent(reader: &StoreReader, now: Millis) -> Result<TokensSpent, Error> {
    let spent = today_record(reader, now)?["spent"].take();
    Ok(serde_json::from_value(spent).unwrap_or_default())
}

/// The record of the day of `now`; null if there is none.
fn today_record(reader: &StoreReader, now: Millis) -> Result<Value, Error> {
    let text = reader.meta(SPENT)?.unwrap_or_default();
    let noted: Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(if noted["day"] == day(now).as_str() {
        noted
    } else {
        Value::Null
    })
}

pub(super) fn set_tokens_spent(
    group: &mut WriteTransaction<'_>,
    spent: TokensSpent,
    out_at: Option<u64>,
    now: Millis,
) -> Result<(), Error> {
    let noted = json!({ "day": day(now), "spent": spent, "out_at": out_at });
    group.set_meta(SPENT, &noted.to_string())
}

fn day(now: Millis) -> String {
    now.to_text().chars().take(10).collect()
}
