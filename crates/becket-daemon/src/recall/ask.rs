//! What can be asked of memories, and what is answered.

use becket_recall::code::{IndexError, Indexed};
use becket_recall::search::{Band, Kind, RecallError};
use becket_store::{ChunkRow, MemoryKind, MemoryRow, MemoryStatus, Millis, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The longest memory, in characters.
pub const MOST_TEXT: usize = 10_000;

/// A question or a wish.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Ask {
    /// What is relevant?
    Search(Question),
    /// What is remembered?
    List(Which),
    /// What is known of one memory?
    Show {
        /// The project that it has to be of, if any.
        project: Option<String>,
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Remember this.
    Remember(Note),
    /// Change a memory.
    Change {
        /// As in `Show`.
        project: Option<String>,
        /// As in `Show`.
        id: String,
        /// What is to be different.
        change: Change,
    },
    /// Forget a memory.
    Forget {
        /// As in `Show`.
        project: Option<String>,
        /// As in `Show`.
        id: String,
    },
    /// Bring the code of a project up to date; who asks again hears how far it is.
    Index {
        /// The project's directory.
        project: String,
        /// Begin; otherwise only tell.
        #[serde(default)]
        begin: bool,
    },
}

/// The answer to each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// To `Search`: the likeliest first.
    Found(Vec<Item>),
    /// To `List`: pinned ones first, then the latest.
    Memories(Vec<MemoryRow>),
    /// To `Show` and `Change`.
    Memory(Box<Detail>),
    /// To `Remember`.
    Remembered(Remembered),
    /// To `Forget`.
    Forgotten(Box<Forgotten>),
    /// To `Index`.
    Indexing(Box<Indexing>),
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The project's directory.
    pub project: String,
    /// Words, a sentence, a whole prompt.
    pub text: String,
    /// What may be found; empty is everything.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// What sorts of memories; empty is all.
    #[serde(default)]
    pub types: Vec<MemoryKind>,
    /// A file that it is or is about, or a directory of such files.
    #[serde(default)]
    pub file: Option<String>,
    /// Not older than this.
    #[serde(default)]
    pub since: Option<Millis>,
    /// The agent that it came from.
    #[serde(default)]
    pub agent: Option<String>,
    /// How sure one must be.
    #[serde(default = "low")]
    pub least: Band,
    /// How many.
    #[serde(default = "ten")]
    pub limit: usize,
}

fn low() -> Band {
    Band::Low
}

fn ten() -> usize {
    10
}

impl Question {
    /// The ten best of everything.
    pub fn new(project: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            text: text.into(),
            kinds: Vec::new(),
            types: Vec::new(),
            file: None,
            since: None,
            agent: None,
            least: low(),
            limit: ten(),
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// How likely it is that it is relevant, from 0 to 1
    pub score: f32,
    /// How sure that is
    pub band: Band,
    /// What it is
    pub kind: Kind,
    /// What the score comes from, in words
    pub why: String,
    /// The memory, the summary of a session or the plan
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<MemoryRow>>,
    /// The piece of a file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Box<ChunkRow>>,
}

/// Which memories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Which {
    /// The project's directory; `None` is all, for people who ask for that.
    pub project: Option<String>,
    /// What sort.
    pub kind: Option<MemoryKind>,
    /// Whether it holds; `None` is whether or not.
    pub status: Option<MemoryStatus>,
    /// The session that it came from.
    pub session: Option<String>,
    /// A file that it is about.
    pub file: Option<String>,
    /// How many.
    pub limit: usize,
}

/// Something to remember
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The project's directory
    pub project: String,
    /// What was learnt
    pub text: String,
    /// What sort it is
    #[serde(rename = "type", default = "discovery")]
    pub kind: MemoryKind,
    /// Where it belongs, or why
    #[serde(default)]
    pub context: Option<String>,
    /// The files that it is about
    #[serde(default)]
    pub files: Vec<String>,
    /// From 1 to 10
    #[serde(default = "middling")]
    #[schemars(range(min = 1, max = 10))]
    pub importance: u8,
    /// Show it first, and do not let it grow old
    #[serde(default)]
    pub pinned: bool,
    /// When it stops being true
    #[serde(default)]
    pub expires: Option<Millis>,
    /// Who said it; what a tool printed is set aside if it looks like an instruction. The person, where the dashboard does not say it, and else an agent; with the token, nobody is the person
    #[serde(default)]
    pub trust: Option<Trust>,
    /// The agent that it came from
    #[serde(default)]
    pub agent: Option<String>,
    /// The session that it came from
    #[serde(default)]
    pub session: Option<String>,
    /// The events that it came from
    #[serde(default)]
    pub events: Vec<String>,
    /// The commit that it was true at
    #[serde(default)]
    pub commit: Option<String>,
}

