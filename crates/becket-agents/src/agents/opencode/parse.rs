//! Parses the payloads of OpenCode's plugin into events.
//!
//! A payload is `{hook, directory, sessionID, …, input, output}` for a hook and `{hook: "event", …, event:
//! {type, properties}}` for a bus event, whose type is its name. Strict for fields that a decision depends on: a
//! pending call, and the prompt. An unknown event name becomes [`EventData::Other`]. Start at [`parse`].

use becket_model::{Event, EventData, ToolCall};
use serde_json::{Map, Value};

use super::ID;
use super::events::{PERMISSION_ASKED, SESSION_IDLE, TOOL_BEFORE};
use crate::adapter::ParseError;
use crate::fields::{PayloadFields, as_text, other};
use crate::protocol::tools::{KeyRow, ToolRow, UnmentionedKeys};
use crate::protocol::{AgentSpec, ToolMap, plugin};

const PATH: KeyRow = KeyRow::same("filePath", "file_path");

/// OpenCode's tools and their keys; tools of MCP servers (`server_tool`) cannot be recognised by name.
#[rustfmt::skip]
pub(super) const TOOLS: ToolMap = ToolMap {
    tools: &[
        ToolRow::new("read",        "Read",       &[PATH]),
        ToolRow::new("write",       "Write",      &[PATH]),
        ToolRow::new("edit",        "Edit",       &[PATH, KeyRow::same("oldString", "old_string"), KeyRow::same("newString", "new_string")]),
        ToolRow::new("apply_patch", "ApplyPatch", &[KeyRow::same("patchText", "patch")]),
    ],
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

/// The keys of a permission's own facts, for a permission whose call is not known.
const PERMISSIONS: ToolMap = ToolMap {
    tools: &[ToolRow::new(
        "edit",
        "Edit",
        &[KeyRow::same("filepath", "file_path")],
    )],
    ..ToolMap::CANONICAL
};

/// The canonical source of a new session; OpenCode sends none.
const STARTUP: &str = "startup";

/// Parses a payload. Its own event name takes precedence over the one from the command line.
pub(super) fn parse(
    spec: &AgentSpec,
    hint: Option<&str>,
    raw: Map<String, Value>,
) -> Result<Event, ParseError> {
    let payload = OpenCodePayload::new(&raw);
    let name = payload.name(hint)?;
    let native_name = spec.find(name).map_or(name, |row| row.native).to_owned();
    let data = payload.data(&native_name)?;
    let session = payload.session();
    Ok(plugin::event(spec, native_name, session, data, raw))
}

/// The parts of a payload.
#[derive(Clone, Copy)]
struct OpenCodePayload<'a> {
    top: PayloadFields<'a>,
    input: PayloadFields<'a>,
    output: PayloadFields<'a>,
    event: PayloadFields<'a>,
    properties: PayloadFields<'a>,
}

impl<'a> OpenCodePayload<'a> {
    fn new(raw: &'a Map<String, Value>) -> Self {
        let top = PayloadFields::new(ID, raw);
        Self {
            top,
            input: top.inside("input"),
            output: top.inside("output"),
            event: top.inside("event"),
            properties: top.inside("event.properties"),
        }
    }

