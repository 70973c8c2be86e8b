//! A decision in the form that OpenCode's plugin applies at each hook.
//!
//! Silence is an empty stdout; whatever the answer, the exit code is 0, because the plugin takes any
//! other for a failure and refuses the call. Start at [`render`].

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use serde_json::{Map, Value};

use super::events::{self, TOOLS};
use super::{BRIDGE, TITLE};
use crate::adapter::Rendered;
use crate::lean::At;
use crate::{bridge, vocabulary};

/// Answers a hook or an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let native = events::find(&event.native_name).or_else(|| events::find(event.kind().name()));
    let name = native.map_or(&*event.native_name, |native| native.name);
    let means = match (&event.data, native) {
        (EventData::SubagentStop { .. }, _) => events::SUBAGENT_IDLE,
        (EventData::Other { .. }, Some(_)) => events::OBSERVED,
        (_, Some(native)) => native.means,
        (_, None) => events::UNHEARD,
    };
    let at = At {
        title: TITLE,
        event: name,
        means,
    };
    let mut rendered = bridge::say(BRIDGE, &at, decision, &|input| rewritten(event, input));
    if name == "permission.asked" && rendered.stdout.contains(r#""verdict":"deny""#) {
        let lost = "OpenCode does not tell the model why a permission is refused.";
        rendered.lost.push(lost.into());
    }
    rendered
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    // Without a name it may be the hook before a tool; a refusal costs nothing at the other hooks.
    let native = match kind {
        Some(kind) => events::find(kind.name()),
        None => events::find("tool.execute.before"),
    };
    let at = At {
        title: TITLE,
        event: native.map_or("an unknown event", |native| native.name),
        means: native.map_or(events::UNHEARD, |native| native.means),
    };
    bridge::unread(BRIDGE, &at, verdict, reason)
}

fn rewritten(event: &Event, input: &Value) -> Result<Map<String, Value>, String> {
    let native = event
        .raw
        .get("output")
        .and_then(|output| output.get("args"));
    match (event.call(), native, input) {
        (Some(call), Some(Value::Object(native)), Value::Object(input)) => {
            Ok(vocabulary::back(TOOLS, &call.native_name, native, input))
        }
        // An event that was not read from a payload has canonical keys only.
        (Some(_), None, Value::Object(input)) => Ok(input.clone()),
        _ => Err(format!("{TITLE} takes only an object as a rewritten input")),
    }
}
