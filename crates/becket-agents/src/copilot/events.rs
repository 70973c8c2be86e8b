//! The 15 events of Copilot, what a hook may do at each, and Copilot's tools.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 1.0.102
//! does. Exit code 2 is of no use: it loses the reason, and blocks no prompt.

use becket_model::EventKind as K;

use crate::lean::{
    Allow, Ask, Context, Deny, Halt, Means, Message, Native, Rewrite, find as find_in, native,
};
use crate::vocabulary::{Tool, tool};

/// Output is not read.
const IGNORED: Means = Means {
    deny: Deny::Tell,
    ask: Ask::Tell,
    allow: Allow::Silence,
    halt: Halt::Cannot,
    rewrite: Rewrite::Drops,
    context: Context::Cannot,
    message: Message::Cannot,
};

const OBSERVED: Means = Means {
    message: Message::Shown,
    ..IGNORED
};

const PRE_TOOL: Means = Means {
    deny: Deny::Prevents,
    ask: Ask::Native,
    allow: Allow::Native,
    rewrite: Rewrite::Takes,
    context: Context::Given,
    ..OBSERVED
};

/// Copilot is about to ask; `interrupt` ends the turn.
const PERMISSION: Means = Means {
    deny: Deny::Prevents,
    ask: Ask::Dialog,
    allow: Allow::Native,
    halt: Halt::Native,
    rewrite: Rewrite::Refuses,
    ..OBSERVED
};

/// A refused prompt reaches no model, which ends the turn.
const PROMPT: Means = Means {
    deny: Deny::Prevents,
    ask: Ask::Deny,
    halt: Halt::Deny,
    rewrite: Rewrite::Refuses,
    context: Context::GivenUnlessRefused,
    ..OBSERVED
};

const POST_TOOL: Means = Means {
    deny: Deny::Note("the model sees the reason instead of the result"),
    context: Context::Given,
    ..OBSERVED
};

const GIVEN: Means = Means {
    context: Context::Given,
    ..OBSERVED
};

/// Copilot lets itself be kept going 8 times in a row.
const STOP: Means = Means {
    deny: Deny::KeepsGoing,
    halt: Halt::Silence,
    context: Context::WithReason,
    ..OBSERVED
};

/// The reason goes to the subagent, which Copilot keeps going without end if it is told to.
const SUBAGENT_STOP: Means = Means {
    halt: Halt::SilenceBut("ends the subagent, not the turn that it works for"),
    ..STOP
};

const NOTIFICATION: Means = Means {
    context: Context::GivenBut("may wake a resting session for context at notification"),
    ..OBSERVED
};

/// What a later version may add.
pub(super) const UNKNOWN: Means = Means {
    deny: Deny::Perhaps,
    ask: Ask::Deny,
    ..OBSERVED
};

/// Every event of client 1.0.102: its own name, and the one that asks for the other shape.
///
/// `preMcpToolCall` fires beside `preToolUse` for the same call and can only change what is sent
/// along with it; the gate is `preToolUse`.
#[rustfmt::skip]
pub(super) static EVENTS: [Native; 15] = [
    native("preToolUse",            Some(K::PreToolUse),         PRE_TOOL).or("PreToolUse"),
    native("permissionRequest",     Some(K::PermissionRequest),  PERMISSION).or("PermissionRequest"),
    native("postToolUse",           Some(K::PostToolUse),        POST_TOOL).or("PostToolUse"),
    native("postToolUseFailure",    Some(K::PostToolUseFailure), GIVEN).or("PostToolUseFailure"),
    native("userPromptSubmitted",   Some(K::UserPromptSubmit),   PROMPT).or("UserPromptSubmit"),
    native("userPromptTransformed", None,                        OBSERVED),
    native("preMcpToolCall",        None,                        OBSERVED).or("PreMcpToolCall"),
    native("agentStop",             Some(K::Stop),               STOP).or("Stop"),
    native("subagentStart",         Some(K::SubagentStart),      GIVEN).or("SubagentStart"),
    native("subagentStop",          Some(K::SubagentStop),       SUBAGENT_STOP).or("SubagentStop"),
    native("sessionStart",          Some(K::SessionStart),       GIVEN).or("SessionStart"),
    native("sessionEnd",            Some(K::SessionEnd),         IGNORED).or("SessionEnd"),
    native("preCompact",            Some(K::PreCompact),         IGNORED).or("PreCompact"),
    native("errorOccurred",         Some(K::SessionError),       IGNORED).or("ErrorOccurred"),
    native("notification",          Some(K::Notification),       NOTIFICATION).or("Notification"),
];

pub(super) fn find(name: &str) -> Option<&'static Native> {
    find_in(&EVENTS, name)
}

const EDIT: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
    ("file_text", "content"),
];

/// Tools whose name or keys differ from the canonical ones. The Claude-like shape renames the tool
/// and keeps the keys. The last rows are VS Code's.
#[rustfmt::skip]
pub(super) const TOOLS: &[Tool] = &[
    tool("powershell",             "Bash",  &[]),
    tool("view",                   "Read",  &[("path", "file_path")]),
    tool("Read",                   "Read",  &[("path", "file_path")]),
    tool("create",                 "Write", &[("path", "file_path"), ("file_text", "content")]),
    tool("Write",                  "Write", &[("path", "file_path"), ("file_text", "content")]),
    tool("edit",                   "Edit",  EDIT),
    tool("Edit",                   "Edit",  EDIT),
    tool("str_replace_editor",     "Edit",  EDIT),
    tool("rg",                     "Grep",  &[]),
    tool("run_in_terminal",        "Bash",  &[]),
    tool("read_file",              "Read",  &[("filePath", "file_path")]),
    tool("create_file",            "Write", &[("filePath", "file_path")]),
    tool("insert_edit_into_file",  "Edit",  &[("filePath", "file_path")]),
    tool("replace_string_in_file", "Edit",  &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_either_name_and_by_the_canonical_one() {
        for event in &EVENTS {
            let kind = event.kind.as_ref().map(K::name);
            for name in [Some(event.name), event.also, kind].into_iter().flatten() {
                assert_eq!(find(name), Some(event), "{name}");
            }
        }
        assert_eq!(
            find("error-occurred").map(|e| e.name),
            Some("errorOccurred")
        );
        assert_eq!(find("MoonPhase"), None);
    }
}
