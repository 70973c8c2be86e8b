//! Event pages and streams.

use serde_json::{Value, json};

use super::world::{World, a_day, denied, record};

fn names(events: impl IntoIterator<Item = Value>) -> Vec<String> {
    let ids = events.into_iter();
    ids.map(|event| event["id"].as_str().expect("an id").to_owned())
        .collect()
}

fn listed(world: &World, query: &str) -> (Vec<String>, i64) {
    let page = world.get(&format!("/api/v1/events?{query}")).json();
    let events = page["events"].as_array().expect("a list").clone();
    (names(events), page["cursor"].as_i64().expect("a place"))
}

#[test]
fn events_are_paged_forwards_without_duplicates() {
    let world = World::with(&a_day());
    let (first, cursor) = listed(&world, "limit=4");
    assert_eq!(first, ["e01", "e02", "e03", "e04"]);
    let (rest, end) = listed(&world, &format!("since={cursor}"));
    assert_eq!((rest.len(), rest[0].as_str()), (7, "e05"));
    assert_eq!(listed(&world, &format!("since={end}")), (vec![], end));
    let (denied, moved_on) = listed(&world, "verdict=deny");
    assert_eq!((denied, moved_on), (vec!["e04".to_owned()], end));
    assert_eq!(listed(&world, "event=pre-tool").0, ["e04"]);
    assert_eq!(
        listed(&world, "agent=codex&event=UserPromptSubmit").0,
        ["e10"]
    );
    let event = &world.get("/api/v1/events?limit=1").json()["events"][0];
    assert_eq!(event["record"]["payload"]["source"], "startup");
}

#[test]
fn stream_sends_past_events_and_then_new_ones() {
    let world = World::with(&a_day());
    let mut stream = world.stream("/api/v1/events/stream?since=0", "");
    assert_eq!(
        names(stream.by_ref().take(11)).last().map(String::as_str),
        Some("e11")
    );
    world.record(&[record("e12", 20, "Stop", json!({}))]);
    assert_eq!(names(stream.next()), ["e12"]);
}

#[test]
fn reconnecting_stream_sends_missed_events_once() {
    let world = World::with(&a_day());
    let fourth = world.stream("/api/v1/events/stream?since=0", "").nth(3);
    let seq = fourth.expect("an event")["seq"].to_string();
    let header = format!("Last-Event-ID: {seq}\r\n");
    let again = world.stream("/api/v1/events/stream?since=0", &header);
    assert_eq!(names(again.take(2)), ["e05", "e06"]);
}

#[test]
fn reconnecting_to_a_replaced_database_sends_all_events() {
    let world = World::with(&a_day());
    let header = "Last-Event-ID: 90000\r\n";
    let again = world.stream("/api/v1/events/stream?since=0", header);
    assert_eq!(names(again.take(2)), ["e01", "e02"]);
    let (all, end) = listed(&world, "since=90000");
    assert_eq!((all.len(), all[0].as_str()), (11, "e01"));
    assert_eq!(listed(&world, &format!("since={end}")), (vec![], end));
}

#[test]
fn stream_is_filtered_and_starts_with_new_events() {
    let world = World::with(&a_day());
    let query = "agent=claude&project=%2Fhome%2Fana%2Fshop&event=PreToolUse&verdict=deny";
    let mut stream = world.stream(&format!("/api/v1/events/stream?{query}"), "");
    let call = |id: &str, second| {
        let payload =
            json!({ "tool_name": "Bash", "tool_input": { "command": id }, "tool_use_id": id });
        record(id, second, "PreToolUse", payload)
    };
    let mut foreign = denied(call("e22", 22));
    foreign["agent"] = json!("codex");
    world.record(&[
        call("e20", 20),
        denied(call("e21", 21)),
        foreign,
        denied(call("e23", 23)),
    ]);
    assert_eq!(names(stream.by_ref().take(2)), ["e21", "e23"]);
}

#[test]
fn events_are_paged_backwards_without_duplicates() {
    let world = World::with(&a_day());
    let (last, cursor) = listed(&world, "before=1000&limit=4");
    assert_eq!(last, ["e08", "e09", "e10", "e11"]);
    let (rest, end) = listed(&world, &format!("before={cursor}&limit=7"));
    assert_eq!((rest.len(), rest[0].as_str()), (7, "e01"));
    assert_eq!(listed(&world, &format!("before={end}")), (vec![], 0));
    let prompts = listed(&world, "before=1000&event=UserPromptSubmit&limit=1");
    assert_eq!(prompts.0, ["e10"]);
    let before = format!("before={}&event=UserPromptSubmit", prompts.1);
    assert_eq!(listed(&world, &before), (vec!["e02".to_owned()], 0));
    assert_eq!(listed(&world, "before=1000&since=9").0, ["e10", "e11"]);
    assert_eq!(listed(&world, "before=1000&verdict=deny,halt").0, ["e04"]);
    assert_eq!(world.get("/api/v1/events?verdict=deny,maybe").status, 400);
    assert_eq!(world.get("/api/v1/events/stream?before=3").status, 400);
}

#[test]
fn event_has_a_one_line_summary() {
    let world = World::with(&a_day());
    let about = |id: &str| world.get(&format!("/api/v1/events/{id}")).json()["about"].clone();
    assert_eq!(about("e02"), "Fix the parser");
    assert_eq!(about("e04"), "cat .env");
    assert_eq!(about("e08"), "Fixed.");
    let call = world.get("/api/v1/events/e04").json();
    assert_eq!(call["input"], json!({ "command": "cat .env" }));
    let mut stream = world.stream("/api/v1/events/stream?since=1", "");
    assert_eq!(stream.next().expect("an event")["about"], "Fix the parser");
    assert_eq!(world.get("/api/v1/events/nothing").status, 404);
}
