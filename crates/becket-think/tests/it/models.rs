//! Models: both HTTP protocols, programs, retries, keys and the budget.

use std::time::{Duration, Instant};

use becket_think::{Answer, Deadline, ModelError, Question, Stopped, Tokens, Usage, model, usage};
use chrono::Utc;
use serde_json::{Value, json};

use crate::server::{Server, Turn};
use crate::support::{HUNG, World, is_gone};

const KEY: &str = "sk-s3cret-0123456789";

fn openai(server: &Server, more: &str) -> World {
    World::new(&format!(
        "[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'm1'\napi_key_env = 'KEY'\n{more}\n",
        server.url("/v1")
    ))
    .env([("KEY", KEY)])
}

fn anthropic(server: &Server, more: &str) -> World {
    World::new(&format!(
        "[llm]\nprovider = 'anthropic'\nbase_url = '{}'\nmodel = 'c1'\napi_key_env = 'KEY'\n{more}\n",
        server.url("")
    ))
    .env([("KEY", KEY)])
}

fn ask(world: &World, question: &Question) -> Result<Answer, ModelError> {
    let started = Instant::now();
    let deadline = Deadline::within(Duration::from_secs(15));
    let answer = model(&world.settings).and_then(|model| model.ask(question, &deadline));
    assert!(started.elapsed() < HUNG, "waited in vain");
    if let Err(error) = &answer {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    answer
}

fn chat(text: &str) -> Turn {
    Turn::json(&json!({
        "id": "c", "object": "chat.completion",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 },
    }))
}

