//! The tables that configure external services for hooks: `[llm]`, `[http]`, `[agents.NAME]`, `[mcp.NAME]`.
//!
//! They name programs to start, hosts to connect to and sources of API keys, so only the user's own file
//! may contain them. In any other file they are reported and have no effect.

use std::time::Duration;

use becket_model::Level;

use super::ConfigFile;
use super::keys::{self, AGENT, ConfigKey, HTTP, LLM, MCP, PROVIDERS};
use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::tree::{self, ConfigField, ConfigNode, ConfigValue};

/// The services that hooks may use, from the user's own file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServicesConfig {
    /// The language model for prompt hooks.
    pub llm: Option<LlmConfig>,
    /// The hosts that http hooks may connect to.
    pub http: HttpPolicy,
    /// Command lines of agents by name, in file order.
    pub agents: Vec<(String, Vec<String>)>,
    /// MCP servers by name, in file order.
    pub mcp: Vec<(String, McpServer)>,
}

/// A language model and how to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmConfig {
    /// The protocol.
    pub provider: LlmProvider,
    /// The endpoint; `None` is the provider's default.
    pub base_url: Option<String>,
    /// The model's name; not used with [`LlmProvider::Command`].
    pub model: Option<String>,
    /// Where the API key comes from. Never the key itself.
    pub key: Option<KeySource>,
    /// The program of [`LlmProvider::Command`] and its arguments.
    pub command: Vec<String>,
    /// The maximum length of an answer in tokens.
    pub max_tokens: Option<u32>,
    /// The sampling temperature; `None` leaves it to the model.
    pub temperature: Option<f64>,
    /// The token limit per day.
    pub daily_tokens: Option<u64>,
    /// The timeout of one request, retries included.
    pub timeout: Option<Duration>,
    /// How many times a request is retried when the provider is busy.
    pub retries: Option<u32>,
}

/// The protocol of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmProvider {
    /// OpenAI's chat completions, which many other servers implement.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// A program: the prompt on its stdin, the answer on its stdout.
    Command,
}

/// Where an API key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable of this name.
    Env(String),
    /// The first line that this program prints.
    Command(Vec<String>),
}

/// The hosts that http hooks may connect to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpPolicy {
    /// Whether loopback and private networks are allowed.
    pub allow_private: bool,
    /// If not empty, the only allowed hosts: `host` or `*.domain`, optionally with `:port`.
    pub allow_hosts: Vec<String>,
    /// Forbidden hosts.
    pub deny_hosts: Vec<String>,
    /// Whether the proxy variables of the environment are used.
    pub proxy: bool,
    /// A PEM file with certificates to trust instead of the public ones.
    pub ca_file: Option<String>,
    /// The table is invalid, so no host is allowed until it is fixed.
    pub broken: bool,
}

/// How an MCP server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
}

/// Reads these tables from the user's `config.toml`. [`becket()`](super::becket()) reports their problems.
pub fn becket_services(file: &ConfigFile) -> ServicesConfig {
    match tree::toml(file.text) {
        Ok(node) => read(&mut ConfigReader::new(file), &node, &KeyPath::root(1)),
        Err(_) if file.level == Level::User => ServicesConfig {
            // Fails closed: an unreadable file may forbid any host.
            http: HttpPolicy {
                broken: true,
                ..HttpPolicy::default()
            },
            ..ServicesConfig::default()
        },
        Err(_) => ServicesConfig::default(),
    }
}

pub(super) fn read(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) -> ServicesConfig {
    let mut found = ServicesConfig::default();
    for name in ["llm", "http", "agents", "mcp"] {
        let Some(field) = node.get(name) else {
            continue;
        };
        if reader.file.level != Level::User {
            let message =
                "this table is only allowed in the user configuration; it has no effect here";
            reader.warn(&at.field(field), message, None);
            continue;
        }
        match name {
            "llm" => found.llm = table(reader, field, at, LLM, llm),
            "http" => {
                found.http = table(reader, field, at, HTTP, |entry| Some(http(entry))).unwrap_or(
                    HttpPolicy {
                        broken: true,
                        ..HttpPolicy::default()
                    },
                );
            }
            "agents" => {
                found.agents = tables(reader, field, at, AGENT, |entry| {
                    command_line(entry, "command")
                });
            }
            _ => found.mcp = tables(reader, field, at, MCP, server),
        }
    }
    found
}

/// One table; `None` if it contains an error.
pub(super) fn table<T>(
    reader: &mut ConfigReader,
    field: &ConfigField,
    at: &KeyPath,
    known: &'static [ConfigKey],
    read: impl FnOnce(&mut EntryReader) -> Option<T>,
) -> Option<T> {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.describe());
        reader.error(&at, message, None);
        return None;
    };
    let mut entry = EntryReader::new(reader, &at, fields);
    entry.check_keys(&keys::names(known));
    let found = read(&mut entry);
    found.filter(|_| entry.fault.is_none())
}

