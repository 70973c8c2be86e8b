//! `becket replay`: what other rules would have decided on what is on record.
//!
//! The guard is asked again, because it only looks. Other hooks do things, so they are taken to say what they said then;
//! commands are run if the person says so. Nothing is recorded.

mod rules;
mod shown;
mod tally;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::bail;
use becket::model::EventKind;
use becket::trial::Stop;
use becket_guard::rule::Preset;
use becket_store::{EventFilter, Reader, StreamedEvent, event_in};
use clap::Args;
use serde_json::Value;

use crate::check::PresetArg;
use crate::exit::Exit;
use crate::hooks::end_on_signal;
use crate::progress::Progress;
use crate::records::{self, Which};
use crate::report::{Style, print, print_json, talk};
use rules::{Choice, Rules};
use tally::{Case, Tally};

/// Events that are read at once.
const AT_ONCE: usize = 500;

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
            print_json(&shown::json(&Tally::default(), args))?;
        } else {
            talk("Nothing is recorded yet.");
        }
        return Ok(Exit::Success);
    };
    let chosen = args.which.find(&home);
    let filter = EventFilter {
        scope: chosen.scope(),
        limit: AT_ONCE,
        ..EventFilter::default()
    };
    let mut tally = Tally::default();
    let mut progress = Progress::new("replaying", "events", args.json);
    let last = number(reader.last_seq()?);
    let mut seq = 0;
    loop {
        let events = reader.events_after(seq, &filter)?;
        for event in &events {
            if stopped.load(Ordering::Relaxed) {
                drop(progress);
                bail!("interrupted");
            }
            replay(event, &reader, &mut rules, &mut tally)?;
            seq = event.seq;
            progress.tell(number(seq), last);
        }
        if events.len() < AT_ONCE {
            break;
        }
    }
    drop(progress);
    rules.check()?;
    if args.json {
        print_json(&shown::json(&tally, args))?;
    } else {
        print(&shown::text(&tally, args, Style::stdout()));
    }
    Ok(Exit::Success)
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

fn number(seq: i64) -> u64 {
    u64::try_from(seq).unwrap_or(0)
}
