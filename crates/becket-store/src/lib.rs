//! The memory of what agents did: events, sessions, prompts, activities, hook runs, decisions.
//!
//! The only crate that says SQL. One [`Writer`] takes what clients recorded, in groups that are committed
//! together; [`Reader`]s, in any number of processes, answer questions. A record counts exactly once,
//! by its event id, and the order in which records arrive changes nothing: what is concluded from
//! them (see the `session` module) is a function of their set.
//!
//! What it promises: when a group is committed it is on the disk, so that the spool may let go of it. What it
//! refuses to do: open a database of a later version, follow a link in place of its file, or guess.
//!
//! Text is stored as it comes in records, which clients redact before they write them; what is told through the
//! functions of [`Group`] is redacted here.
//!
//! Start at [`Writer::open`] and [`Writer::ingest`], then [`Reader`].

mod about;
mod error;
mod injected;
mod keep;
mod millis;
mod open;
mod prompt;
mod read;
mod recall;
mod record;
mod sanitise;
mod schema;
mod session;
mod words;
mod write;

pub use about::{about, about_in_full, about_tool};
pub use error::{Error, ErrorKind};
pub use injected::{INJECTED_BEGIN, INJECTED_END, defused, strip_injected};
pub use keep::{Depth, Exported, Extent, Found, ImportError, Imported, Pruned, Retention};
pub use millis::Millis;
pub use open::{Durability, Opened, Options, Reader, SetAside, Writer, bytes_on_disk};
pub use prompt::Source;
pub use read::{
    ActivityFilter, ActivityRow, AgentRow, AlarmFilter, AlarmRow, BatchDetail, BatchRow, Bucket,
    DecisionFilter, DecisionRow, Entry, EventFilter, FileNumbers, Hit, HitKind, HookLatency,
    HookRunRow, NotificationRow, Page, PlanRow, ProjectRow, Scope, SearchFilter, SessionFilter,
    SessionHead, SessionRow, Stats, StreamedEvent, SubagentDetail, Timeline, TokenNumbers,
    ToolNumbers, VerdictNumbers, What, is_place,
};
pub use recall::{
    AddedMemory, CONTRADICTS, ChunkRow, CodeFile, CodeFileRow, END_OF_SESSION, Extraction,
    Extractions, FailedExtraction, MemoryChange, MemoryFilter, MemoryKind, MemoryRow, MemoryStatus,
    NewChunk, NewMemory, NewVector, RecallNumbers, Reworded, Rewording, Shelf, ShelfChange,
    ShelfRow, Trust, Unembedded,
};
pub use record::{IDLE, Record, event_in};
pub use schema::VERSION;
pub use write::{
    Class, Group, IngestReport, Origin, Patience, Prepared, PromptSubmitted, Recovered, Registered,
    SessionEnded, SessionStarted, Stopped, TELEMETRY, TitleBy, Tokens, ToolUse, ToolUsed,
    Transcript, Watched,
};
