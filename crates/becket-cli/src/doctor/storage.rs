//! Checks storage: the daemon, the spool, the database, alarms.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use becket::Configuration;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use becket_spool::{Spool, SpoolStatus};
use becket_store::{AlarmFilter, CheckDepth, ErrorKind, StoreReader, bytes_on_disk};
use serde_json::Value;

use super::{CheckStatus, Finding, learning, recall};
use crate::daemon::send_request;
use crate::machine::Machine;
use crate::records::{self, format_bytes, format_timestamp, plural};
use crate::report::one_line;

/// Maximum number of alarms to list.
const MAX_ALARMS: usize = 3;
/// Larger databases are not checked for integrity, because that takes too long.
const MAX_CHECKED_BYTES: u64 = 512 * 1024 * 1024;
/// How much of the end of the log is read.
const LOG_TAIL_BYTES: u64 = 64 * 1024;
/// Maximum number of log errors to list.
const MAX_LOG_ERRORS: usize = 3;

/// State of the daemon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DaemonState {
    Runs,
    Off,
    Absent,
}

pub(super) fn findings(machine: &Machine, configuration: &Configuration) -> Vec<Finding> {
    let (daemon, mut findings) = daemon(machine, configuration);
    let spool = machine.home.spool();
    // Drain the spool first, so that only records that the daemon does not ingest count as pending.
    if daemon == DaemonState::Runs {
        records::catch_up(&machine.home);
    }
    // An unreadable spool is reported by the event check.
    if let Ok(status) = Spool::open(&spool).status() {
        findings.extend(spool_findings(&status, daemon, &spool));
    }
    let database = machine.home.database();
    findings.extend(quarantined_databases(&database));
    let reader = StoreReader::open(&database);
    match &reader {
        Ok(reader) => {
            findings.push(check_integrity(reader));
            findings.extend(alarms(reader));
        }
        Err(error) => findings.extend(unreadable(error)),
    }
    let runs = daemon == DaemonState::Runs;
    findings.push(recall::finding(machine, runs));
    findings.extend(learning::findings(
        reader.ok().as_ref(),
        &machine.home,
        runs,
    ));
    findings
}

fn daemon(machine: &Machine, configuration: &Configuration) -> (DaemonState, Vec<Finding>) {
    let place = RuntimeDir::in_state_dir(&machine.home.state);
    let finding = |state, message: String| Finding::new(state, "daemon", message);
    if place.dir().symlink_metadata().is_ok()
        && let Err(error) = place.check()
    {
        let fix = format!(
            "make {} a directory that only you can access (mode 700)",
            place.dir().display()
        );
        let message = format!("the runtime directory cannot be used: {error}");
        return (
            DaemonState::Absent,
            vec![finding(CheckStatus::Error, message).fix(fix)],
        );
    }
    if let Ok(answer) = send_request(&place, &SocketRequest::Status) {
        return (DaemonState::Runs, vec![running(answer.version.as_deref())]);
    }
    if is_lock_held(&place) {
        let message = "holds its lock but does not respond".to_owned();
        let fix = "check `becket daemon logs`, end the process, then run `becket daemon start`";
        return (
            DaemonState::Absent,
            vec![finding(CheckStatus::Warning, message).fix(fix)],
        );
    }
    let by = if configuration.settings.daemon == Some(false) {
        Some("`daemon = false` under [settings]".to_owned())
    } else {
        let variable = ProcessEnv.get(EnvVars::BECKET_DAEMON);
        let is_off = variable.is_some_and(|value| value == "off");
        is_off.then(|| format!("{}=off", EnvVars::BECKET_DAEMON))
    };
    if let Some(by) = by {
        let message = format!("off, events do not start it: {by}");
        return (DaemonState::Off, vec![finding(CheckStatus::Ok, message)]);
    }
    let errors = last_errors(&place.log());
    let found = if errors.is_empty() {
        finding(
            CheckStatus::Ok,
            "not running; the next event starts it".into(),
        )
    } else {
        let message = format!("failed when it last ran: {}", errors.join("; "));
        finding(CheckStatus::Error, message)
            .fix("fix the cause, then run `becket daemon start`; `becket daemon logs` shows more")
    };
    (DaemonState::Absent, vec![found])
}

