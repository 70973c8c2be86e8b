//! The events of Kiro and what a hook may do at each: the capability table.
//!
//! A row under a name in camel case is for a hook of an agent file, or for a hook of which nothing
//! else is known, because a payload spells its event that way in both forms. A row under a trigger's
//! name is for a hook file, where the installed command says the trigger.

use becket_model::EventKind;

use super::TITLE;
use crate::exchange::events::{ExchangeNative, Protocol, Reads};
use crate::exchange::lean::{Approval, ExchangeContext, ExchangeMeans, Refusal};

/// Of a hook file it is only known that what it prints becomes context, not who reads it here.
const NO_READER: ExchangeContext =
    ExchangeContext::Unsure("Kiro does not say that the model reads context from this event.");

const fn row(names: &'static [&'static str], reads: Reads, means: ExchangeMeans) -> ExchangeNative {
    ExchangeNative {
        names,
        reads,
        means,
    }
}

/// Before something that can be refused.
const fn gate(name: &'static str) -> ExchangeMeans {
    ExchangeMeans::at(name)
        .refusal(Refusal::Prevents)
        .approval(Approval::Cannot)
}

/// After something of which only a hook file hears.
const fn after(name: &'static str) -> ExchangeMeans {
    ExchangeMeans::at(name)
        .refusal(Refusal::Note)
        .caveat("the reason is given as context")
        .context(NO_READER)
}

/// The five events of agent files, then the triggers of hook files.
const EVENTS: [ExchangeNative; 17] = {
    use {ExchangeContext as C, Reads as R, Refusal as F};
    [
        row(
            &["agentSpawn"],
            R::Start(None),
            ExchangeMeans::at("agentSpawn").context(C::Given),
        ),
        row(
            &["userPromptSubmit"],
            R::Prompt,
            ExchangeMeans::at("userPromptSubmit")
                .refusal(F::Prevents)
                .caveat("Kiro refuses a prompt for a hook file only; for an agent file it warns.")
                .context(C::Given),
        ),
        row(
            &["preToolUse"],
            R::PreTool,
            gate("preToolUse"),
        ),
        row(
            &["postToolUse"],
            R::PostTool,
            ExchangeMeans::at("postToolUse")
                .refusal(F::Note)
                .caveat("the person is warned")
                .context(C::Unsure(
                    "Kiro reads context after a tool from a hook file only, not from an agent file.",
                )),
        ),
        row(&["stop"], R::Rest, ExchangeMeans::at("stop").refusal(F::Rest)),
        row(
            &["SessionStart", "AgentSpawn", "sessionStart"],
            R::Start(None),
            ExchangeMeans::at("SessionStart").context(C::Given),
        ),
        row(&["SessionEnd", "sessionEnd"], R::End, ExchangeMeans::at("SessionEnd")),
        row(
            &["UserPromptSubmit"],
            R::Prompt,
            ExchangeMeans::at("UserPromptSubmit")
                .refusal(F::Prevents)
                .context(C::Given),
        ),
        row(
            &["PreToolUse"],
            R::PreTool,
            gate("PreToolUse"),
        ),
        row(
            &["PostToolUse"],
            R::PostTool,
            ExchangeMeans::at("PostToolUse").refusal(F::Note).context(C::Given),
        ),
        row(&["Stop"], R::Rest, ExchangeMeans::at("Stop").refusal(F::Rest)),
        // A task of a spec announces itself as a call does, and can be refused as one.
        row(
            &["PreTaskExec", "preTaskExec"],
            R::PreTool,
            gate("PreTaskExec"),
        ),
        row(
            &["PostTaskExec", "postTaskExec"],
            R::PostTool,
            after("PostTaskExec"),
        ),
        row(
            &["PostFileCreate", "postFileCreate"],
            R::File("create"),
            after("PostFileCreate"),
        ),
        row(
            &["PostFileSave", "postFileSave"],
            R::File("modify"),
            after("PostFileSave"),
        ),
        row(
            &["PostFileDelete", "postFileDelete"],
            R::File("delete"),
            after("PostFileDelete"),
        ),
        row(&["Manual", "manual"], R::Other, ExchangeMeans::at("Manual").context(NO_READER)),
    ]
};

/// What Kiro hears, and how a refusal is said at an event that a later version may add.
pub(super) const KIRO: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: ExchangeMeans::at("").refusal(Refusal::Unknown),
};

/// Whether a name is one of Kiro's, spelt as Kiro's payloads spell it.
pub(super) fn is_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && EVENTS.iter().any(|event| event.names.contains(&name))
}

/// The trigger that a hook file's command names, if it is the event that a payload tells of.
pub(super) fn trigger(
    hint: Option<&str>,
    payload: &ExchangeNative,
) -> Option<&'static ExchangeNative> {
    let named = KIRO.find(hint.filter(|hint| is_trigger(hint))?)?;
    let kind = |native: &ExchangeNative| EventKind::parse(native.name());
    let starts = matches!(named.reads, Reads::Start(_)) && named.reads == payload.reads;
    let same = starts || kind(named) == kind(payload);
    (same && is_trigger(named.name())).then_some(named)
}

/// Whether a name is a trigger's, which only hook files have.
pub(super) fn is_trigger(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}
