//! Becket's domain model: events, tools, verdicts, hook specifications, and how they are selected and merged.
//!
//! Everything here is pure. The model does not know agents or SQLite, opens no file, starts no process and reads no
//! clock. An event passes through it in two steps: [`select`] → (hooks run elsewhere) →
//! [`merge()`]. Start at [`Event`] and [`HookSpec`].

pub mod builtin;
pub mod dialect;
pub mod event;
pub mod filter;
pub mod layer;
pub mod matcher;
pub mod merge;
pub mod outcome;
pub mod plan;
pub mod problem;
pub mod spec;
pub mod subject;
pub mod tool;

pub use builtin::BuiltinDefaults;
pub use dialect::Dialect;
pub use event::{AgentId, Event, EventData, EventKind, SessionId, Subagent};
pub use filter::{Condition, Filter};
pub use layer::layer;
pub use matcher::{MatchStyle, Matcher};
pub use merge::merge;
pub use outcome::{Decision, Failure, FailureKind, HookOutcome, HookRun, Trace, Verdict};
pub use plan::{Plan, SelectionReason, select};
pub use problem::{Problem, Severity};
pub use spec::{Action, BrokenHook, HookSource, HookSpec, Layer, Level, LoadedHooks, OnFailure};
pub use tool::{ToolCall, is_file_tool};
