//! The daemon from outside.
mod api;
mod mcp;
mod otlp;
mod record;
mod rpc;
