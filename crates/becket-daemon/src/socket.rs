//! The Unix socket: processes of this user, one JSON request a line, one JSON answer a line.
//!
//! The directory keeps others out, the socket's mode does, and the kernel says who called; each alone
//! would do. A connection may carry many requests, and need not wait for one answer before it asks again:
//! what came together is kept together, which is quicker by far.

use std::future::Future;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use becket_store::{Pruned, Retention};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Interest};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::learn;
use crate::place::Place;
use crate::recall::{Ask, Told};
use crate::rpc::{Asked, Decided, Waiting};

/// The longest request. A record is bounded by the spool at the same size.
const LONGEST: usize = 17 * 1024 * 1024;
/// Connections at a time; more wait in the kernel's queue.
const MOST_CONNECTIONS: usize = 256;
/// What is read from a connection at once.
const READ_AT_ONCE: usize = 128 * 1024;
/// Requests that are answered together. [`AT_ONCE`] times as many are held in memory for a connection that does not wait
/// for answers.
const MOST_TOGETHER: usize = 64;
/// How often that is under way at once for a connection: records are read while those before them are written.
const AT_ONCE: usize = 2;
/// A connection that says nothing for this long is closed.
const SILENCE: Duration = Duration::from_secs(30);
/// How often a client that waits for a person is looked for.
const LOOK: Duration = Duration::from_millis(250);

/// What a client may ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    /// There is something in the spool.
    Ring {
        /// The client's version.
        #[serde(default)]
        version: String,
    },
    /// Keep this record; the answer comes when it is on disk. Written `{"do": "record", "record": {…}}`.
    Record {
        /// As the spool holds it.
        #[serde(rename = "record")]
        line: String,
    },
    /// What is the agent to be told at this event? The event is in the spool already, so this rings as well. Written
    /// `{"do": "context", …, "record": {…}}`.
    Context {
        /// As the spool holds it.
        #[serde(rename = "record")]
        line: String,
        /// Who asks.
        #[serde(default)]
        asking: Asking,
    },
    /// Forget some of what is old. Asked again while there is more, so that nobody waits for long.
    Prune {
        /// What is old.
        retention: Retention,
    },
    /// A person has seen an alarm.
    Acknowledge {
        /// Which; all of them, if it is not said.
        #[serde(default)]
        alarm: Option<String>,
    },
    /// May this be done? Answered when somebody at an editor has said so, at once where there is nobody.
    Permission {
        /// What.
        asked: Asked,
        /// For how long the caller waits.
        wait_ms: u64,
    },
    /// Which permissions are waited for? Asked now and then by an editor that is not connected.
    Waiting,
    /// A permission is given, or not.
    Decide {
        /// Which.
        id: String,
        /// What was said.
        decision: Decided,
    },
    /// Something about what is remembered.
    Memory {
        /// What.
        ask: Ask,
    },
    /// Something about learning.
    Learning {
        /// What.
        ask: learn::Ask,
    },
    /// A code that lets a browser in, once.
    Login,
    /// How are you?
    Status,
    /// Finish what you have and go, for a newer one.
    Stop,
}

/// Who asks what an agent is to be told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Asking {
    /// The client's version.
    pub version: String,
    /// For how long the caller waits.
    pub wait_ms: u64,
    /// How many bytes the agent is told by others at the same time.
    pub taken: usize,
}

/// What the daemon says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Whether it was done.
    pub ok: bool,
    /// The daemon's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Pruned>,
    /// How many alarms were noted as seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<u64>,
    /// What somebody at an editor said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
    /// What is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<Waiting>>,
    /// What was asked about what is remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Told>,
    /// What an agent is to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How learning is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Box<learn::Told>>,
    /// A code for a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The state of things.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
}

impl Answer {
    /// Done.
    pub fn done() -> Self {
        Self {
            ok: true,
            ..Self::default()
        }
    }

