//! What a reader receives, and when segments are deleted.

use std::fs;

use becket_spool::{Disposition, DrainReport, Error, Spool};

use crate::{append, drained, names_in, small, spool, tail, temp_dir};

#[test]
fn a_segment_goes_only_when_it_is_committed() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    append(&spool, "2");
    for _ in 0..3 {
        let mut reader = spool.reader().expect("a reader");
        let segment = reader.next_segment().expect("readable").expect("a segment");
        assert_eq!(
            segment
                .records()
                .map(|record| record.line)
                .collect::<Vec<_>>(),
            ["1", "2"]
        );
    }
    let mut reader = spool.reader().expect("a reader");
    reader
        .next_segment()
        .expect("readable")
        .expect("a segment")
        .commit()
        .expect("committed");
    assert!(reader.next_segment().expect("readable").is_none());
    drop(reader);
    assert!(drained(&spool).is_empty());
}

#[test]
fn kept_records_are_delivered_again_with_later_ones() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(4, 100));
    for n in 0..6 {
        append(&spool, &n.to_string());
    }
    let mut seen = Vec::new();
    let result = spool.drain(|record| {
        seen.push(record.line.to_owned());
        Ok::<_, Error>(if record.line == "3" {
            Disposition::Keep
        } else {
            Disposition::Consumed
        })
    });
    assert_eq!(
        result.expect("drained"),
        DrainReport {
            records: 2,
            quarantined: 0
        }
    );
    assert_eq!(seen, ["0", "1", "2", "3"]);
    append(&spool, "6");
    assert_eq!(drained(&spool), ["2", "3", "4", "5", "6"]);
}

#[test]
fn caller_error_is_returned_and_consumes_nothing() {
    #[derive(Debug)]
    struct Failed;
    impl From<Error> for Failed {
        fn from(_: Error) -> Self {
            Failed
        }
    }
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let result = spool.drain(|_| Err::<Disposition, _>(Failed));
    assert!(matches!(result, Err(Failed)));
    assert_eq!(drained(&spool), ["1"]);
}

#[test]
fn non_json_lines_are_quarantined_unchanged() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "{\"n\":1}");
    let active = temp_dir.path().join("spool/events.jsonl");
    let mut content = fs::read(&active).expect("readable");
    content.extend(b"{\"n\":2\n\n\xff\xfe\n{\"text\":\"\xff\"}\n{} trailing\n{\"n\":3}\n[1,2");
    fs::write(&active, content).expect("writable");
    assert_eq!(tail(&spool, 10), ["{\"n\":1}", "{\"n\":3}"]);

    let mut reader = spool.reader().expect("a reader");
    let segment = reader.next_segment().expect("readable").expect("a segment");
    assert_eq!(segment.bad_lines(), 5);
    let records: Vec<_> = segment
        .records()
        .map(|record| record.line.to_owned())
        .collect();
    assert_eq!(records, ["{\"n\":1}", "{\"n\":3}"]);
    segment.commit().expect("committed");
    drop(reader);

    assert_eq!(spool.status().expect("status").quarantined, 5);
    let aside = temp_dir.path().join("spool/set-aside");
    let name = names_in(&aside).pop().expect("a file");
    let kept = fs::read(aside.join(name)).expect("readable");
    assert_eq!(
        kept,
        b"{\"n\":2\n\xff\xfe\n{\"text\":\"\xff\"}\n{} trailing\n[1,2\n"
    );
    assert!(drained(&spool).is_empty());
}

#[test]
fn quarantine_is_bounded() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    for _ in 0..40 {
        append(&spool, "no json");
        assert!(drained(&spool).is_empty());
    }
    assert_eq!(names_in(&temp_dir.path().join("spool/set-aside")).len(), 32);
}

#[test]
fn foreign_files_are_neither_read_nor_touched() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let dir = temp_dir.path().join("spool");
    let foreign = [
        "notes.txt",
        "segment-7.jsonl",
        "event-x.jsonl",
        "events.jsonl.bak",
        ".hidden",
    ];
    for name in foreign {
        fs::write(dir.join(name), "{\"foreign\":true}\n").expect("written");
    }
    fs::create_dir(dir.join("segment-00000000000000000001.jsonl"))
        .expect("a directory with a name of ours");
    assert_eq!(tail(&spool, 10), ["1"]);
    assert_eq!(drained(&spool), ["1"]);
    for name in foreign {
        assert_eq!(
            fs::read_to_string(dir.join(name)).expect("still there"),
            "{\"foreign\":true}\n"
        );
    }
}

