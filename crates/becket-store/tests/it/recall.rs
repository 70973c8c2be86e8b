//! Memories, code, vectors and the extraction queue.

use std::time::Duration;

use becket_store::{
    CodeFile, CorpusChange, CorpusKind, MemoryChange, MemoryFilter, MemoryKind, MemoryStatus,
    NewChunk, NewMemory, NewVector, StoreWriter, Trust,
};

use crate::{at, writer};

const SHOP: &str = "/home/ana/shop";
const BLOG: &str = "/home/ana/blog";

fn remember(writer: &mut StoreWriter, memory: &NewMemory<'_>) -> String {
    let mut transaction = writer.begin().unwrap();
    let added = transaction.add_memory(memory, None).unwrap();
    transaction.commit().unwrap();
    added.id
}

fn gotcha<'m>(id: &'m str, project: &'m str, text: &'m str) -> NewMemory<'m> {
    NewMemory::new(id, project, MemoryKind::Gotcha, text, at(0.0))
}

fn changes(
    writer: &StoreWriter,
    project: &str,
    shelf: CorpusKind,
    after: i64,
) -> Vec<CorpusChange> {
    let reader = writer.reader();
    reader
        .corpus_changes(project, shelf, "model/2", after, 1000)
        .unwrap()
}

fn put(writer: &mut StoreWriter, path: &str, hash: &str, texts: &[&str]) {
    let file = CodeFile {
        path,
        content_hash: hash,
        language: "rust",
        lines: 3,
        size: 30,
        changed: 7,
    };
    let chunk = |text| NewChunk {
        start: 1,
        end: 3,
        name: Some("main"),
        kind: "function",
        text,
        vector: Some(NewVector {
            model: "model/2",
            bytes: &[1, 2],
        }),
    };
    let chunks: Vec<NewChunk<'_>> = texts.iter().map(|text| chunk(*text)).collect();
    let mut transaction = writer.begin().unwrap();
    transaction
        .put_code_file(SHOP, &file, &chunks, at(0.0))
        .unwrap();
    transaction.commit().unwrap();
}

#[test]
fn memory_round_trips() {
    let mut writer = writer();
    let memory = NewMemory {
        context: Some("src/db.rs"),
        importance: 99,
        files: &["src/db.rs", "src/pool.rs"],
        events: &["e1"],
        session: Some("s1"),
        commit: Some("abc"),
        pinned: true,
        ..gotcha("m1", SHOP, "connections leak")
    };
    remember(&mut writer, &memory);
    let found = writer.reader().memory("m1").unwrap().unwrap();
    assert_eq!(
        (found.text.as_str(), found.project.as_str()),
        ("connections leak", SHOP)
    );
    assert_eq!(found.importance, 10, "the nearer end");
    assert_eq!(found.files, ["src/db.rs", "src/pool.rs"]);
    assert_eq!(found.events, ["e1"]);
    assert!(found.pinned && found.status == MemoryStatus::Active);
}

#[test]
fn equal_memories_are_deduped_per_project() {
    let mut writer = writer();
    assert_eq!(remember(&mut writer, &gotcha("m1", SHOP, "one")), "m1");
    assert_eq!(remember(&mut writer, &gotcha("m2", SHOP, "one")), "m1");
    assert_eq!(remember(&mut writer, &gotcha("m1", SHOP, "other")), "m1");
    assert_eq!(remember(&mut writer, &gotcha("m3", BLOG, "one")), "m3");
}

#[test]
fn memories_and_chunks_are_redacted() {
    let mut writer = writer();
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPL2");
    let text = format!("the key is {secret}");
    remember(&mut writer, &gotcha("m1", SHOP, &text));
    put(&mut writer, "src/a.rs", "h", &[&text]);
    let memory = writer.reader().memory("m1").unwrap().unwrap();
    let chunk = &writer.reader().chunks_of(SHOP, "src/a.rs").unwrap()[0];
    assert!(!memory.text.contains(&secret), "{}", memory.text);
    assert!(!chunk.text.contains(&secret), "{}", chunk.text);
}

