//! The protocols of coding agents: payloads in, replies out, configuration dialects, install plans.
//!
//! Text in, text out: nothing here opens a file or reads the environment or the clock, and nothing here runs
//! a hook. Each agent is one folder that implements [`Adapter`], and one line in [`adapters`]. [`contract`] is
//! the interface between Becket and a hook process, by dialect; [`config`] loads hook files; [`install`] and
//! [`edit`] change an agent's own settings. Start at [`adapter`](mod@adapter).

pub mod adapter;
mod agent_env;
mod agents;
#[cfg(test)]
mod arbitrary;
pub mod config;
pub mod contract;
mod dedupe;
pub mod edit;
mod fields;
pub mod install;
mod names;
pub mod payload;
mod protocol;
mod reply_text;
mod sender;
pub mod shell_words;
mod tool_failure;

pub use adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support, adapter,
    adapters, recognise,
};
pub use agent_env::agent_from_env;
pub use agents::{
    amp, augment, autohand, claude, cline, codex, copilot, crush, cursor, devin, droid, gemini,
    goose, kiro, opencode, qwen, windsurf,
};
pub use dedupe::{PairedReport, TurnEnd, dedupe_key, paired_report, turn_end};
pub use protocol::AgentSpec;
pub use sender::sending_agent;
