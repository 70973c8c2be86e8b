//! Connections: bounded in number, in the time a head may take, and in idleness.

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

use super::guests::{Guest, Guests};
use super::idle::Idle;

/// How much of the daemon connections may take up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time. When one more comes, one has to leave that the gate does not know; if it knows them all, the
    /// newcomer waits in the kernel's queue.
    pub connections: usize,
    /// How long the first request may be in coming.
    pub first: Duration,
    /// How long nothing may move on a connection. Streams send a sign of life more often.
    pub stillness: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            first: Duration::from_secs(5),
            stillness: Duration::from_secs(60),
        }
    }
}

/// How long the head of a later request may take, and a connection be idle between two.
const HEAD: Duration = Duration::from_secs(10);
/// How long open streams are given when the daemon stops.
const GRACE: Duration = Duration::from_secs(3);

/// Serves until `stop` is cancelled.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: CancellationToken) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let guests = Arc::<Guests>::default();
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
            permit = room(&permits, &guests) => permit,
            () = stop.cancelled() => break,
        };
        let _ = stream.set_nodelay(true);
        let (router, guest, stop) = (router.clone(), guests.welcome(), stop.clone());
        running.spawn(async move {
            attend(stream, router, limits, &guest, stop).await;
            drop(permit);
        });
    }
    running.join_all().await;
}

/// A place, for which a stranger has to leave where none is free.
async fn room(permits: &Arc<Semaphore>, guests: &Guests) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
        return Some(permit);
    }
    guests.make_room();
    Arc::clone(permits).acquire_owned().await.ok()
}

/// One connection, to its end.
async fn attend(
    stream: TcpStream,
    router: Router,
    limits: Limits,
    guest: &Arc<Guest>,
    stop: CancellationToken,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEAD)
        .keep_alive_timeout(HEAD);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        guest.heard();
        request.extensions_mut().insert(Arc::clone(guest));
        router.call(request)
    });
    let stream = TokioIo::new(Idle::new(stream, limits.stillness));
    let connection = builder.serve_connection_with_upgrades(stream, service);
    tokio::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => note(ended),
        () = overdue(guest, limits.first) => tracing::debug!("a connection ended: nothing was asked"),
        () = guest.sent_away() => tracing::debug!("a connection ended: others need its place"),
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(GRACE, connection).await;
        }
    }
}

/// Ends when the first request should have been there and is not. What kind of HTTP is spoken is told by its first letters;
/// the time that a head may take only begins then.
async fn overdue(guest: &Guest, first: Duration) {
    tokio::time::sleep(first).await;
    if guest.was_heard() {
        std::future::pending::<()>().await;
    }
}

fn note(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}
