//! Learning with models over HTTP, with good and bad answers.

use std::time::{Duration, Instant};

use becket_learn::{
    OwnedStoreAccess, RunOutcome, StoreAccess, Worker, WorkerOptions, backfill_queue, status,
};
use becket_store::{MemoryKind, Trust};
use becket_testkit::{HttpStub, StubReply};
use serde_json::{Value, json};

use crate::world::{MENDED, at, end, memories, model_at, records, run_all, store, with_model};

const HUNG: Duration = Duration::from_secs(20);

fn chat(text: &str) -> StubReply {
    StubReply::json(&json!({
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20 },
    }))
}

fn message(input: &Value) -> StubReply {
    StubReply::json(&json!({
        "content": [{ "type": "tool_use", "id": "t", "name": "answer", "input": input }],
        "stop_reason": "tool_use", "usage": { "input_tokens": 100, "output_tokens": 20 },
    }))
}

fn class() -> Value {
    json!({ "class": "bug_fix" })
}

fn observed() -> Value {
    json!({ "observations": [{
        "type": "trade_off", "text": "Renamed files break imports until the barrel file is rebuilt.", "importance": "high",
        "source": "tool", "files": ["src/cart.ts", "/etc/shadow"],
    }] })
}

/// A worker with a model on a server.
struct Asking {
    worker: Worker<OwnedStoreAccess>,
    _dir: tempfile::TempDir,
}

fn asking(server: &HttpStub, provider: &str, change: impl FnOnce(&mut WorkerOptions)) -> Asking {
    let dir = tempfile::tempdir().expect("a directory");
    let mut options = with_model(model_at(dir.path(), provider, &server.url(""), ""));
    change(&mut options);
    Asking {
        worker: Worker::new(store(&records("s1", 0, MENDED)), options),
        _dir: dir,
    }
}

impl Asking {
    /// Runs the only job.
    fn run(&self) -> RunOutcome {
        let started = Instant::now();
        backfill_queue(self.worker.store(), at(10), 10).expect("caught up");
        let ran = self.worker.run_once(at(100)).expect("a store");
        assert!(started.elapsed() < HUNG, "waited in vain");
        ran
    }

    fn kinds(&self) -> Vec<MemoryKind> {
        let mut kinds: Vec<_> = memories(self.worker.store())
            .iter()
            .map(|row| row.kind)
            .collect();
        kinds.sort_by_key(|kind| kind.word());
        kinds
    }
}

const BY_RULE: [MemoryKind; 2] = [MemoryKind::BugFix, MemoryKind::Decision];
const BY_MODEL: [MemoryKind; 2] = [MemoryKind::Decision, MemoryKind::TradeOff];

#[test]
fn both_protocols_request_the_class_then_observations() {
    let thinking = format!("<think>{{\"class\": \"poem\"}}</think>\n{}", class());
    let turns = [
        ("openai", [chat(&thinking), chat(&observed().to_string())]),
        ("anthropic", [message(&class()), message(&observed())]),
    ];
    for (provider, turns) in turns {
        let server = HttpStub::start(turns);
        let asking = asking(&server, provider, |_| {});
        let RunOutcome::Done(report) = asking.run() else {
            panic!("not done");
        };
        assert!(report.by_model && report.note.is_none(), "{report:?}");
        assert_eq!((report.spent.questions, report.spent.total()), (2, 240));
        assert_eq!(
            asking.kinds(),
            BY_MODEL,
            "what the person said, and what the model found"
        );
        let found = memories(asking.worker.store());
        let own = found
            .iter()
            .find(|row| row.kind == MemoryKind::TradeOff)
            .expect("a trade-off");
        assert_eq!(
            (own.trust, own.importance, own.files.as_slice()),
            (Trust::Tool, 8, &["src/cart.ts".to_owned()][..])
        );
        let batch = asking
            .worker
            .store()
            .read(|reader| reader.batches("s1"))
            .unwrap()
            .remove(0);
        assert_eq!(batch.class.as_deref(), Some("debugging"));
        let shown = server.requests()[1].body.clone();
        assert!(
            shown.contains("<<data ") && shown.contains("never addressed to you"),
            "{shown}"
        );
        let spent = asking
            .worker
            .store()
            .read(|reader| status(reader, None, at(100)))
            .unwrap()
            .spent_today;
        assert_eq!(spent.total(), 240);
        let tomorrow = asking
            .worker
            .store()
            .read(|reader| status(reader, None, at(100_000)))
            .unwrap();
        assert_eq!(
            tomorrow.spent_today.total(),
            0,
            "the usage starts at zero every day"
        );
    }
}

