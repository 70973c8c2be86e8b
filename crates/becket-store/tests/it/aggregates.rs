//! Aggregates over many sessions.

use std::time::Duration;

use becket_store::{ActivityStats, BatchClass, QueryScope};
use serde_json::json;

use crate::{announced, at, bash, prompt, record, stored, usual};

const ALL: QueryScope<'static> = QueryScope {
    since: None,
    until: None,
    project: None,
    agent: None,
};

#[test]
fn events_are_counted_over_time() {
    let mut denied = announced("e7", 130.0, "t", "x");
    denied["decision"] = json!({ "verdict": "deny" });
    let writer = stored(&[prompt("e1", 0.0, "a"), bash("e2", 1.0, "t1", "ls"), denied]);
    let buckets = writer
        .reader()
        .events_over_time(&ALL, Duration::from_secs(60))
        .unwrap();
    let counts: Vec<_> = buckets
        .iter()
        .map(|b| (b.events, b.prompts, b.tool_calls, b.denied))
        .collect();
    assert_eq!(counts, [(2, 1, 1, 0), (1, 0, 0, 1)]);
    assert_eq!(buckets[0].at.0 % 60_000, 0);
    assert!(
        writer
            .reader()
            .events_over_time(&ALL, Duration::ZERO)
            .is_ok()
    );
    let later = QueryScope {
        since: Some(at(100.0)),
        ..ALL
    };
    assert_eq!(
        writer
            .reader()
            .events_over_time(&later, Duration::from_secs(60))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn tool_calls_are_the_same_number_everywhere_and_subagents_do_not_count() {
    let subagent = json!({ "agent_id": "a1", "agent_type": "explore" });
    let failed = json!({
        "tool_name": "Bash", "tool_input": { "command": "false" }, "tool_use_id": "t2", "error": "Exit code 1",
    });
    let writer = stored(&[
        prompt("e1", 0.0, "a"),
        record("e2", 1.0, "SubagentStart", subagent.clone()),
        announced("e3", 2.0, "t1", "ls"),
        bash("e4", 3.0, "t1", "ls"),
        record("e5", 4.0, "PostToolUseFailure", failed),
        record("e6", 5.0, "SubagentStop", subagent),
        record("e7", 6.0, "PreCompact", json!({ "trigger": "auto" })),
    ]);
    let reader = writer.reader();
    let buckets = reader.events_over_time(&ALL, Duration::from_secs(60));
    let tools = reader.tools_by_agent(&ALL).unwrap();
    let stats = reader.session_stats("s1").unwrap();
    assert_eq!(stats.activity_count, 5);
    for (what, calls) in [
        ("session", reader.session("s1").unwrap().unwrap().tool_calls),
        ("session statistics", stats.tool_calls),
        (
            "over time",
            buckets.unwrap().iter().map(|it| it.tool_calls).sum(),
        ),
        ("tools", tools.iter().map(|it| it.calls).sum()),
    ] {
        assert_eq!(calls, 2, "{what}");
    }
}

#[test]
fn events_are_counted_over_time_for_each_agent() {
    let mut codex_event = prompt("e3", 2.0, "b");
    codex_event["agent"] = json!("codex");
    codex_event["session"] = json!("s2");
    let writer = stored(&[
        prompt("e1", 0.0, "a"),
        bash("e2", 1.0, "t1", "ls"),
        codex_event,
    ]);
    let minute = Duration::from_secs(60);
    let rows = writer.reader().events_over_time_by_agent(&ALL, minute);
    let rows = rows.unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|row| (row.agent.as_deref(), row.events, row.prompts))
        .collect();
    assert_eq!(shown, [(Some("claude"), 2, 1), (Some("codex"), 1, 1)]);
    let codex = QueryScope {
        agent: Some("codex"),
        ..ALL
    };
    let rows = writer.reader().events_over_time_by_agent(&codex, minute);
    assert_eq!(rows.unwrap().len(), 1);
}

#[test]
fn tools_are_counted_by_agent() {
    let mut codex_event = bash("e3", 3.0, "t3", "ls");
    codex_event["agent"] = json!("codex");
    codex_event["session"] = json!("s2");
    let failed = record(
        "e4",
        4.0,
        "PostToolUseFailure",
        json!({ "tool_name": "Bash", "tool_input": {}, "error": "x", "duration_ms": 30 }),
    );
    let writer = stored(&[bash("e1", 1.0, "t1", "ls"), failed, codex_event]);
    let rows = writer.reader().tools_by_agent(&ALL).unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|r| {
            (
                r.agent.as_str(),
                r.tool.as_str(),
                r.calls,
                r.failures,
                r.mean_ms,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("claude", "Bash", 2, 1, Some(30)),
            ("codex", "Bash", 1, 0, None)
        ]
    );
    assert_eq!(
        writer
            .reader()
            .tools_by_agent(&QueryScope {
                agent: Some("codex"),
                ..ALL
            })
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn guard_rule_is_read_from_the_reason() {
    let said = |id: &str, call: &str, reason: &str| {
        let mut made = announced(id, 1.0, call, "x");
        let run = json!({ "hook": "guard", "verdict": "deny", "reason": reason });
        made["decision"] = json!({ "verdict": "deny", "hooks": [run] });
        made
    };
    let writer = stored(&[
        said(
            "e1",
            "t1",
            "git.clean: `git clean -fdx` deletes untracked files",
        ),
        said("e2", "t2", "sorry: no rule at all"),
    ]);
    let verdicts = writer.reader().verdicts_by_hook(&ALL).unwrap();
    let mut rules: Vec<_> = verdicts.iter().map(|v| v.rule.as_deref()).collect();
    rules.sort_unstable();
    assert_eq!(rules, [None, Some("git.clean")]);
}

#[test]
fn hooks_are_counted_by_verdict_and_their_time_by_percentile() {
    let events: Vec<_> = (0..100_u32)
        .map(|number| {
            let mut made = announced(
                &format!("e{number:03}"),
                f64::from(number),
                &format!("t{number}"),
                "x",
            );
            let verdict = if number < 10 { "deny" } else { "none" };
            let mut run =
                json!({ "hook": "guard", "verdict": verdict, "ms": number + 1, "rule": "r1" });
            if number == 0 {
                run["error"] = json!("timed out");
            }
            made["decision"] = json!({ "verdict": verdict, "hooks": [run] });
            made
        })
        .collect();
    let writer = stored(&events);
    let verdicts = writer.reader().verdicts_by_hook(&ALL).unwrap();
    let shown: Vec<_> = verdicts
        .iter()
        .map(|v| {
            (
                v.hook.as_str(),
                v.rule.as_deref(),
                v.verdict.as_str(),
                v.count,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("guard", Some("r1"), "none", 90),
            ("guard", Some("r1"), "deny", 10)
        ]
    );
    let times = writer.reader().hook_latency(&ALL).unwrap().remove(0);
    assert_eq!((times.runs, times.errors), (100, 1));
    assert_eq!(
        (times.p50, times.p95, times.p99, times.max),
        (50, 95, 99, 100)
    );
}

#[test]
fn single_run_is_every_percentile() {
    let mut made = announced("e1", 0.0, "t", "x");
    made["decision"] =
        json!({ "verdict": "none", "hooks": [{ "hook": "h", "verdict": "none", "ms": 7 }] });
    let times = stored(&[made])
        .reader()
        .hook_latency(&ALL)
        .unwrap()
        .remove(0);
    assert_eq!((times.p50, times.p95, times.p99, times.max), (7, 7, 7, 7));
}

#[test]
fn the_busiest_files_come_first() {
    let touch = |id: &str, tool: &str, path: &str| {
        record(
            id,
            1.0,
            "PostToolUse",
            json!({ "tool_name": tool, "tool_input": { "file_path": path }, "tool_response": {} }),
        )
    };
    let writer = stored(&[
        touch("e1", "Read", "/home/ana/shop/a.rs"),
        touch("e2", "Edit", "/home/ana/shop/a.rs"),
        touch("e3", "Read", "b.rs"),
        touch("e4", "Grep", "/home/ana/shop/src"),
    ]);
    let rows = writer.reader().busiest_files(&ALL, 10).unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|r| (r.path.as_str(), r.reads, r.changes, r.sessions))
        .collect();
    assert_eq!(shown, [("a.rs", 1, 1, 1), ("b.rs", 1, 0, 1)]);
}

#[test]
fn tokens_count_once_per_turn_and_context_sizes_do_not_count() {
    let stop = |id: &str, agent: &str, payload: serde_json::Value| {
        let mut made = record(id, 1.0, "Stop", payload);
        made["agent"] = json!(agent);
        made
    };
    let cursor = json!({ "generation_id": "g1", "model": "gpt-5.2", "input_tokens": 900, "output_tokens": 40, "cache_read_tokens": 800 });
    let codex = {
        let mut made = record(
            "e4",
            2.0,
            "PostModelRequest",
            json!({ "model": "gpt-5.5", "token_usage": { "input_tokens": 10, "output_tokens": 5 } }),
        );
        made["agent"] = json!("codex");
        made["session"] = json!("s2");
        made
    };
    let qwen = {
        let mut made = stop(
            "e5",
            "qwen",
            json!({ "input_tokens": 100, "context_usage": 0.1 }),
        );
        made["session"] = json!("s3");
        made
    };
    let writer = stored(&[
        stop("e1", "cursor", cursor.clone()),
        stop("e2", "claude", cursor),
        codex,
        qwen,
    ]);
    let rows = writer.reader().tokens(&ALL).unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|r| {
            (
                r.agent.as_str(),
                r.model.as_deref(),
                r.input,
                r.output,
                r.cache_read,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("cursor", Some("gpt-5.2"), 900, 40, 800),
            ("codex", Some("gpt-5.5"), 10, 5, 0)
        ]
    );
    let of = |session: &str| writer.reader().session_tokens(session).unwrap();
    assert_eq!(of("s2"), Some(15));
    assert_eq!(of("s3"), None, "none reported");
    assert_eq!(of("unknown"), None);
}

#[test]
fn queries_on_an_empty_database_succeed() {
    let writer = crate::writer();
    let reader = writer.reader();
    assert!(
        reader
            .events_over_time(&ALL, Duration::from_secs(1))
            .unwrap()
            .is_empty()
    );
    assert!(reader.tools_by_agent(&ALL).unwrap().is_empty());
    assert!(reader.verdicts_by_hook(&ALL).unwrap().is_empty());
    assert!(reader.hook_latency(&ALL).unwrap().is_empty());
    assert!(reader.busiest_files(&ALL, 5).unwrap().is_empty());
    assert!(reader.tokens(&ALL).unwrap().is_empty());
    assert!(reader.plans(&ALL, 5).unwrap().is_empty());
    assert_eq!(reader.last_seq().unwrap(), 0);
    assert_eq!(
        reader.session_stats("unknown").unwrap(),
        ActivityStats::default()
    );
}

#[test]
fn turns_are_classified_by_their_statistics() {
    let made = |tools: &[(&str, u64)], failures, files_created| {
        let tool_counts: std::collections::BTreeMap<_, _> = tools
            .iter()
            .map(|(tool, count)| ((*tool).to_owned(), *count))
            .collect();
        ActivityStats {
            tool_calls: tool_counts.values().sum(),
            tool_counts,
            failures,
            files_created,
            ..ActivityStats::default()
        }
        .class()
    };
    assert_eq!(made(&[("Bash", 1)], 1, 1), BatchClass::Debugging);
    assert_eq!(made(&[("Write", 1)], 0, 1), BatchClass::Implementation);
    assert_eq!(
        made(&[("Edit", 4), ("Read", 6)], 0, 0),
        BatchClass::Refactoring
    );
    assert_eq!(
        made(&[("Edit", 3), ("Read", 7)], 0, 0),
        BatchClass::Exploration
    );
    for (word, class) in [
        ("feature", BatchClass::Implementation),
        ("bug_fix", BatchClass::Debugging),
        ("refactoring", BatchClass::Refactoring),
    ] {
        assert_eq!(BatchClass::parse(word), Some(class));
        assert_eq!(
            (class.documented(), BatchClass::parse(class.word())),
            (word, Some(class))
        );
    }
}

#[test]
fn projects_and_agents_are_listed_with_their_sessions() {
    let writer = stored(&usual());
    let project = writer.reader().projects().unwrap().remove(0);
    assert_eq!(
        (project.path.as_str(), project.sessions),
        ("/home/ana/shop", 1)
    );
    assert_eq!((project.first_seen, project.last_seen), (at(0.0), at(20.0)));
    let agent = writer.reader().agents().unwrap().remove(0);
    assert_eq!(
        (agent.name.as_str(), agent.sessions, agent.last_seen),
        ("claude", 1, at(20.0))
    );
}
