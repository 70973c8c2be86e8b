//! A session over a WebSocket: one message of theirs is one of ours.
//!
//! Who may connect is settled before, by [`crate::http::gate`].

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use axum::routing::any;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::drive::{Input, drive, inbox};
use super::frame::{FrameError, LONGEST_MESSAGE};
use super::session::{Services, Session};

/// Clients at a time; each has a thread.
const MOST_CLIENTS: usize = 64;
/// Messages on their way to a client.
const ON_THE_WAY: usize = 64;
/// How often the stream is looked at without being told of a change.
const LOOK: Duration = Duration::from_secs(1);
/// How often a client is asked whether it is still there.
const PING: Duration = Duration::from_secs(30);
/// How long a client may take for a message.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a full inbox is left alone before it is tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// What connections need.
#[derive(Clone)]
pub struct Endpoint {
    /// Makes what a session asks, for each client anew.
    pub services: Arc<dyn Fn() -> Services + Send + Sync>,
    /// Change their value when there may be something to tell: the store's, that of
    /// [`Pending::changes`](super::Pending::changes).
    pub changes: Vec<watch::Receiver<i64>>,
    /// Ends all connections.
    pub stop: CancellationToken,
    permits: Arc<Semaphore>,
    connected: Arc<dyn Fn() + Send + Sync>,
}

impl Endpoint {
    /// An endpoint without clients.
    pub fn new(
        services: Arc<dyn Fn() -> Services + Send + Sync>,
        changes: Vec<watch::Receiver<i64>>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            services,
            changes,
            stop,
            permits: Arc::new(Semaphore::new(MOST_CLIENTS)),
            connected: Arc::new(|| ()),
        }
    }

    /// Calls this now and then for as long as there is a client.
    #[must_use]
    pub fn while_connected(mut self, connected: Arc<dyn Fn() + Send + Sync>) -> Self {
        self.connected = connected;
        self
    }

    /// The route, to be mounted under a path.
    pub fn router<S: Clone + Send + Sync + 'static>(self) -> axum::routing::MethodRouter<S> {
        any(move |upgrade: WebSocketUpgrade| {
            let answer = self.clone().answer(upgrade);
            async move { answer }
        })
    }

    fn answer(self, upgrade: WebSocketUpgrade) -> Response {
        upgrade
            .max_message_size(LONGEST_MESSAGE)
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
        let (out, mut outbox) = mpsc::channel::<String>(ON_THE_WAY);
        let services = Arc::clone(&self.services);
        let running = tokio::task::spawn_blocking(move || {
            let session = Session::new(services());
            let send = |text: &str| out.blocking_send(text.to_owned());
            // It ends when either side is gone; there is nobody left to tell.
            let _ = drive(session, &session_inbox, LOOK, send);
        });
        let wakers: Vec<_> = self
            .changes
            .iter()
            .map(|changes| tokio::spawn(wake(changes.clone(), inputs.clone())))
            .collect();
        self.carry(&mut socket, inputs, &mut outbox).await;
        drop(outbox);
        for waker in wakers {
            waker.abort();
        }
        let _ = running.await;
    }

    /// Carries messages until the client or the daemon is done.
    async fn carry(
        &self,
        socket: &mut WebSocket,
        inputs: SyncSender<Input>,
        outbox: &mut mpsc::Receiver<String>,
    ) {
        let mut ping = tokio::time::interval(PING);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => {
                    let close = CloseFrame { code: close_code::AWAY, reason: "the daemon stops".into() };
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
                    (self.connected)();
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
                        // Asked for more, the socket first answers the good-bye.
                        Some(Ok(Message::Close(_))) => {
                            let _ = tokio::time::timeout(PATIENCE, socket.recv()).await;
                            return;
                        }
                        Some(Err(_)) | None => return,
                    };
                    if !put(&inputs, Input::Message(message), outbox, socket).await {
                        return;
                    }
                }
            }
        }
    }
}

/// Puts a message into the session's inbox; while that is full, what the session says is still carried.
async fn put(
    inputs: &SyncSender<Input>,
    mut input: Input,
    outbox: &mut mpsc::Receiver<String>,
    socket: &mut WebSocket,
) -> bool {
    loop {
        match inputs.try_send(input) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(back)) => input = back,
        }
        match tokio::time::timeout(PAUSE, outbox.recv()).await {
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

/// A client that does not take a message in time is gone.
async fn deliver(socket: &mut WebSocket, message: Message) -> bool {
    let sent = tokio::time::timeout(PATIENCE, socket.send(message)).await;
    matches!(sent, Ok(Ok(())))
}

/// A session with a full inbox looks at the stream anyhow.
async fn wake(mut changes: watch::Receiver<i64>, inputs: SyncSender<Input>) {
    while changes.changed().await.is_ok() {
        if let Err(TrySendError::Disconnected(_)) = inputs.try_send(Input::Wake) {
            return;
        }
    }
}

/// A router that serves sessions under `/rpc`.
pub fn router(endpoint: Endpoint) -> Router {
    Router::new().route("/rpc", endpoint.router())
}
