//! A user with a home directory and a project, whose agents fire events.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use becket::{
    CancellationToken, CoreHooks, Home, HookFactory, NeedsFullBinary, Request, Response, adapter,
    respond,
};
use serde_json::{Value, json};

pub(super) struct ClientWorld {
    dir: tempfile::TempDir,
    pub(super) home: Home,
    /// Whether the last event announced that its hooks may wait.
    pub(super) announced: AtomicBool,
    /// Whether the person interrupts the hooks as soon as they start.
    pub(super) is_impatient: AtomicBool,
}

impl ClientWorld {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let home = Home::find(&HashMap::from([
            ("HOME".to_owned(), at("home")),
            ("BECKET_HOME".to_owned(), at("home/.becket")),
        ]));
        std::fs::create_dir_all(dir.path().join("app/.git")).unwrap();
        Self {
            dir,
            home,
            announced: AtomicBool::new(false),
            is_impatient: AtomicBool::new(false),
        }
    }

    /// A user with this configuration.
    pub(super) fn with_config(text: &str) -> Self {
        let world = Self::new();
        world.config(text);
        world
    }

    pub(super) fn config(&self, text: &str) {
        self.write("home/.becket/config.toml", text);
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path("app")
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The lines of a file; none if it does not exist.
    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A hook that adds a line to the file `runs` and then runs a command.
    pub(super) fn counting(&self, keys: &str, then: &str) -> String {
        let runs = self.path("runs");
        format!(
            "[[hook]]\n{keys}\ncommand = '''echo x >> '{}'; {then}'''\n",
            runs.display()
        )
    }

    pub(super) fn runs(&self) -> usize {
        self.lines("runs").len()
    }

    /// An event of Claude Code in the project.
    pub(super) fn event(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": "s1", "transcript_path": "", "cwd": self.project(), "hook_event_name": event,
        });
        extend(&mut payload, more);
        payload
    }

    /// Claude Code is about to run a command.
    pub(super) fn bash(&self, command: &str) -> Response {
        self.fire(
            "PreToolUse",
            &json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1" }),
        )
    }

    /// Fires an event of Claude Code.
    pub(super) fn fire(&self, event: &str, more: &Value) -> Response {
        self.fire_as("claude", &self.event(event, more))
    }

    /// Fires an event through the hooks of an agent.
    pub(super) fn fire_as(&self, agent: &str, payload: &Value) -> Response {
        let event = payload["hook_event_name"].as_str();
        self.send(agent, event, payload.to_string().as_bytes(), &CoreHooks)
            .expect("the factory builds every hook")
    }

    pub(super) fn send(
        &self,
        agent: &str,
        event: Option<&str>,
        payload: &[u8],
        factory: &dyn HookFactory,
    ) -> Result<Response, NeedsFullBinary> {
        self.announced.store(false, Ordering::Relaxed);
        self.with_request(agent, event, payload, factory, respond)
    }

    /// Calls `work` with a request.
    pub(super) fn with_request<T>(
        &self,
        agent: &str,
        event: Option<&str>,
        payload: &[u8],
        factory: &dyn HookFactory,
        work: impl FnOnce(&Request<'_>) -> T,
    ) -> T {
        let before_hooks = |token: &CancellationToken| {
            self.announced.store(true, Ordering::Relaxed);
            if self.is_impatient.load(Ordering::Relaxed) {
                token.cancel();
            }
        };
        work(&Request {
            adapter: adapter(agent).unwrap(),
            event,
            payload,
            home: &self.home,
            cwd: Path::new("/"),
            before_hooks: &before_hooks,
            factory,
        })
    }
}

/// Adds fields to a JSON object.
pub(super) fn extend(payload: &mut Value, more: &Value) {
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
}

/// The verdict on record.
pub(super) fn verdict(response: &Response) -> &str {
    response.record["decision"]["verdict"].as_str().unwrap()
}

/// The reason on record.
pub(super) fn reason(response: &Response) -> &str {
    let reason = &response.record["decision"]["reason"];
    reason.as_str().unwrap_or_default()
}

/// The names of the hooks that ran.
pub(super) fn ran(response: &Response) -> Vec<&str> {
    let runs = response.record["decision"]["hooks"].as_array();
    let names = runs.into_iter().flatten();
    names.map(|run| run["hook"].as_str().unwrap()).collect()
}

/// The additional context for Claude's model.
pub(super) fn context(response: &Response) -> Value {
    let reply: Value = serde_json::from_str(&response.rendered.stdout).unwrap_or_default();
    reply["hookSpecificOutput"]["additionalContext"].clone()
}
