//! Where the demo plays: a home and a project below the directory for temporary files, and a daemon of its own.

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
use crate::follow::{Idle, Trail, Wanted};
use crate::records::Which;
use crate::table::width;
use crate::twin;

/// What of the person's environment is passed on. Agents' own variables would lead out of the scratch directory.
const KEPT: [&str; 8] = [
    "PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "NO_COLOR", "COLUMNS",
];
/// How often it is looked whether an event is on record.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS: usize = 100;

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

pub(super) struct World {
    dir: Option<TempDir>,
    pub(super) home: Home,
    pub(super) project: PathBuf,
    trail: Trail,
    interrupted: Arc<AtomicBool>,
}

impl World {
    pub(super) fn new() -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("becket-demo-").tempdir();
        let dir = dir.context("no scratch directory")?;
        // Where links are in the way, agents and hooks see the directory behind them.
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
        furnish(&home, &project).context("the scratch directory cannot be filled")?;
        let wanted = Wanted {
            chosen: Which::default().find(&home),
            kind: None,
            verdict: None,
            idle: Idle::OnlyByName,
        };
        Ok(Self {
            dir: Some(dir),
            trail: Trail::new(&home, wanted),
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
        let mut command = Command::new(twin::beside(twin::SMALL)?);
        let kept = KEPT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .env_clear()
            .envs(kept)
            .env("HOME", &self.home.user)
            .env("BECKET_HOME", &self.home.state)
            .current_dir(&self.project);
        // What it says comes through a pipe, and is shown on this terminal.
        if std::io::stdout().is_terminal() {
            command.env("COLUMNS", width().to_string());
        }
        Ok(command)
    }

    /// Runs a command of Becket's own; says what it said.
    pub(super) fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self
            .command()?
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() != Some(0) {
            let why = String::from_utf8_lossy(&output.stderr);
            bail!("`becket {}`: {said}{why}", args.join(" "));
        }
        Ok(said)
    }

    /// Fires an event as the agent would; says what it is answered.
    pub(super) fn fire(&self, agent: &str, event: &str, payload: &Value) -> anyhow::Result<String> {
        let places = [("{project}", &self.project), ("{home}", &self.home.user)];
        let payload = filled(payload, &places);
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
        let said = if out.is_empty() { err } else { out };
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// What has come on record since the last time.
    pub(super) fn new_records(&mut self) -> anyhow::Result<Vec<Value>> {
        for _ in 0..LOOKS {
            let records = self.trail.new_ones()?;
            if !records.is_empty() {
                return Ok(records);
            }
            std::thread::sleep(LOOK);
        }
        Ok(Vec::new())
    }

    /// Lets everything stay; says where it is.
    pub(super) fn keep(&mut self) -> PathBuf {
        if let Some(dir) = self.dir.take() {
            let _ = dir.keep();
        }
        self.dir().to_owned()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.dir.is_some() {
            // Before its directory goes: a daemon would make it again.
            let _ = daemon::end(&self.home);
        }
    }
}

fn furnish(home: &Home, project: &Path) -> std::io::Result<()> {
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

/// A payload with the places of this world in it.
fn filled(value: &Value, places: &[(&str, &PathBuf)]) -> Value {
    match value {
        Value::String(text) => {
            let put = |text: String, (name, path): &(&str, &PathBuf)| {
                text.replace(name, &path.to_string_lossy())
            };
            Value::String(places.iter().fold(text.clone(), put))
        }
        Value::Array(all) => all.iter().map(|one| filled(one, places)).collect(),
        Value::Object(map) => {
            let filled = map
                .iter()
                .map(|(key, one)| (key.clone(), filled(one, places)));
            Value::Object(filled.collect())
        }
        other => other.clone(),
    }
}
