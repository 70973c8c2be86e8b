//! Parent links between sessions.

use becket_store::{ErrorKind, SessionFilter, StoreWriter};
use serde_json::{Value, json};

use crate::{bash, end, ingest, of_session, prompt, record, start, stored};

fn parent(writer: &StoreWriter, session: &str) -> Option<(String, String)> {
    let row = writer.reader().session(session).unwrap().unwrap();
    row.parent.zip(row.parent_reason)
}

fn link(id: &str, why: &str) -> (String, String) {
    (id.into(), why.into())
}

fn cleared(seconds: f64) -> Value {
    of_session(start("c1", seconds, "clear"), "child")
}

#[test]
fn cleared_session_has_the_just_ended_parent() {
    let older = [
        of_session(prompt("o1", 0.0, "x"), "older"),
        of_session(end("o2", 8.0), "older"),
    ];
    let newer = [prompt("e1", 1.0, "x"), end("e2", 9.0)];
    let events: Vec<_> = older
        .into_iter()
        .chain(newer)
        .chain([cleared(10.0)])
        .collect();
    assert_eq!(parent(&stored(&events), "child"), Some(link("s1", "clear")));
}

#[test]
fn late_session_end_still_links_the_parent() {
    let mut writer = stored(&[prompt("e1", 1.0, "x"), cleared(10.0)]);
    assert_eq!(parent(&writer, "child"), Some(link("s1", "clear_active")));
    ingest(&mut writer, &[end("e2", 9.9)]);
    assert_eq!(parent(&writer, "child"), Some(link("s1", "clear")));
}

#[test]
fn without_an_end_the_last_prompted_session_is_the_parent() {
    assert_eq!(
        parent(&stored(&[prompt("e1", 0.0, "x"), cleared(600.0)]), "child"),
        Some(link("s1", "clear_active"))
    );
    let over = [prompt("e1", 0.0, "x"), end("e2", 1.0), cleared(600.0)];
    assert_eq!(
        parent(&stored(&over), "child"),
        Some(link("s1", "inferred"))
    );
    let old = [
        prompt("e1", 0.0, "x"),
        end("e2", 1.0),
        cleared(25.0 * 3600.0),
    ];
    assert_eq!(parent(&stored(&old), "child"), None);
}

#[test]
fn other_agents_and_projects_are_no_parents() {
    let mut foreign = prompt("e1", 0.0, "x");
    foreign["agent"] = json!("gemini");
    assert_eq!(parent(&stored(&[foreign, cleared(1.0)]), "child"), None);
    let mut elsewhere = prompt("e1", 0.0, "x");
    elsewhere["project"] = json!("/home/ana/blog");
    assert_eq!(parent(&stored(&[elsewhere, cleared(1.0)]), "child"), None);
}

#[test]
fn only_cleared_sessions_get_an_inferred_parent() {
    let events = [
        prompt("e1", 0.0, "x"),
        of_session(start("c0", 1.0, "startup"), "child"),
        cleared(2.0),
    ];
    assert_eq!(parent(&stored(&events), "child"), None);
}

#[test]
fn subagent_session_parent_is_named_or_inferred_by_time() {
    let subagent = |named: bool| {
        let mut made = of_session(
            record(
                "c1",
                5.0,
                "SubagentStart",
                json!({ "agent_id": "child", "agent_type": "explore" }),
            ),
            "child",
        );
        if named {
            made["payload"]["parentAgentId"] = json!("elsewhere");
        }
        made
    };
    assert_eq!(
        parent(
            &stored(&[bash("e1", 0.0, "t", "ls"), subagent(false)]),
            "child"
        ),
        Some(link("s1", "subagent"))
    );
    assert_eq!(
        parent(
            &stored(&[bash("e1", -60.0, "t", "ls"), subagent(false)]),
            "child"
        ),
        None
    );
    assert_eq!(
        parent(
            &stored(&[bash("e1", 0.0, "t", "ls"), subagent(true)]),
            "child"
        ),
        Some(link("elsewhere", "subagent"))
    );
}

#[test]
fn lineage_lists_ancestors_and_children() {
    let mut group_of = stored(&[
        prompt("e1", 0.0, "x"),
        of_session(prompt("e2", 1.0, "x"), "s2"),
        of_session(prompt("e3", 2.0, "x"), "s3"),
    ]);
    let mut transaction = group_of.begin().unwrap();
    assert!(transaction.set_parent("s3", Some("s2")).unwrap());
    assert!(transaction.set_parent("s2", Some("s1")).unwrap());
    transaction.commit().unwrap();
    let ids = |rows: Vec<becket_store::SessionRow>| {
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(group_of.reader().lineage("s3").unwrap()), ["s2", "s1"]);
    let filter = SessionFilter {
        parent: Some("s1"),
        ..SessionFilter::default()
    };
    assert_eq!(
        ids(group_of.reader().sessions(&filter).unwrap().items),
        ["s2"]
    );
}

#[test]
fn parent_cycles_are_refused() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "x"),
        of_session(prompt("e2", 1.0, "x"), "s2"),
        of_session(prompt("e3", 2.0, "x"), "s3"),
    ]);
    let mut transaction = writer.begin().unwrap();
    transaction.set_parent("s2", Some("s1")).unwrap();
    transaction.set_parent("s3", Some("s2")).unwrap();
    for (session, parent) in [("s1", "s1"), ("s1", "s2"), ("s1", "s3")] {
        let error = transaction.set_parent(session, Some(parent)).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Refused(_)), "{error}");
    }
    transaction.commit().unwrap();
    assert_eq!(parent(&writer, "s1"), None);
}

#[test]
fn parent_cycles_in_payloads_are_harmless() {
    let naming = |id: &str, session: &str, parent: &str| {
        let mut made = of_session(start(id, 0.0, "startup"), session);
        made["payload"]["parent_session_id"] = json!(parent);
        made
    };
    let writer = stored(&[
        naming("e1", "a", "b"),
        naming("e2", "b", "a"),
        naming("e3", "c", "c"),
    ]);
    assert_eq!(writer.reader().lineage("a").unwrap().len(), 1);
    assert_eq!(parent(&writer, "c"), None);
}
