//! `becket replay`: what other rules would have decided on what is on record.
//!
//! The guard is asked again, because it only looks. Other hooks do things, so they are taken to say what they said then;
//! commands are run if the person says so. Nothing is recorded.

mod rules;
mod shown;
mod tally;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::bail;
use becket::Home;
use becket::model::EventKind;
use becket::trial::Stop;
use becket_daemon::setup::{self, ReplayQuestion, ReplayReport};
use becket_guard::rule::Preset;
use becket_store::{EventFilter, Reader, Scope, StreamedEvent, event_in};
use clap::Args;
use serde_json::Value;

use crate::check::PresetArg;
use crate::exit::Exit;
use crate::hooks::end_on_signal;
use crate::records::{self, Which};
use crate::report::{Style, print, print_json, talk};
use rules::{Choice, Rules};
use tally::{Case, Tally};

/// Events that are read at once.
const AT_ONCE: usize = 500;
/// How long a browser waits at most.
const LONGEST: Duration = Duration::from_secs(20);
/// Rows of each list for a browser.
const ROWS: usize = 50;
/// How often the person is told how far it is.
const TELL: Duration = Duration::from_millis(200);

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// Ask the guard with this preset, whether or not it is switched on
    #[arg(long, value_enum, conflicts_with = "hook")]
    preset: Option<PresetArg>,
    /// Ask only the hook of this name, whether or not it is switched on
    #[arg(long, value_name = "NAME")]
    hook: Option<String>,
    /// Ask the hooks of this file (as becket.toml) instead of those that are configured
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Run command hooks, too, once for every event; they do what they do
    #[arg(long)]
    run_commands: bool,
    /// How many rows of each list
    #[arg(short = 'n', long, default_value_t = 10)]
    limit: usize,
    #[command(flatten)]
    which: Which,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ReplayArgs {
    fn choice(&self) -> Choice {
        match (self.preset, &self.hook) {
            (Some(preset), _) => Choice::Guard(Preset::from(preset).word()),
            (None, Some(name)) => Choice::Named(name.clone()),
            (None, None) => Choice::All,
        }
    }

    /// Whose word is wanted, for people.
    fn subject(&self) -> String {
        let who = match (self.preset, &self.hook) {
            (Some(preset), _) => {
                format!("the guard with the preset {}", Preset::from(preset).word())
            }
            (None, Some(name)) => format!("the hook {name}"),
            (None, None) => "all hooks".to_owned(),
        };
        match &self.config {
            Some(path) => format!("{who} of {}", path.display()),
            None => who,
        }
    }
}

pub(crate) fn main(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let stop = Stop::new();
    let stopped = end_on_signal(&stop);
    let config = args.config.as_deref();
    let mut rules = Rules::new(args.choice(), config, &home, args.run_commands, stop)?;
    let Some(reader) = records::open(&home)? else {
        if args.json {
            print_json(&shown::json(&Tally::default(), args)?)?;
        } else {
            talk("Nothing is recorded yet.");
        }
        return Ok(Exit::Success);
    };
    let mut progress = Progress::new(reader.last_seq()?);
    let chosen = args.which.find(&home);
    let replayed = replay_all(&reader, chosen.scope(), &mut rules, |seq| {
        progress.tell(seq);
        !stopped.load(Ordering::Relaxed)
    });
    progress.end();
    let tally = replayed?;
    if !tally.complete {
        bail!("interrupted");
    }
    rules.check()?;
    if args.json {
        print_json(&shown::json(&tally, args)?)?;
    } else {
        print(&shown::text(&tally, args, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// The same for a browser: bounded in time, and without running anything but the guard.
pub(crate) fn report(question: &ReplayQuestion, home: &Home) -> anyhow::Result<ReplayReport> {
    let args = ReplayArgs {
        preset: question.preset.map(|preset| match preset {
            setup::Preset::Permissive => PresetArg::Permissive,
            setup::Preset::Standard => PresetArg::Standard,
            setup::Preset::Strict => PresetArg::Strict,
        }),
        hook: question.hook.clone(),
        config: None,
        run_commands: false,
        limit: ROWS,
        which: Which::default(),
        json: true,
    };
    let mut rules = Rules::new(args.choice(), None, home, false, Stop::new())?;
    let Some(reader) = records::open_as_it_is(home)? else {
        return Ok(shown::report(&Tally::default(), &args));
    };
    let scope = Scope {
        since: question.since,
        project: question.project.as_deref(),
        ..Scope::default()
    };
    let begun = Instant::now();
    let tally = replay_all(&reader, scope, &mut rules, |_| begun.elapsed() < LONGEST)?;
    if tally.complete {
        rules.check()?;
    }
    Ok(shown::report(&tally, &args))
}

/// Has every event decided anew, for as long as `go_on` says so.
fn replay_all(
    reader: &Reader,
    scope: Scope<'_>,
    rules: &mut Rules<'_>,
    mut go_on: impl FnMut(i64) -> bool,
) -> anyhow::Result<Tally> {
    let filter = EventFilter {
        scope,
        limit: AT_ONCE,
        ..EventFilter::default()
    };
    let mut tally = Tally::default();
    let mut seq = 0;
    loop {
        let events = reader.events_after(seq, &filter)?;
        for event in &events {
            if !go_on(seq) {
                tally.complete = false;
                return Ok(tally);
            }
            replay(event, reader, rules, &mut tally)?;
            seq = event.seq;
        }
        if events.len() < AT_ONCE {
            return Ok(tally);
        }
    }
}

/// Has one event decided anew, if a hook can decide on such.
fn replay(
    event: &StreamedEvent,
    reader: &Reader,
    rules: &mut Rules<'_>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    // A second report of one thing was given the decision on the first.
    if !EventKind::parse(&event.kind).can_block() || event.duplicate_of.is_some() {
        return Ok(());
    }
    tally.looked_at += 1;
    let record: Value = serde_json::from_str(&event.record).unwrap_or_default();
    let (Some(told), Some(project)) = (event_in(&record), &event.project) else {
        tally.unreadable += 1;
        return Ok(());
    };
    let root = Path::new(project);
    let hooks = rules.of(root, &event.agent);
    let then = rules.then(&record, &hooks);
    let now = rules.now(&told, &record, &hooks, root);
    if then.is_none() && now.is_none() {
        return Ok(());
    }
    let now = now.unwrap_or_default();
    for not_run in &now.not_run {
        *tally.not_run.entry(not_run.clone()).or_default() += 1;
    }
    let mut case = Case::new(event, &record, then.unwrap_or_default(), now);
    case.outcome = reader.outcome(&event.id)?;
    tally.add(&case);
    Ok(())
}

/// Says on a terminal how far it is.
struct Progress {
    last: i64,
    told: Option<Instant>,
    on: bool,
}

impl Progress {
    fn new(last: i64) -> Self {
        Self {
            last,
            told: None,
            on: std::io::stderr().is_terminal(),
        }
    }

    fn tell(&mut self, seq: i64) {
        let is_due = self.told.is_none_or(|told| told.elapsed() > TELL);
        if self.on && is_due {
            let percent = seq.saturating_mul(100) / self.last.max(1);
            write(&format!("\r{percent:3} % replayed"));
            self.told = Some(Instant::now());
        }
    }

    fn end(&self) {
        if self.told.is_some() {
            write("\r\x1b[K");
        }
    }
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
