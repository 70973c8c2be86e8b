//! Concurrent writers and readers, some of which are killed.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicBool, Ordering};

use becket_spool::{Disposition, Error, Spool};

use crate::child::{APPENDED, appender};
use crate::{append, drained, numbered, numbers_of, patient, small, spool, temp_dir};

#[test]
fn concurrent_threads_lose_and_mix_nothing() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let spool = &spool;
            scope.spawn(move || {
                for n in 0..250 {
                    append(
                        spool,
                        &numbered(writer, n, 50 + usize::try_from(n).expect("small") * 7),
                    );
                }
            });
        }
    });
    let records = drained(&spool);
    assert_eq!(records.len(), 8 * 250);
    for writer in 0..8 {
        assert_eq!(numbers_of(&records, writer), (0..250).collect::<Vec<_>>());
    }
}

#[test]
fn concurrent_processes_lose_and_mix_nothing() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    let dir = temp_dir.path().join("spool");
    let children: Vec<_> = (0..8)
        .map(|writer| {
            appender(&dir, writer, 100, 3000)
                .spawn()
                .expect("a child starts")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("a child ends");
        assert!(output.status.success());
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.matches(APPENDED).count(), 100, "{said}");
    }
    let records = drained(&spool);
    assert_eq!(records.len(), 800);
    for writer in 0..8 {
        assert_eq!(numbers_of(&records, writer), (0..100).collect::<Vec<_>>());
    }
}

/// Long records are written page by page, so a kill can fall into the middle of one.
#[test]
fn acknowledged_records_survive_kill_9_and_the_spool_stays_readable() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    let dir = temp_dir.path().join("spool");
    let mut promised = Vec::new();
    for round in 0..12 {
        let (count, padding) = if round % 2 == 0 {
            (40, 200_000)
        } else {
            (4000, 200)
        };
        let writers = [round * 2, round * 2 + 1];
        let mut children: Vec<_> = writers
            .iter()
            .map(|writer| {
                appender(&dir, *writer, count, padding)
                    .spawn()
                    .expect("a child starts")
            })
            .collect();
        for (writer, child) in writers.iter().zip(&mut children) {
            let mut lines = BufReader::new(child.stdout.take().expect("a child speaks")).lines();
            let mut count = 0;
            let mut hear = |count: &mut u64| {
                let line = lines.next().and_then(Result::ok);
                *count += u64::from(line.as_ref().is_some_and(|line| line.contains(APPENDED)));
                line.is_some()
            };
            while count < 1 + round % 5 && hear(&mut count) {}
            child.kill().expect("a child can be killed");
            while hear(&mut count) {}
            child.wait().expect("a child ends");
            promised.push((*writer, count));
        }
    }
    append(&spool, &numbered(25, 0, 10));
    let records = drained(&spool);
    for (writer, count) in promised {
        let numbers = numbers_of(&records, writer);
        let written = u64::try_from(numbers.len()).expect("few");
        assert_eq!(
            numbers,
            (0..written).collect::<Vec<_>>(),
            "whole, in order, once"
        );
        assert!(
            written == count || written == count + 1,
            "{written} written, {count} promised"
        );
    }
    assert_eq!(numbers_of(&records, 25).last(), Some(&0));
}

#[test]
fn rotating_reader_loses_nothing_and_repeats_nothing() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(2_000, 1_000_000));
    let done = AtomicBool::new(false);
    let mut records = Vec::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let spool = &spool;
                scope.spawn(move || {
                    for n in 0..400 {
                        append(spool, &numbered(writer, n, 100));
                    }
                })
            })
            .collect();
        let (spool, done) = (&spool, &done);
        let reader = scope.spawn(move || {
            let mut records = Vec::new();
            loop {
                let last_round = done.load(Ordering::SeqCst);
                records.extend(drained(spool));
                if last_round {
                    return records;
                }
            }
        });
        for writer in writers {
            writer.join().expect("a writer ends");
        }
        done.store(true, Ordering::SeqCst);
        records = reader.join().expect("the reader ends");
    });
    assert_eq!(records.len(), 4 * 400);
    for writer in 0..4 {
        let mut numbers = numbers_of(&records, writer);
        // A writer that waits too long for the lock writes its own file, which has its own position in the order.
        numbers.sort_unstable();
        assert_eq!(numbers, (0..400).collect::<Vec<_>>());
    }
}

#[test]
fn tail_during_rotation_shows_each_record_once_and_whole() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), small(1_000, 1_000_000));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..600).for_each(|n| append(&spool, &numbered(0, n, 100))));
        while !writer.is_finished() {
            let lines = crate::tail(&spool, 50);
            let numbers = numbers_of(&lines, 0);
            let distinct: HashSet<_> = numbers.iter().collect();
            assert_eq!(distinct.len(), numbers.len(), "{numbers:?}");
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    });
    assert_eq!(
        numbers_of(&crate::tail(&spool, 50), 0),
        (550..600).collect::<Vec<_>>()
    );
}

#[test]
fn second_reader_is_refused() {
    let temp_dir = temp_dir();
    let spool = Spool::with_options(temp_dir.path().join("spool"), patient());
    append(&spool, "{}");
    let first = spool.reader().expect("the first reader");
    let second = spool
        .drain(|_| Ok::<_, Error>(Disposition::Consumed))
        .expect_err("the second reader");
    assert!(
        second.to_string().contains("another process is reading"),
        "{second}"
    );
    drop(first);
    assert_eq!(drained(&spool), ["{}"]);
}
