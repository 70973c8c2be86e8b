//! An embedding endpoint on loopback, working and failing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use becket_recall::embed::{BuiltinModel, Embedder, EndpointConfig, EndpointProtocol};
use becket_recall::search::BUILTIN_MODEL;
use becket_store::CorpusKind;
use becket_testkit::{HttpStub, PATIENCE, StubReply, wait_for};
use serde_json::{Value, json};

use crate::world::{World, config};

const SHOP: &str = "/home/ana/shop";

/// Responds with the result of `answer`; `None` closes the connection.
fn endpoint(answer: impl Fn(&[String]) -> Option<Value> + Send + Sync + 'static) -> HttpStub {
    HttpStub::with(move |request| {
        let texts: Vec<String> =
            serde_json::from_value(request.json()["input"].clone()).unwrap_or_default();
        answer(&texts).map_or(StubReply::HangUp, |body| StubReply::json(&body))
    })
}

/// The first numbers of the built-in model, as if another model had made them.
fn vectors(texts: &[String]) -> Value {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = BuiltinModel.embed(&texts).expect("vectors");
    let all: Vec<&[f32]> = all.iter().map(|one| &one[..128]).collect();
    json!({ "embeddings": all })
}

impl World {
    fn start_finding_by(&mut self, base: &str) {
        self.start_finding_by_model(base, "small");
    }

    fn start_finding_by_model(&mut self, base: &str, model: &str) {
        let mut config = config(self.state());
        let endpoint = EndpointConfig::new(EndpointProtocol::Ollama, base, model);
        config.embedding = Some(EndpointConfig {
            batch: 4,
            timeout: Duration::from_secs(2),
            ..endpoint
        });
        config.learn = Some(becket_daemon::learn::LearningSettingsLoader(Arc::new(
            becket_daemon::learn::LearningSettings::default,
        )));
        self.start_as(config, None).expect("a daemon");
    }

    fn remember(&self, text: &str) {
        let note = json!({ "project": SHOP, "text": text }).to_string();
        let reply = self.post("/api/v1/memories", "application/json", note.as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    fn embedding(&self) -> Value {
        self.get("/api/v1/learning").json()["embedding"].clone()
    }

    fn finds(&self, words: &str) -> usize {
        let path = format!("/api/v1/search?project={SHOP}&q={words}");
        let found = self.get(&path).json()["found"].clone();
        found.as_array().expect("a list").len()
    }

    fn without_vector(&self, model: &str) -> u64 {
        let reader = self.reader();
        reader
            .count_unembedded(CorpusKind::Memory, model)
            .expect("a store")
    }
}

#[test]
fn backfill_switches_models_while_search_keeps_working() {
    let mut world = World::new();
    for number in 0..10 {
        world.remember(&format!(
            "Rule number {number} of the harbour is about anchors"
        ));
    }
    world.stop();
    let (let_go, held) = mpsc::channel();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // The first response shows the length of vectors; the next waits until the test has checked.
    let held = Mutex::new(held);
    let stub = endpoint(move |texts| {
        if count.fetch_add(1, Ordering::Relaxed) == 1 {
            let held = held.lock().expect("unpoisoned");
            held.recv_timeout(PATIENCE).ok()?;
        }
        Some(vectors(texts))
    });
    world.start_finding_by(&stub.url(""));
    wait_for("the model is asked for all", || {
        asked.load(Ordering::Relaxed) == 2
    });
    let state = world.embedding();
    assert_eq!(
        (&state["model"], &state["wanted"], &state["total"]),
        (&json!(BUILTIN_MODEL), &json!("small"), &json!(10))
    );
    assert!(world.finds("anchors") > 0, "the model before is still used");
    let_go.send(()).expect("it waits");
    wait_for("the model is used", || {
        world.embedding()["model"] == "small/128"
    });
    assert_eq!(world.without_vector("small/128"), 0);
    assert!(world.finds("anchors") > 0);
    world.remember("Lighthouses are lit at dusk");
    assert_eq!(world.without_vector("small/128"), 0);
    assert_eq!(world.without_vector(BUILTIN_MODEL), 1);
    world.stop();
    // Back to the built-in model: everything is embedded again, and nothing is mixed.
    world.start().expect("another daemon");
    wait_for("it has a vector of that one, too", || {
        world.without_vector(BUILTIN_MODEL) == 0
    });
    assert_eq!(world.finds("lighthouses"), 1);
}

#[test]
fn vectors_of_former_models_are_deleted() {
    let mut world = World::new();
    for number in 0..5 {
        world.remember(&format!("Rule number {number} of the harbour"));
    }
    for model in ["small", "other"] {
        world.stop();
        let stub = endpoint(|texts| Some(vectors(texts)));
        world.start_finding_by_model(&stub.url(""), model);
        let id = format!("{model}/128");
        wait_for("the model is used", || world.embedding()["model"] == id);
        assert_eq!(world.without_vector(&id), 0);
    }
    wait_for("the former one's are gone", || {
        world.without_vector("small/128") == 5
    });
    assert_eq!(world.without_vector("other/128"), 0);
    assert_eq!(world.without_vector(BUILTIN_MODEL), 0, "it steps in again");
}

#[test]
fn failing_endpoint_leaves_the_built_in_model_active() {
    let slow = HttpStub::start([StubReply::Silence]);
    let broken = endpoint(|_| None);
    let malformed = endpoint(|_| Some(json!({ "embeddings": "none" })));
    let empty = endpoint(|texts| Some(json!({ "embeddings": vec![[0.0; 0]; texts.len()] })));
    for (what, base) in [
        ("hangs up", broken.url("")),
        ("malformed", malformed.url("")),
        ("empty", empty.url("")),
        ("slow", slow.url("")),
        ("unreachable", "http://127.0.0.1:9".to_owned()),
    ] {
        let mut world = World::asleep();
        world.start_finding_by(&base);
        wait_for(what, || world.embedding()["problem"].is_string());
        assert_eq!(world.embedding()["model"], BUILTIN_MODEL, "{what}");
        world.remember("Lighthouses are lit at dusk");
        assert_eq!(world.finds("lighthouses"), 1, "{what}");
    }
}

#[test]
fn built_in_model_replaces_an_endpoint_that_fails_later() {
    let mut world = World::asleep();
    let is_away = Arc::new(AtomicBool::new(false));
    let away = Arc::clone(&is_away);
    let stub = endpoint(move |texts| (!away.load(Ordering::Relaxed)).then(|| vectors(texts)));
    world.start_finding_by(&stub.url(""));
    wait_for("the model is used", || {
        world.embedding()["model"] == "small/128"
    });
    world.remember("Lighthouses are lit at dusk");
    is_away.store(true, Ordering::Relaxed);
    assert_eq!(world.finds("lighthouses"), 1);
    let state = world.embedding();
    assert_eq!(
        (&state["model"], &state["wanted"]),
        (&json!(BUILTIN_MODEL), &json!("small/128"))
    );
    assert!(state["problem"].is_string(), "{state}");
    world.remember("Anchors are weighed at dawn");
    assert_eq!(world.finds("anchors"), 1);
    wait_for("nothing is without a vector", || {
        world.without_vector(BUILTIN_MODEL) == 0
    });
}
