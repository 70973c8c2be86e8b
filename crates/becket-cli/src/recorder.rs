//! Records events: redacts a record and appends it to the spool.

use anyhow::Context;
use becket::Home;
use becket_spool::{MAX_RECORD_BYTES, Spool};
use serde_json::Value;

/// Redacts a record and appends it to the spool.
pub(crate) fn append(home: &Home, record: Value) -> anyhow::Result<()> {
    write_line(home, &redacted_line(record)?)
}

/// The record as one redacted line.
pub(crate) fn redacted_line(mut record: Value) -> anyhow::Result<Vec<u8>> {
    becket_guard::redact::redact_json(&mut record);
    let mut line = serde_json::to_vec(&record)?;
    if line.len() > MAX_RECORD_BYTES {
        line = truncated(&mut record, line.len())?;
    }
    // The process ends soon. Freeing a large tree first would only cost time.
    std::mem::forget(record);
    Ok(line)
}

/// Shortens a record that is too long: the event and the verdict matter more than the payload.
fn truncated(record: &mut Value, len: usize) -> anyhow::Result<Vec<u8>> {
    let payload = record["payload"].take();
    record["bytes"] = serde_json::to_vec(&payload)?.len().into();
    record["error"] = format!("the record of {len} bytes is too long").into();
    let line = serde_json::to_vec(&record)?;
    if line.len() <= MAX_RECORD_BYTES {
        return Ok(line);
    }
    let verdict = record["decision"]["verdict"].take();
    record["decision"] = serde_json::json!({ "verdict": verdict });
    Ok(serde_json::to_vec(&record)?)
}

/// Appends a line to the spool.
pub(crate) fn write_line(home: &Home, line: &[u8]) -> anyhow::Result<()> {
    Spool::open(home.spool())
        .append(line)
        .context("cannot write to the spool")
}

/// Whether redaction would leave a value unchanged.
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
    fn largest_payload_fits_and_an_oversized_record_loses_its_payload() {
        let kept = redacted_line(record(MAX_PAYLOAD - 8)).unwrap();
        assert!(kept.len() > MAX_PAYLOAD && kept.len() <= MAX_RECORD_BYTES);
        let short = redacted_line(record(MAX_RECORD_BYTES)).unwrap();
        let short: Value = serde_json::from_slice(&short).unwrap();
        assert_eq!(short["payload"], Value::Null);
        assert_eq!(short["bytes"], MAX_RECORD_BYTES + 8);
        assert_eq!(short["decision"]["verdict"], "none");
        assert!(
            short["error"].as_str().unwrap().contains("too long"),
            "{short}"
        );
    }

    #[test]
    fn oversized_decision_keeps_its_verdict() {
        let mut long = record(1);
        long["decision"] = json!({ "verdict": "deny", "context": "y".repeat(MAX_RECORD_BYTES) });
        let short: Value = serde_json::from_slice(&redacted_line(long).unwrap()).unwrap();
        assert_eq!(short["decision"], json!({ "verdict": "deny" }));
    }
}
