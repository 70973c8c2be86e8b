//! Copilot CLI. Hooks are in `home/.copilot/hooks/*.json` or `work/.github/hooks/*.json`.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Driver, Setup, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Copilot CLI.
#[derive(Debug, Clone, Copy)]
pub struct Copilot;

impl Copilot {
    /// The pinned Copilot CLI, installed if need be.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Copilot.ready()
    }
}

impl Driver for Copilot {
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The file in which the client notes what a person has said about a folder. Without it the
        // repository's own hooks do not run.
        let trusted = json!({ "trustedFolders": [workspace.work().to_string_lossy()] });
        workspace.write_home(".copilot/config.json", trusted.to_string())?;
        workspace
            .set_env("COPILOT_OFFLINE", "true")
            .set_env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", setup.url))
            .set_env("COPILOT_PROVIDER_API_KEY", DUMMY_KEY)
            .set_env("COPILOT_MODEL", setup.model)
            .set_env("COPILOT_AUTO_UPDATE", "false")
            // It unpacks a quarter of a gigabyte there, and has done so when it was installed.
            .set_env(
                "COPILOT_CACHE_HOME",
                setup.installed.prefix.join(".cache/copilot"),
            );
        Ok(())
    }

    fn ask(&self, command: &mut Command, asked: &Asked<'_>) {
        command
            .args(["-p", asked.prompt, "--model", asked.model])
            .args(["--output-format", "json", "--no-color"]);
        if asked.permissions == Permissions::AllowAll {
            command.arg("--allow-all-tools");
        }
        if asked.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(asked.arguments);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "assistant.message")], "/data/content")
    }
}
