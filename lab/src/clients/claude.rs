//! Claude Code. Hooks are in `home/.claude/settings.json` or `work/.claude/settings.json`.

use std::io;
use std::process::Command;

use serde_json::Value;

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;

pub use crate::session::{ClientSession, ClientTurn, Permissions, SessionError};

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

impl Claude {
    /// The pinned Claude Code, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Claude.ready()
    }
}

impl Driver for Claude {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        setup
            .workspace
            .set_env("ANTHROPIC_BASE_URL", setup.url)
            .set_env("ANTHROPIC_API_KEY", DUMMY_KEY)
            .set_env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .set_env("DISABLE_AUTOUPDATER", "1")
            .set_env("DISABLE_TELEMETRY", "1")
            .set_env("DISABLE_ERROR_REPORTING", "1");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command
            .args(["-p", request.prompt, "--model", request.model])
            .args(["--output-format", "stream-json", "--verbose"]);
        if request.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(request.arguments);
        // Last, because this option takes all following arguments. The option that skips all permissions does not work for
        // root, which tests in containers are.
        if request.permissions == Permissions::AllowAll {
            command.args([
                "--allowedTools",
                "Bash",
                "Write",
                "Edit",
                "Read",
                "Agent",
                "Task",
            ]);
        }
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "result")], "/result")
    }
}