    fn name(self, hint: Option<&'a str>) -> Result<&'a str, ParseError> {
        match self.top.event_name("hook", hint)? {
            "event" => self.event.event_name("type", None),
            name => Ok(name),
        }
    }

    fn session(self) -> Option<String> {
        [self.top, self.input, self.properties]
            .into_iter()
            .find_map(|part| part.filled(&["sessionID"]))
    }

    fn data(self, name: &str) -> Result<EventData, ParseError> {
        Ok(match name {
            TOOL_BEFORE => EventData::PreToolUse {
                call: self.call(self.output.required_object(&["args"]).cloned()?)?,
            },
            "tool.execute.after" => EventData::PostToolUse {
                call: self.call(
                    self.input
                        .required_object(&["args"])
                        .cloned()
                        .unwrap_or_default(),
                )?,
                response: self.top.get(&["output"]).cloned().unwrap_or(Value::Null),
                duration_ms: None,
            },
            "chat.message" => EventData::UserPromptSubmit {
                prompt: self.prompt()?,
            },
            PERMISSION_ASKED => EventData::PermissionRequest {
                call: self.permission()?,
            },
            "permission.replied" => self.permission_replied(),
            "session.created" => self.created(),
            "session.resumed" => EventData::SessionStart {
                source: Some("resume".into()),
            },
            SESSION_IDLE => self.idle(),
            "session.deleted" => EventData::SessionEnd {
                reason: Some("deleted".into()),
            },
            "dispose" => EventData::SessionEnd {
                reason: Some("exit".into()),
            },
            "session.error" => self.session_error(),
            "session.compacted" => EventData::PostCompact {
                trigger: None,
                summary: None,
            },
            "experimental.session.compacting" => EventData::PreCompact {
                trigger: None,
                instructions: None,
            },
            "experimental.text.complete" => EventData::AgentResponse {
                text: self.output.text(&["text"]).unwrap_or_default(),
            },
            "message.part.updated" => self.part(name),
            "file.edited" => EventData::FileModified {
                path: self.properties.text(&["file"]).unwrap_or_default(),
                change: None,
            },
            "config" => EventData::Setup { trigger: None },
            name => other(name, self.subject()),
        })
    }

    fn call(self, args: Map<String, Value>) -> Result<ToolCall, ParseError> {
        let tool = self.input.required_name(&["tool"])?;
        let call = TOOLS.call(tool, Value::Object(args));
        Ok(call.with_id(self.input.scalar(&["callID"])))
    }

    /// The text that the user typed: text added by OpenCode or a plugin is marked as such.
    fn prompt(self) -> Result<String, ParseError> {
        let parts = match self.output.get(&["parts"]) {
            Some(Value::Array(parts)) => parts,
            Some(other) => return Err(self.output.wrong_type("parts", "an array", other)),
            None => return Err(self.output.missing("parts")),
        };
        let typed = |part: &&Value| part["type"] == "text" && part["synthetic"] != true;
        let texts: Vec<&str> = parts
            .iter()
            .filter(typed)
            .filter_map(|part| part["text"].as_str())
            .collect();
        Ok(texts.join("\n"))
    }

    /// The call that needs the permission, if the plugin has seen it; else OpenCode's description of it.
    fn permission(self) -> Result<ToolCall, ParseError> {
        if let Some(call) = self.remembered_call() {
            return Ok(call);
        }
        let id = self.top.inside("event.properties.tool").scalar(&["callID"]);
        let name = self.properties.required_name(&["permission"])?;
        let facts = self.properties.required_object(&["metadata"]).cloned().ok();
        let mut facts = facts.unwrap_or_default();
        if let Some(patterns) = self.properties.get(&["patterns"]) {
            facts.insert("patterns".into(), patterns.clone());
        }
        Ok(PERMISSIONS.call(name, Value::Object(facts)).with_id(id))
    }

    fn remembered_call(self) -> Option<ToolCall> {
        let call = self.top.inside("call");
        let tool = call.filled(&["tool"])?;
        let args = call.required_object(&["args"]).cloned().ok()?;
        let id = call.scalar(&["callID"]);
        Some(TOOLS.call(tool, Value::Object(args)).with_id(id))
    }

    fn permission_replied(self) -> EventData {
        let reply = self.properties.text(&["reply"]);
        match self.remembered_call() {
            Some(call) if reply.as_deref() == Some("reject") => EventData::PermissionDenied {
                call,
                reason: reply,
            },
            _ => other("permission.replied", reply),
        }
    }

    fn created(self) -> EventData {
        let info = self.top.inside("event.properties.info");
        if info.filled(&["parentID"]).is_none() {
            return EventData::SessionStart {
                source: Some(STARTUP.into()),
            };
        }
        EventData::SubagentStart {
            id: self.session().unwrap_or_default(),
            kind: self
                .top
                .text(&["agent"])
                .or_else(|| info.text(&["agent"]))
                .unwrap_or_default(),
            description: info.text(&["title"]).unwrap_or_default(),
        }
    }

    /// An aborted turn is not a stop: a hook that keeps the agent working would override the user.
    fn idle(self) -> EventData {
        if self.top.is(&["aborted"]) {
            return other(SESSION_IDLE, Some("aborted".into()));
        }
        let active = self.top.is(&["continued"]);
        let last_message = self.top.filled(&["lastMessage"]);
        // A subagent works in its own session, whose parent the plugin remembers.
        match self
            .session()
            .filter(|_| self.top.filled("parentID").is_some())
        {
            Some(id) => EventData::SubagentStop {
                id,
                kind: self.top.text("agent").unwrap_or_default(),
                active,
                success: true,
                error: None,
                last_message,
            },
            None => EventData::Stop {
                active,
                last_message,
            },
        }
    }

    fn session_error(self) -> EventData {
        let error = self.top.inside("event.properties.error");
        let message = self.top.inside("event.properties.error.data");
        EventData::SessionError {
            error: message
                .text(&["message"])
                .or_else(|| self.properties.get(&["error"]).and_then(as_text))
                .unwrap_or_default(),
            code: error.text(&["name"]),
        }
    }

    /// A failed tool fires no hook: only the message part reports it.
    fn part(self, name: &str) -> EventData {
        let part = self.top.inside("event.properties.part");
        let state = self.top.inside("event.properties.part.state");
        let status = state.text(&["status"]);
        match (part.text(&["type"]).as_deref(), part.filled(&["tool"])) {
            (Some("tool"), Some(tool)) if status.as_deref() == Some("error") => {
                let input = state
                    .required_object(&["input"])
                    .cloned()
                    .unwrap_or_default();
                let call = TOOLS.call(tool, Value::Object(input));
                EventData::PostToolUseFailure {
                    call: call.with_id(part.scalar(&["callID"])),
                    error: state.scalar(&["error"]).unwrap_or_default(),
                    interrupted: false,
                    duration_ms: None,
                }
            }
            (Some("reasoning"), _) => EventData::AgentThought {
                text: part.text(&["text"]).unwrap_or_default(),
            },
            (kind, _) => other(name, kind.map(str::to_owned)),
        }
    }

    /// The subject for matchers, for events without a canonical name.
    fn subject(self) -> Option<String> {
        let status = self.top.inside("event.properties.status");
        self.input
            .filled(&["command", "toolID"])
            .or_else(|| status.filled(&["type"]))
            .or_else(|| self.properties.filled(&["file", "name"]))
    }
}

#[cfg(test)]
mod tests {
    use becket_model::{EventKind, Subagent};
    use serde_json::json;

