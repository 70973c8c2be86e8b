//! Gemini CLI. Hooks are in `home/.gemini/settings.json` or `work/.gemini/settings.json`.
//!
//! The file in the home already has the account, so a test merges into it:
//! [`Workspace::merge_home`](crate::workspace::Workspace::merge_home). The client rejects a system-wide file in a
//! directory that others can write to, such as `/tmp`.

use std::io;
use std::process::Command;

use serde_json::{Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientSetup, Conversation, Driver, TurnRequest};
use crate::install::Unavailable;
use crate::session::Permissions;

/// Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Gemini {
    /// The pinned Gemini CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Gemini.ready()
    }
}

impl Driver for Gemini {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The client's list of trusted folders. Without it neither hooks nor the client run headless.
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
            // It would restart itself for a larger heap.
            .set_env("GEMINI_CLI_NO_RELAUNCH", "true");
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command.args(["--model", request.model, "--output-format", "stream-json"]);
        if request.permissions == Permissions::AllowAll {
            command.arg("--yolo");
        }
        if request.conversation == Conversation::Continued {
            command.args(["--resume", "latest"]);
        }
        command.args(request.arguments);
        command.args(["--prompt", request.prompt]);
    }

    /// An answer arrives in pieces.
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
    fn pieces_of_the_last_answer_are_joined() {
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
