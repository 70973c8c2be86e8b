//! `becket alarms`: what a person should know, and that a person knows it.

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::place::Place;
use becket_daemon::socket::Request;
use becket_store::{AlarmFilter, AlarmRow, Millis, Options, Writer};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::daemon::ask;
use crate::exit::Exit;
use crate::records::{self, day_and_time, of};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk, tame};
use crate::typist;

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
    /// List those that nobody has seen, the latest first
    List {
        /// Also those that somebody has
        #[arg(long)]
        all: bool,
        /// How many
        #[arg(short = 'n', long = "limit", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Note that you have seen them
    Ack {
        /// Their ids
        #[arg(value_name = "ID", required_unless_present = "all")]
        ids: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

/// How many are listed unless somebody says.
const USUAL: usize = 50;

pub(crate) fn main(args: &AlarmsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    match &args.command {
        None => list(&home, AlarmFilter::Open, USUAL, args.json),
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
        talk("There are no alarms.");
    } else {
        print(&text(&alarms));
        if open > 0 {
            talk(
                "`becket alarms ack ID` notes that you have seen one, `becket alarms ack --all` all of them.",
            );
        }
    }
    Ok(Exit::Success)
}

fn text(alarms: &[AlarmRow]) -> String {
    let style = Style::stdout();
    let row = |alarm: &AlarmRow| {
        let state = match alarm.acknowledged_at {
            Some(_) => style.dim("seen"),
            None => style.bad("open"),
        };
        format!(
            "{}  {state}  {}\n  {}\n",
            day_and_time(alarm.at),
            style.bold(&tame(&alarm.id)),
            tame(&alarm.message)
        )
    };
    alarms.iter().map(row).collect()
}

/// No ids mean all.
fn acknowledge(home: &Home, ids: &[String], as_json: bool) -> anyhow::Result<Exit> {
    typist::has_to_be_a_person("noting that an alarm was seen")?;
    let Some(reader) = records::open(home)? else {
        bail!("there are no alarms: nothing is recorded yet");
    };
    for id in ids {
        if !reader.has_alarm(id)? {
            bail!(
                "there is no alarm `{}`\nhint: `becket alarms list --all` lists them",
                tame(id)
            );
        }
    }
    drop(reader);
    let seen = note(home, ids)?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "acknowledged": seen }))?;
    } else {
        let verb = if seen == 1 { "is" } else { "are" };
        print(&format!("{} {verb} noted as seen.\n", of(seen, "alarm")));
    }
    Ok(Exit::Success)
}

/// Lets the daemon do it; where none runs, does it under the daemon's lock.
fn note(home: &Home, ids: &[String]) -> anyhow::Result<u64> {
    let which: Vec<Option<String>> = match ids {
        [] => vec![None],
        ids => ids.iter().cloned().map(Some).collect(),
    };
    let place = Place::below(&home.state);
    place.prepare()?;
    let lock = instance::hold(&place.lock()).context("the lock cannot be taken")?;
    if lock.is_none() {
        let mut seen = 0;
        for alarm in which {
            let answer = ask(&place, &Request::Acknowledge { alarm }).context(
                "the daemon did not note it; if it is of another version, `becket daemon restart` helps",
            )?;
            seen += answer.acknowledged.unwrap_or_default();
        }
        return Ok(seen);
    }
    let mut writer = Writer::open(home.database(), Options::default())?;
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
