//! Migration of databases of every earlier version.
//!
//! `versions/<number>.sql` creates a small database as that version left it. A new version comes with the dump of
//! the previous one.

use std::fs;
use std::path::Path;

use becket_store::{
    CheckDepth, MemoryKind, MemoryStatus, NewMemory, Options, QueryScope, SearchFilter,
    StoreReader, StoreWriter, VERSION,
};
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
fn every_older_version_is_migrated_with_its_content() {
    let dir = tempfile::tempdir().unwrap();
    let fresh = dir.path().join("fresh.db");
    ingest(
        &mut StoreWriter::open(&fresh, Options::default()).unwrap(),
        &usual(),
    );
    for version in 1..VERSION {
        let path = dir.path().join(format!("{version}.db"));
        Connection::open(&path)
            .unwrap()
            .execute_batch(&fixture(version))
            .unwrap();
        assert!(
            StoreReader::open(&path).is_err(),
            "a reader does not bring anything up to date"
        );
        let mut writer = StoreWriter::open(&path, Options::default()).unwrap();
        assert_eq!(schema(&path), schema(&fresh), "version {version}");
        let reader = writer.reader();
        let other = StoreReader::open(&fresh).unwrap();
        assert_eq!(reader.session("s1").unwrap(), other.session("s1").unwrap());
        assert_eq!(
            reader.timeline("s1", 1, 9).unwrap(),
            other.timeline("s1", 1, 9).unwrap()
        );
        let filter = SearchFilter {
            text: "parser",
            scope: QueryScope::default(),
            session: None,
            limit: 9,
        };
        assert_eq!(
            reader.search(&filter).unwrap(),
            other.search(&filter).unwrap()
        );
        assert_eq!(reader.search(&filter).unwrap().len(), 2);
        // Ingesting continues to work, including late events.
        assert_eq!(ingest(&mut writer, &usual()).already_stored, 9);
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
            writer.reader().check(CheckDepth::Full).unwrap().problems,
            [""; 0]
        );
    }
}

#[test]
fn memories_survive_the_rebuild_of_their_table() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trail.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(&fixture(6)).unwrap();
    let mut writer = StoreWriter::open(&path, Options::default()).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        let mut query = db.prepare(sql).unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(
        rows("SELECT pk || ' ' || id || ' ' || type || ' ' || content_hash FROM memories"),
        ["1 m1 gotcha 1f0c6a4e", "2 m2 plan 9d2e7b31"]
    );
    // Vectors and the log stay as they were: nothing is embedded or indexed again.
    assert_eq!(rows("SELECT hex(vector) FROM vectors"), ["01FF"]);
    let log = "SELECT seq || ' ' || pk FROM recall_log ORDER BY seq";
    assert_eq!(rows(log), ["1 1", "2 2", "4 3"]);
    let memory = writer.reader().memory("m1").unwrap().unwrap();
    assert_eq!(
        (memory.kind, memory.status, memory.importance, memory.pinned),
        (MemoryKind::Gotcha, MemoryStatus::Active, 8, true)
    );
    assert_eq!(memory.files, ["src/cart.rs"]);
    // The number of the deleted third memory is not used again, and triggers still write the log.
    let new = NewMemory::new(
        "m4",
        "/home/ana/shop",
        MemoryKind::Decision,
        "Round down.",
        at(40.0),
    );
    let mut transaction = writer.begin().unwrap();
    transaction.add_memory(&new, None).unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        rows("SELECT CAST(pk AS TEXT) FROM memories WHERE id = 'm4'"),
        ["4"]
    );
    assert_eq!(rows(log), ["1 1", "2 2", "4 3", "5 4"]);
}

#[test]
fn interrupted_migration_is_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trail.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(&fixture(1)).unwrap();
    // A migration that was killed half-way has left nothing.
    db.execute_batch("BEGIN; CREATE TABLE search (x); ROLLBACK")
        .unwrap();
    drop(db);
    let writer = StoreWriter::open(&path, Options::default()).unwrap();
    assert_eq!(writer.reader().last_seq().unwrap(), 9);
}
