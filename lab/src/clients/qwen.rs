//! Qwen Code. Hooks are in `home/.qwen/settings.json` or `work/.qwen/settings.json`.

use std::fs;
use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Driver, Setup, last_text};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Qwen Code.
#[derive(Debug, Clone, Copy)]
pub struct Qwen;

impl Qwen {
    /// The pinned Qwen Code, installed if need be.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Qwen.ready()
    }
}

impl Driver for Qwen {
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        let defaults = workspace.root().join("client-settings.json");
        let settings = json!({
            "security": { "auth": { "selectedType": "openai" } },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
            "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
            // Subagents of its own that look back on the conversation, at times of their choosing.
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
            // It would start itself once more for a larger heap.
            .set_env("QWEN_CODE_NO_RELAUNCH", "true");
        Ok(())
    }

    fn ask(&self, command: &mut Command, asked: &Asked<'_>) {
        command
            .args(["--auth-type", "openai", "--model", asked.model])
            .args(["--output-format", "stream-json"]);
        if asked.permissions == Permissions::AllowAll {
            command.arg("--yolo");
        }
        if asked.conversation == Conversation::Continued {
            command.arg("--continue");
        }
        command.args(asked.arguments);
        command.args(["--prompt", asked.prompt]);
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        last_text(messages, &[("/type", "result")], "/result")
    }
}
