//! The daemon: one per person, for all projects.
//!
//! It turns what clients leave in the spool into records that can be searched and streamed. Hooks never
//! run here, and no decision waits for it: without a daemon every event is still answered, and kept
//! until one comes.
//!
//! Who may talk to it: processes of the same user over a Unix socket ([`socket`]), whoever holds the token
//! over loopback HTTP ([`http`]), and browsers that such a process let in ([`login`]). Start at [`run::prepare`].

mod beside;
pub mod counters;
mod forgetting;
pub mod http;
pub mod instance;
pub mod keeper;
pub mod learn;
pub mod log;
pub mod login;
pub mod mcp;
pub mod moment;
pub mod otlp;
pub mod recall;
pub mod rpc;
pub mod run;
mod seen;
pub mod setup;
pub mod socket;
pub mod status;
pub mod teller;
pub mod token;
mod transcripts;
mod watch;

pub use becket_spool::place;