/// A table of named tables, without the invalid ones.
fn tables<T>(
    reader: &mut ConfigReader,
    field: &ConfigField,
    at: &KeyPath,
    known: &'static [ConfigKey],
    read: impl Fn(&mut EntryReader) -> Option<T>,
) -> Vec<(String, T)> {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected tables, found {}", field.node.describe());
        reader.error(&at, message, None);
        return Vec::new();
    };
    let named: Vec<&ConfigField> = reader.fields(fields, &at).collect();
    named
        .into_iter()
        .filter_map(|field| {
            let found = table(reader, field, &at, known, &read)?;
            Some((field.key.as_ref().to_owned(), found))
        })
        .collect()
}

pub(super) fn llm(entry: &mut EntryReader) -> Option<LlmConfig> {
    let provider = provider(entry);
    let found = LlmConfig {
        provider: provider.unwrap_or(LlmProvider::OpenAi),
        base_url: base_url(entry),
        model: entry.owned("model"),
        key: key(entry),
        command: if provider == Some(LlmProvider::Command) {
            command_line(entry, "command").unwrap_or_default()
        } else {
            entry.texts("command").unwrap_or_default()
        },
        max_tokens: entry.natural("max_tokens"),
        temperature: temperature(entry),
        daily_tokens: entry.natural("daily_tokens").map(u64::from),
        timeout: entry.duration("timeout", Duration::from_secs(1)),
        retries: entry.natural("retries"),
    };
    if found.model.is_none() && provider.is_some_and(|it| it != LlmProvider::Command) {
        entry.fail("missing `model`", None);
    }
    provider.map(|_| found)
}

fn provider(entry: &mut EntryReader) -> Option<LlmProvider> {
    let field = entry.field("provider");
    match entry.required("provider")? {
        "openai" => Some(LlmProvider::OpenAi),
        "anthropic" => Some(LlmProvider::Anthropic),
        "command" => Some(LlmProvider::Command),
        other => {
            let message = format!("unknown provider `{other}`");
            let hint = format!("one of {}", PROVIDERS.join(", "));
            entry.fail_with(field?, message, Some(hint));
            None
        }
    }
}

/// Reads the base URL. It must not contain a password: a secret does not belong in a file.
pub(super) fn base_url(entry: &mut EntryReader) -> Option<String> {
    let url = entry.owned("base_url")?;
    let field = entry.field("base_url")?;
    let Some((scheme, rest)) = url.split_once("://") else {
        entry.fail_at(field, "is not a URL such as `http://localhost:11434/v1`");
        return None;
    };
    if !matches!(scheme, "http" | "https") {
        entry.fail_at(field, "must begin with `http://` or `https://`");
    }
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.contains('@') {
        let hint = "set `api_key_env` or `api_key_command` instead";
        entry.fail_with(field, "must not contain a password", Some(hint.to_owned()));
    }
    Some(url)
}

pub(super) fn key(entry: &mut EntryReader) -> Option<KeySource> {
    let (by_env, by_command) = (entry.owned("api_key_env"), entry.has("api_key_command"));
    let command = by_command
        .then(|| command_line(entry, "api_key_command"))
        .flatten();
    match (by_env, command) {
        (Some(_), Some(_)) => {
            entry.fail("has both `api_key_env` and `api_key_command`", None);
            None
        }
        (Some(name), None) => {
            if !is_variable(&name)
                && let Some(field) = entry.field("api_key_env")
            {
                // The value may be a secret pasted by mistake, so the message does not repeat it.
                let hint = "write the name of the variable, not its value";
                entry.fail_with(field, "is not a variable name", Some(hint.to_owned()));
            }
            Some(KeySource::Env(name))
        }
        (None, command) => command.map(KeySource::Command),
    }
}

fn temperature(entry: &mut EntryReader) -> Option<f64> {
    let field = entry.field("temperature")?;
    let found = match &field.node.tree {
        ConfigValue::Number(number) => number.as_f64(),
        _ => None,
    };
    let found = found.filter(|number| (0.0..=2.0).contains(number));
    if found.is_none() {
        entry.fail_at(field, "must be a number from 0 to 2");
    }
    found
}

fn http(entry: &mut EntryReader) -> HttpPolicy {
    HttpPolicy {
        allow_private: entry.flag("allow_private").unwrap_or(false),
        allow_hosts: entry.texts("allow_hosts").unwrap_or_default(),
        deny_hosts: entry.texts("deny_hosts").unwrap_or_default(),
        proxy: entry.flag("proxy").unwrap_or(false),
        ca_file: entry.owned("ca_file"),
        broken: false,
    }
}

fn server(entry: &mut EntryReader) -> Option<McpServer> {
    let command = command_line(entry, "command");
    let env = entry.env("env");
    Some(McpServer {
        command: command?,
        env,
    })
}

/// A program and its arguments; required.
fn command_line(entry: &mut EntryReader, key: &str) -> Option<Vec<String>> {
    let Some(field) = entry.field(key) else {
        entry.fail(format!("missing `{key}`"), None);
        return None;
    };
    let words = entry.texts(key)?;
    if words.first().is_none_or(String::is_empty) {
        entry.fail_at(field, "must name a program");
        return None;
    }
    Some(words)
}

/// Stricter than the operating system, so that an API key pasted here by mistake is detected and never printed.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
