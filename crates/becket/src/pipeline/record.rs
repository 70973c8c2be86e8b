//! The record of an event: one JSON object for the spool, not redacted yet.

use becket_agents::Rendered;
use becket_model::Decision;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::Pipeline;

impl Pipeline<'_> {
    /// Consumes the pipeline, because the payload moves into the record.
    pub(super) fn record(self, decision: &Decision, rendered: &Rendered) -> Value {
        let event = self.event;
        let kind = event.kind();
        let mut record = json!({
            "v": 1,
            "id": self.id,
            "ts": timestamp(self.now),
            "agent": event.agent.as_str(),
            "event": kind.name(),
            "session": event.session.as_str(),
            "project": self.root,
            "decision": decision.to_json(),
        });
        record["payload"] = Value::Object(event.raw);
        if !rendered.lost.is_empty() {
            record["lost"] = json!(rendered.lost);
        }
        if !self.skipped.is_empty() {
            record["skipped"] = json!(self.skipped);
        }
        record
    }
}

pub(super) fn timestamp(now: DateTime<Utc>) -> String {
    now.to_rfc3339_opts(SecondsFormat::Millis, true)
}