fn running(version: Option<&str>) -> Finding {
    let (version, mine) = (version.unwrap_or("unknown"), env!("CARGO_PKG_VERSION"));
    if version == mine {
        return Finding::new(
            CheckStatus::Ok,
            "daemon",
            format!("running, version {version}"),
        );
    }
    let message = format!("running version {version}, but this is Becket {mine}");
    Finding::new(CheckStatus::Warning, "daemon", message).fix("becket daemon restart")
}

/// Whether a process holds the daemon's lock. Without a socket the lock is not probed, so that the probe cannot collide
/// with a daemon that is just starting.
fn is_lock_held(place: &RuntimeDir) -> bool {
    place.socket().exists() && becket_daemon::instance::lock_holder(&place.lock()).is_some()
}

/// The latest errors in the log, unless the daemon ran or stopped properly after them.
fn last_errors(log: &Path) -> Vec<String> {
    let mut errors: Vec<String> = read_tail(log)
        .lines()
        .rev()
        .map(parse_log_line)
        .take_while(|line| !matches!(line, LogLine::Healthy))
        .filter_map(|line| match line {
            LogLine::Error(text) => Some(text),
            _ => None,
        })
        .take(MAX_LOG_ERRORS)
        .collect();
    errors.reverse();
    errors
}

/// The meaning of a log line.
enum LogLine {
    Error(String),
    /// The daemon was listening, or stopped properly.
    Healthy,
    Other,
}

fn parse_log_line(line: &str) -> LogLine {
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        // Plain text, such as a panic message that the process wrote before it ended.
        return match line.trim() {
            "" => LogLine::Other,
            text => LogLine::Error(one_line(text, 200)),
        };
    };
    let message = value["fields"]["message"].as_str().unwrap_or_default();
    if message.starts_with("listening on") || message == "stopped" {
        LogLine::Healthy
    } else if value["level"] == "ERROR" {
        LogLine::Error(one_line(message, 200))
    } else {
        LogLine::Other
    }
}

/// The end of a file, from the start of a line; empty if the file cannot be read.
fn read_tail(path: &Path) -> String {
    let read = || -> std::io::Result<(Vec<u8>, bool)> {
        let mut file = File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(LOG_TAIL_BYTES);
        file.seek(SeekFrom::Start(from))?;
        let mut text = Vec::new();
        file.take(LOG_TAIL_BYTES).read_to_end(&mut text)?;
        Ok((text, from > 0))
    };
    let (text, is_cut) = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    match text.split_once('\n') {
        Some((_, rest)) if is_cut => rest.to_owned(),
        _ => text.into_owned(),
    }
}

fn spool_findings(status: &SpoolStatus, daemon: DaemonState, spool: &Path) -> Vec<Finding> {
    let finding = |message: String| Finding::new(CheckStatus::Warning, "spool", message);
    let mut findings = Vec::new();
    if status.dropped > 0 {
        let message = format!(
            "{} of old events deleted to limit the spool, because no daemon ingested them",
            plural(status.dropped, "segment")
        );
        let fix = format!(
            "`becket daemon start` prevents further loss; delete {} to reset this counter",
            spool.join("dropped").display()
        );
        findings.push(finding(message).fix(fix));
    }
    if status.quarantined > 0 {
        let dir = spool.join("set-aside");
        let message = format!(
            "{} not valid JSON and quarantined: cut off when a process was killed, or not written by Becket",
            was(status.quarantined, "line")
        );
        let fix = format!("review and delete the files in {}", dir.display());
        findings.push(finding(message).fix(fix));
    }
    let bytes = format_bytes(status.bytes);
    match daemon {
        _ if status.bytes == 0 => {}
        DaemonState::Runs => {
            let message = format!("{bytes} of events are pending although the daemon is running");
            findings.push(finding(message).fix("`becket daemon logs` shows the reason"));
        }
        DaemonState::Absent => {
            let message = format!("{bytes} of events are pending because no daemon is running");
            findings.push(finding(message).fix("becket daemon start"));
        }
        DaemonState::Off => {
            let message = format!("{bytes} of events are pending");
            findings.push(Finding::new(CheckStatus::Ok, "spool", message));
        }
    }
    findings
}

