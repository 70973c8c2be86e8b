//! The baseline: one thread writes lines into one SQLite table with group commit and acknowledges each after the commit.
//! It parses nothing and serves no queries.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::flood::{CLIENTS, request};
use crate::per_second;
use becket_store::Millis;

/// The maximum size of a transaction, as in the daemon.
const MAX_BATCH: usize = 1024;

struct QueuedLine {
    id: String,
    text: String,
    kept: Sender<()>,
}

/// Lines per second for eight clients with at most `window` unacknowledged lines each.
pub(crate) fn write_lines(window: usize, lines: usize) -> f64 {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let database = open(&dir.path().join("bare.db"));
    let each = lines / CLIENTS;
    let begun = Millis::now();
    let of = |client: usize| (0..each).map(|turn| request(client, turn, begun)).collect();
    let requests: Vec<Vec<String>> = (0..CLIENTS).map(of).collect();
    let (queue, waiting) = mpsc::sync_channel(4096);
    let started = Instant::now();
    let took: Duration = std::thread::scope(|scope| {
        for (client, lines) in requests.iter().enumerate() {
            let queue = queue.clone();
            scope.spawn(move || send(client, lines, window, &queue));
        }
        drop(queue);
        write(&database, &waiting);
        started.elapsed()
    });
    per_second(each * CLIENTS, took)
}

fn open(path: &std::path::Path) -> Connection {
    let database = Connection::open(path).expect("opened");
    let set_up = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
                  CREATE TABLE lines (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT;";
    database.execute_batch(set_up).expect("set up");
    database
}

fn send(client: usize, lines: &[String], window: usize, queue: &SyncSender<QueuedLine>) {
    let (kept, answers) = mpsc::channel();
    for (part, lines) in lines.chunks(window).enumerate() {
        for (number, text) in lines.iter().enumerate() {
            let line = QueuedLine {
                id: format!("{client}-{part}-{number}"),
                text: text.clone(),
                kept: kept.clone(),
            };
            queue.send(line).expect("a writer");
        }
        for _ in lines {
            answers.recv().expect("an answer");
        }
    }
}

fn write(database: &Connection, waiting: &Receiver<QueuedLine>) {
    while let Ok(first) = waiting.recv() {
        let rest = std::iter::from_fn(|| waiting.try_recv().ok());
        let together: Vec<QueuedLine> =
            std::iter::once(first).chain(rest).take(MAX_BATCH).collect();
        database.execute_batch("BEGIN IMMEDIATE").expect("begun");
        for line in &together {
            let sql = "INSERT INTO lines (id, text) VALUES (?1, ?2)";
            let mut insert = database.prepare_cached(sql).expect("prepared");
            insert.execute((&line.id, &line.text)).expect("inserted");
        }
        database.execute_batch("COMMIT").expect("kept");
        for line in together {
            let _ = line.kept.send(());
        }
    }
}
