//! The daemon from outside.
mod mcp;
mod otlp;
mod record;
mod rpc;
