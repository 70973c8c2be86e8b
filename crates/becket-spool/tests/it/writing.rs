//! What an append leaves on the disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use becket_spool::{Disposition, Durability, Error, ErrorKind, Options, Spool, SpoolStatus};
use rustix::fs::FlockOperation;

use crate::{
    append, drained, names_in, numbered, numbers_of, patient, small, spool, tail, temp_dir,
};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

#[test]
fn the_directory_and_its_files_are_for_this_user_alone() {
    let temp_dir = temp_dir();
    let path = temp_dir.path().join("state/deep/spool");
    append(&Spool::open(&path), "{}");
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("events.jsonl")), 0o600);
    assert_eq!(
        fs::read_to_string(path.join("events.jsonl")).expect("text"),
        "{}\n"
    );
}

#[test]
fn loose_file_permissions_are_tightened() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let active = temp_dir.path().join("spool/events.jsonl");
    fs::set_permissions(&active, fs::Permissions::from_mode(0o644)).expect("chmod");
    append(&spool, "2");
    assert_eq!(mode(&active), 0o600);
    let bytes = fs::metadata(&active).expect("a file").len();
    assert_eq!(spool.bytes().expect("bytes"), bytes);
}

#[test]
fn opening_touches_nothing_and_an_absent_spool_is_empty() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    assert_eq!(spool.status().expect("status"), SpoolStatus::default());
    assert_eq!(spool.bytes().expect("bytes"), 0);
    assert!(spool.tail(10).expect("tail").is_empty());
    assert!(names_in(temp_dir.path()).is_empty());
}

#[test]
fn a_torn_last_line_costs_that_line_only() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "{\"n\":1}");
    let active = temp_dir.path().join("spool/events.jsonl");
    let mut content = fs::read(&active).expect("readable");
    content.extend(b"{\"n\":2,\"half");
    fs::write(&active, content).expect("writable");
    append(&spool, "{\"n\":3}");
    append(&spool, "{\"n\":4}");
    assert_eq!(tail(&spool, 10), ["{\"n\":1}", "{\"n\":3}", "{\"n\":4}"]);
    assert_eq!(drained(&spool), ["{\"n\":1}", "{\"n\":3}", "{\"n\":4}"]);
    assert_eq!(spool.status().expect("status").quarantined, 1);
}

#[test]
fn a_record_is_one_line_of_bounded_length() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    for record in [&b""[..], b"\n", b"{}\n", b"{\n}"] {
        let error = spool.append(record).expect_err("not one line");
        assert!(matches!(error.kind, ErrorKind::NotOneLine), "{error}");
    }
    let error = spool
        .append(&vec![b'1'; becket_spool::MAX_RECORD_BYTES + 1])
        .expect_err("too long");
    assert!(
        matches!(error.kind, ErrorKind::RecordTooLong { .. }),
        "{error}"
    );
    assert!(names_in(temp_dir.path()).is_empty());
}

#[test]
fn a_full_file_becomes_a_segment_and_order_is_kept() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(1_000, 100));
    for n in 0..60 {
        append(&spool, &numbered(0, n, 100));
    }
    let status = spool.status().expect("status");
    assert!(status.segments >= 6, "{status:?}");
    assert_eq!((status.dropped, status.quarantined), (0, 0));
    for name in names_in(&temp_dir.path().join("spool")) {
        let len = fs::metadata(temp_dir.path().join("spool").join(&name))
            .expect("it is there")
            .len();
        assert!(len < 1_000 + 200, "{name}: {len}");
    }
    assert_eq!(
        numbers_of(&tail(&spool, 25), 0),
        (35..60).collect::<Vec<_>>()
    );
    assert_eq!(numbers_of(&drained(&spool), 0), (0..60).collect::<Vec<_>>());
    assert_eq!(spool.status().expect("status"), SpoolStatus::default());
}

