//! A session as lines of JSON, to be kept or given away.

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use becket_store::Reader;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tokio_stream::wrappers::ReceiverStream;

use super::query::Nothing;
use super::route::{Failed, Id, Route, Shared, known, parameters, read};

/// Pieces that wait for a slow reader; then the database is not read further.
const AHEAD: usize = 4;
/// What is sent at once.
const PIECE: usize = 64 * 1024;

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
struct ExportLine {
    /// `becket_export` in the first line, then `event`
    #[serde(rename = "type")]
    kind: String,
    /// The version of the format, in the first line
    version: Option<u64>,
    /// What the client recorded
    record: Option<Value>,
    /// The same where it is no JSON of ours
    line: Option<String>,
}

pub(super) fn route() -> Route {
    Route {
        media: "application/x-ndjson",
        ..read::<Nothing, ExportLine, _, _>(
            "/sessions/{id}/export",
            "The records of a session as lines of JSON, as `becket import` takes them",
            export,
        )
    }
}

async fn export(State(daemon): Shared, id: Id, uri: Uri) -> Result<Response, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    let session = id.clone();
    let found = daemon.keeper.ask(move |reader| reader.session(&session));
    if found.await?.is_none() {
        return Err(Failed::missing(&id));
    }
    let (sender, receiver) = tokio::sync::mpsc::channel(AHEAD);
    let database = daemon.keeper.database();
    let name = file_name(&id);
    tokio::task::spawn_blocking(move || {
        let mut pieces = Pieces::new(sender);
        let written = Reader::open(database)
            .and_then(|reader| reader.export_session(&id, &mut pieces).map(drop));
        if let Err(error) = written {
            // The reader sees an answer that breaks off, and not one that looks whole.
            pieces.fail(&error);
        }
    });
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    let body = Body::from_stream(ReceiverStream::new(receiver));
    Ok((headers, body).into_response())
}

/// An id is anybody's text: what is left of it is a plain name.
fn file_name(id: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = id.chars().filter(plain).take(64).collect();
    format!("becket-{name}.jsonl")
}

/// Hands over what is written, piece by piece.
struct Pieces {
    sender: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Pieces {
    fn new(sender: Sender<io::Result<Bytes>>) -> Self {
        Self {
            sender,
            piece: Vec::with_capacity(PIECE),
        }
    }

    fn fail(&self, error: &becket_store::Error) {
        let _ = self
            .sender
            .blocking_send(Err(io::Error::other(error.to_string())));
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        let sent = self.sender.blocking_send(Ok(piece.into()));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn an_id_is_no_path_and_no_header() {
        for (id, expected) in [
            ("0a-1b", "becket-0a-1b.jsonl"),
            ("../../etc/passwd", "becket-etcpasswd.jsonl"),
            ("a\"\r\nx: y", "becket-axy.jsonl"),
        ] {
            assert_eq!(file_name(id), expected);
        }
    }
}
