//! `becket replay`: evaluates other rules against recorded events and compares the decisions.
//!
//! The guard runs again, because it has no side effects. Other hooks keep their recorded verdict; command hooks run only
//! with `--run-commands`. A replay records nothing.

mod evaluate;
mod render;
mod tally;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::bail;
use becket::Home;
use becket::model::EventKind;
use becket::trial::StopHandle;
use becket_daemon::setup::{self, ReplayQuery, ReplayReport};
use becket_guard::rule::Preset;
use becket_store::{EventFilter, QueryScope, StoreReader, StreamedEvent, event_of_record};
use clap::Args;
use serde_json::Value;

use crate::check::PresetArg;
use crate::exit::Exit;
use crate::hooks::stop_on_signal;
use crate::progress::Progress;
use crate::records::{self, ScopeArgs};
use crate::report::{Style, print, print_json, print_message};
use evaluate::{HookSelection, ReplayHooks};
use tally::{ReplayTally, ReplayedCall};

/// Events per query.
const PAGE_SIZE: usize = 500;
/// The time limit for a replay in the dashboard.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(20);
/// Rows per list in the dashboard.
const BROWSER_ROWS: usize = 50;

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// Replay the guard with this preset, even if it is disabled
    #[arg(long, value_enum, conflicts_with = "hook")]
    preset: Option<PresetArg>,
    /// Replay only this hook, even if it is disabled
    #[arg(long, value_name = "NAME")]
    hook: Option<String>,
    /// Replay the hooks of this file (in becket.toml format) instead of the configured ones
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Also run command hooks, once per event, with all their side effects
    #[arg(long)]
    run_commands: bool,
    /// Maximum number of rows per list
    #[arg(short = 'n', long, default_value_t = 10)]
    limit: usize,
    #[command(flatten)]
    which: ScopeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ReplayArgs {
    fn selection(&self) -> HookSelection {
        match (self.preset, &self.hook) {
            (Some(preset), _) => HookSelection::Guard(Preset::from(preset).word()),
            (None, Some(name)) => HookSelection::Named(name.clone()),
            (None, None) => HookSelection::All,
        }
    }

    /// Describes the replayed hooks for the report.
    fn description(&self) -> String {
        let who = match (self.preset, &self.hook) {
            (Some(preset), _) => {
                format!("the guard with preset {}", Preset::from(preset).word())
            }
            (None, Some(name)) => format!("hook {name}"),
            (None, None) => "all hooks".to_owned(),
        };
        match &self.config {
            Some(path) => format!("{who} from {}", path.display()),
            None => who,
        }
    }
}

pub(crate) fn main(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let stop = StopHandle::new();
    let stopped = stop_on_signal(&stop);
    let config = args.config.as_deref();
    let mut replay_hooks =
        ReplayHooks::new(args.selection(), config, &home, args.run_commands, stop)?;
    let Some(reader) = records::open(&home)? else {
        if args.json {
            print_json(&render::json(&ReplayTally::default(), args)?)?;
        } else {
            print_message("Nothing recorded yet.");
        }
        return Ok(Exit::Success);
    };
    let scope = args.which.resolve(&home);
    let mut progress = Progress::new("replaying", "events", args.json);
    let last = number(reader.last_seq()?);
    let replayed = replay_all(&reader, scope.as_query(), &mut replay_hooks, |seq| {
        progress.update(number(seq), last);
        !stopped.load(Ordering::Relaxed)
    });
    drop(progress);
    let tally = replayed?;
    if !tally.complete {
        bail!("interrupted");
    }
    replay_hooks.check_hook_exists()?;
    if args.json {
        print_json(&render::json(&tally, args)?)?;
    } else {
        print(&render::text(&tally, args, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// A replay for the dashboard: limited in time, and it runs only the guard.
pub(crate) fn report(question: &ReplayQuery, home: &Home) -> anyhow::Result<ReplayReport> {
    let args = ReplayArgs {
        preset: question.preset.map(|preset| match preset {
            setup::Preset::Permissive => PresetArg::Permissive,
            setup::Preset::Standard => PresetArg::Standard,
            setup::Preset::Strict => PresetArg::Strict,
        }),
        hook: question.hook.clone(),
        config: None,
        run_commands: false,
        limit: BROWSER_ROWS,
        which: ScopeArgs::default(),
        json: true,
    };
    let mut replay_hooks =
        ReplayHooks::new(args.selection(), None, home, false, StopHandle::new())?;
    let Some(reader) = records::open_without_catch_up(home)? else {
        return Ok(render::report(&ReplayTally::default(), &args));
    };
    let scope = QueryScope {
        since: question.since,
        project: question.project.as_deref(),
        ..QueryScope::default()
    };
    let started = Instant::now();
    let tally = replay_all(&reader, scope, &mut replay_hooks, |_| {
        started.elapsed() < BROWSER_TIMEOUT
    })?;
    if tally.complete {
        replay_hooks.check_hook_exists()?;
    }
    Ok(render::report(&tally, &args))
}

/// Decides every event again until `go_on` returns false.
fn replay_all(
    reader: &StoreReader,
    scope: QueryScope<'_>,
    replay_hooks: &mut ReplayHooks<'_>,
    mut go_on: impl FnMut(i64) -> bool,
) -> anyhow::Result<ReplayTally> {
    let filter = EventFilter {
        scope,
        limit: PAGE_SIZE,
        ..EventFilter::default()
    };
    let mut tally = ReplayTally::default();
    let mut seq = 0;
    loop {
        let events = reader.events_after(seq, &filter)?;
        for event in &events {
            if !go_on(seq) {
                tally.complete = false;
                return Ok(tally);
            }
            replay(event, reader, replay_hooks, &mut tally)?;
            seq = event.seq;
        }
        if events.len() < PAGE_SIZE {
            return Ok(tally);
        }
    }
}

/// Decides one event again, if hooks can block such events.
fn replay(
    event: &StreamedEvent,
    reader: &StoreReader,
    replay_hooks: &mut ReplayHooks<'_>,
    tally: &mut ReplayTally,
) -> anyhow::Result<()> {
    // A duplicate report got the decision of the first one.
    if !EventKind::parse(&event.kind).can_block() || event.duplicate_of.is_some() {
        return Ok(());
    }
    tally.looked_at += 1;
    let record: Value = serde_json::from_str(&event.record).unwrap_or_default();
    let (Some(parsed_event), Some(project)) = (event_of_record(&record), &event.project) else {
        tally.unreadable += 1;
        return Ok(());
    };
    let root = Path::new(project);
    let hooks = replay_hooks.hooks_for(root, &event.agent);
    let then = replay_hooks.recorded_verdict(&record, &hooks);
    let now = replay_hooks.decide_now(&parsed_event, &record, &hooks, root);
    if then.is_none() && now.is_none() {
        return Ok(());
    }
    let now = now.unwrap_or_default();
    for not_run in &now.not_run {
        *tally.not_run.entry(not_run.clone()).or_default() += 1;
    }
    let mut call = ReplayedCall::new(event, &record, then.unwrap_or_default(), now);
    call.outcome = reader.outcome(&event.id)?;
    tally.add(&call);
    Ok(())
}

fn number(seq: i64) -> u64 {
    u64::try_from(seq).unwrap_or(0)
}
