//! Lists, pages, searches, timelines and streams.

use becket_store::{
    ActivityFilter, DecisionFilter, EntryContent, EventFilter, HitKind, QueryScope, SearchFilter,
    SessionFilter, StoreWriter, is_cursor,
};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, of_session, prompt, record, start, stop, stored, usual};

fn found(writer: &StoreWriter, text: &str) -> Vec<String> {
    let filter = SearchFilter {
        text,
        scope: QueryScope::default(),
        session: None,
        limit: 50,
    };
    let hits = writer.reader().search(&filter).unwrap();
    hits.into_iter().map(|hit| hit.event_id).collect()
}

#[test]
fn session_pages_cover_all_sessions_once_while_more_arrive() {
    let event = |number: u32| {
        of_session(
            prompt(&format!("e{number:02}"), f64::from(number % 4), "x"),
            &format!("s{number:02}"),
        )
    };
    let mut writer = stored(&(0..11).map(event).collect::<Vec<_>>());
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let filter = SessionFilter {
            limit: 3,
            after: after.as_deref(),
            ..SessionFilter::default()
        };
        let page = writer.reader().sessions(&filter).unwrap();
        seen.extend(page.items.into_iter().map(|row| (row.last_at, row.id)));
        let Some(next) = page.next else { break };
        after = Some(next);
        ingest(
            &mut writer,
            &[of_session(
                prompt(&format!("n{}", seen.len()), 100.0, "new"),
                &format!("new{}", seen.len()),
            )],
        );
    }
    assert!(seen.is_sorted_by(|one, next| one.0 >= next.0));
    let mut ids: Vec<_> = seen.into_iter().map(|(_, id)| id).collect();
    ids.sort();
    assert_eq!(
        ids,
        (0..11)
            .map(|number| format!("s{number:02}"))
            .collect::<Vec<_>>()
    );
}

#[test]
fn unknown_cursor_starts_at_the_beginning() {
    let mut events = usual();
    events.push(of_session(prompt("o1", 100.0, "x"), "s2"));
    let writer = stored(&events);
    let ids = |after| -> Vec<String> {
        let filter = SessionFilter {
            after,
            ..SessionFilter::default()
        };
        let page = writer.reader().sessions(&filter).unwrap();
        page.items.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(None), ["s2", "s1"]);
    for mark in [
        "",
        "x",
        "_",
        "x_#1",
        "99999999999999999999_#1",
        "1790000000000_#x",
    ] {
        assert!(!is_cursor(mark), "{mark}");
        assert_eq!(ids(Some(mark)), ["s2", "s1"], "{mark}");
    }
    let before_all = "1_#1";
    assert!(is_cursor(before_all));
    assert_eq!(ids(Some(before_all)), [""; 0]);
}

#[test]
fn sessions_are_filtered_by_project_agent_time_and_status() {
    let mut other = of_session(prompt("o1", 100.0, "x"), "s2");
    other["agent"] = json!("codex");
    other["project"] = json!("/home/ana/blog");
    let mut events = usual();
    events.push(other);
    let writer = stored(&events);
    let ids = |filter: SessionFilter<'_>| -> Vec<String> {
        let page = writer.reader().sessions(&filter).unwrap();
        page.items.into_iter().map(|row| row.id).collect()
    };
    let scope = |scope| SessionFilter {
        scope,
        ..SessionFilter::default()
    };
    let all = QueryScope::default();
    assert_eq!(ids(scope(all)), ["s2", "s1"]);
    assert_eq!(
        ids(scope(QueryScope {
            agent: Some("codex"),
            ..all
        })),
        ["s2"]
    );
    assert_eq!(
        ids(scope(QueryScope {
            project: Some("/home/ana/shop"),
            ..all
        })),
        ["s1"]
    );
    assert_eq!(
        ids(scope(QueryScope {
            project: Some("/nowhere"),
            ..all
        })),
        [""; 0]
    );
    assert_eq!(
        ids(scope(QueryScope {
            since: Some(at(50.0)),
            ..all
        })),
        ["s2"]
    );
    assert_eq!(
        ids(scope(QueryScope {
            until: Some(at(50.0)),
            ..all
        })),
        ["s1"]
    );
    assert_eq!(
        ids(SessionFilter {
            status: Some("active"),
            ..SessionFilter::default()
        }),
        ["s2"]
    );
}

