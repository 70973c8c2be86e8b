//! The events of Autohand and what a hook may do at each: the capability table.
//!
//! Data only. Autohand heeds a reply at `pre-tool` and `permission-request` alone, and exit code 2 at
//! `pre-learn`; its document promises more, and where the two differ the row follows the program.

use crate::kit::{
    KitAllow, KitAsk, KitContext, KitHalt, KitMeans, KitMessage, KitRewrite, Refuse,
    find as find_in,
};

/// One of Autohand's events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AutohandEvent {
    /// Autohand's name for it.
    pub(super) name: &'static str,
    /// The canonical event that it stands for when only that one is named.
    canonical: &'static str,
    /// The keys whose values, in this order, are what a matcher is tested against.
    pub(super) subject: &'static [&'static str],
    pub(super) form: AutohandForm,
    pub(super) means: KitMeans,
}

/// How a refusal is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AutohandForm {
    /// `decision: deny`.
    Decision,
    /// Exit code 2, the reason on stderr.
    Exit2,
    /// Not at all.
    None,
}

const HEARD: KitMeans = KitMeans {
    allow: KitAllow::Moot,
    refuse: Refuse::Tells,
    ask: KitAsk::Cannot,
    halt: KitHalt::Cannot,
    rewrite: KitRewrite::Cannot,
    context: KitContext::Cannot,
    message: KitMessage::Shown,
};

const OVER: KitMeans = KitMeans {
    halt: KitHalt::Over,
    ..HEARD
};

const GATE: KitMeans = KitMeans {
    allow: KitAllow::Said,
    refuse: Refuse::Prevents,
    ask: KitAsk::Native,
    halt: KitHalt::InPart(
        "Autohand is told to stop, but refuses the call and goes on with the turn.",
    ),
    rewrite: KitRewrite::Taken,
    context: KitContext::Given,
    message: KitMessage::Shown,
};

const PROMPT: KitMeans = KitMeans {
    refuse: Refuse::PreventsUnless(
        "sends the prompt regardless, although its document says that exit code 2 blocks",
    ),
    halt: KitHalt::Refusal,
    ..HEARD
};

const LEARN: KitMeans = KitMeans {
    allow: KitAllow::Cannot,
    refuse: Refuse::Prevents,
    ..HEARD
};

const ANY: KitMeans = KitMeans {
    refuse: Refuse::PreventsUnless(
        "Becket does not know the event, and exit code 2 may not block it",
    ),
    ..HEARD
};

const fn row(
    name: &'static str,
    canonical: &'static str,
    subject: &'static [&'static str],
    form: AutohandForm,
    means: KitMeans,
) -> AutohandEvent {
    AutohandEvent {
        name,
        canonical,
        subject,
        form,
        means,
    }
}

/// An event that hooks only hear of.
const fn heard(
    name: &'static str,
    canonical: &'static str,
    subject: &'static [&'static str],
) -> AutohandEvent {
    row(name, canonical, subject, AutohandForm::None, HEARD)
}

/// What a later version may add.
pub(super) const UNKNOWN: AutohandEvent = row("", "", &[], AutohandForm::Exit2, ANY);

const AUTOMODE: &[&str] = &[
    "automode_prompt",
    "automode_cancel_reason",
    "automode_checkpoint_commit",
    "automode_iteration",
];
const RESEARCH: &[&str] = &[
    "autoresearch_goal",
    "autoresearch_subcommand",
    "tool_name",
    "tool_input",
    "error",
];
const REVIEW: &[&str] = &[
    "review_path",
    "review_scope",
    "review_instructions",
    "review_error",
];
const MATE: &[&str] = &["team_name", "teammate_name", "teammate_agent_name"];
const TASK: &[&str] = &["team_task_id", "team_task_owner", "team_task_result"];

