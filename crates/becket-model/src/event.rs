//! Events: one [`Event`] type whose variants carry their own data.
//!
//! Claude's PascalCase names are canonical; [`EventKind::parse`] reads every agent's spelling. An unknown name is
//! kept as [`EventKind::Other`].

use std::fmt;

use becket_base::suggest::nearest;
use serde_json::{Map, Value, json};

use crate::tool::ToolCall;

/// The agent that sent an event, for example `claude`. Lower case, never used as a path segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(String);

/// The agent's own name for a session. Opaque: never used as a path segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SessionId(String);

macro_rules! text_id {
    ($name:ident) => {
        impl $name {
            /// Takes the id as the agent wrote it.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(AgentId);
text_id!(SessionId);

macro_rules! kinds {
    ($($variant:ident => [$($alias:literal),* $(,)?]),* $(,)?) => {
        /// The canonical name of an event.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names are the documentation; docs/reference/events.md says when each fires")]
        pub enum EventKind {
            $($variant,)*
            /// An unknown event; it is recorded, and no hook decides on it.
            Other(Box<str>),
        }

        impl EventKind {
            /// Every kind that has a canonical name.
            pub const ALL: &'static [EventKind] = &[$(EventKind::$variant),*];

            /// The canonical PascalCase name.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => stringify!($variant),)*
                    Self::Other(name) => name,
                }
            }

            fn from_folded(folded: &str) -> Option<Self> {
                $(
                    if folded.eq_ignore_ascii_case(stringify!($variant)) $(|| folded == $alias)* {
                        return Some(Self::$variant);
                    }
                )*
                None
            }
        }
    };
}

kinds! {
    PreToolUse => ["pretool", "beforetool", "beforetoolcall", "toolexecutebefore",
        "beforeshellexecution",
        "beforemcpexecution",
        "beforereadfile",
        "preruncommand",
        "prereadcode",
        "prewritecode",
        "premcptooluse",
    ],
    PostToolUse => ["posttool", "aftertool", "aftertoolcall", "toolexecuteafter"],
    PostToolUseFailure => ["posttoolfailure", "toolfailure"],
    PermissionRequest => ["permission", "permissionasked"],
    PermissionDenied => [],
    UserPromptSubmit => ["preprompt", "promptsubmit", "beforesubmitprompt", "userpromptsubmitted", "beforeagent", "preuserprompt", "chatmessage"],
    Stop => ["postresponse", "agentstop", "afteragent", "sessionidle", "agentturncomplete", "postcascaderesponse"],
    StopFailure => [],
    SubagentStart => [],
    SubagentStop => [],
    PreCompact => ["precompress"],
    PostCompact => ["contextcompact"],
    Setup => [],
    SessionStart => ["sessioncreated"],
    SessionEnd => ["sessiondeleted"],
    SessionError => ["erroroccurred"],
    Notification => [],
    FileModified => ["afterfileedit", "fileedited"],
    AgentThought => ["afteragentthought"],
    AgentResponse => ["afteragentresponse"],
    PreModelRequest => ["beforemodel"],
    PostModelRequest => ["aftermodel"],
    TaskCreated => [],
    TaskCompleted => [],
}

impl EventKind {
    /// Parses any spelling: `pre-tool`, `preToolUse`, `pre_tool_use`, `BeforeTool`, `tool.execute.before`.
    pub fn parse(name: &str) -> Self {
        let folded = fold(name);
        Self::from_folded(&folded).unwrap_or_else(|| Self::Other(name.into()))
    }

    /// Whether this is one of Becket's canonical kinds.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// The nearest known name, for "did you mean".
    pub fn suggest(name: &str) -> Option<&'static EventKind> {
        let nearest = nearest(name, Self::ALL.iter().map(Self::name))?;
        Self::ALL.iter().find(|kind| kind.name() == nearest)
    }

    /// Whether a hook can prevent the action that the event announces, in every dialect.
    ///
    /// A denial on any other event is recorded and shown; on `Stop` it means "keep going".
    pub fn can_block(&self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::UserPromptSubmit
                | Self::SessionStart
                | Self::SubagentStart
                | Self::PermissionRequest
        )
    }

    /// Whether the event announces or reports a tool call.
    pub fn is_tool(&self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::PermissionRequest
                | Self::PermissionDenied
        )
    }

    /// Whether a malformed payload for this event is answered with `ask` instead of no verdict: the events that
    /// guards use.
    pub fn is_guarded(&self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest)
    }

    /// `pre_tool_use`
    pub fn snake(&self) -> String {
        split_camel(self.name(), '_')
    }

    /// `pre-tool-use`
    pub fn kebab(&self) -> String {
        split_camel(self.name(), '-')
    }
}

