//! Hooks that call servers, models, agents and MCP servers, against real servers and child processes on this machine.

mod agents;
mod http_hooks;
mod mcp;
mod models;
mod prompts;
mod real;
mod support;
mod tls;
