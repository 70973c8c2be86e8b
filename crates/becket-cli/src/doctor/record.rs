//! What is recorded, and who keeps it: alarms, the daemon, the database, the spool.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use becket::Configuration;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_daemon::place::Place;
use becket_daemon::socket::Request;
use becket_spool::{Spool, Status};
use becket_store::{AlarmFilter, Depth, ErrorKind, Reader, bytes_on_disk};
use serde_json::Value;

use super::{Finding, State, learning, recall};
use crate::daemon::ask;
use crate::machine::Machine;
use crate::records::{self, day_and_time, in_bytes, of};
use crate::report::one_line;

/// Alarms that are told one by one.
const NEWEST: usize = 3;
/// A database that is larger is not read through here.
const LARGEST_CHECKED: u64 = 512 * 1024 * 1024;
/// How much of the log's end is looked at.
const LOG_END: u64 = 64 * 1024;
/// Lines of the log that are told.
const LOG_LINES: usize = 3;

/// Whether there is a daemon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Daemon {
    Runs,
    Off,
    Absent,
}

pub(super) fn findings(machine: &Machine, configuration: &Configuration) -> Vec<Finding> {
    let (daemon, mut findings) = daemon(machine, configuration);
    let spool = machine.home.spool();
    // Taken in first, so that what waits is what nobody takes.
    if daemon == Daemon::Runs {
        records::catch_up(&machine.home);
    }
    // A spool that cannot be looked at is told where it is said that nothing is recorded.
    if let Ok(status) = Spool::open(&spool).status() {
        findings.extend(waiting(&status, daemon, &spool));
    }
    let database = machine.home.database();
    findings.extend(set_aside(&database));
    let reader = Reader::open(&database);
    match &reader {
        Ok(reader) => {
            findings.push(whole(reader));
            findings.extend(alarms(reader));
        }
        Err(error) => findings.extend(unreadable(error)),
    }
    let runs = daemon == Daemon::Runs;
    findings.push(recall::finding(machine, runs));
    findings.extend(learning::findings(
        reader.ok().as_ref(),
        &machine.home,
        runs,
    ));
    findings
}

fn daemon(machine: &Machine, configuration: &Configuration) -> (Daemon, Vec<Finding>) {
    let place = Place::below(&machine.home.state);
    let finding = |state, message: String| Finding::new(state, "daemon", message);
    if place.dir().symlink_metadata().is_ok()
        && let Err(error) = place.check()
    {
        let fix = format!(
            "make {} a directory that only you may enter (mode 700)",
            place.dir().display()
        );
        let message = format!("it cannot be used: {error}");
        return (
            Daemon::Absent,
            vec![finding(State::Error, message).fix(fix)],
        );
    }
    if let Ok(answer) = ask(&place, &Request::Status) {
        return (Daemon::Runs, vec![running(answer.version.as_deref())]);
    }
    if is_held(&place) {
        let message = "holds its lock and does not answer".to_owned();
        let fix = "`becket daemon logs` may say why; end the process and run `becket daemon start`";
        return (
            Daemon::Absent,
            vec![finding(State::Warning, message).fix(fix)],
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
        let message = format!("events do not start it: {by}");
        return (Daemon::Off, vec![finding(State::Good, message)]);
    }
    let errors = last_errors(&place.log());
    let found = if errors.is_empty() {
        finding(
            State::Good,
            "does not run now; the next event starts it".into(),
        )
    } else {
        let message = format!("could not go on when it last ran: {}", errors.join("; "));
        finding(State::Error, message)
            .fix("put that right, then `becket daemon start`; `becket daemon logs` shows more")
    };
    (Daemon::Absent, vec![found])
}

fn running(version: Option<&str>) -> Finding {
    let (version, mine) = (version.unwrap_or("unknown"), env!("CARGO_PKG_VERSION"));
    if version == mine {
        return Finding::new(State::Good, "daemon", format!("runs, version {version}"));
    }
    let message = format!("runs as version {version}, and this is Becket {mine}");
    Finding::new(State::Warning, "daemon", message).fix("becket daemon restart")
}

/// Whether a process has the daemon's lock. Without a socket nobody should, and a daemon that is just starting
/// is not to find the lock taken by whoever only looks.
fn is_held(place: &Place) -> bool {
    place.socket().exists() && becket_daemon::instance::holder(&place.lock()).is_some()
}

/// What the daemon last complained about, if it did not get to work or come to a good end after that.
fn last_errors(log: &Path) -> Vec<String> {
    let mut errors: Vec<String> = end_of(log)
        .lines()
        .rev()
        .map(complaint)
        .take_while(|line| !matches!(line, Line::AtWork))
        .filter_map(|line| match line {
            Line::Error(text) => Some(text),
            _ => None,
        })
        .take(LOG_LINES)
        .collect();
    errors.reverse();
    errors
}

/// What a line of the log says.
enum Line {
    Error(String),
    /// A daemon listened, or ended as it should.
    AtWork,
    Other,
}

fn complaint(line: &str) -> Line {
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        // What the process said to nobody in particular before it ended.
        return match line.trim() {
            "" => Line::Other,
            text => Line::Error(one_line(text, 200)),
        };
    };
    let message = value["fields"]["message"].as_str().unwrap_or_default();
    if message.starts_with("listening on") || message == "stopped" {
        Line::AtWork
    } else if value["level"] == "ERROR" {
        Line::Error(one_line(message, 200))
    } else {
        Line::Other
    }
}

