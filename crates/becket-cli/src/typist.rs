//! Who types a command: a person, or an agent in a shell of its own.

use becket::env::{ProcessEnv, Vars};
use becket_agents::agent_around;
use becket_store::Trust;

/// The id of the agent whose shell this is.
pub(crate) fn agent() -> Option<&'static str> {
    agent_around(|name| Some(ProcessEnv.get(name)?.to_string_lossy().into_owned()))
}

/// How far what is said here is believed: an agent may have read it anywhere.
pub(crate) fn trust() -> Trust {
    match agent() {
        Some(_) => Trust::Agent,
        None => Trust::User,
    }
}

/// Refuses an agent what is a person's to decide.
pub(crate) fn has_to_be_a_person(what: &str) -> anyhow::Result<()> {
    match agent() {
        Some(agent) => anyhow::bail!(
            "{what} is for a person, and this is a shell of {agent}\nhint: type it in a terminal of your own, or do it in the dashboard"
        ),
        None => Ok(()),
    }
}
