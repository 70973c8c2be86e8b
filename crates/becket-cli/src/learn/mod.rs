//! `becket learn`: shows and controls the learning queue.

mod render;
mod settings;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::learn::{self, LearningRequest, LearningResponse};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use becket_store::{Millis, Options, StoreWriter};
use clap::{Args, Subcommand};

use crate::daemon;
use crate::exit::Exit;
use crate::memories::backend::{UNEXPECTED_RESPONSE, is_listening};
use crate::records;
use crate::report::{Style, print, print_json, print_message};

pub(crate) use settings::{
    embedding_endpoint, embedding_model, learn_settings, learn_settings_source,
};

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
    /// Show queued and failed jobs, and today's token use
    Status,
    /// Pause learning until `becket learn resume`
    Pause,
    /// Resume learning
    Resume,
    /// Retry failed jobs
    Retry {
        /// Job id, as shown by `becket learn status`
        #[arg(required_unless_present = "all")]
        id: Option<i64>,
        /// Retry all failed jobs
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

pub(crate) fn main(args: &LearnArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let ask = match args.command {
        None | Some(LearnCommand::Status) => LearningRequest::Status,
        Some(LearnCommand::Pause) => LearningRequest::Pause,
        Some(LearnCommand::Resume) => LearningRequest::Resume,
        Some(LearnCommand::Retry { id, .. }) => LearningRequest::Retry { id },
    };
    if ask == LearningRequest::Status {
        records::catch_up(&home);
        // A status query does not create the database.
        if !home.database().exists() {
            print_message("Nothing recorded yet, so there is nothing to learn from.");
            return Ok(Exit::Success);
        }
    }
    let response = execute(&home, ask)?;
    if args.json {
        print_json(&render::json(&response))?;
    } else {
        print(&render::text(&response, ask, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// The learning status of the daemon, if one responds.
pub(crate) fn daemon_status(home: &Home) -> Option<LearningResponse> {
    let ask = SocketRequest::Learning {
        request: LearningRequest::Status,
    };
    let reply = daemon::send_request(&RuntimeDir::in_state_dir(&home.state), &ask).ok()?;
    reply.learning.map(|response| *response)
}

/// Sends the request to the daemon, or executes it on the database if no daemon runs.
fn execute(home: &Home, ask: LearningRequest) -> anyhow::Result<LearningResponse> {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    runtime_dir.prepare()?;
    if is_listening(&runtime_dir)? {
        let reply = daemon::send_request(&runtime_dir, &SocketRequest::Learning { request: ask })?;
        return Ok(*reply.learning.context(UNEXPECTED_RESPONSE)?);
    }
    let Some(_lock) = instance::try_lock(&runtime_dir.lock()).context("cannot take the lock")?
    else {
        bail!("another command or a starting daemon holds the lock; try again");
    };
    let mut writer = StoreWriter::open(home.database(), Options::default())?;
    Ok(learn::handle_offline(
        &mut writer,
        ask,
        &learn_settings(home),
        Millis::now(),
    )?)
}
