//! Subscriptions and queries.

use std::time::Duration;

use becket_daemon::rpc::frame::FrameError;
use becket_daemon::rpc::{PendingPermissions, PermissionChoice, PermissionRequest, RpcSession};
use serde_json::{Value, json};

use super::{Client, services};
use crate::record::{PROJECT, Trail, bash, record, turn};

#[test]
fn no_notification_without_a_subscription() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    assert!(!client.0.has_subscriptions());
    assert_eq!(client.events(), Vec::<String>::new());
}

#[test]
fn subscription_gets_new_events_only() {
    let mut trail = Trail::of(&turn()[..2]);
    let mut client = Client::of(&trail);
    let answer = client.done("becket.subscribe", json!({}));
    assert_eq!(answer, json!({ "subscription": 1, "cursor": 2 }));
    assert_eq!(client.events(), Vec::<String>::new());
    trail.add(&turn()[2..]);
    let expected = [
        "e3 preTool",
        "e4 postTool",
        "e5 stop",
        "e5 postResponse",
        "e6 sessionEnd",
    ];
    assert_eq!(client.events(), expected);
    assert_eq!(client.events(), Vec::<String>::new());
}

#[test]
fn reconnecting_client_gets_each_event_exactly_once() {
    let records: Vec<Value> = (0..1000)
        .map(|n| bash(&format!("e{n}"), n, "PreToolUse", &format!("t{n}"), "ls"))
        .collect();
    let mut trail = Trail::of(&records[..300]);
    let (mut seen, mut cursor) = (Vec::new(), json!(0));
    // Each client reads one round and disconnects; meanwhile more is stored.
    for more in records[300..].chunks(100) {
        let mut client = Client::of(&trail);
        client.done("becket.subscribe", json!({ "since": cursor }));
        for message in client.0.outgoing().messages {
            let message: Value = serde_json::from_str(&message).expect("JSON");
            cursor = message["params"]["cursor"].clone();
            seen.push(
                message["params"]["eventId"]
                    .as_str()
                    .expect("an id")
                    .to_owned(),
            );
        }
        trail.add(more);
    }
    let mut last = Client::of(&trail);
    last.done("becket.subscribe", json!({ "since": cursor }));
    let rest = last.heard().into_iter();
    seen.extend(rest.map(|(_, params)| params["eventId"].as_str().expect("an id").to_owned()));
    let all: Vec<String> = (0..1000).map(|n| format!("e{n}")).collect();
    assert_eq!(seen, all);
}

#[test]
fn client_that_stops_within_an_event_gets_it_again() {
    let call = json!({ "tool_name": "Write", "tool_input": { "file_path": "/p/a.rs", "content": "" }, "tool_use_id": "t9",
        "tool_response": { "type": "create" } });
    let mut records = turn();
    records.insert(4, record("e9", 6, "PostToolUse", call));
    let trail = Trail::of(&records);
    let told = |params: Value| {
        let mut client = Client::of(&trail);
        client.done("becket.subscribe", params);
        client.heard()
    };
    let all = told(json!({ "since": 0 }));
    let of = |name: &str, id: &str| {
        let mut all = all.iter();
        let place =
            all.position(|(method, params)| method.ends_with(name) && params["eventId"] == id);
        place.unwrap_or_else(|| panic!("{name} of {id}"))
    };
    let (done, changed) = (of(".postTool", "e9"), of(".fileModified", "e9"));
    assert_eq!(changed, done + 1);
    let since = |place: usize| told(json!({ "since": all[place].1["cursor"] }));
    assert_eq!(since(done), all[done..], "neither of the two is missed");
    assert_eq!(since(changed), all[changed + 1..]);
    // The alias of a stop does not count: few clients use both.
    let stop = of(".stop", "e5");
    assert_eq!(
        all[stop].1["cursor"],
        all[of(".postResponse", "e5")].1["cursor"]
    );
    let only = told(json!({ "since": 0, "events": ["autohand.hook.postTool"] }));
    let last = only.last().expect("the calls");
    assert_eq!(
        last.1["cursor"], all[changed].1["cursor"],
        "nothing follows it"
    );
}

