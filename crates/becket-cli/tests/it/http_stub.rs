//! An HTTP stub on loopback: it gives scripted replies and records requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// How a request is answered.
#[derive(Clone)]
pub(crate) enum StubReply {
    /// Status 200 and this body.
    Json(Value),
    /// This status without a body.
    Status(u16),
    /// No response until the test ends.
    Silence,
}

#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// The request line and the headers, names in lower case.
    head: Vec<String>,
    pub(crate) body: Value,
}

impl ReceivedRequest {
    pub(crate) fn path(&self) -> &str {
        self.head[0].split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.iter();
        lines.find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }
}

/// It lives as long as the test process.
pub(crate) struct HttpStub {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl HttpStub {
    /// Gives every request the same reply.
    pub(crate) fn start(reply: StubReply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&requests);
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                silent.extend(serve(stream, &reply, &noted));
            }
        });
        Self { address, requests }
    }

    /// Returns this decision for every call.
    pub(crate) fn with_decision(decision: &str, reason: &str) -> Self {
        Self::start(StubReply::Json(
            json!({ "decision": decision, "reason": reason }),
        ))
    }

    /// A model that supports both protocols and always answers with this text.
    pub(crate) fn with_model(text: &str) -> Self {
        Self::start(StubReply::Json(json!({
            "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
            "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": text }],
            "usage": { "prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7 },
        })))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().expect("unpoisoned").clone()
    }
}

fn serve(
    stream: TcpStream,
    reply: &StubReply,
    noted: &Mutex<Vec<ReceivedRequest>>,
) -> Option<TcpStream> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        head.push(match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}", name.to_ascii_lowercase()),
            None => line.to_owned(),
        });
    }
    let mut lines = head.iter();
    let length = lines.find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let request = ReceivedRequest { head, body };
    noted.lock().expect("unpoisoned").push(request);
    let (status, text) = match reply {
        StubReply::Silence => return Some(stream),
        StubReply::Status(status) => (*status, String::new()),
        StubReply::Json(value) => (200, value.to_string()),
    };
    let length = text.len();
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    );
    None
}
