//! Replies where the pipeline cannot decide: unreadable payloads, hooks that cannot run, interrupted runs.
//!
//! Where a hook could have blocked the event, the reply asks the person. It never looks like consent.

use std::time::Duration;

use becket_agents::Adapter;
use becket_model::{Decision, EventKind, FailureKind, HookOutcome, HookRun, Verdict, merge};
use chrono::Utc;
use serde_json::json;

use super::record::timestamp;
use super::{Pipeline, RecordPolicy, Request, Response};
use crate::id::new_id;
use crate::load::load;

/// The exit code for an unreadable payload when the reply has no other content. Agents treat it as an error that
/// blocks nothing.
pub const BAD_PAYLOAD: i32 = 65;

/// The reply to a payload that cannot be parsed.
pub(super) fn unreadable(request: &Request<'_>, adapter: &dyn Adapter, error: &str) -> Response {
    let reason = format!("becket could not read the event: {error}");
    undecided_response(request, adapter, &reason, error)
}

/// The reply when hooks match and none of them can run: the person decides where a hook could have blocked.
pub fn fail_closed(request: &Request<'_>, error: &str) -> Response {
    let reason = format!("becket could not run the hooks for this event: {error}");
    undecided_response(request, request.adapter, &reason, error)
}

/// No opinion on events that only observe; the user's `on_bad_payload` policy (default: ask) on guarded ones.
fn undecided_response(
    request: &Request<'_>,
    adapter: &dyn Adapter,
    reason: &str,
    error: &str,
) -> Response {
    let kind = request.event.map(EventKind::parse);
    let configuration = load(request.home, None, Some(adapter.id()));
    let guarded = request.event.is_some_and(|name| adapter.is_guarded(name));
    let verdict = match configuration.settings.on_bad_payload {
        Some(policy) if guarded => policy.verdict(),
        None if guarded => Verdict::Ask,
        _ => Verdict::NoOpinion,
    };
    let mut rendered = adapter.render_unparsed(kind.as_ref(), verdict, reason);
    rendered.stderr = format!("becket: {reason}\n{}", rendered.stderr);
    if rendered.stdout.is_empty() && rendered.exit == 0 {
        rendered.exit = BAD_PAYLOAD;
    }
    let record = json!({
        "v": 1, "id": new_id(), "ts": timestamp(Utc::now()), "agent": adapter.id(), "event": request.event,
        "error": error, "bytes": request.payload.len(), "decision": { "verdict": verdict.word() },
    });
    Response::new(rendered, record, RecordPolicy::of(&configuration))
}

impl Pipeline<'_> {
    /// Asks the person: another process still decides on the first report of this call, and the wait timed out.
    pub(super) fn ask_while_in_progress(self) -> Response {
        let decision = undecided(
            &self.event.kind(),
            "another report of this event is still being decided".to_owned(),
        );
        let redact = load(self.request.home, None, None).settings.redact;
        let policy = RecordPolicy {
            should_record: true,
            recall: false,
            redact,
        };
        self.reply(&decision, policy)
    }
}

/// The decision when there is none: ask where the event can be blocked, no opinion elsewhere.
pub(super) fn undecided(kind: &EventKind, reason: String) -> Decision {
    let verdict = if kind.can_block() {
        Verdict::Ask
    } else {
        Verdict::NoOpinion
    };
    merge(vec![HookRun {
        hook: "becket".into(),
        outcome: HookOutcome::failed(FailureKind::Cancelled, reason, verdict),
        took: Duration::ZERO,
    }])
}
