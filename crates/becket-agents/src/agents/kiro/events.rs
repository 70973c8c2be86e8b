//! The events of Kiro and what a hook may do at each: the capability table.
//!
//! A row under a name in camel case is for a hook of an agent file, or for a hook of which nothing
//! else is known, because a payload spells its event that way in both forms. A row under a trigger's
//! name is for a hook file, where the installed command says the trigger.

use becket_model::EventKind as K;

use crate::protocol::capability::{AllowCap as Y, ContextCap as C, DenyCap as D, HaltCap as H};
use crate::protocol::event::same;
use crate::protocol::{AgentSpec, EventCaps, EventRow};

const UNREAD: EventCaps = EventCaps::UNREAD;

/// What a hook prints becomes context, but Kiro does not document which model reads it.
const UNSURE: C = C::GivenBut("Kiro does not say that the model reads context from this event.");

/// Before something that can be refused.
const GATE: EventCaps = UNREAD
    .deny(D::Prevents)
    .allow(Y::Cannot)
    .context(C::InReason);

const PROMPT: EventCaps = UNREAD.deny(D::Prevents).context(C::GivenOrInReason);

const PROMPT_OF_AGENT: EventCaps = PROMPT.deny(D::PreventsBut(
    "Kiro refuses a prompt for a hook file only; for an agent file it warns.",
));

const RESULT: EventCaps = UNREAD
    .deny(D::Notes("the model reads the reason"))
    .context(C::Given);

const RESULT_OF_AGENT: EventCaps =
    UNREAD
        .deny(D::Notes("the person is warned"))
        .context(C::GivenBut(
            "Kiro reads context after a tool from a hook file only, not from an agent file.",
        ));

/// After something that only hook files have.
const AFTER: EventCaps = UNREAD
    .deny(D::Notes("the reason is given as context"))
    .context(UNSURE);

const START: EventCaps = UNREAD.context(C::Given);
const STOP: EventCaps = UNREAD.deny(D::Stops).halt(H::Stops);
const MANUAL: EventCaps = UNREAD.context(UNSURE);

/// What a later version may add.
pub(super) static UNKNOWN: EventRow =
    EventRow::unknown(UNREAD.deny(D::Perhaps).context(C::InReason));

/// The five events of agent files, then the triggers of hook files. A task of a spec announces itself as a
/// call does, and can be refused as one.
#[rustfmt::skip]
pub(super) static EVENTS: [EventRow; 17] = [
    EventRow::new("agentSpawn",       Some(&K::SessionStart),     START),
    EventRow::new("userPromptSubmit", Some(&K::UserPromptSubmit), PROMPT_OF_AGENT),
    EventRow::new("preToolUse",       Some(&K::PreToolUse),       GATE),
    EventRow::new("postToolUse",      Some(&K::PostToolUse),      RESULT_OF_AGENT),
    EventRow::new("stop",             Some(&K::Stop),             STOP),
    EventRow::new("SessionStart",     Some(&K::SessionStart),     START).aliases(&["AgentSpawn", "sessionStart"]),
    EventRow::new("SessionEnd",       Some(&K::SessionEnd),       UNREAD).aliases(&["sessionEnd"]),
    EventRow::new("UserPromptSubmit", Some(&K::UserPromptSubmit), PROMPT),
    EventRow::new("PreToolUse",       Some(&K::PreToolUse),       GATE),
    EventRow::new("PostToolUse",      Some(&K::PostToolUse),      RESULT),
    EventRow::new("Stop",             Some(&K::Stop),             STOP),
    EventRow::new(PRE_TASK,           Some(&K::PreToolUse),       GATE).aliases(&["preTaskExec"]),
    EventRow::new(POST_TASK,          Some(&K::PostToolUse),      AFTER).aliases(&["postTaskExec"]),
    EventRow::new("PostFileCreate",   Some(&K::FileModified),     AFTER).aliases(&["postFileCreate"]),
    EventRow::new("PostFileSave",     Some(&K::FileModified),     AFTER).aliases(&["postFileSave"]),
    EventRow::new("PostFileDelete",   Some(&K::FileModified),     AFTER).aliases(&["postFileDelete"]),
    EventRow::new("Manual",           None,                       MANUAL).aliases(&["manual"]),
];

pub(super) const PRE_TASK: &str = "PreTaskExec";
pub(super) const POST_TASK: &str = "PostTaskExec";

/// Whether a name is one of Kiro's, spelt as Kiro's payloads spell it.
pub(super) fn is_camel(name: &str) -> bool {
    let own = |row: &EventRow| row.native == name || row.aliases.contains(&name);
    name.starts_with(|c: char| c.is_ascii_lowercase()) && EVENTS.iter().any(own)
}

/// The trigger that a hook file's command names, if it is the payload's event.
pub(super) fn trigger(
    spec: &AgentSpec,
    hint: Option<&str>,
    payload: &EventRow,
) -> Option<&'static EventRow> {
    let named = spec.find(hint.filter(|hint| is_trigger(hint))?)?;
    let starts = named.kind == Some(&K::SessionStart) && payload.kind == named.kind;
    let fits = starts || same(named.native, payload.native);
    (fits && is_trigger(named.native)).then_some(named)
}

/// Whether a name is a trigger's, which only hook files have.
pub(super) fn is_trigger(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}
