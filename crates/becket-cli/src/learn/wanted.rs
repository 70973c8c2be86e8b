//! What the person's own file says of learning and of the model to find by.

use std::sync::Arc;
use std::time::Duration;

use becket::Home;
use becket::load::read_text;
use becket::model::Level;
use becket_agents::config::{
    self, EmbeddingProvider, File, KeySource, Learning, Llm, Provider, Thinking,
};
use becket_daemon::learn::{Wanted, WantedOf};
use becket_daemon::recall::ModelOf;
use becket_learn::Habits;
use becket_recall::embed::{Builtin, Endpoint, EndpointConfig, Key, Protocol};
use becket_think::{Deadline, Env, ModelError, ThinkSettings};

use crate::report::talk;

/// How long somebody waits for an endpoint before the model inside the program takes its place.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a program that prints a key may take.
const KEY_PATIENCE: Duration = Duration::from_secs(10);

/// Reads the file each time it is asked.
pub(crate) fn wanted_of(home: &Home) -> WantedOf {
    let home = home.clone();
    WantedOf(Arc::new(move || wanted(&home)))
}

/// What the person wants of learning.
pub(crate) fn wanted(home: &Home) -> Wanted {
    let (learning, asking) = with_file(home, |file| {
        let (learning, _) = config::becket_learning(file);
        (learning, config::becket_thinking(file))
    });
    if learning.broken {
        return Wanted {
            on: false,
            problem: Some(format!(
                "`[learn]` of {} cannot be understood; `becket doctor` says why",
                home.config_file().display()
            )),
            ..Wanted::default()
        };
    }
    let (on, daily_tokens) = (learning.enabled, Some(learning.daily_tokens));
    let mut wanted = with_model(home, learning, asking);
    wanted.on = on;
    wanted.habits.daily_tokens = daily_tokens;
    wanted
}

fn with_model(home: &Home, learning: Learning, asking: Thinking) -> Wanted {
    let llm = learning.llm.or(asking.llm.clone());
    let llm = llm.filter(|_| learning.by_model);
    if let Some(KeySource::Env(variable)) = llm.as_ref().and_then(|llm| llm.key.as_ref())
        && Env::process().get(variable).is_none()
    {
        return Wanted {
            problem: Some(unset(variable)),
            ..Wanted::default()
        };
    }
    let name = llm.as_ref().map(name);
    let settings = ThinkSettings::new(Thinking { llm, ..asking }, &home.state);
    match becket_think::model(&settings) {
        Ok(model) => Wanted {
            habits: Habits {
                model: Some(model),
                ..Habits::default()
            },
            model: name,
            ..Wanted::default()
        },
        Err(ModelError::NotConfigured) => Wanted::default(),
        Err(error) => Wanted {
            problem: Some(error.to_string()),
            ..Wanted::default()
        },
    }
}

/// Whoever starts a daemon decides what it sees, and that is often an agent.
fn unset(variable: &str) -> String {
    format!(
        "`{variable}`, which `api_key_env` names, is not set here, so that rules learn: a daemon that an agent's event \
         starts sees none of your variables; use `api_key_command`, or `becket daemon restart` where it is set"
    )
}

/// What a model is called, for people.
fn name(llm: &Llm) -> String {
    let provider = match llm.provider {
        Provider::OpenAi => "openai",
        Provider::Anthropic => "anthropic",
        Provider::Command => "command",
    };
    let name = llm.model.as_ref().or(llm.command.first());
    match name {
        Some(name) => format!("{name} ({provider})"),
        None => provider.to_owned(),
    }
}

/// The endpoint that the person wants texts to be found by.
pub(crate) fn endpoint(home: &Home) -> Option<EndpointConfig> {
    let wanted = with_file(home, |file| config::becket_learning(file).1)?;
    let protocol = match wanted.provider {
        EmbeddingProvider::OpenAi => Protocol::OpenAi,
        EmbeddingProvider::Ollama => Protocol::Ollama,
    };
    let mut endpoint = EndpointConfig::new(protocol, &wanted.base_url, &wanted.model);
    endpoint.key = wanted.key.map(key);
    if let Some(batch) = wanted.batch {
        endpoint.batch = usize::try_from(batch).unwrap_or(usize::MAX);
    }
    if let Some(timeout) = wanted.timeout {
        endpoint.deadline = timeout;
    }
    Some(endpoint)
}

/// The model to find by where no daemon runs: the endpoint's if that answers soon, or the one inside the program.
pub(crate) fn model_of(home: &Home) -> ModelOf {
    let endpoint = endpoint(home);
    Box::new(move || {
        let Some(mut config) = endpoint.clone() else {
            return Arc::new(Builtin);
        };
        config.deadline = config.deadline.min(PATIENCE);
        match Endpoint::connect(config) {
            Ok(endpoint) => Arc::new(endpoint),
            Err(error) => {
                talk(&format!(
                    "becket: the model inside Becket is used instead of that of [embedding]: {error}"
                ));
                Arc::new(Builtin)
            }
        }
    })
}

fn key(source: KeySource) -> Key {
    Key::new(move || {
        let deadline = Deadline::within(KEY_PATIENCE);
        let key = becket_think::key(&source, &Env::process(), &deadline);
        key.map_err(|error| error.to_string())
    })
}

fn with_file<T>(home: &Home, read: impl FnOnce(&File) -> T) -> T {
    let path = home.config_file();
    let text = read_text(&path).unwrap_or_default();
    read(&File {
        path: &path,
        level: Level::User,
        text: &text,
        root: None,
    })
}
