//! A webhook receiver on loopback with scripted responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
    pub(crate) at: Instant,
}

pub(crate) struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// The response to one request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    Status(u16, &'static str),
    /// A status with an extra header.
    With(u16, &'static str),
    /// Closes the connection.
    Nothing,
    /// Never responds.
    Silence,
}

impl Receiver {
    /// Responds in this order, then with 200.
    pub(crate) fn start(answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (noted, answers) = (Arc::clone(&received), answers.to_vec());
        std::thread::spawn(move || {
            let mut answers = answers.into_iter();
            let mut silent = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                let answer = answers.next().unwrap_or(Answer::Status(200, "ok"));
                if let Some(kept) = serve(stream, answer, &noted) {
                    silent.push(kept);
                }
            }
        });
        Self { address, received }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.received.lock().expect("unpoisoned").clone()
    }
}

fn serve(stream: TcpStream, answer: Answer, noted: &Mutex<Vec<Received>>) -> Option<TcpStream> {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let length = head
        .iter()
        .find_map(|line| {
            line.to_lowercase()
                .strip_prefix("content-length:")?
                .trim()
                .parse()
                .ok()
        })
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = head.first()?.split(' ').nth(1)?.to_owned();
    noted.lock().expect("unpoisoned").push(Received {
        path,
        headers: head.split_off(1),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        at: Instant::now(),
    });
    let (status, header, text) = match answer {
        Answer::Nothing => return None,
        Answer::Silence => return Some(stream),
        Answer::Status(status, text) => (status, "x-a: b", text),
        Answer::With(status, header) => (status, header, ""),
    };
    let length = text.len();
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status} x\r\n{header}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    );
    None
}
