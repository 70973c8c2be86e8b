//! Models: both HTTP protocols, programs, retries, keys and the budget.

use std::time::{Duration, Instant};

use becket_testkit::{HttpStub, StubReply};
use becket_think::{
    DailyUsage, Deadline, DeadlineError, ModelError, ModelRequest, ModelResponse, TokenUsage,
    configured_model, daily_usage,
};
use chrono::Utc;
use serde_json::{Value, json};

use crate::support::{HUNG, World, is_gone};

const KEY: &str = "sk-s3cret-0123456789";

fn openai(server: &HttpStub, more: &str) -> World {
    World::new(&format!(
        "[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'm1'\napi_key_env = 'KEY'\n{more}\n",
        server.url("/v1")
    ))
    .env([("KEY", KEY)])
}

fn anthropic(server: &HttpStub, more: &str) -> World {
    World::new(&format!(
        "[llm]\nprovider = 'anthropic'\nbase_url = '{}'\nmodel = 'c1'\napi_key_env = 'KEY'\n{more}\n",
        server.url("")
    ))
    .env([("KEY", KEY)])
}

fn ask(world: &World, question: &ModelRequest) -> Result<ModelResponse, ModelError> {
    let started = Instant::now();
    let deadline = Deadline::within(Duration::from_secs(15));
    let answer =
        configured_model(&world.settings).and_then(|model| model.complete(question, &deadline));
    assert!(started.elapsed() < HUNG, "waited in vain");
    if let Err(error) = &answer {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    answer
}

fn chat(text: &str) -> StubReply {
    StubReply::json(&json!({
        "id": "c", "object": "chat.completion",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 },
    }))
}

/// All usage ever recorded: midnight may pass while a test runs.
fn spent(world: &World) -> DailyUsage {
    let entries = std::fs::read_dir(world.dir.path().join("llm")).expect("a ledger");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut all = DailyUsage::default();
    for name in names.filter_map(|name| name.into_string().ok()) {
        let day = name
            .strip_prefix("usage-")
            .and_then(|rest| rest.strip_suffix(".json"));
        if let Some(day) = day {
            let one = daily_usage(world.dir.path(), day).expect("a ledger");
            all.answers += one.answers;
            all.tokens.input += one.tokens.input;
            all.tokens.output += one.tokens.output;
        }
    }
    all
}

/// Makes the ledgers of today and tomorrow unreadable.
fn scribble(world: &World) {
    let dir = world.dir.path().join("llm");
    std::fs::create_dir_all(&dir).expect("a directory");
    for day in [Utc::now(), Utc::now() + chrono::Days::new(1)] {
        let name = format!("usage-{}.json", day.format("%Y-%m-%d"));
        std::fs::write(dir.join(name), "scribble").expect("written");
    }
}

#[test]
fn chat_completions_request_and_response() {
    let server = HttpStub::start([chat("<think>ALLOW or BLOCK?</think>\n ALLOW \n")]);
    let world = openai(&server, "temperature = 0.5\nmax_tokens = 50");
    let question = ModelRequest {
        system: Some("be brief".into()),
        ..ModelRequest::new("safe?")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "ALLOW");
    assert_eq!(
        answer.tokens,
        TokenUsage {
            input: 11,
            output: 7
        }
    );
    let [request] = &server.requests()[..] else {
        panic!("one request");
    };
    assert!(
        request.head.starts_with("POST /v1/chat/completions "),
        "{request:?}"
    );
    assert_eq!(
        request.header("authorization"),
        Some(&*format!("Bearer {KEY}"))
    );
    assert_eq!(
        request.json(),
        json!({
            "model": "m1",
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "safe?" },
            ],
            "stream": false,
            "max_tokens": 50,
            "temperature": 0.5,
        })
    );
    assert_eq!(spent(&world).tokens.total(), 18);
}

