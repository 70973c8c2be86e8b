//! Qwen Code. Hooks are in `home/.qwen/settings.json` or `work/.qwen/settings.json`.

use std::fs;
use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Qwen Code.
#[derive(Debug, Clone, Copy)]
pub struct Qwen;

impl Qwen {
    /// The pinned Qwen Code, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Qwen.ready()
    }
}

impl Driver for Qwen {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        let defaults = workspace.root().join("client-settings.json");
        let settings = json!({
            "security": { "auth": { "selectedType": "openai" } },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
            "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            // Disable its own subagents, which review the conversation at any time.
            "memory": {
                "enableManagedAutoMemory": false,
                "enableManagedAutoDream": false,
                "enableAutoSkill": false,
            },
        });
        fs::write(&defaults, settings.to_string())?;
        workspace
            .set_env("QWEN_CODE_SYSTEM_DEFAULTS_PATH", defaults)
            .set_env("OPENAI_BASE_URL", format!("{}/v1", setup.url))
            .set_env("OPENAI_API_KEY", DUMMY_KEY)
            .set_env("OPENAI_MODEL", setup.model)
            // It would restart itself for a larger heap.
            .set_env("QWEN_CODE_NO_RELAUNCH", "true");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command
            .args(["--auth-type", "openai", "--model", request.model])
            .args(["--output-format", "stream-json"]);
        if request.permissions == Permissions::AllowAll {
            command.arg("--yolo");
        }
        if request.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(request.arguments);
        command.args(["--prompt", request.prompt]);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "result")], "/result")
    }
}
