//! Parses Cursor's payloads into events.
//!
//! Lenient for informative fields, strict for fields that a decision depends on: the tool's name, the input of
//! a pending call, the command, and the prompt. An unknown event name becomes [`EventData::Other`], never an
//! error. Start at [`parse`].
//!
//! Cursor reports some calls twice, with a general event (`preToolUse`) and a specific one. These specific
//! events can block and are parsed as `PreToolUse`:
//!
//! - `beforeShellExecution`, because Cursor applies `ask` only there;
//! - `beforeMCPExecution`, because only this event names the MCP server, so that a rule for one server works;
//! - `beforeTabFileRead`, because no other event reports what inline completion reads.
//!
//! An installation that registers the first two excludes `Shell` and `MCP:` from the matcher of `preToolUse`
//! (`^(?!Shell$|MCP:)`), as Becket's installer does. If both events fire anyway, [`crate::paired_report`]
//! identifies them as one call. The price is that a shell command cannot be rewritten there, only denied with
//! the rewrite as the reason. All other events that accompany a tool event (`beforeReadFile` and those after a
//! call) become `Other` or `FileModified` and duplicate nothing.

use becket_model::{AgentId, Event, EventData, SessionId, Subagent, ToolCall};
use serde_json::{Map, Value};

use super::tools;
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, change_of, decoded, other};
use crate::protocol::AgentSpec;
use crate::tool_failure::{FailureSignals, finished};

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let payload = CursorPayload(PayloadFields::new(spec.id, &raw));
    let name = payload.0.event_name("hook_event_name", hint)?;
    let (native_name, data) = match spec.find(name) {
        Some(row) => (row.native, payload.data(row.native)?),
        None => (name, other(name, None)),
    };
    Ok(Event {
        agent: AgentId::new(spec.id),
        session: SessionId::new(payload.session()),
        cwd: payload.cwd(),
        native_name: native_name.to_owned(),
        subagent: payload.subagent(),
        transcript: payload.0.filled("transcript_path"),
        data,
        raw,
    })
}

#[derive(Clone, Copy)]
struct CursorPayload<'a>(PayloadFields<'a>);

