//! A record as the notifications that editors get: Autohand's methods, with the parameters that its
//! document has for them, whichever agent it was. Pure.
//!
//! Beside the documented members stand Becket's own: `eventId`, `agent`, `event`, `sessionId`,
//! `project`, `verdict`, `verdictReason`. What is said to be a number and is not known is zero.

use becket_agents::adapter;
use becket_model::tool::canonical_name;
use becket_model::{Event, EventData, ToolCall};
use becket_store::event_in;
use serde_json::{Map, Value, json};

/// The documented methods.
pub const DOCUMENTED: [&str; 13] = [
    "autohand.hook.preTool",
    "autohand.hook.postTool",
    "autohand.hook.fileModified",
    "autohand.hook.prePrompt",
    "autohand.hook.stop",
    POST_RESPONSE,
    "autohand.hook.sessionStart",
    "autohand.hook.sessionEnd",
    "autohand.hook.sessionError",
    RATE_LIMIT,
    "autohand.hook.subagentStop",
    "autohand.hook.permissionRequest",
    "autohand.hook.notification",
];

/// Another name for the end of a turn.
pub(super) const POST_RESPONSE: &str = "autohand.hook.postResponse";

/// Told of a provider's quota that has ended a turn, in the place of a session's error.
pub(super) const RATE_LIMIT: &str = "autohand.hook.rateLimit";

/// The method for events that the document has no word for. Only who names such an event gets it.
pub const OTHER: &str = "becket.event";

/// How much of a tool's output is sent.
const OUTPUT_CHARS: usize = 32_000;

/// What an editor is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// One of [`DOCUMENTED`], or [`OTHER`].
    pub method: &'static str,
    /// The parameters.
    pub params: Value,
}

/// What is known of an event from elsewhere; the event's own word counts more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known {
    /// How long the call, the turn, the subagent or the session took, in milliseconds.
    pub duration: Option<u64>,
    /// Tool calls of the turn.
    pub tool_calls: Option<u64>,
    /// Tokens of the turn.
    pub tokens: Option<u64>,
}

/// What editors are told about a record; nothing if it cannot be understood.
pub fn notifications(record: &Value, known: &Known) -> Vec<Notification> {
    let Some(event) = event_in(record) else {
        return Vec::new();
    };
    let told = Told {
        record,
        event: &event,
        known,
    };
    told.all()
}

struct Told<'r> {
    record: &'r Value,
    event: &'r Event,
    known: &'r Known,
}