/// The wire spelling, `pre_tool_use`; an unknown name prints as it was written.
impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(name) => f.write_str(name),
            known => f.write_str(&known.snake()),
        }
    }
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ':' | '.' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn split_camel(name: &str, separator: char) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push(separator);
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The subagent that an event happened in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// The agent's id for it.
    pub id: String,
    /// Its type, such as `general-purpose`.
    pub kind: Option<String>,
}

/// Something an agent did or is about to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The agent.
    pub agent: AgentId,
    /// The session.
    pub session: SessionId,
    /// The directory the agent works in, as it wrote it.
    pub cwd: Option<String>,
    /// The agent's own name for the event.
    pub native_name: String,
    /// Set when the event happened inside a subagent.
    pub subagent: Option<Subagent>,
    /// Where the agent keeps its transcript.
    pub transcript: Option<String>,
    /// The data of the event's kind.
    pub data: EventData,
    /// The complete payload, as the agent sent it.
    pub raw: Map<String, Value>,
}

/// The data of an event, by kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "fields are named as docs/reference/events.md names them"
)]
pub enum EventData {
    PreToolUse {
        call: ToolCall,
    },
    PostToolUse {
        call: ToolCall,
        response: Value,
        duration_ms: Option<u64>,
    },
    PostToolUseFailure {
        call: ToolCall,
        error: String,
        interrupted: bool,
        duration_ms: Option<u64>,
    },
    PermissionRequest {
        call: ToolCall,
    },
    PermissionDenied {
        call: ToolCall,
        reason: Option<String>,
    },
    UserPromptSubmit {
        prompt: String,
    },
    Stop {
        active: bool,
        last_message: Option<String>,
    },
    StopFailure {
        error: String,
        details: Option<String>,
    },
    SubagentStart {
        id: String,
        kind: String,
        description: String,
    },
    SubagentStop {
        id: String,
        kind: String,
        active: bool,
        success: bool,
        error: Option<String>,
        last_message: Option<String>,
    },
    PreCompact {
        trigger: Option<String>,
        instructions: Option<String>,
    },
    PostCompact {
        trigger: Option<String>,
        summary: Option<String>,
    },
    Setup {
        trigger: Option<String>,
    },
    SessionStart {
        source: Option<String>,
    },
    SessionEnd {
        reason: Option<String>,
    },
    SessionError {
        error: String,
        code: Option<String>,
    },
    Notification {
        kind: Option<String>,
        message: String,
    },
    FileModified {
        path: String,
        change: Option<String>,
    },
    AgentThought {
        text: String,
    },
    AgentResponse {
        text: String,
    },
    PreModelRequest,
    PostModelRequest,
    TaskCreated {
        id: String,
        subject: String,
    },
    TaskCompleted {
        id: String,
        subject: String,
    },
    /// Kept in [`Event::raw`]. `subject` is what a matcher is tested against.
    Other {
        name: Box<str>,
        subject: Option<String>,
    },
}

impl EventData {
    /// The canonical kind.
    pub fn kind(&self) -> EventKind {
        use EventKind as K;
        match self {
            Self::PreToolUse { .. } => K::PreToolUse,
            Self::PostToolUse { .. } => K::PostToolUse,
            Self::PostToolUseFailure { .. } => K::PostToolUseFailure,
            Self::PermissionRequest { .. } => K::PermissionRequest,
            Self::PermissionDenied { .. } => K::PermissionDenied,
            Self::UserPromptSubmit { .. } => K::UserPromptSubmit,
            Self::Stop { .. } => K::Stop,
            Self::StopFailure { .. } => K::StopFailure,
            Self::SubagentStart { .. } => K::SubagentStart,
            Self::SubagentStop { .. } => K::SubagentStop,
            Self::PreCompact { .. } => K::PreCompact,
            Self::PostCompact { .. } => K::PostCompact,
            Self::Setup { .. } => K::Setup,
            Self::SessionStart { .. } => K::SessionStart,
            Self::SessionEnd { .. } => K::SessionEnd,
            Self::SessionError { .. } => K::SessionError,
            Self::Notification { .. } => K::Notification,
            Self::FileModified { .. } => K::FileModified,
            Self::AgentThought { .. } => K::AgentThought,
            Self::AgentResponse { .. } => K::AgentResponse,
            Self::PreModelRequest => K::PreModelRequest,
            Self::PostModelRequest => K::PostModelRequest,
            Self::TaskCreated { .. } => K::TaskCreated,
            Self::TaskCompleted { .. } => K::TaskCompleted,
            Self::Other { name, .. } => K::Other(name.clone()),
        }
    }

