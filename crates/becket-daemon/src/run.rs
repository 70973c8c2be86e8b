//! The daemon's lifecycle: a single instance that runs until it is stopped, replaced or idle.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use becket_base::fs::{FileSync, write_private};
use becket_recall::embed::{BuiltinModel, EndpointConfig};
use becket_spool::Spool;
use becket_spool::wake_fifo::{self, WakeReader};
use becket_store::{Millis, PruneReport, Retention, bytes_on_disk};
use tokio::net::{TcpListener, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::counters::Counters;
use crate::http::{self, auth::Authenticator, serve::ConnectionLimits};
use crate::inject::{self, ContextProvider, LimitsLookup, StoreContextProvider};
use crate::instance::{self, InstanceLock};
use crate::learn::{self, LearningHandle, LearningSettingsLoader};
use crate::login::Logins;
use crate::recall::{self, MemoryService};
use crate::retention;
use crate::rpc::{PendingPermissions, PermissionDecision, PermissionRequest};
use crate::runtime_dir::RuntimeDir;
use crate::setup::{Setup, SharedSetup};
use crate::socket::{self, PendingResponses, RequestHandler, SocketRequest, SocketResponse};
use crate::status::DaemonStatus;
use crate::store_handle::{StoreHandle, StorePaths, WriteError};
use crate::token::Token;
use crate::workers::Workers;

/// The configuration of a daemon.
#[derive(Debug, Clone)]
pub struct Config {
    /// The state directory. It holds the spool, the database and the runtime directory.
    pub state: PathBuf,
    /// The HTTP port; 0 reuses the port of the last daemon, or picks a free one.
    pub port: u16,
    /// Limits for HTTP connections.
    pub limits: ConnectionLimits,
    /// The daemon stops after this time without a request.
    pub idle_timeout: Duration,
    /// How often the daemon checks for silent sessions and hooks.
    pub check_interval: Duration,
    /// The home directory that holds the agents' transcripts; `None` disables the check of transcripts.
    pub transcripts: Option<PathBuf>,
    /// The daemon's version, for the handshake with clients.
    pub version: &'static str,
    /// Access to hooks, trust, connections and settings, for editors and the dashboard.
    pub setup: Option<Arc<dyn Setup>>,
    /// Loads the learning settings; `None` disables learning.
    pub learn: Option<LearningSettingsLoader>,
    /// The endpoint of an embedding model, instead of the built-in one.
    pub embedding: Option<EndpointConfig>,
}

/// Why a daemon could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another daemon holds the lock.
    #[error("another daemon is running")]
    AlreadyRunning,
    /// The runtime directory is not private.
    #[error(transparent)]
    Unsafe(#[from] crate::runtime_dir::UnsafeDirError),
    /// The database cannot be opened.
    #[error("cannot open the database")]
    Store(#[from] becket_store::Error),
    /// Another I/O error.
    #[error("{action}")]
    Io {
        /// What failed.
        action: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> StartError {
    move |source| StartError::Io { action, source }
}

/// The state that all parts of a running daemon share.
pub struct Daemon {
    /// The database: reads, and writes through the writer thread.
    pub store: StoreHandle,
    /// The memory service.
    pub memory: MemoryService,
    /// The learning handle, if learning is configured.
    pub learner: Option<LearningHandle>,
    /// The counters for metrics and status.
    pub counters: Arc<Counters>,
    /// Stops the daemon when cancelled.
    pub stop: CancellationToken,
    /// Permission requests that wait for an editor.
    pub pending: PendingPermissions,
    /// Access to hooks, trust, connections and settings, for editors and the dashboard.
    pub setup: SharedSetup,
    /// Browser logins.
    pub logins: Arc<Logins>,
    /// Finds the context to inject; empty until injection is enabled.
    pub context_provider: OnceLock<Arc<dyn ContextProvider>>,
    paths: StorePaths,
    version: &'static str,
    executable: ExecutableIdentity,
    started: Instant,
    /// When the last request arrived, in seconds since the start.
    last_used: AtomicU64,
}

impl Daemon {
    /// Restarts the idle timeout.
    pub fn touch(&self) {
        let now = self.started.elapsed().as_secs();
        self.last_used.fetch_max(now, Ordering::Relaxed);
    }

    /// Handles the notifications of clients of these versions; the first one arrived at `notified_at`.
    pub(crate) fn handle_notifications<'v>(
        &self,
        versions: impl Iterator<Item = &'v str>,
        notified_at: Instant,
    ) {
        let mut versions: Vec<&str> = versions.collect();
        self.touch();
        self.counters.notifications.add(versions.len() as u64);
        self.store.notify(notified_at);
        versions.dedup();
        for version in versions {
            self.yield_to_newer(version);
        }
    }

    /// Stops if the client is newer. Its own daemon starts with the next event and uses the same state.
    fn yield_to_newer(&self, client: &str) {
        if is_newer(client, self.version) {
            tracing::info!("a client of version {client} connected; stopping for its newer daemon");
            self.stop.cancel();
        } else {
            self.stop_if_replaced();
        }
    }

    /// Stops if the executable was replaced, even by one of the same version.
    fn stop_if_replaced(&self) {
        if self.executable != ExecutableIdentity::current() && !self.stop.is_cancelled() {
            tracing::info!("the executable was replaced; stopping for the new one");
            self.stop.cancel();
        }
    }

    fn idle_for(&self) -> Duration {
        let last = Duration::from_secs(self.last_used.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last)
    }

    /// The daemon's status.
    pub fn status(&self) -> DaemonStatus {
        DaemonStatus {
            version: self.version,
            pid: std::process::id(),
            uptime_seconds: self.started.elapsed().as_secs(),
            cursor: *self.store.last_seq().borrow(),
            records: self.counters.records.get(),
            failed_commits: self.counters.failed_commits.get(),
            failed_drains: self.counters.failed_drains.get(),
            database_bytes: bytes_on_disk(&self.paths.database),
            spool_bytes: Spool::open(&self.paths.spool).bytes().unwrap_or_default(),
        }
    }

    /// Prunes a batch of old rows. After the last batch it returns free pages to the file system.
    pub(crate) async fn prune(&self, retention: Retention) -> Result<PruneReport, WriteError> {
        let step = self.store.maintain(move |writer| {
            let pruned = writer.prune(&retention, PRUNE_BATCH_ROWS)?;
            if !pruned.more {
                writer.reclaim(RECLAIM_BATCH_PAGES)?;
            }
            Ok(pruned)
        });
        step.await
    }

    /// Acknowledges one alarm or all of them. Returns how many were unacknowledged.
    async fn acknowledge(&self, alarm: Option<String>) -> Result<u64, WriteError> {
        let now = Millis::now();
        let write = self.store.transaction(move |transaction| match alarm {
            Some(alarm) => transaction.acknowledge_alarm(&alarm, now).map(u64::from),
            None => transaction.acknowledge_alarms(now),
        });
        write.await
    }
}

/// Rows pruned in one step; other writes run between the steps.
pub const PRUNE_BATCH_ROWS: usize = 5000;
/// Pages returned to the file system after the last step.
pub const RECLAIM_BATCH_PAGES: u32 = 10_000;

impl RequestHandler for Daemon {
    async fn ingest(&self, records: Vec<String>) -> PendingResponses {
        self.touch();
        let count = records.len();
        if count == 0 {
            return Box::pin(std::future::ready(Vec::new()));
        }
        let ingested = self.store.ingest(records).await;
        let ok = self.ok_response();
        Box::pin(async move {
            let committed = match ingested {
                Ok(pending) => pending.committed().await,
                Err(error) => Err(error),
            };
            let response = committed.map_or_else(SocketResponse::failed, |()| ok);
            vec![response; count]
        })
    }

    async fn handle(&self, requests: Vec<SocketRequest>) -> Vec<SocketResponse> {
        self.touch();
        let mut responses = Vec::with_capacity(requests.len());
        let mut records = Vec::new();
        for request in requests {
            if let SocketRequest::Record { line } = request {
                records.push(line);
                continue;
            }
            // Responses keep the order of the requests.
            responses.extend(self.ingest(std::mem::take(&mut records)).await.await);
            responses.push(self.handle_one(request).await);
        }
        responses.extend(self.ingest(records).await.await);
        responses
    }
}

impl Daemon {
    fn ok_response(&self) -> SocketResponse {
        SocketResponse {
            version: Some(self.version.to_owned()),
            ..SocketResponse::ok()
        }
    }

    /// Waits for a decision by an editor, if one is connected.
    async fn request_permission(
        &self,
        request: PermissionRequest,
        timeout: Duration,
    ) -> Option<PermissionDecision> {
        if !self.pending.has_editor() {
            return None;
        }
        tokio::select! {
            decided = self.pending.request(request, timeout) => decided,
            () = self.stop.cancelled() => None,
        }
    }

    /// Handles a learning request, if learning is configured.
    pub(crate) async fn learning(
        &self,
        request: learn::LearningRequest,
    ) -> Result<learn::LearningResponse, learn::LearningError> {
        match &self.learner {
            Some(learner) => learner.handle(request).await,
            None => Err(learn::LearningError::Unavailable(
                "learning is not configured in this daemon".into(),
            )),
        }
    }

    async fn handle_one(&self, request: SocketRequest) -> SocketResponse {
        let ok = || self.ok_response();
        match request {
            SocketRequest::Notify { version } => {
                self.handle_notifications(std::iter::once(&*version), Instant::now());
                ok()
            }
            SocketRequest::Context { line, request } => {
                let context =
                    inject::context_for_record(self.context_provider.get(), line, &request).await;
                // Notify only now: when the spool is drained, it also holds the record of the injected context.
                self.handle_notifications(std::iter::once(&*request.version), Instant::now());
                SocketResponse { context, ..ok() }
            }
            SocketRequest::Record { line } => {
                let responses = self.ingest(vec![line]).await.await;
                responses.into_iter().next().unwrap_or_default()
            }
            SocketRequest::Prune { retention } => match self.prune(retention).await {
                Ok(pruned) => SocketResponse {
                    pruned: Some(pruned),
                    ..ok()
                },
                Err(error) => SocketResponse::failed(error),
            },
            SocketRequest::Acknowledge { alarm } => match self.acknowledge(alarm).await {
                Ok(count) => SocketResponse {
                    acknowledged: Some(count),
                    ..ok()
                },
                Err(error) => SocketResponse::failed(error),
            },
            SocketRequest::Permission { request, wait_ms } => SocketResponse {
                decided: self
                    .request_permission(request, Duration::from_millis(wait_ms))
                    .await,
                ..ok()
            },
            SocketRequest::PendingPermissions => SocketResponse {
                pending_permissions: Some(self.pending.poll()),
                ..ok()
            },
            SocketRequest::Decide { id, decision } => match self.pending.decide(&id, decision) {
                Ok(()) => ok(),
                Err(failure) => SocketResponse::failed(failure.message),
            },
            SocketRequest::Memory { request } => match self.memory.handle(request).await {
                Ok(response) => SocketResponse {
                    memory: Some(response),
                    ..ok()
                },
                Err(error) => SocketResponse::failed(error),
            },
            SocketRequest::Learning { request } => match self.learning(request).await {
                Ok(response) => SocketResponse {
                    learning: Some(Box::new(response)),
                    ..ok()
                },
                Err(error) => SocketResponse::failed(error),
            },
            SocketRequest::Login => match self.logins.issue_code(Instant::now()) {
                Ok(code) => SocketResponse {
                    login_code: Some(code),
                    ..ok()
                },
                Err(error) => SocketResponse::failed(error),
            },
            SocketRequest::Status => SocketResponse {
                status: serde_json::to_value(self.status()).ok(),
                ..ok()
            },
            SocketRequest::Stop => {
                self.stop.cancel();
                ok()
            }
        }
    }
}

/// A daemon that holds the lock and listens, but does not serve requests yet.
pub struct PreparedDaemon {
    daemon: Arc<Daemon>,
    writer_thread: std::thread::JoinHandle<()>,
    socket: tokio::net::UnixListener,
    wake: Option<WakeReader>,
    http: TcpListener,
    token: Token,
    port: u16,
    limits: ConnectionLimits,
    idle_timeout: Duration,
    state: PathBuf,
    embedding: Option<EndpointConfig>,
    check_interval: Duration,
    runtime_dir: RuntimeDir,
    _lock: InstanceLock,
}

/// How long to wait for a lock holder that does not listen.
const LOCK_HANDOVER_TIMEOUT: Duration = Duration::from_secs(5);

/// Takes the instance lock; `None` if another daemon holds it and listens.
///
/// A holder that does not listen is either starting or stopping. If it is stopping, giving up would leave no daemon.
async fn acquire_lock(runtime_dir: &RuntimeDir) -> std::io::Result<Option<InstanceLock>> {
    let started = Instant::now();
    let socket_path = runtime_dir.short_socket_path()?;
    loop {
        let held = instance::try_lock(&runtime_dir.lock())?;
        let is_decided = held.is_some() || started.elapsed() > LOCK_HANDOVER_TIMEOUT;
        if is_decided || UnixStream::connect(&socket_path).await.is_ok() {
            return Ok(held);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Takes the lock, opens the database, and binds the socket and the HTTP port.
pub async fn prepare(config: &Config) -> Result<PreparedDaemon, StartError> {
    let runtime_dir = RuntimeDir::in_state_dir(&config.state);
    runtime_dir.prepare()?;
    let lock = acquire_lock(&runtime_dir).await;
    let lock = lock.map_err(io("cannot take the instance lock"))?;
    let lock = lock.ok_or(StartError::AlreadyRunning)?;
    let token = Token::load_or_create(&runtime_dir.token())
        .map_err(io("cannot read or create the token"))?;
    let counters = Arc::<Counters>::default();
    let paths = StorePaths {
        database: config.state.join("becket.db"),
        spool: config.state.join("spool"),
        transcripts: config.transcripts.clone(),
    };
    let (store, writer_thread) =
        StoreHandle::start(paths.clone(), Arc::clone(&counters), config.check_interval)?;
    let http = listen(config.port, &runtime_dir).await;
    let http = http.map_err(io("cannot listen on the HTTP port"))?;
    let port = http
        .local_addr()
        .map_err(io("cannot determine the HTTP port"))?
        .port();
    let replace =
        |path: &Path, line: String| write_private(path, line.as_bytes(), FileSync::BeforeRename);
    replace(&runtime_dir.address(), format!("127.0.0.1:{port}\n"))
        .map_err(io("cannot write the address file"))?;
    // Best effort: without the file the next daemon picks another port.
    let _ = replace(&runtime_dir.last_port(), format!("{port}\n"));
    let socket = socket::bind(&runtime_dir).map_err(io("cannot listen on the socket"))?;
    let wake = WakeReader::create(&runtime_dir)
        .inspect_err(|error| tracing::debug!("no wake FIFO, so clients use the socket: {error}"))
        .ok();
    let indexes = recall::index_dir(&config.state);
    let memory = MemoryService::new(store.clone(), indexes, Arc::new(BuiltinModel));
    let learner = config
        .learn
        .clone()
        .map(|settings| LearningHandle::new(store.clone(), memory.clone(), settings));
    let daemon = Arc::new(Daemon {
        store,
        memory,
        learner,
        counters,
        stop: CancellationToken::new(),
        pending: PendingPermissions::default(),
        setup: SharedSetup::new(config.setup.clone()),
        logins: Arc::new(Logins::open(runtime_dir.logins())),
        context_provider: OnceLock::new(),
        paths,
        version: config.version,
        executable: ExecutableIdentity::current(),
        started: Instant::now(),
        last_used: AtomicU64::new(0),
    });
    Ok(PreparedDaemon {
        daemon,
        writer_thread,
        socket,
        wake,
        http,
        token,
        port,
        limits: config.limits,
        idle_timeout: config.idle_timeout,
        state: config.state.clone(),
        embedding: config.embedding.clone(),
        check_interval: config.check_interval,
        runtime_dir,
        _lock: lock,
    })
}

/// Binds a loopback port. Port 0 tries the last port first: an open dashboard retries there until a daemon
/// answers again.
async fn listen(port: u16, runtime_dir: &RuntimeDir) -> std::io::Result<TcpListener> {
    let on = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    if port == 0 {
        let last = std::fs::read_to_string(runtime_dir.last_port()).ok();
        if let Some(last) = last.and_then(|text| text.trim().parse().ok())
            && let Ok(listener) = on(last).await
        {
            return Ok(listener);
        }
    }
    on(port).await
}

impl PreparedDaemon {
    /// The HTTP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Enables context injection within `limits`. Only the first call has an effect.
    pub fn enable_injection(&self, limits: LimitsLookup) {
        let memory = self.daemon.memory.clone();
        let provider = StoreContextProvider::new(memory, &self.state, limits);
        let _ = self.daemon.context_provider.set(Arc::new(provider));
    }

    /// Stops the daemon when cancelled.
    pub fn stop_token(&self) -> CancellationToken {
        self.daemon.stop.clone()
    }

    /// Serves requests until the daemon is stopped or idle, then commits pending writes.
    pub async fn run(self) {
        let stop = self.daemon.stop.clone();
        let auth = Authenticator::new(
            self.token,
            Arc::clone(&self.daemon.logins),
            self.port,
            Arc::clone(&self.daemon.counters),
        );
        let router = http::router(Arc::clone(&self.daemon), auth);
        tracing::info!("listening on 127.0.0.1:{}", self.port);
        let workers = Workers::start(&self.daemon, self.wake, self.embedding);
        tokio::join!(
            socket::serve(self.socket, Arc::clone(&self.daemon), stop.clone()),
            http::serve::serve(self.http, router, self.limits, stop.clone()),
            stop_when_idle(Arc::clone(&self.daemon), self.idle_timeout),
            recall::follow_events(self.daemon.memory.clone(), stop.clone()),
            retention::run(Arc::clone(&self.daemon), self.check_interval),
        );
        // From here on clients reach no daemon, and start another one.
        let _ = wake_fifo::remove(&self.runtime_dir);
        let _ = std::fs::remove_file(self.runtime_dir.socket());
        let _ = std::fs::remove_file(self.runtime_dir.address());
        let (thread, store) = (self.writer_thread, self.daemon.store.clone());
        let memory = self.daemon.memory.clone();
        let provider = self.daemon.context_provider.get().map(Arc::clone);
        let end = move || {
            workers.stop();
            if let Some(provider) = provider {
                provider.close();
            }
            store.stop();
            let _ = thread.join();
            memory.save();
        };
        let _ = tokio::task::spawn_blocking(end).await;
        tracing::info!("stopped");
    }
}

/// Compares two versions; false if either cannot be parsed.
fn is_newer(one: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let release = version.split(['-', '+']).next()?;
        release.split('.').map(|part| part.parse().ok()).collect()
    };
    matches!((numbers(one), numbers(other)), (Some(one), Some(other)) if one > other)
}

/// The longest pause between two checks for idleness and for a replaced executable.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(60);

async fn stop_when_idle(daemon: Arc<Daemon>, idle: Duration) {
    loop {
        let left = idle.saturating_sub(daemon.idle_for());
        if left.is_zero() {
            tracing::info!("idle for {} s; stopping", idle.as_secs());
            daemon.stop.cancel();
        } else {
            daemon.stop_if_replaced();
        }
        tokio::select! {
            () = daemon.stop.cancelled() => return,
            () = tokio::time::sleep(left.clamp(Duration::from_secs(1), IDLE_CHECK_INTERVAL)) => {}
        }
    }
}

/// Identifies the file that this process was started from, by device, inode and modification time.
#[derive(PartialEq, Eq)]
struct ExecutableIdentity(Option<(u64, u64, i64)>);

impl ExecutableIdentity {
    fn current() -> Self {
        // `None` if the path is unknown; it then never counts as replaced.
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
    fn daemon_yields_only_to_newer_versions() {
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
