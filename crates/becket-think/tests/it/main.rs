//! Thinking hooks against real servers and real children, all of them on this machine.

mod agents;
mod http_hooks;
mod mcp;
mod models;
mod prompts;
mod real;
mod server;
mod support;
mod tls;
