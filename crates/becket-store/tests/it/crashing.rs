//! Between the spool and the store nothing is lost and nothing counts twice, whoever is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_spool::Spool;
use becket_store::{Depth, Options, Reader, Record, Writer};

use crate::{bash, usual, writer};

/// Set for the child that is to be killed: where its database is.
const PLACE: &str = "BECKET_STORE_TEST_PLACE";

/// Not a test of its own: what the child does, until it is killed.
#[test]
fn child() {
    let Some(place) = std::env::var_os(PLACE) else {
        return;
    };
    let mut writer = Writer::open(PathBuf::from(place), Options::default()).unwrap();
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
        let records: Vec<Record<'_>> = lines.iter().map(|line| Record { line }).collect();
        writer.ingest(&records).unwrap();
        writeln!(std::io::stderr(), "stored {number}").unwrap();
    }
}

fn killed_after(path: &Path, groups: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crashing::child", "--nocapture"])
        .env(PLACE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let stored = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with("stored "));
    let told = stored.take(groups).count();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

#[test]
fn what_was_told_to_be_stored_is_there_after_a_kill_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    for groups in [1, 7, 30] {
        let path = dir.path().join(format!("{groups}.db"));
        let told = killed_after(&path, groups);
        assert_eq!(told, groups);
        drop(Writer::open(&path, Options::default()).unwrap());
        let reader = Reader::open(&path).unwrap();
        for number in 0..told {
            for part in 0..3 {
                assert!(
                    reader
                        .event(&format!("e{number}-{part}"))
                        .unwrap()
                        .is_some(),
                    "{number} of {told}"
                );
            }
        }
        // A group is there whole or not at all.
        assert_eq!(reader.last_seq().unwrap() % 3, 0);
        assert_eq!(reader.check(Depth::Full).unwrap().problems, [""; 0]);
    }
}

fn drain(spool: &Spool, store: &mut Writer, lets_go: bool) -> u64 {
    let mut reader = spool.reader().unwrap();
    let mut stored = 0;
    while let Some(segment) = reader.next_segment().unwrap() {
        let records: Vec<Record<'_>> = segment
            .records()
            .map(|record| Record { line: record.line })
            .collect();
        stored += store.ingest(&records).unwrap().stored;
        if lets_go {
            segment.commit().unwrap();
        }
    }
    stored
}

#[test]
fn what_the_spool_delivers_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let spool = Spool::open(dir.path().join("spool"));
    for event in usual() {
        spool.append(event.to_string().as_bytes()).unwrap();
    }
    let mut store = writer();
    // Killed between the store's commit and the spool's: the segment is delivered again.
    assert_eq!(drain(&spool, &mut store, false), 9);
    assert_eq!(drain(&spool, &mut store, true), 0);
    assert_eq!(drain(&spool, &mut store, true), 0);
    assert_eq!(store.reader().last_seq().unwrap(), 9);
    assert_eq!(store.reader().batches("s1").unwrap().len(), 2);
}
