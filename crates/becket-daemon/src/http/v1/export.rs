//! Exports a session as JSON lines.

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use becket_store::StoreReader;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tokio_stream::wrappers::ReceiverStream;

use super::query::NoParams;
use super::route::{ApiError, DaemonState, PathId, Route, get_with, parse_id, parse_query};

/// Chunks buffered for a slow client; then reading from the database pauses (backpressure).
const CHUNK_BUFFER: usize = 4;
/// The size of a chunk.
const CHUNK_BYTES: usize = 64 * 1024;

/// One line of an export.
#[derive(Debug, Serialize, JsonSchema)]
struct ExportLine {
    /// `becket_export` in the first line, then `event`
    #[serde(rename = "type")]
    kind: String,
    /// The format version, in the first line
    version: Option<u64>,
    /// The recorded event
    record: Option<Value>,
    /// The line as text, if it is not valid JSON
    line: Option<String>,
}

pub(super) fn route() -> Route {
    Route {
        media: "application/x-ndjson",
        ..get_with::<NoParams, ExportLine, _, _>(
            "/sessions/{id}/export",
            "Export the records of a session as JSON lines, for `becket import`",
            export,
        )
    }
}

async fn export(State(daemon): DaemonState, id: PathId, uri: Uri) -> Result<Response, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    let session = id.clone();
    let found = daemon.store.query(move |reader| reader.session(&session));
    if found.await?.is_none() {
        return Err(ApiError::not_found(&id));
    }
    let (sender, receiver) = tokio::sync::mpsc::channel(CHUNK_BUFFER);
    let database = daemon.store.database_path();
    let name = file_name(&id);
    tokio::task::spawn_blocking(move || {
        let mut chunks = ChunkWriter::new(sender);
        let written = StoreReader::open(database)
            .and_then(|reader| reader.export_session(&id, &mut chunks).map(drop));
        if let Err(error) = written {
            // The client sees an aborted response instead of a truncated one that looks complete.
            chunks.fail(&error);
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

/// Makes a safe file name of an id, which agents choose freely.
fn file_name(id: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = id.chars().filter(plain).take(64).collect();
    format!("becket-{name}.jsonl")
}

/// A writer that sends its output in chunks.
struct ChunkWriter {
    sender: Sender<io::Result<Bytes>>,
    chunk: Vec<u8>,
}

impl ChunkWriter {
    fn new(sender: Sender<io::Result<Bytes>>) -> Self {
        Self {
            sender,
            chunk: Vec::with_capacity(CHUNK_BYTES),
        }
    }

    fn fail(&self, error: &becket_store::Error) {
        let _ = self
            .sender
            .blocking_send(Err(io::Error::other(error.to_string())));
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        let sent = self.sender.blocking_send(Ok(chunk.into()));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn export_file_name_is_sanitized() {
        for (id, expected) in [
            ("0a-1b", "becket-0a-1b.jsonl"),
            ("../../etc/passwd", "becket-etcpasswd.jsonl"),
            ("a\"\r\nx: y", "becket-axy.jsonl"),
        ] {
            assert_eq!(file_name(id), expected);
        }
    }
}
