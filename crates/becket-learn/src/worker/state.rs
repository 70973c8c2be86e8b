//! What was spent today, whether somebody paused it, and how the queue is.

use becket_store::{Error, Extractions, FailedExtraction, Group, Millis, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::llm::Spent;

const SPENT: &str = "learn/spent";
const PAUSED: &str = "learn/paused";

/// As many that were given up are listed.
const MOST_DEAD: usize = 50;

/// How learning is
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Status {
    /// The queue, in numbers
    pub queue: Extractions,
    /// Why what waits was put off, if it was
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_off: Option<String>,
    /// What models cost today (UTC)
    pub spent_today: Spent,
    /// The latest question was not put because it would have cost more than a day may: rules learn until tomorrow
    pub out_of_tokens: bool,
    /// Since when a person lets it rest
    pub paused_since: Option<Millis>,
    /// What was given up, the latest first
    pub given_up: Vec<FailedExtraction>,
}

/// How learning is, with a limit of tokens a day. What a lower limit kept from being asked may be asked since.
pub fn status(reader: &Reader, limit: Option<u64>, now: Millis) -> Result<Status, Error> {
    let kept_out = today(reader, now)?["out_at"].as_u64();
    Ok(Status {
        queue: reader.extractions()?,
        put_off: reader.put_off()?,
        spent_today: spent(reader, now)?,
        out_of_tokens: limit.is_some_and(|limit| Some(limit) <= kept_out),
        paused_since: paused_since(reader)?,
        given_up: reader.failed_extractions(MOST_DEAD)?,
    })
}

/// Lets the queue wait, until [`resume`].
pub fn pause(group: &mut Group<'_>, now: Millis) -> Result<(), Error> {
    group.set_meta(PAUSED, &now.to_text())
}

/// Goes on.
pub fn resume(group: &mut Group<'_>) -> Result<(), Error> {
    group.set_meta(PAUSED, "")
}

pub(super) fn is_paused(reader: &Reader) -> Result<bool, Error> {
    Ok(paused_since(reader)?.is_some())
}

fn paused_since(reader: &Reader) -> Result<Option<Millis>, Error> {
    let text = reader.meta(PAUSED)?.filter(|text| !text.is_empty());
    // Whoever wrote something there wanted it to rest.
    Ok(text.map(|text| Millis::parse(&text).unwrap_or_default()))
}

/// What was spent on the day of `now`.
pub(super) fn spent(reader: &Reader, now: Millis) -> Result<Spent, Error> {
    let spent = today(reader, now)?["spent"].take();
    Ok(serde_json::from_value(spent).unwrap_or_default())
}

/// What was noted on the day of `now`; null if nothing was.
fn today(reader: &Reader, now: Millis) -> Result<Value, Error> {
    let text = reader.meta(SPENT)?.unwrap_or_default();
    let noted: Value = serde_json::from_str(&text).unwrap_or_default();
    Ok(if noted["day"] == day(now).as_str() {
        noted
    } else {
        Value::Null
    })
}

pub(super) fn set_spent(
    group: &mut Group<'_>,
    spent: Spent,
    out_at: Option<u64>,
    now: Millis,
) -> Result<(), Error> {
    let noted = json!({ "day": day(now), "spent": spent, "out_at": out_at });
    group.set_meta(SPENT, &noted.to_string())
}

fn day(now: Millis) -> String {
    now.to_text().chars().take(10).collect()
}