    use super::*;
    use crate::adapter::Adapter;
    use crate::agents::opencode::OPENCODE;

    fn parsed(hint: Option<&str>, payload: &Value) -> Result<Event, ParseError> {
        OPENCODE.parse(hint, payload.as_object().unwrap().clone())
    }

    #[test]
    fn an_event_of_the_bus_is_called_by_its_type_and_a_hook_by_its_name() {
        let idle =
            json!({ "hook": "event", "event": { "type": "session.idle", "properties": {} } });
        assert_eq!(parsed(None, &idle).unwrap().kind(), EventKind::Stop);
        let hinted = json!({ "event": { "type": "x", "properties": {} } });
        let event = parsed(Some("session.idle"), &hinted).unwrap();
        assert_eq!(event.native_name, "session.idle");
        assert_eq!(
            parsed(None, &json!({ "hook": "event" }))
                .unwrap_err()
                .message,
            "`event.type` is missing"
        );
        assert_eq!(
            parsed(None, &json!({})).unwrap_err().to_string(),
            "not a valid opencode payload: `hook` is missing"
        );
    }

    #[test]
    fn a_required_key_that_is_missing_or_of_another_type_is_named() {
        for (payload, expected) in [
            (
                json!({ "hook": "tool.execute.before", "output": { "args": {} } }),
                "`input.tool` is missing",
            ),
            (
                json!({ "hook": "tool.execute.before", "input": { "tool": "bash" } }),
                "`output.args` is missing",
            ),
            (
                json!({ "hook": "chat.message", "output": { "parts": {} } }),
                "`output.parts` is an object, not an array",
            ),
            (
                json!({ "hook": "event", "event": { "type": "permission.asked", "properties": {} } }),
                "`event.properties.permission` is missing",
            ),
        ] {
            assert_eq!(parsed(None, &payload).unwrap_err().message, expected);
        }
    }

