//! Dialects: the contract a hook is written for, and what follows from it for planning and failures.

use crate::event::EventKind;
use crate::outcome::{FailureKind, Verdict};

/// The contract a hook is written for: exit codes, stdin, environment, defaults. It is fixed when the file is
/// loaded and does not depend on the agent that fires the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Becket's own files.
    Becket,
    /// Claude Code's settings.
    Claude,
    /// Code Agent's hooks.
    CodeAgent,
    /// The claude-agent library's settings and in-process hooks.
    ClaudeAgent,
    /// Autohand's configuration.
    Autohand,
    /// Cursor's `hooks.json`.
    Cursor,
    /// Gemini CLI's settings.
    Gemini,
    /// Codex's `hooks.json` and `config.toml`.
    Codex,
    /// GitHub Copilot's hook files.
    Copilot,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 9] = [
        Self::Becket,
        Self::Claude,
        Self::CodeAgent,
        Self::ClaudeAgent,
        Self::Autohand,
        Self::Cursor,
        Self::Gemini,
        Self::Codex,
        Self::Copilot,
    ];

    /// The name used in files and on the terminal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Becket => "becket",
            Self::Claude => "claude",
            Self::CodeAgent => "code-agent",
            Self::ClaudeAgent => "claude-agent",
            Self::Autohand => "autohand",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
        }
    }

    /// Reads [`Dialect::name`].
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Whether hooks of one priority run concurrently; otherwise they run in sequence, and each sees the input as
    /// rewritten so far.
    pub fn runs_concurrently(self) -> bool {
        match self {
            Self::Becket | Self::Claude | Self::Cursor | Self::Gemini | Self::Codex => true,
            Self::CodeAgent | Self::ClaudeAgent | Self::Autohand | Self::Copilot => false,
        }
    }

    /// The verdict if a hook of this dialect fails and its definition does not set a failure policy. This and
    /// [`Dialect::verdict_of`] are the only places that decide between failing open and failing closed:
    ///
    /// | dialect | a failed hook |
    /// | --- | --- |
    /// | becket, claude, autohand, gemini, codex | fails open: the action proceeds |
    /// | code-agent | fails open, but a hook that cannot be started blocks (its contract says so) |
    /// | claude-agent | fails closed on events that can be blocked |
    /// | cursor | fails open; but an invalid reply fails closed before a tool or a subagent |
    /// | copilot | fails closed before a tool, else open; but a timeout or an unclear reply fails open |
    ///
    /// Autohand's program rejects the call on any failure, but its documentation calls failures harmless; the
    /// documentation is the contract.
    pub fn failure_verdict(self, event: &EventKind) -> Verdict {
        match self {
            Self::ClaudeAgent if event.can_block() => Verdict::Deny,
            Self::Copilot if *event == EventKind::PreToolUse => Verdict::Deny,
            _ => Verdict::NoOpinion,
        }
    }

    /// The verdict for dialects that distinguish between kinds of failures.
    pub fn verdict_of(self, failure: FailureKind, event: &EventKind) -> Verdict {
        use FailureKind::{BadReply, Cancelled, TimedOut};
        match (self, failure) {
            (Self::Cursor, BadReply) if guards_in_cursor(event) => Verdict::Deny,
            (Self::Copilot, BadReply | Cancelled | TimedOut) => Verdict::NoOpinion,
            _ => self.failure_verdict(event),
        }
    }
}

/// The events for which Cursor asks for permission.
fn guards_in_cursor(event: &EventKind) -> bool {
    event.is_guarded() || *event == EventKind::SubagentStart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_found_by_its_name() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::parse(dialect.name()), Some(dialect));
        }
        for unknown in ["", "Claude", "klingon"] {
            assert_eq!(Dialect::parse(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn each_dialect_fails_as_its_own_program_says_and_only_where_blocking_means_something() {
        use FailureKind::{BadReply, Exit, NotStarted, TimedOut};
        use Verdict::{Deny, NoOpinion};
        for (dialect, failure, before_tool, after_tool) in [
            (Dialect::Becket, Exit, NoOpinion, NoOpinion),
            (Dialect::Claude, Exit, NoOpinion, NoOpinion),
            (Dialect::CodeAgent, TimedOut, NoOpinion, NoOpinion),
            (Dialect::ClaudeAgent, Exit, Deny, NoOpinion),
            (Dialect::ClaudeAgent, BadReply, Deny, NoOpinion),
            (Dialect::Autohand, TimedOut, NoOpinion, NoOpinion),
            (Dialect::Cursor, Exit, NoOpinion, NoOpinion),
            (Dialect::Cursor, TimedOut, NoOpinion, NoOpinion),
            (Dialect::Cursor, BadReply, Deny, NoOpinion),
            (Dialect::Gemini, TimedOut, NoOpinion, NoOpinion),
            (Dialect::Codex, BadReply, NoOpinion, NoOpinion),
            (Dialect::Copilot, Exit, Deny, NoOpinion),
            (Dialect::Copilot, NotStarted, Deny, NoOpinion),
            (Dialect::Copilot, TimedOut, NoOpinion, NoOpinion),
            (Dialect::Copilot, BadReply, NoOpinion, NoOpinion),
        ] {
            let verdict = |event| dialect.verdict_of(failure, event);
            assert_eq!(
                verdict(&EventKind::PreToolUse),
                before_tool,
                "{dialect:?} {failure:?}"
            );
            assert_eq!(
                verdict(&EventKind::PostToolUse),
                after_tool,
                "{dialect:?} {failure:?}"
            );
        }
        assert_eq!(
            Dialect::Copilot.failure_verdict(&EventKind::UserPromptSubmit),
            NoOpinion
        );
    }
}
