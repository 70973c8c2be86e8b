//! An HTTP stub on loopback: it gives scripted replies and records the requests.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::PATIENCE;
use crate::poll::wait_for;

/// What the stub does with one connection.
#[derive(Debug, Clone)]
pub enum StubReply {
    /// A complete response: status, extra headers, body.
    Response(u16, &'static [(&'static str, &'static str)], String),
    /// A response in chunks.
    Chunked(Vec<String>),
    /// Bytes that need not be HTTP.
    Raw(Vec<u8>),
    /// Reads the request and closes the connection.
    HangUp,
    /// Reads the request and sends nothing until the stub is dropped.
    Silence,
    /// Starts a response and sends single bytes slowly until the stub is dropped.
    Drip,
    /// Sends a body until the client stops reading.
    Flood,
}

impl StubReply {
    /// Status 200 with this body.
    pub fn ok(body: impl Into<String>) -> Self {
        Self::Response(200, &[], body.into())
    }

    /// Status 200 with a JSON body.
    pub fn json(body: &Value) -> Self {
        Self::ok(body.to_string())
    }

    /// This status without a body.
    pub fn status(status: u16) -> Self {
        Self::Response(status, &[], String::new())
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct StubRequest {
    /// The request line and the headers, with names in lower case.
    pub head: String,
    /// The body.
    pub body: String,
    /// When it was received.
    pub at: Instant,
}

impl StubRequest {
    /// The path with its query.
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The value of a header; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            (key == name).then_some(value)
        })
    }

    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// A server on a port of its own. It stops when it is dropped.
pub struct HttpStub {
    address: SocketAddr,
    state: Arc<StubState>,
    acceptor: Option<JoinHandle<()>>,
}

struct StubState {
    reply: Box<dyn Fn(&StubRequest) -> StubReply + Send + Sync>,
    requests: Mutex<Vec<StubRequest>>,
    is_over: AtomicBool,
}

impl HttpStub {
    /// One reply for each connection; the last one repeats.
    pub fn start(replies: impl IntoIterator<Item = StubReply>) -> Self {
        let mut replies: Vec<StubReply> = replies.into_iter().collect();
        replies.reverse();
        let replies = Mutex::new(replies);
        Self::with(move |_| {
            let mut replies = replies.lock().expect("unpoisoned");
            match replies.len() {
                0 => StubReply::HangUp,
                1 => replies[0].clone(),
                _ => replies.pop().expect("more than one"),
            }
        })
    }

    /// A reply that depends on the request. Connections are served concurrently.
    pub fn with(reply: impl Fn(&StubRequest) -> StubReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(StubState {
            reply: Box::new(reply),
            requests: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.is_over() {
                    return;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self {
            address,
            state,
            acceptor: Some(acceptor),
        }
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path, which starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<StubRequest> {
        self.state.requests.lock().expect("unpoisoned").clone()
    }

    /// Waits for the first request.
    pub fn await_request(&self) {
        wait_for("a request", || !self.requests().is_empty());
    }
}

impl fmt::Debug for HttpStub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpStub").field(&self.address).finish()
    }
}

impl Drop for HttpStub {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Release);
        // Wakes the acceptor.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl StubState {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let Ok(request) = read_request(&stream) else {
            return;
        };
        let reply = (self.reply)(&request);
        self.requests.lock().expect("unpoisoned").push(request);
        // A client may stop reading at any time.
        let _ = self.send(&reply, &mut stream);
    }

    fn send(&self, reply: &StubReply, stream: &mut TcpStream) -> io::Result<()> {
        match reply {
            StubReply::Response(status, headers, body) => {
                stream.write_all(response(*status, headers, body).as_bytes())
            }
            StubReply::Chunked(chunks) => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
                )?;
                for chunk in chunks {
                    stream.write_all(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes())?;
                    stream.flush()?;
                }
                stream.write_all(b"0\r\n\r\n")
            }
            StubReply::Raw(bytes) => stream.write_all(bytes),
            StubReply::HangUp => Ok(()),
            StubReply::Silence => self.until_over(|| Ok(())),
            StubReply::Drip => {
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n",
                )?;
                self.until_over(|| stream.write_all(b" "))
            }
            StubReply::Flood => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"reason\": \"")?;
                let block = vec![b'x'; 64 * 1024];
                while !self.is_over() {
                    stream.write_all(&block)?;
                }
                Ok(())
            }
        }
    }

    fn until_over(&self, mut each: impl FnMut() -> io::Result<()>) -> io::Result<()> {
        while !self.is_over() {
            each()?;
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

fn response(status: u16, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + &format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn read_request(stream: &TcpStream) -> io::Result<StubRequest> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) => {
                let name = name.to_ascii_lowercase();
                if name == "content-length" {
                    length = value.parse().map_err(io::Error::other)?;
                }
                head += &format!("{name}: {value}\n");
            }
            None => head += &format!("{line}\n"),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(StubRequest {
        head,
        body: String::from_utf8_lossy(&body).into_owned(),
        at: Instant::now(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(stub: &HttpStub, request: &str) -> String {
        let mut stream = TcpStream::connect(stub.address()).expect("connected");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut reply = String::new();
        let _ = stream.read_to_string(&mut reply);
        reply
    }

    #[test]
    fn replies_come_in_order_and_requests_are_recorded() {
        let stub = HttpStub::start([StubReply::HangUp, StubReply::ok("yes")]);
        let request = "POST /a?b=1 HTTP/1.1\r\nX-Token: t\r\nContent-Length: 8\r\n\r\n{\"a\": 1}";
        assert_eq!(send(&stub, request), "");
        for _ in 0..2 {
            let reply = send(&stub, request);
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("\r\n\r\nyes"));
        }
        stub.await_request();
        let requests = stub.requests();
        assert_eq!((requests.len(), requests[0].path()), (3, "/a?b=1"));
        assert_eq!(requests[0].header("x-token"), Some("t"));
        assert_eq!(requests[0].json()["a"], 1);
    }
}
