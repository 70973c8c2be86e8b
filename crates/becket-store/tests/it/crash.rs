//! Nothing is lost and nothing counts twice between spool and store, whichever process is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_spool::Spool;
use becket_store::{CheckDepth, Options, RecordLine, StoreReader, StoreWriter};

use crate::{bash, usual, writer};

/// The database's path, set for the child that is going to be killed.
const DATABASE_PATH_VAR: &str = "BECKET_STORE_TEST_PLACE";

/// Not a test: the child's work, until it is killed.
#[test]
fn child() {
    let Some(place) = std::env::var_os(DATABASE_PATH_VAR) else {
        return;
    };
    let mut writer = StoreWriter::open(PathBuf::from(place), Options::default()).unwrap();
    for number in 0.. {
        let lines: Vec<String> = (0..3)
            .map(|part| {
                bash(
                    &format!("e{number}-{part}"),
                    f64::from(number),
                    &format!("t{number}-{part}"),
                    "ls",
                )
                .to_string()
            })
            .collect();
        let records: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
        writer.ingest(&records).unwrap();
        writeln!(std::io::stderr(), "stored {number}").unwrap();
    }
}

fn killed_after(path: &Path, groups: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(DATABASE_PATH_VAR, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let stored = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with("stored "));
    let acknowledged = stored.take(groups).count();
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged
}

#[test]
fn acknowledged_records_survive_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    for groups in [1, 7, 30] {
        let path = dir.path().join(format!("{groups}.db"));
        let acknowledged = killed_after(&path, groups);
        assert_eq!(acknowledged, groups);
        drop(StoreWriter::open(&path, Options::default()).unwrap());
        let reader = StoreReader::open(&path).unwrap();
        for number in 0..acknowledged {
            for part in 0..3 {
                assert!(
                    reader
                        .event(&format!("e{number}-{part}"))
                        .unwrap()
                        .is_some(),
                    "{number} of {acknowledged}"
                );
            }
        }
        // A transaction is either complete or absent.
        assert_eq!(reader.last_seq().unwrap() % 3, 0);
        assert_eq!(reader.check(CheckDepth::Full).unwrap().problems, [""; 0]);
    }
}

fn drain(spool: &Spool, store: &mut StoreWriter, lets_go: bool) -> u64 {
    let mut reader = spool.reader().unwrap();
    let mut stored = 0;
    while let Some(segment) = reader.next_segment().unwrap() {
        let records: Vec<RecordLine<'_>> = segment
            .records()
            .map(|record| RecordLine { line: record.line })
            .collect();
        stored += store.ingest(&records).unwrap().stored;
        if lets_go {
            segment.commit().unwrap();
        }
    }
    stored
}

#[test]
fn redelivered_segment_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let spool = Spool::open(dir.path().join("spool"));
    for event in usual() {
        spool.append(event.to_string().as_bytes()).unwrap();
    }
    let mut store = writer();
    // A crash between the store's commit and the spool's: the segment is delivered again.
    assert_eq!(drain(&spool, &mut store, false), 9);
    assert_eq!(drain(&spool, &mut store, true), 0);
    assert_eq!(drain(&spool, &mut store, true), 0);
    assert_eq!(store.reader().last_seq().unwrap(), 9);
    assert_eq!(store.reader().batches("s1").unwrap().len(), 2);
}
