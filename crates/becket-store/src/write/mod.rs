//! Writing: groups of records that are committed together, and what each of them changes.

mod activities;
mod annotate;
mod api;
mod channels;
mod decisions;
mod fold;
mod group;
mod links;
mod observe;
mod origin;
mod recover;
mod replies;
mod rows;
pub(crate) mod search;
mod silence;
mod unnamed;

pub use annotate::{Class, TitleBy};
pub use group::{Group, IngestReport, Prepared};
pub use origin::{Origin, Tokens, ToolUse};
pub use recover::{Patience, Recovered};
pub use replies::{PromptSubmitted, Registered, SessionEnded, SessionStarted, Stopped, ToolUsed};
pub use silence::{TELEMETRY, Transcript, Watched};
