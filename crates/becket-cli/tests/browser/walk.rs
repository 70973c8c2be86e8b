//! Controls the walk script: started once, it gets the name of each step and reports the result.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use becket_lab::Unavailable;
use becket_lab::harness::TestResult;
use becket_lab::install;
use serde_json::Value;

use crate::recorded::Recorded;

/// Timeout of one step; the script itself gives up sooner.
const PATIENCE: Duration = Duration::from_secs(240);

/// Timeout for closing the browser.
const CLOSING: Duration = Duration::from_secs(20);

/// Set where a missing browser is a failure.
const REQUIRED: &str = "BECKET_REQUIRE_BROWSER";

/// Why there is no walk.
#[derive(Debug, Clone)]
pub(crate) enum WalkError {
    /// A requirement is missing.
    Missing(Unavailable),
    /// It could not be started.
    Failed(String),
}

impl WalkError {
    pub(crate) fn as_error(&self) -> Box<dyn Error> {
        match self {
            Self::Missing(missing) => missing.clone().into(),
            Self::Failed(why) => why.clone().into(),
        }
    }

    fn missing(what: &str, why: impl Into<String>) -> Self {
        let missing = Unavailable {
            client: what.to_owned(),
            why: why.into(),
        };
        Self::of(missing)
    }

    fn of(missing: Unavailable) -> Self {
        if std::env::var_os(REQUIRED).is_some() {
            Self::Failed(missing.to_string())
        } else {
            Self::Missing(missing)
        }
    }
}

impl From<Box<dyn Error>> for WalkError {
    fn from(error: Box<dyn Error>) -> Self {
        match error.downcast::<Unavailable>() {
            Ok(missing) => Self::of(*missing),
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

/// The running walk; dropping it ends the walk.
pub(crate) struct Walk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Dropped last, because the child uses its daemon.
    _recorded: Recorded,
}

/// The names of the steps, in order.
pub(crate) fn steps() -> Result<Vec<String>, WalkError> {
    let output = Command::new(node()?)
        .arg(script()?)
        .arg("--list")
        .output()
        .map_err(|error| WalkError::missing("node", error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let names: Vec<String> = said.lines().map(str::to_owned).collect();
    if !output.status.success() || names.is_empty() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(WalkError::Failed(format!("the walk has no steps: {why}")));
    }
    Ok(names)
}

impl Walk {
    /// Records the sessions and opens the browser.
    pub(crate) fn begin() -> Result<Self, WalkError> {
        let (node, script, chromium) = (node()?, script()?, chromium()?);
        let recorded = Recorded::new()?;
        let mut child = recorded
            .command(node)?
            .arg(script)
            .env("CHROMIUM", chromium)
            .env("SHOTS", shots())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| WalkError::missing("node", error.to_string()))?;
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Ok(Self {
            child,
            stdin,
            lines,
            _recorded: recorded,
        })
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, name: &str) -> TestResult {
        let stdin = self.stdin.as_mut().expect("open until it is dropped");
        writeln!(stdin, "{name}").map_err(|_| "the walk has ended")?;
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.map_err(|error| format!("the walk gave no answer: {error}"))?;
        let told: Value = serde_json::from_str(&line)?;
        match told["error"].as_str() {
            None => Ok(()),
            Some(error) => Err(error.to_owned().into()),
        }
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        // The script closes the browser at end of input; only a hanging one is killed.
        drop(self.stdin.take());
        let closed = self.lines.recv_timeout(CLOSING);
        if closed != Err(RecvTimeoutError::Disconnected) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

impl From<std::io::Error> for WalkError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

fn node() -> Result<PathBuf, WalkError> {
    let node = install::client("node").map_err(WalkError::of)?;
    Ok(node.program)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn script() -> Result<PathBuf, WalkError> {
    let web = root().join("web");
    if !web.join("node_modules/playwright-core").exists() {
        let why = "its packages are not installed: `make browser` does, or `npm ci` in web/";
        return Err(WalkError::missing("web", why));
    }
    Ok(web.join("browser/main.mjs"))
}

/// Where screenshots of failures go.
fn shots() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../browser")
}

/// The browser that `CHROMIUM` names, or that is on the `PATH`.
fn chromium() -> Result<PathBuf, WalkError> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
        .ok_or_else(|| {
            WalkError::missing(
                "chromium",
                "not on the PATH: `scripts/tools.sh` installs it, or set CHROMIUM",
            )
        })
}
