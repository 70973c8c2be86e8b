//! Maps an agent's log records to events, by a table in a TOML file.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use becket_guard::redact::redact_text;
use serde::Deserialize;
use serde_json::Value;

use super::LogRecord;

/// The mapping for one agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventTable {
    agent: String,
    /// The service names of the agent's processes.
    services: Vec<String>,
    /// The prefix of the agent's event names, for processes with another service name.
    prefix: String,
    /// The attribute with the session id.
    session: String,
    events: BTreeMap<String, EventMapping>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EventMapping {
    action: MappingAction,
    /// Attribute values that the record must have.
    when: BTreeMap<String, String>,
    prompt: Option<String>,
    /// The placeholder of a prompt that the agent does not export.
    redacted: Option<String>,
    length: Option<String>,
    generation: Option<String>,
    tool: Option<String>,
    call: Option<String>,
    input: Option<String>,
    output: Option<String>,
    success: Option<String>,
    error: Option<String>,
    duration: Option<String>,
    decision: Option<String>,
    denied: Vec<String>,
    model: Option<String>,
    tokens_in: Option<String>,
    tokens_out: Option<String>,
    tokens_cached: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MappingAction {
    #[default]
    Ignore,
    SessionStart,
    PromptSubmit,
    ToolDecision,
    ToolResult,
    Usage,
}

/// An event from a log record.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryEvent {
    /// The agent's id.
    pub agent: String,
    /// The session's id.
    pub session: String,
    /// What happened.
    pub action: TelemetryAction,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum TelemetryAction {
    /// A session started.
    SessionStart,
    /// The user submitted a prompt.
    Prompt {
        /// The prompt, if it is exported.
        text: Option<String>,
        /// The length of the prompt.
        chars: Option<u64>,
        /// The turn's id.
        generation: Option<String>,
    },
    /// A tool call was allowed or denied.
    Decision {
        /// The tool call.
        call: TelemetryCall,
        /// Whether it was allowed.
        allowed: bool,
        /// The decision in the agent's vocabulary.
        word: String,
    },
    /// A tool call finished.
    Result {
        /// The tool call.
        call: TelemetryCall,
        /// The output.
        output: Option<String>,
        /// The error, if it failed.
        error: Option<String>,
        /// The duration.
        duration: Option<Duration>,
    },
    /// A model used tokens.
    Usage {
        /// The model.
        model: Option<String>,
        /// Input tokens.
        input: u64,
        /// Output tokens.
        output: u64,
        /// Input tokens read from the cache.
        cached: u64,
    },
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct TelemetryCall {
    /// The agent's name of the tool.
    pub tool: String,
    /// The tool's input.
    pub input: Value,
    /// The call id.
    pub id: Option<String>,
}

static TABLES: LazyLock<Vec<EventTable>> = LazyLock::new(|| {
    [
        include_str!("tables/codex.toml"),
        include_str!("tables/claude.toml"),
        include_str!("tables/gemini.toml"),
    ]
    .iter()
    .map(|text| toml::from_str(text).expect("the embedded tables are valid"))
    .collect()
});

/// Maps a log record to an event; `None` if the record is not relevant.
pub fn interpret(log: &LogRecord) -> Option<TelemetryEvent> {
    let name = log.name()?;
    let table = TABLES.iter().find(|table| table.is_for(log, name))?;
    let row = table.row(name)?;
    let matches = |(key, value): (&String, &String)| log.text(key) == Some(value);
    if !row.when.iter().all(matches) {
        return None;
    }
    Some(TelemetryEvent {
        agent: table.agent.clone(),
        session: redacted_id(log.text(&table.session)?),
        action: row.read(log)?,
    })
}

impl EventTable {
    fn is_for(&self, log: &LogRecord, name: &str) -> bool {
        let by_service = log
            .text("service.name")
            .is_some_and(|service| self.services.iter().any(|known| known == service));
        by_service || name.starts_with(&self.prefix)
    }

    fn row(&self, name: &str) -> Option<&EventMapping> {
        let bare = name.strip_prefix(&self.prefix).unwrap_or(name);
        self.events.get(name).or_else(|| self.events.get(bare))
    }
}

impl EventMapping {
    fn read(&self, log: &LogRecord) -> Option<TelemetryAction> {
        match self.action {
            MappingAction::Ignore => None,
            MappingAction::SessionStart => Some(TelemetryAction::SessionStart),
            MappingAction::PromptSubmit => Some(self.prompt(log)),
            MappingAction::ToolDecision => self.decision(log),
            MappingAction::ToolResult => self.result(log),
            MappingAction::Usage => self.usage(log),
        }
    }

    fn prompt(&self, log: &LogRecord) -> TelemetryAction {
        let prompt = text(log, self.prompt.as_ref());
        let prompt = prompt.filter(|text| Some(*text) != self.redacted.as_deref());
        let length = self.length.as_ref().and_then(|key| log.number(key));
        TelemetryAction::Prompt {
            text: prompt.map(str::to_owned),
            chars: length.and_then(|length| u64::try_from(length).ok()),
            generation: text(log, self.generation.as_ref()).map(redacted_id),
        }
    }

    fn decision(&self, log: &LogRecord) -> Option<TelemetryAction> {
        let word = text(log, self.decision.as_ref())?.to_owned();
        Some(TelemetryAction::Decision {
            call: self.call(log)?,
            allowed: !self.denied.contains(&word),
            word,
        })
    }

    fn result(&self, log: &LogRecord) -> Option<TelemetryAction> {
        let call = self.call(log)?;
        if let Some(word) = text(log, self.decision.as_ref()).filter(|word| self.denies(word)) {
            let word = word.to_owned();
            return Some(TelemetryAction::Decision {
                call,
                allowed: false,
                word,
            });
        }
        let output = text(log, self.output.as_ref()).map(str::to_owned);
        let failed = self.success.as_ref().and_then(|key| log.flag(key)) == Some(false);
        let error = failed.then(|| {
            let message = text(log, self.error.as_ref()).map(str::to_owned);
            message
                .or_else(|| output.clone())
                .unwrap_or_else(|| "failed".to_owned())
        });
        let milliseconds = self.duration.as_ref().and_then(|key| log.number(key));
        Some(TelemetryAction::Result {
            call,
            output,
            error,
            duration: milliseconds
                .and_then(|ms| u64::try_from(ms).ok())
                .map(Duration::from_millis),
        })
    }

    fn denies(&self, word: &str) -> bool {
        self.denied.iter().any(|denied| denied == word)
    }

    fn usage(&self, log: &LogRecord) -> Option<TelemetryAction> {
        let number = |key: &Option<String>| {
            let number = key.as_ref().and_then(|key| log.number(key));
            number.map(|number| u64::try_from(number).unwrap_or_default())
        };
        let (input, output) = (number(&self.tokens_in), number(&self.tokens_out));
        if input.is_none() && output.is_none() {
            return None;
        }
        Some(TelemetryAction::Usage {
            model: text(log, self.model.as_ref()).map(str::to_owned),
            input: input.unwrap_or_default(),
            output: output.unwrap_or_default(),
            cached: number(&self.tokens_cached).unwrap_or_default(),
        })
    }

    fn call(&self, log: &LogRecord) -> Option<TelemetryCall> {
        let input = self.input.as_ref().and_then(|key| log.attributes.get(key));
        Some(TelemetryCall {
            tool: text(log, self.tool.as_ref())?.to_owned(),
            // Most agents export the input as JSON text.
            input: match input {
                Some(Value::String(text)) => {
                    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
                }
                Some(other) => other.clone(),
                None => Value::Null,
            },
            id: text(log, self.call.as_ref()).map(redacted_id),
        })
    }
}

/// Redacts an id in the same way as the stored ids that it is compared with.
fn redacted_id(text: &str) -> String {
    redact_text(text).into_owned()
}

fn text<'l>(log: &'l LogRecord, key: Option<&String>) -> Option<&'l str> {
    log.text(key?)
}
