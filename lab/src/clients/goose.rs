//! Goose. Hooks are in plugins: `home/.agents/plugins/NAME/hooks/hooks.json`, or the same in `work/`.

use std::io;
use std::process::Command;

use serde_json::Value;

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// The name of the session's only conversation.
const CONVERSATION: &str = "lab";

/// Goose.
#[derive(Debug, Clone, Copy)]
pub struct Goose;

impl Goose {
    /// The pinned Goose, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Goose.ready()
    }
}

impl Driver for Goose {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        setup
            .workspace
            .set_env("GOOSE_PROVIDER", "openai")
            .set_env("GOOSE_MODEL", setup.model)
            .set_env("OPENAI_HOST", setup.url)
            .set_env("OPENAI_BASE_PATH", "v1/chat/completions")
            .set_env("OPENAI_API_KEY", DUMMY_KEY)
            .set_env("GOOSE_DISABLE_KEYRING", "1")
            .set_env("GOOSE_TELEMETRY_ENABLED", "false");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        let mode = match request.permissions {
            Permissions::AllowAll => "auto",
            Permissions::AskForAll => "approve",
        };
        command
            .env("GOOSE_MODE", mode)
            .args(["run", "--no-profile", "--with-builtin", "developer"])
            .args(["--output-format", "stream-json", "--name", CONVERSATION]);
        if request.conversation == Conversation::Continued {
            command.arg("--resume");
        }
        command.args(request.arguments);
        command.args(["--text", request.prompt]);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        let assistant = [("/type", "message"), ("/message/role", "assistant")];
        last_text(messages, &assistant, "/message/content/0/text")
    }
}