    #[test]
    fn the_prompt_is_what_the_person_typed() {
        let payload = json!({ "hook": "chat.message", "output": { "parts": [
            { "type": "text", "text": "look at" },
            { "type": "file", "url": "data:…" },
            { "type": "text", "text": "added", "synthetic": true },
            { "type": "text", "text": "this" },
        ] } });
        let EventData::UserPromptSubmit { prompt } = parsed(None, &payload).unwrap().data else {
            panic!("a prompt")
        };
        assert_eq!(prompt, "look at\nthis");
    }

    #[test]
    fn a_permission_is_about_the_call_that_needs_it() {
        let properties = json!({
            "id": "per_1", "permission": "external_directory", "metadata": { "filepath": "/etc" },
            "tool": { "callID": "call_1" },
        });
        let event = json!({ "type": "permission.asked", "properties": properties });
        let alone = json!({ "hook": "event", "event": event });
        let call = parsed(None, &alone).unwrap().call().unwrap().clone();
        assert_eq!(call.native_name, "external_directory");
        let args = json!({ "command": "ls /etc" });
        let with = json!({ "hook": "event", "event": event, "call": { "tool": "bash", "args": args, "callID": "call_1" } });
        let call = parsed(None, &with).unwrap().call().unwrap().clone();
        assert_eq!((&*call.name, call.command()), ("Bash", Some("ls /etc")));
        assert_eq!(call.id.as_deref(), Some("call_1"));
    }

    #[test]
    fn a_session_with_a_parent_is_a_subagents() {
        let payload = |hook: &str, more: Value| {
            let mut payload = json!({ "hook": hook, "sessionID": "ses_b", "parentID": "ses_a", "agent": "general" });
            for (key, value) in more.as_object().unwrap() {
                payload[key] = value.clone();
            }
            parsed(None, &payload).unwrap()
        };
        let call = payload(
            "tool.execute.before",
            json!({ "input": { "tool": "bash" }, "output": { "args": {} } }),
        );
        let expected = Subagent {
            id: "ses_b".into(),
            kind: Some("general".into()),
        };
        assert_eq!(call.subagent, Some(expected));
        let rests = payload(
            "event",
            json!({ "event": { "type": "session.idle", "properties": {} } }),
        );
        assert_eq!(rests.kind(), EventKind::SubagentStop);
    }

    #[test]
    fn a_part_is_a_failure_a_thought_or_nothing_much() {
        let part = |part: Value| {
            let event = json!({ "type": "message.part.updated", "properties": { "part": part } });
            parsed(None, &json!({ "hook": "event", "event": event })).unwrap()
        };
        let tool = |status: &str| json!({ "type": "tool", "tool": "read", "state": { "status": status, "error": "gone" } });
        assert_eq!(part(tool("error")).kind(), EventKind::PostToolUseFailure);
        assert_eq!(part(tool("running")).subject(), Some("tool"));
        let thought = json!({ "type": "reasoning", "text": "hm" });
        assert_eq!(part(thought).kind(), EventKind::AgentThought);
        assert_eq!(part(Value::Null).subject(), None);
    }
}
