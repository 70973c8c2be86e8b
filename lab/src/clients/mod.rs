//! The drivers, one file for each client.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod gemini;
pub mod goose;
pub mod opencode;
pub mod qwen;

/// What clients are given where they want a key.
const DUMMY_KEY: &str = "dummy-not-a-key";