#[test]
fn search_covers_prompts_answers_commands_outputs_errors_and_paths() {
    let mut events = usual();
    events.push(record("f1", 11.5, "PostToolUseFailure", json!({
        "tool_name": "Edit", "tool_input": { "file_path": "/home/ana/shop/src/http_client/retryPolicy.rs" }, "error": "String not found",
    })));
    let writer = stored(&events);
    for (text, expected) in [
        ("parser", &["e05", "e02"][..]),
        ("fix parser", &["e05", "e02"]),
        ("PARSERS", &["e05", "e02"]),
        ("\"the parser\" fix", &["e05", "e02"]),
        ("cargo", &["e04"]),
        ("\"not found\"", &["f1"]),
        ("retry policy", &["f1"]),
        ("retryPolicy", &["f1"]),
        ("retry_policy", &["f1"]),
        ("retrypolicy", &["f1"]),
        ("http_client/retryPolicy.rs", &["f1"]),
        ("client", &["f1"]),
        ("mdbo*", &["e07"]),
        ("mdbo", &[]),
        ("parser nowhere", &[]),
        ("\" OR 1=1 --", &[]),
        ("NEAR(", &[]),
        ("", &[]),
    ] {
        assert_eq!(found(&writer, text), expected, "{text}");
    }
}

#[test]
fn search_filters_narrow_hits_and_hits_have_kinds() {
    let writer = stored(&[
        prompt("e1", 0.0, "the needle"),
        stop("e2", 1.0, "a needle"),
        of_session(prompt("e3", 2.0, "needle"), "s2"),
    ]);
    let search = |scope, session| {
        let filter = SearchFilter {
            text: "needle",
            scope,
            session,
            limit: 10,
        };
        writer.reader().search(&filter).unwrap()
    };
    assert_eq!(search(QueryScope::default(), None).len(), 3);
    assert_eq!(
        search(
            QueryScope {
                since: Some(at(1.5)),
                ..QueryScope::default()
            },
            None
        )
        .len(),
        1
    );
    assert_eq!(
        search(
            QueryScope {
                agent: Some("gemini"),
                ..QueryScope::default()
            },
            None
        )
        .len(),
        0
    );
    let hits = search(QueryScope::default(), Some("s1"));
    assert_eq!(
        (
            hits[0].kind,
            hits[0].text.as_str(),
            hits[0].batch.as_deref()
        ),
        (HitKind::Response, "a needle", Some("e1"))
    );
    assert_eq!(
        (hits[1].kind, hits[1].batch.as_deref()),
        (HitKind::Prompt, Some("e1"))
    );
}

#[test]
fn activities_are_filtered_by_tool_file_and_success() {
    let edit = |id: &str, path: &str| {
        record(
            id,
            5.0,
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": { "file_path": path }, "tool_response": {} }),
        )
    };
    let failed = record(
        "e3",
        6.0,
        "PostToolUseFailure",
        json!({ "tool_name": "Bash", "tool_input": {}, "error": "no" }),
    );
    let writer = stored(&[
        edit("e1", "/home/ana/shop/a.rs"),
        edit("e2", "/home/ana/shop/b.rs"),
        failed,
    ]);
    let ids = |filter: ActivityFilter<'_>| -> Vec<String> {
        writer
            .reader()
            .activities(&filter)
            .unwrap()
            .items
            .into_iter()
            .map(|row| row.id)
            .collect()
    };
    let all = ActivityFilter::default();
    assert_eq!(
        ids(ActivityFilter {
            tool: Some("Edit"),
            ..all
        }),
        ["e2", "e1"]
    );
    assert_eq!(
        ids(ActivityFilter {
            path: Some("a.rs"),
            ..all
        }),
        ["e1"]
    );
    assert_eq!(
        ids(ActivityFilter {
            success: Some(false),
            ..all
        }),
        ["e3"]
    );
    assert_eq!(
        ids(ActivityFilter {
            session: Some("s2"),
            ..all
        }),
        [""; 0]
    );
    let first = writer
        .reader()
        .activities(&ActivityFilter { limit: 2, ..all })
        .unwrap();
    let rest = writer
        .reader()
        .activities(&ActivityFilter {
            after: first.next.as_deref(),
            ..all
        })
        .unwrap();
    assert_eq!(
        (first.items.len(), rest.items.len(), rest.next),
        (2, 1, None)
    );
}

