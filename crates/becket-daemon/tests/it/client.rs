//! A small HTTP client that can also misbehave.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use becket_testkit::PATIENCE;
use serde_json::Value;

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON: {}", self.body))
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the daemon listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// The head of a request, with the empty line.
pub(crate) fn head(method: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head + "\r\n"
}

/// One request on its own connection.
pub(crate) fn send(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Response {
    let length = body.len().to_string();
    let mut all = headers.to_vec();
    all.extend([("connection", "close"), ("content-length", length.as_str())]);
    let mut stream = connect(port);
    stream
        .write_all(head(method, path, &all).as_bytes())
        .expect("sent");
    stream.write_all(body).expect("sent");
    receive(stream)
}

/// Reads the response to the end of the connection.
pub(crate) fn receive(stream: TcpStream) -> Response {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("an answer");
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("the body");
    Response {
        status: status.unwrap_or_else(|| panic!("a status: {line}")),
        headers,
        body: String::from_utf8(body).expect("text"),
    }
}
