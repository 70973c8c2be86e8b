//! The write side: from a client's record to the rows of the database.
//!
//! ```text
//!  RecordLine                 one line of the spool, or a record built by `api`
//!      │  record::parse       redact; parse the payload with the agent's adapter
//!      ▼
//!  ParsedRecord ── HookRun ─────────────────────────▶ hook_runs
//!      │  Event
//!      ▼
//!  events                     skip known ids; upsert project, agent, session header
//!      │
//!      ▼
//!  apply                      apply the TurnEffect to the session's TurnState
//!      │                      in order: one step; late: place it or replay the session
//!      ▼                                             ─▶ events, batches
//!  rows, activities,          insert messages, activity, files, hook runs, decision, notification, token use;
//!  decisions                  a second report of one action becomes a duplicate
//!      │
//!      ▼
//!  dedupe_sources             the hook's and the telemetry's report of one call become one
//!      │
//!      ▼
//!  decisions, match_outcomes  match decisions with outcomes by call id, then by input ─▶ alarms
//!      │
//!      ▼
//!  transaction                flush cached sessions and search tokens, link `parents`, COMMIT
//! ```
//!
//! Outside of ingestion, [`StoreWriter::recover`](crate::StoreWriter::recover) ends idle turns and sessions with
//! synthetic events, [`StoreWriter::check_missing_hooks`](crate::StoreWriter::check_missing_hooks) raises
//! missing-hook alarms, and `annotate` stores what people and models add.

mod activities;
mod annotate;
mod api;
mod apply;
mod decisions;
mod dedupe_sources;
mod events;
mod match_outcomes;
mod missing_hooks;
mod origin;
mod parents;
mod recover;
mod replies;
mod rows;
pub(crate) mod search_index;
mod transaction;

pub use annotate::{BatchClass, TitleAuthor};
pub use missing_hooks::{MissingHookReport, TELEMETRY_ID_PREFIX, TranscriptFile};
pub use origin::{EventOrigin, TokenCounts, ToolUse};
pub use recover::{IdleTimeouts, RecoveryReport};
pub use replies::{
    EventStored, PromptSubmitted, SessionEnded, SessionStarted, ToolUsed, TurnStopped,
};
pub use transaction::{IngestReport, ParsedRecords, WriteTransaction};
