//! The agents, one folder each: a static [`crate::AgentSpec`], and in code only its exceptions.

pub mod amp;
pub mod augment;
pub mod autohand;
pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod crush;
pub mod cursor;
pub mod devin;
pub mod droid;
pub mod gemini;
pub mod goose;
pub mod kiro;
pub mod opencode;
pub mod qwen;
pub mod windsurf;
