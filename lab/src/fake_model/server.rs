//! The server: connections, routing, recording.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use becket_base::sync::MutexExt;
use serde_json::{Value, json};

use super::http::{HttpRequest, HttpResponse, ReadError, read_request};
use super::protocol::{self, ReplyContext, RequestedResult};
use super::record::{ModelExchange, RecordedRequest, RequestKind};
use super::script::Script;
use crate::scenario::Scenario;
use crate::tools::{ToolError, ToolTable};

/// More than any client opens. A client in a loop gets 503 instead of exhausting memory.
const MAX_CONNECTIONS: usize = 64;
const MAX_REQUESTS: usize = 1000;

/// Timeout for the rest of a request after its first byte, and for each write. Between requests a connection may stay
/// idle, because clients wait while tools run.
const STALLED: Duration = Duration::from_secs(30);

/// Timeout for reading the rest of a rejected request. Closing a connection with unread input resets it, and the client
/// may lose the error response.
const LINGER: Duration = Duration::from_secs(1);
const MAX_LINGER: u64 = 1 << 20;

/// Headers whose values are not recorded.
const SECRET: &[&str] = &[
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-api-key",
    "x-goog-api-key",
];

/// A running fake model; it stops when dropped.
#[derive(Debug)]
pub struct FakeModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The client's tools cannot express the scenario.
    #[error("the scenario does not fit the client")]
    Scenario(#[from] ToolError),
    /// No socket is available.
    #[error("cannot listen on loopback")]
    Listen(#[from] io::Error),
}

#[derive(Debug)]
struct Shared {
    script: Script,
    model: String,
    recorded: Mutex<Vec<RecordedRequest>>,
    open: Mutex<HashMap<u64, TcpStream>>,
    stopping: AtomicBool,
}

impl FakeModel {
    /// Plays `scenario` on a free port of 127.0.0.1, with the client's tools. `work` replaces `${WORK}`.
    pub fn start(scenario: &Scenario, tools: &ToolTable, work: &Path) -> Result<Self, StartError> {
        let shared = Arc::new(Shared {
            script: Script::new(scenario, tools, work)?,
            model: tools.model.clone(),
            recorded: Mutex::default(),
            open: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let for_acceptor = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("fake-model".to_owned())
            .spawn(move || for_acceptor.accept(&listener))?;
        Ok(Self {
            address,
            shared,
            acceptor: Some(acceptor),
        })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in order of arrival. A request is recorded before it is answered, so the list is complete once
    /// the client has ended.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.shared.recorded).clone()
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accept loop. A failure means that there is no listener.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock_ignoring_poison()
}

impl Shared {
    /// Joins every connection thread before it returns, so that a stopped server leaves nothing behind.
    fn accept(&self, listener: &TcpListener) {
        thread::scope(|scope| {
            for id in 0.. {
                let accepted = listener.accept();
                if self.stopping.load(Ordering::SeqCst) {
                    break;
                }
                let Ok((stream, _)) = accepted else {
                    // Probably out of file descriptors; retrying at once would only spin.
                    thread::sleep(Duration::from_millis(10));
                    continue;
                };
                if self.admit(id, &stream) {
                    scope.spawn(move || {
                        // An error here means that the client closed the connection.
                        let _ = self.converse(&stream);
                        lock(&self.open).remove(&id);
                    });
                }
            }
            for stream in lock(&self.open).values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }

    fn admit(&self, id: u64, stream: &TcpStream) -> bool {
        let mut open = lock(&self.open);
        let full = open.len() >= MAX_CONNECTIONS;
        let limits = stream.set_write_timeout(Some(STALLED));
        let clone = limits
            .and_then(|()| stream.set_nodelay(true))
            .and_then(|()| stream.try_clone());
        match clone {
            Ok(clone) if !full => {
                open.insert(id, clone);
                true
            }
            _ => {
                drop(open);
                let _ = turn_away(stream);
                false
            }
        }
    }

    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        let mut input = BufReader::new(stream);
        let mut output = BufWriter::new(stream);
        loop {
            stream.set_read_timeout(None)?;
            if input.fill_buf()?.is_empty() {
                return Ok(());
            }
            stream.set_read_timeout(Some(STALLED))?;
            match read_request(&mut input, &mut output) {
                Ok(Some(request)) if request.wants_close() => {
                    return self.answer(&request).write(&mut output, "close");
                }
                Ok(Some(request)) => self.answer(&request).write(&mut output, "keep-alive")?,
                Ok(None) => return Ok(()),
                Err(ReadError::Io(error)) => return Err(error),
                Err(ReadError::Refused { status, why }) => {
                    HttpResponse::refusal(status, why).write(&mut output, "close")?;
                    return drain(stream, &mut input);
                }
            }
        }
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let mut recorded = lock(&self.recorded);
        if recorded.len() >= MAX_REQUESTS {
            return HttpResponse::refusal(503, "too many requests; a client is probably in a loop");
        }
        let number = recorded.len() + 1;
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let (kind, response) = self.handle(request, &body, number);
        recorded.push(RecordedRequest {
            number,
            method: request.method.clone(),
            target: request.target.clone(),
            headers: request.headers.iter().map(without_secret).collect(),
            body,
            kind,
        });
        response
    }

    fn handle(
        &self,
        request: &HttpRequest,
        body: &Value,
        number: usize,
    ) -> (RequestKind, HttpResponse) {
        // Only a proxy gets a target that is not a path.
        if !request.target.starts_with('/') {
            let refusal = HttpResponse::refusal(403, "the lab blocks requests to other hosts");
            return (RequestKind::Stray, refusal);
        }
        match request.method.as_str() {
            "POST" => self.post(request, body, number),
            "GET" => (RequestKind::Other, self.get(request)),
            "HEAD" | "OPTIONS" => (RequestKind::Other, HttpResponse::empty(200)),
            _ => (
                RequestKind::Other,
                HttpResponse::refusal(405, "unknown method"),
            ),
        }
    }

    fn get(&self, request: &HttpRequest) -> HttpResponse {
        let path = request.path();
        if request.header("upgrade").is_some() {
            HttpResponse::refusal(404, "upgrades are not supported")
        } else if path.ends_with("/models") {
            let model = &self.model;
            let entry =
                json!({ "id": model, "type": "model", "object": "model", "display_name": model });
            HttpResponse::json(
                200,
                // Codex reads its own list under another key, with entries of many fields.
                json!({ "object": "list", "data": [entry], "has_more": false, "models": [] }),
            )
        } else if path.contains("/.well-known/") {
            HttpResponse::json(404, json!({}))
        } else {
            HttpResponse::json(200, json!({}))
        }
    }

    fn post(
        &self,
        request: &HttpRequest,
        body: &Value,
        number: usize,
    ) -> (RequestKind, HttpResponse) {
        let Some((protocol, wants)) = protocol::route(request.path()) else {
            return (RequestKind::Other, HttpResponse::json(200, json!({})));
        };
        if !body.is_object() {
            let refusal = HttpResponse::refusal(400, "the body is not a JSON object");
            return (RequestKind::Malformed, refusal);
        }
        if wants == RequestedResult::TokenCount {
            return (RequestKind::CountTokens, protocol.token_count());
        }
        let conversation = protocol.read(request.path(), body);
        let (position, reply) = self.script.play(&conversation);
        let response = protocol.render(&ReplyContext {
            conversation: &conversation,
            position,
            reply: &reply,
            number,
        });
        let exchange = ModelExchange {
            protocol: protocol.name(),
            conversation,
            position,
            reply,
        };
        (RequestKind::Model(Box::new(exchange)), response)
    }
}

/// Answers on the accept thread: one thread per rejected connection would defeat the limit.
fn turn_away(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(LINGER))?;
    HttpResponse::refusal(503, "too many connections").write(&mut &*stream, "close")?;
    drain(stream, &mut &*stream)
}

fn drain(stream: &TcpStream, input: &mut impl Read) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(LINGER))?;
    io::copy(&mut input.take(MAX_LINGER), &mut io::sink())?;
    Ok(())
}

fn without_secret((name, value): &(String, String)) -> (String, String) {
    let shown = if SECRET.contains(&name.as_str()) {
        "<set>"
    } else {
        value
    };
    (name.clone(), shown.to_owned())
}
