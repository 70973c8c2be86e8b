//! `slack-notify` and `webhook`

use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_builtins::TurnStats;
use becket_model::{Event, EventData, FailureKind, HookOutcome};
use becket_testkit::{HttpStub, StubReply};
use serde_json::json;

use crate::world::{World, failure};

const SLACK: &str = "use = 'slack-notify'";

/// Replies in this order, then with 200.
fn receiver(first: &[StubReply]) -> HttpStub {
    HttpStub::start(first.iter().cloned().chain([StubReply::ok("ok")]))
}

fn connected(receiver: &HttpStub, variable: &str) -> World {
    let mut world = World::new();
    world.set(variable, &receiver.url("/services/T0/B0/sEcReTpAtH"));
    world
}

/// The end of a turn as Autohand reports it.
fn autohand_stop(world: &World) -> Event {
    let mut event = world.stop();
    let facts = json!({ "tokens_used": 12345, "turn_tool_calls": 7, "turn_duration": 185_000 });
    event.raw.clone_from(facts.as_object().expect("an object"));
    event
}

#[test]
fn slack_message_contains_project_duration_tokens_tool_calls_and_outcome() {
    let receiver = receiver(&[]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    assert_eq!(
        world.fire(SLACK, autohand_stop(&world)),
        HookOutcome::none()
    );
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].path(), "/services/T0/B0/sEcReTpAtH");
    let field = |text: &str| json!({ "type": "mrkdwn", "text": text, "verbatim": true });
    assert_eq!(
        requests[0].json(),
        json!({
            "text": "app: Task finished",
            "blocks": [
                { "type": "header", "text": { "type": "plain_text", "text": "Task finished", "emoji": false } },
                { "type": "section", "fields": [
                    field("*Project*\napp"),
                    field("*Agent*\nclaude"),
                    field("*Outcome*\nfinished"),
                    field("*Duration*\n3 min 5 s"),
                    field("*Tokens*\n12,345"),
                    field("*Tool calls*\n7"),
                ] },
            ],
        })
    );
}

#[test]
fn unknown_values_are_omitted() {
    let receiver = receiver(&[]);
    let mut world = connected(&receiver, "SLACK_WEBHOOK_URL");
    world.fire(SLACK, world.stop());
    let mut uncounted = autohand_stop(&world);
    uncounted
        .raw
        .insert("tokens_usage_status".into(), json!("unavailable"));
    world.fire(SLACK, uncounted);
    world.deps.turn_stats = Some(Arc::new(|_| TurnStats {
        duration: Some(Duration::from_secs(4)),
        tokens: None,
        tool_calls: Some(2),
    }));
    world.fire(SLACK, world.stop());
    let labels: Vec<String> = receiver
        .requests()
        .iter()
        .map(|one| {
            let body = one.json();
            let fields = body["blocks"][1]["fields"].as_array().expect("fields");
            let texts = fields
                .iter()
                .skip(3)
                .filter_map(|field| field["text"].as_str());
            texts.collect::<Vec<_>>().join("|")
        })
        .collect();
    assert_eq!(
        labels,
        [
            "",
            "*Duration*\n3 min 5 s|*Tool calls*\n7",
            "*Duration*\n4 s|*Tool calls*\n2"
        ]
    );
}

#[test]
fn mentions_and_markup_are_escaped() {
    let receiver = receiver(&[]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    let data = EventData::StopFailure {
        error: "<!channel> & <https://evil.example|click>".into(),
        details: Some("*bold* <@U123>".into()),
    };
    world.fire(SLACK, world.event(data));
    let body = receiver.requests()[0].json();
    assert_eq!(
        body["text"],
        "app: Task failed: &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;"
    );
    for at in [0, 2] {
        assert_eq!(body["blocks"][at]["text"]["type"], "plain_text");
    }
}

#[test]
fn details_are_opt_in_and_redacted() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    for (options, has) in [("", false), ("\noptions = { details = true }", true)] {
        let receiver = receiver(&[]);
        let world = connected(&receiver, "SLACK_WEBHOOK_URL");
        let data = EventData::Stop {
            active: false,
            last_message: Some(format!("I used {secret} for it")),
        };
        world.fire(&format!("{SLACK}{options}"), world.event(data));
        let body = receiver.requests()[0].body.clone();
        assert_eq!(
            body.contains("I used [redacted:github-token:"),
            has,
            "{body}"
        );
        assert!(!body.contains("ghp_"));
    }
}

#[test]
fn each_receiver_gets_its_own_payload_format() {
    for (shape, checks) in [
        (
            "generic",
            &[
                ("/outcome", json!("finished")),
                ("/duration_ms", json!(185_000)),
                ("/tokens", json!(12345)),
                ("/schema_version", json!(1)),
            ][..],
        ),
        (
            "discord",
            &[
                ("/embeds/0/title", json!("Task finished")),
                ("/allowed_mentions/parse", json!([])),
                ("/embeds/0/fields/3/value", json!("3 min 5 s")),
            ][..],
        ),
        (
            "teams",
            &[
                ("/attachments/0/content/body/0/text", json!("Task finished")),
                (
                    "/attachments/0/content/body/1/facts/4/value",
                    json!("12,345"),
                ),
            ][..],
        ),
        ("slack", &[("/text", json!("app: Task finished"))][..]),
    ] {
        let receiver = receiver(&[]);
        let mut world = connected(&receiver, "MY_HOOK");
        world.set("MY_TOKEN", "t0ken");
        let entry = format!(
            "use = 'webhook'\noptions = {{ url_env = 'MY_HOOK', token_env = 'MY_TOKEN', shape = '{shape}' }}"
        );
        assert_eq!(
            world.fire(&entry, autohand_stop(&world)),
            HookOutcome::none()
        );
        let requests = &receiver.requests()[0];
        for (pointer, expected) in checks {
            assert_eq!(
                requests.json().pointer(pointer),
                Some(expected),
                "{shape} {pointer}"
            );
        }
        assert_eq!(requests.header("authorization"), Some("Bearer t0ken"));
    }
}

