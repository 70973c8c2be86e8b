//! Becket's own contract: the canonical event, and the environment variables of every dialect at once.

use becket_model::Dialect;
use serde_json::{Map, Value, json};

use super::env::HookVar;
use super::invocation::HookInvocation;

/// Set for every hook of every dialect, always all of them: none is inherited from an enclosing hook, and a
/// script under `set -u` may use any of them.
pub(super) const NEUTRAL: &[HookVar] = &[
    HookVar("BECKET_EVENT", |s| json!(s.event.kind().name())),
    HookVar("BECKET_AGENT", |s| json!(s.event.agent.as_str())),
    HookVar("BECKET_SESSION_ID", |s| json!(s.event.session.as_str())),
    HookVar("BECKET_TOOL", |s| {
        json!(s.event.call().map_or("", |call| call.name.as_str()))
    }),
    HookVar("BECKET_CWD", |s| json!(s.cwd().unwrap_or_default())),
    HookVar("BECKET_EVENT_ID", |s| json!(s.metadata.event_id)),
    HookVar("BECKET_HOOK", |s| json!(s.hook.name)),
];

/// Two dialects spell the value of `HOOK_EVENT` differently; a hook of Becket's dialect gets Becket's name.
pub(super) const VARS: &[HookVar] = &[HookVar("HOOK_EVENT", |s| {
    json!(s.event_name(Dialect::Becket))
})];

pub(super) fn payload(invocation: &HookInvocation<'_>) -> Map<String, Value> {
    let mut out = invocation.canonical();
    out.insert("event_id".into(), json!(invocation.metadata.event_id));
    out.insert("timestamp".into(), json!(invocation.metadata.timestamp));
    out.insert("native".into(), Value::Object(invocation.event.raw.clone()));
    out
}
