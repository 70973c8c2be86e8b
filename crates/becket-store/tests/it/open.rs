//! Opening databases: new, old, damaged, foreign, shared.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_store::{CheckDepth, ErrorKind, Options, RecordLine, StoreReader, StoreWriter};
use rusqlite::Connection;

use crate::{ingest, of_session, prompt, usual};

fn temp_database() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/trail.db");
    (dir, path)
}

fn open(path: &Path) -> StoreWriter {
    StoreWriter::open(path, Options::default()).unwrap()
}

#[test]
fn a_new_database_is_for_its_owner_only() {
    let (_dir, path) = temp_database();
    let mut writer = open(&path);
    ingest(&mut writer, &usual());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn committed_data_survives_reopening() {
    let (_dir, path) = temp_database();
    ingest(&mut open(&path), &usual());
    assert_eq!(open(&path).reader().last_seq().unwrap(), 9);
    assert_eq!(
        StoreReader::open(&path)
            .unwrap()
            .batches("s1")
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn readers_see_only_committed_data() {
    let (_dir, path) = temp_database();
    let mut writer = open(&path);
    let reader = StoreReader::open(&path).unwrap();
    let line = prompt("e1", 0.0, "x").to_string();
    let mut transaction = writer.begin().unwrap();
    transaction.ingest(&[RecordLine { line: &line }]).unwrap();
    assert_eq!(reader.last_seq().unwrap(), 0);
    transaction.commit().unwrap();
    assert_eq!(reader.last_seq().unwrap(), 1);
    assert_eq!(reader.path(), path);
}

#[test]
fn reader_errors_name_the_cause() {
    let (_dir, path) = temp_database();
    let error = StoreReader::open(&path).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Missing));
    assert!(
        error.to_string().ends_with("trail.db` does not exist"),
        "{error}"
    );
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    let error = StoreReader::open(&path).unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::Older { found: 0, .. }),
        "{error}"
    );
}

#[test]
fn a_database_of_a_later_version_is_refused_and_left_alone() {
    let (_dir, path) = temp_database();
    drop(open(&path));
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = fs::read(&path).unwrap();
    for error in [
        StoreWriter::open(&path, Options::default()).unwrap_err(),
        StoreWriter::open_or_quarantine(&path, Options::default()).unwrap_err(),
        StoreReader::open(&path).unwrap_err(),
    ] {
        assert!(
            matches!(error.kind, ErrorKind::Newer { found: 99, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("hint: update Becket"), "{error}");
    }
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn another_programs_database_is_refused_and_left_alone() {
    let (_dir, path) = temp_database();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    let error = StoreWriter::open_or_quarantine(&path, Options::default()).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Foreign), "{error}");
    let tables: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM bookmarks", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 0);
}

#[test]
fn damaged_database_is_quarantined_and_replaced() {
    let (_dir, path) = temp_database();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(
        &path,
        "this was a database once, before the disk had its way with it".repeat(100),
    )
    .unwrap();
    assert!(matches!(
        StoreWriter::open(&path, Options::default())
            .unwrap_err()
            .kind,
        ErrorKind::Damaged(_)
    ));
    let mut opened = StoreWriter::open_or_quarantine(&path, Options::default()).unwrap();
    let aside = opened.quarantined.take().unwrap();
    assert!(
        fs::read_to_string(&aside.path)
            .unwrap()
            .starts_with("this was a database once")
    );
    assert!(
        aside.why.to_string().contains("is damaged"),
        "{}",
        aside.why
    );
    assert_eq!(ingest(&mut opened.writer, &usual()).stored, 9);
    drop(opened);
    let again = StoreWriter::open_or_quarantine(&path, Options::default()).unwrap();
    assert!(again.quarantined.is_none());
    assert_eq!(again.writer.reader().last_seq().unwrap(), 9);
}

#[test]
fn damage_inside_is_detected_and_the_file_quarantined() {
    let (_dir, path) = temp_database();
    let mut writer = open(&path);
    let many: Vec<_> = (0..400)
        .map(|n| {
            of_session(
                prompt(&format!("e{n}"), f64::from(n), "some words"),
                &format!("s{n}"),
            )
        })
        .collect();
    ingest(&mut writer, &many);
    assert_eq!(
        writer.reader().check(CheckDepth::Full).unwrap().problems,
        [""; 0]
    );
    drop(writer);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 8192].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let writer = open(&path);
    let found = writer.reader().check(CheckDepth::Quick);
    assert!(found.is_err() || !found.unwrap().problems.is_empty());
    let aside = writer.quarantine().unwrap();
    assert!(aside.exists() && !path.exists());
    assert_eq!(open(&path).reader().last_seq().unwrap(), 0);
}

#[test]
fn a_link_in_place_of_the_file_is_refused() {
    let (dir, path) = temp_database();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(StoreWriter::open(&path, Options::default()).is_err());
    assert_eq!(fs::read(&elsewhere).unwrap(), b"");
}

#[test]
fn unwritable_path_is_named_in_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = StoreWriter::open(file.join("trail.db"), Options::default()).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::CannotOpen(_)), "{error}");
    assert!(error.to_string().contains("file"), "{error}");
    let shut = dir.path().join("shut");
    fs::create_dir(&shut).unwrap();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o500)).unwrap();
    // Root can write anywhere.
    if fs::write(shut.join("try"), "").is_err() {
        let error = StoreWriter::open(shut.join("trail.db"), Options::default()).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::ReadOnly(_)), "{error}");
        assert!(error.to_string().contains("hint:"), "{error}");
    }
}

#[test]
fn writers_take_turns_and_time_out_with_busy() {
    let (_dir, path) = temp_database();
    let mut first = open(&path);
    let hasty = Options {
        busy_wait: Duration::from_millis(1),
        ..Options::default()
    };
    let mut second = StoreWriter::open(&path, hasty).unwrap();
    let transaction = first.begin().unwrap();
    let error = second.begin().map(drop).unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::Busy) && error.is_retryable(),
        "{error}"
    );
    drop(transaction);
    ingest(&mut first, &usual()[..5]);
    ingest(&mut second, &usual());
    assert_eq!(
        first.reader().batches("s1").unwrap(),
        second.reader().batches("s1").unwrap()
    );
}

#[test]
fn concurrent_first_opens_all_succeed() {
    let (_dir, path) = temp_database();
    std::thread::scope(|scope| {
        for worker in 0..6_u32 {
            let path = &path;
            scope.spawn(move || {
                let patient = Options {
                    busy_wait: Duration::from_secs(60),
                    ..Options::default()
                };
                let mut writer = StoreWriter::open(path, patient).unwrap();
                for number in 0..5_u32 {
                    // All of them write to one session.
                    ingest(
                        &mut writer,
                        &[prompt(
                            &format!("e{worker}{number}"),
                            f64::from(number),
                            &format!("{worker}"),
                        )],
                    );
                }
            });
        }
    });
    let reader = StoreReader::open(&path).unwrap();
    assert_eq!(reader.last_seq().unwrap(), 30);
    assert_eq!(reader.check(CheckDepth::Full).unwrap().problems, [""; 0]);
    let numbers: Vec<u32> = reader
        .batches("s1")
        .unwrap()
        .into_iter()
        .map(|batch| batch.number)
        .collect();
    assert_eq!(numbers, (1..=30).collect::<Vec<_>>());
}
