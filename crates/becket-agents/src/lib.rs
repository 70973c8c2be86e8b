//! The protocols of coding agents: payloads in, replies out, configuration dialects, install plans.
//!
//! Text in, text out: nothing here opens a file or reads the environment or the clock, and nothing here runs
//! a hook. Each agent is one folder that implements [`Adapter`], and one line in [`adapters`]. [`contract`] is
//! the interface between Becket and a hook process, by dialect; [`config`] loads hook files; [`install`] and
//! [`edit`] change an agent's own settings. Start at [`adapter`](mod@adapter).

pub mod adapter;
mod agent_env;
mod agents;
pub mod amp;
#[cfg(test)]
mod arbitrary;
pub mod augment;
mod bridge;
pub mod cline;
pub mod config;
pub mod contract;
pub mod crush;
mod dedupe;
pub mod edit;
mod exchange;
mod fields;
pub mod goose;
pub mod install;
pub mod kiro;
#[allow(
    dead_code,
    reason = "goes when OpenCode and Amp have moved to `protocol`"
)]
mod lean;
mod names;
pub mod opencode;
pub mod payload;
mod protocol;
mod reply_text;
mod sender;
pub mod shell_words;
mod tool_failure;
mod vocabulary;

pub use adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support, adapter,
    adapters, recognise,
};
pub use agent_env::agent_from_env;
pub use agents::{autohand, claude, codex, copilot, cursor, devin, droid, gemini, qwen, windsurf};
pub use dedupe::{PairedReport, TurnEnd, dedupe_key, paired_report, turn_end};
pub use protocol::AgentSpec;
pub use sender::sending_agent;
