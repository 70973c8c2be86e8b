//! Search results, and recovery of snapshots.

use std::path::Path;
use std::sync::Arc;

use becket_recall::embed::BuiltinModel;
use becket_recall::search::{
    Band, HitKind, Recall, SearchFilter, SearchHit, SearchQuery, SearchResult,
};
use becket_store::{
    MemoryChange, MemoryKind, MemoryStatus, Millis, NewMemory, Options, StoreWriter,
};

use crate::{BLOG, SHOP, gotcha, remember};

const LEAK: &str = "Database connections leak under load: always use the context manager";

fn recall(dir: Option<&Path>) -> Recall {
    Recall::new(dir, Arc::new(BuiltinModel)).unwrap()
}

fn all<'q>(project: &'q str, text: &'q str) -> SearchQuery<'q> {
    SearchQuery {
        least: Band::Weak,
        now: Millis(2_000),
        ..SearchQuery::new(project, text)
    }
}

fn ids(found: &[SearchResult]) -> Vec<&str> {
    let id = |found: &'_ SearchResult| match &found.hit {
        SearchHit::Memory(row) => row.id.as_str().to_owned(),
        SearchHit::Code(row) => row.path.clone(),
    };
    let ids: Vec<String> = found.iter().map(id).collect();
    ids.into_iter().map(|id| &*id.leak()).collect()
}

fn filled() -> StoreWriter {
    let mut writer = StoreWriter::in_memory().unwrap();
    for (id, text) in [
        ("leak", LEAK),
        (
            "bcrypt",
            "Use bcrypt for password hashing, with a cost of twelve",
        ),
        (
            "zone",
            "Reports are cut at midnight in Berlin and not in UTC",
        ),
        ("redis", "All Redis keys begin with the id of the tenant"),
    ] {
        remember(&mut writer, &gotcha(id, SHOP, text));
    }
    remember(&mut writer, &gotcha("foreign", BLOG, LEAK));
    writer
}

#[test]
fn paraphrased_query_finds_the_memory_first() {
    let writer = filled();
    let recall = recall(None);
    for (text, expected) in [
        ("why does the database run out of connections", "leak"),
        ("how do we hash a password", "bcrypt"),
        ("naming of redis keys", "redis"),
    ] {
        let found = recall.search(writer.reader(), &all(SHOP, text)).unwrap();
        assert_eq!(ids(&found)[0], expected, "{text}");
        assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.score)));
    }
}

