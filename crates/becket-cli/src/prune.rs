//! `becket prune`: forgets what is old.

use std::time::Duration;

use anyhow::Context;
use becket::Home;
use becket_daemon::instance;
use becket_daemon::place::Place;
use becket_daemon::run::{PRUNED_AT_ONCE, RECLAIMED_AT_ONCE};
use becket_daemon::socket::Request;
use becket_store::{Extent, Millis, Options, Pruned, Retention, Writer};
use clap::Args;
use serde_json::json;

use crate::daemon::ask;
use crate::exit::Exit;
use crate::records::{self, day_and_time, of};
use crate::report::{SCHEMA_VERSION, confirm, print, print_json, talk};

#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct PruneArgs {
    /// What ended before then: 90d, 12w
    #[arg(long, value_name = "SPAN", value_parser = a_span)]
    older_than: Duration,
    /// Only the raw events; prompts, calls and decisions stay
    #[arg(long)]
    raw_events: bool,
    /// Keep sessions in which something was denied
    #[arg(long)]
    keep_denied: bool,
    /// Say what would go, and stop
    #[arg(long)]
    dry_run: bool,
    /// Forget without asking
    #[arg(long, short)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn a_span(text: &str) -> Result<Duration, String> {
    becket_daemon::moment::span(text)
        .ok_or_else(|| "write a number and s, m, h, d or w, as in 90d".to_owned())
}

pub(crate) fn main(args: &PruneArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        talk("Nothing is recorded yet.");
        return Ok(Exit::Success);
    };
    let retention = retention(args, Millis::now());
    let old = reader.prunable(&retention)?;
    drop(reader);
    talk(&format!(
        "{} and {} are from before {} UTC. Unseen alarms and sessions with a title of yours stay.",
        of(old.sessions, "ended session"),
        of(old.events, "event"),
        day_and_time(retention.before)
    ));
    let wanted = old.more && !args.dry_run;
    let gone = if !wanted {
        Pruned::default()
    } else if args.yes || confirm("Forget them?") {
        forget(&home, &retention)?
    } else {
        talk("Nothing was forgotten; --yes does it without asking.");
        return Ok(Exit::Failure);
    };
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "old": old, "gone": gone,
        }))?;
    } else if wanted {
        print(&format!(
            "{} and {} are forgotten.\n",
            of(gone.sessions, "session"),
            of(gone.events, "event")
        ));
    }
    Ok(Exit::Success)
}

fn retention(args: &PruneArgs, now: Millis) -> Retention {
    Retention {
        extent: if args.raw_events {
            Extent::RawEvents
        } else {
            Extent::Everything
        },
        keep_denied: args.keep_denied,
        ..Retention::before(now.minus(args.older_than))
    }
}

/// Lets the daemon do it a step at a time; where none runs, does it under the daemon's lock.
fn forget(home: &Home, retention: &Retention) -> anyhow::Result<Pruned> {
    let place = Place::below(&home.state);
    place.prepare()?;
    let lock = instance::hold(&place.lock()).context("the lock cannot be taken")?;
    if lock.is_none() {
        let request = Request::Prune {
            retention: *retention,
        };
        return step_by_step(|| {
            let answer = ask(&place, &request)?;
            answer.pruned.context("the daemon does not say what went; `becket daemon restart` makes it one of this version")
        });
    }
    let mut writer = Writer::open(home.database(), Options::default())?;
    let gone = step_by_step(|| Ok(writer.prune(retention, PRUNED_AT_ONCE)?))?;
    writer.reclaim(RECLAIMED_AT_ONCE)?;
    Ok(gone)
}

fn step_by_step(mut step: impl FnMut() -> anyhow::Result<Pruned>) -> anyhow::Result<Pruned> {
    let mut gone = Pruned::default();
    loop {
        let some = step()?;
        gone.sessions += some.sessions;
        gone.events += some.events;
        if !some.more {
            return Ok(gone);
        }
    }
}
