//! JSON-RPC over a WebSocket: one WebSocket message per JSON-RPC message.
//!
//! [`crate::http::auth`] authenticates every request first.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use axum::routing::any;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::drive::{SessionInput, drive, inbox};
use super::frame::{FrameError, MAX_MESSAGE_BYTES};
use super::session::{RpcSession, SessionServices};

/// The most clients; each has a thread.
const MAX_CLIENTS: usize = 64;
/// Messages queued for a client.
const OUTBOX_CAPACITY: usize = 64;
/// How often the store is polled without a change notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The interval of pings.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// How long a client may take to receive a message.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);
/// The delay before a full inbox is tried again.
const FULL_INBOX_PAUSE: Duration = Duration::from_millis(10);

/// The WebSocket endpoint for JSON-RPC.
#[derive(Clone)]
pub struct RpcEndpoint {
    /// Creates the services for each client.
    pub services: Arc<dyn Fn() -> SessionServices + Send + Sync>,
    /// Channels that change when there may be something to send: the store's, and
    /// [`PendingPermissions::changes`](super::PendingPermissions::changes).
    pub changes: Vec<watch::Receiver<i64>>,
    /// Closes all connections.
    pub stop: CancellationToken,
    permits: Arc<Semaphore>,
    on_activity: Arc<dyn Fn() + Send + Sync>,
}

impl RpcEndpoint {
    /// An endpoint without clients.
    pub fn new(
        services: Arc<dyn Fn() -> SessionServices + Send + Sync>,
        changes: Vec<watch::Receiver<i64>>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            services,
            changes,
            stop,
            permits: Arc::new(Semaphore::new(MAX_CLIENTS)),
            on_activity: Arc::new(|| ()),
        }
    }

    /// Calls `on_activity` regularly while a client is connected.
    #[must_use]
    pub fn while_connected(mut self, on_activity: Arc<dyn Fn() + Send + Sync>) -> Self {
        self.on_activity = on_activity;
        self
    }

    /// The route, to be mounted under a path.
    pub fn router<S: Clone + Send + Sync + 'static>(self) -> axum::routing::MethodRouter<S> {
        any(move |upgrade: WebSocketUpgrade| {
            let response = self.clone().upgrade(upgrade);
            async move { response }
        })
    }

    fn upgrade(self, upgrade: WebSocketUpgrade) -> Response {
        upgrade
            .max_message_size(MAX_MESSAGE_BYTES)
            .on_upgrade(move |socket| self.serve(socket))
    }

    async fn serve(self, mut socket: WebSocket) {
        let Ok(_permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            let close = CloseFrame {
                code: close_code::AGAIN,
                reason: "too many clients".into(),
            };
            deliver(&mut socket, Message::Close(Some(close))).await;
            return;
        };
        let (inputs, session_inbox) = inbox();
        let (out, mut outbox) = mpsc::channel::<String>(OUTBOX_CAPACITY);
        let services = Arc::clone(&self.services);
        let running = tokio::task::spawn_blocking(move || {
            let session = RpcSession::new(services());
            let send = |text: &str| out.blocking_send(text.to_owned());
            // Ends when either side is gone; there is no one left to report to.
            let _ = drive(session, &session_inbox, POLL_INTERVAL, send);
        });
        let wakers: Vec<_> = self
            .changes
            .iter()
            .map(|changes| tokio::spawn(wake(changes.clone(), inputs.clone())))
            .collect();
        self.relay(&mut socket, inputs, &mut outbox).await;
        drop(outbox);
        for waker in wakers {
            waker.abort();
        }
        let _ = running.await;
    }

    /// Relays messages until the client or the daemon closes the connection.
    async fn relay(
        &self,
        socket: &mut WebSocket,
        inputs: SyncSender<SessionInput>,
        outbox: &mut mpsc::Receiver<String>,
    ) {
        let mut ping = tokio::time::interval(PING_INTERVAL);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => {
                    let close = CloseFrame { code: close_code::AWAY, reason: "the daemon is stopping".into() };
                    deliver(socket, Message::Close(Some(close))).await;
                    return;
                }
                message = outbox.recv() => match message {
                    Some(text) => if !deliver(socket, Message::Text(text.into())).await {
                        return;
                    },
                    None => return,
                },
                _ = ping.tick() => {
                    (self.on_activity)();
                    if !deliver(socket, Message::Ping(Vec::new().into())).await {
                        return;
                    }
                }
                message = socket.recv() => {
                    let message = match message {
                        Some(Ok(Message::Text(text))) => Ok(text.as_str().to_owned()),
                        Some(Ok(Message::Binary(bytes))) => {
                            String::from_utf8(bytes.to_vec()).map_err(|_| FrameError::NotText)
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                        // Receiving once more lets the library answer the close frame.
                        Some(Ok(Message::Close(_))) => {
                            let _ = tokio::time::timeout(CLIENT_TIMEOUT, socket.recv()).await;
                            return;
                        }
                        Some(Err(_)) | None => return,
                    };
                    if !enqueue(&inputs, SessionInput::Message(message), outbox, socket).await {
                        return;
                    }
                }
            }
        }
    }
}

/// Puts a message into the session's inbox. While the inbox is full, outgoing messages are still relayed.
async fn enqueue(
    inputs: &SyncSender<SessionInput>,
    mut input: SessionInput,
    outbox: &mut mpsc::Receiver<String>,
    socket: &mut WebSocket,
) -> bool {
    loop {
        match inputs.try_send(input) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(back)) => input = back,
        }
        match tokio::time::timeout(FULL_INBOX_PAUSE, outbox.recv()).await {
            Ok(Some(text)) => {
                if !deliver(socket, Message::Text(text.into())).await {
                    return false;
                }
            }
            Ok(None) => return false,
            Err(_) => {}
        }
    }
}

/// Sends a message; a client that does not take it in time counts as disconnected.
async fn deliver(socket: &mut WebSocket, message: Message) -> bool {
    let sent = tokio::time::timeout(CLIENT_TIMEOUT, socket.send(message)).await;
    matches!(sent, Ok(Ok(())))
}

/// Wakes the session on changes. If its inbox is full, it polls the store anyway.
async fn wake(mut changes: watch::Receiver<i64>, inputs: SyncSender<SessionInput>) {
    while changes.changed().await.is_ok() {
        if let Err(TrySendError::Disconnected(_)) = inputs.try_send(SessionInput::Wake) {
            return;
        }
    }
}

/// A router that serves JSON-RPC under `/rpc`.
pub fn router(endpoint: RpcEndpoint) -> Router {
    Router::new().route("/rpc", endpoint.router())
}
