//! The Unix socket for processes of the same user: one JSON request per line, one JSON response per line.
//!
//! The directory is private, the socket has mode 0600, and the kernel reports the peer's user id; each check alone
//! would suffice. Requests can be pipelined: records that arrive together are committed together, which is much faster.

use std::future::Future;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use becket_store::{PruneReport, Retention};
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
use crate::recall::{MemoryRequest, MemoryResponse};
use crate::rpc::{PendingPermission, PermissionDecision, PermissionRequest};
use crate::runtime_dir::RuntimeDir;

/// The longest request. The spool has the same limit for a record.
const MAX_REQUEST_BYTES: usize = 17 * 1024 * 1024;
/// Concurrent connections; more wait in the kernel's accept queue.
const MAX_CONNECTIONS: usize = 256;
/// The size of a connection's read buffer.
const READ_BUFFER_BYTES: usize = 128 * 1024;
/// Requests that are handled as one batch. A client that pipelines holds up to [`MAX_BATCHES_IN_FLIGHT`] batches in
/// memory.
const MAX_BATCH: usize = 64;
/// Batches in flight per connection: the next records are read while the last ones are written.
const MAX_BATCHES_IN_FLIGHT: usize = 2;
/// An idle connection is closed after this time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// How often to check whether a client that waits for a permission is still connected.
const DISCONNECT_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// A client's request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum SocketRequest {
    /// The spool has new records.
    Notify {
        /// The client's version.
        #[serde(default)]
        version: String,
    },
    /// Store this record; the response follows the commit. On the wire: `{"do": "record", "record": {…}}`.
    Record {
        /// The record, in the format of the spool.
        #[serde(rename = "record")]
        line: String,
    },
    /// Find the context to inject at this event. The event is in the spool already, so this notifies as well. On the
    /// wire: `{"do": "context", …, "record": {…}}`.
    Context {
        /// The record, in the format of the spool.
        #[serde(rename = "record")]
        line: String,
        /// The client's version and limits.
        #[serde(rename = "asking", default)]
        request: ContextRequest,
    },
    /// Prune a batch of old records. The client repeats the request while there are more, so other writes can run.
    Prune {
        /// What to prune.
        retention: Retention,
    },
    /// Acknowledge an alarm.
    Acknowledge {
        /// The alarm's id; `None` acknowledges all.
        #[serde(default)]
        alarm: Option<String>,
    },
    /// Ask an editor for a permission. The response follows the decision, or immediately if no editor is connected.
    Permission {
        /// The tool call.
        #[serde(rename = "asked")]
        request: PermissionRequest,
        /// How long the client waits.
        wait_ms: u64,
    },
    /// List pending permissions, for an editor that polls.
    #[serde(rename = "waiting")]
    PendingPermissions,
    /// Decide a pending permission.
    Decide {
        /// The permission's id.
        id: String,
        /// The decision.
        decision: PermissionDecision,
    },
    /// A request about memories.
    Memory {
        /// The request.
        #[serde(rename = "ask")]
        request: MemoryRequest,
    },
    /// A request about learning.
    Learning {
        /// The request.
        #[serde(rename = "ask")]
        request: learn::LearningRequest,
    },
    /// Issue a one-time login code for a browser.
    Login,
    /// Report the daemon's status.
    Status,
    /// Stop after finishing pending work.
    Stop,
}

/// The parameters of a request for context.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextRequest {
    /// The client's version.
    pub version: String,
    /// How long the client waits.
    pub wait_ms: u64,
    /// Bytes of context that hooks already added to the same answer.
    #[serde(rename = "taken")]
    pub used_bytes: usize,
}

/// The daemon's response.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SocketResponse {
    /// Whether the request succeeded.
    pub ok: bool,
    /// The daemon's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The error message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was pruned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruned: Option<PruneReport>,
    /// How many alarms were acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<u64>,
    /// An editor's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<PermissionDecision>,
    /// The pending permissions.
    #[serde(rename = "waiting", default, skip_serializing_if = "Option::is_none")]
    pub pending_permissions: Option<Vec<PendingPermission>>,
    /// The response to a request about memories.
    #[serde(rename = "told", default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryResponse>,
    /// The context to inject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The learning status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Box<learn::LearningResponse>>,
    /// A login code for a browser.
    #[serde(rename = "code", default, skip_serializing_if = "Option::is_none")]
    pub login_code: Option<String>,
    /// The daemon's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
}