impl Told<'_> {
    fn all(&self) -> Vec<Notification> {
        match &self.event.data {
            EventData::PreToolUse { call } => vec![self.tell("preTool", self.announced(call))],
            EventData::PermissionRequest { call } => {
                vec![self.tell("permissionRequest", asked(call, &self.event.raw))]
            }
            EventData::PostToolUse {
                call,
                response,
                duration_ms,
            } => {
                let said = output(response);
                let mut all = vec![self.finished(call, true, *duration_ms, said)];
                all.extend(self.changes(call, response));
                all
            }
            EventData::PostToolUseFailure {
                call,
                error,
                duration_ms,
                ..
            } => {
                vec![self.finished(call, false, *duration_ms, Some(error.clone()))]
            }
            EventData::FileModified { path, change } => self.modified(path, change.as_deref()),
            EventData::UserPromptSubmit { prompt } => {
                let files = self.event.raw.get("mentioned_files");
                let files = files.filter(|files| is_texts(files)).cloned();
                vec![self.tell(
                    "prePrompt",
                    json!({
                        "instruction": prompt, "mentionedFiles": files.unwrap_or_else(|| json!([])),
                    }),
                )]
            }
            EventData::Stop { .. } => {
                let params = self.turn();
                vec![
                    self.tell("stop", params.clone()),
                    self.tell("postResponse", params),
                ]
            }
            EventData::SessionStart { source } => vec![self.tell(
                "sessionStart",
                json!({
                    "sessionType": session_type(source.as_deref()), "source": source,
                }),
            )],
            EventData::SessionEnd { reason } => vec![self.tell("sessionEnd", json!({
                "reason": end_reason(reason.as_deref()), "duration": self.duration(&["duration"]),
                "nativeReason": reason,
            }))],
            EventData::SessionError { error, code } if self.event.native_name == "rate-limit" => {
                vec![self.tell("rateLimit", self.limited(error, code.as_deref()))]
            }
            EventData::SessionError { error, code } => {
                vec![self.tell(
                    "sessionError",
                    failure(error, code.as_deref(), &self.event.raw),
                )]
            }
            EventData::StopFailure { error, details } => {
                let said = details.as_deref().unwrap_or(error);
                vec![self.tell("sessionError", failure(said, Some(error), &self.event.raw))]
            }
            EventData::SubagentStop {
                id,
                kind,
                success,
                error,
                ..
            } => {
                vec![self.tell(
                    "subagentStop",
                    self.subagent(id, kind, *success, error.as_deref()),
                )]
            }
            EventData::Notification { kind, message } => vec![self.tell(
                "notification",
                json!({
                    "notificationType": kind.as_deref().unwrap_or_default(), "message": message,
                }),
            )],
            // A record that follows from a tool's; the name is all that such a payload says.
            EventData::Other { name, .. } if &**name == "FileModified" => {
                let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
                self.modified(text("file_path").unwrap_or_default(), text("change_type"))
            }
            _ => vec![self.other()],
        }
    }

    fn tell(&self, name: &str, params: Value) -> Notification {
        let method = DOCUMENTED
            .into_iter()
            .find(|method| method.strip_prefix("autohand.hook.") == Some(name))
            .unwrap_or(OTHER);
        Notification {
            method,
            params: self.with_place(params),
        }
    }

    fn other(&self) -> Notification {
        Notification {
            method: OTHER,
            params: self.with_place(json!({ "data": self.event.to_json() })),
        }
    }

    /// The members that all have. Those that are not known are left out.
    fn with_place(&self, params: Value) -> Value {
        let Value::Object(mut params) = params else {
            return params;
        };
        params.retain(|_, value| !value.is_null());
        let of_record = |key: &str| self.record.get(key).cloned();
        let of_decision = |key: &str| self.record.get("decision")?.get(key).cloned();
        for (name, value) in [
            ("timestamp", of_record("ts").or_else(|| Some(json!("")))),
            ("eventId", of_record("id")),
            ("event", Some(json!(self.event.kind().name()))),
            ("agent", of_record("agent")),
            ("sessionId", of_record("session")),
            ("project", of_record("project")),
            ("verdict", of_decision("verdict")),
            ("verdictReason", of_decision("reason")),
        ] {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                params.insert(name.to_owned(), value);
            }
        }
        Value::Object(params)
    }

    fn announced(&self, call: &ToolCall) -> Value {
        json!({
            "toolId": call.id.as_deref().unwrap_or_default(),
            "toolName": call.native_name,
            "args": arguments(call, &self.event.raw),
            "tool": call.name,
        })
    }

    fn finished(
        &self,
        call: &ToolCall,
        success: bool,
        took: Option<u64>,
        said: Option<String>,
    ) -> Notification {
        self.tell(
            "postTool",
            json!({
                "toolId": call.id.as_deref().unwrap_or_default(),
                "toolName": call.native_name,
                "success": success,
                "duration": took.or(self.known.duration).unwrap_or(0),
                "output": said.map(|text| cut(&text).to_owned()),
                "tool": call.name,
            }),
        )
    }

    /// The files that a call has changed, where its agent does not tell of them itself.
    fn changes(&self, call: &ToolCall, response: &Value) -> Vec<Notification> {
        if self.tells_of_changes(&call.name) {
            return Vec::new();
        }
        let written = response.get("type").and_then(Value::as_str);
        let id = call.id.as_deref().unwrap_or_default();
        let changes = call.changes().into_iter();
        changes
            .map(|(path, change)| self.file(path, change.or(written), id))
            .collect()
    }

    fn tells_of_changes(&self, tool: &str) -> bool {
        let speaker = adapter(self.event.agent.as_str());
        speaker.is_some_and(|adapter| adapter.tells_of_changes(tool))
    }

    fn modified(&self, path: &str, change: Option<&str>) -> Vec<Notification> {
        let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
        // What followed from a tool's own report was told with it.
        let told =
            text("tool_name").is_some_and(|tool| !self.tells_of_changes(canonical_name(tool)));
        if told || path.is_empty() {
            return Vec::new();
        }
        vec![self.file(path, change, text("tool_use_id").unwrap_or_default())]
    }

    fn file(&self, path: &str, change: Option<&str>, id: &str) -> Notification {
        let change = match change {
            Some("create" | "created" | "add" | "added") => "create",
            Some("delete" | "deleted" | "remove" | "removed" | "unlink") => "delete",
            _ => "modify",
        };
        self.tell(
            "fileModified",
            json!({ "filePath": path, "changeType": change, "toolId": id }),
        )
    }

    fn limited(&self, error: &str, code: Option<&str>) -> Value {
        let text = |key: &str| self.event.raw.get(key).and_then(Value::as_str);
        json!({
            "error": error,
            "code": code,
            "retryAfterMs": self.number(&["retry_after_ms", "retryAfterMs"]),
            "httpStatus": self.number(&["http_status", "httpStatus"]),
            "model": text("model"),
            "provider": text("provider"),
        })
    }

    fn turn(&self) -> Value {
        let told = self.number(&["tokens_used"]).or_else(|| {
            let parts = [
                self.number(&["input_tokens"]),
                self.number(&["output_tokens"]),
            ];
            parts[1]?;
            Some(parts.iter().flatten().sum())
        });
        let calls = self.number(&["tool_calls_count", "turn_tool_calls"]);
        json!({
            "tokensUsed": told.or(self.known.tokens).unwrap_or(0),
            "toolCallsCount": calls.or(self.known.tool_calls).unwrap_or(0),
            "duration": self.duration(&["turn_duration", "duration", "duration_ms"]),
        })
    }

    fn subagent(&self, id: &str, kind: &str, success: bool, error: Option<&str>) -> Value {
        let name = ["subagent_name", "agent_name"]
            .iter()
            .find_map(|key| self.event.raw.get(*key)?.as_str());
        json!({
            "subagentId": id,
            "subagentName": name.unwrap_or(kind),
            "subagentType": kind,
            "success": success,
            "duration": self.duration(&["subagent_duration", "duration", "duration_ms"]),
            "error": error,
        })
    }

    fn duration(&self, keys: &[&str]) -> u64 {
        self.number(keys).or(self.known.duration).unwrap_or(0)
    }

    fn number(&self, keys: &[&str]) -> Option<u64> {
        let mut found = keys.iter().filter_map(|key| self.event.raw.get(*key));
        found.find_map(whole)
    }
}