#[test]
fn database_may_be_created_later_and_replaced() {
    let mut trail = Trail::new();
    let mut client = Client::of(&trail);
    let answer = client.done("becket.subscribe", json!({}));
    assert_eq!(answer["cursor"], 0);
    assert_eq!(
        client.done("becket.sessions", json!({})),
        json!({ "items": [], "next": null })
    );
    trail.add(&turn());
    assert_eq!(client.events().len(), 7);
    trail.begin_anew();
    trail.add(&turn()[..1]);
    assert_eq!(client.events(), ["e1 sessionStart"]);
    let mut returned = Client::of(&trail);
    let answer = returned.done("becket.subscribe", json!({ "since": 6 }));
    assert_eq!(
        answer["cursor"], 0,
        "its place is one in the record that is gone"
    );
}

#[test]
fn unreadable_database_is_reported_once() {
    let trail = Trail::new();
    std::fs::write(
        trail.path(),
        "this is no database, and long enough to be taken for one",
    )
    .expect("written");
    let mut client = Client::of(&trail);
    let (code, why) = client.refused("becket.sessions", json!({}));
    assert_eq!(code, -32001);
    assert!(why.contains("becket.db"), "{why}");
    std::fs::remove_file(trail.path()).expect("removed");
    client.done("becket.subscribe", json!({}));
    std::fs::write(trail.path(), "this is no database").expect("written");
    let heard = client.heard();
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].0, "becket.trouble");
    assert_eq!(client.heard(), []);
    std::fs::remove_file(trail.path()).expect("removed");
    assert_eq!(
        client.heard(),
        [("becket.trouble".to_owned(), json!({ "message": null }))]
    );
}

/// Two sessions of two agents in two projects.
fn mixed() -> Trail {
    let mut other = bash("o1", 103, "PreToolUse", "t9", "ls");
    other["agent"] = json!("codex");
    other["session"] = json!("s2");
    other["project"] = json!("/home/ana/shop/sub");
    let mut far = record("o2", 104, "Stop", json!({}));
    far["session"] = json!("s3");
    far["project"] = json!("/home/ana/shopping");
    let compact = record("o3", 105, "PreCompact", json!({ "trigger": "auto" }));
    let failed = record(
        "o4",
        106,
        "PostToolUseFailure",
        json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "tool_use_id": "t5", "error": "no" }),
    );
    Trail::of(&[turn(), vec![other, far, compact, failed]].concat())
}

#[test]
fn subscriptions_are_filtered() {
    let trail = mixed();
    let stops = ["e5 stop", "e5 postResponse", "o2 stop", "o2 postResponse"];
    for (wanted, expected) in [
        (json!({ "events": ["Stop"] }), &stops[..]),
        (json!({ "events": "post-response" }), &stops),
        (
            json!({ "events": ["autohand.hook.stop"] }),
            &["e5 stop", "o2 stop"],
        ),
        (
            json!({ "events": ["pre_tool_use"], "agent": "codex" }),
            &["o1 preTool"],
        ),
        (
            json!({ "events": ["preTool"], "project": PROJECT }),
            &["e3 preTool", "o1 preTool"],
        ),
        (
            json!({ "events": ["preTool"], "project": "/home/ana/shop/" }),
            &["e3 preTool", "o1 preTool"],
        ),
        (
            json!({ "events": ["postTool"] }),
            &["e4 postTool", "o4 postTool"],
        ),
        (
            json!({ "events": ["PostToolUseFailure"] }),
            &["o4 postTool"],
        ),
        (json!({ "session": "s3" }), &["o2 stop", "o2 postResponse"]),
        (json!({ "events": ["PreCompact"] }), &["o3 event"]),
        (json!({ "agent": "gemini" }), &[]),
    ] {
        let mut client = Client::of(&trail);
        let mut params = wanted.clone();
        params["since"] = json!(0);
        client.done("becket.subscribe", params);
        assert_eq!(client.events(), expected, "{wanted}");
    }
}

