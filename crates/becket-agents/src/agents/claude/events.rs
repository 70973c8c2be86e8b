//! The 33 events of Claude Code and what a hook may do at each: the capability table.
//!
//! Data only. [`super::parse`] takes the subject from it, [`super::render`] the means. Where the
//! client differs from its documentation, the row follows what client 2.1.325 does.

use becket_model::EventKind;

use crate::kin::events::same;

/// One of Claude's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClaudeEvent {
    /// Claude's name for it, which a reply has to repeat exactly.
    pub(super) name: &'static str,
    /// The key of the payload that Claude tests matchers against.
    pub(super) subject: Option<&'static str>,
    pub(super) deny: ClaudeDeny,
    pub(super) ask: ClaudeAsk,
    pub(super) halt: ClaudeHalt,
    pub(super) context: ClaudeContext,
    pub(super) message: ClaudeMessage,
}

/// How a refusal is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeDeny {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `hookSpecificOutput.action: decline`.
    Decline,
    /// `decision: block` prevents it.
    Block,
    /// `decision: block` makes the agent go on.
    KeepGoing,
    /// `decision: block` is a note after the fact.
    Note,
    /// Exit code 2, the reason on stderr.
    Exit2,
    /// It is refused already.
    Moot,
    /// Not possible; Becket informs the user, and the model if it can be reached.
    Tell,
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeAsk {
    /// Claude asks when told to.
    Native,
    /// Claude is about to ask; silence lets it.
    Dialog,
    /// It cannot be asked, but it can be refused.
    Deny,
    /// Neither ask nor refusal is possible; Becket informs the user.
    Tell,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeHalt {
    /// `continue: false`.
    Stop,
    /// `continue: false`, which alone would let the call happen first, and a refusal.
    StopAndDeny,
    /// The refusal ends the turn as well.
    Deny,
    /// There is no way beyond the refusal.
    Cannot,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeContext {
    /// `hookSpecificOutput.additionalContext`.
    Given,
    /// The same, and the agent goes on with its turn to read it.
    GivenAndGoesOn,
    /// Claude accepts it and does not show it.
    Ignored,
    /// Plain stdout, which becomes instructions for the summary.
    Plain,
    /// There is no way.
    Cannot,
}

/// What becomes of text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaudeMessage {
    /// `systemMessage`.
    Shown,
    /// The same; accepted, but client 2.1.325 does not show it.
    Unseen,
    /// Plain stdout.
    Plain,
    /// There is no way: stdout means something else here, or is not read.
    Cannot,
}

const fn row(
    name: &'static str,
    subject: Option<&'static str>,
    deny: ClaudeDeny,
    ask: ClaudeAsk,
    halt: ClaudeHalt,
    context: ClaudeContext,
    message: ClaudeMessage,
) -> ClaudeEvent {
    ClaudeEvent {
        name,
        subject,
        deny,
        ask,
        halt,
        context,
        message,
    }
}

/// What a later version may add. Of an event that is not known, only what is common to all is: exit
/// code 2 blocks it if it can be blocked, and `systemMessage` is shown.
pub(super) const UNKNOWN: ClaudeEvent = row(
    "",
    None,
    ClaudeDeny::Exit2,
    ClaudeAsk::Deny,
    ClaudeHalt::Cannot,
    ClaudeContext::Cannot,
    ClaudeMessage::Shown,
);

/// `ConfigChange` when the organisation's policy changed, which no hook can hold up.
const POLICY_CHANGE: ClaudeEvent = row(
    "ConfigChange",
    Some("source"),
    ClaudeDeny::Tell,
    ClaudeAsk::Tell,
    ClaudeHalt::Cannot,
    ClaudeContext::Cannot,
    ClaudeMessage::Unseen,
);

/// Every event of client 2.1.325.
///
/// `StopFailure`, `InstructionsLoaded` and `WorktreeRemove` have their output ignored. Stdout is the
/// path at `WorktreeCreate`, instructions for the summary at `PreCompact` (JSON included, unless it
/// blocks) and shown as it is at `PostCompact`. `continue: false` is ignored where the table says
/// `Cannot`; at `UserPromptSubmit` it would end the turn but keep the prompt that a block erases.
#[rustfmt::skip]
pub(super) const EVENTS: [ClaudeEvent; 33] = {
    use {ClaudeAsk as A, ClaudeContext as C, ClaudeDeny as D, ClaudeHalt as H, ClaudeMessage as M};
    [
        row("PreToolUse",          Some("tool_name"),         D::Permission, A::Native, H::StopAndDeny, C::Given,          M::Shown),
        row("PermissionRequest",   Some("tool_name"),         D::Behavior,   A::Dialog, H::Deny,        C::Cannot,         M::Unseen),
        row("PermissionDenied",    Some("tool_name"),         D::Moot,       A::Tell,   H::Cannot,      C::Cannot,         M::Unseen),
        row("PostToolUse",         Some("tool_name"),         D::Note,       A::Tell,   H::Stop,        C::Given,          M::Shown),
        row("PostToolUseFailure",  Some("tool_name"),         D::Tell,       A::Tell,   H::Cannot,      C::Given,          M::Shown),
        row("PostToolBatch",       None,                      D::Note,       A::Tell,   H::Stop,        C::Given,          M::Shown),
        row("UserPromptSubmit",    None,                      D::Block,      A::Deny,   H::Deny,        C::Given,          M::Shown),
        row("UserPromptExpansion", Some("command_name"),      D::Block,      A::Deny,   H::Deny,        C::Given,          M::Shown),
        row("SessionStart",        Some("source"),            D::Tell,       A::Tell,   H::Cannot,      C::Given,          M::Shown),
        row("Setup",               Some("trigger"),           D::Tell,       A::Tell,   H::Cannot,      C::Given,          M::Shown),
        row("SessionEnd",          Some("reason"),            D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Unseen),
        row("Stop",                None,                      D::KeepGoing,  A::Tell,   H::Stop,        C::GivenAndGoesOn, M::Shown),
        row("StopFailure",         Some("error"),             D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Cannot),
        row("SubagentStart",       Some("agent_type"),        D::Tell,       A::Tell,   H::Cannot,      C::Given,          M::Shown),
        row("SubagentStop",        Some("agent_type"),        D::KeepGoing,  A::Tell,   H::Stop,        C::GivenAndGoesOn, M::Shown),
        row("PreCompact",          Some("trigger"),           D::Block,      A::Deny,   H::Cannot,      C::Plain,          M::Cannot),
        row("PostCompact",         Some("trigger"),           D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Plain),
        row("PreModelSwitch",      Some("to_model"),          D::Permission, A::Native, H::Cannot,      C::Cannot,         M::Shown),
        row("PostModelSwitch",     Some("to_model"),          D::Tell,       A::Tell,   H::Cannot,      C::Given,          M::Shown),
        row("Notification",        Some("notification_type"), D::Tell,       A::Tell,   H::Cannot,      C::Ignored,        M::Unseen),
        row("TeammateIdle",        None,                      D::Exit2,      A::Tell,   H::Stop,        C::Cannot,         M::Shown),
        row("TaskCreated",         None,                      D::Exit2,      A::Deny,   H::Cannot,      C::Cannot,         M::Unseen),
        row("TaskCompleted",       None,                      D::Exit2,      A::Deny,   H::StopAndDeny, C::Cannot,         M::Unseen),
        row("Elicitation",         Some("mcp_server_name"),   D::Decline,    A::Dialog, H::Cannot,      C::Cannot,         M::Unseen),
        row("ElicitationResult",   Some("mcp_server_name"),   D::Decline,    A::Deny,   H::Cannot,      C::Cannot,         M::Unseen),
        row("ConfigChange",        Some("source"),            D::Block,      A::Deny,   H::Cannot,      C::Cannot,         M::Unseen),
        row("InstructionsLoaded",  Some("load_reason"),       D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Cannot),
        row("WorktreeCreate",      None,                      D::Exit2,      A::Deny,   H::Cannot,      C::Cannot,         M::Cannot),
        row("WorktreeRemove",      None,                      D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Cannot),
        row("CwdChanged",          None,                      D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Shown),
        row("FileChanged",         Some("file_path"),         D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Shown),
        row("DirectoryAdded",      Some("source"),            D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Shown),
        row("MessageDisplay",      None,                      D::Tell,       A::Tell,   H::Cannot,      C::Cannot,         M::Shown),
    ]
};

/// The event of that name, in any spelling: `PreToolUse`, `pre-tool-use`, `pre_tool`.
pub(super) fn find(name: &str) -> Option<&'static ClaudeEvent> {
    let exact = |name: &str| EVENTS.iter().find(|event| event.name == name);
    exact(name)
        .or_else(|| exact(EventKind::parse(name).name()))
        .or_else(|| EVENTS.iter().find(|event| same(event.name, name)))
}

/// The means at an event of that name and subject.
pub(super) fn means(name: &str, subject: Option<&str>) -> Option<&'static ClaudeEvent> {
    match (find(name)?, subject) {
        (native, Some("policy_settings")) if native.name == POLICY_CHANGE.name => {
            Some(&POLICY_CHANGE)
        }
        (native, _) => Some(native),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_own_name_and_by_other_spellings() {
        for event in &EVENTS {
            assert_eq!(find(event.name), Some(event));
            let kind = EventKind::Other(event.name.into());
            assert_eq!(find(&kind.snake()), Some(event));
            assert_eq!(find(&kind.kebab()), Some(event));
        }
        assert_eq!(find("pre-tool").map(|e| e.name), Some("PreToolUse"));
        assert_eq!(find("AgentThought"), None);
        assert_eq!(find("MoonPhase"), None);
    }
}
