//! What thinking hooks work with.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use becket_agents::config::Thinking;

use crate::http::{Names, SystemNames};

/// What thinking hooks work with: the person's own tables, the environment, and a place for the ledger.
#[derive(Debug, Clone)]
pub struct ThinkSettings {
    /// Whom they may ask.
    pub asking: Thinking,
    /// Where keys and the variables of headers come from.
    pub env: Env,
    /// The state directory: what was spent is kept below it.
    pub state: PathBuf,
    /// The agent that fires the events, by its id; asked by agent hooks that name no other.
    pub agent: Option<String>,
    /// How names of hosts become addresses.
    pub names: Arc<dyn Names>,
}

impl ThinkSettings {
    /// The person's tables with the environment of this process.
    pub fn new(asking: Thinking, state: impl Into<PathBuf>) -> Self {
        Self {
            asking,
            env: Env::process(),
            state: state.into(),
            agent: None,
            names: Arc::new(SystemNames),
        }
    }

    /// The same with other variables.
    #[must_use]
    pub fn with_env(mut self, env: Env) -> Self {
        self.env = env;
        self
    }

    /// The same for events of an agent.
    #[must_use]
    pub fn for_agent(mut self, id: impl Into<String>) -> Self {
        self.agent = Some(id.into());
        self
    }

    /// The same with another way to find hosts.
    #[must_use]
    pub fn with_names(mut self, names: impl Names + 'static) -> Self {
        self.names = Arc::new(names);
        self
    }
}

type Look = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Environment variables.
#[derive(Clone)]
pub struct Env(Arc<Look>);

impl Env {
    /// Those of this process.
    pub fn process() -> Self {
        Self(Arc::new(|name| std::env::var(name).ok()))
    }

    /// These and no others.
    pub fn of<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        let map: HashMap<String, String> = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self(Arc::new(move |name| map.get(name).cloned()))
    }

    /// The value of a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }
}

/// Variables hold keys.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env(•••)")
    }
}
