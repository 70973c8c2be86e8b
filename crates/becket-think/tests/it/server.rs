//! A small HTTP server on loopback whose behaviour a test scripts.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the server does with one connection.
#[derive(Clone)]
pub(crate) enum ScriptedReply {
    /// A complete response: status, extra headers, body.
    Reply(u16, &'static [(&'static str, &'static str)], String),
    /// A response in chunks.
    Chunked(Vec<String>),
    /// Raw bytes.
    Raw(Vec<u8>),
    /// Reads the request and closes the connection.
    HangUp,
    /// Reads the request and sends nothing until the test ends.
    Silence,
    /// Starts a response and sends single bytes slowly until the test ends.
    Drip,
    /// Sends a body until the client stops reading.
    Flood,
}

impl ScriptedReply {
    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self::Reply(200, &[], body.to_string())
    }

    pub(crate) fn ok(body: &str) -> Self {
        Self::Reply(200, &[], body.to_owned())
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Reply(status, &[], String::new())
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The request line and the headers, with names in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    turns: Mutex<Vec<ScriptedReply>>,
    requests: Mutex<Vec<Request>>,
    over: AtomicBool,
    arrived: Condvar,
}

impl Server {
    /// Scripts one turn per connection; the last one repeats.
    pub(crate) fn start(turns: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let addr = listener.local_addr().expect("its address");
        let mut turns: Vec<ScriptedReply> = turns.into_iter().collect();
        turns.reverse();
        let shared = Arc::new(Shared {
            turns: Mutex::new(turns),
            requests: Mutex::default(),
            over: AtomicBool::new(false),
            arrived: Condvar::new(),
        });
        let mine = Arc::clone(&shared);
        let acceptor = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if mine.over.load(Ordering::Acquire) {
                    return;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&mine)) else {
                    continue;
                };
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self {
            addr,
            shared,
            acceptor: Some(acceptor),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits for a request.
    pub(crate) fn await_request(&self) {
        let requests = self.shared.requests.lock().unwrap();
        let long = Duration::from_secs(20);
        let waited = self
            .shared
            .arrived
            .wait_timeout_while(requests, long, |requests| requests.is_empty())
            .unwrap();
        assert!(!waited.1.timed_out(), "no request came");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        let _ = TcpStream::connect(self.addr);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
        let _ = stream.set_write_timeout(Some(Duration::from_secs(20)));
        let Some(request) = read(&mut stream) else {
            return;
        };
        let turn = {
            let mut turns = self.turns.lock().unwrap();
            match turns.len() {
                0 | 1 => turns.last().cloned().unwrap_or(ScriptedReply::HangUp),
                _ => turns.pop().expect("more than one"),
            }
        };
        self.requests.lock().unwrap().push(request);
        self.arrived.notify_all();
        let _ = self.perform(&turn, &mut stream);
    }

    fn perform(&self, turn: &ScriptedReply, stream: &mut TcpStream) -> std::io::Result<()> {
        match turn {
            ScriptedReply::Reply(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
                for (name, value) in *headers {
                    head += &format!("{name}: {value}\r\n");
                }
                head += &format!("Content-Length: {}\r\n\r\n", body.len());
                stream.write_all(head.as_bytes())?;
                stream.write_all(body.as_bytes())
            }
            ScriptedReply::Chunked(chunks) => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
                )?;
                for chunk in chunks {
                    stream.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes())?;
                    stream.flush()?;
                }
                stream.write_all(b"0\r\n\r\n")
            }
            ScriptedReply::Raw(bytes) => stream.write_all(bytes),
            ScriptedReply::HangUp => Ok(()),
            ScriptedReply::Silence => {
                self.until_over(|| Ok(()));
                Ok(())
            }
            ScriptedReply::Drip => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n",
                )?;
                self.until_over(|| stream.write_all(b" "));
                Ok(())
            }
            ScriptedReply::Flood => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"reason\": \"")?;
                let block = vec![b'x'; 64 * 1024];
                while !self.over.load(Ordering::Acquire) {
                    stream.write_all(&block)?;
                }
                Ok(())
            }
        }
    }

    fn until_over(&self, mut each: impl FnMut() -> std::io::Result<()>) {
        while !self.over.load(Ordering::Acquire) && each().is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut block = [0; 4096];
    loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            while bytes.len() < at + 4 + length.unwrap_or(0) {
                let count = stream.read(&mut block).ok().filter(|count| *count > 0)?;
                bytes.extend_from_slice(&block[..count]);
            }
            let head = head
                .lines()
                .map(|line| match line.split_once(": ") {
                    Some((name, value)) => format!("{}: {value}", name.to_ascii_lowercase()),
                    None => line.to_owned(),
                })
                .collect::<Vec<_>>()
                .join("\n");
            return Some(Request {
                head,
                body: String::from_utf8_lossy(&bytes[at + 4..]).into_owned(),
            });
        }
        let count = stream.read(&mut block).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&block[..count]);
    }
}