#[test]
fn schema_is_requested_in_each_protocol() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let question = ModelRequest {
        schema: Some(schema.clone()),
        model: Some("other".into()),
        max_tokens: Some(9),
        ..ModelRequest::new("q")
    };
    let server = HttpStub::start([chat("{\"a\": 1}")]);
    assert_eq!(
        ask(&openai(&server, ""), &question)
            .expect("an answer")
            .text,
        "{\"a\": 1}"
    );
    let sent = server.requests()[0].json();
    assert_eq!(
        (&sent["model"], &sent["max_tokens"]),
        (&json!("other"), &json!(9))
    );
    assert_eq!(sent["response_format"]["json_schema"]["schema"], schema);

    let server = HttpStub::start([StubReply::json(&json!({
        "content": [{ "type": "tool_use", "id": "t", "name": "answer", "input": { "a": 1 } }],
        "stop_reason": "tool_use",
    }))]);
    assert_eq!(
        ask(&anthropic(&server, ""), &question)
            .expect("an answer")
            .text,
        "{\"a\":1}"
    );
    let sent = server.requests()[0].json();
    assert_eq!(sent["tools"][0]["input_schema"], schema);
    assert_eq!(sent["tool_choice"]["name"], "answer");
}

#[test]
fn anthropic_messages_are_read_without_reasoning() {
    let server = HttpStub::start([StubReply::json(&json!({
        "type": "message", "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "hmm, ALLOW?", "signature": "x" },
            { "type": "text", "text": "BLOCK: " },
            { "type": "text", "text": "no" },
        ],
        "stop_reason": "end_turn",
        "usage": { "input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5 },
    }))]);
    let world = anthropic(&server, "temperature = 2");
    let question = ModelRequest {
        system: Some("sys".into()),
        ..ModelRequest::new("q")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "BLOCK: no");
    assert_eq!(
        answer.tokens,
        TokenUsage {
            input: 7,
            output: 5
        }
    );
    let request = &server.requests()[0];
    assert!(
        request.head.starts_with("POST /v1/messages "),
        "{request:?}"
    );
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(
        request.json(),
        json!({
            "model": "c1", "max_tokens": 1024, "system": "sys", "temperature": 1.0,
            "messages": [{ "role": "user", "content": "q" }],
        })
    );
}

#[test]
fn busy_provider_is_retried() {
    let busy = || StubReply::Response(429, &[("Retry-After", "0")], String::new());
    for turns in [
        vec![StubReply::status(500), chat("yes")],
        vec![StubReply::status(503), StubReply::status(529), chat("yes")],
        vec![busy(), chat("yes")],
        vec![StubReply::HangUp, chat("yes")],
    ] {
        let count = turns.len();
        let server = HttpStub::start(turns);
        assert_eq!(
            ask(&openai(&server, ""), &ModelRequest::new("q"))
                .expect("an answer")
                .text,
            "yes"
        );
        assert_eq!(server.requests().len(), count);
    }
}

#[test]
fn retries_are_bounded_and_skipped_for_permanent_errors() {
    let long = || {
        StubReply::Response(
            429,
            &[("Retry-After", "3600")],
            "{\"error\": {\"message\": \"slow down\"}}".into(),
        )
    };
    for (turn, more, requests, status) in [
        (StubReply::status(500), "retries = 1", 2, 500),
        (StubReply::status(500), "retries = 0", 1, 500),
        (long(), "", 1, 429),
        (StubReply::status(400), "", 1, 400),
        (StubReply::status(401), "", 1, 401),
        (
            StubReply::Response(302, &[("Location", "http://127.0.0.1:9/")], String::new()),
            "",
            1,
            302,
        ),
    ] {
        let server = HttpStub::start([turn]);
        let error = ask(&openai(&server, more), &ModelRequest::new("q")).expect_err("no answer");
        assert!(
            matches!(error, ModelError::Refused { status: said, .. } if said == status),
            "{error:?}"
        );
        assert_eq!(server.requests().len(), requests);
    }
}

