//! The tables that say whom hooks may ask: `[llm]`, `[http]`, `[agents.NAME]`, `[mcp.NAME]`.
//!
//! They name programs to start, addresses to reach and where keys come from, so only a person's own file may
//! have them. In any other file they are told about and have no effect.

use std::time::Duration;

use becket_model::Level;

use super::File;
use super::keys::{self, AGENT, HTTP, Key, LLM, MCP, PROVIDERS};
use super::reader::{Entry, Place, Reader};
use super::tree::{self, Field, Node, Tree};

/// Whom hooks may ask, as far as the person's own file says so.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thinking {
    /// The language model of prompt hooks.
    pub llm: Option<Llm>,
    /// Where http hooks may post to.
    pub http: HttpPolicy,
    /// Command lines of agents by name, in the order of the file.
    pub agents: Vec<(String, Vec<String>)>,
    /// MCP servers by name, in the order of the file.
    pub mcp: Vec<(String, McpServer)>,
}

/// A language model and how it is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Llm {
    /// Which protocol.
    pub provider: Provider,
    /// Where; `None` is the provider's own address.
    pub base_url: Option<String>,
    /// The model's name, unless a command answers.
    pub model: Option<String>,
    /// Where its key comes from. Never the key itself.
    pub key: Option<KeySource>,
    /// The program of [`Provider::Command`] and its arguments.
    pub command: Vec<String>,
    /// How long an answer may be.
    pub max_tokens: Option<u32>,
    /// How adventurous it may be; `None` leaves it to the model.
    pub temperature: Option<f64>,
    /// How many tokens a day may be spent.
    pub daily_tokens: Option<u64>,
    /// How long one question may take, retries included.
    pub timeout: Option<Duration>,
    /// How often a question is put again when the provider is busy.
    pub retries: Option<u32>,
}

/// How to talk to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions as OpenAI has them, and many others after it.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// A program: the prompt on its stdin, the answer on its stdout.
    Command,
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable of this name.
    Env(String),
    /// The first line that this program prints.
    Command(Vec<String>),
}

/// Where http hooks may post to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpPolicy {
    /// Whether loopback and private networks may be reached.
    pub allow_private: bool,
    /// If there are any, the only hosts that may be reached: `host`, `*.domain`, with `:port` or without.
    pub allow_hosts: Vec<String>,
    /// Hosts that may not be reached.
    pub deny_hosts: Vec<String>,
    /// Whether the proxy variables of the environment count.
    pub proxy: bool,
    /// Certificates to trust instead of the public ones, in PEM.
    pub ca_file: Option<String>,
    /// The table cannot be understood: nothing may be reached until it can.
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

/// Reads those tables of the person's `config.toml`. Problems come with [`becket`](super::becket).
pub fn becket_thinking(file: &File) -> Thinking {
    match tree::toml(file.text) {
        Ok(node) => read(&mut Reader::new(file), &node, &Place::root(1)),
        Err(_) if file.level == Level::User => Thinking {
            // What the unreadable file forbids is not known.
            http: HttpPolicy {
                broken: true,
                ..HttpPolicy::default()
            },
            ..Thinking::default()
        },
        Err(_) => Thinking::default(),
    }
}

pub(super) fn read(reader: &mut Reader, node: &Node, at: &Place) -> Thinking {
    let mut found = Thinking::default();
    for name in ["llm", "http", "agents", "mcp"] {
        let Some(field) = node.get(name) else {
            continue;
        };
        if reader.file.level != Level::User {
            let message = "only your own configuration can have this table; it has no effect";
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
                found.agents = tables(reader, field, at, AGENT, |entry| line(entry, "command"));
            }
            _ => found.mcp = tables(reader, field, at, MCP, server),
        }
    }
    found
}

/// One table; `None` if anything in it is wrong.
pub(super) fn table<T>(
    reader: &mut Reader,
    field: &Field,
    at: &Place,
    known: &'static [Key],
    read: impl FnOnce(&mut Entry) -> Option<T>,
) -> Option<T> {
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.what());
        reader.error(&at, message, None);
        return None;
    };
    let mut entry = Entry::new(reader, &at, fields);
    entry.check_keys(&keys::names(known));
    let found = read(&mut entry);
    found.filter(|_| entry.fault.is_none())
}

