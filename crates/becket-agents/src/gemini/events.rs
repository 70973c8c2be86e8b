//! The 11 events of Gemini CLI, what a hook may do at each, and Gemini's tools.
//!
//! Data only. Where the client differs from its documentation, the row follows what client 0.61.0
//! does.

use becket_model::EventKind as K;

use crate::lean::{
    LeanAllow, LeanAsk, LeanContext, LeanDeny, LeanHalt, LeanMeans, LeanMessage, LeanNative,
    LeanRewrite, find as find_in, native,
};
use crate::vocabulary::{VocabularyTool, tool};

/// Nothing but a message to the person.
const OBSERVED: LeanMeans = LeanMeans {
    deny: LeanDeny::Tell,
    ask: LeanAsk::Tell,
    allow: LeanAllow::Silence,
    halt: LeanHalt::Cannot,
    rewrite: LeanRewrite::Drops,
    context: LeanContext::Cannot,
    message: LeanMessage::Shown,
};

/// `ask` turns even a call that Gemini's own policy refuses into a question. `allow` skips nothing.
const BEFORE_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Native,
    allow: LeanAllow::Cannot,
    halt: LeanHalt::Native,
    rewrite: LeanRewrite::Takes,
    ..OBSERVED
};

const AFTER_TOOL: LeanMeans = LeanMeans {
    deny: LeanDeny::Note("the model sees the reason instead of the result"),
    halt: LeanHalt::Native,
    context: LeanContext::Given,
    ..OBSERVED
};

/// A refusal discards the prompt and ends the turn; `continue: false` would end it but keep the
/// prompt in the history.
const BEFORE_AGENT: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    halt: LeanHalt::Deny,
    rewrite: LeanRewrite::Refuses,
    context: LeanContext::GivenUnlessRefused,
    ..OBSERVED
};

/// The reason is the next prompt, so that is where context can go.
const AFTER_AGENT: LeanMeans = LeanMeans {
    deny: LeanDeny::KeepsGoing,
    halt: LeanHalt::Native,
    context: LeanContext::WithReason,
    ..OBSERVED
};

const BEFORE_MODEL: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    halt: LeanHalt::Native,
    rewrite: LeanRewrite::Refuses,
    ..OBSERVED
};

const AFTER_MODEL: LeanMeans = LeanMeans {
    deny: LeanDeny::Note("the response is not used"),
    halt: LeanHalt::Native,
    ..OBSERVED
};

/// Whatever object a hook prints here, even an empty one, replaces the tool configuration, so
/// nothing is said but a refusal: no tool may be called in this request.
const BEFORE_TOOL_SELECTION: LeanMeans = LeanMeans {
    deny: LeanDeny::Prevents,
    ask: LeanAsk::Deny,
    rewrite: LeanRewrite::Refuses,
    message: LeanMessage::Cannot,
    ..OBSERVED
};

const SESSION_START: LeanMeans = LeanMeans {
    context: LeanContext::Given,
    ..OBSERVED
};

/// After `/clear` the client drops the context.
pub(super) const SESSION_CLEARED: LeanMeans = OBSERVED;

/// What a later version may add: `decision: deny` is what blocks wherever something can be blocked.
pub(super) const UNKNOWN: LeanMeans = LeanMeans {
    deny: LeanDeny::Perhaps,
    ask: LeanAsk::Deny,
    ..OBSERVED
};

/// Every event of client 0.61.0.
#[rustfmt::skip]
pub(super) static EVENTS: [LeanNative; 11] = [
    native("BeforeTool",          Some(K::PreToolUse),       BEFORE_TOOL),
    native("AfterTool",           Some(K::PostToolUse),      AFTER_TOOL),
    native("BeforeAgent",         Some(K::UserPromptSubmit), BEFORE_AGENT),
    native("AfterAgent",          Some(K::Stop),             AFTER_AGENT),
    native("BeforeModel",         Some(K::PreModelRequest),  BEFORE_MODEL),
    native("AfterModel",          Some(K::PostModelRequest), AFTER_MODEL),
    native("BeforeToolSelection", None,                      BEFORE_TOOL_SELECTION),
    native("SessionStart",        Some(K::SessionStart),     SESSION_START),
    native("SessionEnd",          Some(K::SessionEnd),       OBSERVED),
    native("Notification",        Some(K::Notification),     OBSERVED),
    native("PreCompress",         Some(K::PreCompact),       OBSERVED),
];

pub(super) fn find(name: &str) -> Option<&'static LeanNative> {
    find_in(&EVENTS, name)
}

/// Whether no other agent calls an event so.
pub(super) fn is_geminis_alone(name: &str) -> bool {
    let shared = ["SessionStart", "SessionEnd", "Notification"];
    EVENTS.iter().any(|event| event.name == name) && !shared.contains(&name)
}

/// Tools whose name or keys differ from the canonical ones; file tools already say `file_path`.
#[rustfmt::skip]
pub(super) const TOOLS: &[VocabularyTool] = &[
    tool("read_many_files", "Read", &[("include", "file_paths")]),
    tool("list_directory",  "List", &[("dir_path", "path")]),
    tool("glob",            "Glob", &[("dir_path", "path")]),
    tool("grep_search",     "Grep", &[("dir_path", "path")]),
    tool("invoke_agent",    "Task", &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_own_name_by_the_canonical_one_and_in_other_spellings() {
        for event in &EVENTS {
            assert_eq!(find(event.name), Some(event));
            assert_eq!(find(&event.name.to_lowercase()), Some(event));
            if let Some(kind) = &event.kind {
                assert_eq!(find(kind.name()), Some(event));
                assert_eq!(find(&kind.kebab()), Some(event));
            }
        }
        assert_eq!(find("MoonPhase"), None);
    }
}
