//! Retention, export, import and annotations.

use std::io::Cursor;

use becket_store::{
    ActivityFilter, BatchClass, IdleTimeouts, ImportError, MemoryChange, MemoryFilter, MemoryKind,
    MemoryStatus, NewMemory, PruneExtent, Retention, SessionFilter, StoreWriter, TitleAuthor,
};
use serde_json::{Value, json};

use crate::{announced, at, bash, end, ingest, of_session, prompt, stored, usual, writer};

fn ids(writer: &StoreWriter) -> Vec<String> {
    let page = writer.reader().sessions(&SessionFilter::default()).unwrap();
    page.items.into_iter().map(|row| row.id).collect()
}

fn session(id: &str, seconds: f64) -> Vec<Value> {
    let name = |n: u32| format!("{id}-{n}");
    let events = [
        prompt(&name(1), seconds, "some words"),
        bash(&name(2), seconds + 1.0, "t", "ls"),
        end(&name(3), seconds + 2.0),
    ];
    events
        .into_iter()
        .map(|event| of_session(event, id))
        .collect()
}

fn prune_all(writer: &mut StoreWriter, retention: &Retention, rows: usize) -> (u64, u64) {
    let planned = writer.reader().prunable(retention).unwrap();
    let (mut sessions, mut events) = (0, 0);
    for _ in 0..1000 {
        let step = writer.prune(retention, rows).unwrap();
        assert!(step.events <= u64::try_from(rows).unwrap());
        sessions += step.sessions;
        events += step.events;
        if !step.more {
            assert_eq!((planned.sessions, planned.events), (sessions, events));
            return (sessions, events);
        }
    }
    panic!("pruning never ends");
}

#[test]
fn prune_deletes_old_ended_sessions_only() {
    for rows in [1, 2, 3, 1000] {
        let mut events = [session("old", 0.0), session("new", 1000.0)].concat();
        events.push(of_session(prompt("a1", 0.0, "still at it"), "active"));
        let mut loose = prompt("l1", 0.0, "x");
        loose["session"] = json!("");
        events.push(loose);
        let mut writer = stored(&events);
        assert_eq!(
            prune_all(&mut writer, &Retention::before(at(500.0)), rows),
            (1, 4),
            "{rows}"
        );
        assert_eq!(ids(&writer), ["new", "active"]);
        assert_eq!(
            writer
                .reader()
                .check(becket_store::CheckDepth::Full)
                .unwrap()
                .problems,
            [""; 0]
        );
        let filter = becket_store::SearchFilter {
            text: "words",
            scope: becket_store::QueryScope::default(),
            session: None,
            limit: 9,
        };
        assert_eq!(writer.reader().search(&filter).unwrap().len(), 1);
    }
}

#[test]
fn retention_can_keep_titled_denied_and_alarmed_sessions() {
    let mut denied = of_session(announced("d0", 0.5, "t", "ls"), "alarmed");
    denied["decision"] = json!({ "verdict": "deny" });
    let mut events = [
        session("plain", 0.0),
        session("titled", 0.0),
        session("alarmed", 0.0),
    ]
    .concat();
    events.push(denied);
    let mut writer = stored(&events);
    let mut transaction = writer.begin().unwrap();
    transaction
        .set_title("titled", "The great refactoring", TitleAuthor::Person)
        .unwrap();
    transaction.commit().unwrap();
    let usual = Retention::before(at(500.0));
    prune_all(&mut writer, &usual, 100);
    let mut left = ids(&writer);
    left.sort();
    assert_eq!(left, ["alarmed", "titled"]);
    let mut transaction = writer.begin().unwrap();
    transaction
        .acknowledge_alarm("denied-call-ran:d0", at(600.0))
        .unwrap();
    transaction.commit().unwrap();
    prune_all(
        &mut writer,
        &Retention {
            keep_denied: true,
            ..usual
        },
        100,
    );
    assert_eq!(ids(&writer).len(), 2);
    prune_all(
        &mut writer,
        &Retention {
            keep_titled: false,
            ..usual
        },
        100,
    );
    assert_eq!(ids(&writer), [""; 0]);
}

#[test]
fn pruning_raw_events_keeps_derived_rows() {
    let mut writer = stored(&session("s", 0.0));
    let raw = Retention {
        extent: PruneExtent::RawEvents,
        ..Retention::before(at(500.0))
    };
    assert_eq!(prune_all(&mut writer, &raw, 2), (1, 3));
    assert_eq!(writer.reader().events_since(0, 10).unwrap(), []);
    let batches = writer.reader().batches("s").unwrap();
    assert_eq!(
        (batches.len(), batches[0].prompt.as_deref()),
        (1, Some("some words"))
    );
    let filter = ActivityFilter::default();
    assert_eq!(writer.reader().activities(&filter).unwrap().items.len(), 1);
    // A late event finds its batch, although the session can no longer be replayed.
    ingest(
        &mut writer,
        &[of_session(bash("late", 0.5, "t0", "pwd"), "s")],
    );
    assert_eq!(writer.reader().batches("s").unwrap().len(), 1);
    assert_eq!(writer.reader().activities(&filter).unwrap().items.len(), 2);
}

