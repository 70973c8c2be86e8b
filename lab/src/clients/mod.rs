//! The drivers, one file per client.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod gemini;
pub mod goose;
pub mod kilo;
pub mod kimi;
pub mod opencode;
pub mod pi;
pub mod qwen;

/// The key for clients that require one.
const DUMMY_KEY: &str = "dummy-not-a-key";