/// Everything that was ever spent: midnight may pass while a test runs.
fn spent(world: &World) -> Usage {
    let entries = std::fs::read_dir(world.dir.path().join("llm")).expect("a ledger");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut all = Usage::default();
    for name in names.filter_map(|name| name.into_string().ok()) {
        let day = name
            .strip_prefix("usage-")
            .and_then(|rest| rest.strip_suffix(".json"));
        if let Some(day) = day {
            let one = usage(world.dir.path(), day).expect("a ledger");
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
fn chat_completions_are_asked_and_read() {
    let server = Server::start([chat("<think>ALLOW or BLOCK?</think>\n ALLOW \n")]);
    let world = openai(&server, "temperature = 0.5\nmax_tokens = 50");
    let question = Question {
        system: Some("be brief".into()),
        ..Question::new("safe?")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "ALLOW");
    assert_eq!(
        answer.tokens,
        Tokens {
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
fn an_answer_that_fits_a_schema_is_asked_for_in_each_protocols_way() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let question = Question {
        schema: Some(schema.clone()),
        model: Some("other".into()),
        max_tokens: Some(9),
        ..Question::new("q")
    };
    let server = Server::start([chat("{\"a\": 1}")]);
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

    let server = Server::start([Turn::json(&json!({
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
fn messages_are_asked_and_read_without_the_thoughts() {
    let server = Server::start([Turn::json(&json!({
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
    let question = Question {
        system: Some("sys".into()),
        ..Question::new("q")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "BLOCK: no");
    assert_eq!(
        answer.tokens,
        Tokens {
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
fn a_busy_provider_is_asked_again() {
    let busy = || Turn::Reply(429, &[("Retry-After", "0")], String::new());
    for turns in [
        vec![Turn::status(500), chat("yes")],
        vec![Turn::status(503), Turn::status(529), chat("yes")],
        vec![busy(), chat("yes")],
        vec![Turn::HangUp, chat("yes")],
    ] {
        let count = turns.len();
        let server = Server::start(turns);
        assert_eq!(
            ask(&openai(&server, ""), &Question::new("q"))
                .expect("an answer")
                .text,
            "yes"
        );
        assert_eq!(server.requests().len(), count);
    }
}

#[test]
fn retries_end_and_are_not_begun_where_they_cannot_help() {
    let long = || {
        Turn::Reply(
            429,
            &[("Retry-After", "3600")],
            "{\"error\": {\"message\": \"slow down\"}}".into(),
        )
    };
    for (turn, more, requests, status) in [
        (Turn::status(500), "retries = 1", 2, 500),
        (Turn::status(500), "retries = 0", 1, 500),
        (long(), "", 1, 429),
        (Turn::status(400), "", 1, 400),
        (Turn::status(401), "", 1, 401),
        (
            Turn::Reply(302, &[("Location", "http://127.0.0.1:9/")], String::new()),
            "",
            1,
            302,
        ),
    ] {
        let server = Server::start([turn]);
        let error = ask(&openai(&server, more), &Question::new("q")).expect_err("no answer");
        assert!(
            matches!(error, ModelError::Refused { status: said, .. } if said == status),
            "{error:?}"
        );
        assert_eq!(server.requests().len(), requests);
    }
}

#[test]
fn what_the_provider_says_is_told_without_the_key() {
    let echo = format!("{{\"error\": {{\"message\": \"bad key {KEY}, see docs\"}}}}");
    for body in [echo, format!("nginx says: {KEY}\nmore")] {
        let server = Server::start([Turn::Reply(401, &[], body)]);
        for world in [openai(&server, ""), anthropic(&server, "")] {
            let error = ask(&world, &Question::new("q")).expect_err("no answer");
            assert!(error.to_string().contains("•••"), "{error}");
        }
    }
}

#[test]
fn malformed_answers_are_told_apart_from_no_answer() {
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
        let server = Server::start([Turn::ok(body)]);
        for world in [openai(&server, ""), anthropic(&server, "")] {
            let error = ask(&world, &Question::new("q")).expect_err(body);
            assert!(
                matches!(error, ModelError::BadAnswer(_)),
                "{body}: {error:?}"
            );
        }
    }
    let server = Server::start([Turn::Flood]);
    let error = ask(&openai(&server, ""), &Question::new("q")).expect_err("too long");
    assert!(matches!(error, ModelError::BadAnswer(_)), "{error:?}");
}

#[test]
fn a_silent_provider_has_a_deadline() {
    let server = Server::start([Turn::Silence]);
    let world = openai(&server, "timeout = '200ms'");
    assert_eq!(ask(&world, &Question::new("q")), Err(ModelError::TimedOut));
}

#[test]
fn costs_are_guessed_where_the_provider_does_not_say() {
    let server = Server::start([Turn::json(&json!({
        "choices": [{ "message": { "content": "x".repeat(400) } }],
    }))]);
    let world = openai(&server, "");
    ask(&world, &Question::new("y".repeat(800))).expect("an answer");
    let total = spent(&world).tokens.total();
    assert!((250..400).contains(&total), "{total}");
}

#[test]
fn past_the_daily_budget_nothing_is_asked() {
    let server = Server::start([chat("yes")]);
    let world = openai(&server, "daily_tokens = 30");
    assert!(ask(&world, &Question::new("q")).is_ok());
    assert!(ask(&world, &Question::new("q")).is_ok());
    let error = ask(&world, &Question::new("q")).expect_err("36 of 30 are spent");
    assert_eq!(
        error,
        ModelError::Budget {
            used: 36,
            limit: 30
        }
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_was_refused_costs_nothing_and_what_is_unknown_is_not_spent() {
    let server = Server::start([Turn::status(400)]);
    let world = openai(&server, "daily_tokens = 1000");
    assert!(ask(&world, &Question::new("q".repeat(400))).is_err());
    assert_eq!(spent(&world), Usage::default());
    scribble(&world);
    let error = ask(&world, &Question::new("q")).expect_err("nobody knows");
    assert!(matches!(error, ModelError::Ledger(_)), "{error:?}");
    assert_eq!(server.requests().len(), 1);
    let unlimited = openai(&server, "");
    scribble(&unlimited);
    let error = ask(&unlimited, &Question::new("q")).expect_err("refused by the provider");
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
}

#[test]
fn several_at_once_keep_one_ledger() {
    let server = Server::start([chat("yes")]);
    let world = openai(&server, "");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..4 {
                    ask(&world, &Question::new("q")).expect("an answer");
                }
            });
        }
    });
    let spent = spent(&world);
    assert_eq!((spent.answers, spent.tokens.total()), (32, 32 * 18));
}

#[test]
fn a_key_may_come_from_a_program_and_its_absence_is_told() {
    let server = Server::start([chat("yes")]);
    let with = |key: &str| {
        let text = format!(
            "[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'm'\n{key}\n",
            server.url("/v1")
        );
        ask(&World::new(&text), &Question::new("q"))
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
fn a_program_reads_the_prompt_and_prints_the_answer() {
    let world = program("cat; echo; echo \"inside: ${BECKET_INSIDE:+yes}\"", "");
    let question = Question {
        system: Some("sys".into()),
        ..Question::new("the $PROMPT `id`")
    };
    let answer = ask(&world, &question).expect("an answer");
    assert_eq!(answer.text, "sys\n\nthe $PROMPT `id`\ninside: yes");
    assert!(answer.tokens.total() > 0, "guessed");
}

#[test]
fn a_program_that_goes_wrong_is_told() {
    for (line, expected) in [
        ("echo oops >&2; exit 4", "ended with exit code 4: oops"),
        ("kill -9 $$", "killed by signal 9"),
        ("true", "it is empty"),
    ] {
        let error = ask(&program(line, ""), &Question::new("q")).expect_err(line);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let missing = World::new("[llm]\nprovider = 'command'\ncommand = ['/nonexistent/llm']\n");
    let error = ask(&missing, &Question::new("q")).expect_err("nothing there");
    assert!(
        error.to_string().contains("could not be started"),
        "{error}"
    );
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    let dir = tempfile::tempdir().expect("a directory");
    let child = dir.path().join("child");
    let line = format!("sleep 600 & echo $! > '{}'; sleep 600", child.display());
    let world = program(&line, "timeout = '400ms'");
    assert_eq!(ask(&world, &Question::new("q")), Err(ModelError::TimedOut));
    let pid = std::fs::read_to_string(child).expect("a child was started");
    assert!(is_gone(&pid));
}

#[test]
fn without_a_table_there_is_no_model_and_without_time_no_question() {
    let error = ask(&World::new(""), &Question::new("q")).expect_err("no model");
    assert!(
        error.to_string().contains("add an `[llm]` table"),
        "{error}"
    );
    assert_eq!(
        Deadline::within(Duration::ZERO).left(),
        Err(Stopped::TimedOut)
    );
    let server = Server::start([chat("yes")]);
    let late = Deadline::within(Duration::ZERO);
    let world = openai(&server, "");
    let asked = model(&world.settings)
        .expect("a model")
        .ask(&Question::new("q"), &late);
    assert_eq!(asked, Err(ModelError::TimedOut));
    assert!(server.requests().is_empty());
}
