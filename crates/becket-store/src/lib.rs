//! The event database: events, sessions, prompts, activities, hook runs, decisions, alarms, memories and indexed
//! code.
//!
//! This is the only crate that contains SQL. One [`StoreWriter`] ingests the records of clients, many per
//! transaction; any number of [`StoreReader`]s, in any process, query the database. Ingesting is idempotent: a
//! record counts once, by its event id. The order in which records arrive does not matter: sessions and turns are a
//! function of the set of events (see the `session` module).
//!
//! Guarantees: a committed transaction is on the disk, so the spool can delete its records. The store refuses to
//! open a database of a later version and does not follow a symbolic link in place of its file.
//!
//! Clients redact records before they write them; ingesting redacts them again. Text that callers pass to the
//! methods of [`WriteTransaction`] is redacted here.
//!
//! Start at [`StoreWriter::open`] and [`StoreWriter::ingest`], then [`StoreReader`]. The `write` module explains
//! the steps from a record to its rows.

mod condense;
mod describe;
mod error;
mod injected_context;
mod maintenance;
mod millis;
mod open;
mod prompt;
mod read;
mod recall;
mod record;
mod schema;
mod session;
mod tokenize;
mod write;

pub use describe::{describe_call, describe_record, describe_record_in_full};
pub use error::{Error, ErrorKind};
pub use injected_context::{INJECTED_BEGIN, INJECTED_END, escape_markers, strip_injected};
pub use maintenance::{
    CheckDepth, ExportReport, ImportError, ImportReport, IntegrityReport, PruneExtent, PruneReport,
    Retention,
};
pub use millis::Millis;
pub use open::{
    Durability, OpenedStore, Options, QuarantinedDatabase, StoreReader, StoreWriter, bytes_on_disk,
};
pub use prompt::PromptSource;
pub use read::{
    ActivityFilter, ActivityRow, ActivityStats, AgentRow, AlarmFilter, AlarmRow, BatchDetail,
    BatchRow, DecisionFilter, DecisionRow, EntryContent, EventFilter, FileNumbers, HitKind,
    HookLatency, HookRunRow, NotificationRow, Page, PlanRow, ProjectRow, QueryScope, SearchFilter,
    SearchHit, SessionFilter, SessionHead, SessionRow, StreamedEvent, SubagentDetail, TimeBucket,
    Timeline, TimelineEntry, TokenNumbers, ToolNumbers, VerdictNumbers, is_cursor,
};
pub use recall::{
    AddedMemory, CONTRADICTS, ChunkRow, CodeFile, CodeFileRow, CorpusChange, CorpusKind, CorpusRow,
    EditResult, ExtractionCounts, ExtractionJob, FailedExtraction, MemoryChange, MemoryEdit,
    MemoryFilter, MemoryKind, MemoryRow, MemoryStatus, NewChunk, NewMemory, NewVector,
    RecallCounts, SESSION_END_PREFIX, Trust, UnembeddedRow,
};
pub use record::{IDLE_EVENT, RecordLine, event_of_record};
pub use schema::VERSION;
pub use write::{
    BatchClass, EventOrigin, EventStored, IdleTimeouts, IngestReport, MissingHookReport,
    ParsedRecords, PromptSubmitted, RecoveryReport, SessionEnded, SessionStarted,
    TELEMETRY_ID_PREFIX, TitleAuthor, TokenCounts, ToolUse, ToolUsed, TranscriptFile, TurnStopped,
    WriteTransaction,
};
