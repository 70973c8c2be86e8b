//! The activity of an event: what the agent did, condensed.

use becket_base::text::prefix_chars;
use becket_model::{Event, EventData, ToolCall};
use serde_json::{Value, json};

use super::files::{self, FileChange, FileTouched};
use super::turn_effect::turn_id;
use super::{ParsedEvent, hash, json_text};
use crate::condense::{self, SUMMARY_CHARS, char_count};
use crate::injected_context::strip_injected;
use crate::tokenize::IndexTokens;

/// The longest thought or answer that an activity stores, in characters.
const THOUGHT_CHARS: usize = 4_000;

/// Shorter thoughts are ignored.
const MIN_THOUGHT_CHARS: usize = 10;

/// A row of the `activities` table.
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
    /// The tokens for the search index.
    pub(crate) tokens: IndexTokens,
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
            tokens: IndexTokens::default(),
        }
    }

    fn of_call(call: &ToolCall, response: &Value, project: Option<&str>) -> Self {
        Self {
            native_tool: (call.native_name != call.name).then(|| call.native_name.clone()),
            input: (!call.input.is_null())
                .then(|| json_text(&condense::condense_input(&call.input))),
            files: files::of_call(call, response, project),
            ..Self::new("tool", &call.name)
        }
    }

    /// Sets the search tokens from all texts of the activity.
    fn with_tokens(mut self) -> Self {
        let texts = [
            Some(self.tool.as_str()),
            self.native_tool.as_deref(),
            self.error.as_deref(),
            self.input.as_deref(),
            self.output.as_deref(),
        ];
        let files = self.files.iter().map(|file| file.path.as_str());
        self.tokens = IndexTokens::of(texts.into_iter().flatten().chain(files));
        self
    }

    fn with_input(mut self, input: &Value) -> Self {
        self.input = Some(json_text(&condense::condense_input(input)));
        self
    }

    fn with_output(mut self, text: &str, most: usize) -> Self {
        let text = strip_injected(text);
        if !text.trim().is_empty() {
            self.output = Some(prefix_chars(&text, most).to_owned());
            self.output_chars = char_count(&text);
        }
        self
    }
}

impl ParsedEvent {
    pub(super) fn set_activity(&mut self, event: &Event) {
        self.activity = self.activity_of(&event.data).map(Activity::with_tokens);
        // A telemetry report never equals a hook's report of the same call; the `dedupe_sources` module matches
        // those.
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
                let (summary, all) = condense::condense_output(&call.name, response);
                Activity {
                    output: (!summary.is_empty()).then_some(summary),
                    output_chars: all,
                    // Output on stderr is stored, but does not make the call a failure.
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
                error: Some(summary_text(error)),
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
                let message = last_message.as_deref().unwrap_or_default();
                let mut stop = Activity::new("subagent_stop", "SubagentStop")
                    .with_input(&json!({ "agent_type": kind }))
                    .with_output(message, THOUGHT_CHARS);
                stop.success = *success;
                stop.error = error.as_deref().map(summary_text);
                stop
            }
            EventData::PreCompact { trigger, .. } => Activity::new("compact", "ContextCompact")
                .with_input(&json!({ "trigger": trigger })),
            EventData::AgentThought { text } if char_count(text.trim()) >= MIN_THOUGHT_CHARS => {
                Activity::new("thought", "agent_thought").with_output(text, THOUGHT_CHARS)
            }
            EventData::AgentResponse { text } if !text.trim().is_empty() => {
                Activity::new("response", "agent_response").with_output(text, THOUGHT_CHARS)
            }
            EventData::FileModified { path, change } if !path.is_empty() => Activity {
                files: vec![FileTouched {
                    path: files::project_relative(path, project),
                    change: FileChange::parse(change.as_deref()),
                }],
                ..Activity::new("file", "FileModified")
            },
            _ => return None,
        })
    }
}

fn stderr(response: &Value) -> Option<String> {
    let text = summary_text(response.get("stderr")?.as_str()?);
    (!text.trim().is_empty()).then_some(text)
}

/// The beginning of a tool's or an agent's text, without injected context.
fn summary_text(text: &str) -> String {
    prefix_chars(&strip_injected(text), SUMMARY_CHARS).to_owned()
}

/// A key that is equal for two reports of one action: the agent's id and the content. The id alone is not enough,
/// because some agents restart their ids in each turn.
fn action(event: &Event) -> Option<String> {
    let name = event.kind().name().to_owned();
    match &event.data {
        EventData::PostToolUse { call, .. } | EventData::PostToolUseFailure { call, .. } => {
            let id = call.id.as_deref().filter(|id| !id.is_empty())?;
            // The raw values: two reports may have been parsed by different adapters.
            let raw = |key| event.raw.get(key).map(json_text);
            let input = raw("tool_input").unwrap_or_else(|| json_text(&call.input));
            let texts = ["tool_response", "tool_output", "error", "error_message"];
            let texts = texts.map(|key| raw(key).unwrap_or_default());
            let [response, output, error, message] = texts.each_ref().map(String::as_str);
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
            let message = last_message.as_deref().unwrap_or_default();
            Some(hash(&[&name, id, message]))
        }
        EventData::AgentThought { text } | EventData::AgentResponse { text } => {
            Some(hash(&[&name, turn_id(event)?, text]))
        }
        _ => None,
    }
}