impl CursorPayload<'_> {
    fn data(self, name: &str) -> Result<EventData, ParseError> {
        let fields = self.0;
        Ok(match name {
            "preToolUse" => EventData::PreToolUse {
                call: self.announced_call()?,
            },
            "beforeShellExecution" => EventData::PreToolUse {
                call: self.shell_call()?,
            },
            "beforeMCPExecution" => EventData::PreToolUse {
                call: self.mcp_call()?,
            },
            "beforeTabFileRead" => EventData::PreToolUse {
                call: self.tab_read()?,
            },
            "postToolUse" => self.finished_call()?,
            // Cursor also reports a call that a hook denied here, as `permission_denied`.
            "postToolUseFailure" => EventData::PostToolUseFailure {
                call: self.reported_call()?,
                error: ["error_message", "error"]
                    .iter()
                    .find_map(|key| fields.scalar(*key))
                    .unwrap_or_default(),
                interrupted: fields.flag("is_interrupt").unwrap_or(false),
                duration_ms: fields.number("duration"),
            },
            "beforeSubmitPrompt" => EventData::UserPromptSubmit {
                prompt: fields.required_text("prompt")?,
            },
            // Cursor fires it only for a new conversation and sends no source.
            "sessionStart" => EventData::SessionStart {
                source: fields.text("source").or_else(|| Some("startup".into())),
            },
            "sessionEnd" => EventData::SessionEnd {
                reason: fields.text("reason"),
            },
            "stop" => EventData::Stop {
                active: self.goes_on(),
                last_message: None,
            },
            "subagentStart" => EventData::SubagentStart {
                id: fields.scalar("subagent_id").unwrap_or_default(),
                kind: fields.text("subagent_type").unwrap_or_default(),
                description: fields.text("task").unwrap_or_default(),
            },
            "subagentStop" => EventData::SubagentStop {
                id: fields.scalar("subagent_id").unwrap_or_default(),
                kind: fields.text("subagent_type").unwrap_or_default(),
                active: self.goes_on(),
                success: fields.text("status").is_none_or(|is| is == "completed"),
                error: fields.scalar("error_message"),
                last_message: fields.text("summary"),
            },
            "preCompact" => EventData::PreCompact {
                trigger: fields.text("trigger"),
                instructions: None,
            },
            "afterAgentResponse" => EventData::AgentResponse {
                text: fields.text("text").unwrap_or_default(),
            },
            "afterAgentThought" => EventData::AgentThought {
                text: fields.text("text").unwrap_or_default(),
            },
            "afterFileEdit" | "afterTabFileEdit" => EventData::FileModified {
                path: fields.required_text("file_path")?,
                change: change_of(fields.get("edits")),
            },
            "workspaceOpen" => EventData::Setup { trigger: None },
            "beforeReadFile" => other(name, fields.text("file_path")),
            "afterShellExecution" => other(name, fields.text("command")),
            "afterMCPExecution" => other(name, self.mcp_call().ok().map(|call| call.name)),
            name => other(name, None),
        })
    }

    /// A pending call: a guard must see what it will do.
    fn announced_call(self) -> Result<ToolCall, ParseError> {
        match self.0.get("tool_input") {
            Some(Value::Object(_) | Value::String(_)) => self.reported_call(),
            Some(other) => Err(self.0.wrong_type("tool_input", "an object", other)),
            None => Err(self.0.missing("tool_input")),
        }
    }

    /// A finished call.
    fn reported_call(self) -> Result<ToolCall, ParseError> {
        let name = self.0.required_name("tool_name")?;
        let input = tools::input(self.0.get("tool_input"));
        Ok(
            tools::call(name, input, self.server().as_deref())
                .with_id(self.0.scalar("tool_use_id")),
        )
    }

    fn shell_call(self) -> Result<ToolCall, ParseError> {
        let command = self.0.required_text("command")?;
        let mut input = Map::from_iter([("command".to_owned(), Value::String(command))]);
        if let Some(cwd) = self.0.filled("cwd") {
            input.insert("cwd".to_owned(), Value::String(cwd));
        }
        Ok(tools::call("Shell".to_owned(), input, None))
    }

    fn mcp_call(self) -> Result<ToolCall, ParseError> {
        let name = self.0.required_name("tool_name")?;
        let input = tools::input(self.0.get("tool_input"));
        Ok(tools::mcp_call(&name, input, self.server().as_deref()))
    }

    /// The content is not part of the call: it is the result.
    fn tab_read(self) -> Result<ToolCall, ParseError> {
        let path = self.0.required_text("file_path")?;
        let input = Map::from_iter([("file_path".to_owned(), Value::String(path))]);
        Ok(tools::call("TabRead".to_owned(), input, None))
    }

    /// `postToolUse` is for success, but a failed command may be reported this way with its exit code.
    fn finished_call(self) -> Result<EventData, ParseError> {
        let call = self.reported_call()?;
        let response = self.0.get("tool_output").map_or(Value::Null, decoded);
        let duration_ms = self.0.number("duration");
        // Of other tools the response may be the contents of a file, which says nothing about the call.
        let tells = call.name == "Bash" || call.name.starts_with("mcp__");
        let error = FailureSignals::EXIT_CODES
            .error(&response)
            .filter(|_| tells);
        Ok(finished(call, response, error, duration_ms))
    }

    fn server(self) -> Option<String> {
        self.0.filled("mcp_server_name")
    }

    /// Whether the agent is working because a hook kept it from stopping.
    fn goes_on(self) -> bool {
        self.0.number("loop_count").is_some_and(|count| count > 0)
    }

    fn session(self) -> String {
        self.0
            .filled("session_id")
            .or_else(|| self.0.filled("conversation_id"))
            .unwrap_or_default()
    }

    /// The workspace, not the directory of a shell command: which hooks apply must not depend on where the model
    /// runs its command. A command's own directory is in its input.
    fn cwd(self) -> Option<String> {
        self.0
            .first_of("workspace_roots")
            .or_else(|| self.0.filled("cwd"))
    }

    /// A call inside a subagent names the call that started it, as `subagentStart` does in `tool_call_id`; the
    /// subagent's own id is only sent at its start and stop.
    fn subagent(self) -> Option<Subagent> {
        if let Some(id) = self.0.filled("subagent_id") {
            let kind = self.0.filled("subagent_type");
            return Some(Subagent { id, kind });
        }
        let id = self.0.filled("parent_tool_call_id")?;
        Some(Subagent { id, kind: None })
    }
}