#[test]
fn memory_changes_are_partial_and_never_supersede_themselves() {
    let mut writer = writer();
    remember(&mut writer, &gotcha("m1", SHOP, "one"));
    remember(&mut writer, &gotcha("m2", SHOP, "two"));
    let mut transaction = writer.begin().unwrap();
    let own = MemoryChange {
        superseded_by: Some("m1"),
        ..MemoryChange::default()
    };
    assert!(transaction.change_memory("m1", &own).is_err());
    let better = MemoryChange {
        superseded_by: Some("m2"),
        ..MemoryChange::default()
    };
    assert!(transaction.change_memory("m1", &better).unwrap());
    assert!(!transaction.change_memory("unknown", &better).unwrap());
    transaction.commit().unwrap();
    let old = writer.reader().memory("m1").unwrap().unwrap();
    assert_eq!(old.status, MemoryStatus::Superseded);
    assert_eq!(
        (old.importance, old.superseded_by.as_deref()),
        (5, Some("m2"))
    );
    let active = MemoryFilter {
        project: Some(SHOP),
        status: Some(MemoryStatus::Active),
        limit: 10,
        ..MemoryFilter::default()
    };
    let active = writer.reader().memories(&active).unwrap();
    assert_eq!(active.len(), 1);
}

#[test]
fn change_log_has_each_row_once_with_its_latest_state() {
    let mut writer = writer();
    remember(&mut writer, &gotcha("m1", SHOP, "one"));
    remember(&mut writer, &gotcha("m2", SHOP, "two"));
    remember(&mut writer, &gotcha("b1", BLOG, "elsewhere"));
    let first = changes(&writer, SHOP, CorpusKind::Memory, 0);
    assert_eq!(first.len(), 2, "nothing of another project");
    let seen = first.last().unwrap().seq;
    assert!(changes(&writer, SHOP, CorpusKind::Memory, seen).is_empty());

    let mut transaction = writer.begin().unwrap();
    assert!(transaction.forget_memory("m1").unwrap());
    assert!(!transaction.forget_memory("m1").unwrap());
    transaction.commit().unwrap();
    let later = changes(&writer, SHOP, CorpusKind::Memory, seen);
    assert_eq!(later.len(), 1);
    assert!(later[0].pk == first[0].pk && later[0].row.is_none());
    assert_eq!(
        changes(&writer, SHOP, CorpusKind::Memory, 0).len(),
        2,
        "a row and a tombstone"
    );
}

#[test]
fn rolled_back_changes_are_not_in_the_log() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction
        .add_memory(&gotcha("m1", SHOP, "one"), None)
        .unwrap();
    drop(transaction);
    assert_eq!(
        writer
            .reader()
            .corpus_seq(SHOP, CorpusKind::Memory)
            .unwrap(),
        0
    );
}

#[test]
fn code_file_is_replaced_moved_and_removed_with_chunks_and_vectors() {
    let mut writer = writer();
    put(
        &mut writer,
        "src/a.rs",
        "h1",
        &["fn one() {}", "fn two() {}"],
    );
    put(&mut writer, "src/a.rs", "h2", &["fn three() {}"]);
    let seen = writer.reader().corpus_seq(SHOP, CorpusKind::Code).unwrap();
    assert_eq!(
        writer.reader().chunks_of(SHOP, "src/a.rs").unwrap().len(),
        1
    );
    assert_eq!(
        writer
            .reader()
            .count_unembedded(CorpusKind::Code, "model/2")
            .unwrap(),
        0
    );

    let mut transaction = writer.begin().unwrap();
    assert!(
        transaction
            .move_code_file(SHOP, "src/a.rs", "src/b.rs")
            .unwrap()
    );
    assert!(
        !transaction
            .move_code_file(SHOP, "src/a.rs", "src/c.rs")
            .unwrap()
    );
    transaction.commit().unwrap();
    let moved = changes(&writer, SHOP, CorpusKind::Code, seen);
    let row = moved[0].row.as_ref().unwrap();
    assert_eq!(row.files, ["src/b.rs"]);
    assert_eq!(row.vector, None, "it was made with the path");

    let mut transaction = writer.begin().unwrap();
    assert!(transaction.remove_code_file(SHOP, "src/b.rs").unwrap());
    transaction.commit().unwrap();
    let rows = changes(&writer, SHOP, CorpusKind::Code, 0);
    assert!(rows.iter().all(|change| change.row.is_none()));
    assert_eq!(writer.reader().recall_counts(SHOP).unwrap().chunks, 0);
}

