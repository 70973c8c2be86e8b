//! `becket prune`: deletes old records.

use std::time::Duration;

use anyhow::Context;
use becket::Home;
use becket_daemon::instance;
use becket_daemon::run::{PRUNE_BATCH_ROWS, RECLAIM_BATCH_PAGES};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use becket_store::{Millis, Options, PruneExtent, PruneReport, Retention, StoreWriter};
use clap::Args;
use serde_json::json;

use crate::daemon::send_request;
use crate::exit::Exit;
use crate::records::{self, format_timestamp, plural};
use crate::report::{SCHEMA_VERSION, confirm, print, print_json, print_message};

#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate command line flag"
)]
pub(crate) struct PruneArgs {
    /// Delete records of sessions that ended longer ago than this: 90d, 12w
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    older_than: Duration,
    /// Delete only raw events; keep prompts, tool calls and decisions
    #[arg(long)]
    raw_events: bool,
    /// Keep sessions with blocked tool calls
    #[arg(long)]
    keep_denied: bool,
    /// Show what would be deleted without deleting it
    #[arg(long)]
    dry_run: bool,
    /// Delete without asking for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn parse_span(text: &str) -> Result<Duration, String> {
    becket_base::time::parse_span(text)
        .ok_or_else(|| "write a number and s, m, h, d or w, as in 90d".to_owned())
}

pub(crate) fn main(args: &PruneArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        print_message("Nothing recorded yet.");
        return Ok(Exit::Success);
    };
    let retention = retention(args, Millis::now());
    let old = reader.prunable(&retention)?;
    drop(reader);
    print_message(&format!(
        "{} and {} are from before {} UTC. Unacknowledged alarms and sessions that you titled stay.",
        plural(old.sessions, "ended session"),
        plural(old.events, "event"),
        format_timestamp(retention.before)
    ));
    let should_prune = old.more && !args.dry_run;
    let pruned = if !should_prune {
        PruneReport::default()
    } else if args.yes || confirm("Delete them?") {
        prune(&home, &retention)?
    } else {
        print_message("Nothing deleted; pass --yes to delete without asking.");
        return Ok(Exit::Failure);
    };
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "old": old, "gone": pruned,
        }))?;
    } else if should_prune {
        print(&format!(
            "Deleted {} and {}.\n",
            plural(pruned.sessions, "session"),
            plural(pruned.events, "event")
        ));
    }
    Ok(Exit::Success)
}

fn retention(args: &PruneArgs, now: Millis) -> Retention {
    Retention {
        extent: if args.raw_events {
            PruneExtent::RawEvents
        } else {
            PruneExtent::Everything
        },
        keep_denied: args.keep_denied,
        ..Retention::before(now.minus(args.older_than))
    }
}

/// Prunes step by step through the daemon, or under the daemon's lock if none runs.
fn prune(home: &Home, retention: &Retention) -> anyhow::Result<PruneReport> {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    runtime_dir.prepare()?;
    let lock = instance::try_lock(&runtime_dir.lock()).context("cannot take the lock")?;
    if lock.is_none() {
        let request = SocketRequest::Prune {
            retention: *retention,
        };
        return prune_in_steps(|| {
            let response = send_request(&runtime_dir, &request)?;
            response.pruned.context("unexpected response from the daemon (version mismatch?); run `becket daemon restart`")
        });
    }
    let mut writer = StoreWriter::open(home.database(), Options::default())?;
    let pruned = prune_in_steps(|| Ok(writer.prune(retention, PRUNE_BATCH_ROWS)?))?;
    writer.reclaim(RECLAIM_BATCH_PAGES)?;
    Ok(pruned)
}

fn prune_in_steps(
    mut step: impl FnMut() -> anyhow::Result<PruneReport>,
) -> anyhow::Result<PruneReport> {
    let mut pruned = PruneReport::default();
    loop {
        let some = step()?;
        pruned.sessions += some.sessions;
        pruned.events += some.events;
        if !some.more {
            return Ok(pruned);
        }
    }
}