#[test]
fn provider_error_is_reported_without_the_key() {
    let echo = format!("{{\"error\": {{\"message\": \"bad key {KEY}, see docs\"}}}}");
    for body in [echo, format!("nginx says: {KEY}\nmore")] {
        let server = HttpStub::start([StubReply::Response(401, &[], body)]);
        for world in [openai(&server, ""), anthropic(&server, "")] {
            let error = ask(&world, &ModelRequest::new("q")).expect_err("no answer");
            assert!(error.to_string().contains("•••"), "{error}");
        }
    }
}

#[test]
fn malformed_answers_differ_from_no_answer() {
    for body in [
        "",
        "hello",
        "[]",
        "{}",
        r#"{"choices": []}"#,
        r#"{"choices": [{"message": {"content": 5}}]}"#,
        r#"{"choices": [{"message": {"content": null}}]}"#,
        r#"{"choices": [{"message": {"content": "<think>never came to it"}}]}"#,
        r#"{"choices": [{"message": {"content": null, "refusal": "I cannot"}}]}"#,
        r#"{"content": []}"#,
        r#"{"content": [{"type": "thinking", "thinking": "ALLOW"}]}"#,
        r#"{"content": [{"type": "text", "text": "x"}], "stop_reason": "refusal"}"#,
    ] {
        let server = HttpStub::start([StubReply::ok(body)]);
        for world in [openai(&server, ""), anthropic(&server, "")] {
            let error = ask(&world, &ModelRequest::new("q")).expect_err(body);
            assert!(
                matches!(error, ModelError::BadAnswer(_)),
                "{body}: {error:?}"
            );
        }
    }
    let server = HttpStub::start([StubReply::Flood]);
    let error = ask(&openai(&server, ""), &ModelRequest::new("q")).expect_err("too long");
    assert!(matches!(error, ModelError::BadAnswer(_)), "{error:?}");
}

#[test]
fn silent_provider_times_out() {
    let server = HttpStub::start([StubReply::Silence]);
    let world = openai(&server, "timeout = '200ms'");
    assert_eq!(
        ask(&world, &ModelRequest::new("q")),
        Err(ModelError::TimedOut)
    );
}

#[test]
fn usage_is_estimated_if_the_provider_omits_it() {
    let server = HttpStub::start([StubReply::json(&json!({
        "choices": [{ "message": { "content": "x".repeat(400) } }],
    }))]);
    let world = openai(&server, "");
    ask(&world, &ModelRequest::new("y".repeat(800))).expect("an answer");
    let total = spent(&world).tokens.total();
    assert!((250..400).contains(&total), "{total}");
}

#[test]
fn exhausted_token_budget_stops_requests() {
    let server = HttpStub::start([chat("yes")]);
    let world = openai(&server, "daily_tokens = 30");
    assert!(ask(&world, &ModelRequest::new("q")).is_ok());
    assert!(ask(&world, &ModelRequest::new("q")).is_ok());
    let error = ask(&world, &ModelRequest::new("q")).expect_err("36 of 30 are spent");
    assert_eq!(
        error,
        ModelError::BudgetExceeded {
            used: 36,
            limit: 30
        }
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn refused_requests_are_free_and_a_broken_ledger_stops_a_limited_model() {
    let server = HttpStub::start([StubReply::status(400)]);
    let world = openai(&server, "daily_tokens = 1000");
    assert!(ask(&world, &ModelRequest::new("q".repeat(400))).is_err());
    assert_eq!(spent(&world), DailyUsage::default());
    scribble(&world);
    let error = ask(&world, &ModelRequest::new("q")).expect_err("the usage is unknown");
    assert!(matches!(error, ModelError::Ledger(_)), "{error:?}");
    assert_eq!(server.requests().len(), 1);
    let unlimited = openai(&server, "");
    scribble(&unlimited);
    let error = ask(&unlimited, &ModelRequest::new("q")).expect_err("refused by the provider");
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
}

#[test]
fn concurrent_processes_share_one_ledger() {
    let server = HttpStub::start([chat("yes")]);
    let world = openai(&server, "");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..4 {
                    ask(&world, &ModelRequest::new("q")).expect("an answer");
                }
            });
        }
    });
    let spent = spent(&world);
    assert_eq!((spent.answers, spent.tokens.total()), (32, 32 * 18));
}

