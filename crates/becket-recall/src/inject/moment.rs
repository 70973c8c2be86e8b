//! When something may be told.

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment<'m> {
    /// A session begins.
    SessionStart(Start),
    /// A person says what to do.
    Prompt(&'m str),
    /// A tool has read or changed files, or is about to, see [`is_file_tool`](becket_model::is_file_tool).
    FileTool {
        /// Its name, as Becket calls it.
        tool: &'m str,
        /// The files, absolute or as seen from the project.
        paths: &'m [&'m str],
        /// What came of it.
        output: &'m str,
        /// What the person had asked for, if that is known.
        prompt: &'m str,
    },
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It is new.
    Startup,
    /// It goes on where it was left, with all that was said; so does one that branches off from another.
    Resume,
    /// What was said has been thrown away.
    Clear,
    /// What was said has been summed up.
    Compact,
}

impl Start {
    /// From agents' words for it; what nobody knows is new.
    pub fn parse(source: Option<&str>) -> Self {
        match source {
            Some("resume" | "resumed" | "continue" | "fork" | "branch") => Self::Resume,
            Some("clear") => Self::Clear,
            Some("compact" | "compress") => Self::Compact,
            _ => Self::Startup,
        }
    }

    /// Whether the model has no longer read what it was told before.
    pub(super) fn forgets(self) -> bool {
        self != Self::Resume
    }

    /// Whether all is told, or as little as possible.
    pub(super) fn is_fresh(self) -> bool {
        matches!(self, Self::Startup | Self::Clear)
    }
}
