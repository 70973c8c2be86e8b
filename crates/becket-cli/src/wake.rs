//! The daemon hears of every recorded event, and is started by the first one that finds none.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_spool::bell::{self, Rung};
use becket_spool::place::Place;
use rustix::fs::{FlockOperation, flock};

use crate::twin;

/// A daemon that could not start is not tried again before this.
const PAUSE: Duration = Duration::from_secs(30);

/// What of an agent's environment a daemon may see. It outlives the project that happened to start it, and a project
/// can have a hand in the rest.
const KEPT: [&str; 12] = [
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

/// Tells the daemon that there is something in the spool. Whatever goes wrong here costs nobody an answer or a record:
/// the spool keeps, and `becket doctor` tells.
pub(crate) fn ring(home: &Home) {
    let place = Place::below(&home.state);
    if matches!(bell::ring(&place, env!("CARGO_PKG_VERSION")), Rung::Nobody) {
        start(home, &place);
    }
}

/// Starts a daemon unless somebody else just did, or the person wants none; whether it did.
pub(crate) fn start(home: &Home, place: &Place) -> bool {
    start_once(home, place).unwrap_or(false)
}

fn start_once(home: &Home, place: &Place) -> io::Result<bool> {
    if ProcessEnv
        .get(EnvVars::BECKET_DAEMON)
        .is_some_and(|value| value == "off")
    {
        return Ok(false);
    }
    place.prepare().map_err(io::Error::other)?;
    let Some(turn) = take_turn(place)? else {
        return Ok(false);
    };
    if becket::load::load(home, None, None).settings.daemon == Some(false) {
        return Ok(false);
    }
    launch(place, turn, Surroundings::Kept).map(|()| true)
}

/// The right to start a daemon: one has it, and whoever had it lately is given time. The daemon inherits the lock.
fn take_turn(place: &Place) -> io::Result<Option<File>> {
    let mut file = open_turn(place)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let meta = file.metadata()?;
    let lately = meta.modified()?.elapsed().is_ok_and(|age| age < PAUSE);
    if lately && meta.len() > 0 {
        return Ok(None);
    }
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    Ok(Some(file))
}

fn open_turn(place: &Place) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(place.start_lock())
}

/// Whether a daemon has been started that may not listen yet.
#[cfg(feature = "large")]
pub(crate) fn is_starting(place: &Place) -> bool {
    // Whoever starts it hands over the lock, and it keeps that until it listens.
    let file = File::open(place.start_lock());
    file.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

/// A daemon that listens gives up the lock it has inherited: when it ends, another may be started while it tidies up.
#[cfg(feature = "large")]
pub(crate) fn has_started() {
    // Whatever else the standard input may be is none of our locks.
    let _ = flock(io::stdin(), FlockOperation::Unlock);
}

/// What a daemon sees of the environment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surroundings {
    /// Only what it needs.
    Kept,
    /// Everything: a person started it.
    #[cfg(feature = "large")]
    Whole,
}

/// Starts a daemon because a person asked for one.
#[cfg(feature = "large")]
pub(crate) fn start_now(place: &Place) -> io::Result<()> {
    launch(place, open_turn(place)?, Surroundings::Whole)
}

fn launch(place: &Place, turn: File, surroundings: Surroundings) -> io::Result<()> {
    let log = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(place.log())?;
    let mut command = Command::new(twin::beside(twin::LARGE)?);
    if surroundings == Surroundings::Kept {
        command.env_clear().envs(kept());
    }
    command
        .args(["daemon", "run", "--detached"])
        .stdin(turn)
        .stdout(Stdio::null())
        .stderr(log)
        .current_dir("/")
        .spawn()
        .map(|_| ())
}

fn kept() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        KEPT.contains(&&*name) || name.starts_with("BECKET_")
    })
}
