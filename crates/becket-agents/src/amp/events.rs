//! Amp's plugin events, what can be done at each, and Amp's tools.
//!
//! Data only. What is not in the table is carried whole and has no means.

use becket_model::EventKind as K;

use crate::lean::{
    LeanAllow, LeanAsk, LeanContext, LeanDeny, LeanHalt, LeanMeans, LeanMessage, LeanNative,
    LeanRewrite, find as find_in, native,
};
use crate::vocabulary::{VocabularyTool, tool};

/// The plugin does not read an answer.
pub(super) const UNHEARD: LeanMeans = LeanMeans {
    deny: LeanDeny::Tell,
    ask: LeanAsk::Tell,
    allow: LeanAllow::Silence,
    halt: LeanHalt::Cannot,
    rewrite: LeanRewrite::Drops,
    context: LeanContext::Cannot,
    message: LeanMessage::Cannot,
};

/// Nothing but a message to the person.
pub(super) const OBSERVED: LeanMeans = LeanMeans {
    message: LeanMessage::Shown,
    ..UNHEARD
};

/// The plugin puts the question; it ends the turn by cancelling it together with the refusal.
const TOOL_CALL: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Native,
    halt: LeanHalt::Native,
    rewrite: LeanRewrite::Takes,
    ..OBSERVED
};

const TOOL_RESULT: LeanMeans = LeanMeans {
    deny: LeanDeny::Note("the model is told"),
    halt: LeanHalt::Native,
    context: LeanContext::Given,
    ..OBSERVED
};

/// A turn that is cancelled as it starts does not start.
const AGENT_START: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    halt: LeanHalt::Deny,
    rewrite: LeanRewrite::Refuses,
    context: LeanContext::GivenUnlessRefused,
    ..OBSERVED
};

/// The plugin keeps the context for the first prompt.
const GIVEN: LeanMeans = LeanMeans {
    context: LeanContext::Given,
    ..OBSERVED
};

/// Amp lets itself be kept going 5 times in a row.
const AGENT_END: LeanMeans = LeanMeans {
    deny: LeanDeny::KeepsGoing,
    halt: LeanHalt::Silence,
    context: LeanContext::WithReason,
    ..OBSERVED
};

/// Every event of client 0.0.1790142911, and `dispose`, which the plugin sends for each thread when
/// Amp ends it.
#[rustfmt::skip]
pub(super) static EVENTS: [LeanNative; 7] = [
    native("tool.call",      Some(K::PreToolUse),       TOOL_CALL),
    native("tool.result",    Some(K::PostToolUse),      TOOL_RESULT),
    native("agent.start",    Some(K::UserPromptSubmit), AGENT_START),
    native("agent.end",      Some(K::Stop),             AGENT_END),
    native("session.start",  Some(K::SessionStart),     GIVEN),
    native("changes.prompt", None,                      GIVEN),
    native("dispose",        Some(K::SessionEnd),       UNHEARD),
];

pub(super) fn find(name: &str) -> Option<&'static LeanNative> {
    find_in(&EVENTS, name)
}

/// Amp's tools and their keys, as Amp itself translates them from Claude's. Tools of servers are
/// called `mcp__server__tool` already.
#[rustfmt::skip]
pub(super) const TOOLS: &[VocabularyTool] = &[
    tool("Bash",                "Bash",       &[("cmd", "command")]),
    tool("shell_command",       "Bash",       &[]),
    tool("async_shell_command", "Bash",       &[]),
    tool("Read",                "Read",       &[("path", "file_path")]),
    tool("create_file",         "Write",      &[("path", "file_path")]),
    tool("edit_file",           "Edit",       &[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")]),
    tool("delete_file",         "Delete",     &[("path", "file_path")]),
    tool("apply_patch",         "ApplyPatch", &[("patchText", "patch")]),
    tool("glob",                "Glob",       &[("filePattern", "pattern")]),
    tool("Glob",                "Glob",       &[("filePattern", "pattern")]),
    tool("read_web_page",       "WebFetch",   &[]),
    tool("web_search",          "WebSearch",  &[("objective", "query")]),
];
