//! The events of Cline and what a hook may do at each: the capability table.
//!
//! A row under a name such as `tool_call` is for the command line, a row under a hook file's name is
//! for VS Code; the payload says which. Sentences speak of the file's name in both.

use super::TITLE;
use crate::exchange::events::{ExchangeNative, Protocol, Reads};
use crate::exchange::lean::{Approval, ExchangeContext, ExchangeMeans, Refusal};

/// Accepted, but the adapter of 4.1.13 takes nothing but a cancellation from these two.
const DROPPED: ExchangeContext = ExchangeContext::Unsure(
    "Cline 4.1.13 drops context at this event; older versions passed it on.",
);

const fn row(names: &'static [&'static str], reads: Reads, means: ExchangeMeans) -> ExchangeNative {
    ExchangeNative {
        names,
        reads,
        means,
    }
}

/// Before a tool, where a refusal cancels the run.
const GATE: ExchangeMeans = ExchangeMeans::at("PreToolUse")
    .refusal(Refusal::EndsRun)
    .caveat("Cline cannot refuse one call; the whole run ends.")
    .approval(Approval::Cannot)
    .context(ExchangeContext::Given)
    .halts();

/// After a tool.
const AFTER: ExchangeMeans = ExchangeMeans::at("PostToolUse")
    .refusal(Refusal::Note)
    .context(ExchangeContext::Given)
    .halts();

/// A start or a prompt in VS Code, where a refusal cancels the run.
const fn opening(name: &'static str) -> ExchangeMeans {
    ExchangeMeans::at(name)
        .refusal(Refusal::EndsRun)
        .context(DROPPED)
        .halts()
}

/// Every event of command line 3.0.65 and VS Code 4.1.13. The command line starts all hooks but those
/// of tools without listening; VS Code declares `TaskResume`, `PreCompact` and `Notification` and
/// never fires them.
#[rustfmt::skip]
const EVENTS: [ExchangeNative; 18] = {
    use {Reads as R, Refusal as F};
    [
        row(&["agent_start"],      R::Start(Some("startup")), ExchangeMeans::at("TaskStart")),
        row(&["agent_resume"],     R::Start(Some("resume")),  ExchangeMeans::at("TaskResume")),
        row(&["prompt_submit"],    R::Prompt,                 ExchangeMeans::at("UserPromptSubmit")),
        row(&["tool_call"],        R::PreTool,                GATE.rewrites()),
        row(&["tool_result"],      R::PostTool,               AFTER),
        row(&["agent_end"],        R::Rest,                   ExchangeMeans::at("TaskComplete").refusal(F::Rest)),
        row(&["agent_abort"],      R::Error,                  ExchangeMeans::at("TaskCancel")),
        row(&["agent_error", "TaskError"],            R::Error, ExchangeMeans::at("TaskError")),
        row(&["session_shutdown", "SessionShutdown"], R::End,   ExchangeMeans::at("SessionShutdown")),
        row(&["TaskStart"],        R::Start(Some("startup")), opening("TaskStart")),
        row(&["TaskResume"],       R::Start(Some("resume")),  opening("TaskResume")),
        row(&["UserPromptSubmit"], R::Prompt,                 opening("UserPromptSubmit")),
        row(&["PreToolUse"],       R::PreTool,                GATE),
        row(&["PostToolUse"],      R::PostTool,               AFTER),
        row(&["TaskComplete"],     R::Rest,                   ExchangeMeans::at("TaskComplete").refusal(F::Rest)),
        row(&["TaskCancel"],       R::Error,                  ExchangeMeans::at("TaskCancel")),
        row(&["PreCompact"],       R::Compaction,             ExchangeMeans::at("PreCompact")),
        row(&["Notification"],     R::Notice,                 ExchangeMeans::at("Notification")),
    ]
};

/// What Cline hears, and how a refusal is said at an event that a later version may add.
pub(super) const CLINE: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: ExchangeMeans::at("").refusal(Refusal::Unknown).halts(),
};
