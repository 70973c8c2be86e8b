//! Asking about what is remembered: the daemon if one runs, and otherwise the files themselves.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::place::Place;
use becket_daemon::recall::{Alone, Ask, Asking, Indexing, Told, Unanswered};
use becket_daemon::socket::Request;

use crate::{daemon, learn};

/// How long another command that has the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the daemon is asked how far it is.
const LOOK: Duration = Duration::from_millis(50);

/// Whoever answers, for as long as a command takes.
pub(crate) enum Answering {
    Daemon(Place),
    Alone {
        alone: Box<Alone>,
        /// The daemon's, so that none comes meanwhile.
        _lock: instance::Held,
    },
}

impl Answering {
    pub(crate) fn find(home: &Home) -> anyhow::Result<Self> {
        let place = Place::below(&home.state);
        place.prepare()?;
        let begun = Instant::now();
        loop {
            if let Some(lock) = instance::hold(&place.lock()).context("the lock cannot be taken")? {
                let model = learn::model_of(home);
                let alone = Alone::open(&home.database(), &home.state, model)?;
                return Ok(Self::Alone {
                    alone: Box::new(alone),
                    _lock: lock,
                });
            }
            if listens(&place)? {
                return Ok(Self::Daemon(place));
            }
            // Another command is at it, or a daemon is just starting.
            if begun.elapsed() > PATIENCE {
                bail!("another command holds the lock and does not end");
            }
            std::thread::sleep(LOOK);
        }
    }

    pub(crate) fn ask(&mut self, ask: Ask) -> anyhow::Result<Told> {
        match self {
            Self::Alone { alone, .. } => Ok(alone.answer(ask, &mut |_| {})?),
            Self::Daemon(place) => ask_daemon(place, ask),
        }
    }

    /// Indexes a project; `progress` hears how far it is.
    pub(crate) fn index(
        &mut self,
        project: &str,
        progress: &mut dyn FnMut(usize, usize),
    ) -> anyhow::Result<Indexing> {
        let ask = |begin| Ask::Index {
            project: project.to_owned(),
            begin,
        };
        let mut told = match self {
            Self::Alone { alone, .. } => {
                alone.answer(ask(true), &mut |now| progress(now.done, now.total))?
            }
            Self::Daemon(place) => ask_daemon(place, ask(true))?,
        };
        loop {
            let Told::Indexing(now) = told else {
                bail!(UNEXPECTED);
            };
            if !now.running {
                return Ok(*now);
            }
            progress(now.done, now.total);
            std::thread::sleep(LOOK);
            told = self.ask(ask(false))?;
        }
    }
}

/// What an answer to another question is called.
pub(crate) const UNEXPECTED: &str = "the answer is not to the question; `becket daemon restart` makes the daemon one of this version";

fn ask_daemon(place: &Place, ask: Ask) -> anyhow::Result<Told> {
    let answer = daemon::ask(place, &Request::Memory { ask })?;
    answer.told.context(UNEXPECTED)
}

pub(crate) fn listens(place: &Place) -> anyhow::Result<bool> {
    match UnixStream::connect(place.door()?) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error).context("the daemon cannot be asked"),
    }
}

/// For those who ask now and then: each time whoever answers then, so that the lock is not kept from a daemon.
pub(crate) fn asking(home: &Home) -> Asking {
    let home = home.clone();
    Arc::new(move |ask| {
        // Nothing is made by asking for it.
        if !home.database().exists() {
            match ask {
                Ask::Search(_) => return Ok(Told::Found(Vec::new())),
                Ask::List(_) => return Ok(Told::Memories(Vec::new())),
                _ => {}
            }
        }
        let answer = Answering::find(&home).and_then(|mut answering| answering.ask(ask));
        answer.map_err(|error| Unanswered::Unavailable(format!("{error:#}")))
    })
}
