//! The database, for commands that read it: with or without a daemon, and without changing anything.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use becket::Home;
use becket::env::ProcessEnv;
use becket_daemon::moment;
use becket_daemon::place::Place;
use becket_spool::Spool;
use becket_store::{ErrorKind, EventFilter, INJECTED_BEGIN, INJECTED_END, Millis, Reader, Scope};
use clap::Args;
use serde_json::Value;

use crate::daemon::ring;
use crate::report::talk;
use crate::wake;

/// How long a daemon is given to take in what has just happened.
const CATCHING_UP: Duration = Duration::from_secs(2);

/// How long a daemon is given to bring the tables of an older Becket up to date.
const BRINGING_UP_TO_DATE: Duration = Duration::from_secs(1);

/// Which part of the record a command is about.
#[derive(Args, Clone, Default)]
pub(crate) struct Which {
    /// Only this agent's
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Only those of the project in this directory
    #[arg(long, short = 'C', value_name = "DIR")]
    project: Option<PathBuf>,
    /// From then on: a time, a day, or how long ago (12h, 7d)
    #[arg(long, value_name = "TIME", value_parser = a_moment)]
    since: Option<Millis>,
    /// Before then
    #[arg(long, value_name = "TIME", value_parser = a_moment)]
    until: Option<Millis>,
}

/// What an agent was told, without its frame and on one line.
pub(crate) fn told(text: &str) -> String {
    let body = text.strip_prefix(INJECTED_BEGIN).unwrap_or(text);
    let body = body.strip_suffix(INJECTED_END).unwrap_or(body);
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn a_moment(text: &str) -> Result<Millis, moment::NoMoment> {
    moment::parse(text, Millis::now())
}

/// What [`Which`] says, with the project's directory found.
pub(crate) struct Chosen {
    pub(crate) agent: Option<String>,
    pub(crate) project: Option<String>,
    since: Option<Millis>,
    until: Option<Millis>,
}

impl Which {
    pub(crate) fn find(&self, home: &Home) -> Chosen {
        let root = self.project.as_ref().map(|dir| {
            // A project that is gone is still on record.
            dir.canonicalize().map_or_else(
                |_| dir.clone(),
                |dir| becket::project::root(&dir, &home.user),
            )
        });
        Chosen {
            agent: self.agent.clone(),
            project: root.map(|root| root.to_string_lossy().into_owned()),
            since: self.since,
            until: self.until,
        }
    }
}

impl Chosen {
    pub(crate) fn scope(&self) -> Scope<'_> {
        Scope {
            since: self.since,
            until: self.until,
            project: self.project.as_deref(),
            agent: self.agent.as_deref(),
        }
    }

    /// The same, beginning then unless the person said otherwise.
    pub(crate) fn from(mut self, moment: Millis) -> Self {
        self.since = self.since.or(Some(moment));
        self
    }
}

pub(crate) fn home() -> Home {
    Home::find(&ProcessEnv)
}

/// Opens what was kept so far; `None` if that is nothing. What still waits in the spool is taken in by the
/// daemon first, or mentioned where none runs.
pub(crate) fn open(home: &Home) -> anyhow::Result<Option<Reader>> {
    catch_up(home);
    open_as_it_is(home)
}

pub(crate) fn open_as_it_is(home: &Home) -> anyhow::Result<Option<Reader>> {
    let begun = Instant::now();
    loop {
        match Reader::open(home.database()) {
            Ok(reader) => return Ok(Some(reader)),
            // A daemon may just have made the file, and not yet its tables.
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::Older { found: 0, .. }
                ) =>
            {
                return Ok(None);
            }
            // Or it is at it, step by step.
            Err(error)
                if matches!(error.kind, ErrorKind::Older { .. })
                    && begun.elapsed() < BRINGING_UP_TO_DATE =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The latest records of an agent, the newest first: those that a daemon has taken in, and those that still wait.
pub(crate) fn latest_of(home: &Home, agent: &str, most: usize) -> Vec<Value> {
    let filter = EventFilter {
        scope: Scope {
            agent: Some(agent),
            ..Scope::default()
        },
        limit: most,
        ..EventFilter::default()
    };
    // The spool first: what leaves it meanwhile is found in the database.
    let waiting = Spool::open(home.spool()).tail(most).unwrap_or_default();
    let reader = open_as_it_is(home).ok().flatten();
    let kept = reader.and_then(|reader| reader.latest_events(&filter).ok());
    let waiting = waiting.iter().rev();
    let waiting = waiting.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let kept = kept.unwrap_or_default().into_iter().rev();
    let kept = kept.filter_map(|event| serde_json::from_str(&event.record).ok());
    let mut seen = HashSet::new();
    waiting
        .filter(|record| record["agent"] == agent)
        .chain(kept)
        .filter(|record| seen.insert(record["id"].as_str().map(str::to_owned)))
        .collect()
}

/// Lets a daemon take in what waits in the spool, within reason; says so where none runs.
pub(crate) fn catch_up(home: &Home) {
    let spool = Spool::open(home.spool());
    let waiting = || spool.status().map_or(0, |status| status.bytes);
    if waiting() == 0 {
        return;
    }
    let (place, started) = (Place::below(&home.state), Instant::now());
    let (mut heard, mut starting) = (ring(home).is_ok(), true);
    while !heard && starting && started.elapsed() < CATCHING_UP {
        // Looked at before the bell: one that has begun to listen in between hears it.
        starting = wake::is_starting(&place);
        std::thread::sleep(Duration::from_millis(10));
        heard = ring(home).is_ok();
    }
    if !heard {
        talk(&format!(
            "becket: {} of events wait in the spool and are not shown, because no daemon runs\nhint: `becket daemon start` takes them in",
            in_bytes(waiting())
        ));
        return;
    }
    while waiting() > 0 && started.elapsed() < CATCHING_UP {
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn in_bytes(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// A span as people say it: the two largest units.
pub(crate) fn in_words(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => format!("{} ms", span.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// How long ago something was.
pub(crate) fn ago(span: Duration) -> String {
    match span.as_secs() {
        0 => "now".to_owned(),
        _ => format!("{} ago", in_words(span)),
    }
}

/// `1 session`, `2 sessions`.
pub(crate) fn of(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// `2026-11-16 01:02:03`, UTC.
pub(crate) fn day_and_time(at: Millis) -> String {
    let text = at.to_text();
    match (text.get(..10), text.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => text,
    }
}

/// `01:02:03`, UTC.
pub(crate) fn time(at: Millis) -> String {
    at.to_text().get(11..19).unwrap_or_default().to_owned()
}
