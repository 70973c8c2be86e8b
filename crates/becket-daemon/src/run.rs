//! The daemon's life: one at a time, until somebody stops it or nobody needs it.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use becket_recall::embed::{Builtin, EndpointConfig};
use becket_spool::Spool;
use becket_store::{Millis, Pruned, Retention, bytes_on_disk};
use tokio::net::{TcpListener, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::beside::Beside;
use crate::counters::Counters;
use crate::forgetting;
use crate::http::{self, gate::Gate, serve::Limits};
use crate::instance::{self, Held};
use crate::keeper::{Keeper, NotKept, Paths};
use crate::learn::{self, Learner, WantedOf};
use crate::login::Logins;
use crate::place::Place;
use crate::recall::{self, Remembering};
use crate::rpc::{Asked, Decided, Pending};
use crate::setup::{Lent, Setup};
use crate::socket::{self, Answer, Coming, Handler, Request};
use crate::status::Status;
use crate::teller::{self, LimitsOf, Recalling, Teller};
use crate::token::Token;

/// How a daemon behaves.
#[derive(Debug, Clone)]
pub struct Config {
    /// The state directory: spool, database, and the daemon's own place below it.
    pub state: PathBuf,
    /// The port for HTTP; 0 takes the one of the last daemon, or any that is free.
    pub port: u16,
    /// How much of it connections may take up.
    pub limits: Limits,
    /// Without anything to do for this long, it ends.
    pub idle: Duration,
    /// How often it looks for sessions and hooks that fell silent.
    pub care: Duration,
    /// The home directory in which agents keep their transcripts; `None`: nobody looks there.
    pub transcripts: Option<PathBuf>,
    /// Its version, for the handshake with clients.
    pub version: &'static str,
    /// The set-up of this machine, for editors and browsers.
    pub setup: Option<Arc<dyn Setup>>,
    /// How it learns; `None`: it does not.
    pub learn: Option<WantedOf>,
    /// The model to find by, instead of the one inside the program.
    pub embedding: Option<EndpointConfig>,
}

/// Why a daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another one runs.
    #[error("another daemon is running")]
    AlreadyRunning,
    /// Its directory is not safe.
    #[error(transparent)]
    Unsafe(#[from] crate::place::Unsafe),
    /// The database cannot be opened.
    #[error("the database cannot be used")]
    Store(#[from] becket_store::Error),
    /// Something else.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What went wrong.
        #[source]
        source: std::io::Error,
    },
}

fn io(what: &'static str) -> impl FnOnce(std::io::Error) -> StartError {
    move |source| StartError::Io { what, source }
}

/// What all parts of a running daemon share.
pub struct Daemon {
    /// Who writes.
    pub keeper: Keeper,
    /// What is remembered.
    pub remembering: Remembering,
    /// Who learns from what was recorded, if anybody does.
    pub learner: Option<Learner>,
    /// What was counted.
    pub counters: Arc<Counters>,
    /// Ends everything.
    pub stop: CancellationToken,
    /// Permissions that wait for somebody at an editor.
    pub pending: Pending,
    /// The set-up of this machine, for editors and browsers.
    pub setup: Lent,
    /// Browsers that were let in.
    pub logins: Arc<Logins>,
    /// Who tells agents what is known, once there is somebody.
    pub teller: OnceLock<Arc<dyn Teller>>,
    paths: Paths,
    version: &'static str,
    program: Program,
    started: Instant,
    /// Seconds since the start at which somebody last wanted something.
    last_used: AtomicU64,
}

impl Daemon {
    /// Somebody wanted something.
    pub fn used(&self) {
        let now = self.started.elapsed().as_secs();
        self.last_used.fetch_max(now, Ordering::Relaxed);
    }

    /// Ends for a newer client: its own daemon follows with the next event, and finds everything in place.
    fn make_room(&self, client: &str) {
        if is_newer(client, self.version) {
            tracing::info!("a client of version {client} called: making room for its daemon");
            self.stop.cancel();
        } else {
            self.go_if_replaced();
        }
    }

    /// A program that was installed anew may be of the same version.
    fn go_if_replaced(&self) {
        if self.program != Program::now() && !self.stop.is_cancelled() {
            tracing::info!("the program was replaced: making room for the new one");
            self.stop.cancel();
        }
    }

    fn idle_for(&self) -> Duration {
        let last = Duration::from_secs(self.last_used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last)
    }

    /// How it is.
    pub fn status(&self) -> Status {
        Status {
            version: self.version,
            pid: std::process::id(),
            uptime_seconds: self.started.elapsed().as_secs(),
            cursor: *self.keeper.latest().borrow(),
            records: self.counters.records.get(),
            failed_commits: self.counters.failed_commits.get(),
            failed_drains: self.counters.failed_drains.get(),
            database_bytes: bytes_on_disk(&self.paths.database),
            spool_bytes: Spool::open(&self.paths.spool).bytes().unwrap_or_default(),
        }
    }

    /// Forgets some of what is old, and gives room back when there is no more of it.
    pub(crate) async fn prune(&self, retention: Retention) -> Result<Pruned, NotKept> {
        let step = self.keeper.upkeep(move |writer| {
            let pruned = writer.prune(&retention, PRUNED_AT_ONCE)?;
            if !pruned.more {
                writer.reclaim(RECLAIMED_AT_ONCE)?;
            }
            Ok(pruned)
        });
        step.await
    }

    /// Notes that a person has seen an alarm, or all of them; how many were unseen.
    async fn acknowledge(&self, alarm: Option<String>) -> Result<u64, NotKept> {
        let now = Millis::now();
        let tell = self.keeper.tell(move |group| match alarm {
            Some(alarm) => group.acknowledge_alarm(&alarm, now).map(u64::from),
            None => group.acknowledge_alarms(now),
        });
        tell.await
    }
}

/// Rows that are forgotten before others have their turn.
pub const PRUNED_AT_ONCE: usize = 5000;
/// Pages that are given back at the end.
pub const RECLAIMED_AT_ONCE: u32 = 10_000;

impl Handler for Daemon {
    async fn take(&self, records: Vec<String>) -> Coming {
        self.used();
        let count = records.len();
        if count == 0 {
            return Box::pin(std::future::ready(Vec::new()));
        }
        let taken = self.keeper.take(records).await;
        let done = self.done();
        Box::pin(async move {
            let kept = match taken {
                Ok(taken) => taken.kept().await,
                Err(error) => Err(error),
            };
            let answer = kept.map_or_else(Answer::failed, |()| done);
            vec![answer; count]
        })
    }

    async fn answer(&self, requests: Vec<Request>) -> Vec<Answer> {
        self.used();
        let mut answers = Vec::with_capacity(requests.len());
        let mut records = Vec::new();
        for request in requests {
            if let Request::Record { line } = request {
                records.push(line);
                continue;
            }
            // In the order in which they were asked.
            answers.extend(self.take(std::mem::take(&mut records)).await.await);
            answers.push(self.answer_one(request).await);
        }
        answers.extend(self.take(records).await.await);
        answers
    }
}

impl Daemon {
    fn done(&self) -> Answer {
        Answer {
            version: Some(self.version.to_owned()),
            ..Answer::done()
        }
    }

    /// Waits for somebody at an editor, if there is anybody.
    async fn permission(&self, asked: Asked, patience: Duration) -> Option<Decided> {
        if !self.pending.has_editor() {
            return None;
        }
        tokio::select! {
            decided = self.pending.ask(asked, patience) => decided,
            () = self.stop.cancelled() => None,
        }
    }

    /// Asks whoever learns.
    pub(crate) async fn learning(&self, ask: learn::Ask) -> Result<learn::Told, learn::NotLearnt> {
        match &self.learner {
            Some(learner) => learner.answer(ask).await,
            None => Err(learn::NotLearnt::Unavailable(
                "this daemon does not learn".into(),
            )),
        }
    }

    async fn answer_one(&self, request: Request) -> Answer {
        let done = || self.done();
        match request {
            Request::Ring { version } => {
                self.counters.rings.add(1);
                self.keeper.ring();
                self.make_room(&version);
                done()
            }
            Request::Context { line, asking } => {
                let context = teller::answer(self.teller.get(), line, &asking).await;
                self.counters.rings.add(1);
                // Now, and not before: by the time that the spool is emptied, it also says what the agent was told.
                self.keeper.ring();
                self.make_room(&asking.version);
                Answer { context, ..done() }
            }
            Request::Record { line } => {
                let answers = self.take(vec![line]).await.await;
                answers.into_iter().next().unwrap_or_default()
            }
            Request::Prune { retention } => match self.prune(retention).await {
                Ok(pruned) => Answer {
                    pruned: Some(pruned),
                    ..done()
                },
                Err(error) => Answer::failed(error),
            },
            Request::Acknowledge { alarm } => match self.acknowledge(alarm).await {
                Ok(count) => Answer {
                    acknowledged: Some(count),
                    ..done()
                },
                Err(error) => Answer::failed(error),
            },
            Request::Permission { asked, wait_ms } => Answer {
                decided: self.permission(asked, Duration::from_millis(wait_ms)).await,
                ..done()
            },
            Request::Waiting => Answer {
                waiting: Some(self.pending.look()),
                ..done()
            },
            Request::Decide { id, decision } => match self.pending.decide(&id, decision) {
                Ok(()) => done(),
                Err(failure) => Answer::failed(failure.message),
            },
            Request::Memory { ask } => match self.remembering.answer(ask).await {
                Ok(told) => Answer {
                    told: Some(told),
                    ..done()
                },
                Err(error) => Answer::failed(error),
            },
            Request::Learning { ask } => match self.learning(ask).await {
                Ok(told) => Answer {
                    learning: Some(Box::new(told)),
                    ..done()
                },
                Err(error) => Answer::failed(error),
            },
            Request::Login => match self.logins.code(Instant::now()) {
                Ok(code) => Answer {
                    code: Some(code),
                    ..done()
                },
                Err(error) => Answer::failed(error),
            },
            Request::Status => Answer {
                status: serde_json::to_value(self.status()).ok(),
                ..done()
            },
            Request::Stop => {
                self.stop.cancel();
                done()
            }
        }
    }
}

/// A daemon that holds its lock and listens, but does not answer yet.
pub struct Ready {
    daemon: Arc<Daemon>,
    keeper_thread: std::thread::JoinHandle<()>,
    socket: tokio::net::UnixListener,
    http: TcpListener,
    token: Token,
    port: u16,
    limits: Limits,
    idle: Duration,
    state: PathBuf,
    embedding: Option<EndpointConfig>,
    care: Duration,
    place: Place,
    _lock: Held,
}

/// How long whoever has the lock and does not listen is waited for.
const HAND_OVER: Duration = Duration::from_secs(5);

/// The lock; `None` if another daemon has it and stays. One that does not listen is about to end, or to begin: giving up
/// at its end would leave nobody.
async fn lock_of(place: &Place) -> std::io::Result<Option<Held>> {
    let started = Instant::now();
    let door = place.door()?;
    loop {
        let held = instance::hold(&place.lock())?;
        let is_settled = held.is_some() || started.elapsed() > HAND_OVER;
        if is_settled || UnixStream::connect(&door).await.is_ok() {
            return Ok(held);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Takes the lock, opens the database, and listens.
pub async fn prepare(config: &Config) -> Result<Ready, StartError> {
    let place = Place::below(&config.state);
    place.prepare()?;
    let lock = lock_of(&place).await;
    let lock = lock.map_err(io("the lock cannot be taken"))?;
    let lock = lock.ok_or(StartError::AlreadyRunning)?;
    let token = Token::ensure(&place.token()).map_err(io("the token cannot be used"))?;
    let counters = Arc::<Counters>::default();
    let paths = Paths {
        database: config.state.join("becket.db"),
        spool: config.state.join("spool"),
        transcripts: config.transcripts.clone(),
    };
    let (keeper, keeper_thread) = Keeper::start(paths.clone(), Arc::clone(&counters), config.care)?;
    let http = listen(config.port, &place).await;
    let http = http.map_err(io("the port cannot be listened on"))?;
    let port = http.local_addr().map_err(io("the port is unknown"))?.port();
    write_private(&place.address(), &format!("127.0.0.1:{port}\n"))
        .map_err(io("the address cannot be written"))?;
    // Without it the next daemon listens elsewhere, which is no reason for this one not to start.
    let _ = write_private(&place.last_port(), &format!("{port}\n"));
    let socket = socket::bind(&place).map_err(io("the socket cannot be listened on"))?;
    let indexes = recall::directory(&config.state);
    let remembering = Remembering::new(keeper.clone(), indexes, Arc::new(Builtin));
    let learner = config
        .learn
        .clone()
        .map(|wanted| Learner::new(keeper.clone(), remembering.clone(), wanted));
    let daemon = Arc::new(Daemon {
        keeper,
        remembering,
        learner,
        counters,
        stop: CancellationToken::new(),
        pending: Pending::default(),
        setup: Lent::new(config.setup.clone()),
        logins: Arc::new(Logins::open(place.logins())),
        teller: OnceLock::new(),
        paths,
        version: config.version,
        program: Program::now(),
        started: Instant::now(),
        last_used: AtomicU64::new(0),
    });
    Ok(Ready {
        daemon,
        keeper_thread,
        socket,
        http,
        token,
        port,
        limits: config.limits,
        idle: config.idle,
        state: config.state.clone(),
        embedding: config.embedding.clone(),
        care: config.care,
        place,
        _lock: lock,
    })
}

/// Listens on loopback. Where any port will do, the last one is tried first: a dashboard that is open in a browser asks there
/// until a daemon answers again.
async fn listen(port: u16, place: &Place) -> std::io::Result<TcpListener> {
    let on = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    if port == 0 {
        let last = std::fs::read_to_string(place.last_port()).ok();
        if let Some(last) = last.and_then(|text| text.trim().parse().ok())
            && let Ok(listener) = on(last).await
        {
            return Ok(listener);
        }
    }
    on(port).await
}

/// Writes a file that nobody else can read, in the place of any that is there.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let _ = std::fs::remove_file(path);
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

impl Ready {
    /// Where HTTP listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lets agents be told what is known, within limits; the first ones stay.
    pub fn tell_within(&self, limits: LimitsOf) {
        let remembering = self.daemon.remembering.clone();
        let teller = Recalling::new(remembering, &self.state, limits);
        let _ = self.daemon.teller.set(Arc::new(teller));
    }

    /// Ends the daemon when cancelled.
    pub fn stopper(&self) -> CancellationToken {
        self.daemon.stop.clone()
    }

    /// Answers until it is stopped or idle, then keeps what it was told and goes.
    pub async fn run(self) {
        let stop = self.daemon.stop.clone();
        let gate = Gate::new(self.token, Arc::clone(&self.daemon.logins), self.port);
        let router = http::router(Arc::clone(&self.daemon), gate);
        tracing::info!("listening on 127.0.0.1:{}", self.port);
        let beside = Beside::start(&self.daemon, self.embedding);
        tokio::join!(
            socket::serve(self.socket, Arc::clone(&self.daemon), stop.clone()),
            http::serve::serve(self.http, router, self.limits, stop.clone()),
            end_when_idle(Arc::clone(&self.daemon), self.idle),
            recall::follow(self.daemon.remembering.clone(), stop.clone()),
            forgetting::follow(Arc::clone(&self.daemon), self.care),
        );
        // Clients that come now find nobody, and start another.
        let _ = std::fs::remove_file(self.place.socket());
        let _ = std::fs::remove_file(self.place.address());
        let (thread, keeper) = (self.keeper_thread, self.daemon.keeper.clone());
        let remembering = self.daemon.remembering.clone();
        let teller = self.daemon.teller.get().map(Arc::clone);
        let end = move || {
            beside.end();
            if let Some(teller) = teller {
                teller.rest();
            }
            keeper.stop();
            let _ = thread.join();
            remembering.save();
        };
        let _ = tokio::task::spawn_blocking(end).await;
        tracing::info!("stopped");
    }
}

/// Whether one version is newer than another; what cannot be compared is not.
fn is_newer(one: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let release = version.split(['-', '+']).next()?;
        release.split('.').map(|part| part.parse().ok()).collect()
    };
    matches!((numbers(one), numbers(other)), (Some(one), Some(other)) if one > other)
}

/// How often a daemon looks whether it should still be there.
const LOOK: Duration = Duration::from_secs(60);

async fn end_when_idle(daemon: Arc<Daemon>, idle: Duration) {
    loop {
        let left = idle.saturating_sub(daemon.idle_for());
        if left.is_zero() {
            tracing::info!("nothing to do for {} s", idle.as_secs());
            daemon.stop.cancel();
        } else {
            daemon.go_if_replaced();
        }
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(left.clamp(Duration::from_secs(1), LOOK)) => {}
        }
    }
}

/// The file that this process was started from, as it is now.
#[derive(PartialEq, Eq)]
struct Program(Option<(u64, u64, i64)>);

impl Program {
    fn now() -> Self {
        // A path that cannot be known does not change, either.
        static PATH: std::sync::LazyLock<Option<PathBuf>> =
            std::sync::LazyLock::new(|| std::env::current_exe().ok());
        let meta = PATH.as_ref().and_then(|path| path.metadata().ok());
        Self(meta.map(|meta| (meta.dev(), meta.ino(), meta.mtime())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_newer_versions_are_made_room_for() {
        for (client, expected) in [
            ("0.2.0", true),
            ("0.10.0", true),
            ("1.0.0-rc.1", true),
            ("0.1.9", false),
            ("0.1.10", false),
            ("", false),
            ("latest", false),
        ] {
            assert_eq!(is_newer(client, "0.1.10"), expected, "{client}");
        }
    }
}
