//! What an agent did, in few words.

use becket_model::{Event, EventData, ToolCall};
use serde_json::{Value, json};

use super::files::{self, Change, FileTouched};
use super::mark::turn;
use super::{Observed, hash, json_text};
use crate::injected::strip_injected;
use crate::sanitise::{self, SUMMARY_CHARS, chars, cut};
use crate::words::Words;

/// How much of a thought or an answer is kept as an activity.
const THOUGHT_CHARS: usize = 4_000;

/// A shorter thought tells nothing.
const SHORTEST_THOUGHT: usize = 10;

/// A row of the activities.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Activity {
    pub(crate) kind: &'static str,
    pub(crate) tool: String,
    pub(crate) native_tool: Option<String>,
    pub(crate) input: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) output_chars: usize,
    pub(crate) success: bool,
    pub(crate) error: Option<String>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) files: Vec<FileTouched>,
    /// What it is found by.
    pub(crate) words: Words,
}

impl Activity {
    fn new(kind: &'static str, tool: &str) -> Self {
        Self {
            kind,
            tool: tool.to_owned(),
            native_tool: None,
            input: None,
            output: None,
            output_chars: 0,
            success: true,
            error: None,
            duration_ms: None,
            files: Vec::new(),
            words: Words::default(),
        }
    }

    fn of_call(call: &ToolCall, response: &Value, project: Option<&str>) -> Self {
        Self {
            native_tool: (call.native_name != call.name).then(|| call.native_name.clone()),
            input: (!call.input.is_null()).then(|| json_text(&sanitise::input(&call.input))),
            files: files::of_call(call, response, project),
            ..Self::new("tool", &call.name)
        }
    }

    /// With the words of all that it says.
    fn listed(mut self) -> Self {
        let texts = [
            Some(self.tool.as_str()),
            self.native_tool.as_deref(),
            self.error.as_deref(),
            self.input.as_deref(),
            self.output.as_deref(),
        ];
        let files = self.files.iter().map(|file| file.path.as_str());
        self.words = Words::of(texts.into_iter().flatten().chain(files));
        self
    }

    fn with_input(mut self, input: &Value) -> Self {
        self.input = Some(json_text(&sanitise::input(input)));
        self
    }

    fn with_output(mut self, text: &str, most: usize) -> Self {
        let text = strip_injected(text);
        if !text.trim().is_empty() {
            self.output = Some(cut(&text, most).to_owned());
            self.output_chars = chars(&text);
        }
        self
    }
}

impl Observed {
    pub(super) fn read_activity(&mut self, event: &Event) {
        self.activity = self.activity_of(&event.data).map(Activity::listed);
        // What telemetry says of a call is never what hooks say of it: see the `channels` module.
        if !self.is_telemetry() {
            self.action = action(event);
        }
        match &event.data {
            EventData::SubagentStart { id, .. } | EventData::SubagentStop { id, .. }
                if !id.is_empty() =>
            {
                self.subagent = Some(id.clone());
            }
            _ => {}
        }
    }

    fn activity_of(&self, data: &EventData) -> Option<Activity> {
        let project = self.project.as_deref();
        Some(match data {
            EventData::PostToolUse {
                call,
                response,
                duration_ms,
            } => {
                let (summary, all) = sanitise::output(&call.name, response);
                Activity {
                    output: (!summary.is_empty()).then_some(summary),
                    output_chars: all,
                    // A warning is worth keeping and makes no failure.
                    error: stderr(response),
                    duration_ms: *duration_ms,
                    ..Activity::of_call(call, response, project)
                }
            }
            EventData::PostToolUseFailure {
                call,
                error,
                duration_ms,
                ..
            } => Activity {
                success: false,
                error: Some(own_words(error)),
                duration_ms: *duration_ms,
                ..Activity::of_call(call, &Value::Null, project)
            },
            EventData::SubagentStart {
                kind, description, ..
            } => Activity::new("subagent_start", "SubagentStart")
                .with_input(&json!({ "agent_type": kind, "description": description })),
            EventData::SubagentStop {
                kind,
                success,
                error,
                last_message,
                ..
            } => {
                let said = last_message.as_deref().unwrap_or_default();
                let mut stop = Activity::new("subagent_stop", "SubagentStop")
                    .with_input(&json!({ "agent_type": kind }))
                    .with_output(said, THOUGHT_CHARS);
                stop.success = *success;
                stop.error = error.as_deref().map(own_words);
                stop
            }
            EventData::PreCompact { trigger, .. } => Activity::new("compact", "ContextCompact")
                .with_input(&json!({ "trigger": trigger })),
            EventData::AgentThought { text } if chars(text.trim()) >= SHORTEST_THOUGHT => {
                Activity::new("thought", "agent_thought").with_output(text, THOUGHT_CHARS)
            }
            EventData::AgentResponse { text } if !text.trim().is_empty() => {
                Activity::new("response", "agent_response").with_output(text, THOUGHT_CHARS)
            }
            EventData::FileModified { path, change } if !path.is_empty() => Activity {
                files: vec![FileTouched {
                    path: files::within(path, project),
                    change: Change::parse(change.as_deref()),
                }],
                ..Activity::new("file", "FileModified")
            },
            _ => return None,
        })
    }
}

fn stderr(response: &Value) -> Option<String> {
    let text = own_words(response.get("stderr")?.as_str()?);
    (!text.trim().is_empty()).then_some(text)
}

/// The beginning of what a tool or an agent said of its own.
fn own_words(text: &str) -> String {
    cut(&strip_injected(text), SUMMARY_CHARS).to_owned()
}

/// What proves that two reports are of one action: the agent's id for it, and that they say the
/// same. An id alone proves nothing, because some agents count anew in each turn.
fn action(event: &Event) -> Option<String> {
    let name = event.kind().name().to_owned();
    match &event.data {
        EventData::PostToolUse { call, .. } | EventData::PostToolUseFailure { call, .. } => {
            let id = call.id.as_deref().filter(|id| !id.is_empty())?;
            // As the agent wrote it: two reports may be read by two adapters.
            let raw = |key| event.raw.get(key).map(json_text);
            let input = raw("tool_input").unwrap_or_else(|| json_text(&call.input));
            let said = ["tool_response", "tool_output", "error", "error_message"];
            let said = said.map(|key| raw(key).unwrap_or_default());
            let [response, output, error, message] = said.each_ref().map(String::as_str);
            Some(hash(&[
                "post", id, &input, response, output, error, message,
            ]))
        }
        EventData::SubagentStart {
            id, description, ..
        } if !id.is_empty() => Some(hash(&[&name, id, description])),
        EventData::SubagentStop {
            id, last_message, ..
        } if !id.is_empty() => {
            let said = last_message.as_deref().unwrap_or_default();
            Some(hash(&[&name, id, said]))
        }
        EventData::AgentThought { text } | EventData::AgentResponse { text } => {
            Some(hash(&[&name, turn(event)?, text]))
        }
        _ => None,
    }
}
