//! The recorded trail: every event, redacted, appended to the spool.

use anyhow::Context;
use becket::Home;
use becket_spool::Spool;
use serde_json::Value;

/// Redacts a record and makes it durable.
pub(crate) fn append(home: &Home, record: Value) -> anyhow::Result<()> {
    keep(home, &line(record)?)
}

/// A record as one line, redacted.
pub(crate) fn line(mut record: Value) -> anyhow::Result<Vec<u8>> {
    becket_guard::redact::redact_json(&mut record);
    let line = serde_json::to_vec(&record)?;
    // The process ends soon: taking a large tree apart first would only cost time.
    std::mem::forget(record);
    Ok(line)
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
