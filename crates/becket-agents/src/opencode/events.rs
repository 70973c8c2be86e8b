//! OpenCode's plugin hooks and bus events, what can be done at each, and OpenCode's tools.
//!
//! Data only. What is not in the table is carried whole and has no means.

use becket_model::EventKind as K;

use crate::lean::{
    LeanAllow, LeanAsk, LeanContext, LeanDeny, LeanHalt, LeanMeans, LeanMessage, LeanNative,
    LeanRewrite, find as find_in, native,
};
use crate::vocabulary::{VocabularyTool, tool};

/// The plugin does not wait for an answer.
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

/// A thrown error is the tool's result; before OpenCode's own prompt, which cannot be called up.
const BEFORE_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    allow: LeanAllow::Cannot,
    halt: LeanHalt::Native,
    rewrite: LeanRewrite::Takes,
    ..OBSERVED
};

const AFTER_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Note("the model is told"),
    halt: LeanHalt::Native,
    context: LeanContext::Given,
    ..OBSERVED
};

const PROMPT: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    halt: LeanHalt::Deny,
    rewrite: LeanRewrite::Refuses,
    context: LeanContext::GivenUnlessRefused,
    ..OBSERVED
};

/// The plugin answers OpenCode's prompt; a rejection ends the turn unless the person has set
/// OpenCode to go on.
const PERMISSION: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Dialog,
    allow: LeanAllow::Native,
    halt: LeanHalt::Deny,
    rewrite: LeanRewrite::Refuses,
    ..OBSERVED
};

const GIVEN: LeanMeans = LeanMeans {
    context: LeanContext::Given,
    ..OBSERVED
};

const IDLE: LeanMeans = LeanMeans {
    deny: LeanDeny::KeepsGoing,
    halt: LeanHalt::Silence,
    context: LeanContext::WithReason,
    ..OBSERVED
};

/// A subagent's result has been handed over by the time it rests.
pub(super) const SUBAGENT_IDLE: LeanMeans = LeanMeans {
    halt: LeanHalt::SilenceBut("ends the subagent, not the turn that it works for"),
    ..OBSERVED
};

/// Hooks and events that mean something here. `session.resumed` is the plugin's own: OpenCode says
/// nothing when an earlier session is taken up again.
#[rustfmt::skip]
pub(super) static EVENTS: [LeanNative; 17] = [
    native("tool.execute.before",             Some(K::PreToolUse),        BEFORE_TOOL),
    native("tool.execute.after",              Some(K::PostToolUse),       AFTER_TOOL),
    native("chat.message",                    Some(K::UserPromptSubmit),  PROMPT),
    native("permission.asked",                Some(K::PermissionRequest), PERMISSION),
    native("permission.replied",              Some(K::PermissionDenied),  OBSERVED),
    native("session.created",                 Some(K::SessionStart),      GIVEN),
    native("session.resumed",                 None,                       GIVEN),
    native("session.idle",                    Some(K::Stop),              IDLE),
    native("session.deleted",                 Some(K::SessionEnd),        OBSERVED),
    native("dispose",                         None,                       UNHEARD),
    native("session.error",                   Some(K::SessionError),      OBSERVED),
    native("session.compacted",               Some(K::PostCompact),       OBSERVED),
    native("experimental.session.compacting", Some(K::PreCompact),        GIVEN),
    native("experimental.text.complete",      Some(K::AgentResponse),     UNHEARD),
    native("message.part.updated",            None,                       OBSERVED),
    native("file.edited",                     Some(K::FileModified),      OBSERVED),
    native("config",                          Some(K::Setup),             UNHEARD),
];

pub(super) fn find(name: &str) -> Option<&'static LeanNative> {
    find_in(&EVENTS, name)
}

/// OpenCode's tools and their keys; tools of MCP servers (`server_tool`) cannot be recognised by name.
#[rustfmt::skip]
pub(super) const TOOLS: &[VocabularyTool] = &[
    tool("read",        "Read",       &[("filePath", "file_path")]),
    tool("write",       "Write",      &[("filePath", "file_path")]),
    tool("edit",        "Edit",       &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string")]),
    tool("apply_patch", "ApplyPatch", &[("patchText", "patch")]),
];

/// What a permission's own facts are called, where the call that it is for is not known.
pub(super) const PERMISSIONS: &[VocabularyTool] =
    &[tool("edit", "Edit", &[("filepath", "file_path")])];
