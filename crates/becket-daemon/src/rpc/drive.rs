//! Running a session over channels, on a thread of its own: whatever carries the messages puts them
//! in, and takes answers out.
//!
//! Nothing piles up. Events stay in the store until the client has taken those before them, and a client that
//! does not read is waited for.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

use super::frame::FrameError;
use super::session::Session;

/// What happens to a session.
#[derive(Debug)]
pub enum Input {
    /// The client said something.
    Message(Result<String, FrameError>),
    /// There may be something to tell the client.
    Wake,
}

/// Messages that may wait to be answered.
const WAITING: usize = 64;

/// Where a session's inputs come in. It ends when every sender is gone.
pub fn inbox() -> (SyncSender<Input>, Receiver<Input>) {
    sync_channel(WAITING)
}

/// Runs a session until its inbox is closed and all is told, or until `send` fails. `look` is how often the stream is looked at
/// without being woken, while there is a subscription.
pub fn drive<E>(
    mut session: Session,
    inbox: &Receiver<Input>,
    look: Duration,
    mut send: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut busy = false;
    loop {
        let input = if busy {
            inbox.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            })
        } else if session.is_listening() {
            inbox.recv_timeout(look)
        } else {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match input {
            Ok(Input::Message(message)) => {
                if let Some(answer) = session.receive(&message) {
                    send(&answer)?;
                }
            }
            Ok(Input::Wake) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return finish(session, send),
        }
        let due = session.due();
        busy = due.more;
        for message in &due.messages {
            send(message)?;
        }
    }
}

/// What is due by now is told even to a client that has nothing more to say.
fn finish<E>(mut session: Session, mut send: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    loop {
        let due = session.due();
        for message in &due.messages {
            send(message)?;
        }
        if !due.more {
            return Ok(());
        }
    }
}
