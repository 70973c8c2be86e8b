//! Scripts what the fake model answers, step by step.
//!
//! A [`Scenario`] is a list of [`Step`]s, one per model answer, and may have further lists for conversations that open
//! differently (subagents). Build it in code or load it from a JSON file (format: [`mod@file`]). It knows no wire protocol
//! and no client's tool names: [`crate::tools`] maps the [`GenericTool`]s. Start at [`Scenario::new`].
//!
//! `${WORK}` in any string stands for the scratch repository.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub mod file;

pub use file::ScenarioError;

/// All answers of the model in one test.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub(crate) steps: Vec<Step>,
    pub(crate) conversations: Vec<(When, Vec<Step>)>,
    pub(crate) after: String,
    pub(crate) side: SideReply,
}

/// How to answer requests that offer no tools. Clients send them at any time, for titles, summaries and the like.
#[derive(Debug, Clone)]
pub(crate) enum SideReply {
    /// With `text`, or with `json` if the client asked for JSON. This uses up no step.
    Harmless { text: String, json: Value },
    /// Like any other request.
    Scripted,
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Text only: the end of the turn.
    Say(String),
    /// Tool calls in one answer.
    Call {
        /// Text before the calls; may be empty.
        lead_in: String,
        /// At least one call.
        calls: Vec<ScriptedCall>,
    },
    /// An API error instead of an answer. A retry gets it again.
    Fail(ApiError),
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedCall {
    /// A tool that most clients have, by its generic name.
    Generic {
        /// The tool.
        tool: GenericTool,
        /// Arguments by generic name.
        args: Map<String, Value>,
    },
    /// A tool by the client's own name, with the client's input format.
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
pub enum GenericTool {
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
    /// The API's error type, such as `overloaded_error`.
    pub kind: String,
    /// The message for people.
    pub message: String,
}

/// Selects conversations by the user's text before the model's first answer. Later text has no influence, so a
/// conversation never changes its list of steps.
#[derive(Debug, Clone)]
pub struct When(OpeningTest);

#[derive(Debug, Clone)]
enum OpeningTest {
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
            side: SideReply::Harmless {
                text: "ok".to_owned(),
                json: json!({ "title": "A title" }),
            },
        }
    }

    /// Reads a scenario file.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        file::load(path)
    }

    /// Adds steps for the conversations that `when` matches. The first match counts; without a match, the steps of
    /// [`Scenario::new`] apply.
    #[must_use]
    pub fn conversation(mut self, when: When, steps: impl IntoIterator<Item = Step>) -> Self {
        self.conversations.push((when, steps.into_iter().collect()));
        self
    }

    /// Sets the model's answer after the last step.
    #[must_use]
    pub fn after(mut self, text: impl Into<String>) -> Self {
        self.after = text.into();
        self
    }

    /// Also plays steps to requests without tools, for scenarios about compaction.
    #[must_use]
    pub fn script_side_requests(mut self) -> Self {
        self.side = SideReply::Scripted;
        self
    }
}

impl Step {
    /// Text only: the end of the turn.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }

    /// Several calls in one answer; a client may run them in parallel.
    pub fn calls(calls: impl IntoIterator<Item = ScriptedCall>) -> Self {
        Self::Call {
            lead_in: String::new(),
            calls: calls.into_iter().collect(),
        }
    }

    /// One call of a tool by the client's own name.
    pub fn native(name: impl Into<String>, input: Value) -> Self {
        ScriptedCall::native(name, input).into()
    }

    /// One shell command.
    pub fn shell(command: &str) -> Self {
        ScriptedCall::shell(command).into()
    }

    /// One file written completely.
    pub fn write(path: &str, content: &str) -> Self {
        ScriptedCall::write(path, content).into()
    }

    /// One replacement in a file.
    pub fn edit(path: &str, old: &str, new: &str) -> Self {
        ScriptedCall::edit(path, old, new).into()
    }

    /// One file read.
    pub fn read(path: &str) -> Self {
        ScriptedCall::read(path).into()
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

impl From<ScriptedCall> for Step {
    fn from(call: ScriptedCall) -> Self {
        Self::calls([call])
    }
}

impl ScriptedCall {
    /// A tool by the client's own name.
    pub fn native(name: impl Into<String>, input: Value) -> Self {
        let name = name.into();
        Self::Native { name, input }
    }

    /// A shell command.
    pub fn shell(command: &str) -> Self {
        Self::generic(GenericTool::Shell, &[("command", command)])
    }

    /// A file written completely.
    pub fn write(path: &str, content: &str) -> Self {
        Self::generic(GenericTool::Write, &[("path", path), ("content", content)])
    }

    /// A replacement in a file.
    pub fn edit(path: &str, old: &str, new: &str) -> Self {
        Self::generic(
            GenericTool::Edit,
            &[("path", path), ("old", old), ("new", new)],
        )
    }

    /// A file read.
    pub fn read(path: &str) -> Self {
        Self::generic(GenericTool::Read, &[("path", path)])
    }

    fn generic(tool: GenericTool, args: &[(&str, &str)]) -> Self {
        let args = args
            .iter()
            .map(|&(name, value)| (name.to_owned(), Value::from(value)))
            .collect();
        Self::Generic { tool, args }
    }
}

impl When {
    /// Conversations whose first user text contains `text`.
    pub fn contains(text: impl Into<String>) -> Self {
        Self(OpeningTest::Contains(text.into()))
    }

    /// Conversations whose first user text matches `pattern`; `.` also matches a newline.
    pub fn matches(pattern: &str) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(pattern)
            .dot_matches_new_line(true)
            .build()?;
        Ok(Self(OpeningTest::Matches(regex)))
    }

    pub(crate) fn fits(&self, first_user_text: &str) -> bool {
        match &self.0 {
            OpeningTest::Contains(text) => first_user_text.contains(text.as_str()),
            OpeningTest::Matches(regex) => regex.is_match(first_user_text),
        }
    }
}