#[test]
fn other_projects_are_never_searched() {
    let writer = filled();
    let recall = recall(None);
    let found = recall.search(writer.reader(), &all(BLOG, LEAK)).unwrap();
    assert_eq!(ids(&found), ["foreign"]);
    let found = recall.search(writer.reader(), &all(SHOP, LEAK)).unwrap();
    assert!(!ids(&found).contains(&"foreign"));
    for other in ["", "/", "/home/ana", "/home/ana/shop/", "/home/ana/sho%"] {
        assert!(
            recall
                .search(writer.reader(), &all(other, LEAK))
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn nonsense_and_empty_queries_find_nothing() {
    let writer = filled();
    let recall = recall(None);
    let huge = "lorem ipsum ".repeat(20_000);
    for text in [
        "zzqx flibbertigibbet banana recipe",
        "",
        "   ",
        "\0",
        "the of and",
        "((((\"*",
        huge.as_str(),
    ] {
        let query = SearchQuery {
            now: Millis(2_000),
            ..SearchQuery::new(SHOP, text)
        };
        let found = recall.search(writer.reader(), &query).unwrap();
        assert!(found.is_empty(), "{text:.30}: {:?}", ids(&found));
    }
}

#[test]
fn filters_narrow_by_kind_type_status_file_age_and_agent() {
    let mut writer = StoreWriter::in_memory().unwrap();
    let base = gotcha("plain", SHOP, "pool of connections, plainly");
    let texts: Vec<NewMemory<'_>> = vec![
        base,
        NewMemory {
            id: "plan",
            kind: MemoryKind::Plan,
            text: "pool of connections, a plan",
            ..base
        },
        NewMemory {
            id: "session",
            kind: MemoryKind::SessionSummary,
            text: "pool of connections, a summary",
            ..base
        },
        NewMemory {
            id: "resolved",
            status: MemoryStatus::Resolved,
            text: "pool of connections, resolved",
            ..base
        },
        NewMemory {
            id: "file",
            files: &["src/db/pool.rs"],
            text: "pool of connections, in a file",
            ..base
        },
        NewMemory {
            id: "young",
            created: Millis(1_900),
            text: "pool of connections, young",
            ..base
        },
        NewMemory {
            id: "codex",
            agent: Some("codex"),
            text: "pool of connections, of codex",
            ..base
        },
        NewMemory {
            id: "expired",
            expires: Some(Millis(1_500)),
            text: "pool of connections, expired",
            ..base
        },
    ];
    for memory in &texts {
        remember(&mut writer, memory);
    }
    let recall = recall(None);
    let check = |filter: SearchFilter<'_>, expected: &[&str]| {
        let query = SearchQuery {
            filter,
            ..all(SHOP, "pool of connections")
        };
        let found = recall.search(writer.reader(), &query).unwrap();
        let mut found = ids(&found);
        found.sort_unstable();
        assert_eq!(found, expected, "{filter:?}");
    };
    let none = SearchFilter::default();
    check(
        none,
        &["codex", "file", "plain", "plan", "session", "young"],
    );
    check(
        SearchFilter {
            kinds: &[HitKind::Plan, HitKind::Session],
            ..none
        },
        &["plan", "session"],
    );
    check(
        SearchFilter {
            kinds: &[HitKind::Code],
            ..none
        },
        &[],
    );
    check(
        SearchFilter {
            types: &[MemoryKind::Plan],
            ..none
        },
        &["plan"],
    );
    check(
        SearchFilter {
            statuses: &[MemoryStatus::Resolved],
            ..none
        },
        &["resolved"],
    );
    check(
        SearchFilter {
            file: Some("src/db"),
            ..none
        },
        &["file"],
    );
    check(
        SearchFilter {
            since: Some(Millis(1_500)),
            ..none
        },
        &["young"],
    );
    check(
        SearchFilter {
            agent: Some("codex"),
            ..none
        },
        &["codex"],
    );
}

#[test]
fn store_changes_are_visible_to_the_next_search() {
    let mut writer = filled();
    let recall = recall(None);
    let search = |writer: &StoreWriter, text: &str| {
        let found = recall.search(writer.reader(), &all(SHOP, text)).unwrap();
        ids(&found).first().map(|id| (*id).to_owned())
    };
    assert_eq!(search(&writer, LEAK).as_deref(), Some("leak"));
    let mut group = writer.begin().unwrap();
    let resolved = MemoryChange {
        status: Some(MemoryStatus::Resolved),
        ..MemoryChange::default()
    };
    group.change_memory("leak", &resolved).unwrap();
    group.commit().unwrap();
    assert_ne!(search(&writer, LEAK).as_deref(), Some("leak"));
    remember(
        &mut writer,
        &gotcha(
            "new",
            SHOP,
            "Connections leak when the database is under load, again",
        ),
    );
    assert_eq!(search(&writer, LEAK).as_deref(), Some("new"));
    let mut group = writer.begin().unwrap();
    group.forget_memory("new").unwrap();
    group.commit().unwrap();
    assert_ne!(search(&writer, LEAK).as_deref(), Some("new"));
}

/// A killed process leaves the store and a snapshot that is stale, missing or truncated.
#[test]
fn stale_missing_or_damaged_snapshot_gives_the_same_results() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("index");
    let mut writer = StoreWriter::open(dir.path().join("store.db"), Options::default()).unwrap();
    remember(&mut writer, &gotcha("early", SHOP, LEAK));
    let first = recall(Some(&index));
    first.sync(writer.reader(), SHOP).unwrap();
    first.save().unwrap();
    // It is killed after the store has more changes than the snapshot.
    remember(
        &mut writer,
        &gotcha("late", SHOP, "Password hashes are made with bcrypt"),
    );
    drop(first);
    let search = |writer: &StoreWriter| {
        let recall = recall(Some(&index));
        let early = recall.search(writer.reader(), &all(SHOP, LEAK)).unwrap();
        let late = recall
            .search(writer.reader(), &all(SHOP, "bcrypt password"))
            .unwrap();
        (ids(&early)[0].to_owned(), ids(&late)[0].to_owned())
    };
    let expected = ("early".to_owned(), "late".to_owned());
    assert_eq!(search(&writer), expected);
    let files: Vec<_> = std::fs::read_dir(&index)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(!files.is_empty());
    for file in &files {
        let whole = std::fs::read(file).unwrap();
        for broken in [
            &whole[..whole.len() / 2],
            b"",
            b"BKTSHLF2 and then something else entirely, long enough",
        ] {
            std::fs::write(file, broken).unwrap();
            assert_eq!(search(&writer), expected);
        }
        let mut flipped = whole.clone();
        flipped[whole.len() / 3] ^= 0x55;
        std::fs::write(file, flipped).unwrap();
        assert_eq!(search(&writer), expected);
        std::fs::remove_file(file).unwrap();
        assert_eq!(search(&writer), expected);
    }
}

