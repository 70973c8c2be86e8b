//! Requests about memories and their responses.

use becket_recall::code::{IndexError, IndexReport};
use becket_recall::search::{Band, HitKind, RecallError};
use becket_store::{ChunkRow, MemoryKind, MemoryRow, MemoryStatus, Millis, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The longest memory, in characters.
pub const MAX_TEXT_CHARS: usize = 10_000;

/// A request about memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum MemoryRequest {
    /// Search memories, plans, session summaries and code.
    Search(RecallQuery),
    /// List memories.
    List(MemoryListQuery),
    /// Show one memory.
    Show {
        /// The project that the memory must belong to, if any.
        project: Option<String>,
        /// The memory's id, or a unique prefix.
        id: String,
    },
    /// Store a memory.
    Remember(MemoryInput),
    /// Edit a memory.
    Change {
        /// As in `Show`.
        project: Option<String>,
        /// As in `Show`.
        id: String,
        /// The edit.
        change: MemoryPatch,
    },
    /// Forget a memory.
    Forget {
        /// As in `Show`.
        project: Option<String>,
        /// As in `Show`.
        id: String,
    },
    /// Index a project's code, or report the progress.
    Index {
        /// The project's directory.
        project: String,
        /// Start indexing; otherwise only report the progress.
        #[serde(default)]
        begin: bool,
    },
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryResponse {
    /// To `Search`: hits, the most relevant first.
    Found(Vec<RecallHit>),
    /// To `List`: pinned memories first, then the newest.
    Memories(Vec<MemoryRow>),
    /// To `Show` and `Change`.
    Memory(Box<MemoryDetail>),
    /// To `Remember`.
    Remembered(RememberResult),
    /// To `Forget`.
    Forgotten(Box<ForgetResult>),
    /// To `Index`.
    Indexing(Box<IndexingStatus>),
}

/// A search in one project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallQuery {
    /// The project's directory.
    pub project: String,
    /// Words, a sentence or a whole prompt.
    pub text: String,
    /// The kinds of hits; empty for all.
    #[serde(default)]
    pub kinds: Vec<HitKind>,
    /// The types of memories; empty for all.
    #[serde(default)]
    pub types: Vec<MemoryKind>,
    /// A file or directory that hits must be in or refer to.
    #[serde(default)]
    pub file: Option<String>,
    /// Only hits from this time on.
    #[serde(default)]
    pub since: Option<Millis>,
    /// Only hits from this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The lowest confidence band.
    #[serde(rename = "least", default = "default_band")]
    pub min_band: Band,
    /// The most hits.
    #[serde(default = "default_limit")]
    pub limit: usize,
}

fn default_band() -> Band {
    Band::Low
}

fn default_limit() -> usize {
    10
}

impl RecallQuery {
    /// A search for the ten best hits of all kinds.
    pub fn new(project: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            text: text.into(),
            kinds: Vec::new(),
            types: Vec::new(),
            file: None,
            since: None,
            agent: None,
            min_band: default_band(),
            limit: default_limit(),
        }
    }
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallHit {
    /// Probability that the hit is relevant, from 0 to 1
    pub score: f32,
    /// The confidence band of the score
    pub band: Band,
    /// The kind of hit
    pub kind: HitKind,
    /// Where the score comes from
    pub why: String,
    /// The memory, session summary or plan
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<MemoryRow>>,
    /// The code chunk
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Box<ChunkRow>>,
}

/// A filter for memories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryListQuery {
    /// The project's directory; `None` for all projects.
    pub project: Option<String>,
    /// The memory type.
    pub kind: Option<MemoryKind>,
    /// The memory status; `None` for any.
    pub status: Option<MemoryStatus>,
    /// The session that the memory comes from.
    pub session: Option<String>,
    /// A file that the memory refers to.
    pub file: Option<String>,
    /// The most memories.
    pub limit: usize,
}

/// A memory to store
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryInput {
    /// The project's directory
    pub project: String,
    /// The text of the memory
    pub text: String,
    /// The memory type
    #[serde(rename = "type", default = "default_type")]
    pub kind: MemoryKind,
    /// Where it applies, or why
    #[serde(default)]
    pub context: Option<String>,
    /// The files that it refers to
    #[serde(default)]
    pub files: Vec<String>,
    /// From 1 to 10
    #[serde(default = "default_importance")]
    #[schemars(range(min = 1, max = 10))]
    pub importance: u8,
    /// List it first, and do not let its relevance decay
    #[serde(default)]
    pub pinned: bool,
    /// When it stops being valid
    #[serde(default)]
    pub expires: Option<Millis>,
    /// The source of the statement: the user, an agent, or tool output. It decides which prompt injection checks apply. Default: the user for requests from the dashboard, otherwise an agent; requests with the token cannot set the user
    #[serde(default)]
    pub trust: Option<Trust>,
    /// The agent that it comes from
    #[serde(default)]
    pub agent: Option<String>,
    /// The session that it comes from
    #[serde(default)]
    pub session: Option<String>,
    /// The events that it comes from
    #[serde(default)]
    pub events: Vec<String>,
    /// The commit at which it was true
    #[serde(default)]
    pub commit: Option<String>,
}

