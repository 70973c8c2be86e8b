//! What a command, a path or a text would do or give away.
//!
//! Pure: facts are passed in ([`Facts`]), nothing here opens a file, reads the environment or starts
//! a process. [`redact`] keeps secrets out of everything that is written down.

pub mod command;
pub mod effects;
pub mod explain;
pub mod facts;
pub mod judge;
pub mod packs;
pub mod paths;
#[cfg(test)]
mod plain;
pub mod policy;
pub mod readonly;
pub mod redact;
pub mod rule;
pub mod shell;
pub mod tools;
pub mod understand;

pub use command::{Executes, Invocation, Script, Span, Word};
pub use facts::{Facts, Found, NoFacts, Place};
pub use judge::Judgement;
pub use policy::Policy;
pub use rule::{Finding, Pack, Preset, Rule, Severity};
pub use understand::understand;
