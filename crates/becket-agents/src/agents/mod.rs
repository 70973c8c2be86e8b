//! The agents, one folder each: a static [`crate::AgentSpec`], and in code only its exceptions.

pub mod amp;
pub mod autohand;
pub mod claude;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod devin;
pub mod droid;
pub mod gemini;
pub mod opencode;
pub mod qwen;
pub mod windsurf;
