//! Static analysis of commands and tool calls, and secret redaction.
//!
//! The guard predicts what a command or tool call would do, classifies the affected paths, and turns the findings
//! of its rules into a verdict. It is pure: the caller passes facts in ([`Facts`]); nothing here opens a file,
//! reads the environment or starts a process. It knows no agents, hooks or storage.
//!
//! Start at [`judge`]. [`shell`] parses, [`mod@analyze`] resolves what would run, [`effects`] and [`packs`] hold the
//! rules, [`policy`] is the configuration. [`redact`] is independent of the rest: it replaces secrets in text and
//! JSON before they are recorded.

pub mod analyze;
pub mod command;
pub mod effects;
pub mod explain;
pub mod facts;
mod glob;
pub mod judge;
pub mod packs;
pub mod paths;
#[cfg(test)]
mod plain_shell;
pub mod policy;
mod programs;
pub mod readonly;
pub mod redact;
pub mod rule;
mod rules;
pub mod shell;
pub mod tools;

pub use analyze::analyze;
pub use command::{ExecutedCode, Invocation, Script, Span, Word};
pub use facts::{Facts, NoFacts, PathKind, RunLocation};
pub use judge::Judgement;
pub use policy::Policy;
pub use rule::{Finding, Pack, Preset, Rule, Severity};
