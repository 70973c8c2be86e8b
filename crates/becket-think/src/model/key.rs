//! Where a key comes from, at the moment it is needed.

use becket_agents::config::KeySource;
use becket_runner::process::{Command, Ending};

use super::ModelError;
use crate::deadline::Deadline;
use crate::secret::Secret;
use crate::settings::Env;

/// A key that somebody else than a model needs, and keeps nowhere.
pub fn key(source: &KeySource, env: &Env, deadline: &Deadline) -> Result<String, ModelError> {
    let found = find(Some(source), env, deadline)?;
    let found = found.ok_or_else(|| ModelError::NoKey("nobody says where it is".to_owned()))?;
    Ok(found.reveal().to_owned())
}

/// The key, if the person says where one is.
pub(super) fn find(
    source: Option<&KeySource>,
    env: &Env,
    deadline: &Deadline,
) -> Result<Option<Secret>, ModelError> {
    match source {
        None => Ok(None),
        Some(KeySource::Env(name)) => match env.get(name) {
            Some(key) => Ok(Some(Secret::new(key.trim()))),
            None => Err(ModelError::NoKey(format!("`{name}` is not set"))),
        },
        Some(KeySource::Command(words)) => ask(words, deadline).map(Some),
    }
}

fn ask(words: &[String], deadline: &Deadline) -> Result<Secret, ModelError> {
    let Some((program, args)) = words.split_first() else {
        return Err(ModelError::NoKey("`api_key_command` is empty".to_owned()));
    };
    let finished = deadline.run(Command::exec(program, args));
    // What the program printed may be the key, or half of it, and is never repeated.
    let no = |why: String| Err(ModelError::NoKey(format!("`{program}` {why}")));
    match finished.ending {
        Ending::Exited(0) => {
            let printed = finished.stdout.text();
            match printed.lines().next().map(str::trim) {
                Some(key) if !key.is_empty() => Ok(Secret::new(key)),
                _ => no("printed nothing".to_owned()),
            }
        }
        Ending::Exited(code) => no(format!("ended with exit code {code}")),
        Ending::Signaled(signal) => no(format!("was killed by signal {signal}")),
        Ending::TimedOut => Err(ModelError::TimedOut),
        Ending::Cancelled => Err(ModelError::Cancelled),
        Ending::NotStarted(_) => no("could not be started".to_owned()),
        Ending::Lost(_) => no("was lost sight of".to_owned()),
    }
}
