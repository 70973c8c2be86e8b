//! The input of a hook: [`HookInput`] and [`HookContext`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_agents::contract::{self, EventMetadata};
use becket_model::{AgentId, Event, EventData, EventKind, HookSpec, SessionId, ToolCall};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The agent id of events that an embedding program fires itself.
pub const EMBEDDED: &str = "embedded";

/// The output of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// Text or a structure, as the tool returned it.
    pub content: Value,
    /// Whether the tool reports an error.
    pub is_error: bool,
}

impl<T: Into<Value>> From<T> for ToolOutput {
    fn from(content: T) -> Self {
        Self {
            content: content.into(),
            is_error: false,
        }
    }
}

/// The data of an event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are self-explanatory")]
pub enum HookEventData {
    PreToolUse {
        tool_name: String,
        tool_input: Value,
    },
    PostToolUse {
        tool_name: String,
        tool_result: ToolOutput,
    },
    PostToolUseFailure {
        tool_name: String,
        error: String,
    },
    UserPromptSubmit {
        prompt: String,
    },
    Stop,
    SubagentStart {
        subagent_id: String,
        subagent_type: String,
        description: String,
    },
    SubagentStop {
        subagent_id: String,
        success: bool,
        error: Option<String>,
    },
    PreCompact,
    SessionStart,
    SessionEnd,
    PermissionRequest {
        tool_name: String,
        tool_input: Value,
    },
    Notification {
        kind: Option<String>,
        message: String,
    },
    Setup,
    /// Any other event; `payload` is its JSON in Becket's shape.
    Other {
        event: EventKind,
        payload: Value,
    },
}

impl HookEventData {
    /// The tool input, on the events that come before a tool runs.
    pub fn tool_input(&self) -> Option<&Value> {
        match self {
            Self::PreToolUse { tool_input, .. } | Self::PermissionRequest { tool_input, .. } => {
                Some(tool_input)
            }
            _ => None,
        }
    }