/// A table of tables by name, without those that are wrong.
fn tables<T>(
    reader: &mut Reader,
    field: &Field,
    at: &Place,
    known: &'static [Key],
    read: impl Fn(&mut Entry) -> Option<T>,
) -> Vec<(String, T)> {
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected tables, found {}", field.node.what());
        reader.error(&at, message, None);
        return Vec::new();
    };
    let named: Vec<&Field> = reader.fields(fields, &at).collect();
    named
        .into_iter()
        .filter_map(|field| {
            let found = table(reader, field, &at, known, &read)?;
            Some((field.key.as_ref().to_owned(), found))
        })
        .collect()
}

pub(super) fn llm(entry: &mut Entry) -> Option<Llm> {
    let provider = provider(entry);
    let found = Llm {
        provider: provider.unwrap_or(Provider::OpenAi),
        base_url: base_url(entry),
        model: entry.owned("model"),
        key: key(entry),
        command: if provider == Some(Provider::Command) {
            line(entry, "command").unwrap_or_default()
        } else {
            entry.texts("command").unwrap_or_default()
        },
        max_tokens: entry.natural("max_tokens"),
        temperature: temperature(entry),
        daily_tokens: entry.natural("daily_tokens").map(u64::from),
        timeout: entry.duration("timeout", Duration::from_secs(1)),
        retries: entry.natural("retries"),
    };
    if found.model.is_none() && provider.is_some_and(|it| it != Provider::Command) {
        entry.fail("missing `model`", None);
    }
    provider.map(|_| found)
}

fn provider(entry: &mut Entry) -> Option<Provider> {
    let field = entry.field("provider");
    match entry.required("provider")? {
        "openai" => Some(Provider::OpenAi),
        "anthropic" => Some(Provider::Anthropic),
        "command" => Some(Provider::Command),
        other => {
            let message = format!("unknown provider `{other}`");
            let hint = format!("one of {}", PROVIDERS.join(", "));
            entry.fail_with(field?, message, Some(hint));
            None
        }
    }
}

/// The key itself has no place in a file, wherever in the table somebody might put it.
pub(super) fn base_url(entry: &mut Entry) -> Option<String> {
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
        let hint = "name its source with `api_key_env` or `api_key_command`";
        entry.fail_with(field, "must not hold a password", Some(hint.to_owned()));
    }
    Some(url)
}

pub(super) fn key(entry: &mut Entry) -> Option<KeySource> {
    let (by_env, by_command) = (entry.owned("api_key_env"), entry.has("api_key_command"));
    let command = by_command.then(|| line(entry, "api_key_command")).flatten();
    match (by_env, command) {
        (Some(_), Some(_)) => {
            entry.fail("has both `api_key_env` and `api_key_command`", None);
            None
        }
        (Some(name), None) => {
            if !is_variable(&name)
                && let Some(field) = entry.field("api_key_env")
            {
                // A key put here by mistake must not be repeated.
                let hint = "write the name of the variable, not its value";
                entry.fail_with(
                    field,
                    "is not the name of a variable",
                    Some(hint.to_owned()),
                );
            }
            Some(KeySource::Env(name))
        }
        (None, command) => command.map(KeySource::Command),
    }
}

fn temperature(entry: &mut Entry) -> Option<f64> {
    let field = entry.field("temperature")?;
    let found = match &field.node.tree {
        Tree::Number(number) => number.as_f64(),
        _ => None,
    };
    let found = found.filter(|number| (0.0..=2.0).contains(number));
    if found.is_none() {
        entry.fail_at(field, "is not a number from 0 to 2");
    }
    found
}

fn http(entry: &mut Entry) -> HttpPolicy {
    HttpPolicy {
        allow_private: entry.flag("allow_private").unwrap_or(false),
        allow_hosts: entry.texts("allow_hosts").unwrap_or_default(),
        deny_hosts: entry.texts("deny_hosts").unwrap_or_default(),
        proxy: entry.flag("proxy").unwrap_or(false),
        ca_file: entry.owned("ca_file"),
        broken: false,
    }
}

fn server(entry: &mut Entry) -> Option<McpServer> {
    let command = line(entry, "command");
    let env = entry.env("env");
    Some(McpServer {
        command: command?,
        env,
    })
}

/// A program and its arguments, which must be there.
fn line(entry: &mut Entry, key: &str) -> Option<Vec<String>> {
    let Some(field) = entry.field(key) else {
        entry.fail(format!("missing `{key}`"), None);
        return None;
    };
    let words = entry.texts(key)?;
    if words.first().is_none_or(String::is_empty) {
        entry.fail_at(field, "names no program");
        return None;
    }
    Some(words)
}

/// Narrower than what systems take, so that a key written here by mistake is noticed and never shown.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
