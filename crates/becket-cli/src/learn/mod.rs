//! `becket learn`: how Becket learns from what agents do, and what a person wants of it.

mod shown;
mod wanted;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::learn::{self, Ask, Told};
use becket_daemon::place::Place;
use becket_daemon::socket::Request;
use becket_store::{Millis, Options, Writer};
use clap::{Args, Subcommand};

use crate::daemon;
use crate::exit::Exit;
use crate::memories::asking::{UNEXPECTED, listens};
use crate::records;
use crate::report::{Style, print, print_json, talk};

pub(crate) use wanted::{endpoint, model_of, wanted, wanted_of};

#[derive(Args)]
pub(crate) struct LearnArgs {
    #[command(subcommand)]
    command: Option<LearnCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum LearnCommand {
    /// Say what waits, what was given up and why, and what models cost today
    Status,
    /// Let everything wait, until `resume`
    Pause,
    /// Go on
    Resume,
    /// Try again what was given up
    Retry {
        /// What `status` calls it
        #[arg(required_unless_present = "all")]
        id: Option<i64>,
        /// Everything that was given up
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

pub(crate) fn main(args: &LearnArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let ask = match args.command {
        None | Some(LearnCommand::Status) => Ask::Status,
        Some(LearnCommand::Pause) => Ask::Pause,
        Some(LearnCommand::Resume) => Ask::Resume,
        Some(LearnCommand::Retry { id, .. }) => Ask::Retry { id },
    };
    if ask == Ask::Status {
        records::catch_up(&home);
        // Nothing is made by asking for it.
        if !home.database().exists() {
            talk("Nothing is recorded yet, so that there is nothing to learn from.");
            return Ok(Exit::Success);
        }
    }
    let told = answer(&home, ask)?;
    if args.json {
        print_json(&shown::json(&told))?;
    } else {
        print(&shown::text(&told, ask, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// What the daemon says, if it answers.
pub(crate) fn status_of_daemon(home: &Home) -> Option<Told> {
    let ask = Request::Learning { ask: Ask::Status };
    let answer = daemon::ask(&Place::below(&home.state), &ask).ok()?;
    answer.learning.map(|told| *told)
}

/// The daemon's answer, or that of the files where none runs.
fn answer(home: &Home, ask: Ask) -> anyhow::Result<Told> {
    let place = Place::below(&home.state);
    place.prepare()?;
    if listens(&place)? {
        let answer = daemon::ask(&place, &Request::Learning { ask })?;
        return Ok(*answer.learning.context(UNEXPECTED)?);
    }
    let Some(_lock) = instance::hold(&place.lock()).context("the lock cannot be taken")? else {
        bail!("another command or a daemon that is starting holds the lock; try again");
    };
    let mut writer = Writer::open(home.database(), Options::default())?;
    Ok(learn::answer(
        &mut writer,
        ask,
        &wanted(home),
        Millis::now(),
    )?)
}