fn discovery() -> MemoryKind {
    MemoryKind::Discovery
}

fn middling() -> u8 {
    5
}

impl Note {
    /// Whoever speaks with the token or over the socket and does not say who may be an agent's shell.
    pub(super) fn trust(&self) -> Trust {
        self.trust.unwrap_or(Trust::Agent)
    }

    /// A discovery of middling importance that a person told.
    pub fn new(project: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            text: text.into(),
            kind: discovery(),
            context: None,
            files: Vec::new(),
            importance: middling(),
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

/// What became of something to remember
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remembered {
    /// Its id; that of the memory that says the same, if there was one
    pub id: String,
    /// It was not known before
    pub new: bool,
    /// Whether it holds, or is set aside until a person has looked at it
    pub status: MemoryStatus,
    /// Why it is set aside
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
}

/// What is to be different about a memory; what is not said stays
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What was learnt
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What sort it is
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// Where it belongs; null is nowhere in particular
    #[serde(
        default,
        deserialize_with = "said",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub context: Option<Option<String>>,
    /// The files that it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// From 1 to 10
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub importance: Option<u8>,
    /// Whether it is shown first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// When it stops being true; null is never
    #[serde(
        default,
        deserialize_with = "said",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<Millis>")]
    pub expires: Option<Option<Millis>>,
    /// Whether it holds; `active` also releases what was set aside, and lets hold again what another had taken the place of
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MemoryStatus>,
    /// The id of the memory that takes its place
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// What is there was said, also if it is null.
fn said<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A memory and where it comes from
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detail {
    /// The memory
    pub memory: MemoryRow,
    /// What the session was called that it came from, if it is still on record
    pub session_title: Option<String>,
    /// The events that it came from
    pub sources: Vec<Source>,
    /// The turns that those events are of, as far as they are still on record
    #[serde(default)]
    pub turns: Vec<TurnOf>,
    /// The ids of the memories whose place it has taken
    pub supersedes: Vec<String>,
    /// The ids of the memories that it speaks against
    #[serde(default)]
    pub contradicts: Vec<String>,
    /// Why it is set aside, if it is
    pub suspect: Option<String>,
}

/// An event that a memory came from
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Its id
    pub id: String,
    /// What was done, if it is still on record
    pub tool: Option<String>,
    /// When
    pub at: Option<Millis>,
}

/// A turn that a memory came from
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnOf {
    /// Its id
    pub id: String,
    /// The how manyth of its session it is
    pub number: u32,
    /// What was asked
    pub prompt: Option<String>,
}

/// What is gone
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forgotten {
    /// The memory, as it was
    pub memory: MemoryRow,
    /// The ids of the memories whose place it had taken; who has taken its own place takes theirs, and else they are resolved
    pub supersedes: Vec<String>,
    /// Nothing of it is left in the files; false if somebody was reading them, then it goes with the next commit
    pub traceless: bool,
}

/// How far it is with the code of a project
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Indexing {
    /// It is under way
    pub running: bool,
    /// Files that were looked at
    pub done: usize,
    /// Files that there are
    pub total: usize,
    /// What was done, once it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexed: Option<Indexed>,
    /// Why it ended before
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unanswered {
    /// There is no such memory.
    #[error("there is no memory `{0}`")]
    Missing(String),
    /// Several are called so.
    #[error("several memories begin with `{id}`: {}", .among.join(", "))]
    Ambiguous {
        /// What was given.
        id: String,
        /// What begins so.
        among: Vec<String>,
    },
    /// It makes no sense.
    #[error("{0}")]
    Bad(String),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
    /// The index did not do it.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// The project could not be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The daemon did not do it.
    #[error("{0}")]
    Unavailable(String),
}
