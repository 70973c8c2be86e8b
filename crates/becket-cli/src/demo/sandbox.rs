//! The demo's sandbox: a home and a project in the temporary directory, with their own daemon.

use std::fs;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use becket::Home;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

use crate::daemon;
use crate::follow::{EventFollower, EventSelection, IdleEvents};
use crate::full_binary;
use crate::records::ScopeArgs;
use crate::table::terminal_width;

/// Environment variables that are passed on. The agents' own variables could lead out of the sandbox.
const PASSED_VARIABLES: [&str; 8] = [
    "PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "NO_COLOR", "COLUMNS",
];
/// How often the spool is checked for a new event.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const MAX_POLLS: usize = 100;

const CONFIG: &str = r#"[[hook]]
name = "quiet-npm"
description = "Tests without progress bars"
event = "PreToolUse"
if = "Bash(npm test*)"
command = '''echo '{"updatedInput": {"command": "npm test --silent"}}' '''

[[hook]]
name = "briefing"
description = "Tell every session about the house rules"
event = "SessionStart"
command = "echo 'This repository uses tabs. Tests run with npm test.'"
"#;

const PROJECT_HOOKS: &str = r#"[[hook]]
name = "protect-migrations"
description = "Migrations are written by hand"
event = "PreToolUse"
matcher = "Write|Edit"
filter = { path = ["migrations/**"] }
command = "./scripts/protect.sh"
"#;

const PROTECT: &str = "#!/bin/sh\necho \"migrations are written by hand\" >&2\nexit 2\n";

const CART: &str = "\
// The total of a cart, with coupons taken off.
export function total(items, coupons, used = new Set()) {
\tlet total = items.reduce((sum, item) => sum + item.price, 0);
\tfor (const coupon of coupons) {
\t\tif (!used.has(coupon)) total -= coupon.value;
\t\tused.add(coupon);
\t}
\treturn total;
}
";

pub(super) struct DemoSandbox {
    dir: Option<TempDir>,
    pub(super) home: Home,
    pub(super) project: PathBuf,
    trail: EventFollower,
    interrupted: Arc<AtomicBool>,
}

impl DemoSandbox {
    pub(super) fn new() -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("becket-demo-").tempdir();
        let dir = dir.context("cannot create a scratch directory")?;
        // Agents and hooks see the path with symbolic links resolved.
        let root = dir.path().canonicalize()?;
        let user = root.join("home");
        let state = user.join(".becket");
        let home = Home {
            claude: user.join(".claude"),
            config: state.clone(),
            state,
            user,
        };
        let project = root.join("shop");
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
        }
        write_files(&home, &project).context("cannot write the demo files")?;
        let wanted = EventSelection {
            scope: ScopeArgs::default().resolve(&home),
            kind: None,
            verdict: None,
            idle: IdleEvents::OnlyByName,
        };
        Ok(Self {
            dir: Some(dir),
            trail: EventFollower::new(&home, wanted),
            home,
            project,
            interrupted,
        })
    }

    pub(super) fn dir(&self) -> &Path {
        self.project.parent().unwrap_or(&self.project)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn command(&self) -> anyhow::Result<Command> {
        let mut command = Command::new(full_binary::sibling_path(full_binary::HOOK_CLIENT)?);
        let kept = PASSED_VARIABLES
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .env_clear()
            .envs(kept)
            .env("HOME", &self.home.user)
            .env("BECKET_HOME", &self.home.state)
            .current_dir(&self.project);
        // The output goes through a pipe to this terminal, so it needs the width.
        if std::io::stdout().is_terminal() {
            command.env("COLUMNS", terminal_width().to_string());
        }
        Ok(command)
    }

    /// Runs a Becket command and returns its output.
    pub(super) fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self
            .command()?
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()?;
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() != Some(0) {
            let why = String::from_utf8_lossy(&output.stderr);
            bail!("`becket {}` failed: {output_text}{why}", args.join(" "));
        }
        Ok(output_text)
    }

    /// Sends an event as the agent would; returns the reply.
    pub(super) fn fire(&self, agent: &str, event: &str, payload: &Value) -> anyhow::Result<String> {
        let places = [("{project}", &self.project), ("{home}", &self.home.user)];
        let payload = substitute_paths(payload, &places);
        let mut child = self
            .command()?
            .args(["hook", event, "--agent", agent])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(payload.to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let (out, err) = (output.stdout, output.stderr);
        let output_text = if out.is_empty() { err } else { out };
        Ok(String::from_utf8_lossy(&output_text).into_owned())
    }

    /// Records since the last call.
    pub(super) fn new_records(&mut self) -> anyhow::Result<Vec<Value>> {
        for _ in 0..MAX_POLLS {
            let records = self.trail.poll()?;
            if !records.is_empty() {
                return Ok(records);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(Vec::new())
    }

    /// Keeps the sandbox; returns its path.
    pub(super) fn keep(&mut self) -> PathBuf {
        if let Some(dir) = self.dir.take() {
            let _ = dir.keep();
        }
        self.dir().to_owned()
    }
}

impl Drop for DemoSandbox {
    fn drop(&mut self) {
        if self.dir.is_some() {
            // Stop the daemon first; otherwise it would create the directory again.
            let _ = daemon::shut_down(&self.home);
        }
    }
}

fn write_files(home: &Home, project: &Path) -> std::io::Result<()> {
    for dir in [".git", "scripts", "src", "migrations"] {
        fs::create_dir_all(project.join(dir))?;
    }
    fs::create_dir_all(&home.state)?;
    fs::write(home.config_file(), CONFIG)?;
    fs::write(project.join("becket.toml"), PROJECT_HOOKS)?;
    fs::write(project.join("src/cart.js"), CART)?;
    fs::write(project.join(".env"), "PORT=8080\n")?;
    let script = project.join("scripts/protect.sh");
    fs::write(&script, PROTECT)?;
    fs::set_permissions(script, fs::Permissions::from_mode(0o755))
}

/// Replaces the path placeholders in a payload.
fn substitute_paths(value: &Value, places: &[(&str, &PathBuf)]) -> Value {
    match value {
        Value::String(text) => {
            let put = |text: String, (name, path): &(&str, &PathBuf)| {
                text.replace(name, &path.to_string_lossy())
            };
            Value::String(places.iter().fold(text.clone(), put))
        }
        Value::Array(all) => all
            .iter()
            .map(|one| substitute_paths(one, places))
            .collect(),
        Value::Object(map) => {
            let filled = map
                .iter()
                .map(|(key, one)| (key.clone(), substitute_paths(one, places)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}