#[test]
fn key_command_output_and_errors() {
    let server = HttpStub::start([chat("yes")]);
    let with = |key: &str| {
        let text = format!(
            "[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'm'\n{key}\n",
            server.url("/v1")
        );
        ask(&World::new(&text), &ModelRequest::new("q"))
    };
    assert!(
        with(&format!(
            "api_key_command = ['printf', '{KEY}\\n second line']"
        ))
        .is_ok()
    );
    let sent = server.requests()[0]
        .header("authorization")
        .map(str::to_owned);
    assert_eq!(sent, Some(format!("Bearer {KEY}")));
    assert!(with("").is_ok(), "local providers need no key");
    for (key, expected) in [
        ("api_key_env = 'UNSET'", "`UNSET` is not set"),
        (
            "api_key_command = ['false']",
            "`false` ended with exit code 1",
        ),
        ("api_key_command = ['true']", "`true` printed nothing"),
        (
            "api_key_command = ['/nonexistent/pass', 'show']",
            "could not be started",
        ),
        (
            "api_key_command = ['sh', '-c', 'echo sk-s3cret; exit 3']",
            "ended with exit code 3",
        ),
    ] {
        let error = with(key).expect_err(key);
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(server.requests().len(), 2);
}

fn program(line: &str, more: &str) -> World {
    let words: Value = json!(["/bin/sh", "-c", line]);
    World::new(&format!(
        "[llm]\nprovider = 'command'\ncommand = {words}\n{more}\n"
    ))
}

#[test]
fn command_model_reads_stdin_and_prints_the_answer() {
    let world = program("cat; echo; echo \"inside: ${BECKET_INSIDE:+yes}\"", "");
    let question = ModelRequest {
        system: Some("sys".into()),
        ..ModelRequest::new("the $PROMPT `id`")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "sys\n\nthe $PROMPT `id`\ninside: yes");
    assert!(answer.tokens.total() > 0, "guessed");
}

#[test]
fn command_model_errors_are_reported() {
    for (line, expected) in [
        ("echo oops >&2; exit 4", "ended with exit code 4: oops"),
        ("kill -9 $$", "killed by signal 9"),
        ("true", "it is empty"),
    ] {
        let error = ask(&program(line, ""), &ModelRequest::new("q")).expect_err(line);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let missing = World::new("[llm]\nprovider = 'command'\ncommand = ['/nonexistent/llm']\n");
    let error = ask(&missing, &ModelRequest::new("q")).expect_err("nothing there");
    assert!(
        error.to_string().contains("could not be started"),
        "{error}"
    );
}

#[test]
fn hanging_command_model_is_killed_with_its_children() {
    let dir = tempfile::tempdir().expect("a directory");
    let child = dir.path().join("child");
    let line = format!("sleep 600 & echo $! > '{}'; sleep 600", child.display());
    let world = program(&line, "timeout = '400ms'");
    assert_eq!(
        ask(&world, &ModelRequest::new("q")),
        Err(ModelError::TimedOut)
    );
    let pid = std::fs::read_to_string(child).expect("a child was started");
    assert!(is_gone(&pid));
}

#[test]
fn missing_configuration_and_expired_deadline_are_errors() {
    let error = ask(&World::new(""), &ModelRequest::new("q")).expect_err("no model");
    assert!(
        error.to_string().contains("add an `[llm]` table"),
        "{error}"
    );
    assert_eq!(
        Deadline::within(Duration::ZERO).remaining(),
        Err(DeadlineError::TimedOut)
    );
    let server = HttpStub::start([chat("yes")]);
    let late = Deadline::within(Duration::ZERO);
    let world = openai(&server, "");
    let asked = configured_model(&world.settings)
        .expect("a model")
        .complete(&ModelRequest::new("q"), &late);
    assert_eq!(asked, Err(ModelError::TimedOut));
    assert!(server.requests().is_empty());
}
