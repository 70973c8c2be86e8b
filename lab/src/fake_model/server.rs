//! The listening side: connections, routing, recording.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{ReadError, Request, Response, read_request};
use super::protocol::{self, Answer, Wants};
use super::record::{Exchange, Kind, Recorded};
use super::script::Script;
use crate::scenario::Scenario;
use crate::tools::{ToolError, ToolTable};

/// More than any client opens; a client in a loop gets 503 instead of all the memory.
const MAX_CONNECTIONS: usize = 64;
const MAX_REQUESTS: usize = 1000;

/// For the rest of a request once its first byte is there, and for each write. Between requests a
/// connection may rest for as long as the server lives, because clients rest while tools run.
const STALLED: Duration = Duration::from_secs(30);

/// For the rest of what a refused client sends. A connection that is closed with input unread is
/// reset, and the client may lose the refusal that was on its way.
const LINGER: Duration = Duration::from_secs(1);
const MAX_LINGER: u64 = 1 << 20;

/// Headers whose values stay out of the record.
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
    /// The client cannot be asked for what the scenario holds.
    #[error("the scenario does not fit the client")]
    Scenario(#[from] ToolError),
    /// There is no socket to be had.
    #[error("cannot listen on loopback")]
    Listen(#[from] io::Error),
}

#[derive(Debug)]
struct Shared {
    script: Script,
    model: String,
    recorded: Mutex<Vec<Recorded>>,
    open: Mutex<HashMap<u64, TcpStream>>,
    stopping: AtomicBool,
}

impl FakeModel {
    /// Plays `scenario` on a free port of 127.0.0.1, in the words of the client that `tools` are of.
    /// `work` is what `${WORK}` stands for.
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything it was asked so far, in order of arrival. A request is in the list before its
    /// answer is sent, so after a client has ended the list is complete.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared.recorded).clone()
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor. If this fails there is no listener and so nothing to wake.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Every connection thread is joined before this returns: a stopped server leaves nothing.
    fn accept(&self, listener: &TcpListener) {
        thread::scope(|scope| {
            for id in 0.. {
                let accepted = listener.accept();
                if self.stopping.load(Ordering::SeqCst) {
                    break;
                }
                let Ok((stream, _)) = accepted else {
                    // Out of descriptors, most likely; another try at once would only spin.
                    thread::sleep(Duration::from_millis(10));
                    continue;
                };
                if self.admit(id, &stream) {
                    scope.spawn(move || {
                        // An error here is a client that went away, which is its right.
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
                    Response::refusal(status, why).write(&mut output, "close")?;
                    return drain(stream, &mut input);
                }
            }
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let mut recorded = lock(&self.recorded);
        if recorded.len() >= MAX_REQUESTS {
            return Response::refusal(503, "too many requests; something is in a loop");
        }
        let number = recorded.len() + 1;
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let (kind, response) = self.handle(request, &body, number);
        recorded.push(Recorded {
            number,
            method: request.method.clone(),
            target: request.target.clone(),
            headers: request.headers.iter().map(without_secret).collect(),
            body,
            kind,
        });
        response
    }

    fn handle(&self, request: &Request, body: &Value, number: usize) -> (Kind, Response) {
        // Only a proxy is sent anything but a path.
        if !request.target.starts_with('/') {
            let refusal = Response::refusal(403, "there is no way out of the lab");
            return (Kind::Stray, refusal);
        }
        match request.method.as_str() {
            "POST" => self.post(request, body, number),
            "GET" => (Kind::Other, self.get(request)),
            "HEAD" | "OPTIONS" => (Kind::Other, Response::empty(200)),
            _ => (Kind::Other, Response::refusal(405, "unknown method")),
        }
    }

    fn get(&self, request: &Request) -> Response {
        let path = request.path();
        if request.header("upgrade").is_some() {
            Response::refusal(404, "no upgrades here")
        } else if path.ends_with("/models") {
            let model = &self.model;
            let entry =
                json!({ "id": model, "type": "model", "object": "model", "display_name": model });
            Response::json(
                200,
                // Codex's own list is under another key, and its entries are many fields long.
                json!({ "object": "list", "data": [entry], "has_more": false, "models": [] }),
            )
        } else if path.contains("/.well-known/") {
            Response::json(404, json!({}))
        } else {
            Response::json(200, json!({}))
        }
    }

    fn post(&self, request: &Request, body: &Value, number: usize) -> (Kind, Response) {
        let Some((protocol, wants)) = protocol::route(request.path()) else {
            return (Kind::Other, Response::json(200, json!({})));
        };
        if !body.is_object() {
            let refusal = Response::refusal(400, "the body is not a JSON object");
            return (Kind::Malformed, refusal);
        }
        if wants == Wants::TokenCount {
            return (Kind::CountTokens, protocol.token_count());
        }
        let heard = protocol.read(request.path(), body);
        let (position, reply) = self.script.play(&heard);
        let response = protocol.answer(&Answer {
            heard: &heard,
            position,
            reply: &reply,
            number,
        });
        let exchange = Exchange {
            protocol: protocol.name(),
            heard,
            position,
            reply,
        };
        (Kind::Model(Box::new(exchange)), response)
    }
}

/// Answers on the acceptor's thread: a thread for each would be what the limit is against.
fn turn_away(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(LINGER))?;
    Response::refusal(503, "too many connections").write(&mut &*stream, "close")?;
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