#[test]
fn excess_segments_are_dropped_oldest_first_and_counted() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(1_000, 3));
    for n in 0..200 {
        append(&spool, &numbered(0, n, 100));
        let status = spool.status().expect("status");
        assert!(
            status.segments <= 3 && status.bytes < 4 * 1_200,
            "{status:?}"
        );
    }
    let dropped = spool.status().expect("status").dropped;
    assert!(dropped > 10, "{dropped}");
    let left = numbers_of(&drained(&spool), 0);
    assert_eq!(
        left,
        (200 - u64::try_from(left.len()).expect("few")..200).collect::<Vec<_>>()
    );
    assert_eq!(spool.status().expect("status").dropped, dropped);
    spool.reset_dropped().expect("forgotten");
    assert_eq!(spool.status().expect("status"), SpoolStatus::default());
}

#[test]
fn a_clock_that_was_set_back_does_not_change_the_order() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(1, 100));
    append(&spool, "1");
    let dir = temp_dir.path().join("spool");
    let first = names_in(&dir).pop().expect("a segment");
    fs::rename(
        dir.join(first),
        dir.join("segment-17000000000000000000.jsonl"),
    )
    .expect("renamed");
    append(&spool, "2");
    append(&spool, "3");
    assert_eq!(tail(&spool, 10), ["1", "2", "3"]);
    assert_eq!(drained(&spool), ["1", "2", "3"]);
}

#[test]
fn contended_lock_delays_briefly_and_loses_nothing() {
    let temp_dir = temp_dir();
    let path = temp_dir.path().join("spool");
    let spool = Spool::with_options(
        &path,
        Options {
            lock_wait: Duration::from_millis(50),
            ..Options::default()
        },
    );
    append(&spool, "1");
    let held = fs::File::open(path.join("events.jsonl")).expect("the active file");
    rustix::fs::flock(&held, FlockOperation::LockExclusive).expect("locked");
    let started = Instant::now();
    append(&spool, "2");
    append(&spool, "3");
    assert!(started.elapsed() < Duration::from_secs(20));
    let own = names_in(&path)
        .into_iter()
        .filter(|name| name.starts_with("event-"))
        .count();
    assert_eq!(own, 2);
    assert_eq!(tail(&spool, 10).len(), 3);
    // A reader does not wait for the lock either; it reads what is available.
    assert_eq!(drained(&spool), ["2", "3"]);
    drop(held);
    assert_eq!(drained(&spool), ["1"]);
}

#[test]
fn stuck_lock_does_not_fill_the_disk() {
    let temp_dir = temp_dir();
    let path = temp_dir.path().join("spool");
    let spool = Spool::with_options(
        &path,
        Options {
            lock_wait: Duration::ZERO,
            ..Options::default()
        },
    );
    append(&spool, "1");
    let held = fs::File::open(path.join("events.jsonl")).expect("the active file");
    rustix::fs::flock(&held, FlockOperation::LockExclusive).expect("locked");
    for n in 0..4096 {
        fs::write(path.join(format!("event-1-{n:020}.jsonl")), "0\n").expect("written");
    }
    let error = spool.append(b"2").expect_err("too many are waiting");
    assert!(matches!(error.kind, ErrorKind::Stuck), "{error}");
}

#[test]
fn a_synced_record_is_an_ordinary_record() {
    let temp_dir = temp_dir();
    let options = Options {
        durability: Durability::Synced,
        rotate_at: 10,
        ..patient()
    };
    let spool = Spool::with_options(temp_dir.path().join("spool"), options);
    for n in 0..5 {
        append(&spool, &format!("{{\"n\":{n}}}"));
    }
    assert_eq!(drained(&spool).len(), 5);
}

#[test]
fn removed_spool_is_recreated() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    fs::remove_dir_all(temp_dir.path().join("spool")).expect("removed");
    append(&spool, "2");
    let mut seen = Vec::new();
    let drained = spool.drain(|record| {
        seen.push(record.line.to_owned());
        Ok::<_, Error>(Disposition::Consumed)
    });
    assert_eq!(drained.expect("drained").records, 1);
    assert_eq!(seen, ["2"]);
}