#[test]
fn subscriptions_are_independent_until_unsubscribed() {
    let mut trail = Trail::of(&turn()[..1]);
    let mut client = Client::of(&trail);
    client.done("becket.subscribe", json!({ "events": ["prePrompt"] }));
    client.done(
        "becket.subscribe",
        json!({ "events": ["sessionStart", "prePrompt"], "since": 0 }),
    );
    trail.add(&turn()[1..2]);
    let told: Vec<_> = client
        .heard()
        .into_iter()
        .map(|(method, params)| (method, params["subscription"].clone()))
        .collect();
    let expected = [("prePrompt", 1), ("sessionStart", 2), ("prePrompt", 2)];
    assert_eq!(
        told,
        expected.map(|(name, number)| (format!("autohand.hook.{name}"), json!(number)))
    );
    assert_eq!(
        client.done("becket.unsubscribe", json!({ "subscription": 1 })),
        json!({ "removed": true })
    );
    assert_eq!(
        client.done("becket.unsubscribe", json!({ "subscription": 1 })),
        json!({ "removed": false })
    );
    client.done("becket.unsubscribe", json!({ "subscription": 2 }));
    assert!(!client.0.has_subscriptions());
}

#[test]
fn duplicate_reports_are_not_sent() {
    let mut records = turn();
    records.push(bash("e8", 5, "PostToolUse", "t1", "cargo test"));
    let trail = Trail::of(&records);
    let mut client = Client::of(&trail);
    client.done(
        "becket.subscribe",
        json!({ "since": 0, "events": ["postTool"] }),
    );
    assert_eq!(client.events(), ["e4 postTool"]);
}

#[test]
fn queries_are_answered_from_the_record() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    let sessions = client.done("becket.sessions", json!({ "project": PROJECT, "limit": 1 }));
    assert_eq!(sessions["items"][0]["id"], "s1");
    assert_eq!(sessions["items"][0]["first_prompt"], "Fix the parser");
    let session = client.done("becket.session", json!({ "id": "s1" }));
    assert_eq!(session["batches"][0]["stats"]["tool_calls"], 1);
    let activity = client.done(
        "becket.activity",
        json!({ "tool": "Bash", "success": true }),
    );
    assert_eq!(activity["items"][0]["output"], "all green");
    let found = client.done("becket.search", json!({ "query": "parser fix*" }));
    assert_eq!(found["items"].as_array().map(Vec::len), Some(2));
    let status = client.done("becket.status", json!({}));
    assert_eq!(status["cursor"], 6);
    assert_eq!(status["record"]["agents"][0]["name"], "claude");
    let hook = client.done(
        "becket.hooks.enable",
        json!({ "name": "guard", "level": "user" }),
    );
    assert_eq!(
        hook,
        json!({ "name": "guard", "level": "user", "on": true })
    );
    let tried = client.done(
        "becket.hooks.test",
        json!({ "name": "guard", "input": { "command": "ls" } }),
    );
    assert_eq!(tried["input"], json!({ "command": "ls" }));
}

