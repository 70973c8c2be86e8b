//! The recorded trail: every event, redacted, appended to the spool.

use anyhow::Context;
use becket::Home;
use becket_spool::{LONGEST_RECORD, Spool};
use serde_json::Value;

/// Redacts a record and makes it durable.
pub(crate) fn append(home: &Home, record: Value) -> anyhow::Result<()> {
    keep(home, &line(record)?)
}

/// A record as one line, redacted.
pub(crate) fn line(mut record: Value) -> anyhow::Result<Vec<u8>> {
    becket_guard::redact::redact_json(&mut record);
    let mut line = serde_json::to_vec(&record)?;
    if line.len() > LONGEST_RECORD {
        line = shortened(&mut record, line.len())?;
    }
    // The process ends soon: taking a large tree apart first would only cost time.
    std::mem::forget(record);
    Ok(line)
}

/// That an event happened and what was decided is worth more than what cannot be kept of it.
fn shortened(record: &mut Value, len: usize) -> anyhow::Result<Vec<u8>> {
    let payload = record["payload"].take();
    record["bytes"] = serde_json::to_vec(&payload)?.len().into();
    record["error"] = format!("its record of {len} bytes is too long").into();
    let line = serde_json::to_vec(&record)?;
    if line.len() <= LONGEST_RECORD {
        return Ok(line);
    }
    let verdict = record["decision"]["verdict"].take();
    record["decision"] = serde_json::json!({ "verdict": verdict });
    Ok(serde_json::to_vec(&record)?)
}

/// Makes a line durable.
pub(crate) fn keep(home: &Home, line: &[u8]) -> anyhow::Result<()> {
    Spool::open(home.spool())
        .append(line)
        .context("the spool cannot be written")
}

/// Whether nothing in a value would be redacted.
pub(crate) fn is_free_of_secrets(value: &Value) -> bool {
    let mut redacted = value.clone();
    becket_guard::redact::redact_json(&mut redacted);
    redacted == *value
}

#[cfg(test)]
mod tests {
    use becket_agents::payload::MAX_PAYLOAD;
    use serde_json::json;

    use super::*;

    fn record(chars: usize) -> Value {
        json!({
            "v": 1, "id": "e1", "event": "PostToolUse", "session": "s1",
            "decision": { "verdict": "none" }, "payload": { "a": "x".repeat(chars) },
        })
    }

    #[test]
    fn the_largest_payload_is_kept_and_a_record_that_is_too_long_without_it() {
        let kept = line(record(MAX_PAYLOAD - 8)).unwrap();
        assert!(kept.len() > MAX_PAYLOAD && kept.len() <= LONGEST_RECORD);
        let short = line(record(LONGEST_RECORD)).unwrap();
        let short: Value = serde_json::from_slice(&short).unwrap();
        assert_eq!(short["payload"], Value::Null);
        assert_eq!(short["bytes"], LONGEST_RECORD + 8);
        assert_eq!(short["decision"]["verdict"], "none");
        assert!(
            short["error"].as_str().unwrap().contains("too long"),
            "{short}"
        );
    }

    #[test]
    fn what_hooks_said_at_length_is_left_out_before_the_verdict_is() {
        let mut long = record(1);
        long["decision"] = json!({ "verdict": "deny", "context": "y".repeat(LONGEST_RECORD) });
        let short: Value = serde_json::from_slice(&line(long).unwrap()).unwrap();
        assert_eq!(short["decision"], json!({ "verdict": "deny" }));
    }
}