#[test]
fn timeline_groups_events_by_prompt() {
    let mut denied = announced("d1", 2.5, "t9", "rm -rf /");
    denied["decision"] =
        json!({ "verdict": "deny", "hooks": [{ "hook": "guard", "verdict": "deny", "ms": 4 }] });
    let mut events = usual();
    events.push(denied);
    let writer = stored(&events);
    let timeline = writer.reader().timeline("s1", 1, 1).unwrap().unwrap();
    assert_eq!(
        timeline
            .before
            .iter()
            .map(|entry| entry.kind.as_str())
            .collect::<Vec<_>>(),
        ["SessionStart"]
    );
    assert_eq!((timeline.batches.len(), timeline.next), (1, Some(2)));
    let entries = &timeline.batches[0].entries;
    let kinds: Vec<_> = entries.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "UserPromptSubmit",
            "PreToolUse",
            "PreToolUse",
            "PostToolUse",
            "Stop"
        ]
    );
    assert!(matches!(&entries[2].what, EntryContent::Decision(row) if row.verdict == "deny"));
    assert_eq!(entries[2].hooks[0].hook, "guard");
    assert!(matches!(&entries[3].what, EntryContent::Activity(row) if row.tool == "Bash"));
    let rest = writer.reader().timeline("s1", 2, 10).unwrap().unwrap();
    assert_eq!(
        (rest.before.len(), rest.batches[0].batch.number, rest.next),
        (0, 2, None)
    );
    assert_eq!(writer.reader().timeline("unknown", 1, 1).unwrap(), None);
}

#[test]
fn event_stream_resumes_at_a_sequence_number() {
    let mut writer = stored(&usual()[..4]);
    let first = writer.reader().events_since(0, 3).unwrap();
    assert_eq!(
        first
            .iter()
            .map(|event| event.id.as_str())
            .collect::<Vec<_>>(),
        ["e01", "e02", "e03"]
    );
    ingest(&mut writer, &usual());
    let rest = writer.reader().events_since(first[2].seq, 100).unwrap();
    assert_eq!(
        rest.iter()
            .map(|event| event.id.as_str())
            .collect::<Vec<_>>(),
        ["e04", "e05", "e06", "e07", "e08", "e09"]
    );
    assert_eq!(
        writer.reader().last_seq().unwrap(),
        rest.last().unwrap().seq
    );
    assert_eq!(rest[0].record, usual()[3].to_string());
}

#[test]
fn decisions_are_listed_page_by_page() {
    let asked = |number: u32| {
        let mut made = announced(
            &format!("e{number}"),
            f64::from(number / 2),
            &format!("t{number}"),
            "x",
        );
        made["decision"] = json!({ "verdict": if number == 0 { "deny" } else { "ask" } });
        made
    };
    let writer = stored(&(0..5).map(asked).collect::<Vec<_>>());
    let all = DecisionFilter {
        limit: 2,
        ..DecisionFilter::default()
    };
    let one = writer.reader().decisions(&all).unwrap();
    let two = writer
        .reader()
        .decisions(&DecisionFilter {
            after: one.next.as_deref(),
            ..all
        })
        .unwrap();
    let three = writer
        .reader()
        .decisions(&DecisionFilter {
            after: two.next.as_deref(),
            ..all
        })
        .unwrap();
    let ids: Vec<_> = [one, two, three]
        .into_iter()
        .flat_map(|page| page.items)
        .map(|row| row.event_id)
        .collect();
    assert_eq!(ids, ["e4", "e3", "e2", "e1", "e0"]);
    let denied = DecisionFilter {
        verdict: Some("deny"),
        ..DecisionFilter::default()
    };
    assert_eq!(writer.reader().decisions(&denied).unwrap().items.len(), 1);
}

#[test]
fn call_outcome_is_known_with_and_without_a_decision() {
    let mut denied = announced("e3", 3.0, "t2", "cat .env");
    denied["decision"] = json!({ "verdict": "deny" });
    let call = json!({
        "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_use_id": "t3", "error": "no rule",
    });
    let failed = record("e6", 6.0, "PostToolUseFailure", call);
    let writer = stored(&[
        announced("e1", 1.0, "t1", "ls"),
        bash("e2", 2.0, "t1", "ls"),
        denied,
        bash("e4", 4.0, "t2", "cat .env"),
        announced("e5", 5.0, "t3", "make"),
        failed,
        announced("e7", 7.0, "t4", "sleep 9"),
    ]);
    for (id, expected) in [
        ("e1", Some("ran")),
        ("e3", Some("ran")),
        ("e5", Some("failed")),
        ("e7", None),
        ("nothing", None),
    ] {
        let outcome = writer.reader().outcome(id).unwrap();
        assert_eq!(outcome.as_deref(), expected, "{id}");
    }
}

