//! Permission requests that a person answers in a connected editor.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::context::{CommandOutput, Context};

/// A machine with `ask-editor` and a daemon, which stops with it.
struct EditorSetup(Context);

impl EditorSetup {
    fn new() -> Self {
        let context = Context::new();
        let enabled = context.run(&["hooks", "enable", "ask-editor"]);
        assert_eq!(enabled.exit, 0, "{}", enabled.stderr);
        assert_eq!(context.run(&["daemon", "start"]).exit, 0);
        Self(context)
    }

    fn request_permission(&self) -> CommandOutput {
        let payload = json!({
            "session_id": "s", "cwd": self.0.project(), "hook_event_name": "PermissionRequest", "tool_name": "Bash",
            "tool_input": { "command": "make deploy" },
        });
        self.0.run_with(
            &["hook", "PermissionRequest", "--agent", "claude"],
            payload.to_string().as_bytes(),
        )
    }
}

impl Drop for EditorSetup {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

/// An editor connected through `becket rpc`.
struct Editor {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Editor {
    fn open(desk: &EditorSetup) -> Self {
        let mut child = desk
            .0
            .command(&["rpc"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut editor = Self {
            child,
            stdin,
            stdout,
        };
        editor.call(
            "becket.subscribe",
            &json!({ "events": ["permissionRequest"] }),
        );
        // After this response the daemon knows of the editor.
        editor.call("becket.permissions.pending", &json!({}));
        editor
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.stdin, "{call}").expect("sent");
        loop {
            let message = self.message();
            if message["id"] == 1 {
                return message;
            }
        }
    }

    /// Waits for a request and answers it.
    fn decide(&mut self, decision: &str, reason: &str) -> Value {
        loop {
            let message = self.message();
            if message["method"] == "becket.permission.waiting" {
                let waiting = message["params"].clone();
                let params = json!({ "id": waiting["id"], "decision": decision, "reason": reason });
                let answer = self.call("becket.permissions.decide", &params);
                assert_eq!(answer["error"], Value::Null, "{answer}");
                return waiting;
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn connected_editor_answers_a_permission_request() {
    let desk = EditorSetup::new();
    let mut editor = Editor::open(&desk);
    for (decision, expected) in [
        ("allow", "\"behavior\":\"allow\""),
        ("deny", "\"behavior\":\"deny\""),
    ] {
        let (waiting, answer) = std::thread::scope(|scope| {
            let asking = scope.spawn(|| desk.request_permission());
            let waiting = editor.decide(decision, "SAID_AT_THE_EDITOR");
            (waiting, asking.join().expect("answered"))
        });
        assert_eq!(waiting["command"], "make deploy", "{waiting}");
        assert_eq!(waiting["tool"], "Bash");
        let said = answer.stdout.replace(": ", ":");
        assert!(
            said.contains(expected),
            "{decision}: {said}{}",
            answer.stderr
        );
        assert_eq!(
            said.contains("SAID_AT_THE_EDITOR"),
            decision == "deny",
            "{said}"
        );
    }
}

#[test]
fn permission_request_without_an_editor_returns_at_once() {
    let desk = EditorSetup::new();
    let answer = desk.request_permission();
    assert_eq!(
        (answer.stdout.as_str(), answer.exit),
        ("", 0),
        "{}",
        answer.stderr
    );
    desk.0.run(&["daemon", "stop"]);
    let answer = desk.request_permission();
    assert_eq!(
        (answer.stdout.as_str(), answer.exit),
        ("", 0),
        "{}",
        answer.stderr
    );
}
