//! Becket's own contract: the canonical event, and every environment family at once.

use becket_model::Dialect;
use serde_json::{Map, Value, json};

use super::env::Var;
use super::scene::Scene;

/// Set for every hook of every dialect, always all of them, so that none is inherited from an
/// enclosing hook and a script under `set -u` may name any.
pub(super) const NEUTRAL: &[Var] = &[
    Var("BECKET_EVENT", |s| json!(s.event.kind().name())),
    Var("BECKET_AGENT", |s| json!(s.event.agent.as_str())),
    Var("BECKET_SESSION_ID", |s| json!(s.event.session.as_str())),
    Var("BECKET_TOOL", |s| {
        json!(s.event.call().map_or("", |call| call.name.as_str()))
    }),
    Var("BECKET_CWD", |s| json!(s.cwd().unwrap_or_default())),
    Var("BECKET_EVENT_ID", |s| json!(s.around.event_id)),
    Var("BECKET_HOOK", |s| json!(s.hook.name)),
];

/// Two families spell `HOOK_EVENT` differently; a hook of Becket's own dialect reads Becket's name.
pub(super) const VARS: &[Var] = &[Var("HOOK_EVENT", |s| json!(s.event_name(Dialect::Becket)))];

pub(super) fn payload(scene: &Scene<'_>) -> Map<String, Value> {
    let mut out = scene.canonical();
    out.insert("event_id".into(), json!(scene.around.event_id));
    out.insert("timestamp".into(), json!(scene.around.timestamp));
    out.insert("native".into(), Value::Object(scene.event.raw.clone()));
    out
}
