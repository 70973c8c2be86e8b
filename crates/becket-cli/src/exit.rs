//! Exit codes. `docs/reference/exit-codes.md` lists them for users.

use std::process::ExitCode;

/// Exit codes of all commands. Agents read exit code 2 as "blocked", so Becket's own commands never use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Success,
    /// The command failed, or found something that needs attention.
    Failure,
    /// The command line is invalid.
    Usage,
    /// The code that the agent's protocol asks for, from its adapter.
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
