//! The vocabulary of Becket: events, tools, verdicts, hook specifications, and the laws between them.
//!
//! Everything here is pure. The model has never heard of Claude or SQLite, opens no file, starts no
//! process and reads no clock. The road of an event through it is
//! [`select`](plan::select) → (hooks run elsewhere) → [`merge`](merge::merge).
//! Start at [`Event`] and [`HookSpec`].

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
pub use outcome::{Decision, Failure, FailureKind, Outcome, Said, Trace, Verdict};
pub use plan::{Fate, Plan, select};
pub use problem::{Problem, Severity};
pub use spec::{Action, Broken, HookSpec, Layer, Level, Loaded, OnFailure, Source};
pub use tool::{ToolCall, is_file_tool};
