//! Settings for hooks that call servers, models, agents and MCP servers.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use becket_agents::config::ServicesConfig;

use crate::http::{HostResolver, SystemResolver};

/// Settings for these hooks: the user's configuration, the environment, and the state directory.
#[derive(Debug, Clone)]
pub struct ThinkSettings {
    /// The configured models, agents, MCP servers and HTTP policy.
    pub config: ServicesConfig,
    /// Source of API keys and of variables in headers.
    pub env: EnvLookup,
    /// The state directory. The usage ledger is below it.
    pub state: PathBuf,
    /// The id of the agent that sends the events. Agent hooks that name no other agent use it.
    pub agent: Option<String>,
    /// Resolves host names.
    pub resolver: Arc<dyn HostResolver>,
}

impl ThinkSettings {
    /// Settings with the environment of this process.
    pub fn new(config: ServicesConfig, state: impl Into<PathBuf>) -> Self {
        Self {
            config,
            env: EnvLookup::process(),
            state: state.into(),
            agent: None,
            resolver: Arc::new(SystemResolver),
        }
    }

    /// Replaces the environment.
    #[must_use]
    pub fn with_env(mut self, env: EnvLookup) -> Self {
        self.env = env;
        self
    }

    /// Sets the agent that sends the events.
    #[must_use]
    pub fn for_agent(mut self, id: impl Into<String>) -> Self {
        self.agent = Some(id.into());
        self
    }

    /// Replaces the host resolver.
    #[must_use]
    pub fn with_resolver(mut self, names: impl HostResolver + 'static) -> Self {
        self.resolver = Arc::new(names);
        self
    }
}

type LookupFn = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Read access to environment variables.
#[derive(Clone)]
pub struct EnvLookup(Arc<LookupFn>);

impl EnvLookup {
    /// The variables of this process.
    pub fn process() -> Self {
        Self(Arc::new(|name| std::env::var(name).ok()))
    }

    /// Only the given variables.
    pub fn from_pairs<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        let map: HashMap<String, String> = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self(Arc::new(move |name| map.get(name).cloned()))
    }

    /// The value of a variable, if it is set and not empty.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }
}

/// Does not print values, because variables hold keys.
impl fmt::Debug for EnvLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env(•••)")
    }
}
