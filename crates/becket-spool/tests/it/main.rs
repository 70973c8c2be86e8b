//! The spool through its public API.

mod child;
mod concurrency;
mod laws;
mod reading;
mod refusal;
mod writing;

use std::path::Path;
use std::time::Duration;

use becket_spool::{Disposition, Error, Options, Spool};
use serde_json::Value;
use tempfile::TempDir;

/// A temporary directory for a spool.
fn temp_dir() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// Waits long for locks, so that no record gets its own file, and drops nothing.
fn patient() -> Options {
    Options {
        lock_wait: Duration::from_secs(60),
        max_segments: 10_000,
        ..Options::default()
    }
}

fn small(rotate_at: u64, max_segments: usize) -> Options {
    Options {
        rotate_at,
        max_segments,
        ..patient()
    }
}

fn spool(temp_dir: &TempDir) -> Spool {
    Spool::with_options(temp_dir.path().join("spool"), patient())
}

fn append(spool: &Spool, record: &str) {
    spool
        .append(record.as_bytes())
        .expect("a record can be appended");
}

/// Drains the spool and returns its records.
fn drained(spool: &Spool) -> Vec<String> {
    let mut all = Vec::new();
    spool
        .drain(|record| {
            all.push(record.line.to_owned());
            Ok::<_, Error>(Disposition::Consumed)
        })
        .expect("the spool can be drained");
    all
}

fn tail(spool: &Spool, most: usize) -> Vec<String> {
    let lines = spool.tail(most).expect("the spool can be looked at");
    lines
        .into_iter()
        .map(|line| String::from_utf8(line).expect("records are text"))
        .collect()
}

/// A record of `writer` whose padding shows that it is complete.
fn numbered(writer: u64, n: u64, padding: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(writer % 26).expect("small"));
    let padding = letter.to_string().repeat(padding);
    format!("{{\"writer\":{writer},\"n\":{n},\"padding\":\"{padding}\"}}")
}

/// The numbers that `writer` wrote, in the order of `records`; checks that each record is complete.
fn numbers_of(records: &[String], writer: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    for record in records {
        let value: Value = serde_json::from_str(record).expect("a record is JSON");
        if value["writer"] == writer {
            let n = value["n"].as_u64().expect("a record has its number");
            let padding = value["padding"]
                .as_str()
                .expect("a record has its padding")
                .len();
            assert_eq!(
                *record,
                numbered(writer, n, padding),
                "a record is as it was written"
            );
            numbers.push(n);
        }
    }
    numbers
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("the directory is there");
    let mut names: Vec<_> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}
