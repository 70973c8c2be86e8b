//! Detects whether a person or an agent runs a command.

use becket::env::{ProcessEnv, Vars};
use becket_agents::agent_from_env;
use becket_store::Trust;

/// The id of the agent whose shell runs this command.
pub(crate) fn agent_of_shell() -> Option<&'static str> {
    agent_from_env(|name| Some(ProcessEnv.get(name)?.to_string_lossy().into_owned()))
}

/// The trust level of text given on the command line: an agent may have read it anywhere.
pub(crate) fn trust_level() -> Trust {
    match agent_of_shell() {
        Some(_) => Trust::Agent,
        None => Trust::User,
    }
}

/// Fails if an agent runs a command that only a person may run.
pub(crate) fn require_person(what: &str) -> anyhow::Result<()> {
    match agent_of_shell() {
        Some(agent) => anyhow::bail!(
            "{what} needs a person, and this is a shell of {agent}\nhint: run it in your own terminal, or use the dashboard"
        ),
        None => Ok(()),
    }
}
