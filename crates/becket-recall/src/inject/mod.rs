//! What an agent is given to read, and when.
//!
//! At the start of a session it is told how much is known and what happened lately; beside a prompt, the code and
//! the memories that are surely relevant; after a file was read or changed, what is known about that file. Nothing
//! is told twice, nothing longer than the agent takes, and nothing at all where nothing is relevant.
//!
//! Everything that is told was written by somebody: an agent, a tool, the author of a file. So it stands between two
//! marks that call it reference data, none of it can forge the end mark, and what looks like an instruction that nobody
//! gave (a quarantined memory) is not told. Whoever captures takes marked text out again ([`strip_injected`]).
//!
//! All of it is a function of [`Knowledge`], [`Limits`] and what was told before ([`Seen`]); only [`Stored`] asks
//! a database. Start at [`Injector::inject`].

mod cap;
mod code;
mod compose;
mod knowledge;
mod limits;
mod lines;
mod moment;
mod page;
mod seen;
mod tame;

pub use becket_store::{INJECTED_BEGIN, INJECTED_END, strip_injected};
pub use cap::cap;
pub use compose::{Injection, Injector};
pub use knowledge::{Knowledge, PastSession, Status, Stored};
pub use limits::Limits;
pub use lines::without;
pub use moment::{Moment, Start};
pub use seen::Seen;

#[cfg(test)]
mod tests;
