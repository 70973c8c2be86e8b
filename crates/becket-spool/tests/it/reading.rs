//! What a reader gets, and when it is gone.

use std::fs;

use becket_spool::{Drained, Error, Fate, Spool};

use crate::{append, drained, names_in, place, small, spool, tail};

#[test]
fn a_segment_goes_only_when_it_is_committed() {
    let place = place();
    let spool = spool(&place);
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
fn what_is_to_be_kept_is_delivered_again_with_what_came_after() {
    let place = place();
    let spool = Spool::with_options(place.path().join("spool"), small(4, 100));
    for n in 0..6 {
        append(&spool, &n.to_string());
    }
    let mut seen = Vec::new();
    let result = spool.drain(|record| {
        seen.push(record.line.to_owned());
        Ok::<_, Error>(if record.line == "3" {
            Fate::Keep
        } else {
            Fate::Consumed
        })
    });
    assert_eq!(
        result.expect("drained"),
        Drained {
            records: 2,
            set_aside: 0
        }
    );
    assert_eq!(seen, ["0", "1", "2", "3"]);
    append(&spool, "6");
    assert_eq!(drained(&spool), ["2", "3", "4", "5", "6"]);
}

#[test]
fn an_error_of_the_caller_comes_back_and_consumes_nothing() {
    #[derive(Debug)]
    struct Failed;
    impl From<Error> for Failed {
        fn from(_: Error) -> Self {
            Failed
        }
    }
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let result = spool.drain(|_| Err::<Fate, _>(Failed));
    assert!(matches!(result, Err(Failed)));
    assert_eq!(drained(&spool), ["1"]);
}

#[test]
fn lines_that_are_no_json_are_set_aside_as_they_were() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "{\"n\":1}");
    let active = place.path().join("spool/events.jsonl");
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

    assert_eq!(spool.status().expect("status").set_aside, 5);
    let aside = place.path().join("spool/set-aside");
    let name = names_in(&aside).pop().expect("a file");
    let kept = fs::read(aside.join(name)).expect("readable");
    assert_eq!(
        kept,
        b"{\"n\":2\n\xff\xfe\n{\"text\":\"\xff\"}\n{} trailing\n[1,2\n"
    );
    assert!(drained(&spool).is_empty());
}

#[test]
fn what_is_set_aside_does_not_grow_without_bound() {
    let place = place();
    let spool = spool(&place);
    for _ in 0..40 {
        append(&spool, "no json");
        assert!(drained(&spool).is_empty());
    }
    assert_eq!(names_in(&place.path().join("spool/set-aside")).len(), 32);
}

#[test]
fn foreign_files_are_neither_read_nor_touched() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let dir = place.path().join("spool");
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
fn a_record_whose_writer_died_before_naming_it_is_adopted_later() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let dir = place.path().join("spool");
    fs::write(dir.join(".event-7-00000000000000000007.jsonl.tmp"), "0\n").expect("written");
    let young = ".event-7-17000000000000000000.jsonl.tmp";
    fs::write(dir.join(young), "2\n").expect("written");
    assert_eq!(drained(&spool), ["0", "1"]);
    assert!(dir.join(young).exists());
}

/// A file of many windows: records, a line that is no JSON, and one that is too long for a record.
fn large_file(place: &tempfile::TempDir, name: &str) -> Vec<String> {
    let record = |n: u32| format!("{{\"n\":{n},\"text\":\"{}\"}}", "x".repeat(3_000_000));
    let records: Vec<String> = (0..8).map(record).collect();
    let too_long = "y".repeat(becket_spool::LONGEST_RECORD + 9_000_000);
    let mut lines = records.clone();
    lines.insert(1, "torn {".into());
    lines.insert(4, too_long);
    lines.push("torn again {".into());
    fs::write(place.path().join("spool").join(name), lines.join("\n")).expect("written");
    records
}

#[test]
fn a_large_file_is_delivered_in_parts_and_goes_with_the_last() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let name = "segment-00000000000000000001.jsonl";
    let records = large_file(&place, name);
    let path = place.path().join("spool").join(name);
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
    let aside = fs::read_to_string(place.path().join("spool/set-aside").join(name));
    let length = becket_spool::LONGEST_RECORD + 9_000_000;
    let note = format!("a line of {length} bytes, which is too long for a record");
    assert_eq!(aside.expect("set aside"), format!("torn\n{note}\ntorn\n"));
    drop(reader);
    assert!(drained(&spool).is_empty());
}

#[test]
fn a_large_file_of_which_a_part_was_not_kept_is_delivered_again() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let records = large_file(&place, "segment-00000000000000000001.jsonl");
    let mut reader = spool.reader().expect("a reader");
    drop(reader.next_segment().expect("readable").expect("a part"));
    while let Some(part) = reader.next_segment().expect("readable") {
        part.commit().expect("let go of");
    }
    drop(reader);
    assert!(drained(&spool) == records, "from its start");
    let aside = place.path().join("spool/set-aside");
    let aside = aside.join("segment-00000000000000000001.jsonl");
    let lines = fs::read_to_string(aside).expect("set aside");
    assert_eq!(lines.lines().count(), 3, "once: {lines}");
}

#[test]
fn a_directory_or_a_link_with_the_name_of_a_segment_changes_nothing() {
    let place = place();
    let spool = Spool::with_options(place.path().join("spool"), small(1, 2));
    append(&spool, "0");
    let dir = place.path().join("spool");
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
fn the_tail_finds_records_that_are_longer_than_its_first_look() {
    let place = place();
    let spool = spool(&place);
    let long = |n: u32| format!("{{\"n\":{n},\"text\":\"{}\"}}", "x".repeat(300_000));
    for n in 0..4 {
        append(&spool, &long(n));
    }
    assert_eq!(tail(&spool, 2), [long(2), long(3)]);
    assert!(tail(&spool, 0).is_empty());
    assert_eq!(drained(&spool).len(), 4);
}
