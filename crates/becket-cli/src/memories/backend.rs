//! Executes memory requests in the daemon, or directly on the database if no daemon runs.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::instance;
use becket_daemon::recall::{
    BlockingMemoryClient, IndexingStatus, MemoryError, MemoryRequest, MemoryResponse, OfflineMemory,
};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;

use crate::{daemon, learn};

/// How long to wait for the lock while another command holds it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to ask the daemon for indexing progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Where memory requests are executed, for the duration of a command.
pub(crate) enum MemoryBackend {
    Daemon(RuntimeDir),
    Direct {
        alone: Box<OfflineMemory>,
        /// The daemon's lock, so that none starts meanwhile.
        _lock: instance::InstanceLock,
    },
}

impl MemoryBackend {
    pub(crate) fn open(home: &Home) -> anyhow::Result<Self> {
        let runtime_dir = RuntimeDir::in_state_dir(&home.state);
        runtime_dir.prepare()?;
        let started = Instant::now();
        loop {
            if let Some(lock) =
                instance::try_lock(&runtime_dir.lock()).context("cannot take the lock")?
            {
                let model = learn::embedding_model(home);
                let alone = OfflineMemory::open(&home.database(), &home.state, model)?;
                return Ok(Self::Direct {
                    alone: Box::new(alone),
                    _lock: lock,
                });
            }
            if is_listening(&runtime_dir)? {
                return Ok(Self::Daemon(runtime_dir));
            }
            // Another command holds the lock, or a daemon is starting.
            if started.elapsed() > LOCK_TIMEOUT {
                bail!("another command holds the lock; try again when it has finished");
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    pub(crate) fn query(&mut self, ask: MemoryRequest) -> anyhow::Result<MemoryResponse> {
        match self {
            Self::Direct { alone, .. } => Ok(alone.handle(ask, &mut |_| {})?),
            Self::Daemon(runtime_dir) => query_daemon(runtime_dir, ask),
        }
    }

    /// Indexes a project and reports progress as (done, total).
    pub(crate) fn index(
        &mut self,
        project: &str,
        progress: &mut dyn FnMut(usize, usize),
    ) -> anyhow::Result<IndexingStatus> {
        let ask = |begin| MemoryRequest::Index {
            project: project.to_owned(),
            begin,
        };
        let mut response = match self {
            Self::Direct { alone, .. } => {
                alone.handle(ask(true), &mut |now| progress(now.done, now.total))?
            }
            Self::Daemon(runtime_dir) => query_daemon(runtime_dir, ask(true))?,
        };
        loop {
            let MemoryResponse::Indexing(now) = response else {
                bail!(UNEXPECTED_RESPONSE);
            };
            if !now.running {
                return Ok(*now);
            }
            progress(now.done, now.total);
            std::thread::sleep(POLL_INTERVAL);
            response = self.query(ask(false))?;
        }
    }
}

/// The error for a response of the wrong kind, as another version of the daemon may send.
pub(crate) const UNEXPECTED_RESPONSE: &str =
    "unexpected response from the daemon (version mismatch?); run `becket daemon restart`";

fn query_daemon(runtime_dir: &RuntimeDir, ask: MemoryRequest) -> anyhow::Result<MemoryResponse> {
    let response = daemon::send_request(runtime_dir, &SocketRequest::Memory { request: ask })?;
    response.memory.context(UNEXPECTED_RESPONSE)
}

pub(crate) fn is_listening(runtime_dir: &RuntimeDir) -> anyhow::Result<bool> {
    match UnixStream::connect(runtime_dir.short_socket_path()?) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error).context("cannot connect to the daemon"),
    }
}

/// A handler for occasional requests. It selects the backend for each request, so that it never keeps the lock from a
/// daemon.
pub(crate) fn query_handler(home: &Home) -> BlockingMemoryClient {
    let home = home.clone();
    Arc::new(move |ask| {
        // A query does not create the database.
        if !home.database().exists() {
            match ask {
                MemoryRequest::Search(_) => return Ok(MemoryResponse::Found(Vec::new())),
                MemoryRequest::List(_) => return Ok(MemoryResponse::Memories(Vec::new())),
                _ => {}
            }
        }
        let response = MemoryBackend::open(&home).and_then(|mut backend| backend.query(ask));
        response.map_err(|error| MemoryError::Unavailable(format!("{error:#}")))
    })
}
