//! Codex CLI. Hooks are in `home/.codex/hooks.json`, `home/.codex/config.toml` or `work/.codex/hooks.json`. They run only
//! when trusted: call [`ClientSession::trust_hooks`], or add `--dangerously-bypass-hook-trust` to
//! [`ClientSession::arguments`].
//!
//! `codex exec` never asks for permission, so turns with [`Permissions::AskForAll`] go through `codex app-server`, and
//! every permission request is declined.
//!
//! [`ClientSession::trust_hooks`]: crate::session::ClientSession::trust_hooks
//! [`ClientSession::arguments`]: crate::session::ClientSession::arguments

use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{ClientJob, ClientSetup, Conversation, Driver, TurnRequest, last_text};
use crate::install::Unavailable;
use crate::process::{self, FinishedProcess};
use crate::session::Permissions;

mod app_server;

use app_server::AppServer;

/// Codex CLI.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Codex {
    /// The pinned Codex CLI, installed if necessary.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Codex.ready()
    }
}

impl Driver for Codex {
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The client's list of trusted folders. Without it the repository's hooks are not even listed.
        let project = Value::from(workspace.work().to_string_lossy());
        let trusted = format!("[projects.{project}]\ntrust_level = \"trusted\"\n");
        workspace.write_home(".codex/config.toml", trusted)?;
        workspace.set_env("LAB_API_KEY", DUMMY_KEY);
        Ok(())
    }

    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>) {
        command.arg("exec");
        if request.conversation == Conversation::Continued {
            command.args(["resume", "--last"]);
        }
        command.args(["--json", "--dangerously-bypass-approvals-and-sandbox"]);
        configure(command, request);
        command.args(request.arguments).arg(request.prompt);
    }

    fn run(
        &self,
        mut job: ClientJob<'_>,
        request: &TurnRequest<'_>,
    ) -> io::Result<FinishedProcess> {
        match request.permissions {
            Permissions::AllowAll => {
                self.build_command(&mut job.command, request);
                process::run(&mut job.command, job.output, job.limit)
            }
            Permissions::AskForAll => {
                job.command.arg("app-server");
                configure(&mut job.command, request);
                job.command.args(request.arguments);
                let mut server = AppServer::start(job)?;
                match turn(&mut server, request) {
                    // No time is left, so `close` reports the same timeout.
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                    other => other?,
                }
                server.close()
            }
        }
    }

    fn final_text(&self, messages: &[Value]) -> Option<String> {
        let of_exec = [("/type", "item.completed"), ("/item/type", "agent_message")];
        let of_server = [
            ("/method", "item/completed"),
            ("/params/item/type", "agentMessage"),
        ];
        last_text(messages, &of_exec, "/item/text")
            .or_else(|| last_text(messages, &of_server, "/params/item/text"))
    }

    fn trust_hooks(&self, mut job: ClientJob<'_>, work: &Path) -> io::Result<usize> {
        job.command.arg("app-server");
        let mut server = AppServer::start(job)?;
        let listed = server.call("hooks/list", json!({ "cwds": [work] }))?;
        let state = trusted_state(&listed);
        let new = state.len();
        if new > 0 {
            let edit = json!({
                "keyPath": "hooks.state",
                "value": state,
                "mergeStrategy": "upsert",
            });
            server.call("config/batchWrite", json!({ "edits": [edit] }))?;
        }
        server.close()?;
        Ok(new)
    }
}

/// Points Codex at the fake model and disables all other connections. Command line options are used because the
/// configuration file belongs to the user.
fn configure(command: &mut Command, request: &TurnRequest<'_>) {
    let model = Value::from(request.model);
    let url = Value::from(format!("{}/v1", request.url));
    let provider = format!(
        "{{name = \"lab\", base_url = {url}, wire_api = \"responses\", env_key = \"LAB_API_KEY\", \
         request_max_retries = 0, stream_max_retries = 0}}"
    );
    for setting in [
        format!("model={model}"),
        "model_provider=\"lab\"".to_owned(),
        format!("model_providers.lab={provider}"),
        "check_for_update_on_startup=false".to_owned(),
        "analytics.enabled=false".to_owned(),
        "otel.metrics_exporter=\"none\"".to_owned(),
        "features.plugins=false".to_owned(),
        "features.apps=false".to_owned(),
    ] {
        command.args(["-c", &setting]);
    }
}

/// One turn in which Codex asks about everything but reading.
fn turn(server: &mut AppServer, request: &TurnRequest<'_>) -> io::Result<()> {
    let policy = json!({ "approvalPolicy": "untrusted", "sandbox": "danger-full-access" });
    let thread = match request.conversation {
        Conversation::New => server.call("thread/start", policy)?,
        Conversation::Continued => {
            let threads = server.call("thread/list", json!({ "limit": 1 }))?;
            let mut resumed = policy;
            resumed["threadId"] = threads["data"][0]["id"].clone();
            server.call("thread/resume", resumed)?
        }
    };
    let input = json!([{ "type": "text", "text": request.prompt }]);
    let params = json!({ "threadId": thread["thread"]["id"], "input": input });
    server.call("turn/start", params)?;
    server.wait_for("turn/completed")
}

/// The configuration entries that trust the new and changed hooks.
fn trusted_state(listed: &Value) -> Map<String, Value> {
    let folders = listed["data"].as_array().into_iter().flatten();
    let hooks = folders.flat_map(|folder| folder["hooks"].as_array().into_iter().flatten());
    hooks
        .filter(|hook| hook["trustStatus"] == "untrusted" || hook["trustStatus"] == "modified")
        .filter_map(|hook| {
            let key = hook["key"].as_str()?.to_owned();
            Some((key, json!({ "trusted_hash": hook["currentHash"] })))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_changed_hooks_get_trusted() {
        let hook = |key: &str, status: &str| json!({"key": key, "currentHash": format!("sha256:{key}"), "trustStatus": status});
        let listed = json!({"data": [
            {"hooks": [hook("a", "untrusted"), hook("b", "trusted")]},
            {"hooks": [hook("c", "modified"), hook("d", "managed"), {"trustStatus": "untrusted"}]},
            {},
        ]});
        let expected =
            json!({"a": {"trusted_hash": "sha256:a"}, "c": {"trusted_hash": "sha256:c"}});
        assert_eq!(Value::Object(trusted_state(&listed)), expected);
    }
}
