//! HTTP connections, with limits for their number, header time and idle time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::idle::IdleTimeout;
use super::unauthenticated::{TrackedConnection, UnauthenticatedConnections};

/// Limits for HTTP connections.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// The most concurrent connections. A new one evicts the oldest unauthenticated connection; if all are
    /// authenticated, it waits.
    pub connections: usize,
    /// How long a client may take for its first request.
    pub first_request: Duration,
    /// How long a connection may be idle. Streams send a heartbeat more often.
    pub idle: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 512,
            first_request: Duration::from_secs(5),
            idle: Duration::from_secs(60),
        }
    }
}

/// How long the headers of a later request may take, and how long a connection may be idle between two requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long open streams may take to finish when the daemon stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves until `stop` is cancelled.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let registry = Arc::<UnauthenticatedConnections>::default();
    let mut running = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        while running.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let permit = tokio::select! {
            permit = acquire_slot(&permits, &registry) => permit,
            () = stop.cancelled() => break,
        };
        let _ = stream.set_nodelay(true);
        let (router, connection_state, stop) = (router.clone(), registry.register(), stop.clone());
        running.spawn(async move {
            serve_connection(stream, router, limits, &connection_state, stop).await;
            drop(permit);
        });
    }
    running.join_all().await;
}

/// Acquires a connection slot. If none is free, evicts an unauthenticated connection.
async fn acquire_slot(
    permits: &Arc<Semaphore>,
    registry: &UnauthenticatedConnections,
) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
        return Some(permit);
    }
    registry.evict_oldest();
    Arc::clone(permits).acquire_owned().await.ok()
}

/// Serves one connection to its end.
async fn serve_connection(
    stream: TcpStream,
    router: Router,
    limits: ConnectionLimits,
    connection_state: &Arc<TrackedConnection>,
    stop: CancellationToken,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEADER_TIMEOUT)
        .keep_alive_timeout(HEADER_TIMEOUT);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        connection_state.request_received();
        request
            .extensions_mut()
            .insert(Arc::clone(connection_state));
        router.call(request)
    });
    let stream = TokioIo::new(IdleTimeout::new(stream, limits.idle));
    let connection = builder.serve_connection_with_upgrades(stream, service);
    tokio::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => log_end(ended),
        () = first_request_overdue(connection_state, limits.first_request) => tracing::debug!("connection closed: no request in time"),
        () = connection_state.evicted() => tracing::debug!("connection closed: evicted, because all connections are in use"),
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connection).await;
        }
    }
}

/// Returns when the first request is overdue. hyper's header timeout only starts once the first bytes have shown the HTTP
/// version.
async fn first_request_overdue(connection_state: &TrackedConnection, first: Duration) {
    tokio::time::sleep(first).await;
    if connection_state.has_request() {
        std::future::pending::<()>().await;
    }
}

fn log_end(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!("connection closed: {error}");
    }
}
