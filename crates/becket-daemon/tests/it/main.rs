//! Integration tests of the daemon.
mod api;
mod canary;
mod client;
mod crashes;
mod delivery;
mod disk;
mod duplicates;
mod embedding;
mod http_limits;
mod injection;
mod learning;
mod log;
mod login;
mod mcp;
mod memories;
mod oak;
mod otlp;
mod record;
mod rpc;
mod safety;
#[path = "../../../becket-think/tests/it/server.rs"]
#[expect(dead_code, reason = "it can do more than is needed here")]
mod server;
mod socket;
mod telemetry_dedupe;
mod wake;
mod watching;
mod world;
