//! Kilo Code CLI, a descendant of OpenCode. It has plugins instead of hooks, in `home/.config/kilo/plugins/*.js` or
//! `work/.kilo/plugins/*.js`; it does not read `.opencode/`.

use std::fs;
use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::opencode;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Driver, TurnRequest};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Kilo Code CLI.
#[derive(Debug, Clone, Copy)]
pub struct Kilo;

impl Kilo {
    /// The pinned Kilo Code CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Kilo.ready()
    }
}

impl Driver for Kilo {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let mut config = opencode::config(setup);
        // It would commit the repository to another one before and after every tool call.
        config["snapshot"] = json!(false);
        let workspace = &mut *setup.workspace;
        // The built-in list of every provider's models takes longer to read than a turn.
        let models = workspace.root().join("client-models.json");
        fs::write(&models, "{}")?;
        workspace
            // It would install a package of types next to the plugins, with many retries.
            .set_env("npm_config_offline", "true")
            .set_env("KILO_MODELS_PATH", models)
            .set_env("KILO_CONFIG_CONTENT", config.to_string())
            .set_env("KILO_TELEMETRY_LEVEL", "off");
        for what in [
            "AUTOUPDATE",
            "CODEBASE_INDEXING",
            "DEFAULT_PLUGINS",
            "LSP_DOWNLOAD",
            "MODELS_FETCH",
            "SESSION_INGEST",
        ] {
            workspace.set_env(format!("KILO_DISABLE_{what}"), "1");
        }
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        let permission = match request.permissions {
            Permissions::AllowAll => json!({ "*": "allow" }),
            Permissions::AskForAll => json!({ "bash": "ask", "edit": "ask" }),
        };
        command.env("KILO_PERMISSION", permission.to_string());
        opencode::add_arguments(command, request);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        opencode::OpenCode.final_text(messages)
    }
}
