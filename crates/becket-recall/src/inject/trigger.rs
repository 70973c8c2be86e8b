//! The events that trigger injection.

/// A trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectionTrigger<'m> {
    /// A session starts.
    SessionStart(StartSource),
    /// The user sends a prompt.
    Prompt(&'m str),
    /// A tool read or changed files, or is about to; see [`is_file_tool`](becket_model::is_file_tool).
    FileTool {
        /// Its canonical name.
        tool: &'m str,
        /// The files, absolute or relative to the project.
        paths: &'m [&'m str],
        /// The output.
        output: &'m str,
        /// The last prompt, if known.
        prompt: &'m str,
    },
}

/// How a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// A resumed or forked session with its whole context.
    Resume,
    /// The context was cleared.
    Clear,
    /// The context was compacted.
    Compact,
}

impl StartSource {
    /// Parses the agents' names; unknown ones count as a new session.
    pub fn parse(source: Option<&str>) -> Self {
        match source {
            Some("resume" | "resumed" | "continue" | "fork" | "branch") => Self::Resume,
            Some("clear") => Self::Clear,
            Some("compact" | "compress") => Self::Compact,
            _ => Self::Startup,
        }
    }

    /// Whether the model has lost earlier injected context.
    pub(super) fn clears_context(self) -> bool {
        self != Self::Resume
    }

    /// Whether to inject everything, or only the status line.
    pub(super) fn is_fresh(self) -> bool {
        matches!(self, Self::Startup | Self::Clear)
    }
}