    /// Not done.
    pub fn failed(error: impl ToString) -> Self {
        Self {
            error: Some(error.to_string()),
            ..Self::default()
        }
    }
}

/// Answers that are on their way.
pub type Coming = Pin<Box<dyn Future<Output = Vec<Answer>> + Send>>;

/// Whoever answers.
pub trait Handler: Send + Sync + 'static {
    /// Takes records, which stand behind all that were taken before: one answer each, in the same order, when they
    /// are kept.
    fn take(&self, records: Vec<String>) -> impl Future<Output = Coming> + Send;

    /// Answers requests that came together on one connection: one answer each, in the same order.
    fn answer(&self, requests: Vec<Request>) -> impl Future<Output = Vec<Answer>> + Send;
}

/// Binds the socket. Only the holder of the daemon's lock may call this: what is in the way is
/// then left over from a daemon that died.
pub fn bind(place: &Place) -> std::io::Result<UnixListener> {
    let path = place.socket();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(place.door()?)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Answers until `stop` is cancelled, then lets running requests finish.
pub async fn serve<H: Handler>(listener: UnixListener, handler: Arc<H>, stop: CancellationToken) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut running = JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            break;
        };
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        while running.try_join_next().is_some() {}
        match stream {
            Ok((stream, _)) if is_mine(&stream) => {
                let (handler, stop) = (Arc::clone(&handler), stop.clone());
                running.spawn(async move {
                    if let Err(error) = converse(stream, handler, stop).await {
                        tracing::debug!("a connection ended: {error}");
                    }
                    drop(permit);
                });
            }
            Ok(_) => tracing::warn!("another user knocked at the socket and was not let in"),
            Err(error) => {
                tracing::warn!("the socket cannot accept: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    running.join_all().await;
}

/// The kernel says who is at the other end.
fn is_mine(stream: &UnixStream) -> bool {
    is_of(stream, rustix::process::geteuid().as_raw())
}

fn is_of(stream: &UnixStream, user: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == user)
}

async fn converse<H: Handler>(
    stream: UnixStream,
    handler: Arc<H>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let (read, write) = stream.into_split();
    let (replies, given) = mpsc::channel(AT_ONCE);
    let said = speak(write, given);
    tokio::try_join!(listen(read, handler, replies, stop), said).map(|_| ())
}

/// What a client is told next.
struct Reply {
    answers: Coming,
    /// Why what came after the requests is none.
    wrong: Option<String>,
    /// Given back when it was told.
    _turn: OwnedSemaphorePermit,
}

/// The records, if they are all that was asked to be kept.
fn only_records(requests: Vec<Request>) -> Result<Vec<String>, Vec<Request>> {
    let is_record = |request: &Request| matches!(request, Request::Record { .. });
    if !requests.iter().all(is_record) {
        return Err(requests);
    }
    let lines = requests.into_iter().filter_map(|request| match request {
        Request::Record { line } => Some(line),
        _ => None,
    });
    Ok(lines.collect())
}

/// Hears requests until there are no more. While some records are being kept, the next ones are read; everything else waits
/// its turn.
async fn listen<H: Handler>(
    read: OwnedReadHalf,
    handler: Arc<H>,
    replies: mpsc::Sender<Reply>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let mut lines = BufReader::with_capacity(READ_AT_ONCE, read);
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let turn = || Arc::clone(&turns).acquire_owned();
    while let Ok(mut turn_taken) = turn().await {
        let asked = tokio::select! {
            asked = tokio::time::timeout(SILENCE, read_together(&mut lines)) => asked,
            () = stop.cancelled() => break,
        };
        let Ok(asked) = asked else {
            break;
        };
        let Together {
            requests,
            wrong,
            last,
        } = asked?;
        let answers = match only_records(requests) {
            Ok(records) => handler.take(records).await,
            Err(requests) => {
                for _ in 1..AT_ONCE {
                    turn_taken.merge(turn().await.map_err(std::io::Error::other)?);
                }
                // Who asks for a permission and is gone waits for it no longer; everything else is done all the same.
                let is_waiting = matches!(requests[..], [Request::Permission { .. }]);
                let answers = tokio::select! {
                    answers = handler.answer(requests) => answers,
                    () = hung_up(lines.get_ref()), if is_waiting => break,
                };
                Box::pin(std::future::ready(answers))
            }
        };
        let reply = Reply {
            answers,
            wrong,
            _turn: turn_taken,
        };
        if replies.send(reply).await.is_err() || last {
            break;
        }
    }
    Ok(())
}

/// Tells a client what there is to tell, in the order in which it asked.
async fn speak(
    mut write: OwnedWriteHalf,
    mut replies: mpsc::Receiver<Reply>,
) -> std::io::Result<()> {
    while let Some(reply) = replies.recv().await {
        let answers = reply.answers.await;
        let mut text = Vec::with_capacity(64 * answers.len());
        for answer in answers.into_iter().chain(reply.wrong.map(Answer::failed)) {
            serde_json::to_writer(&mut text, &answer)?;
            text.push(b'\n');
        }
        // One that does not read may not keep the daemon from ending.
        tokio::time::timeout(SILENCE, write.write_all(&text)).await??;
    }
    Ok(())
}

/// Ends when the client is gone. One that has only said that it will say no more still listens.
async fn hung_up(read: &OwnedReadHalf) {
    let both = Interest::READABLE | Interest::WRITABLE;
    while read
        .ready(both)
        .await
        .is_ok_and(|ready| !ready.is_write_closed())
    {
        tokio::time::sleep(LOOK).await;
    }
}

/// What came together on a connection.
#[derive(Default)]
struct Together {
    requests: Vec<Request>,
    /// Why what came after them is no request.
    wrong: Option<String>,
    /// Whether nothing sensible can follow.
    last: bool,
}

/// A record is not looked into here: that is for whoever keeps it.
fn read_request(line: &[u8]) -> serde_json::Result<Request> {
    #[derive(Deserialize)]
    struct Outside<'l> {
        #[serde(rename = "do")]
        what: &'l str,
        #[serde(default)]
        asking: Asking,
        #[serde(borrow)]
        record: &'l RawValue,
    }
    let outside = serde_json::from_slice::<Outside<'_>>(line);
    let text = |record: &RawValue| record.get().to_owned();
    match outside {
        Ok(it) if it.what == "record" => Ok(Request::Record {
            line: text(it.record),
        }),
        Ok(it) if it.what == "context" => Ok(Request::Context {
            line: text(it.record),
            asking: it.asking,
        }),
        _ => serde_json::from_slice(line),
    }
}

/// Waits for a request, and takes those along that are there already.
async fn read_together(lines: &mut BufReader<OwnedReadHalf>) -> std::io::Result<Together> {
    let mut asked = Together::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut *lines).take(LONGEST as u64);
        let more = bounded.read_until(b'\n', &mut line).await?;
        if more == 0 {
            asked.last = true;
        } else if !line.ends_with(b"\n") {
            asked.last = true;
            asked.wrong = Some("a request is one line of at most 17 MiB".to_owned());
        } else {
            match read_request(&line) {
                Ok(request) => asked.requests.push(request),
                Err(error) => asked.wrong = Some(format!("not a request: {error}")),
            }
        }
        let is_enough =
            asked.last || asked.wrong.is_some() || asked.requests.len() >= MOST_TOGETHER;
        if is_enough || !lines.buffer().contains(&b'\n') {
            return Ok(asked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_calls_is_known_by_the_kernels_word() {
        let (one, _other) = UnixStream::pair().expect("a pair");
        let me = rustix::process::geteuid().as_raw();
        assert!(is_mine(&one) && is_of(&one, me));
        assert!(!is_of(&one, me + 1));
    }
}
