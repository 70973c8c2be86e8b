//! The events of Goose and what a hook may do at each: the capability table.
//!
//! `BeforeShellExecution`, `BeforeReadFile` and `AfterShellExecution` fire together with the tool events for
//! the same call and cannot block it, so they are no tool events here; neither is
//! `PreToolUseResult`, which tells what became of the answers to `PreToolUse`.

use super::TITLE;
use crate::exchange::events::{ExchangeNative, Protocol, Reads};
use crate::exchange::lean::{Approval, ExchangeMeans, Refusal};

const fn row(name: &'static [&'static str; 1], reads: Reads, refusal: Refusal) -> ExchangeNative {
    ExchangeNative {
        names: name,
        reads,
        means: ExchangeMeans::at(name[0]).refusal(refusal),
    }
}

const GATE: ExchangeNative = ExchangeNative {
    names: &["PreToolUse"],
    reads: Reads::PreTool,
    means: ExchangeMeans::at("PreToolUse")
        .refusal(Refusal::Prevents)
        .approval(Approval::Cannot),
};

/// Every event of client 1.52.0. It never sends the two of subagents, which older versions read in
/// a plugin's file.
#[rustfmt::skip]
const EVENTS: [ExchangeNative; 14] = {
    use {Reads as R, Refusal as F};
    [
        row(&["SessionStart"],         R::Start(None),      F::Cannot),
        row(&["SessionEnd"],           R::End,              F::Cannot),
        row(&["UserPromptSubmit"],     R::Prompt,           F::Cannot),
        GATE,
        row(&["PreToolUseResult"],     R::Other,            F::Cannot),
        row(&["PostToolUse"],          R::PostTool,         F::Cannot),
        row(&["PostToolUseFailure"],   R::PostToolFailure,  F::Cannot),
        row(&["BeforeShellExecution"], R::Other,            F::Cannot),
        row(&["AfterShellExecution"],  R::Other,            F::Cannot),
        row(&["BeforeReadFile"],       R::Other,            F::Cannot),
        row(&["AfterFileEdit"],        R::File("modify"),   F::Cannot),
        row(&["Stop"],                 R::Rest,             F::KeepsGoing),
        row(&["SubagentStart"],        R::SubagentStart,    F::Cannot),
        row(&["SubagentStop"],         R::SubagentStop,     F::Rest),
    ]
};

/// What Goose hears, and how a refusal is said at an event that a later version may add.
pub(super) const GOOSE: Protocol = Protocol {
    agent: TITLE,
    events: &EVENTS,
    unknown: ExchangeMeans::at("").refusal(Refusal::Unknown),
};