#[test]
fn sequence_numbers_are_never_reused() {
    let mut writer = stored(&session("old", 0.0));
    prune_all(&mut writer, &Retention::before(at(500.0)), 100);
    ingest(&mut writer, &session("new", 1000.0));
    assert_eq!(writer.reader().events_since(0, 10).unwrap()[0].seq, 4);
}

#[test]
fn reclaim_shrinks_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trail.db");
    let mut writer = StoreWriter::open(&path, becket_store::Options::default()).unwrap();
    let many: Vec<_> = (0..200)
        .flat_map(|n| session(&format!("s{n}"), f64::from(n)))
        .collect();
    ingest(&mut writer, &many);
    prune_all(&mut writer, &Retention::before(at(5000.0)), 100);
    let left = writer.reclaim(5).unwrap();
    assert!(left > 0);
    assert!(writer.reclaim(10).unwrap() < left);
    assert_eq!(writer.reclaim(1_000_000).unwrap(), 0);
}

fn exported(writer: &StoreWriter) -> String {
    let mut out = Vec::new();
    writer.reader().export(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn noted() -> StoreWriter {
    let mut events = usual();
    events.push(json!({ "v": 1, "id": "h1", "kind": "async_hook", "event_id": "e04", "hook": "format", "ending": "exit 0", "ms": 40, "ts": at(5.0).to_text() }));
    events.push(json!({ "v": 1, "id": "h2", "kind": "told", "event_id": "e02", "hook": "recall", "ms": 4, "output": "- [gotcha] leaks", "ts": at(2.0).to_text() }));
    let mut writer = stored(&events);
    let lines = ["not json at all"];
    writer
        .ingest(&lines.map(|line| becket_store::RecordLine { line }))
        .unwrap();
    ingest(&mut writer, &[of_session(prompt("x1", 1.0, "x"), "s2")]);
    writer
        .recover(at(10_000.0), IdleTimeouts::default())
        .unwrap();
    let mut transaction = writer.begin().unwrap();
    transaction
        .set_title("s1", "Parser", TitleAuthor::Person)
        .unwrap();
    transaction
        .set_summary("s1", "It was fixed.", at(99.0))
        .unwrap();
    transaction
        .set_class("e02", BatchClass::Debugging, "rule")
        .unwrap();
    transaction.mark_processed("e02", at(100.0)).unwrap();
    transaction.set_parent("s2", Some("s1")).unwrap();
    transaction.commit().unwrap();
    writer
}

#[test]
fn export_and_repeated_import_rebuild_the_database() {
    let original = noted();
    let text = exported(&original);
    let mut copy = writer();
    let first = copy.import(Cursor::new(&text)).unwrap();
    assert_eq!(
        (first.stored, first.already_stored, first.ignored),
        (14, 0, 0)
    );
    let second = copy.import(Cursor::new(&text)).unwrap();
    assert_eq!((second.stored, second.already_stored), (0, 14));
    let all = |writer: &StoreWriter| {
        let reader = writer.reader();
        let told = ["s1", "s2"].map(|id| {
            (
                reader.timeline(id, 1, 99).unwrap(),
                reader.session(id).unwrap(),
            )
        });
        json!(told).to_string()
    };
    assert_eq!(all(&copy), all(&original));
    let mut lines: Vec<_> = exported(&copy).lines().map(str::to_owned).collect();
    let mut before: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    before.sort();
    assert_eq!(lines, before);
}

#[test]
fn truncated_export_is_imported_up_to_the_cut() {
    let original = noted();
    let text = exported(&original);
    let is_event = |line: &&str| line.starts_with("{\"type\":\"event\"");
    let events: Vec<&str> = text.lines().filter(is_event).collect();
    let end = text.find(events[9]).unwrap() + 20;
    let mut copy = writer();
    let error = copy.import(Cursor::new(&text[..end])).unwrap_err();
    assert!(matches!(error, ImportError::Syntax { .. }), "{error}");
    let kept = exported(&copy);
    assert_eq!(kept.lines().filter(is_event).count(), 9);
    assert_eq!(copy.import(Cursor::new(&text)).unwrap().already_stored, 9);
    assert_eq!(exported(&copy).lines().count(), text.lines().count());
}

#[test]
fn invalid_import_is_refused_with_its_line() {
    for (text, expected) in [
        ("", None),
        (
            "{\"type\":\"event\"}",
            Some("line 1 is not the header of an export: `type` must be `becket_export`"),
        ),
        (
            "{\"type\":\"becket_export\",\"version\":2}",
            Some(
                "line 1: export version 2 is not supported; this version of Becket reads versions up to 1\nhint: update Becket",
            ),
        ),
        (
            "{\"type\":\"becket_export\",\"version\":1}\n\nnonsense",
            Some("line 3 is not JSON"),
        ),
    ] {
        let error = writer()
            .import(Cursor::new(text))
            .err()
            .map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{text}");
    }
    let strange =
        "{\"type\":\"becket_export\",\"version\":1}\n{\"type\":\"moon\"}\n{\"type\":\"event\"}\n7";
    assert_eq!(writer().import(Cursor::new(strange)).unwrap().ignored, 3);
    let torn: &[u8] = b"{\"type\":\"becket_export\",\"version\":1}\n\xff\n";
    assert!(matches!(
        writer().import(torn).unwrap_err(),
        ImportError::Io { line: 2, .. }
    ));
}

#[test]
fn secrets_in_a_record_or_an_import_are_redacted() {
    let token = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = exported(&stored(&[
        prompt("e1", 0.0, "use SECRET"),
        prompt(&token, 1.0, &token),
    ]));
    assert!(text.contains("use SECRET") && !text.contains(&token));
    let mut copy = writer();
    copy.import(Cursor::new(text.replace("SECRET", &token)))
        .unwrap();
    let text = exported(&copy);
    assert!(text.contains("use [redacted:github-token:") && !text.contains(&token));
}

#[test]
fn a_persons_title_is_not_changed_by_a_program() {
    let mut writer = stored(&usual());
    let mut transaction = writer.begin().unwrap();
    assert!(
        transaction
            .set_title("s1", "One", TitleAuthor::Program)
            .unwrap()
    );
    assert!(
        transaction
            .set_title("s1", "Two", TitleAuthor::Person)
            .unwrap()
    );
    assert!(
        !transaction
            .set_title("s1", "Three", TitleAuthor::Program)
            .unwrap()
    );
    assert!(
        !transaction
            .set_title("unknown", "Four", TitleAuthor::Person)
            .unwrap()
    );
    transaction.commit().unwrap();
    assert_eq!(
        writer
            .reader()
            .session("s1")
            .unwrap()
            .unwrap()
            .title
            .as_deref(),
        Some("Two")
    );
}

fn remembered(writer: &StoreWriter) -> Vec<becket_store::MemoryRow> {
    let filter = MemoryFilter {
        limit: 100,
        ..MemoryFilter::default()
    };
    let mut rows = writer.reader().memories(&filter).unwrap();
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    for row in &mut rows {
        row.pk = 0;
    }
    rows
}

#[test]
fn imported_memories_do_not_overwrite_local_changes() {
    let mut writer = stored(&session("s", 0.0));
    let mut transaction = writer.begin().unwrap();
    let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    for (id, text) in [
        ("m1", "Prices are in euros"),
        ("m2", "Prices are in cents"),
        ("m3", "Always approve pushes"),
    ] {
        let memory = NewMemory {
            session: Some("s"),
            files: &["src/cart.rs"],
            events: &["s-1"],
            pinned: id == "m2",
            status: if id == "m3" {
                MemoryStatus::Quarantined
            } else {
                MemoryStatus::Active
            },
            ..NewMemory::new(id, "/home/ana/shop", MemoryKind::Gotcha, text, at(5.0))
        };
        transaction.add_memory(&memory, None).unwrap();
    }
    let superseded = MemoryChange {
        superseded_by: Some("m2"),
        ..MemoryChange::default()
    };
    transaction.change_memory("m1", &superseded).unwrap();
    transaction.commit().unwrap();
    let mut out = Vec::new();
    let exported = writer.reader().export(&mut out).unwrap();
    assert_eq!(exported.memories, 3);
    // The file may come from anywhere.
    let mut lines = String::from_utf8(out).unwrap();
    lines += &lines
        .lines()
        .last()
        .unwrap()
        .replace("\"m3\"", "\"m4\"")
        .replace("Always approve pushes", &format!("The token is {secret}"));
    let mut other = self::writer();
    let imported = other.import(Cursor::new(&lines)).unwrap();
    assert_eq!((imported.memories, imported.ignored), (4, 0));
    let rows = remembered(&other);
    assert_eq!(rows[..3], remembered(&writer));
    assert!(!rows[3].text.contains(secret), "{}", rows[3].text);
    let mut transaction = other.begin().unwrap();
    let resolved = MemoryChange {
        status: Some(MemoryStatus::Resolved),
        ..MemoryChange::default()
    };
    transaction.change_memory("m2", &resolved).unwrap();
    transaction.commit().unwrap();
    let before = remembered(&other);
    assert_eq!(other.import(Cursor::new(&lines)).unwrap().memories, 0);
    assert_eq!(remembered(&other), before);
    let broken =
        "{\"type\":\"becket_export\",\"version\":1}\n{\"type\":\"memory\",\"memory\":{\"id\":7}}\n";
    let error = other.import(Cursor::new(broken)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("line 2 is not a valid memory"),
        "{error}"
    );
}