    /// The tool call, for the events that have one.
    pub fn call(&self) -> Option<&ToolCall> {
        match self {
            Self::PreToolUse { call }
            | Self::PostToolUse { call, .. }
            | Self::PostToolUseFailure { call, .. }
            | Self::PermissionRequest { call }
            | Self::PermissionDenied { call, .. } => Some(call),
            _ => None,
        }
    }

    /// The tool call, to rewrite its input.
    pub fn call_mut(&mut self) -> Option<&mut ToolCall> {
        match self {
            Self::PreToolUse { call }
            | Self::PostToolUse { call, .. }
            | Self::PostToolUseFailure { call, .. }
            | Self::PermissionRequest { call }
            | Self::PermissionDenied { call, .. } => Some(call),
            _ => None,
        }
    }
}

impl Event {
    /// An event with nothing but its data; adapters fill in the rest.
    pub fn new(agent: AgentId, session: SessionId, data: EventData) -> Self {
        let native_name = data.kind().name().to_owned();
        Self {
            agent,
            session,
            cwd: None,
            native_name,
            subagent: None,
            transcript: None,
            data,
            raw: Map::new(),
        }
    }

    /// The canonical kind.
    pub fn kind(&self) -> EventKind {
        self.data.kind()
    }

    /// The tool call, for the events that have one.
    pub fn call(&self) -> Option<&ToolCall> {
        self.data.call()
    }

