//! Becket's API, over real HTTP.

mod alarms;
mod document;
mod generated;
mod machine;
mod protocols;
mod setup;
mod streaming;
mod world;

use serde_json::{Value, json};
use world::{World, a_day};

fn ids(list: &Value, key: &str) -> Vec<String> {
    let items = list["items"].as_array().expect("a list").iter();
    items
        .map(|item| item[key].as_str().expect("text").to_owned())
        .collect()
}

#[test]
fn sessions_are_listed_filtered_and_paged() {
    let world = World::with(&a_day());
    let all = world.get("/api/v1/sessions").json();
    assert_eq!(ids(&all, "id"), ["c1", "s1"]);
    assert_eq!(all["next"], Value::Null);
    let first = world.get("/api/v1/sessions?limit=1").json();
    assert_eq!(ids(&first, "id"), ["c1"]);
    let next = first["next"].as_str().expect("more").replace('#', "%23");
    let second = world
        .get(&format!("/api/v1/sessions?limit=1&after={next}"))
        .json();
    assert_eq!(ids(&second, "id"), ["s1"]);
    for (query, expected) in [
        ("agent=codex", &["c1"][..]),
        ("status=completed", &["s1"]),
        ("project=%2Fhome%2Fana%2Fshop", &["s1"]),
        ("until=2026-11-16T08:00:09Z", &["s1"]),
        ("since=2026-11-17", &[]),
    ] {
        let found = world.get(&format!("/api/v1/sessions?{query}")).json();
        assert_eq!(ids(&found, "id"), expected, "{query}");
    }
}

#[test]
fn session_is_returned_with_statistics_and_timeline() {
    let world = World::with(&a_day());
    let session = world.get("/api/v1/sessions/s1").json();
    assert_eq!(session["first_prompt"], "Fix the parser");
    assert_eq!(session["stats"]["tool_calls"], 3);
    assert_eq!(session["stats"]["duration_ms"], 8000);
    let timeline = world.get("/api/v1/sessions/s1/timeline").json();
    let batch = &timeline["batches"][0];
    assert_eq!(batch["batch"]["prompt"], "Fix the parser");
    let entries = batch["entries"].as_array().expect("a list");
    let denied = entries.iter().find(|entry| entry["event_id"] == "e04");
    let denied = denied.expect("the decision");
    assert_eq!(denied["what"]["decision"]["verdict"], "deny");
    assert_eq!(denied["hooks"][0]["rule"], "env-files");
    let missing = world.get("/api/v1/sessions/missing/timeline");
    assert_eq!(
        (missing.status, missing.error().as_str()),
        (404, "`missing` not found")
    );
}

#[test]
fn search_finds_recorded_events() {
    let world = World::with(&a_day());
    let found = |query: &str| world.get(&format!("/api/v1/{query}")).json();
    assert_eq!(
        ids(&found("activities?tool=Bash"), "id"),
        ["e11", "e06", "e05"]
    );
    assert_eq!(ids(&found("activities?q=parser%20module"), "id"), ["e06"]);
    assert_eq!(ids(&found("activities?q=%22"), "id"), [""; 0]);
    assert_eq!(ids(&found("search?q=parser"), "event_id"), ["e06", "e02"]);
    let activity = &found("activities?session=c1")["items"][0];
    assert_eq!(
        activity["input"],
        json!({ "command": "make site" }),
        "JSON and not text"
    );
    assert_eq!(
        ids(&found("decisions?verdict=deny&outcome=ran"), "event_id"),
        ["e04"]
    );
    assert_eq!(ids(&found("decisions?verdict=ask"), "event_id"), [""; 0]);
    assert_eq!(
        ids(&found("notifications"), "message"),
        ["Claude waits for you"]
    );
    assert_eq!(ids(&found("plans"), "text"), ["# Plan"]);
    assert_eq!(
        ids(&found("projects"), "path"),
        ["/home/ana/site", "/home/ana/shop"]
    );
    assert_eq!(ids(&found("agents"), "name"), ["codex", "claude"]);
}

