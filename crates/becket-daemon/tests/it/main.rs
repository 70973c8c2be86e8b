//! The daemon from outside.
mod api;
mod canary;
mod client;
mod disk;
mod doors;
mod echoes;
mod faults;
mod kept;
mod log;
mod mcp;
mod oak;
mod otlp;
mod record;
mod rpc;
mod safety;
mod socket;
mod world;
