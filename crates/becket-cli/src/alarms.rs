//! `becket alarms`: lists alarms and acknowledges them.

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use becket_store::{AlarmFilter, AlarmRow, Millis, Options, StoreWriter};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::caller;
use crate::daemon::send_request;
use crate::exit::Exit;
use crate::records::{self, format_timestamp, plural};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message, sanitize};

#[derive(Args)]
pub(crate) struct AlarmsArgs {
    #[command(subcommand)]
    command: Option<AlarmsCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum AlarmsCommand {
    /// List unacknowledged alarms, newest first
    List {
        /// Include acknowledged alarms
        #[arg(long)]
        all: bool,
        /// Maximum number of alarms
        #[arg(short = 'n', long = "limit", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Acknowledge alarms
    Ack {
        /// Ids of the alarms
        #[arg(value_name = "ID", required_unless_present = "all")]
        ids: Vec<String>,
        /// Acknowledge all alarms
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

/// Maximum number of alarms that `becket alarms` lists.
const DEFAULT_LIMIT: usize = 50;

pub(crate) fn main(args: &AlarmsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    match &args.command {
        None => list(&home, AlarmFilter::Open, DEFAULT_LIMIT, args.json),
        Some(AlarmsCommand::List { all, limit }) => {
            let which = if *all {
                AlarmFilter::All
            } else {
                AlarmFilter::Open
            };
            list(&home, which, usize::from(*limit), args.json)
        }
        Some(AlarmsCommand::Ack { ids, .. }) => acknowledge(&home, ids, args.json),
    }
}

fn list(home: &Home, which: AlarmFilter, limit: usize, as_json: bool) -> anyhow::Result<Exit> {
    let reader = records::open(home)?;
    let (alarms, open) = match &reader {
        Some(reader) => (reader.alarms(which, limit)?, reader.open_alarms()?),
        None => (Vec::new(), 0),
    };
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "open": open, "alarms": alarms }))?;
    } else if alarms.is_empty() {
        print_message("No alarms.");
    } else {
        print(&text(&alarms));
        if open > 0 {
            print_message(
                "Acknowledge one with `becket alarms ack ID`, or all with `becket alarms ack --all`.",
            );
        }
    }
    Ok(Exit::Success)
}

fn text(alarms: &[AlarmRow]) -> String {
    let style = Style::stdout();
    let row = |alarm: &AlarmRow| {
        let state = match alarm.acknowledged_at {
            Some(_) => style.dim("acknowledged"),
            None => style.bad("open"),
        };
        format!(
            "{}  {state}  {}\n  {}\n",
            format_timestamp(alarm.at),
            style.bold(&sanitize(&alarm.id)),
            sanitize(&alarm.message)
        )
    };
    alarms.iter().map(row).collect()
}

/// Acknowledges these alarms, or all if `ids` is empty.
fn acknowledge(home: &Home, ids: &[String], as_json: bool) -> anyhow::Result<Exit> {
    caller::require_person("acknowledging an alarm")?;
    let Some(reader) = records::open(home)? else {
        bail!("no alarms: nothing has been recorded yet");
    };
    for id in ids {
        if !reader.has_alarm(id)? {
            bail!(
                "no alarm has the id `{}`\nhint: `becket alarms list --all` lists the ids",
                sanitize(id)
            );
        }
    }
    drop(reader);
    let seen = acknowledge_in_store(home, ids)?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "acknowledged": seen }))?;
    } else {
        print(&format!("Acknowledged {}.\n", plural(seen, "alarm")));
    }
    Ok(Exit::Success)
}

/// Acknowledges through the daemon; without a daemon, writes to the database under the daemon's lock.
fn acknowledge_in_store(home: &Home, ids: &[String]) -> anyhow::Result<u64> {
    let which: Vec<Option<String>> = match ids {
        [] => vec![None],
        ids => ids.iter().cloned().map(Some).collect(),
    };
    let place = RuntimeDir::in_state_dir(&home.state);
    place.prepare()?;
    let lock = instance::try_lock(&place.lock()).context("cannot take the daemon's lock")?;
    if lock.is_none() {
        let mut seen = 0;
        for alarm in which {
            let answer = send_request(&place, &SocketRequest::Acknowledge { alarm }).context(
                "the daemon did not acknowledge the alarm (version mismatch?); run `becket daemon restart`",
            )?;
            seen += answer.acknowledged.unwrap_or_default();
        }
        return Ok(seen);
    }
    let mut writer = StoreWriter::open(home.database(), Options::default())?;
    let mut group = writer.begin()?;
    let now = Millis::now();
    let mut seen = 0;
    for alarm in which {
        seen += match alarm {
            Some(alarm) => u64::from(group.acknowledge_alarm(&alarm, now)?),
            None => group.acknowledge_alarms(now)?,
        };
    }
    group.commit()?;
    Ok(seen)
}