#[test]
fn alarm_is_listed_until_acknowledged() {
    let world = World::with(&a_day());
    let open = world.get("/api/v1/alarms").json();
    let id = &ids(&open, "id")[0];
    let target = format!("/api/v1/alarms/{}/acknowledge", id.replace('/', "%2F"));
    assert_eq!(world.get(&target).status, 405, "a GET changes nothing");
    assert_eq!(world.get("/api/v1/alarms").json(), open);
    assert_eq!(
        world.send("POST", &target).json(),
        json!({ "acknowledged": true })
    );
    assert_eq!(
        world.send("POST", &target).json(),
        json!({ "acknowledged": false })
    );
    assert_eq!(ids(&world.get("/api/v1/alarms").json(), "id"), [""; 0]);
    let all = world.get("/api/v1/alarms?all=true").json();
    assert_eq!(ids(&all, "id"), [id.as_str()]);
    let missing = world.send("POST", "/api/v1/alarms/none/acknowledge");
    assert_eq!(missing.status, 404);
}

#[test]
fn statistics_are_filtered() {
    let world = World::with(&a_day());
    let rows = |query: &str| world.get(&format!("/api/v1/stats/{query}")).json()["items"].clone();
    assert_eq!(rows("events?step=3600")[0]["events"], 11);
    assert_eq!(rows("events?step=5").as_array().map(Vec::len), Some(3));
    assert_eq!(
        rows("tools?agent=codex"),
        json!([
            { "agent": "codex", "tool": "Bash", "calls": 1, "failures": 0, "mean_ms": null },
        ])
    );
    assert_eq!(
        rows("verdicts")[0],
        json!({ "hook": "guard", "rule": "env-files", "verdict": "deny", "count": 1 })
    );
    assert_eq!(rows("hooks")[0]["p99"], 5);
    assert_eq!(rows("hooks?since=2026-11-17"), json!([]));
    assert_eq!(rows("files")[0]["changes"], 1);
    assert_eq!(rows("tokens"), json!([]));
}

#[test]
fn invalid_parameter_is_named_in_the_error() {
    let world = World::with(&[]);
    for (target, expected) in [
        ("sessions?limt=5", "parameter `limt` is unknown"),
        ("sessions?limit=many", "parameter `limit`: invalid digit"),
        (
            "sessions?limit=0",
            "parameter `limit`: 0 is not between 1 and 1000",
        ),
        ("sessions?limit=1&limit=2", "parameter `limit` is duplicate"),
        (
            "sessions?status=ended",
            "parameter `status`: unknown variant `ended`",
        ),
        (
            "sessions?since=soon",
            "parameter `since`: cannot read `soon` as a time",
        ),
        (
            "sessions?after=page2",
            "parameter `after`: not the `next` of a page",
        ),
        ("sessions/s1?x=1", "parameter `x` is unknown"),
        ("search", "parameter `q` is missing"),
        (
            "decisions?verdict=no",
            "parameter `verdict`: unknown verdict `no`",
        ),
        ("stats/events?step=0", "parameter `step`: "),
        ("events?since=yesterday", "parameter `since`: invalid digit"),
        (
            "events/stream?verdict=",
            "parameter `verdict`: unknown verdict ``",
        ),
        ("status?verbose", "parameter `verbose` is unknown"),
    ] {
        let reply = world.get(&format!("/api/v1/{target}"));
        assert_eq!(reply.status, 400, "{target}: {}", reply.body);
        let error = reply.error();
        assert!(error.starts_with(expected), "{target}: {error}");
    }
    assert_eq!(world.get("/api/v1/nothing").error(), "`/nothing` not found");
    assert_eq!(world.send("DELETE", "/api/v1/sessions").status, 405);
}

#[test]
fn old_records_are_pruned_in_steps_over_the_socket() {
    let world = World::with(&a_day());
    let retention = |keep_alarmed: bool| {
        json!({ "do": "prune", "retention": {
            "before": 1_900_000_000_000_i64, "extent": "everything", "keep_alarmed": keep_alarmed,
            "keep_denied": false, "keep_titled": true,
        } })
    };
    let kept = world.ask_socket(&retention(true));
    assert_eq!(
        kept["pruned"],
        json!({ "sessions": 0, "events": 0, "more": false })
    );
    let gone = world.ask_socket(&retention(false));
    assert_eq!(
        gone["pruned"],
        json!({ "sessions": 1, "events": 9, "more": false })
    );
    // The other session has not ended.
    assert_eq!(ids(&world.get("/api/v1/sessions").json(), "id"), ["c1"]);
}