#[test]
fn snapshot_of_another_database_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("index");
    let mut old = StoreWriter::open(dir.path().join("old.db"), Options::default()).unwrap();
    remember(&mut old, &gotcha("old", SHOP, LEAK));
    let first = recall(Some(&index));
    first.sync(old.reader(), SHOP).unwrap();
    first.save().unwrap();
    // The same row and sequence number, but other content.
    let mut new = StoreWriter::open(dir.path().join("new.db"), Options::default()).unwrap();
    remember(
        &mut new,
        &gotcha("new", SHOP, "Password hashes are made with bcrypt"),
    );
    let second = recall(Some(&index));
    let found = second
        .search(new.reader(), &all(SHOP, "bcrypt password"))
        .unwrap();
    assert_eq!(ids(&found), ["new"]);
    assert!(
        found[0].features.coverage > 0.5,
        "it was found by its own words"
    );
}

#[test]
fn forgotten_memory_leaves_no_term_in_the_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = StoreWriter::in_memory().unwrap();
    remember(&mut writer, &gotcha("keep", SHOP, LEAK));
    remember(
        &mut writer,
        &gotcha("gone", SHOP, "the codename is xylophonist"),
    );
    let recall = recall(Some(dir.path()));
    recall.sync(writer.reader(), SHOP).unwrap();
    recall.save().unwrap();
    let holds = || {
        let files = std::fs::read_dir(dir.path()).unwrap();
        files.flatten().any(|file| {
            let bytes = std::fs::read(file.path()).unwrap();
            bytes.windows(8).any(|eight| eight == b"xylophon")
        })
    };
    assert!(holds());
    let mut group = writer.begin().unwrap();
    group.forget_memory("gone").unwrap();
    group.commit().unwrap();
    recall.sync(writer.reader(), SHOP).unwrap();
    recall.save().unwrap();
    assert!(!holds());
}

#[test]
fn concurrent_search_and_write() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let mut writer = StoreWriter::open(&path, Options::default()).unwrap();
    remember(&mut writer, &gotcha("leak", SHOP, LEAK));
    let recall = recall(None);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let reader = becket_store::StoreReader::open(&path).unwrap();
                for _ in 0..20 {
                    let found = recall.search(&reader, &all(SHOP, LEAK)).unwrap();
                    assert_eq!(ids(&found)[0], "leak");
                }
            });
        }
        for number in 0..20 {
            let (id, text) = (
                format!("n{number}"),
                format!("something else, number {number}"),
            );
            remember(&mut writer, &gotcha(&id, SHOP, &text));
        }
    });
}