    fn tool_input_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::PreToolUse { tool_input, .. } | Self::PermissionRequest { tool_input, .. } => {
                Some(tool_input)
            }
            _ => None,
        }
    }

    fn kind(&self) -> EventKind {
        match self {
            Self::PreToolUse { .. } => EventKind::PreToolUse,
            Self::PostToolUse { .. } => EventKind::PostToolUse,
            Self::PostToolUseFailure { .. } => EventKind::PostToolUseFailure,
            Self::UserPromptSubmit { .. } => EventKind::UserPromptSubmit,
            Self::Stop => EventKind::Stop,
            Self::SubagentStart { .. } => EventKind::SubagentStart,
            Self::SubagentStop { .. } => EventKind::SubagentStop,
            Self::PreCompact => EventKind::PreCompact,
            Self::SessionStart => EventKind::SessionStart,
            Self::SessionEnd => EventKind::SessionEnd,
            Self::PermissionRequest { .. } => EventKind::PermissionRequest,
            Self::Notification { .. } => EventKind::Notification,
            Self::Setup => EventKind::Setup,
            Self::Other { event, .. } => event.clone(),
        }
    }

    fn tool_name(&self) -> Option<&str> {
        match self {
            Self::PreToolUse { tool_name, .. }
            | Self::PostToolUse { tool_name, .. }
            | Self::PostToolUseFailure { tool_name, .. }
            | Self::PermissionRequest { tool_name, .. } => Some(tool_name),
            _ => None,
        }
    }

    fn of(event: &Event) -> Self {
        match &event.data {
            EventData::PreToolUse { call } => Self::PreToolUse {
                tool_name: call.name.clone(),
                tool_input: call.input.clone(),
            },
            EventData::PermissionRequest { call } => Self::PermissionRequest {
                tool_name: call.name.clone(),
                tool_input: call.input.clone(),
            },
            EventData::PostToolUse { call, response, .. } => Self::PostToolUse {
                tool_name: call.name.clone(),
                tool_result: response.clone().into(),
            },
            EventData::PostToolUseFailure { call, error, .. } => Self::PostToolUseFailure {
                tool_name: call.name.clone(),
                error: error.clone(),
            },
            EventData::UserPromptSubmit { prompt } => Self::UserPromptSubmit {
                prompt: prompt.clone(),
            },
            EventData::Stop { .. } => Self::Stop,
            EventData::SubagentStart {
                id,
                kind,
                description,
            } => Self::SubagentStart {
                subagent_id: id.clone(),
                subagent_type: kind.clone(),
                description: description.clone(),
            },
            EventData::SubagentStop {
                id, success, error, ..
            } => Self::SubagentStop {
                subagent_id: id.clone(),
                success: *success,
                error: error.clone(),
            },
            EventData::PreCompact { .. } => Self::PreCompact,
            EventData::SessionStart { .. } => Self::SessionStart,
            EventData::SessionEnd { .. } => Self::SessionEnd,
            EventData::Setup { .. } => Self::Setup,
            EventData::Notification { kind, message } => Self::Notification {
                kind: kind.clone(),
                message: message.clone(),
            },
            data => Self::Other {
                event: data.kind(),
                payload: event.to_json(),
            },
        }
    }

    fn into_model(self) -> EventData {
        match self {
            Self::PreToolUse {
                tool_name,
                tool_input,
            } => EventData::PreToolUse {
                call: ToolCall::new(tool_name, tool_input),
            },
            Self::PermissionRequest {
                tool_name,
                tool_input,
            } => EventData::PermissionRequest {
                call: ToolCall::new(tool_name, tool_input),
            },
            Self::PostToolUse {
                tool_name,
                tool_result,
            } => EventData::PostToolUse {
                call: ToolCall::new(tool_name, Value::Null),
                response: tool_result.content,
                duration_ms: None,
            },
            Self::PostToolUseFailure { tool_name, error } => EventData::PostToolUseFailure {
                call: ToolCall::new(tool_name, Value::Null),
                error,
                interrupted: false,
                duration_ms: None,
            },
            Self::UserPromptSubmit { prompt } => EventData::UserPromptSubmit { prompt },
            Self::Stop => EventData::Stop {
                active: false,
                last_message: None,
            },
            Self::SubagentStart {
                subagent_id,
                subagent_type,
                description,
            } => EventData::SubagentStart {
                id: subagent_id,
                kind: subagent_type,
                description,
            },
            Self::SubagentStop {
                subagent_id,
                success,
                error,
            } => EventData::SubagentStop {
                id: subagent_id,
                kind: String::new(),
                active: false,
                success,
                error,
                last_message: None,
            },
            Self::PreCompact => EventData::PreCompact {
                trigger: None,
                instructions: None,
            },
            Self::SessionStart => EventData::SessionStart { source: None },
            Self::SessionEnd => EventData::SessionEnd { reason: None },
            Self::Setup => EventData::Setup { trigger: None },
            Self::Notification { kind, message } => EventData::Notification { kind, message },
            Self::Other { event, .. } => EventData::Other {
                name: event.name().into(),
                subject: None,
            },
        }
    }
}

/// An event with its session and time.
#[derive(Debug, Clone)]
pub struct HookInput {
    /// The session.
    pub session_id: String,
    /// The time of the event.
    pub timestamp: DateTime<Utc>,
    /// The event's data.
    pub data: HookEventData,
    /// The caller's own data for its hooks.
    pub metadata: Option<Value>,
    /// The agent's event that this was made from, with everything that [`HookEventData`] has no field for.
    origin: Option<Arc<AgentEvent>>,
}

#[derive(Debug)]
struct AgentEvent {
    event: Event,
    id: String,
}

impl HookInput {
    /// An input for any event.
    pub fn new(session_id: impl Into<String>, data: HookEventData) -> Self {
        Self {
            session_id: session_id.into(),
            timestamp: Utc::now(),
            data,
            metadata: None,
            origin: None,
        }
    }

