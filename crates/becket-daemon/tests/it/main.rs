//! The daemon from outside.
mod api;
mod canary;
mod channels;
mod client;
mod disk;
mod doors;
mod echoes;
mod faults;
mod kept;
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
mod telling;
mod vectors;
mod watching;
mod world;
