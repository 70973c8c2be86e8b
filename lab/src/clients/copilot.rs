//! Copilot CLI. Hooks are in `home/.copilot/hooks/*.json` or `work/.github/hooks/*.json`.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Copilot CLI.
#[derive(Debug, Clone, Copy)]
pub struct Copilot;

impl Copilot {
    /// The pinned Copilot CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Copilot.ready()
    }
}

impl Driver for Copilot {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The client's list of trusted folders. Without it the repository's hooks do not run.
        let trusted = json!({ "trustedFolders": [workspace.work().to_string_lossy()] });
        workspace.write_home(".copilot/config.json", trusted.to_string())?;
        workspace
            .set_env("COPILOT_OFFLINE", "true")
            .set_env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", setup.url))
            .set_env("COPILOT_PROVIDER_API_KEY", DUMMY_KEY)
            .set_env("COPILOT_MODEL", setup.model)
            .set_env("COPILOT_AUTO_UPDATE", "false")
            // The client unpacks 250 MB there, which the installation has already done.
            .set_env(
                "COPILOT_CACHE_HOME",
                setup.installed.prefix.join(".cache/copilot"),
            );
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command
            .args(["-p", request.prompt, "--model", request.model])
            .args(["--output-format", "json", "--no-color"]);
        if request.permissions == Permissions::AllowAll {
            command.arg("--allow-all-tools");
        }
        if request.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(request.arguments);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "assistant.message")], "/data/content")
    }
}