#[test]
fn invalid_parameters_are_rejected_by_name() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    for (method, params, code, why) in [
        ("becket.nothing", json!({}), -32601, "becket.nothing"),
        ("becket.session", json!({}), -32602, "`id` is missing"),
        (
            "becket.session",
            json!({ "id": 7 }),
            -32602,
            "`id` must be a string",
        ),
        (
            "becket.session",
            json!({ "id": "s9" }),
            -32002,
            "session \"s9\" not found",
        ),
        ("becket.sessions", json!({ "limit": -1 }), -32602, "`limit`"),
        (
            "becket.sessions",
            json!({ "projects": "/" }),
            -32602,
            "`projects`",
        ),
        ("becket.sessions", json!([1]), -32602, "must be an object"),
        (
            "becket.sessions",
            json!({ "after": "page two" }),
            -32602,
            "`after`",
        ),
        (
            "becket.sessions",
            json!({ "status": "asleep" }),
            -32602,
            "active or completed",
        ),
        (
            "becket.activity",
            json!({ "after": "x_#y" }),
            -32602,
            "`after`",
        ),
        (
            "becket.subscribe",
            json!({ "events": ["PreTolUse"] }),
            -32602,
            "PreToolUse",
        ),
        (
            "becket.subscribe",
            json!({ "events": ["autohand.hook.preTol"] }),
            -32602,
            "preTol",
        ),
        (
            "becket.subscribe",
            json!({ "events": 1 }),
            -32602,
            "`events`",
        ),
        (
            "becket.subscribe",
            json!({ "since": "x" }),
            -32602,
            "`since`",
        ),
        (
            "becket.permissions.decide",
            json!({ "id": "p", "decision": "perhaps" }),
            -32602,
            "perhaps",
        ),
        (
            "becket.permissions.decide",
            json!({ "id": "p", "decision": "allow" }),
            -32002,
            "\"p\"",
        ),
    ] {
        let (found, said) = client.refused(method, params.clone());
        assert_eq!(found, code, "{method} {params}: {said}");
        assert!(said.contains(why), "{method} {params}: {said}");
    }
    let mut many = Client::of(&trail);
    for _ in 0..64 {
        many.done("becket.subscribe", json!({}));
    }
    assert_eq!(many.refused("becket.subscribe", json!({})).0, -32602);
}

#[test]
fn invalid_message_gets_an_error_and_the_next_is_read() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    for (message, code) in [
        (Ok("{\"jsonrpc\"".to_owned()), -32700),
        (Ok("[".repeat(100_000)), -32700),
        (Err(FrameError::NotText), -32700),
        (Err(FrameError::NoLength), -32700),
        (Err(FrameError::TooLong), -32600),
    ] {
        let answer: Value =
            serde_json::from_str(&client.0.receive(&message).expect("an answer")).expect("JSON");
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(code))
        );
    }
    client.done("becket.status", json!({}));
}

#[tokio::test]
async fn pending_permission_is_listed_decided_and_removed() {
    let trail = Trail::new();
    let pending = PendingPermissions::default();
    let mut client = Client(RpcSession::new(services(
        &trail,
        Box::new(pending.editor()),
    )));
    client.done(
        "becket.subscribe",
        json!({ "events": ["permission-request"], "project": PROJECT }),
    );
    let mut changes = pending.changes();
    let asked = PermissionRequest {
        id: "p1".into(),
        agent: "claude".into(),
        project: Some(PROJECT.into()),
        tool: "Bash".into(),
        command: Some("rm -rf build".into()),
        args: json!({ "command": "rm -rf build" }),
        ..PermissionRequest::default()
    };
    let elsewhere = PermissionRequest {
        id: "p2".into(),
        project: Some("/other".into()),
        ..asked.clone()
    };
    let patience = Duration::from_secs(3600);
    let ask = |asked: PermissionRequest| {
        let pending = pending.clone();
        tokio::spawn(async move { pending.request(asked, patience).await })
    };
    let waiting = ask(asked);
    changes.changed().await.expect("it waits");
    let other = ask(elsewhere);
    changes.changed().await.expect("it waits");
    let heard = client.heard();
    assert_eq!(heard.len(), 1, "only the one of the project");
    assert_eq!(heard[0].0, "becket.permission.waiting");
    assert_eq!(heard[0].1["command"], "rm -rf build");
    assert_eq!(client.heard(), []);
    let listed = client.done("becket.permissions.pending", json!({}));
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2));
    client.done(
        "becket.permissions.decide",
        json!({ "id": "p1", "decision": "block", "reason": "not today" }),
    );
    let decided = waiting.await.expect("ended").expect("an answer");
    assert_eq!(
        (decided.choice, decided.reason.as_deref()),
        (PermissionChoice::Deny, Some("not today"))
    );
    assert_eq!(
        client.heard(),
        [(
            "becket.permission.settled".to_owned(),
            json!({ "id": "p1" })
        )]
    );
    other.abort();
}