    /// Before a tool runs.
    pub fn pre_tool_use(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        input: Value,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PreToolUse {
                tool_name: tool_name.into(),
                tool_input: input,
            },
        )
    }

    /// After a tool succeeded.
    pub fn post_tool_use(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        result: impl Into<ToolOutput>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PostToolUse {
                tool_name: tool_name.into(),
                tool_result: result.into(),
            },
        )
    }

    /// After a tool failed.
    pub fn post_tool_use_failure(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        error: impl Into<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PostToolUseFailure {
                tool_name: tool_name.into(),
                error: error.into(),
            },
        )
    }

    /// A person submits a prompt.
    pub fn user_prompt_submit(session_id: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self::new(
            session_id,
            HookEventData::UserPromptSubmit {
                prompt: prompt.into(),
            },
        )
    }

    /// A session begins.
    pub fn session_start(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::SessionStart)
    }

    /// A session ends.
    pub fn session_end(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::SessionEnd)
    }

    /// The agent has finished its turn.
    pub fn stop(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::Stop)
    }

    /// The context is about to be compacted.
    pub fn pre_compact(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::PreCompact)
    }

    /// A subagent is about to start.
    pub fn subagent_start(
        session_id: impl Into<String>,
        subagent_id: impl Into<String>,
        subagent_type: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::SubagentStart {
                subagent_id: subagent_id.into(),
                subagent_type: subagent_type.into(),
                description: description.into(),
            },
        )
    }

    /// A subagent has ended.
    pub fn subagent_stop(
        session_id: impl Into<String>,
        subagent_id: impl Into<String>,
        success: bool,
        error: Option<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::SubagentStop {
                subagent_id: subagent_id.into(),
                success,
                error,
            },
        )
    }

    /// An agent's event, under the id it is recorded with.
    pub fn from_event(event: Event, id: impl Into<String>) -> Self {
        Self {
            origin: Some(Arc::new(AgentEvent {
                event: event.clone(),
                id: id.into(),
            })),
            ..Self::new(event.session.as_str(), HookEventData::of(&event))
        }
    }

    /// The event this input is about.
    pub fn event_type(&self) -> EventKind {
        self.data.kind()
    }

    /// The tool, on tool events.
    pub fn tool_name(&self) -> Option<&str> {
        self.data.tool_name()
    }

    /// The subagent, on subagent events.
    pub fn subagent_id(&self) -> Option<&str> {
        match &self.data {
            HookEventData::SubagentStart { subagent_id, .. }
            | HookEventData::SubagentStop { subagent_id, .. } => Some(subagent_id),
            _ => None,
        }
    }

    /// Replaces the tool input, as a later hook sees it after a rewrite.
    pub(crate) fn rewrite(&mut self, input: &Value) {
        if let Some(slot) = self.data.tool_input_mut() {
            slot.clone_from(input);
        }
    }

    /// The event in the model's types, with the current tool input.
    pub fn to_event(&self, ctx: &HookContext) -> Event {
        let mut event = match &self.origin {
            Some(origin) => origin.event.clone(),
            None => Event::new(
                AgentId::new(EMBEDDED),
                SessionId::new(self.session_id.as_str()),
                self.data.clone().into_model(),
            ),
        };
        if event.cwd.is_none() {
            event.cwd = ctx
                .cwd
                .as_ref()
                .map(|cwd| cwd.to_string_lossy().into_owned());
        }
        if let (Some(call), Some(input)) = (event.data.call_mut(), self.data.tool_input()) {
            call.input.clone_from(input);
        }
        event
    }

    /// The id under which the event is recorded; empty for events of an embedding program.
    pub fn event_id(&self) -> &str {
        self.origin.as_ref().map_or("", |origin| &origin.id)
    }

    pub(crate) fn rfc3339(&self) -> String {
        self.timestamp.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

/// The stdin of a command hook: one line of JSON in its dialect.
pub fn payload(spec: &HookSpec, event: &Event, input: &HookInput, ctx: &HookContext) -> Vec<u8> {
    let timestamp = input.rfc3339();
    let project = ctx.project_dir.as_deref().or(ctx.cwd.as_deref());
    let project = project.map(Path::to_string_lossy);
    let around = EventMetadata {
        event_id: input.event_id(),
        timestamp: &timestamp,
        project_dir: project.as_deref().or(event.cwd.as_deref()),
    };
    contract::stdin(spec, event, &around).trim_ascii().to_vec()
}

/// The context in which hooks run.
#[derive(Debug, Clone)]
pub struct HookContext {
    /// The session.
    pub session_id: String,
    /// Cancels running hooks, including their child processes.
    pub cancellation_token: CancellationToken,
    /// The working directory of command hooks.
    pub cwd: Option<PathBuf>,
    /// Additional environment variables of command hooks.
    pub env: HashMap<String, String>,
    /// The project's root, if it differs from `cwd`.
    pub project_dir: Option<PathBuf>,
}

impl HookContext {
    /// A context with only a session.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self {
            session_id: session_id.into(),
            cancellation_token: CancellationToken::new(),
            cwd: None,
            env: HashMap::new(),
            project_dir: None,
        }
    }

    /// Sets the working directory.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets the caller's cancellation token.
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation_token = token;
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }
}
