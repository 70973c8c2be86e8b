//! The daemon: one process per user, for all projects.
//!
//! It ingests the records that clients append to the spool into a database that can be searched and streamed. It
//! runs no hooks, and no decision waits for it: without a daemon every event is still answered, and its record stays
//! in the spool until a daemon starts.
//!
//! Three kinds of clients may connect: processes of the same user over a Unix socket ([`socket`]), HTTP clients on
//! loopback with the bearer token ([`http`]), and browsers with a login cookie ([`login`]). Start at [`run::prepare`].

pub mod counters;
pub mod http;
pub mod human_time;
pub mod inject;
pub mod instance;
pub mod learn;
pub mod log;
pub mod login;
pub mod mcp;
pub mod otlp;
pub mod recall;
mod retention;
pub mod rpc;
pub mod run;
pub mod setup;
pub mod socket;
pub mod status;
pub mod store_handle;
pub mod token;
mod transcripts;
mod wake;
mod watch;
mod workers;

pub use becket_spool::runtime_dir;
