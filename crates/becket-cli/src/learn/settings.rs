//! Loads the user's settings for learning and embeddings.

use std::sync::Arc;
use std::time::Duration;

use becket::Home;
use becket::load::read_text;
use becket::model::Level;
use becket_agents::config::{
    self, ConfigFile, EmbeddingProvider, KeySource, LearnConfig, LlmConfig, LlmProvider,
    ServicesConfig,
};
use becket_daemon::learn::{LearningSettings, LearningSettingsLoader};
use becket_daemon::recall::EmbedderFactory;
use becket_learn::WorkerOptions;
use becket_recall::embed::{ApiKey, BuiltinModel, EndpointConfig, EndpointModel, EndpointProtocol};
use becket_think::{Deadline, EnvLookup, ModelError, ThinkSettings};

use crate::report::print_message;

/// How long to wait for the embedding endpoint before the built-in model replaces it.
const ENDPOINT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the command that prints an API key may run.
const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// A loader that reads the configuration file on each call.
pub(crate) fn learn_settings_source(home: &Home) -> LearningSettingsLoader {
    let home = home.clone();
    LearningSettingsLoader(Arc::new(move || learn_settings(&home)))
}

/// The user's learning settings.
pub(crate) fn learn_settings(home: &Home) -> LearningSettings {
    let (learning, asking) = with_user_config(home, |file| {
        let (learning, _) = config::becket_learn_config(file);
        (learning, config::becket_services(file))
    });
    if learning.broken {
        return LearningSettings {
            on: false,
            problem: Some(format!(
                "`[learn]` in {} is invalid; see `becket doctor`",
                home.config_file().display()
            )),
            ..LearningSettings::default()
        };
    }
    let (on, daily_tokens) = (learning.enabled, Some(learning.daily_tokens));
    let mut settings = with_model(home, learning, asking);
    settings.on = on;
    settings.habits.daily_tokens = daily_tokens;
    settings
}

fn with_model(home: &Home, learning: LearnConfig, asking: ServicesConfig) -> LearningSettings {
    let llm = learning.llm.or(asking.llm.clone());
    let llm = llm.filter(|_| learning.by_model);
    if let Some(KeySource::Env(variable)) = llm.as_ref().and_then(|llm| llm.key.as_ref())
        && EnvLookup::process().get(variable).is_none()
    {
        return LearningSettings {
            problem: Some(unset_variable(variable)),
            ..LearningSettings::default()
        };
    }
    let name = llm.as_ref().map(model_name);
    let settings = ThinkSettings::new(ServicesConfig { llm, ..asking }, &home.state);
    match becket_think::configured_model(&settings) {
        Ok(model) => LearningSettings {
            habits: WorkerOptions {
                model: Some(model),
                ..WorkerOptions::default()
            },
            model: name,
            ..LearningSettings::default()
        },
        Err(ModelError::NotConfigured) => LearningSettings::default(),
        Err(error) => LearningSettings {
            problem: Some(error.to_string()),
            ..LearningSettings::default()
        },
    }
}

/// The problem of a variable that the daemon does not have, because an agent's event started it.
fn unset_variable(variable: &str) -> String {
    format!(
        "`{variable}` (from `api_key_env`) is not set here, so learning uses rules only: a daemon that an agent's event \
         starts does not get your variables; use `api_key_command`, or run `becket daemon restart` where it is set"
    )
}

/// A model's display name.
fn model_name(llm: &LlmConfig) -> String {
    let provider = match llm.provider {
        LlmProvider::OpenAi => "openai",
        LlmProvider::Anthropic => "anthropic",
        LlmProvider::Command => "command",
    };
    let name = llm.model.as_ref().or(llm.command.first());
    match name {
        Some(name) => format!("{name} ({provider})"),
        None => provider.to_owned(),
    }
}

/// The embedding endpoint that the user configured.
pub(crate) fn embedding_endpoint(home: &Home) -> Option<EndpointConfig> {
    let settings = with_user_config(home, |file| config::becket_learn_config(file).1)?;
    let protocol = match settings.provider {
        EmbeddingProvider::OpenAi => EndpointProtocol::OpenAi,
        EmbeddingProvider::Ollama => EndpointProtocol::Ollama,
    };
    let mut endpoint = EndpointConfig::new(protocol, &settings.base_url, &settings.model);
    endpoint.key = settings.key.map(key_source);
    if let Some(batch) = settings.batch {
        endpoint.batch = usize::try_from(batch).unwrap_or(usize::MAX);
    }
    if let Some(timeout) = settings.timeout {
        endpoint.timeout = timeout;
    }
    Some(endpoint)
}

/// The embedding model for commands without a daemon: the configured endpoint if it answers quickly, else the
/// built-in model.
pub(crate) fn embedding_model(home: &Home) -> EmbedderFactory {
    let endpoint = embedding_endpoint(home);
    Box::new(move || {
        let Some(mut config) = endpoint.clone() else {
            return Arc::new(BuiltinModel);
        };
        config.timeout = config.timeout.min(ENDPOINT_TIMEOUT);
        match EndpointModel::connect(config) {
            Ok(endpoint) => Arc::new(endpoint),
            Err(error) => {
                print_message(&format!(
                    "becket: cannot use [embedding], using the built-in model instead: {error}"
                ));
                Arc::new(BuiltinModel)
            }
        }
    })
}

fn key_source(source: KeySource) -> ApiKey {
    ApiKey::new(move || {
        let deadline = Deadline::within(KEY_COMMAND_TIMEOUT);
        let key = becket_think::read_api_key(&source, &EnvLookup::process(), &deadline);
        key.map_err(|error| error.to_string())
    })
}

fn with_user_config<T>(home: &Home, read: impl FnOnce(&ConfigFile) -> T) -> T {
    let path = home.config_file();
    let text = read_text(&path).unwrap_or_default();
    read(&ConfigFile {
        path: &path,
        level: Level::User,
        text: &text,
        root: None,
    })
}