#[test]
fn batches_are_unprocessed_until_marked() {
    let mut writer = stored(&usual());
    let waiting = |writer: &StoreWriter| -> Vec<String> {
        writer
            .reader()
            .unprocessed_batches(10)
            .unwrap()
            .into_iter()
            .map(|batch| batch.id)
            .collect()
    };
    assert_eq!(waiting(&writer), ["e02", "e06"]);
    let mut transaction = writer.begin().unwrap();
    assert!(transaction.mark_processed("e02", at(60.0)).unwrap());
    assert!(!transaction.mark_processed("unknown", at(60.0)).unwrap());
    transaction.commit().unwrap();
    assert_eq!(waiting(&writer), ["e06"]);
    ingest(&mut writer, &[bash("e10", 30.0, "t7", "late")]);
    assert_eq!(writer.reader().active_batch("s1").unwrap(), None);
}

#[test]
fn meta_values_are_stored_by_key() {
    let mut writer = crate::writer();
    let mut transaction = writer.begin().unwrap();
    transaction.set_meta("budget", "1").unwrap();
    transaction.set_meta("budget", "2").unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        writer.reader().meta("budget").unwrap().as_deref(),
        Some("2")
    );
    assert_eq!(writer.reader().meta("nothing").unwrap(), None);
}

#[test]
fn event_stream_can_be_filtered() {
    let mut codex = of_session(prompt("e90", 90.0, "x"), "c1");
    codex["agent"] = json!("codex");
    let mut denied = announced("e91", 91.0, "t9", "rm x");
    denied["decision"] = json!({ "verdict": "deny" });
    let writer = stored(&[usual(), vec![codex, denied]].concat());
    let ids = |filter: &EventFilter<'_>, since: i64| -> Vec<String> {
        let events = writer.reader().events_after(since, filter).unwrap();
        events.into_iter().map(|event| event.id).collect()
    };
    let all = EventFilter::default();
    let prompts = EventFilter {
        kind: Some("UserPromptSubmit"),
        ..all
    };
    assert_eq!(ids(&prompts, 0), ["e02", "e06", "e90"]);
    let last = writer.reader().last_seq().unwrap();
    assert_eq!(ids(&prompts, last), [""; 0]);
    let of_codex = EventFilter {
        scope: QueryScope {
            agent: Some("codex"),
            ..QueryScope::default()
        },
        ..all
    };
    assert_eq!(ids(&of_codex, 0), ["e90"]);
    let denied = EventFilter {
        verdict: Some("deny"),
        ..all
    };
    assert_eq!(ids(&denied, 0), ["e91"]);
    let two = EventFilter {
        session: Some("s1"),
        limit: 2,
        ..all
    };
    assert_eq!(ids(&two, 0), ["e01", "e02"]);
    let latest = writer.reader().latest_events(&two).unwrap();
    let latest: Vec<_> = latest.iter().map(|event| event.id.as_str()).collect();
    assert_eq!(latest, ["e09", "e91"]);
}

#[test]
fn session_id_prefix_is_matched_literally() {
    let writer = stored(&[
        of_session(prompt("e1", 0.0, "x"), "ab-1"),
        of_session(prompt("e2", 1.0, "x"), "ab-2"),
        of_session(prompt("e3", 2.0, "x"), "AB-3"),
    ]);
    let ids = |beginning: &str| writer.reader().session_ids(beginning, 10).unwrap();
    assert_eq!(ids("ab"), ["ab-2", "ab-1"]);
    assert_eq!(ids("ab-1"), ["ab-1"]);
    assert_eq!(ids("%").len() + ids("_").len() + ids("*").len(), 0);
    assert_eq!(ids("").len(), 3);
}