/// Every event of version 0.8.2; `mode-change` is declared there and never fired.
#[rustfmt::skip]
pub(super) const EVENTS: [AutohandEvent; 54] = [
    row("pre-tool",           "PreToolUse",        &[], AutohandForm::Decision, GATE),
    row("permission-request", "PermissionRequest", &[], AutohandForm::Decision, GATE),
    row("pre-prompt",         "UserPromptSubmit",  &[], AutohandForm::Exit2,    PROMPT),
    row("pre-learn",          "",                  &["tool_name"], AutohandForm::Exit2, LEARN),
    row("stop",               "Stop",              &[], AutohandForm::None,     OVER),
    row("post-response",      "",                  &[], AutohandForm::None,     OVER),
    heard("post-tool",        "PostToolUse",       &[]),
    heard("file-modified",    "FileModified",      &[]),
    heard("session-start",    "SessionStart",      &[]),
    heard("session-end",      "SessionEnd",        &[]),
    heard("session-error",    "SessionError",      &[]),
    heard("rate-limit",       "",                  &[]),
    heard("subagent-stop",    "SubagentStop",      &[]),
    heard("notification",     "Notification",      &[]),
    heard("context:compact",  "PostCompact",       &[]),
    heard("context:overflow", "",                  &[]),
    heard("context:warning",  "PreCompact",        &[]),
    heard("context:critical", "",                  &[]),
    heard("task-completed",   "TaskCompleted",     &[]),
    heard("task-assigned",    "",                  TASK),
    heard("pre-clear",        "",                  &[]),
    heard("post-learn",       "",                  &["tool_name"]),
    heard("mode-change",      "",                  &[]),
    heard("goal-written:completed", "",            &["goal_objective", "goal_source"]),
    heard("team-created",     "",                  &["team_name"]),
    heard("team-shutdown",    "",                  &["team_name"]),
    heard("teammate-spawned", "",                  MATE),
    heard("teammate-idle",    "",                  MATE),
    heard("automode:start",      "", AUTOMODE),
    heard("automode:iteration",  "", AUTOMODE),
    heard("automode:checkpoint", "", AUTOMODE),
    heard("automode:pause",      "", AUTOMODE),
    heard("automode:resume",     "", AUTOMODE),
    heard("automode:cancel",     "", AUTOMODE),
    heard("automode:complete",   "", AUTOMODE),
    heard("automode:error",      "", AUTOMODE),
    heard("autoresearch:start",    "", RESEARCH),
    heard("autoresearch:pause",    "", RESEARCH),
    heard("autoresearch:init",     "", RESEARCH),
    heard("autoresearch:before",   "", RESEARCH),
    heard("autoresearch:run",      "", RESEARCH),
    heard("autoresearch:after",    "", RESEARCH),
    heard("autoresearch:log",      "", RESEARCH),
    heard("autoresearch:decision", "", RESEARCH),
    heard("autoresearch:replay",   "", RESEARCH),
    heard("autoresearch:rescore",  "", RESEARCH),
    heard("autoresearch:prune",    "", RESEARCH),
    heard("autoresearch:complete", "", RESEARCH),
    heard("autoresearch:error",    "", RESEARCH),
    heard("review:start",     "", REVIEW),
    heard("review:end",       "", REVIEW),
    heard("review:paused",    "", REVIEW),
    heard("review:failed",    "", REVIEW),
    heard("review:completed", "", REVIEW),
];

/// The event that Autohand writes just so.
pub(super) fn exact(name: &str) -> Option<&'static AutohandEvent> {
    EVENTS.iter().find(|event| event.name == name)
}

/// The event of that name, in any spelling, Autohand's own or canonical.
pub(super) fn find(name: &str) -> Option<&'static AutohandEvent> {
    find_in(&EVENTS, name, |event| (event.name, event.canonical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_own_name_and_by_its_canonical_one() {
        for event in &EVENTS {
            assert_eq!(find(event.name), Some(event));
            if !event.canonical.is_empty() {
                assert_eq!(find(event.canonical), Some(event));
            }
        }
        assert_eq!(find("prompt-submit").map(|e| e.name), Some("pre-prompt"));
        assert_eq!(
            find("PostToolUseFailure").map(|e| e.name),
            Some("post-tool")
        );
        assert_eq!(find("moon-phase"), None);
        assert_eq!(find(""), None);
    }
}