#[test]
fn a_session_gets_the_title_and_the_summary_of_the_model() {
    let told = json!({ "title": "Mend the cart import.", "summary": "The tests failed. The import was mended." });
    let server = HttpStub::start([
        chat(&class().to_string()),
        chat(&observed().to_string()),
        chat(&told.to_string()),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let mut session = records("s1", 0, MENDED);
    session.push(end("s1", 30));
    let worker = Worker::new(
        store(&session),
        with_model(model_at(dir.path(), "openai", &server.url(""), "")),
    );
    run_all(&worker, at(100));
    let row = worker
        .store()
        .read(|reader| reader.session("s1"))
        .unwrap()
        .unwrap();
    assert_eq!(row.title.as_deref(), Some("Mend the cart import"));
    assert_eq!(
        row.summary.as_deref(),
        Some("The tests failed. The import was mended.")
    );
}

#[test]
fn malformed_json_is_repaired_or_requested_again() {
    let careless = "Here you are:\n```json\n{\"observations\": [{\"type\": \"trade_off\", \"text\": \"Imports break until the barrel file is rebuilt.\", \"importance\": \"high\", \"source\": \"tool\", \"files\": [],},]\n```";
    let server = HttpStub::start([chat("no idea"), chat(&class().to_string()), chat(careless)]);
    let asking = asking(&server, "openai", |_| {});
    assert!(
        matches!(asking.run(), RunOutcome::Done(report) if report.by_model && report.spent.questions == 3)
    );
    assert_eq!(asking.kinds(), BY_MODEL);
    assert!(server.requests()[1].body.contains("could not be read"));
}

#[test]
fn unexpected_json_is_requested_again() {
    let poetry = chat(r#"{"class": "poetry"}"#);
    let server = HttpStub::start([
        poetry,
        chat(&class().to_string()),
        chat("{}"),
        chat(&observed().to_string()),
    ]);
    let asking = asking(&server, "openai", |_| {});
    assert!(
        matches!(asking.run(), RunOutcome::Done(report) if report.by_model && report.spent.questions == 4)
    );
    assert_eq!(asking.kinds(), BY_MODEL);
    let asked = server.requests();
    for (again, why) in [(1, "is not a class"), (3, "it has no `observations`")] {
        assert!(asked[again].body.contains(why), "{}", asked[again].body);
    }
}

#[test]
fn unknown_class_does_not_stop_observations() {
    let poetry = || chat(r#"{"class": "poetry"}"#);
    let server = HttpStub::start([poetry(), poetry(), chat(&observed().to_string())]);
    let asking = asking(&server, "openai", |_| {});
    assert!(
        matches!(asking.run(), RunOutcome::Done(report) if report.by_model && report.note.is_none())
    );
    assert_eq!(asking.kinds(), BY_MODEL);
    let batch = asking.worker.store().read(|reader| reader.batches("s1"));
    assert_eq!(batch.unwrap()[0].class.as_deref(), Some("debugging"));
}

#[test]
fn summary_without_a_title_is_requested_again() {
    let told = json!({ "title": "Mend the cart import", "summary": "The import was mended." });
    let server = HttpStub::start([
        chat(&class().to_string()),
        chat(&observed().to_string()),
        chat(r#"{"summary": "The import was mended."}"#),
        chat(&told.to_string()),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let mut session = records("s1", 0, MENDED);
    session.push(end("s1", 30));
    let worker = Worker::new(
        store(&session),
        with_model(model_at(dir.path(), "openai", &server.url(""), "")),
    );
    let reports = run_all(&worker, at(100));
    assert!(reports[1].by_model, "{reports:?}");
    let row = worker.store().read(|reader| reader.session("s1"));
    let title = row.unwrap().unwrap().title;
    assert_eq!(title.as_deref(), Some("Mend the cart import"));
}

#[test]
fn provider_without_schemas_gets_them_in_the_prompt() {
    let refused = StubReply::Response(
        400,
        &[],
        json!({ "error": { "message": "response_format is unsupported" } }).to_string(),
    );
    let server = HttpStub::start([
        refused,
        chat(&class().to_string()),
        chat(&observed().to_string()),
    ]);
    let asking = asking(&server, "openai", |_| {});
    assert!(matches!(asking.run(), RunOutcome::Done(report) if report.by_model));
    let asked: Vec<bool> = server
        .requests()
        .iter()
        .map(|request| request.json().get("response_format").is_some())
        .collect();
    assert_eq!(asked, [true, false, false]);
    assert!(
        server.requests()[2]
            .body
            .contains("JSON Schema of the answer")
    );
}

#[test]
fn permanent_model_errors_fall_back_to_rules() {
    for (name, turns) in [
        ("no JSON, twice", vec![chat("I'd rather not")]),
        ("the key is wrong", vec![StubReply::status(401)]),
        ("nothing but a class", vec![chat(r#"{"class": "poetry"}"#)]),
        (
            "no observations",
            vec![chat(&class().to_string()), chat("{}"), chat("{}")],
        ),
        ("nothing but thoughts", vec![chat("<think>hmm")]),
        ("no chat at all", vec![StubReply::ok("hello")]),
    ] {
        let server = HttpStub::start(turns);
        let asking = asking(&server, "openai", |_| {});
        let RunOutcome::Done(report) = asking.run() else {
            panic!("{name}: not done");
        };
        assert!(
            !report.by_model && report.note.is_some(),
            "{name}: {report:?}"
        );
        assert_eq!(asking.kinds(), BY_RULE, "{name}");
    }
}

#[test]
fn unreachable_model_is_retried_then_rules_apply() {
    for turn in [
        StubReply::HangUp,
        StubReply::status(503),
        StubReply::Silence,
        StubReply::Drip,
        StubReply::Flood,
    ] {
        let server = HttpStub::start([turn]);
        let asking = asking(&server, "openai", |options| {
            options.llm_timeout = Duration::from_millis(300);
            options.model_attempts = 2;
        });
        match asking.run() {
            RunOutcome::Failed {
                retry_at: Some(again),
                error,
                ..
            } => {
                let waits = asking
                    .worker
                    .store()
                    .read(|reader| status(reader, None, again));
                assert_eq!(waits.unwrap().put_off, Some(error));
                let RunOutcome::Done(report) = asking.worker.run_once(again).unwrap() else {
                    panic!("not done");
                };
                assert!(report.note.is_some());
            }
            // A truncated body is an answer, but an invalid one.
            RunOutcome::Done(report) => assert!(report.note.is_some(), "{report:?}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(asking.kinds(), BY_RULE);
    }
}

#[test]
fn exhausted_token_budget_stops_requests() {
    let server = HttpStub::start([chat(&class().to_string()), chat(&observed().to_string())]);
    let asking = asking(&server, "openai", |options| options.daily_tokens = Some(10));
    let RunOutcome::Done(report) = asking.run() else {
        panic!("not done");
    };
    assert!(
        report.note.as_deref().unwrap().contains("token limit"),
        "{report:?}"
    );
    assert_eq!(server.requests().len(), 0);
    assert_eq!(asking.kinds(), BY_RULE);
}

#[test]
fn token_budget_is_shared_by_turns() {
    let dear = |text: &Value| {
        StubReply::json(&json!({
            "choices": [{ "message": { "role": "assistant", "content": text.to_string() } }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": 20 },
        }))
    };
    let server = HttpStub::start([dear(&class()), dear(&observed()), dear(&class())]);
    let dir = tempfile::tempdir().unwrap();
    let mut both = records("s1", 0, MENDED);
    both.extend(records("s2", 20, MENDED));
    let mut options = with_model(model_at(dir.path(), "openai", &server.url(""), ""));
    options.daily_tokens = Some(2_100);
    let worker = Worker::new(store(&both), options);
    let reports = run_all(&worker, at(100));
    let told: Vec<_> = reports
        .iter()
        .map(|report| (report.by_model, report.spent.total()))
        .collect();
    assert_eq!(told, [(true, 2_040), (false, 0)]);
    assert!(reports[1].note.as_deref().unwrap().contains("token limit"));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn old_turns_use_rules_only() {
    let server = HttpStub::start([chat(&class().to_string())]);
    let asking = asking(&server, "openai", |_| {});
    backfill_queue(asking.worker.store(), at(10), 10).unwrap();
    let late = at(3 * 24 * 3600);
    assert!(
        matches!(asking.worker.run_once(late).unwrap(), RunOutcome::Done(report) if !report.by_model && report.note.is_none())
    );
    assert_eq!(server.requests().len(), 0);
}
