//! Pi. It has extensions instead of hooks, in `home/.pi/agent/extensions/*.js` or `work/.pi/extensions/*.js`.
//!
//! It has no permissions: every tool runs without a question, unless an extension blocks it.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;

/// The fake model's provider name in Pi.
const PROVIDER: &str = "lab";

/// Pi.
#[derive(Debug, Clone, Copy)]
pub struct Pi;

impl Pi {
    /// The pinned Pi, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Pi.ready()
    }
}

impl Driver for Pi {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The client's list of trusted folders. Without it the repository's extensions do not load.
        let trusted = json!({ workspace.work().to_string_lossy(): true });
        workspace.write_home(".pi/agent/trust.json", trusted.to_string())?;
        let provider = json!({
            "baseUrl": format!("{}/v1", setup.url),
            "api": "openai-completions",
            "apiKey": DUMMY_KEY,
            "models": [{ "id": setup.model }],
        });
        let models = json!({ "providers": { PROVIDER: provider } });
        workspace.write_home(".pi/agent/models.json", models.to_string())?;
        workspace
            .set_env("PI_OFFLINE", "1")
            .set_env("PI_SKIP_VERSION_CHECK", "1")
            .set_env("PI_TELEMETRY", "0");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command.args(["--print", "--mode", "json"]).args([
            "--provider",
            PROVIDER,
            "--model",
            request.model,
        ]);
        if request.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(request.arguments);
        command.args(["--", request.prompt]);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        let assistant = [("/type", "message_end"), ("/message/role", "assistant")];
        last_text(messages, &assistant, "/message/content/0/text")
    }
}
