//! Read access to the recorded events for commands, with or without a daemon, and shared text formatting.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use becket::Home;
use becket::env::ProcessEnv;
use becket_base::time::format_span;
use becket_daemon::human_time;
use becket_daemon::runtime_dir::RuntimeDir;
use becket_spool::Spool;
use becket_store::{
    ErrorKind, EventFilter, INJECTED_BEGIN, INJECTED_END, Millis, QueryScope, StoreReader,
};
use clap::Args;
use serde_json::Value;

use crate::autostart;
use crate::daemon::notify;
use crate::report::print_message;

/// How long to wait for the daemon to ingest the spool.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// How long to wait for the daemon to migrate an older database.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(1);

/// Command line options that select a part of the records.
#[derive(Args, Clone, Default)]
pub(crate) struct ScopeArgs {
    /// Only records of this agent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Only records of the project in this directory
    #[arg(long, short = 'C', value_name = "DIR")]
    project: Option<PathBuf>,
    /// Only records since a time (2026-11-16) or a duration ago (12h, 7d)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<Millis>,
    /// Only records before a time or a duration ago
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<Millis>,
}

/// Injected context without its markers, on one line.
pub(crate) fn injected_text(text: &str) -> String {
    let body = text.strip_prefix(INJECTED_BEGIN).unwrap_or(text);
    let body = body.strip_suffix(INJECTED_END).unwrap_or(body);
    body.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn parse_time(text: &str) -> Result<Millis, human_time::InvalidTime> {
    human_time::parse(text, Millis::now())
}

/// The selection of [`ScopeArgs`], with the project's root resolved.
pub(crate) struct ResolvedScope {
    pub(crate) agent: Option<String>,
    pub(crate) project: Option<String>,
    since: Option<Millis>,
    until: Option<Millis>,
}

impl ScopeArgs {
    pub(crate) fn resolve(&self, home: &Home) -> ResolvedScope {
        let root = self.project.as_ref().map(|dir| {
            // A deleted project is still on record.
            dir.canonicalize().map_or_else(
                |_| dir.clone(),
                |dir| becket::project::root(&dir, &home.user),
            )
        });
        ResolvedScope {
            agent: self.agent.clone(),
            project: root.map(|root| root.to_string_lossy().into_owned()),
            since: self.since,
            until: self.until,
        }
    }
}

impl ResolvedScope {
    pub(crate) fn as_query(&self) -> QueryScope<'_> {
        QueryScope {
            since: self.since,
            until: self.until,
            project: self.project.as_deref(),
            agent: self.agent.as_deref(),
        }
    }

    /// The same selection, with a default start time.
    pub(crate) fn with_default_since(mut self, moment: Millis) -> Self {
        self.since = self.since.or(Some(moment));
        self
    }
}

pub(crate) fn home() -> Home {
    Home::find(&ProcessEnv)
}

/// Opens the database; `None` if nothing is recorded. The daemon ingests the spool first; without a daemon, a
/// message says what is missing.
pub(crate) fn open(home: &Home) -> anyhow::Result<Option<StoreReader>> {
    catch_up(home);
    open_without_catch_up(home)
}

pub(crate) fn open_without_catch_up(home: &Home) -> anyhow::Result<Option<StoreReader>> {
    let started = Instant::now();
    loop {
        match StoreReader::open(home.database()) {
            Ok(reader) => return Ok(Some(reader)),
            // A daemon may have created the file and not yet its tables.
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::Older { found: 0, .. }
                ) =>
            {
                return Ok(None);
            }
            // A daemon may be migrating it.
            Err(error)
                if matches!(error.kind, ErrorKind::Older { .. })
                    && started.elapsed() < MIGRATION_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The latest records of an agent, newest first, from the spool and the database.
pub(crate) fn latest_events_of(home: &Home, agent: &str, max: usize) -> Vec<Value> {
    let filter = EventFilter {
        scope: QueryScope {
            agent: Some(agent),
            ..QueryScope::default()
        },
        limit: max,
        ..EventFilter::default()
    };
    // Read the spool first: a record that moves meanwhile is found in the database.
    let spooled = Spool::open(home.spool()).tail(max).unwrap_or_default();
    let reader = open_without_catch_up(home).ok().flatten();
    let stored = reader.and_then(|reader| reader.latest_events(&filter).ok());
    let spooled = spooled.iter().rev();
    let spooled = spooled.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let stored = stored.unwrap_or_default().into_iter().rev();
    let stored = stored.filter_map(|event| serde_json::from_str(&event.record).ok());
    let mut seen = HashSet::new();
    spooled
        .filter(|record| record["agent"] == agent)
        .chain(stored)
        .filter(|record| seen.insert(record["id"].as_str().map(str::to_owned)))
        .collect()
}

/// Waits a moment for the daemon to ingest the spool; prints a message if none runs.
pub(crate) fn catch_up(home: &Home) {
    let spool = Spool::open(home.spool());
    let spooled_bytes = || spool.status().map_or(0, |status| status.bytes);
    if spooled_bytes() == 0 {
        return;
    }
    let (runtime_dir, started) = (RuntimeDir::in_state_dir(&home.state), Instant::now());
    let (mut is_notified, mut is_starting) = (notify(home).is_ok(), true);
    while !is_notified && is_starting && started.elapsed() < CATCH_UP_TIMEOUT {
        // Check before notifying: a daemon that starts to listen in between is notified.
        is_starting = autostart::is_starting(&runtime_dir);
        std::thread::sleep(Duration::from_millis(10));
        is_notified = notify(home).is_ok();
    }
    if !is_notified {
        print_message(&format!(
            "becket: no daemon is running; {} of events in the spool are not shown\nhint: run `becket daemon start` to ingest them",
            format_bytes(spooled_bytes())
        ));
        return;
    }
    while spooled_bytes() > 0 && started.elapsed() < CATCH_UP_TIMEOUT {
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn format_bytes(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// An age: `now`, or a duration with `ago`.
pub(crate) fn format_ago(span: Duration) -> String {
    match span.as_secs() {
        0 => "now".to_owned(),
        _ => format!("{} ago", format_span(span)),
    }
}

/// `1 session`, `2 sessions`.
pub(crate) fn plural(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// `2026-11-16 01:02:03`, UTC.
pub(crate) fn format_timestamp(at: Millis) -> String {
    let text = at.to_text();
    match (text.get(..10), text.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => text,
    }
}

/// `01:02:03`, UTC.
pub(crate) fn format_time(at: Millis) -> String {
    at.to_text().get(11..19).unwrap_or_default().to_owned()
}
