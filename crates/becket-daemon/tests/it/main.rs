//! The daemon from outside.
mod api;
mod client;
mod disk;
mod doors;
mod echoes;
mod faults;
mod kept;
mod mcp;
mod oak;
mod otlp;
mod record;
mod rpc;
mod socket;
mod world;