impl SocketResponse {
    /// A success.
    pub fn ok() -> Self {
        Self {
            ok: true,
            ..Self::default()
        }
    }

    /// A failure.
    pub fn failed(error: impl ToString) -> Self {
        Self {
            error: Some(error.to_string()),
            ..Self::default()
        }
    }
}

/// Responses that are not ready yet.
pub type PendingResponses = Pin<Box<dyn Future<Output = Vec<SocketResponse>> + Send>>;

/// Handles requests.
pub trait RequestHandler: Send + Sync + 'static {
    /// Queues records behind all that were queued before. Gives one response per record, in order, after the commit.
    fn ingest(&self, records: Vec<String>) -> impl Future<Output = PendingResponses> + Send;

    /// Handles a batch of requests of one connection: one response each, in order.
    fn handle(
        &self,
        requests: Vec<SocketRequest>,
    ) -> impl Future<Output = Vec<SocketResponse>> + Send;
}

/// Binds the socket. Only the holder of the daemon's lock may call this; an existing socket file is left over from a
/// daemon that died.
pub fn bind(runtime_dir: &RuntimeDir) -> std::io::Result<UnixListener> {
    let path = runtime_dir.socket();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(runtime_dir.short_socket_path()?)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Accepts connections until `stop` is cancelled, then finishes the running requests.
pub async fn serve<H: RequestHandler>(
    listener: UnixListener,
    handler: Arc<H>,
    stop: CancellationToken,
) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
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
            Ok((stream, _)) if is_same_user(&stream) => {
                let (handler, stop) = (Arc::clone(&handler), stop.clone());
                running.spawn(async move {
                    if let Err(error) = serve_connection(stream, handler, stop).await {
                        tracing::debug!("connection closed: {error}");
                    }
                    drop(permit);
                });
            }
            Ok(_) => tracing::warn!("rejected a socket connection of another user"),
            Err(error) => {
                tracing::warn!("cannot accept a socket connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    running.join_all().await;
}

/// Checks the peer's user id as reported by the kernel.
fn is_same_user(stream: &UnixStream) -> bool {
    has_uid(stream, rustix::process::geteuid().as_raw())
}

fn has_uid(stream: &UnixStream, user: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == user)
}

async fn serve_connection<H: RequestHandler>(
    stream: UnixStream,
    handler: Arc<H>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let (read, write) = stream.into_split();
    let (replies, queued) = mpsc::channel(MAX_BATCHES_IN_FLIGHT);
    let written = write_replies(write, queued);
    tokio::try_join!(read_requests(read, handler, replies, stop), written).map(|_| ())
}

/// The next responses for a client.
struct QueuedReply {
    responses: PendingResponses,
    /// The error for input after the requests that could not be parsed.
    error: Option<String>,
    /// Released after the responses are written.
    _slot: OwnedSemaphorePermit,
}

/// The records, if the batch consists of records only; otherwise the unchanged batch.
fn as_records(requests: Vec<SocketRequest>) -> Result<Vec<String>, Vec<SocketRequest>> {
    let is_record = |request: &SocketRequest| matches!(request, SocketRequest::Record { .. });
    if !requests.iter().all(is_record) {
        return Err(requests);
    }
    let lines = requests.into_iter().filter_map(|request| match request {
        SocketRequest::Record { line } => Some(line),
        _ => None,
    });
    Ok(lines.collect())
}

/// Reads requests until the client is done. While records are being committed the next ones are read; any other
/// request waits for all before it.
async fn read_requests<H: RequestHandler>(
    read: OwnedReadHalf,
    handler: Arc<H>,
    replies: mpsc::Sender<QueuedReply>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let mut lines = BufReader::with_capacity(READ_BUFFER_BYTES, read);
    let slots = Arc::new(Semaphore::new(MAX_BATCHES_IN_FLIGHT));
    let acquire_slot = || Arc::clone(&slots).acquire_owned();
    while let Ok(mut slot) = acquire_slot().await {
        let batch = tokio::select! {
            batch = tokio::time::timeout(IDLE_TIMEOUT, read_batch(&mut lines)) => batch,
            () = stop.cancelled() => break,
        };
        let Ok(batch) = batch else {
            break;
        };
        let RequestBatch {
            requests,
            error,
            is_last,
        } = batch?;
        let responses = match as_records(requests) {
            Ok(records) => handler.ingest(records).await,
            Err(requests) => {
                for _ in 1..MAX_BATCHES_IN_FLIGHT {
                    slot.merge(acquire_slot().await.map_err(std::io::Error::other)?);
                }
                // A client that disconnects withdraws its permission request; all other requests run to the end.
                let is_permission_request =
                    matches!(requests[..], [SocketRequest::Permission { .. }]);
                let responses = tokio::select! {
                    responses = handler.handle(requests) => responses,
                    () = client_gone(lines.get_ref()), if is_permission_request => break,
                };
                Box::pin(std::future::ready(responses))
            }
        };
        let reply = QueuedReply {
            responses,
            error,
            _slot: slot,
        };
        if replies.send(reply).await.is_err() || is_last {
            break;
        }
    }
    Ok(())
}

/// Writes responses in the order of the requests.
async fn write_replies(
    mut write: OwnedWriteHalf,
    mut replies: mpsc::Receiver<QueuedReply>,
) -> std::io::Result<()> {
    while let Some(reply) = replies.recv().await {
        let responses = reply.responses.await;
        let mut text = Vec::with_capacity(64 * responses.len());
        for response in responses
            .into_iter()
            .chain(reply.error.map(SocketResponse::failed))
        {
            serde_json::to_writer(&mut text, &response)?;
            text.push(b'\n');
        }
        // A client that does not read must not keep the daemon from stopping.
        tokio::time::timeout(IDLE_TIMEOUT, write.write_all(&text)).await??;
    }
    Ok(())
}

/// Returns when the client has disconnected. A client that only closed its sending side still reads.
async fn client_gone(read: &OwnedReadHalf) {
    let both = Interest::READABLE | Interest::WRITABLE;
    while read
        .ready(both)
        .await
        .is_ok_and(|ready| !ready.is_write_closed())
    {
        tokio::time::sleep(DISCONNECT_POLL_INTERVAL).await;
    }
}

/// Requests that arrived together on a connection.
#[derive(Default)]
struct RequestBatch {
    requests: Vec<SocketRequest>,
    /// The error for input after them that could not be parsed.
    error: Option<String>,
    /// No further request can follow.
    is_last: bool,
}

/// Parses a request. The record inside stays raw text; the writer parses it.
fn parse_request(line: &[u8]) -> serde_json::Result<SocketRequest> {
    #[derive(Deserialize)]
    struct RequestEnvelope<'l> {
        #[serde(rename = "do")]
        kind: &'l str,
        #[serde(rename = "asking", default)]
        request: ContextRequest,
        #[serde(borrow)]
        record: &'l RawValue,
    }
    let envelope = serde_json::from_slice::<RequestEnvelope<'_>>(line);
    let text = |record: &RawValue| record.get().to_owned();
    match envelope {
        Ok(it) if it.kind == "record" => Ok(SocketRequest::Record {
            line: text(it.record),
        }),
        Ok(it) if it.kind == "context" => Ok(SocketRequest::Context {
            line: text(it.record),
            request: it.request,
        }),
        _ => serde_json::from_slice(line),
    }
}

/// Waits for a request, and adds those that are buffered already.
async fn read_batch(lines: &mut BufReader<OwnedReadHalf>) -> std::io::Result<RequestBatch> {
    let mut batch = RequestBatch::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut *lines).take(MAX_REQUEST_BYTES as u64);
        let more = bounded.read_until(b'\n', &mut line).await?;
        if more == 0 {
            batch.is_last = true;
        } else if !line.ends_with(b"\n") {
            batch.is_last = true;
            batch.error = Some("a request must be one line of at most 17 MiB".to_owned());
        } else {
            match parse_request(&line) {
                Ok(request) => batch.requests.push(request),
                Err(error) => batch.error = Some(format!("invalid request: {error}")),
            }
        }
        let is_full = batch.is_last || batch.error.is_some() || batch.requests.len() >= MAX_BATCH;
        if is_full || !lines.buffer().contains(&b'\n') {
            return Ok(batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn peer_is_identified_by_its_user_id() {
        let (one, _other) = UnixStream::pair().expect("a pair");
        let me = rustix::process::geteuid().as_raw();
        assert!(is_same_user(&one) && has_uid(&one, me));
        assert!(!has_uid(&one, me + 1));
    }
}
