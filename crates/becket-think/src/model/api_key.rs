//! API keys, read at the moment they are needed.

use becket_agents::config::KeySource;
use becket_runner::process::{Command, Ending};

use super::ModelError;
use crate::deadline::Deadline;
use crate::secret::Secret;
use crate::settings::EnvLookup;

/// Reads an API key for a caller outside this crate. The caller must not store it.
pub fn read_api_key(
    source: &KeySource,
    env: &EnvLookup,
    deadline: &Deadline,
) -> Result<String, ModelError> {
    let found = find_api_key(Some(source), env, deadline)?;
    let found = found.ok_or_else(|| ModelError::NoKey("no source is configured".to_owned()))?;
    Ok(found.reveal().to_owned())
}

/// Reads the API key, if the configuration names a source.
pub(super) fn find_api_key(
    source: Option<&KeySource>,
    env: &EnvLookup,
    deadline: &Deadline,
) -> Result<Option<Secret>, ModelError> {
    match source {
        None => Ok(None),
        Some(KeySource::Env(name)) => match env.get(name) {
            Some(key) => Ok(Some(Secret::new(key.trim()))),
            None => Err(ModelError::NoKey(format!("`{name}` is not set"))),
        },
        Some(KeySource::Command(words)) => run_key_command(words, deadline).map(Some),
    }
}

fn run_key_command(words: &[String], deadline: &Deadline) -> Result<Secret, ModelError> {
    let Some((program, args)) = words.split_first() else {
        return Err(ModelError::NoKey("`api_key_command` is empty".to_owned()));
    };
    let finished = deadline.run(Command::exec(program, args));
    // The output may be the key or a part of it, so no error repeats it.
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
        Ending::Lost(_) => no("could not be waited for".to_owned()),
    }
}