#[test]
fn activities_can_be_searched() {
    let writer = stored(&usual());
    let ids = |text: &str| -> Vec<String> {
        let filter = ActivityFilter {
            text: Some(text),
            ..ActivityFilter::default()
        };
        let page = writer.reader().activities(&filter).unwrap();
        page.items.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids("cargo test"), ["e04"]);
    assert_eq!(ids("parser"), [""; 0], "said, and not done");
    assert_eq!(ids("\"*("), [""; 0], "no word is in it");
}

#[test]
fn events_before_searches_back_any_distance() {
    let mut rare = announced("e00", 0.0, "t0", "rm x");
    rare["agent"] = json!("codex");
    rare["decision"] = json!({ "verdict": "none", "updated_input": { "command": "ls" } });
    let many = (1..=400).map(|n| prompt(&format!("p{n:03}"), f64::from(n), "x"));
    let writer = stored(&[vec![rare], many.collect()].concat());
    let ids = |filter: &EventFilter<'_>, before: i64| -> Vec<String> {
        let events = writer.reader().events_before(before, filter).unwrap();
        events.into_iter().map(|event| event.id).collect()
    };
    let few = EventFilter {
        limit: 3,
        ..EventFilter::default()
    };
    assert_eq!(ids(&few, i64::MAX), ["p398", "p399", "p400"]);
    assert_eq!(ids(&few, 3), ["e00", "p001"]);
    let codex = QueryScope {
        agent: Some("codex"),
        ..QueryScope::default()
    };
    for filter in [
        EventFilter {
            scope: codex,
            ..few
        },
        EventFilter {
            kind: Some("PreToolUse"),
            ..few
        },
        EventFilter {
            verdict: Some("rewrite"),
            ..few
        },
        EventFilter {
            verdict: Some("deny,rewrite"),
            scope: codex,
            ..few
        },
    ] {
        assert_eq!(ids(&filter, i64::MAX), ["e00"], "{filter:?}");
        assert_eq!(ids(&filter, 1), [""; 0], "{filter:?}");
    }
}

#[test]
fn decisions_are_found_by_rule_by_hook_and_by_several_verdicts_at_once() {
    let decided = |number: u32, decision: Value| {
        let id = format!("e{number}");
        let mut made = announced(&id, f64::from(number), &id, "make");
        made["decision"] = decision;
        made
    };
    let guard = |verdict: &str, rule: Value| json!({ "verdict": verdict, "hooks": [{ "hook": "guard", "verdict": verdict, "rule": rule }] });
    let writer = stored(&[
        decided(1, guard("deny", json!("git.push-force"))),
        decided(2, guard("ask", json!("core.delete"))),
        decided(3, guard("none", Value::Null)),
        decided(4, guard("allow", Value::Null)),
        decided(
            5,
            json!({
                "verdict": "none", "updated_input": { "command": "make -s" },
                "hooks": [{ "hook": "guard", "verdict": "none" }, { "hook": "quiet", "verdict": "none", "rewrote": true }],
            }),
        ),
    ]);
    let ids = |filter: DecisionFilter<'_>| -> Vec<String> {
        let page = writer.reader().decisions(&filter).unwrap();
        page.items.into_iter().map(|row| row.event_id).collect()
    };
    let of = |verdict, rule| {
        ids(DecisionFilter {
            verdict,
            rule,
            ..DecisionFilter::default()
        })
    };
    assert_eq!(of(None, None), ["e5", "e4", "e3", "e2", "e1"]);
    assert_eq!(of(Some("deny,ask,halt"), None), ["e2", "e1"]);
    assert_eq!(of(Some("deny,ask,halt,rewrite"), None), ["e5", "e2", "e1"]);
    assert_eq!(of(Some("rewrite"), None), ["e5"]);
    assert_eq!(of(Some("none"), None), ["e5", "e3"]);
    assert_eq!(of(None, Some("git.push-force")), ["e1"]);
    assert_eq!(of(Some("ask"), Some("git.push-force")), [""; 0]);
    assert_eq!(of(None, Some("quiet")), ["e5"]);
    assert_eq!(of(None, Some("guard")), ["e4", "e2", "e1"]);
}

