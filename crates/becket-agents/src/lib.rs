//! The protocols of coding agents: payloads in, replies out, configuration dialects, install plans.
//!
//! Text in, text out: nothing here opens a file, reads the environment or the clock. One agent is one
//! folder and one line in [`adapter`](mod@adapter). What a hook's dialect promises is [`contract`]; how its
//! files are read is [`config`]; how an agent's own settings are edited is [`install`] and [`edit`].

pub mod adapter;
pub mod amp;
#[cfg(test)]
mod arbitrary;
pub mod augment;
pub mod autohand;
mod bridge;
pub mod claude;
pub mod cline;
pub mod codex;
pub mod config;
pub mod contract;
pub mod copilot;
pub mod crush;
pub mod cursor;
pub mod devin;
mod double_fire;
pub mod droid;
pub mod edit;
mod exchange;
mod failure;
mod fields;
pub mod gemini;
pub mod goose;
mod host;
pub mod install;
mod kin;
pub mod kiro;
mod kit;
mod lean;
mod names;
pub mod opencode;
pub mod payload;
pub mod qwen;
mod shell;
mod text;
mod vocabulary;
pub mod windsurf;
pub mod words;

pub use adapter::{
    Adapter, Can, Capabilities, Clues, ParseError, Recognition, Rendered, adapter, adapters,
    recognise,
};
pub use double_fire::{Sibling, TurnEnd, double_fire_key, sibling, turn_end};
pub use host::host;
pub use shell::agent_around;
