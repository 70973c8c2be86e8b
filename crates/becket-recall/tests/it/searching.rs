//! What is found, what is not, and what survives.

use std::path::Path;
use std::sync::Arc;

use becket_recall::embed::Builtin;
use becket_recall::search::{Band, Filter, Found, Hit, Kind, Query, Recall};
use becket_store::{MemoryChange, MemoryKind, MemoryStatus, Millis, NewMemory, Options, Writer};

use crate::{BLOG, SHOP, gotcha, remember};

const LEAK: &str = "Database connections leak under load: always use the context manager";

fn recall(dir: Option<&Path>) -> Recall {
    Recall::new(dir, Arc::new(Builtin)).unwrap()
}

fn all<'q>(project: &'q str, text: &'q str) -> Query<'q> {
    Query {
        least: Band::Weak,
        now: Millis(2_000),
        ..Query::new(project, text)
    }
}

fn ids(found: &[Found]) -> Vec<&str> {
    let id = |found: &'_ Found| match &found.hit {
        Hit::Memory(row) => row.id.as_str().to_owned(),
        Hit::Code(row) => row.path.clone(),
    };
    let ids: Vec<String> = found.iter().map(id).collect();
    ids.into_iter().map(|id| &*id.leak()).collect()
}

fn filled() -> Writer {
    let mut writer = Writer::in_memory().unwrap();
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
fn what_is_asked_for_in_other_words_is_found_first() {
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
fn nothing_of_another_project_is_found_however_well_it_fits() {
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
fn nonsense_and_emptiness_find_nothing() {
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
        let query = Query {
            now: Millis(2_000),
            ..Query::new(SHOP, text)
        };
        let found = recall.search(writer.reader(), &query).unwrap();
        assert!(found.is_empty(), "{text:.30}: {:?}", ids(&found));
    }
}

#[test]
fn filters_narrow_by_kind_type_status_file_age_and_agent() {
    let mut writer = Writer::in_memory().unwrap();
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
    let check = |filter: Filter<'_>, expected: &[&str]| {
        let query = Query {
            filter,
            ..all(SHOP, "pool of connections")
        };
        let found = recall.search(writer.reader(), &query).unwrap();
        let mut found = ids(&found);
        found.sort_unstable();
        assert_eq!(found, expected, "{filter:?}");
    };
    let none = Filter::default();
    check(
        none,
        &["codex", "file", "plain", "plan", "session", "young"],
    );
    check(
        Filter {
            kinds: &[Kind::Plan, Kind::Session],
            ..none
        },
        &["plan", "session"],
    );
    check(
        Filter {
            kinds: &[Kind::Code],
            ..none
        },
        &[],
    );
    check(
        Filter {
            types: &[MemoryKind::Plan],
            ..none
        },
        &["plan"],
    );
    check(
        Filter {
            statuses: &[MemoryStatus::Resolved],
            ..none
        },
        &["resolved"],
    );
    check(
        Filter {
            file: Some("src/db"),
            ..none
        },
        &["file"],
    );
    check(
        Filter {
            since: Some(Millis(1_500)),
            ..none
        },
        &["young"],
    );
    check(
        Filter {
            agent: Some("codex"),
            ..none
        },
        &["codex"],
    );
}

#[test]
fn what_changes_in_the_store_is_seen_by_the_next_search() {
    let mut writer = filled();
    let recall = recall(None);
    let search = |writer: &Writer, text: &str| {
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

/// A process that is killed leaves the store, and a file of the index that is older than it, or none, or half of one.
#[test]
fn an_index_that_is_old_missing_or_damaged_finds_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("index");
    let mut writer = Writer::open(dir.path().join("store.db"), Options::default()).unwrap();
    remember(&mut writer, &gotcha("early", SHOP, LEAK));
    let first = recall(Some(&index));
    first.sync(writer.reader(), SHOP).unwrap();
    first.save().unwrap();
    // It is killed after the store has taken more than the file has.
    remember(
        &mut writer,
        &gotcha("late", SHOP, "Password hashes are made with bcrypt"),
    );
    drop(first);
    let search = |writer: &Writer| {
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
fn an_index_of_another_database_is_not_taken_for_ones_own() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("index");
    let mut old = Writer::open(dir.path().join("old.db"), Options::default()).unwrap();
    remember(&mut old, &gotcha("old", SHOP, LEAK));
    let first = recall(Some(&index));
    first.sync(old.reader(), SHOP).unwrap();
    first.save().unwrap();
    // The same row and the same number of changes, but something else.
    let mut new = Writer::open(dir.path().join("new.db"), Options::default()).unwrap();
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
fn a_forgotten_memory_leaves_no_word_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::in_memory().unwrap();
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
fn many_threads_may_search_while_one_writes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let mut writer = Writer::open(&path, Options::default()).unwrap();
    remember(&mut writer, &gotcha("leak", SHOP, LEAK));
    let recall = recall(None);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let reader = becket_store::Reader::open(&path).unwrap();
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
