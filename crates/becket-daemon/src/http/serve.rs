//! Connections: bounded in number, in the time a head may take, and in idleness.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::idle::Idle;

/// Connections at a time; more wait in the kernel's queue.
const MOST_CONNECTIONS: usize = 512;
/// How long a request's head may take, and a connection idle.
const HEAD: Duration = Duration::from_secs(10);
/// How long nothing may move on a connection. Streams send a sign of life more often.
const STILLNESS: Duration = Duration::from_secs(60);
/// How long open streams are given when the daemon stops.
const GRACE: Duration = Duration::from_secs(3);

/// Serves until `stop` is cancelled.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut running = JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        while running.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (service, stop) = (TowerToHyperService::new(router.clone()), stop.clone());
        running.spawn(async move {
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
            let stream = TokioIo::new(Idle::new(stream, STILLNESS));
            let connection = builder.serve_connection_with_upgrades(stream, service);
            tokio::pin!(connection);
            tokio::select! {
                ended = connection.as_mut() => note(ended),
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(GRACE, connection).await;
                }
            }
            drop(permit);
        });
    }
    running.join_all().await;
}

fn note(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}
