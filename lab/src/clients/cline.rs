//! Cline CLI. Hooks are executable files named after their event, in `home/Documents/Cline/Hooks/`,
//! `home/.cline/hooks/`, `work/.clinerules/hooks/` or `work/.cline/hooks/`.
//!
//! A refusal ends the run, and the model does not learn of it. Without a terminal a conversation cannot be continued, so
//! every turn is a new one.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

const PROVIDER: &str = "openai-compatible";

/// Cline CLI.
#[derive(Debug, Clone, Copy)]
pub struct Cline;

impl Cline {
    /// The pinned Cline CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Cline.ready()
    }
}

impl Driver for Cline {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let provider = json!({
            "settings": {
                "provider": PROVIDER,
                "apiKey": DUMMY_KEY,
                "model": setup.model,
                "baseUrl": format!("{}/v1", setup.url),
            },
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        });
        let settings = json!({
            "version": 1,
            "lastUsedProvider": PROVIDER,
            "modes": {},
            "providers": { PROVIDER: provider },
        });
        let file = ".cline/data/settings/providers.json";
        setup.workspace.write_home(file, settings.to_string())?;
        // Otherwise a background process does the work and keeps running.
        setup
            .workspace
            .set_env("CLINE_SESSION_BACKEND_MODE", "local");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        let approve = match request.permissions {
            Permissions::AllowAll => "true",
            Permissions::AskForAll => "false",
        };
        command
            .args(["--json", "--auto-approve", approve])
            .args(["--provider", PROVIDER, "--model", request.model])
            .args(request.arguments)
            .arg(request.prompt);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "run_result")], "/text")
    }
}