#[test]
fn decision_rows_name_the_rewriting_hook_and_the_subject() {
    let run = |hook: &str, rewrote: bool| {
        let mut run = json!({ "hook": hook, "verdict": "none" });
        if rewrote {
            run["rewrote"] = json!(true);
        }
        run
    };
    for (verdict, hooks, expected) in [
        (
            "none",
            vec![run("guard", false), run("first", true), run("last", true)],
            Some("last"),
        ),
        ("none", vec![run("only", false)], Some("only")),
        // The record does not name the hook.
        ("none", vec![run("one", false), run("other", false)], None),
    ] {
        let mut made = announced("e1", 1.0, "t1", "npm  test");
        made["decision"] = json!({ "verdict": verdict, "updated_input": { "command": "npm test -s" }, "hooks": hooks });
        let writer = stored(&[made]);
        let row = writer.reader().decision("e1").unwrap().unwrap();
        assert_eq!(row.hook.as_deref(), expected);
        assert_eq!(row.subject.as_deref(), Some("npm test"));
    }
}

#[test]
fn timeline_entries_have_injected_context_and_descriptions() {
    let mut before = announced("e03", 2.0, "t1", "npm test");
    before["decision"] = json!({
        "verdict": "none", "context": "use -s", "updated_input": { "command": "npm test -s" },
        "hooks": [{ "hook": "quiet", "verdict": "none", "rewrote": true }],
    });
    let mut after = bash("e04", 3.0, "t1", "npm test -s");
    after["decision"] = json!({ "verdict": "none", "context": "all went well", "hooks": [{ "hook": "q", "verdict": "none" }] });
    let writer = stored(&[
        start("e01", 0.0, "startup"),
        prompt("e02", 1.0, "Test it"),
        before,
        after,
    ]);
    let timeline = writer.reader().timeline("s1", 1, 9).unwrap().unwrap();
    assert_eq!(timeline.before[0].about.as_deref(), Some("startup"));
    let entries = &timeline.batches[0].entries;
    let summaries: Vec<_> = entries
        .iter()
        .map(|entry| (entry.about.as_deref(), entry.context.as_deref()))
        .collect();
    assert_eq!(
        summaries,
        [
            (Some("Test it"), None),
            (Some("npm test"), Some("use -s")),
            (None, Some("all went well")),
        ]
    );
    let input = entries[1].updated_input.as_deref();
    assert_eq!(input, Some(r#"{"command":"npm test -s"}"#));
}

#[test]
fn session_rows_count_tools_files_and_verdicts() {
    let mut asked = announced("e10", 10.0, "t3", "make");
    asked["decision"] = json!({ "verdict": "ask" });
    let mut rewritten = announced("e11", 11.0, "t4", "make");
    rewritten["decision"] = json!({ "verdict": "none", "updated_input": { "command": "make -s" } });
    let edit = |id: &str, seconds: f64, file: &str| {
        let payload = json!({
            "tool_name": "Edit", "tool_input": { "file_path": format!("/home/ana/shop/{file}") }, "tool_use_id": id,
            "tool_response": {},
        });
        record(id, seconds, "PostToolUse", payload)
    };
    let writer = stored(
        &[
            usual(),
            vec![
                asked,
                rewritten,
                edit("e12", 12.5, "a.rs"),
                edit("e13", 12.6, "b.rs"),
                edit("e14", 12.7, "a.rs"),
            ],
        ]
        .concat(),
    );
    let row = writer.reader().session("s1").unwrap().unwrap();
    assert_eq!((row.asked, row.rewritten, row.files), (1, 1, 2));
    assert_eq!(row.tools, ["Edit", "Bash"]);
}

#[test]
fn search_hit_excerpt_begins_at_the_match() {
    let far = format!("{} the needle is here", "hay ".repeat(200));
    let printed = json!({
        "tool_name": "Bash", "tool_input": { "command": "cat other.txt" }, "tool_use_id": "c3",
        "tool_response": { "stdout": "a needle in it", "stderr": "" },
    });
    let writer = stored(&[
        prompt("e1", 0.0, &far),
        bash("e2", 1.0, "c2", "cat needle.txt"),
        record("e3", 2.0, "PostToolUse", printed),
    ]);
    let filter = SearchFilter {
        text: "Needle",
        scope: QueryScope::default(),
        session: None,
        limit: 10,
    };
    let hits = writer.reader().search(&filter).unwrap();
    let texts: Vec<&str> = hits.iter().map(|hit| hit.text.as_str()).collect();
    assert_eq!(texts[..2], ["a needle in it", "cat needle.txt"]);
    assert!(texts[2].starts_with("…hay"), "{}", texts[2]);
    assert!(texts[2].ends_with("the needle is here"), "{}", texts[2]);
}
