//! A minimal HTTP/1.1 server protocol: requests in, responses out, keep-alive connections.
//!
//! Everything is bounded. Malformed or oversized input gets an error status. There is no compression, no upgrade, and
//! pipelining only as far as in-order responses allow.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Value, json};

/// The maximum length of the request line and of each header line.
const MAX_LINE: u64 = 64 << 10;
const MAX_HEADERS: usize = 200;
/// The maximum body. Conversations with tool definitions take a few hundred kilobytes.
const MAX_BODY: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) target: String,
    /// Names are lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Why a request could not be read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The connection is unusable.
    Io(io::Error),
    /// The client gets this status, and the connection is closed.
    Refused { status: u16, why: &'static str },
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const fn refused(status: u16, why: &'static str) -> ReadError {
    ReadError::Refused { status, why }
}

#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    body: HttpBody,
}

#[derive(Debug)]
enum HttpBody {
    Empty,
    Json(Value),
    Events(Vec<SseEvent>),
}

/// One server-sent event.
#[derive(Debug)]
pub(super) struct SseEvent {
    pub(super) name: Option<&'static str>,
    /// A single line.
    pub(super) data: String,
}

impl HttpRequest {
    /// The target without its query.
    pub(super) fn path(&self) -> &str {
        let end = self.target.find('?').unwrap_or(self.target.len());
        &self.target[..end]
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub(super) fn wants_close(&self) -> bool {
        has_token(self.header("connection"), "close")
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut found = headers.iter().filter(|(given, _)| given == name);
    found.next().map(|(_, value)| value.as_str())
}

fn has_token(value: Option<&str>, token: &str) -> bool {
    let mut tokens = value.unwrap_or_default().split(',');
    tokens.any(|given| given.trim().eq_ignore_ascii_case(token))
}

/// Reads one request; `None` if the client closed the connection between requests.
///
/// `interim` gets the `100 Continue` that some clients wait for before they send a body.
pub(super) fn read_request(
    input: &mut impl BufRead,
    interim: &mut impl Write,
) -> Result<Option<HttpRequest>, ReadError> {
    let Some(first) = read_line(input)? else {
        return Ok(None);
    };
    let (method, target) = request_line(&first)?;
    let headers = read_headers(input)?;
    let framing = framing(&headers)?;
    if framing != Framing::Length(0) && has_token(header(&headers, "expect"), "100-continue") {
        interim.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        interim.flush()?;
    }
    let body = match framing {
        Framing::Length(length) => read_exactly(input, length)?,
        Framing::Chunked => read_chunks(input)?,
    };
    Ok(Some(HttpRequest {
        method,
        target,
        headers,
        body,
    }))
}

fn request_line(line: &str) -> Result<(String, String), ReadError> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        [method, target, "HTTP/1.1"] if !method.is_empty() && !target.is_empty() => {
            Ok((method.to_owned(), target.to_owned()))
        }
        [_, _, version] if version.starts_with("HTTP/") => {
            Err(refused(505, "only HTTP/1.1 is supported"))
        }
        _ => Err(refused(400, "not a request line")),
    }
}

fn read_headers(input: &mut impl BufRead) -> Result<Vec<(String, String)>, ReadError> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(input)?.ok_or(refused(400, "cut off in the headers"))?;
        if line.is_empty() {
            return Ok(headers);
        }
        if headers.len() == MAX_HEADERS {
            return Err(refused(431, "too many headers"));
        }
        let (name, value) = line.split_once(':').ok_or(refused(400, "not a header"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
}

fn framing(headers: &[(String, String)]) -> Result<Framing, ReadError> {
    let length = header(headers, "content-length");
    match (header(headers, "transfer-encoding"), length) {
        (Some(_), Some(_)) => Err(refused(400, "both a length and a transfer encoding")),
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
        (Some(_), None) => Err(refused(501, "unknown transfer encoding")),
        (None, None) => Ok(Framing::Length(0)),
        (None, Some(length)) => match length.parse() {
            Ok(length) if length <= MAX_BODY => Ok(Framing::Length(length)),
            Ok(_) => Err(refused(413, "body too large")),
            Err(_) => Err(refused(400, "not a content length")),
        },
    }
}

fn read_chunks(input: &mut impl BufRead) -> Result<Vec<u8>, ReadError> {
    let mut body = Vec::new();
    loop {
        let line = read_line(input)?.ok_or(refused(400, "cut off before a chunk"))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| refused(400, "not a chunk size"))?;
        if size == 0 {
            // Trailers are read and ignored.
            read_headers(input)?;
            return Ok(body);
        }
        if size > MAX_BODY - body.len() {
            return Err(refused(413, "body too large"));
        }
        body.extend(read_exactly(input, size)?);
        if read_line(input)?.is_none_or(|end| !end.is_empty()) {
            return Err(refused(400, "chunk longer than its size"));
        }
    }
}

/// Reads exactly `length` bytes. A shorter body ends the connection.
fn read_exactly(input: &mut impl BufRead, length: usize) -> Result<Vec<u8>, ReadError> {
    let mut body = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut body)?;
    if read < length {
        return Err(ReadError::Io(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(body)
}

/// One line without its terminator; `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, ReadError> {
    let mut line = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(refused(431, "line cut off or too long"));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| refused(400, "not UTF-8"))
}

impl HttpResponse {
    pub(super) fn json(status: u16, body: Value) -> Self {
        let body = HttpBody::Json(body);
        Self { status, body }
    }

    pub(super) fn empty(status: u16) -> Self {
        let body = HttpBody::Empty;
        Self { status, body }
    }

    pub(super) fn events(events: Vec<SseEvent>) -> Self {
        let body = HttpBody::Events(events);
        Self { status: 200, body }
    }

    /// An error response that the clients of every model API can show.
    pub(super) fn refusal(status: u16, why: &str) -> Self {
        let body = json!({ "type": "error", "error": { "type": "lab", "message": why } });
        Self::json(status, body)
    }

    /// Writes the response. Events are sent one by one, as a model does.
    pub(super) fn write(&self, output: &mut impl Write, connection: &str) -> io::Result<()> {
        write!(output, "HTTP/1.1 {} Lab\r\n", self.status)?;
        write!(output, "connection: {connection}\r\n")?;
        match &self.body {
            HttpBody::Empty => output.write_all(b"content-length: 0\r\n\r\n")?,
            HttpBody::Json(value) => {
                let text = value.to_string();
                let length = text.len();
                output.write_all(b"content-type: application/json\r\n")?;
                write!(output, "content-length: {length}\r\n\r\n{text}")?;
            }
            HttpBody::Events(events) => {
                output.write_all(b"content-type: text/event-stream\r\n")?;
                output.write_all(b"cache-control: no-cache\r\n")?;
                output.write_all(b"transfer-encoding: chunked\r\n\r\n")?;
                for event in events {
                    let text = event.to_string();
                    write!(output, "{:x}\r\n{text}\r\n", text.len())?;
                    output.flush()?;
                }
                output.write_all(b"0\r\n\r\n")?;
            }
        }
        output.flush()
    }
}

impl std::fmt::Display for SseEvent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(name) = self.name {
            writeln!(out, "event: {name}")?;
        }
        write!(out, "data: {}\n\n", self.data)
    }
}
