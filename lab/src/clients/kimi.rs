//! Kimi Code CLI. Hooks are in `home/.kimi-code/config.toml`; a repository cannot add any.
//!
//! A run with a prompt allows everything and asks for nothing. The client does not wait for hooks after a tool, and kills
//! those that still run at the end of the turn.

use std::io;
use std::process::Command;

use serde_json::Value;

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;

/// Kimi Code CLI.
#[derive(Debug, Clone, Copy)]
pub struct Kimi;

impl Kimi {
    /// The pinned Kimi Code CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Kimi.ready()
    }
}

impl Driver for Kimi {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        setup
            .workspace
            .set_env("KIMI_MODEL_NAME", setup.model)
            .set_env("KIMI_MODEL_API_KEY", DUMMY_KEY)
            .set_env("KIMI_MODEL_PROVIDER_TYPE", "openai")
            .set_env("KIMI_MODEL_BASE_URL", format!("{}/v1", setup.url))
            .set_env("KIMI_CODE_NO_AUTO_UPDATE", "1")
            .set_env("KIMI_DISABLE_TELEMETRY", "1");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command.args(["--output-format", "stream-json"]);
        if request.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(request.arguments);
        command.args(["--prompt", request.prompt]);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/role", "assistant")], "/content")
    }
}