/// A count; agents write fractions of milliseconds, too.
fn whole(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast to an integer saturates"
    )]
    value
        .as_u64()
        .or_else(|| value.as_f64().map(|number| number as u64))
}

/// The input as the agent wrote it, or else as we understood it.
fn arguments(call: &ToolCall, raw: &Map<String, Value>) -> Value {
    let written = raw.get("tool_input").filter(|input| input.is_object());
    match written.unwrap_or(&call.input) {
        input @ Value::Object(_) => input.clone(),
        Value::Null => json!({}),
        other => json!({ "input": other }),
    }
}

fn asked(call: &ToolCall, raw: &Map<String, Value>) -> Value {
    json!({
        "tool": call.native_name,
        "path": call.file_path(),
        "command": call.command(),
        "args": arguments(call, raw),
        "toolId": call.id,
    })
}

fn failure(error: &str, code: Option<&str>, raw: &Map<String, Value>) -> Value {
    let context = raw.get("context").filter(|context| context.is_object());
    json!({ "error": error, "code": code, "context": context })
}

fn output(response: &Value) -> Option<String> {
    let said = |key: &str| response.get(key)?.as_str().map(str::to_owned);
    match response {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        response => Some(said("stdout").unwrap_or_else(|| response.to_string())),
    }
}

fn cut(text: &str) -> &str {
    text.char_indices()
        .nth(OUTPUT_CHARS)
        .map_or(text, |(end, _)| &text[..end])
}

fn is_texts(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|all| all.iter().all(Value::is_string))
}

/// A session that goes on after its context was compacted, or as a branch of another, is resumed.
fn session_type(source: Option<&str>) -> &'static str {
    match source {
        Some("clear") => "clear",
        Some("resume" | "compact" | "fork" | "branch" | "continue") => "resume",
        _ => "startup",
    }
}

fn end_reason(reason: Option<&str>) -> &'static str {
    match reason {
        Some("clear") => "clear",
        Some("error" | "aborted" | "crash" | "timeout") => "error",
        Some(
            "quit" | "logout" | "prompt_input_exit" | "user_exit" | "user_close" | "window_close",
        ) => "quit",
        _ => "exit",
    }
}
