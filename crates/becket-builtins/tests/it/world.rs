//! A private machine: project, home, state, and a `PATH` that contains only what a test puts there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use becket_agents::config::{ConfigFile, becket};
use becket_builtins::{BuiltinDeps, make};
use becket_model::{AgentId, Event, EventData, HookOutcome, HookSpec, Level, SessionId, ToolCall};
use becket_runner::{Hook, HookContext, HookInput};
use becket_testkit::{TestDir, write_file, write_script};
use futures_lite::future::block_on;
use serde_json::{Value, json};

pub(crate) struct World {
    dir: TestDir,
    pub(crate) deps: BuiltinDeps,
    pub(crate) level: Level,
    vars: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = TestDir::new();
        for name in ["app", "home", "state", "bin"] {
            dir.create_dir(name);
        }
        let mut deps = BuiltinDeps::new(dir.path("state"));
        deps.env = Arc::new(|_| None);
        let mut world = Self {
            dir,
            deps,
            level: Level::User,
            vars: Vec::new(),
        };
        let bin = world.path("bin").to_string_lossy().into_owned();
        let home = world.path("home").to_string_lossy().into_owned();
        world.set("PATH", &bin);
        world.set("HOME", &home);
        world
    }

    /// The same with git, isolated from the configuration of the user who runs the tests.
    pub(crate) fn with_git() -> Self {
        let mut world = Self::new();
        world.link("git");
        world.set("GIT_CONFIG_GLOBAL", "/dev/null");
        world.set("GIT_CONFIG_NOSYSTEM", "1");
        world.git(&["init", "--quiet", "--initial-branch=work", "."]);
        world.git(&["config", "user.name", "Test"]);
        world.git(&["config", "user.email", "test@example.org"]);
        world
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.vars.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path(name)
    }

    pub(crate) fn app(&self) -> PathBuf {
        self.path("app")
    }

    /// Writes a file in the project.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        write_file(&self.app(), name, text)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.app().join(name)).expect("read")
    }

    /// Puts a shell script on the `PATH`.
    pub(crate) fn program(&self, name: &str, script: &str) {
        write_script(&self.path("bin").join(name), script);
    }

    /// Puts a program of the real machine on the `PATH`.
    pub(crate) fn link(&self, name: &str) {
        let path = std::env::var_os("PATH").expect("a PATH");
        let real = std::env::split_paths(&path)
            .map(|dir| dir.join(name))
            .find(|file| file.is_file())
            .unwrap_or_else(|| panic!("{name} is needed"));
        let to = self.path("bin").join(name);
        // By a script, because some programs look at the name they are started by.
        write_script(&to, &format!("exec {} \"$@\"", real.display()));
    }

    /// Runs git in the project.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.app(), args)
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(dir)
            .envs(
                self.vars
                    .iter()
                    .filter(|(name, _)| name.starts_with("GIT_"))
                    .cloned(),
            )
            .env("HOME", self.path("home"))
            .output()
            .expect("git is needed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn context(&self) -> HookContext {
        let mut ctx = HookContext::new("s1").with_cwd(self.app());
        ctx.project_dir = Some(self.app());
        for (name, value) in &self.vars {
            ctx = ctx.with_env(name, value);
        }
        ctx
    }

    /// The hooks of an entry.
    pub(crate) fn specs(&self, entry: &str) -> Vec<HookSpec> {
        let text = format!("[[hook]]\n{entry}\n");
        let layer = becket(&ConfigFile {
            path: Path::new("config.toml"),
            level: self.level,
            text: &text,
            root: None,
        });
        assert!(layer.problems.is_empty(), "{:?}", layer.problems);
        layer.hooks
    }

    /// The hook of an entry for one event.
    pub(crate) fn hook(&self, entry: &str, event: &Event) -> Arc<dyn Hook> {
        let kind = event.kind();
        let spec = self
            .specs(entry)
            .into_iter()
            .find(|spec| spec.event == kind);
        let spec = spec.unwrap_or_else(|| panic!("{entry} is not for {kind:?}"));
        make(spec, &Arc::new(self.deps.clone())).expect("the options are right")
    }

    /// Runs an entry's hook on an event.
    pub(crate) fn fire(&self, entry: &str, event: Event) -> HookOutcome {
        let hook = self.hook(entry, &event);
        block_on(hook.run(HookInput::from_event(event, "e1"), &self.context()))
    }

    pub(crate) fn event(&self, data: EventData) -> Event {
        let mut event = Event::new(AgentId::new("claude"), SessionId::new("s1"), data);
        event.cwd = Some(self.app().to_string_lossy().into_owned());
        event
    }

    /// The event after a tool wrote a file.
    pub(crate) fn wrote(&self, file: &str) -> Event {
        let input = json!({ "file_path": file });
        self.event(EventData::PostToolUse {
            call: ToolCall::new("Write", input),
            response: Value::Null,
            duration_ms: None,
        })
    }

    pub(crate) fn stop(&self) -> Event {
        self.event(EventData::Stop {
            active: false,
            last_message: None,
        })
    }
}

/// A script that writes its arguments, one per line, to a file atomically.
pub(crate) fn noting(file: &Path) -> String {
    let file = file.display();
    format!("printf '%s\\n' \"$0\" \"$@\" > {file}.new && /bin/mv {file}.new {file}")
}

/// The failure message of a hook.
pub(crate) fn failure(outcome: &HookOutcome) -> &str {
    let failure = outcome.failure.as_ref();
    failure.map_or("", |failure| failure.message.as_str())
}

pub(crate) fn os(text: &str) -> OsString {
    text.into()
}