#[test]
fn missing_url_is_reported_once_per_session() {
    let world = World::new();
    let outcome = world.fire(SLACK, world.stop());
    assert_eq!(
        failure(&outcome),
        "hook `slack-notify` failed: environment variable SLACK_WEBHOOK_URL is not set in the agent's environment; nothing is sent"
    );
    assert!(!outcome.verdict.blocks());
    assert_eq!(world.fire(SLACK, world.stop()), HookOutcome::none());
    let mut other = world.stop();
    other.session = becket_model::SessionId::new("s2");
    assert!(
        world.fire(SLACK, other).failure.is_some(),
        "another session gets the message again"
    );
}

#[test]
fn temporary_errors_are_retried_after_the_requested_delay() {
    let receiver = receiver(&[
        StubReply::HangUp,
        StubReply::Response(429, &[("retry-after", "1")], String::new()),
    ]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    assert_eq!(world.fire(SLACK, world.stop()), HookOutcome::none());
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[2].at - requests[1].at >= Duration::from_secs(1));
}

#[test]
fn permanent_errors_are_not_retried_and_omit_the_url() {
    let receiver = receiver(&[StubReply::Response(404, &[], "no_service".to_owned())]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    let outcome = world.fire(SLACK, world.stop());
    assert_eq!(
        failure(&outcome),
        "hook `slack-notify` failed: the receiver answered 404: no_service"
    );
    assert_eq!(receiver.requests().len(), 1);
    let mut world = World::new();
    for url in [
        "http://example.org/sEcReTpAtH",
        "http://127.0.0.1:1/sEcReTpAtH",
        "sEcReTpAtH",
        "https://localhost:1/sEcReTpAtH",
    ] {
        world.set("SLACK_WEBHOOK_URL", url);
        let outcome = world.fire(&format!("{SLACK}\ntimeout = '2s'"), world.stop());
        let why = failure(&outcome);
        assert!(!why.is_empty(), "{url}");
        assert!(
            !why.contains("sEcReT") && !why.contains("example.org"),
            "{why}"
        );
    }
}

#[test]
fn redirects_are_not_followed() {
    let target = receiver(&[]);
    let location: &'static str = target.url("/x").leak();
    let headers: &'static [(&str, &str)] = vec![("location", location)].leak();
    let receiver = receiver(&[StubReply::Response(307, headers, String::new())]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    let outcome = world.fire(SLACK, world.stop());
    assert!(
        failure(&outcome).contains("answered 307"),
        "{}",
        failure(&outcome)
    );
    assert!(target.requests().is_empty());
}

#[test]
fn a_receiver_that_never_answers_costs_no_more_than_the_deadline() {
    let receiver = receiver(&vec![StubReply::Silence; 9]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    let started = Instant::now();
    let outcome = world.fire(&format!("{SLACK}\ntimeout = '1s'"), world.stop());
    assert!(outcome.failure.is_some());
    assert!(started.elapsed() < Duration::from_secs(20));
    let kind = outcome.failure.map(|failure| failure.kind);
    assert!(matches!(
        kind,
        Some(FailureKind::Error | FailureKind::TimedOut)
    ));
}

#[test]
fn a_receiver_that_does_not_speak_tls_is_not_told_anything() {
    let receiver = receiver(&[]);
    let mut world = World::new();
    let url = receiver.url("/x").replace("http://", "https://");
    world.set("SLACK_WEBHOOK_URL", &url);
    let outcome = world.fire(&format!("{SLACK}\ntimeout = '1s'"), world.stop());
    let why = failure(&outcome);
    assert!(!why.is_empty() && !why.contains("panicked"), "{why}");
    assert!(receiver.requests().is_empty());
}

#[test]
fn that_an_agent_has_logged_in_is_told_only_to_those_who_ask() {
    let receiver = receiver(&[]);
    let world = connected(&receiver, "SLACK_WEBHOOK_URL");
    let notification = |kind: &str| {
        world.event(EventData::Notification {
            kind: Some(kind.to_owned()),
            message: "a message".to_owned(),
        })
    };
    assert_eq!(
        world.fire(SLACK, notification("auth_success")),
        HookOutcome::none()
    );
    assert_eq!(receiver.requests().len(), 0);
    world.fire(SLACK, notification("idle_prompt"));
    assert_eq!(receiver.requests().len(), 1);
    let asking = "use = 'slack-notify'\nevent = 'Notification'\nmatcher = 'auth_success'";
    world.fire(asking, notification("auth_success"));
    assert_eq!(receiver.requests().len(), 2);
}
