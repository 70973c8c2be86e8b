//! Test support: a recorded session, fired through the binary, and a daemon in the foreground.

use std::path::Path;
use std::process::{Child, Stdio};

use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::context::Context;

/// The session of the recorded payloads.
pub(super) const SESSION: &str = "020f002d-0448-45e0-a9c2-b5863ebb5f91";

const RECORDED: [&str; 14] = [
    "SessionStart/startup",
    "UserPromptSubmit/recorded",
    "PreToolUse/bash",
    "PostToolUse/bash",
    "PreToolUse/write",
    "PreToolUse/agent",
    "SubagentStart/recorded",
    "PreToolUse/bash-subagent",
    "PostToolUse/bash-subagent",
    "SubagentStop/recorded",
    "PostToolUse/agent",
    "Stop/recorded",
    "SessionEnd/recorded",
    "UserPromptSubmit/titled",
];

/// A session of Claude Code with a blocked write, and the start of another one, all in the spool.
pub(super) fn recorded_session() -> Context {
    let context = Context::new();
    context.config("[[hook]]\nname = \"no-write\"\nevent = \"PreToolUse\"\nmatcher = \"Write\"\ncommand = \"echo not this file >&2; exit 2\"\n");
    for case in RECORDED {
        fire(&context, case, |_| {});
    }
    context
}

/// Sessions in which Claude Code wrote a file although a hook had denied it.
pub(super) fn ignored_denials(sessions: usize) -> Context {
    let context = Context::new();
    context.config("[[hook]]\nname = \"no-write\"\nevent = \"PreToolUse\"\nmatcher = \"Write\"\ncommand = \"echo not this file >&2; exit 2\"\n");
    for number in 0..sessions {
        let call = json!({
            "session_id": format!("wild-{number}"), "tool_name": "Write", "tool_use_id": "t1",
            "tool_input": { "file_path": context.path("app/a.txt"), "content": "" }, "tool_response": {},
        });
        assert_eq!(
            context
                .fire("PreToolUse", call.clone())
                .permission()
                .as_deref(),
            Some("deny")
        );
        context.fire("PostToolUse", call);
    }
    context
}

/// Fires a recorded payload in the test's project.
pub(super) fn fire(context: &Context, case: &str, change: impl FnOnce(&mut Value)) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    let text = std::fs::read_to_string(fixtures.join(case).join("input.json"));
    let text = text.unwrap_or_else(|error| panic!("{case}: {error}"));
    let mut payload: Value = serde_json::from_str(&text).expect("JSON");
    payload["cwd"] = json!(context.project());
    change(&mut payload);
    let event = case.split('/').next().expect("a name");
    let args = ["hook", event, "--agent", "claude"];
    let answer = context.run_with(&args, payload.to_string().as_bytes());
    assert_eq!(answer.exit, 0, "{case}: {}", answer.stderr);
}

/// A daemon that stops with the test.
pub(super) struct Daemon<'c> {
    child: Child,
    context: &'c Context,
}

impl<'c> Daemon<'c> {
    pub(super) fn start(context: &'c Context) -> Self {
        let mut command = context.command(&["daemon", "run", "--no-learn"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let daemon = Self {
            child: command.spawn().expect("started"),
            context,
        };
        wait_for("an answer of the daemon", || {
            context.run(&["daemon", "status"]).exit == 0
        });
        daemon
    }

    /// Stops it gracefully.
    pub(super) fn stop(mut self) {
        assert_eq!(self.context.run(&["daemon", "stop"]).exit, 0);
        self.child.wait().expect("ended");
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
