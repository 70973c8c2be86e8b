//! Notifies the daemon of every recorded event, and starts it if none is running.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_base::fs::{open_private, private_options};
use becket_spool::notify::{self, NotifyResult};
use becket_spool::runtime_dir::RuntimeDir;
use rustix::fs::{FlockOperation, flock};

use crate::full_binary;

/// How long to wait after a start attempt before the next one.
const RESTART_BACKOFF: Duration = Duration::from_secs(30);

/// Variables that an automatically started daemon inherits. It outlives the project that started it, and a project can
/// influence the other variables.
const INHERITED_VARS: [&str; 12] = [
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "SHELL",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Notifies the daemon that the spool has a new record. An error here loses neither the answer nor the record: the
/// spool keeps it, and `becket doctor` reports the problem.
pub(crate) fn notify(home: &Home) {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    if matches!(
        notify::notify_daemon(&runtime_dir, env!("CARGO_PKG_VERSION")),
        NotifyResult::NoDaemon
    ) {
        start(home, &runtime_dir);
    }
}

/// Starts a daemon unless another process just did or the user disabled it. Returns whether it did.
pub(crate) fn start(home: &Home, runtime_dir: &RuntimeDir) -> bool {
    try_start(home, runtime_dir).unwrap_or(false)
}

fn try_start(home: &Home, runtime_dir: &RuntimeDir) -> io::Result<bool> {
    if ProcessEnv
        .get(EnvVars::BECKET_DAEMON)
        .is_some_and(|value| value == "off")
    {
        return Ok(false);
    }
    runtime_dir.prepare().map_err(io::Error::other)?;
    let Some(lock) = acquire_start_lock(runtime_dir)? else {
        return Ok(false);
    };
    if becket::load::load(home, None, None).settings.daemon == Some(false) {
        return Ok(false);
    }
    launch(runtime_dir, lock, DaemonEnv::Minimal).map(|()| true)
}

/// Takes the start lock, unless another process holds it or tried recently. The daemon inherits the lock.
fn acquire_start_lock(runtime_dir: &RuntimeDir) -> io::Result<Option<File>> {
    let mut file = open_start_lock(runtime_dir)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let meta = file.metadata()?;
    let is_recent = meta
        .modified()?
        .elapsed()
        .is_ok_and(|age| age < RESTART_BACKOFF);
    if is_recent && meta.len() > 0 {
        return Ok(None);
    }
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    Ok(Some(file))
}

fn open_start_lock(runtime_dir: &RuntimeDir) -> io::Result<File> {
    open_private(&runtime_dir.start_lock())
}

/// Whether a daemon was started that may not listen yet.
#[cfg(feature = "large")]
pub(crate) fn is_starting(runtime_dir: &RuntimeDir) -> bool {
    // The daemon inherits the lock and keeps it until it listens.
    let file = File::open(runtime_dir.start_lock());
    file.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

/// Releases the inherited start lock once the daemon listens, so that a new one can start while this one shuts down.
#[cfg(feature = "large")]
pub(crate) fn release_start_lock() {
    // Unlocking any other standard input has no effect.
    let _ = flock(io::stdin(), FlockOperation::Unlock);
}

/// Which environment variables a daemon inherits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonEnv {
    /// Only the variables it needs.
    Minimal,
    /// All variables: a person started it.
    #[cfg(feature = "large")]
    Full,
}

/// Starts a daemon on a person's request.
#[cfg(feature = "large")]
pub(crate) fn start_with_full_env(runtime_dir: &RuntimeDir) -> io::Result<()> {
    launch(runtime_dir, open_start_lock(runtime_dir)?, DaemonEnv::Full)
}

fn launch(runtime_dir: &RuntimeDir, lock: File, env: DaemonEnv) -> io::Result<()> {
    let log = private_options()
        .append(true)
        .create(true)
        .open(runtime_dir.log())?;
    let mut command = Command::new(full_binary::sibling_path(full_binary::FULL_BINARY)?);
    if env == DaemonEnv::Minimal {
        command.env_clear().envs(inherited_vars());
    }
    command
        .args(["daemon", "run", "--detached"])
        .stdin(lock)
        .stdout(Stdio::null())
        .stderr(log)
        .current_dir("/")
        .spawn()
        .map(|_| ())
}

fn inherited_vars() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        INHERITED_VARS.contains(&&*name) || name.starts_with("BECKET_")
    })
}
