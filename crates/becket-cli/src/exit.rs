//! How the command ends. `docs/reference/exit-codes.md` says the same.

use std::process::ExitCode;

/// Exit codes. 2 means "blocked" to every agent, so nothing of Becket's own uses it by accident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Success,
    /// Something was found that a person should look at, or the command could not do its work.
    Failure,
    /// The command line makes no sense.
    Usage,
    /// An agent's own code, from its adapter.
    Agent(i32),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::from(1),
            Exit::Usage => Self::from(64),
            Exit::Agent(code) => Self::from(u8::try_from(code).unwrap_or(1)),
        }
    }
}