#[test]
fn confirmed_memory_merges_trust_and_sources() {
    let mut writer = writer();
    let first = NewMemory {
        trust: Trust::Tool,
        events: &["e1"],
        files: &["a.rs"],
        ..gotcha("m1", SHOP, "The cache is cold after a deploy")
    };
    assert_eq!(remember(&mut writer, &first), "m1");
    for (trust, event) in [(Trust::User, "e2"), (Trust::Agent, "e2")] {
        let again = NewMemory {
            id: "m2",
            trust,
            events: &[event],
            files: &["a.rs", "b.rs"],
            ..first
        };
        assert_eq!(remember(&mut writer, &again), "m1");
        let known = writer.reader().memory("m1").unwrap().unwrap();
        assert_eq!(known.trust, Trust::User, "the highest trust");
        assert_eq!(
            (known.events, known.files),
            (
                vec!["e1".into(), "e2".into()],
                vec!["a.rs".into(), "b.rs".into()]
            )
        );
    }
    // Other content under the same id is no confirmation.
    let other = NewMemory {
        text: "Something else",
        events: &["e3"],
        ..first
    };
    assert_eq!(remember(&mut writer, &other), "m1");
    let known = writer.reader().memory("m1").unwrap().unwrap();
    assert_eq!(known.events, ["e1", "e2"]);
    let many: Vec<String> = (0..500).map(|number| format!("x{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut transaction = writer.begin().unwrap();
    assert!(
        transaction
            .confirm_memory("m1", Trust::Tool, &many, &[])
            .unwrap()
    );
    assert!(
        !transaction
            .confirm_memory("unknown", Trust::Tool, &many, &[])
            .unwrap()
    );
    transaction.commit().unwrap();
    let known = writer.reader().memory("m1").unwrap().unwrap();
    assert_eq!((known.events.len(), known.trust), (100, Trust::User));
}

#[test]
fn changed_file_logs_only_changed_chunks() {
    let mut writer = writer();
    let all = |last| ["fn one() {}", "fn twin() {}", "fn twin() {}", last];
    put(&mut writer, "src/a.rs", "h1", &all("fn two() {}"));
    let before = writer.reader().chunks_of(SHOP, "src/a.rs").unwrap();
    let seen = writer.reader().corpus_seq(SHOP, CorpusKind::Code).unwrap();

    put(&mut writer, "src/a.rs", "h2", &all("fn three() {}"));
    let after = writer.reader().chunks_of(SHOP, "src/a.rs").unwrap();
    let texts: Vec<&str> = after.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, all("fn three() {}"));
    let pks = |of: &[becket_store::ChunkRow]| of[..3].iter().map(|one| one.pk).collect::<Vec<_>>();
    assert_eq!(pks(&before), pks(&after));
    let memory_changes: Vec<Option<String>> = changes(&writer, SHOP, CorpusKind::Code, seen)
        .into_iter()
        .map(|change| change.row.map(|row| row.text))
        .collect();
    assert_eq!(memory_changes, [Some("fn three() {}".to_owned()), None]);

    put(&mut writer, "src/a.rs", "h3", &["fn twin() {}"]);
    assert_eq!(writer.reader().recall_counts(SHOP).unwrap().chunks, 1);
}

#[test]
fn vectors_are_stored_per_model_and_logged() {
    let mut writer = writer();
    remember(&mut writer, &gotcha("m1", SHOP, "one"));
    let missing = writer
        .reader()
        .unembedded(CorpusKind::Memory, "model/2", 0, 10)
        .unwrap();
    assert_eq!(missing.len(), 1);
    let seen = writer
        .reader()
        .corpus_seq(SHOP, CorpusKind::Memory)
        .unwrap();
    let vector = NewVector {
        model: "model/2",
        bytes: &[9],
    };
    let mut transaction = writer.begin().unwrap();
    assert!(
        transaction
            .put_vector(CorpusKind::Memory, missing[0].pk, vector)
            .unwrap()
    );
    assert!(
        !transaction
            .put_vector(CorpusKind::Memory, 999, vector)
            .unwrap()
    );
    transaction.commit().unwrap();
    let later = changes(&writer, SHOP, CorpusKind::Memory, seen);
    assert_eq!(
        later[0].row.as_ref().unwrap().vector.as_deref(),
        Some([9].as_slice())
    );
    let reader = writer.reader();
    assert_eq!(
        reader
            .count_unembedded(CorpusKind::Memory, "another")
            .unwrap(),
        1
    );
    let other = reader
        .corpus_changes(SHOP, CorpusKind::Memory, "another", 0, 10)
        .unwrap();
    assert_eq!(other[0].row.as_ref().unwrap().vector, None);
}

#[test]
fn extraction_jobs_are_claimed_retried_and_given_up() {
    let mut writer = writer();
    let lease = Duration::from_secs(60);
    let mut transaction = writer.begin().unwrap();
    assert!(transaction.enqueue_extraction("b1", "s1", at(0.0)).unwrap());
    assert!(!transaction.enqueue_extraction("b1", "s1", at(1.0)).unwrap());
    let first = transaction
        .claim_extraction(at(1.0), lease)
        .unwrap()
        .unwrap();
    assert_eq!((first.batch.as_str(), first.attempts), ("b1", 1));
    assert_eq!(transaction.claim_extraction(at(2.0), lease).unwrap(), None);
    let again = transaction
        .claim_extraction(at(62.0), lease)
        .unwrap()
        .unwrap();
    assert_eq!(again.attempts, 2, "the lease expired");
    assert!(
        transaction
            .fail_extraction(again.pk, "no model", Some(at(100.0)))
            .unwrap()
    );
    assert_eq!(transaction.claim_extraction(at(99.0), lease).unwrap(), None);
    let last = transaction
        .claim_extraction(at(100.0), lease)
        .unwrap()
        .unwrap();
    assert!(
        transaction
            .fail_extraction(last.pk, "no model", None)
            .unwrap()
    );
    assert_eq!(
        transaction.claim_extraction(at(9999.0), lease).unwrap(),
        None
    );
    transaction.commit().unwrap();
    assert_eq!(writer.reader().extractions().unwrap().failed, 1);
    let dead = writer.reader().failed_extractions(10).unwrap();
    assert_eq!(dead[0].error.as_deref(), Some("no model"));
    let mut transaction = writer.begin().unwrap();
    assert!(transaction.retry_extraction(dead[0].pk, at(200.0)).unwrap());
    assert!(!transaction.retry_extraction(dead[0].pk, at(200.0)).unwrap());
    let fresh = transaction.claim_extraction(at(200.0), lease).unwrap();
    assert_eq!(fresh.unwrap().attempts, 1);
    transaction.commit().unwrap();
}

#[test]
fn claimed_and_failed_jobs_can_be_requeued() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    for batch in ["b1", "b2"] {
        assert!(transaction.enqueue_extraction(batch, "s", at(1.0)).unwrap());
    }
    let hour = std::time::Duration::from_secs(3600);
    let taken = transaction
        .claim_extraction(at(2.0), hour)
        .unwrap()
        .unwrap();
    transaction.commit().unwrap();
    assert_eq!(writer.reader().next_extraction().unwrap(), Some(at(1.0)));
    let mut transaction = writer.begin().unwrap();
    let other = transaction
        .claim_extraction(at(2.0), hour)
        .unwrap()
        .unwrap();
    transaction.fail_extraction(other.pk, "no", None).unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        writer.reader().next_extraction().unwrap(),
        Some(at(2.0).plus(hour))
    );
    let mut transaction = writer.begin().unwrap();
    assert_eq!(transaction.release_extractions(at(3.0)).unwrap(), 1);
    let again = transaction
        .claim_extraction(at(3.0), hour)
        .unwrap()
        .unwrap();
    assert_eq!((again.pk, again.attempts), (taken.pk, 2));
    transaction.finish_extraction(again.pk).unwrap();
    assert_eq!(transaction.retry_extractions(at(4.0)).unwrap(), 1);
    assert_eq!(transaction.retry_extractions(at(4.0)).unwrap(), 0);
    transaction.commit().unwrap();
    let numbers = writer.reader().extractions().unwrap();
    assert_eq!((numbers.waiting, numbers.done, numbers.failed), (1, 1, 0));
    assert_eq!(writer.reader().next_extraction().unwrap(), Some(at(4.0)));
}

#[test]
fn failed_savepoint_rolls_back_only_itself() {
    let mut writer = writer();
    let mut transaction = writer.begin().unwrap();
    transaction.set_meta("before", "1").unwrap();
    let failed: Result<(), _> = transaction.atomically(|transaction| {
        transaction.set_meta("half", "1")?;
        // A memory that would supersede itself is refused.
        let change = becket_store::MemoryChange {
            superseded_by: Some("m"),
            ..becket_store::MemoryChange::default()
        };
        transaction.change_memory("m", &change).map(|_| ())
    });
    assert!(failed.is_err());
    transaction
        .atomically(|transaction| transaction.set_meta("after", "1"))
        .expect("done");
    transaction.commit().unwrap();
    let meta = |key: &str| writer.reader().meta(key).unwrap();
    assert_eq!(
        (meta("before"), meta("half"), meta("after")),
        (Some("1".into()), None, Some("1".into()))
    );
}
