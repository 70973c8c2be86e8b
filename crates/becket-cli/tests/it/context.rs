//! The test environment: a private HOME, a project, and nothing of the caller's environment.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_testkit::TestDir;
use serde_json::{Value, json};

pub(crate) struct Context {
    dir: TestDir,
    env: Vec<(String, String)>,
}

pub(crate) struct CommandOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: i32,
}

impl CommandOutput {
    /// The reply as JSON; null if there is none.
    pub(crate) fn json(&self) -> Value {
        if self.stdout.trim().is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// Claude's permission decision on the tool call.
    pub(crate) fn permission(&self) -> Option<String> {
        Some(
            self.json()["hookSpecificOutput"]["permissionDecision"]
                .as_str()?
                .to_owned(),
        )
    }

    pub(crate) fn reason(&self) -> String {
        let json = self.json();
        let words = ["permissionDecisionReason", "additionalContext"];
        words
            .iter()
            .find_map(|key| json["hookSpecificOutput"][key].as_str())
            .unwrap_or_default()
            .to_owned()
    }
}

impl Context {
    pub(crate) fn new() -> Self {
        let dir = TestDir::new();
        // A trace of an agent, so that `init` finds one.
        dir.create_dir("home/.claude");
        dir.create_dir("app/.git");
        Self {
            dir,
            env: Vec::new(),
        }
    }

    /// Sets a variable in the environment of every command.
    pub(crate) fn set_env(&mut self, name: &str, value: impl AsRef<Path>) -> &mut Self {
        let value = value.as_ref().display().to_string();
        self.env.push((name.to_owned(), value));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("app")
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        self.dir.write(name, text);
        self
    }

    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        self.dir.script(name, body)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        self.dir.read(name)
    }

    /// Writes the user's configuration.
    pub(crate) fn config(&self, toml: &str) -> &Self {
        self.write("home/.becket/config.toml", toml)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_becket"));
        command
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("BECKET_HOME", self.path("home/.becket"))
            .env("BECKET_DAEMON", "off")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.project());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        self.run_with(args, b"")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> CommandOutput {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut pipe = child.stdin.take().expect("a pipe");
        let stdin = stdin.to_vec();
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().expect("ended");
        writer.join().expect("written");
        CommandOutput {
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            exit: output.status.code().unwrap_or(-1),
        }
    }

    /// Fires an event as Claude Code would.
    pub(crate) fn fire(&self, event: &str, more: Value) -> CommandOutput {
        let mut payload = json!({
            "session_id": "020f002d", "transcript_path": "", "cwd": self.project(), "hook_event_name": event,
        });
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        self.run_with(
            &["hook", event, "--agent", "claude"],
            payload.to_string().as_bytes(),
        )
    }

    /// Fires the event of a file that Claude Code wrote.
    pub(crate) fn written(&self, file: &Path) -> CommandOutput {
        let input = json!({ "file_path": file, "content": "" });
        self.fire("PostToolUse", json!({ "tool_name": "Write", "tool_input": input, "tool_response": {}, "tool_use_id": "t1" }))
    }

    pub(crate) fn bash(&self, command: &str) -> CommandOutput {
        self.fire("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1" }))
    }

    /// All records, oldest first.
    pub(crate) fn records(&self) -> Vec<Value> {
        let listed = self.run(&["tail", "-n", "1000", "--json"]).json();
        listed["events"].as_array().expect("a list").clone()
    }
}

/// Quotes a string for TOML.
pub(crate) fn quoted(text: impl AsRef<Path>) -> String {
    format!("{:?}", text.as_ref().display().to_string())
}