#[test]
fn unnamed_record_of_a_dead_writer_is_adopted() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let dir = temp_dir.path().join("spool");
    fs::write(dir.join(".event-7-00000000000000000007.jsonl.tmp"), "0\n").expect("written");
    let young = ".event-7-17000000000000000000.jsonl.tmp";
    fs::write(dir.join(young), "2\n").expect("written");
    assert_eq!(drained(&spool), ["0", "1"]);
    assert!(dir.join(young).exists());
}

/// A file of many read windows: records, a line that is not JSON, and one that is too long.
fn large_file(temp_dir: &tempfile::TempDir, name: &str) -> Vec<String> {
    let record = |n: u32| format!("{{\"n\":{n},\"text\":\"{}\"}}", "x".repeat(3_000_000));
    let records: Vec<String> = (0..8).map(record).collect();
    let too_long = "y".repeat(becket_spool::MAX_RECORD_BYTES + 9_000_000);
    let mut lines = records.clone();
    lines.insert(1, "torn {".into());
    lines.insert(4, too_long);
    lines.push("torn again {".into());
    fs::write(temp_dir.path().join("spool").join(name), lines.join("\n")).expect("written");
    records
}

#[test]
fn large_file_is_delivered_in_parts_and_deleted_with_the_last() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let name = "segment-00000000000000000001.jsonl";
    let records = large_file(&temp_dir, name);
    let path = temp_dir.path().join("spool").join(name);
    let mut reader = spool.reader().expect("a reader");
    let mut found = Vec::new();
    let mut parts = 0;
    while let Some(part) = reader.next_segment().expect("readable") {
        let lines: Vec<_> = part.records().map(|it| it.line.to_owned()).collect();
        if lines == ["1"] {
            assert!(!path.exists(), "its last part was let go of");
        } else {
            assert!(path.exists());
            parts += 1;
            found.extend(lines);
        }
        part.commit_cleaned(|line| line[..4].into())
            .expect("let go of");
    }
    assert!(found == records, "each record once and in order");
    assert!(parts > 2, "{parts}");
    let aside = fs::read_to_string(temp_dir.path().join("spool/set-aside").join(name));
    let length = becket_spool::MAX_RECORD_BYTES + 9_000_000;
    let note = format!("a line of {length} bytes, which is too long for a record");
    assert_eq!(aside.expect("set aside"), format!("torn\n{note}\ntorn\n"));
    drop(reader);
    assert!(drained(&spool).is_empty());
}

#[test]
fn large_file_with_an_uncommitted_part_is_delivered_again() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let records = large_file(&temp_dir, "segment-00000000000000000001.jsonl");
    let mut reader = spool.reader().expect("a reader");
    drop(reader.next_segment().expect("readable").expect("a part"));
    while let Some(part) = reader.next_segment().expect("readable") {
        part.commit().expect("let go of");
    }
    drop(reader);
    assert!(drained(&spool) == records, "from its start");
    let aside = temp_dir.path().join("spool/set-aside");
    let aside = aside.join("segment-00000000000000000001.jsonl");
    let lines = fs::read_to_string(aside).expect("set aside");
    assert_eq!(lines.lines().count(), 3, "once: {lines}");
}

#[test]
fn a_directory_or_a_link_with_the_name_of_a_segment_changes_nothing() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(1, 2));
    append(&spool, "0");
    let dir = temp_dir.path().join("spool");
    fs::create_dir(dir.join("segment-00000000000000000001.jsonl")).expect("created");
    std::os::unix::fs::symlink(
        "/etc/passwd",
        dir.join("segment-00000000000000000002.jsonl"),
    )
    .expect("linked");
    for n in 1..6 {
        append(&spool, &n.to_string());
    }
    let status = spool.status().expect("a status");
    assert_eq!((status.segments, status.dropped), (2, 4), "the bound holds");
    assert_eq!(drained(&spool), ["4", "5"]);
}

#[test]
fn tail_finds_records_longer_than_its_first_read() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    let long = |n: u32| format!("{{\"n\":{n},\"text\":\"{}\"}}", "x".repeat(300_000));
    for n in 0..4 {
        append(&spool, &long(n));
    }
    assert_eq!(tail(&spool, 2), [long(2), long(3)]);
    assert!(tail(&spool, 0).is_empty());
    assert_eq!(drained(&spool).len(), 4);
}