    /// What a matcher is tested against, for events that are not about a tool:
    /// the start's source, the end's reason, the subagent's type, the notification's type.
    pub fn subject(&self) -> Option<&str> {
        match &self.data {
            EventData::SessionStart { source: subject }
            | EventData::SessionEnd { reason: subject }
            | EventData::Setup { trigger: subject }
            | EventData::PreCompact {
                trigger: subject, ..
            }
            | EventData::PostCompact {
                trigger: subject, ..
            }
            | EventData::Notification { kind: subject, .. }
            | EventData::Other { subject, .. } => subject.as_deref(),
            EventData::SubagentStart { kind, .. } | EventData::SubagentStop { kind, .. } => {
                Some(kind)
            }
            EventData::StopFailure { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The files this event is about, as the agent wrote them.
    pub fn paths(&self) -> Vec<&str> {
        match &self.data {
            EventData::FileModified { path, .. } => vec![path],
            data => data.call().map(ToolCall::paths).unwrap_or_default(),
        }
    }

    /// Becket's own JSON shape: what hooks of the becket dialect read and what is recorded.
    pub fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("schema_version".into(), json!(1));
        out.insert("event".into(), json!(self.kind().name()));
        out.insert("hook_event_name".into(), json!(self.kind().name()));
        out.insert("agent".into(), json!(self.agent.as_str()));
        out.insert("native_event".into(), json!(self.native_name));
        out.insert("session_id".into(), json!(self.session.as_str()));
        out.insert("cwd".into(), json!(self.cwd));
        if let Some(path) = &self.transcript {
            out.insert("transcript_path".into(), json!(path));
        }
        if let Some(subagent) = &self.subagent {
            out.insert("agent_id".into(), json!(subagent.id));
            out.insert("agent_type".into(), json!(subagent.kind));
        }
        self.data.write_json(&mut out);
        Value::Object(out)
    }
}

impl EventData {
    fn write_json(&self, out: &mut Map<String, Value>) {
        if let Some(call) = self.call() {
            call.write_json(out);
        }
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                out.insert(key.to_owned(), value);
            }
        };
        match self {
            Self::PreToolUse { .. }
            | Self::PermissionRequest { .. }
            | Self::PreModelRequest
            | Self::PostModelRequest => {}
            Self::PostToolUse {
                response,
                duration_ms,
                ..
            } => {
                put("tool_response", response.clone());
                put("duration_ms", json!(duration_ms));
            }
            Self::PostToolUseFailure {
                error,
                interrupted,
                duration_ms,
                ..
            } => {
                put("error", json!(error));
                put("is_interrupt", json!(interrupted));
                put("duration_ms", json!(duration_ms));
            }
            Self::PermissionDenied { reason, .. } | Self::SessionEnd { reason } => {
                put("reason", json!(reason));
            }
            Self::UserPromptSubmit { prompt } => put("prompt", json!(prompt)),
            Self::Stop {
                active,
                last_message,
            } => {
                put("stop_hook_active", json!(active));
                put("last_assistant_message", json!(last_message));
            }
            Self::StopFailure { error, details } => {
                put("error", json!(error));
                put("error_details", json!(details));
            }
            Self::SubagentStart {
                id,
                kind,
                description,
            } => {
                put("agent_id", json!(id));
                put("agent_type", json!(kind));
                put("description", json!(description));
            }
            Self::SubagentStop {
                id,
                kind,
                active,
                success,
                error,
                last_message,
            } => {
                put("agent_id", json!(id));
                put("agent_type", json!(kind));
                put("stop_hook_active", json!(active));
                put("success", json!(success));
                put("error", json!(error));
                put("last_assistant_message", json!(last_message));
            }
            Self::PreCompact {
                trigger,
                instructions,
            } => {
                put("trigger", json!(trigger));
                put("custom_instructions", json!(instructions));
            }
            Self::PostCompact { trigger, summary } => {
                put("trigger", json!(trigger));
                put("compact_summary", json!(summary));
            }
            Self::Setup { trigger } => put("trigger", json!(trigger)),
            Self::SessionStart { source } => put("source", json!(source)),
            Self::SessionError { error, code } => {
                put("error", json!(error));
                put("error_code", json!(code));
            }
            Self::Notification { kind, message } => {
                put("notification_type", json!(kind));
                put("message", json!(message));
            }
            Self::FileModified { path, change } => {
                put("file_path", json!(path));
                put("change_type", json!(change));
            }
            Self::AgentThought { text } | Self::AgentResponse { text } => put("text", json!(text)),
            Self::TaskCreated { id, subject } | Self::TaskCompleted { id, subject } => {
                put("task_id", json!(id));
                put("task_subject", json!(subject));
            }
            Self::Other { subject, .. } => put("subject", json!(subject)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_parses_to_the_canonical_event() {
        for (spelling, expected) in [
            ("PreToolUse", EventKind::PreToolUse),
            ("preToolUse", EventKind::PreToolUse),
            ("pre_tool_use", EventKind::PreToolUse),
            ("pre-tool-use", EventKind::PreToolUse),
            ("pre-tool", EventKind::PreToolUse),
            ("BeforeTool", EventKind::PreToolUse),
            ("tool.execute.before", EventKind::PreToolUse),
            ("post-tool", EventKind::PostToolUse),
            ("AfterTool", EventKind::PostToolUse),
            ("prompt-submit", EventKind::UserPromptSubmit),
            ("beforeSubmitPrompt", EventKind::UserPromptSubmit),
            ("BeforeAgent", EventKind::UserPromptSubmit),
            ("pre-prompt", EventKind::UserPromptSubmit),
            ("post-response", EventKind::Stop),
            ("AfterAgent", EventKind::Stop),
            ("PreCompress", EventKind::PreCompact),
            ("session_start", EventKind::SessionStart),
            ("file-modified", EventKind::FileModified),
            ("context:compact", EventKind::PostCompact),
        ] {
            assert_eq!(EventKind::parse(spelling), expected, "{spelling}");
        }
    }

    #[test]
    fn an_unknown_name_is_kept_as_it_was_written() {
        let kind = EventKind::parse("Worktree-Create");
        assert_eq!(kind, EventKind::Other("Worktree-Create".into()));
        assert_eq!(kind.name(), "Worktree-Create");
    }

    #[test]
    fn a_near_miss_gets_a_suggestion_and_nonsense_does_not() {
        assert_eq!(
            EventKind::suggest("PreTolUse"),
            Some(&EventKind::PreToolUse)
        );
        assert_eq!(
            EventKind::suggest("sesion-start"),
            Some(&EventKind::SessionStart)
        );
        assert_eq!(EventKind::suggest("banana"), None);
    }

    #[test]
    fn canonical_names_print_in_the_three_usual_cases() {
        assert_eq!(EventKind::PreToolUse.snake(), "pre_tool_use");
        assert_eq!(EventKind::UserPromptSubmit.kebab(), "user-prompt-submit");
        for kind in EventKind::ALL {
            assert_eq!(&EventKind::parse(&kind.snake()), kind);
            assert_eq!(&EventKind::parse(&kind.kebab()), kind);
        }
    }

    #[test]
    fn five_kinds_can_block() {
        let blocking: Vec<_> = EventKind::ALL
            .iter()
            .filter(|k| k.can_block())
            .map(EventKind::name)
            .collect();
        assert_eq!(
            blocking,
            [
                "PreToolUse",
                "PermissionRequest",
                "UserPromptSubmit",
                "SubagentStart",
                "SessionStart"
            ]
        );
    }
}