/// The last part of a file, from the beginning of a line; nothing where it cannot be read.
fn end_of(path: &Path) -> String {
    let read = || -> std::io::Result<(Vec<u8>, bool)> {
        let mut file = File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(LOG_END);
        file.seek(SeekFrom::Start(from))?;
        let mut text = Vec::new();
        file.take(LOG_END).read_to_end(&mut text)?;
        Ok((text, from > 0))
    };
    let (text, is_cut) = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    match text.split_once('\n') {
        Some((_, rest)) if is_cut => rest.to_owned(),
        _ => text.into_owned(),
    }
}

fn waiting(status: &Status, daemon: Daemon, spool: &Path) -> Vec<Finding> {
    let finding = |message: String| Finding::new(State::Warning, "spool", message);
    let mut findings = Vec::new();
    if status.dropped > 0 {
        let message = format!(
            "{} of old events had to go to keep the spool small, because nobody took them in: they are lost",
            of(status.dropped, "segment")
        );
        let fix = format!(
            "`becket daemon start` keeps it from happening again; {} counts them, and may be deleted",
            spool.join("dropped").display()
        );
        findings.push(finding(message).fix(fix));
    }
    if status.set_aside > 0 {
        let dir = spool.join("set-aside");
        let message = format!(
            "{} no JSON and kept apart: torn by the end of a process, or not Becket's",
            was(status.set_aside, "line")
        );
        let fix = format!("look at the files in {}, and delete them", dir.display());
        findings.push(finding(message).fix(fix));
    }
    let bytes = in_bytes(status.bytes);
    match daemon {
        _ if status.bytes == 0 => {}
        Daemon::Runs => {
            let message = format!("{bytes} of events wait, though a daemon runs");
            findings.push(finding(message).fix("`becket daemon logs` says why"));
        }
        Daemon::Absent => {
            let message = format!("{bytes} of events wait, because no daemon runs");
            findings.push(finding(message).fix("becket daemon start"));
        }
        Daemon::Off => {
            let message = format!("{bytes} of events wait for a daemon");
            findings.push(Finding::new(State::Good, "spool", message));
        }
    }
    findings
}

fn was(count: u64, thing: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", of(count, thing))
}

/// Damaged databases that had to make way.
fn set_aside(database: &Path) -> Option<Finding> {
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
        "{} set aside because of damage, and a new one begun; the latest is {latest}",
        was(count, "database")
    );
    let fix = format!(
        "`sqlite3 {latest} .recover` shows what can be read of it; delete the file when you no longer want it"
    );
    Some(Finding::new(State::Warning, "database", message).fix(fix))
}

fn whole(reader: &Reader) -> Finding {
    let size = bytes_on_disk(reader.path());
    let finding = |state, message: String| Finding::new(state, "database", message);
    if size > LARGEST_CHECKED {
        let message = format!("{}; too large to be read through here", in_bytes(size));
        return finding(State::Good, message);
    }
    let fix = "`becket export -o FILE` saves what can be read; then move the file away and `becket daemon restart`";
    match reader.check(Depth::Quick) {
        Ok(found) if found.problems.is_empty() => {
            finding(State::Good, format!("{}, whole", in_bytes(size)))
        }
        Ok(found) => {
            let message = format!(
                "{} is damaged: {}",
                reader.path().display(),
                one_line(&found.problems[0], 200)
            );
            finding(State::Error, message).fix(fix)
        }
        Err(error) => finding(State::Error, first_line(&error)).fix(fix),
    }
}

/// Why the database cannot be opened; nothing where there is none yet.
fn unreadable(error: &becket_store::Error) -> Option<Finding> {
    let (state, fix) = match &error.kind {
        ErrorKind::Missing | ErrorKind::Older { found: 0, .. } => return None,
        ErrorKind::Older { .. } => (State::Warning, "becket daemon restart"),
        ErrorKind::Newer { .. } => (State::Error, "update Becket, or move the file away"),
        ErrorKind::Damaged(_) => (
            State::Error,
            "`becket daemon restart` sets it aside and begins a new one",
        ),
        ErrorKind::Busy => (State::Warning, "try again in a moment"),
        _ => (
            State::Error,
            "make the file and its directory yours and writable",
        ),
    };
    Some(Finding::new(state, "database", first_line(error)).fix(fix))
}

fn first_line(error: &becket_store::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

fn alarms(reader: &Reader) -> Vec<Finding> {
    let read = reader
        .open_alarms()
        .and_then(|open| Ok((open, reader.alarms(AlarmFilter::Open, NEWEST)?)));
    let finding = |message: String| Finding::new(State::Warning, "alarms", message);
    let (open, newest) = match read {
        Ok(read) => read,
        Err(error) => {
            let fix = "`becket daemon logs` may say more";
            return vec![finding(first_line(&error)).fix(fix)];
        }
    };
    if open == 0 {
        return vec![Finding::new(State::Good, "alarms", "none is open")];
    }
    let mut findings: Vec<Finding> = newest
        .iter()
        .map(|alarm| {
            let message = format!("{}: {}", day_and_time(alarm.at), alarm.message);
            finding(message).fix(format!(
                "when you have seen to it: becket alarms ack {}",
                alarm.id
            ))
        })
        .collect();
    let more = open.saturating_sub(newest.len() as u64);
    if more > 0 {
        let message = format!("{} and {more} more are open", newest.len());
        findings.push(
            finding(message).fix("`becket alarms` lists them, `becket alarms ack --all` ends them"),
        );
    }
    findings
}
