//! Codex CLI. Hooks are in `home/.codex/hooks.json`, `home/.codex/config.toml` or
//! `work/.codex/hooks.json`, and run only once they are trusted: [`Session::trust_hooks`], or
//! `--dangerously-bypass-hook-trust` among [`Session::arguments`].
//!
//! `codex exec` never asks for permission, so turns with [`Permissions::AskForAll`] go through
//! `codex app-server`, and every question that reaches its client is declined.
//!
//! [`Session::trust_hooks`]: crate::session::Session::trust_hooks
//! [`Session::arguments`]: crate::session::Session::arguments

use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::DUMMY_KEY;
use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Driver, Job, Setup, last_text};
use crate::install::Unavailable;
use crate::process::{self, Finished};
use crate::session::Permissions;

mod app_server;

use app_server::AppServer;

/// Codex CLI.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Codex {
    /// The pinned Codex CLI, installed if need be.
    pub fn ready() -> Result<Client, Unavailable> {
        Agent::Codex.ready()
    }
}

impl Driver for Codex {
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()> {
        let workspace = &mut *setup.workspace;
        // The file in which the client notes what a person has said about a folder. Without it the
        // repository's own hooks are not even listed.
        let project = Value::from(workspace.work().to_string_lossy());
        let trusted = format!("[projects.{project}]\ntrust_level = \"trusted\"\n");
        workspace.write_home(".codex/config.toml", trusted)?;
        workspace.set_env("LAB_API_KEY", DUMMY_KEY);
        Ok(())
    }

    fn ask(&self, command: &mut Command, asked: &Asked<'_>) {
        command.arg("exec");
        if asked.conversation == Conversation::Continued {
            command.args(["resume", "--last"]);
        }
        command.args(["--json", "--dangerously-bypass-approvals-and-sandbox"]);
        configure(command, asked);
        command.args(asked.arguments).arg(asked.prompt);
    }

    fn run(&self, mut job: Job<'_>, asked: &Asked<'_>) -> io::Result<Finished> {
        match asked.permissions {
            Permissions::AllowAll => {
                self.ask(&mut job.command, asked);
                process::run(&mut job.command, job.output, job.limit)
            }
            Permissions::AskForAll => {
                job.command.arg("app-server");
                configure(&mut job.command, asked);
                job.command.args(asked.arguments);
                let mut server = AppServer::start(job)?;
                match turn(&mut server, asked) {
                    // There is no time left, so closing it finds the same.
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

    fn trust_hooks(&self, mut job: Job<'_>, work: &Path) -> io::Result<usize> {
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

/// Points Codex at the fake model, and keeps it from talking to anybody else. On the command line,
/// because the configuration file is the person's.
fn configure(command: &mut Command, asked: &Asked<'_>) {
    let model = Value::from(asked.model);
    let url = Value::from(format!("{}/v1", asked.url));
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

/// One turn, in which everything but reading is asked about.
fn turn(server: &mut AppServer, asked: &Asked<'_>) -> io::Result<()> {
    let policy = json!({ "approvalPolicy": "untrusted", "sandbox": "danger-full-access" });
    let thread = match asked.conversation {
        Conversation::New => server.call("thread/start", policy)?,
        Conversation::Continued => {
            let threads = server.call("thread/list", json!({ "limit": 1 }))?;
            let mut resumed = policy;
            resumed["threadId"] = threads["data"][0]["id"].clone();
            server.call("thread/resume", resumed)?
        }
    };
    let input = json!([{ "type": "text", "text": asked.prompt }]);
    let params = json!({ "threadId": thread["thread"]["id"], "input": input });
    server.call("turn/start", params)?;
    server.wait_for("turn/completed")
}

/// What the configuration says of hooks that a person has looked at, for those that are new or have
/// changed.
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
    fn hooks_that_are_new_or_have_changed_are_trusted_as_they_are_now() {
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
