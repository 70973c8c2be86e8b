//! Parses Cascade's payloads into events.
//!
//! Cascade has four pairs of events for four kinds of tool and names no tool; the event determines the canonical
//! name. The subject of a blocking event is required, everything else is optional, and an unknown event name
//! becomes [`EventData::Other`], never an error. Start at [`parse`].
//!
//! The payload names no workspace. The directory of a command is part of its input and not of the event: which
//! hooks apply must not depend on where the model runs its command, and Cascade starts a hook in the workspace
//! anyway.

use becket_model::{AgentId, Event, EventData, SessionId, ToolCall};
use serde_json::{Map, Value};

use crate::adapter::ParseError;
use crate::fields::{PayloadFields, change_of, decoded, other};
use crate::protocol::{AgentSpec, ToolMap};
use crate::tool_failure::finished;

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let fields = PayloadFields::new(spec.id, &raw);
    let name = fields.event_name("agent_action_name", hint)?;
    let nothing = Map::new();
    let info = match fields.get("tool_info").and_then(Value::as_object) {
        Some(info) => info,
        None => &nothing,
    };
    let action = WindsurfAction {
        spec,
        payload: fields,
        info: PayloadFields::new(spec.id, info),
        map: info,
    };
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, action.data(row.native)?),
        None => (name, other(name, None)),
    };
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(fields.scalar("trajectory_id").unwrap_or_default()),
        cwd: action.info.filled("worktree_path"),
        native_name: native_name.to_owned(),
        subagent: None,
        transcript: action.info.filled("transcript_path"),
        data,
        raw,
    })
}

/// An action of Cascade: the payload and its `tool_info`.
#[derive(Clone, Copy)]
struct WindsurfAction<'a> {
    spec: &'a AgentSpec,
    payload: PayloadFields<'a>,
    info: PayloadFields<'a>,
    map: &'a Map<String, Value>,
}

impl WindsurfAction<'_> {
    fn data(self, name: &str) -> Result<EventData, ParseError> {
        Ok(match name {
            "pre_user_prompt" => {
                self.payload.required_object("tool_info")?;
                EventData::UserPromptSubmit {
                    prompt: self.info.required_text("user_prompt")?,
                }
            }
            "pre_run_command" => self.announced("command_line", Self::command)?,
            "pre_read_code" => self.announced("file_path", Self::read)?,
            "pre_write_code" => self.announced("file_path", Self::write)?,
            "pre_mcp_tool_use" => {
                if self.info.get("mcp_tool_arguments").is_some() {
                    self.info.required_object("mcp_tool_arguments")?;
                }
                self.announced("mcp_tool_name", Self::mcp)?
            }
            "post_run_command" => finished(self.command(), Value::Null, None, None),
            "post_read_code" => finished(self.read(), Value::Null, None, None),
            "post_write_code" => finished(self.write(), Value::Null, None, None),
            "post_mcp_tool_use" => {
                let result = self.info.get("mcp_result").map_or(Value::Null, decoded);
                let error = self.spec.failures.error(&result);
                finished(self.mcp(), result, error, None)
            }
            "post_cascade_response" => EventData::Stop {
                active: false,
                last_message: self.info.text("response"),
            },
            "post_setup_worktree" => EventData::Setup { trigger: None },
            // `post_cascade_response_with_transcript` accompanies the response, which is the stop; two would end a turn
            // twice.
            name => other(name, None),
        })
    }

    /// A pending call: a guard must see what it will do.
    fn announced(self, key: &str, call: fn(Self) -> ToolCall) -> Result<EventData, ParseError> {
        self.payload.required_object("tool_info")?;
        self.info.required_name(key)?;
        Ok(EventData::PreToolUse { call: call(self) })
    }

    fn command(self) -> ToolCall {
        let input = Value::Object(self.map.clone());
        self.spec.tools.call("run_command".to_owned(), input)
    }

    fn read(self) -> ToolCall {
        call("Read", "read_code", self.map.clone())
    }

    /// All edits of a file in one call. Guards read the canonical keys, so these contain all of it.
    fn write(self) -> ToolCall {
        let mut input = self.map.clone();
        let edits = self.info.get("edits");
        let text = |key: &str| {
            let edits = edits?.as_array()?;
            let parts = edits.iter().filter_map(|edit| edit.get(key)?.as_str());
            Some(Value::String(parts.collect::<Vec<_>>().join("\n")))
        };
        if change_of(edits).as_deref() == Some("create") {
            input.extend(text("new_string").map(|text| ("content".to_owned(), text)));
            return call("Write", "write_code", input);
        }
        for key in ["old_string", "new_string"] {
            input.extend(text(key).map(|text| (key.to_owned(), text)));
        }
        call("Edit", "write_code", input)
    }

    fn mcp(self) -> ToolCall {
        let tool = self.info.filled("mcp_tool_name").unwrap_or_default();
        let server = self.info.filled("mcp_server_name");
        let server = server.as_deref().unwrap_or("unknown");
        let arguments = self.info.get("mcp_tool_arguments");
        let input = arguments.and_then(Value::as_object).cloned();
        call(
            &format!("mcp__{server}__{tool}"),
            &tool,
            input.unwrap_or_default(),
        )
    }
}

fn call(name: &str, native_name: &str, input: Map<String, Value>) -> ToolCall {
    ToolMap::foreign(
        name.to_owned(),
        native_name.to_owned(),
        Value::Object(input),
    )
}
