//! OpenCode. It has plugins instead of hooks, in `home/.config/opencode/plugins/*.js` or
//! `work/.opencode/plugins/*.js`.

use std::fs;
use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// The fake model's provider name in OpenCode.
const PROVIDER: &str = "lab";

/// The package that OpenCode installs next to every plugin directory.
const PLUGIN_LIBRARY: &str = "@opencode-ai/plugin";

/// OpenCode.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

impl OpenCode {
    /// The pinned OpenCode, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::OpenCode.ready()
    }
}

impl Driver for OpenCode {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let version = setup.installed.version.as_str();
        let config = config(setup);
        let workspace = &mut *setup.workspace;
        // OpenCode installs a package of types next to the plugins unless it is already there, so the home gets a
        // lock file that lists it. Elsewhere npm is offline, because its retries would take many seconds.
        let root = json!({ "dependencies": { PLUGIN_LIBRARY: version } });
        let lock = json!({ "lockfileVersion": 3, "packages": { "": root } });
        workspace.write_home(".config/opencode/package-lock.json", lock.to_string())?;
        fs::create_dir(workspace.home().join(".config/opencode/node_modules"))?;
        // The built-in list of every provider's models takes longer to read than a turn.
        let models = workspace.root().join("client-models.json");
        fs::write(&models, "{}")?;
        workspace
            .set_env("npm_config_offline", "true")
            .set_env("OPENCODE_MODELS_PATH", models)
            .set_env("OPENCODE_CONFIG_CONTENT", config.to_string())
            .set_env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .set_env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .set_env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
            .set_env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        let permission = match request.permissions {
            Permissions::AllowAll => json!({ "*": "allow" }),
            Permissions::AskForAll => json!({ "bash": "ask", "edit": "ask" }),
        };
        command.env("OPENCODE_PERMISSION", permission.to_string());
        add_arguments(command, request);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "text")], "/part/text")
    }
}

/// The configuration with the fake model as the only provider. Kilo reads the same format.
pub(super) fn config(setup: &ClientSetup<'_>) -> Value {
    let model = format!("{PROVIDER}/{}", setup.model);
    let limit = json!({ "context": 200_000, "output": 8_000 });
    json!({
        "autoupdate": false,
        "share": "disabled",
        "model": model,
        "small_model": model,
        "provider": { PROVIDER: {
            "npm": "@ai-sdk/openai-compatible",
            "name": PROVIDER,
            "options": { "baseURL": format!("{}/v1", setup.url), "apiKey": DUMMY_KEY },
            "models": { setup.model: { "name": setup.model, "tool_call": true, "limit": limit } },
        } },
    })
}

/// The arguments of a turn. Kilo has the same.
pub(super) fn add_arguments(command: &mut Command, request: &TurnRequest<'_>) {
    command.args(["run", "--format", "json", "--model"]);
    command.arg(format!("{PROVIDER}/{}", request.model));
    if request.conversation == Conversation::Continued {
        command.arg("--continue");
    }
    command.args(request.arguments).arg(request.prompt);
}