fn was(count: u64, thing: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", plural(count, thing))
}

/// Damaged databases that were moved away.
fn quarantined_databases(database: &Path) -> Option<Finding> {
    let name = database.file_name()?.to_str()?;
    let start = format!("{name}.damaged-");
    let entries = std::fs::read_dir(database.parent()?).ok()?;
    let mut damaged: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            let number = name.and_then(|name| name.strip_prefix(&start));
            number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .collect();
    damaged.sort();
    let latest = damaged.last()?.display();
    let count = damaged.len() as u64;
    let message = format!(
        "{} damaged and quarantined; Becket started a new one. Latest: {latest}",
        was(count, "database")
    );
    let fix = format!(
        "`sqlite3 {latest} .recover` recovers readable data; delete the file when you no longer need it"
    );
    Some(Finding::new(CheckStatus::Warning, "database", message).fix(fix))
}

fn check_integrity(reader: &StoreReader) -> Finding {
    let size = bytes_on_disk(reader.path());
    let finding = |state, message: String| Finding::new(state, "database", message);
    if size > MAX_CHECKED_BYTES {
        let message = format!(
            "{}, integrity not checked because of its size",
            format_bytes(size)
        );
        return finding(CheckStatus::Ok, message);
    }
    let fix = "save the readable data with `becket export -o FILE`, move the database away, then run `becket daemon restart`";
    match reader.check(CheckDepth::Quick) {
        Ok(found) if found.problems.is_empty() => finding(
            CheckStatus::Ok,
            format!("{}, integrity OK", format_bytes(size)),
        ),
        Ok(found) => {
            let message = format!(
                "{} is damaged: {}",
                reader.path().display(),
                one_line(&found.problems[0], 200)
            );
            finding(CheckStatus::Error, message).fix(fix)
        }
        Err(error) => finding(CheckStatus::Error, first_line(&error)).fix(fix),
    }
}

/// Why the database cannot be opened; `None` if there is no database yet.
fn unreadable(error: &becket_store::Error) -> Option<Finding> {
    let (state, fix) = match &error.kind {
        ErrorKind::Missing | ErrorKind::Older { found: 0, .. } => return None,
        ErrorKind::Older { .. } => (CheckStatus::Warning, "becket daemon restart"),
        ErrorKind::Newer { .. } => (CheckStatus::Error, "update Becket, or move the file away"),
        ErrorKind::Damaged(_) => (
            CheckStatus::Error,
            "`becket daemon restart` quarantines it and creates a new one",
        ),
        ErrorKind::Busy => (CheckStatus::Warning, "try again in a moment"),
        _ => (
            CheckStatus::Error,
            "make sure that you own the file and its directory and can write to both",
        ),
    };
    Some(Finding::new(state, "database", first_line(error)).fix(fix))
}

fn first_line(error: &becket_store::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

fn alarms(reader: &StoreReader) -> Vec<Finding> {
    let read = reader
        .open_alarms()
        .and_then(|open| Ok((open, reader.alarms(AlarmFilter::Open, MAX_ALARMS)?)));
    let finding = |message: String| Finding::new(CheckStatus::Warning, "alarms", message);
    let (open, newest) = match read {
        Ok(read) => read,
        Err(error) => {
            let fix = "check `becket daemon logs`";
            return vec![finding(first_line(&error)).fix(fix)];
        }
    };
    if open == 0 {
        return vec![Finding::new(
            CheckStatus::Ok,
            "alarms",
            "no unacknowledged alarms",
        )];
    }
    let mut findings: Vec<Finding> = newest
        .iter()
        .map(|alarm| {
            let message = format!("{}: {}", format_timestamp(alarm.at), alarm.message);
            finding(message).fix(format!(
                "after reviewing it, run `becket alarms ack {}`",
                alarm.id
            ))
        })
        .collect();
    let more = open.saturating_sub(newest.len() as u64);
    if more > 0 {
        let message = format!("{} shown, {more} more", newest.len());
        findings.push(
            finding(message)
                .fix("`becket alarms` lists all, `becket alarms ack --all` acknowledges them"),
        );
    }
    findings
}
