//! Databases of every version there ever was, brought up to date.
//!
//! `versions/<number>.sql` makes a small database as that version left it. A new version comes with the
//! fixture of the one before it.

use std::fs;
use std::path::Path;

use becket_store::{Depth, Options, Reader, Scope, SearchFilter, VERSION, Writer};
use rusqlite::Connection;

use crate::{at, end, ingest, prompt, usual};

fn fixture(version: i64) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/versions/{version}.sql"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(path: &Path) -> Vec<String> {
    let db = Connection::open(path).unwrap();
    let mut query = db
        .prepare(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
        )
        .unwrap();
    let rows = query.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn every_older_version_is_brought_up_to_date_with_what_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let fresh = dir.path().join("fresh.db");
    ingest(
        &mut Writer::open(&fresh, Options::default()).unwrap(),
        &usual(),
    );
    for version in 1..VERSION {
        let path = dir.path().join(format!("{version}.db"));
        Connection::open(&path)
            .unwrap()
            .execute_batch(&fixture(version))
            .unwrap();
        assert!(
            Reader::open(&path).is_err(),
            "a reader does not bring anything up to date"
        );
        let mut writer = Writer::open(&path, Options::default()).unwrap();
        assert_eq!(schema(&path), schema(&fresh), "version {version}");
        let reader = writer.reader();
        let other = Reader::open(&fresh).unwrap();
        assert_eq!(reader.session("s1").unwrap(), other.session("s1").unwrap());
        assert_eq!(
            reader.timeline("s1", 1, 9).unwrap(),
            other.timeline("s1", 1, 9).unwrap()
        );
        let filter = SearchFilter {
            text: "parser",
            scope: Scope::default(),
            session: None,
            limit: 9,
        };
        assert_eq!(
            reader.search(&filter).unwrap(),
            other.search(&filter).unwrap()
        );
        assert_eq!(reader.search(&filter).unwrap().len(), 2);
        // And life goes on, late events included.
        assert_eq!(ingest(&mut writer, &usual()).known, 9);
        ingest(
            &mut writer,
            &[
                prompt("e10", 30.0, "more"),
                prompt("e00", 0.5, "first"),
                end("e11", 40.0),
            ],
        );
        let batches = writer.reader().batches("s1").unwrap();
        assert_eq!(
            batches.iter().map(|batch| batch.number).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
        assert_eq!(
            writer.reader().session("s1").unwrap().unwrap().ended_at,
            Some(at(40.0))
        );
        assert_eq!(
            writer.reader().check(Depth::Full).unwrap().problems,
            [""; 0]
        );
    }
}

#[test]
fn a_migration_that_was_interrupted_is_done_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trail.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(&fixture(1)).unwrap();
    // As far as one that was killed in the middle could have come: not a step.
    db.execute_batch("BEGIN; CREATE TABLE search (x); ROLLBACK")
        .unwrap();
    drop(db);
    let writer = Writer::open(&path, Options::default()).unwrap();
    assert_eq!(writer.reader().last_seq().unwrap(), 9);
}
