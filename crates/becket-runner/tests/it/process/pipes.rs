//! Input and output: everything arrives, nothing deadlocks, memory stays bounded.

use std::time::Duration;

use becket_runner::process::{Command, OUTPUT_LIMIT};

use super::{assert_exited, assert_timed_out, brief, finish, sh};

const TEN_MB: usize = 10_000_000;

#[test]
fn input_reaches_the_child_and_then_ends() {
    let finished = finish(&Command {
        stdin: b"one\ntwo".to_vec(),
        ..Command::exec("cat", ["-", "/dev/null"])
    });
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.bytes, b"one\ntwo");
    assert_eq!(finished.stdout.dropped, 0);
    assert_eq!(finished.stderr.bytes, b"");
}

#[test]
fn without_input_the_child_reads_the_end_at_once() {
    let finished = sh("wc -c | tr -d ' '");
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.bytes, b"0\n");
}

#[test]
fn ten_megabytes_out_before_ten_megabytes_in_is_no_deadlock() {
    let finished = finish(&Command {
        stdin: vec![b'x'; TEN_MB],
        ..Command::shell("head -c 10000000 /dev/zero; wc -c | tr -d ' ' >&2")
    });
    assert_exited(&finished, 0);
    assert_eq!(finished.stderr.text(), "10000000\n");
    assert_eq!(
        finished.stdout.bytes.len() as u64 + finished.stdout.dropped,
        TEN_MB as u64
    );
}

#[test]
fn a_child_may_exit_without_reading_its_input() {
    let finished = finish(&Command {
        stdin: vec![b'x'; 1024 * 1024],
        ..Command::shell("echo done; exit 4")
    });
    assert_exited(&finished, 4);
    assert_eq!(finished.stdout.bytes, b"done\n");
}

#[test]
fn a_child_may_close_its_input_and_go_on() {
    let finished = finish(&Command {
        stdin: vec![b'x'; 1024 * 1024],
        ..Command::shell("exec <&-; echo going; echo on")
    });
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.bytes, b"going\non\n");
}

#[test]
fn a_child_that_never_reads_is_ended_by_the_deadline() {
    let finished = finish(&Command {
        stdin: vec![b'x'; TEN_MB],
        ..brief("sleep 600")
    });
    assert_timed_out(&finished);
}

#[test]
fn both_streams_can_be_flooded_at_once() {
    let finished = sh("head -c 5000000 /dev/zero >&2 & head -c 5000000 /dev/zero; wait");
    assert_exited(&finished, 0);
    for stream in [&finished.stdout, &finished.stderr] {
        assert_eq!(stream.bytes.len(), OUTPUT_LIMIT);
        assert_eq!(stream.dropped, 5_000_000 - OUTPUT_LIMIT as u64);
    }
}

#[test]
fn output_beyond_the_limit_is_counted_and_dropped() {
    let finished = sh("printf begin; head -c 50000000 /dev/zero");
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.bytes.len(), OUTPUT_LIMIT);
    assert!(finished.stdout.bytes.starts_with(b"begin\0\0"));
    assert_eq!(finished.stdout.dropped, 50_000_005 - OUTPUT_LIMIT as u64);
    assert!(finished.stdout.bytes.capacity() <= 2 * OUTPUT_LIMIT);
}

#[test]
fn output_of_exactly_the_limit_is_kept_whole() {
    let finished = sh(format!("head -c {OUTPUT_LIMIT} /dev/zero"));
    assert_eq!(finished.stdout.bytes.len(), OUTPUT_LIMIT);
    assert_eq!(finished.stdout.dropped, 0);
}

#[test]
fn an_endless_flood_ends_at_the_deadline() {
    let finished = finish(&brief("yes"));
    assert_timed_out(&finished);
    assert!(finished.stdout.bytes.len() <= OUTPUT_LIMIT);
    assert!(finished.stdout.bytes.starts_with(b"y\ny\n"));
}

#[test]
fn output_that_comes_in_pieces_is_joined() {
    let finished = finish(&Command {
        timeout: Duration::from_secs(60),
        ..Command::shell("for i in 1 2 3; do printf $i; sleep 0.05; printf $i >&2; done")
    });
    assert_eq!(finished.stdout.bytes, b"123");
    assert_eq!(finished.stderr.bytes, b"123");
}

#[test]
fn bytes_that_are_not_text_arrive_unchanged() {
    let payload: Vec<u8> = (0..=255).collect();
    let finished = finish(&Command {
        stdin: payload.clone(),
        ..Command::exec("cat", [] as [&str; 0])
    });
    assert_eq!(finished.stdout.bytes, payload);
}
