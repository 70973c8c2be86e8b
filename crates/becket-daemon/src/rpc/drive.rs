//! Runs a session on its own thread, over channels that a transport connects to.
//!
//! Nothing queues up without bound: events stay in the store until the client has read those before them, and sending
//! blocks while the client does not read (backpressure).

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use super::frame::FrameError;
use super::session::RpcSession;

/// An input of a session.
#[derive(Debug)]
pub enum SessionInput {
    /// A message from the client.
    Message(Result<String, FrameError>),
    /// There may be new events.
    Wake,
}

/// Messages that wait to be handled.
const INBOX_CAPACITY: usize = 64;

/// Creates a session's inbox. It closes when all senders are dropped.
pub fn inbox() -> (SyncSender<SessionInput>, Receiver<SessionInput>) {
    sync_channel(INBOX_CAPACITY)
}

/// Runs a session until its inbox is closed and all messages are sent, or until `send` fails. While there is a
/// subscription, the store is polled every `poll_interval`.
pub fn drive<E>(
    mut session: RpcSession,
    inbox: &Receiver<SessionInput>,
    poll_interval: Duration,
    mut send: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut has_more = false;
    loop {
        let input = if has_more {
            inbox.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            })
        } else if session.has_subscriptions() {
            inbox.recv_timeout(poll_interval)
        } else {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match input {
            Ok(SessionInput::Message(message)) => {
                if let Some(answer) = session.receive(&message) {
                    send(&answer)?;
                }
            }
            Ok(SessionInput::Wake) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return finish(session, send),
        }
        let outgoing = session.outgoing();
        has_more = outgoing.more;
        for message in &outgoing.messages {
            send(message)?;
        }
    }
}

/// Sends all remaining messages after the inbox is closed.
fn finish<E>(
    mut session: RpcSession,
    mut send: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let outgoing = session.outgoing();
        for message in &outgoing.messages {
            send(message)?;
        }
        if !outgoing.more {
            return Ok(());
        }
    }
}
