//! The 15 events of Copilot, what a hook may do at each, and Copilot's tools.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 1.0.102
//! does. Exit code 2 is of no use: it loses the reason, and blocks no prompt.

use becket_model::EventKind as K;

use crate::lean::{
    LeanAllow, LeanAsk, LeanContext, LeanDeny, LeanHalt, LeanMeans, LeanMessage, LeanNative,
    LeanRewrite, find as find_in, native,
};
use crate::vocabulary::{VocabularyTool, tool};

/// Output is not read.
const IGNORED: LeanMeans = LeanMeans {
    deny: LeanDeny::Tell,
    ask: LeanAsk::Tell,
    allow: LeanAllow::Silence,
    halt: LeanHalt::Cannot,
    rewrite: LeanRewrite::Drops,
    context: LeanContext::Cannot,
    message: LeanMessage::Cannot,
};

const OBSERVED: LeanMeans = LeanMeans {
    message: LeanMessage::Shown,
    ..IGNORED
};

const PRE_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Native,
    allow: LeanAllow::Native,
    rewrite: LeanRewrite::Takes,
    context: LeanContext::Given,
    ..OBSERVED
};

/// Copilot is about to ask; `interrupt` ends the turn.
const PERMISSION: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Dialog,
    allow: LeanAllow::Native,
    halt: LeanHalt::Native,
    rewrite: LeanRewrite::Refuses,
    ..OBSERVED
};

/// A refused prompt reaches no model, which ends the turn.
const PROMPT: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    halt: LeanHalt::Deny,
    rewrite: LeanRewrite::Refuses,
    context: LeanContext::GivenUnlessRefused,
    ..OBSERVED
};

const POST_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Note("the model sees the reason instead of the result"),
    context: LeanContext::Given,
    ..OBSERVED
};

const GIVEN: LeanMeans = LeanMeans {
    context: LeanContext::Given,
    ..OBSERVED
};

/// Copilot lets itself be kept going 8 times in a row.
const STOP: LeanMeans = LeanMeans {
    deny: LeanDeny::KeepsGoing,
    halt: LeanHalt::Silence,
    context: LeanContext::WithReason,
    ..OBSERVED
};

/// The reason goes to the subagent, which Copilot keeps going without a limit if asked to.
const SUBAGENT_STOP: LeanMeans = LeanMeans {
    halt: LeanHalt::SilenceBut("ends the subagent, not the turn that it works for"),
    ..STOP
};

const NOTIFICATION: LeanMeans = LeanMeans {
    context: LeanContext::GivenBut("may wake a resting session for context at notification"),
    ..OBSERVED
};

/// What a later version may add.
pub(super) const UNKNOWN: LeanMeans = LeanMeans {
    deny: LeanDeny::Perhaps,
    ask: LeanAsk::Deny,
    ..OBSERVED
};

/// Every event of client 1.0.102: its own name, and the one that asks for the other shape.
///
/// `preMcpToolCall` fires together with `preToolUse` for the same call and can only change what is sent
/// along with it; the gate is `preToolUse`.
#[rustfmt::skip]
pub(super) static EVENTS: [LeanNative; 15] = [
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

pub(super) fn find(name: &str) -> Option<&'static LeanNative> {
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
pub(super) const TOOLS: &[VocabularyTool] = &[
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
