//! What the fake model says, step by step.
//!
//! A [`Scenario`] is a list of [`Step`]s, one for each answer of the model, and may hold further
//! lists for conversations that open differently (subagents). It is built in code or read from a
//! JSON file (the format is in [`mod@file`]). It knows no wire protocol and no client's tool names:
//! the generic tools of [`Tool`] are mapped by [`crate::tools`]. Start at [`Scenario::new`].
//!
//! `${WORK}` in any string stands for the scratch repository.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub mod file;

pub use file::ScenarioError;

/// Everything the model will say in one test.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub(crate) steps: Vec<Step>,
    pub(crate) conversations: Vec<(When, Vec<Step>)>,
    pub(crate) after: String,
    pub(crate) side: Side,
}

/// How requests that offer the model no tools are answered. Clients send them for titles,
/// summaries and the like, at times of their own choosing.
#[derive(Debug, Clone)]
pub(crate) enum Side {
    /// With `text`, or with `json` where the client asked for JSON; no step is used up.
    Harmless { text: String, json: Value },
    /// As any other request.
    Scripted,
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Text only: the end of the turn.
    Say(String),
    /// Tool calls, all in one answer.
    Call {
        /// Text before the calls; empty for none.
        lead_in: String,
        /// The calls, at least one.
        calls: Vec<Call>,
    },
    /// An error of the API instead of an answer. A client that tries again gets it again.
    Fail(ApiError),
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A tool that most clients have, by its generic name.
    Generic {
        /// Which one.
        tool: Tool,
        /// Its arguments, by their generic names.
        args: Map<String, Value>,
    },
    /// A tool by the client's own name, with the input as the client wants it.
    Native {
        /// The client's name.
        name: String,
        /// The client's input; a string for a free-form tool, such as Codex's `apply_patch`.
        input: Value,
    },
}

/// The generic tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// Arguments: `command`.
    Shell,
    /// Arguments: `path`, `content`.
    Write,
    /// Arguments: `path`, `old`, `new`. Some clients replace whole lines only.
    Edit,
    /// Arguments: `path`.
    Read,
}

/// A scripted error of the model's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The API's word for the kind of error, such as `overloaded_error`.
    pub kind: String,
    /// The text for people.
    pub message: String,
}

/// Which conversations a list of steps is for, judged by the user's text before the model first
/// answered. What is said later changes nothing, so a conversation never changes its list.
#[derive(Debug, Clone)]
pub struct When(Test);

#[derive(Debug, Clone)]
enum Test {
    Contains(String),
    Matches(Regex),
}

impl Scenario {
    /// A scenario whose every conversation follows `steps`.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            conversations: Vec::new(),
            after: "Nothing more to do.".to_owned(),
            side: Side::Harmless {
                text: "ok".to_owned(),
                json: json!({ "title": "A title" }),
            },
        }
    }

    /// Reads a scenario file.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        file::load(path)
    }

    /// Adds the steps of the conversations that `when` describes. The first addition that fits is
    /// taken, the steps given to [`Scenario::new`] where none does.
    #[must_use]
    pub fn conversation(mut self, when: When, steps: impl IntoIterator<Item = Step>) -> Self {
        self.conversations.push((when, steps.into_iter().collect()));
        self
    }

    /// What the model says once its steps are used up.
    #[must_use]
    pub fn after(mut self, text: impl Into<String>) -> Self {
        self.after = text.into();
        self
    }

    /// Plays steps to requests without tools, too; for scenarios about compaction.
    #[must_use]
    pub fn script_side_requests(mut self) -> Self {
        self.side = Side::Scripted;
        self
    }
}

impl Step {
    /// Text only: the end of the turn.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    /// Several calls in one answer, which a client may run in parallel.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self::Call {
            lead_in: String::new(),
            calls: calls.into_iter().collect(),
        }
    }

    /// One call of a tool by the client's own name.
    pub fn native(name: impl Into<String>, input: Value) -> Self {
        Call::native(name, input).into()
    }

    /// One shell command.
    pub fn shell(command: &str) -> Self {
        Call::shell(command).into()
    }

    /// One file written whole.
    pub fn write(path: &str, content: &str) -> Self {
        Call::write(path, content).into()
    }

    /// One replacement in a file.
    pub fn edit(path: &str, old: &str, new: &str) -> Self {
        Call::edit(path, old, new).into()
    }

    /// One file read.
    pub fn read(path: &str) -> Self {
        Call::read(path).into()
    }

    /// An error of the API instead of an answer.
    pub fn fail(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Fail(ApiError {
            status,
            kind: kind.into(),
            message: message.into(),
        })
    }
}

impl From<Call> for Step {
    fn from(call: Call) -> Self {
        Self::calls([call])
    }
}

impl Call {
    /// A tool by the client's own name.
    pub fn native(name: impl Into<String>, input: Value) -> Self {
        let name = name.into();
        Self::Native { name, input }
    }

    /// A shell command.
    pub fn shell(command: &str) -> Self {
        Self::generic(Tool::Shell, &[("command", command)])
    }

    /// A file written whole.
    pub fn write(path: &str, content: &str) -> Self {
        Self::generic(Tool::Write, &[("path", path), ("content", content)])
    }

    /// A replacement in a file.
    pub fn edit(path: &str, old: &str, new: &str) -> Self {
        Self::generic(Tool::Edit, &[("path", path), ("old", old), ("new", new)])
    }

    /// A file read.
    pub fn read(path: &str) -> Self {
        Self::generic(Tool::Read, &[("path", path)])
    }

    fn generic(tool: Tool, args: &[(&str, &str)]) -> Self {
        let args = args
            .iter()
            .map(|&(name, value)| (name.to_owned(), Value::from(value)))
            .collect();
        Self::Generic { tool, args }
    }
}

impl When {
    /// Conversations whose first user text holds `text`.
    pub fn contains(text: impl Into<String>) -> Self {
        Self(Test::Contains(text.into()))
    }

    /// Conversations whose first user text matches `pattern`, in which `.` matches a newline too.
    pub fn matches(pattern: &str) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(pattern)
            .dot_matches_new_line(true)
            .build()?;
        Ok(Self(Test::Matches(regex)))
    }

    pub(crate) fn fits(&self, first_user_text: &str) -> bool {
        match &self.0 {
            Test::Contains(text) => first_user_text.contains(text.as_str()),
            Test::Matches(regex) => regex.is_match(first_user_text),
        }
    }
}
