//! What an agent's log records mean, from a table in a file.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use becket_guard::redact::redact_text;
use serde::Deserialize;
use serde_json::Value;

use super::Log;

/// One agent's table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    agent: String,
    /// The names its processes go by.
    services: Vec<String>,
    /// What the names of its events start with, wherever the process gives another name.
    prefix: String,
    /// The attribute that holds the session's id.
    session: String,
    events: BTreeMap<String, Row>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Row {
    action: Action,
    /// Attributes that must have these values.
    when: BTreeMap<String, String>,
    prompt: Option<String>,
    /// What stands in place of a prompt that is not told.
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
enum Action {
    #[default]
    Ignore,
    SessionStart,
    PromptSubmit,
    ToolDecision,
    ToolResult,
    Usage,
}

/// A log record that means something.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Who tells it.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A session began.
    SessionStart,
    /// A person said something.
    Prompt {
        /// What, if that is told.
        text: Option<String>,
        /// How long it is.
        chars: Option<u64>,
        /// The id of the turn.
        generation: Option<String>,
    },
    /// A call was let through or not.
    Decision {
        /// Which call.
        call: Call,
        /// Whether it may run.
        allowed: bool,
        /// In the agent's words.
        word: String,
    },
    /// A call came back.
    Result {
        /// Which call.
        call: Call,
        /// What came back.
        output: Option<String>,
        /// What went wrong; set if it failed.
        error: Option<String>,
        /// How long it took.
        duration: Option<Duration>,
    },
    /// Tokens were spent.
    Usage {
        /// The model.
        model: Option<String>,
        /// Read by it.
        input: u64,
        /// Written by it.
        output: u64,
        /// Read, but known before.
        cached: u64,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool, in the agent's words.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// The agent's id for it.
    pub id: Option<String>,
}

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    [
        include_str!("tables/codex.toml"),
        include_str!("tables/claude.toml"),
        include_str!("tables/gemini.toml"),
    ]
    .iter()
    .map(|text| toml::from_str(text).expect("the tables are tested"))
    .collect()
});

/// What a log record means; `None` for what nobody here wants to know.
pub fn meaning(log: &Log) -> Option<Told> {
    let name = log.name()?;
    let table = TABLES.iter().find(|table| table.is_for(log, name))?;
    let row = table.row(name)?;
    let holds = |(key, value): (&String, &String)| log.text(key) == Some(value);
    if !row.when.iter().all(holds) {
        return None;
    }
    Some(Told {
        agent: table.agent.clone(),
        session: id(log.text(&table.session)?),
        what: row.read(log)?,
    })
}

impl Table {
    fn is_for(&self, log: &Log, name: &str) -> bool {
        let by_service = log
            .text("service.name")
            .is_some_and(|service| self.services.iter().any(|known| known == service));
        by_service || name.starts_with(&self.prefix)
    }

    fn row(&self, name: &str) -> Option<&Row> {
        let bare = name.strip_prefix(&self.prefix).unwrap_or(name);
        self.events.get(name).or_else(|| self.events.get(bare))
    }
}

impl Row {
    fn read(&self, log: &Log) -> Option<What> {
        match self.action {
            Action::Ignore => None,
            Action::SessionStart => Some(What::SessionStart),
            Action::PromptSubmit => Some(self.prompt(log)),
            Action::ToolDecision => self.decided(log),
            Action::ToolResult => self.result(log),
            Action::Usage => self.usage(log),
        }
    }

    fn prompt(&self, log: &Log) -> What {
        let told = text(log, self.prompt.as_ref());
        let told = told.filter(|text| Some(*text) != self.redacted.as_deref());
        let length = self.length.as_ref().and_then(|key| log.number(key));
        What::Prompt {
            text: told.map(str::to_owned),
            chars: length.and_then(|length| u64::try_from(length).ok()),
            generation: text(log, self.generation.as_ref()).map(id),
        }
    }

    fn decided(&self, log: &Log) -> Option<What> {
        let word = text(log, self.decision.as_ref())?.to_owned();
        Some(What::Decision {
            call: self.call(log)?,
            allowed: !self.denied.contains(&word),
            word,
        })
    }

    fn result(&self, log: &Log) -> Option<What> {
        let call = self.call(log)?;
        if let Some(word) = text(log, self.decision.as_ref()).filter(|word| self.denies(word)) {
            let word = word.to_owned();
            return Some(What::Decision {
                call,
                allowed: false,
                word,
            });
        }
        let output = text(log, self.output.as_ref()).map(str::to_owned);
        let failed = self.success.as_ref().and_then(|key| log.flag(key)) == Some(false);
        let error = failed.then(|| {
            let said = text(log, self.error.as_ref()).map(str::to_owned);
            said.or_else(|| output.clone())
                .unwrap_or_else(|| "failed".to_owned())
        });
        let milliseconds = self.duration.as_ref().and_then(|key| log.number(key));
        Some(What::Result {
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

    fn usage(&self, log: &Log) -> Option<What> {
        let number = |key: &Option<String>| {
            let told = key.as_ref().and_then(|key| log.number(key));
            told.map(|number| u64::try_from(number).unwrap_or_default())
        };
        let (input, output) = (number(&self.tokens_in), number(&self.tokens_out));
        if input.is_none() && output.is_none() {
            return None;
        }
        Some(What::Usage {
            model: text(log, self.model.as_ref()).map(str::to_owned),
            input: input.unwrap_or_default(),
            output: output.unwrap_or_default(),
            cached: number(&self.tokens_cached).unwrap_or_default(),
        })
    }

    fn call(&self, log: &Log) -> Option<Call> {
        let input = self.input.as_ref().and_then(|key| log.attributes.get(key));
        Some(Call {
            tool: text(log, self.tool.as_ref())?.to_owned(),
            // Most agents write the input as the text of an object.
            input: match input {
                Some(Value::String(text)) => {
                    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
                }
                Some(other) => other.clone(),
                None => Value::Null,
            },
            id: text(log, self.call.as_ref()).map(id),
        })
    }
}

/// What is looked up by an id was stored without secrets.
fn id(text: &str) -> String {
    redact_text(text).into_owned()
}

fn text<'l>(log: &'l Log, key: Option<&String>) -> Option<&'l str> {
    log.text(key?)
}
