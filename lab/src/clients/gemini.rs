//! Gemini CLI. Hooks are in `home/.gemini/settings.json` or `work/.gemini/settings.json`.
//!
//! The file in the home has the account and more already, so a test adds to it:
//! [`Workspace::merge_home`](crate::workspace::Workspace::merge_home). A file of the system's, which
//! would do as well, is refused in a folder that others may write to, as `/tmp` is.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Driver, Setup};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Gemini {
    /// The pinned Gemini CLI, installed if need be.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Gemini.ready()
    }
}

impl Driver for Gemini {
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The file in which the client notes what a person has said about a folder. Without it no
        // hook runs in a headless session, nor does the client.
        let trusted = json!({ workspace.work().to_string_lossy(): "TRUST_FOLDER" });
        workspace.write_home(".gemini/trustedFolders.json", trusted.to_string())?;
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        });
        workspace.write_home(".gemini/settings.json", settings.to_string())?;
        workspace
            .set_env("GOOGLE_GEMINI_BASE_URL", setup.url)
            .set_env("GEMINI_API_KEY", DUMMY_KEY)
            // It would start itself once more for a larger heap.
            .set_env("GEMINI_CLI_NO_RELAUNCH", "true");
        Ok(())
    }

    fn ask(&self, command: &mut Command, asked: &Asked<'_>) {
        command.args(["--model", asked.model, "--output-format", "stream-json"]);
        if asked.permissions == Permissions::AllowAll {
            command.arg("--yolo");
        }
        if asked.conversation == Conversation::Continued {
            command.args(["--resume", "latest"]);
        }
        command.args(asked.arguments);
        command.args(["--prompt", asked.prompt]);
    }

    /// An answer comes in pieces.
    fn final_text(&self, messages: &[Value]) -> Option<String> {
        let from_model =
            |message: &&Value| message["type"] == "message" && message["role"] == "assistant";
        let ended = messages.last().is_some_and(|it| it["type"] == "result");
        let pieces = messages.iter().rev().skip(1).take_while(from_model);
        let mut pieces: Vec<&str> = pieces.filter_map(|it| it["content"].as_str()).collect();
        pieces.reverse();
        (ended && !pieces.is_empty()).then(|| pieces.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_the_last_answer_are_put_together() {
        let said = |text: &str| json!({"type": "message", "role": "assistant", "content": text, "delta": true});
        let end = json!({"type": "result"});
        let messages = [
            said("Before."),
            json!({"type": "tool_result"}),
            said("All "),
            said("done."),
            end.clone(),
        ];
        let text = Gemini.final_text(&messages);
        assert_eq!(text.as_deref(), Some("All done."));
        assert_eq!(Gemini.final_text(&messages[..4]), None);
        assert_eq!(Gemini.final_text(&[end]), None);
    }
}
