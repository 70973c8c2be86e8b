//! Claude Code. Hooks are in `home/.claude/settings.json` or `work/.claude/settings.json`.

use std::io;
use std::process::Command;

use serde_json::Value;

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Driver, Setup, last_text};
use crate::install::Unavailable;

pub use crate::session::{Permissions, Session, SessionError, Turn};

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

impl Claude {
    /// The pinned Claude Code, installed if need be.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Claude.ready()
    }
}

impl Driver for Claude {
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()> {
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

    fn ask(&self, command: &mut Command, asked: &Asked<'_>) {
        command
            .args(["-p", asked.prompt, "--model", asked.model])
            .args(["--output-format", "stream-json", "--verbose"]);
        if asked.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(asked.arguments);
        // Last, because it takes every argument that follows. To skip all permissions instead is
        // refused to root, which tests in containers are.
        if asked.permissions == Permissions::AllowAll {
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