fn default_type() -> MemoryKind {
    MemoryKind::Discovery
}

fn default_importance() -> u8 {
    5
}

impl MemoryInput {
    /// Clients with the token or on the socket may be an agent's shell, so the default is not the user.
    pub(super) fn trust(&self) -> Trust {
        self.trust.unwrap_or(Trust::Agent)
    }

    /// A discovery of default importance, stated by the user.
    pub fn new(project: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            text: text.into(),
            kind: default_type(),
            context: None,
            files: Vec::new(),
            importance: default_importance(),
            pinned: false,
            expires: None,
            trust: Some(Trust::User),
            agent: None,
            session: None,
            events: Vec::new(),
            commit: None,
        }
    }
}

/// The result of storing a memory
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RememberResult {
    /// Its id, or the id of the existing memory with the same text
    pub id: String,
    /// False if a memory with the same text existed
    pub new: bool,
    /// Active, or quarantined until a person has reviewed it
    pub status: MemoryStatus,
    /// Why it is quarantined
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
}

/// An edit of a memory; omitted members stay unchanged
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryPatch {
    /// The text of the memory
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The memory type
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// Where it applies; null removes it
    #[serde(
        default,
        deserialize_with = "present_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub context: Option<Option<String>>,
    /// The files that it refers to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// From 1 to 10
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub importance: Option<u8>,
    /// Whether it is listed first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// When it stops being valid; null for never
    #[serde(
        default,
        deserialize_with = "present_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<Millis>")]
    pub expires: Option<Option<Millis>>,
    /// The status; `active` also releases a quarantined memory and restores a superseded one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MemoryStatus>,
    /// The id of the memory that replaces it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// Deserializes a member that is present, including null.
fn present_or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A memory and its sources
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryDetail {
    /// The memory
    pub memory: MemoryRow,
    /// The title of the session that it comes from, if it is still stored
    pub session_title: Option<String>,
    /// The events that it comes from
    pub sources: Vec<MemorySource>,
    /// The turns of those events, if they are still stored
    #[serde(default)]
    pub turns: Vec<SourceTurn>,
    /// The ids of the memories that it replaces
    pub supersedes: Vec<String>,
    /// The ids of the memories that it contradicts
    #[serde(default)]
    pub contradicts: Vec<String>,
    /// Why it is quarantined, if it is
    pub suspect: Option<String>,
}

/// An event that a memory comes from
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemorySource {
    /// The event's id
    pub id: String,
    /// The tool of the call, if the event is still stored
    pub tool: Option<String>,
    /// The time of the event
    pub at: Option<Millis>,
}

/// A turn that a memory comes from
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceTurn {
    /// The turn's id
    pub id: String,
    /// The number of the turn in its session
    pub number: u32,
    /// The user's prompt
    pub prompt: Option<String>,
}

/// The result of forgetting a memory
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForgetResult {
    /// The deleted memory
    pub memory: MemoryRow,
    /// The ids of the memories that it replaced. The memory that replaced it now replaces them; without one they become resolved
    pub supersedes: Vec<String>,
    /// No trace is left in the database files; false if another process was reading them, then the next commit removes it
    pub traceless: bool,
}

/// The progress of indexing a project's code
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct IndexingStatus {
    /// Indexing is in progress
    pub running: bool,
    /// Files processed
    pub done: usize,
    /// Files in total
    pub total: usize,
    /// The result, when finished
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexed: Option<IndexReport>,
    /// Why indexing failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no such memory.
    #[error("memory `{0}` not found")]
    NotFound(String),
    /// Several memories have this prefix.
    #[error("several memories start with `{id}`: {}", .candidates.join(", "))]
    Ambiguous {
        /// The prefix.
        id: String,
        /// The matching ids.
        candidates: Vec<String>,
    },
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
    /// The search index failed.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// Indexing failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The service is not available.
    #[error("{0}")]
    Unavailable(String),
}
