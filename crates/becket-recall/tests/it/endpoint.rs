//! Embedding endpoints, played by a server on loopback.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use becket_recall::embed::{
    ApiKey, BackfillProgress, BuiltinModel, EmbedError, Embedder, EndpointConfig, EndpointModel,
    EndpointProtocol, backfill_vectors,
};
use becket_recall::search::{Band, Recall, SearchHit, SearchQuery};
use becket_store::{CorpusKind, StoreWriter};
use becket_testkit::{HttpStub, StubReply};
use serde_json::{Value, json};

use crate::{SHOP, gotcha, remember};

/// Answers each request with the result of `answer`.
fn server(answer: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static) -> (String, HttpStub) {
    let stub = HttpStub::with(move |request| {
        let (status, text) = answer(&request.json());
        StubReply::Response(status, &[], text)
    });
    (stub.url(""), stub)
}

/// The first values of the built-in model, as if another model had made them.
fn vectors(body: &Value) -> Vec<Vec<f32>> {
    let texts: Vec<&str> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    let all = BuiltinModel.embed(&texts).unwrap();
    all.into_iter()
        .map(|one| one[..128].iter().map(|x| x * 3.0).collect())
        .collect()
}

fn openai(body: &Value) -> (u16, String) {
    let mut data: Vec<Value> = Vec::new();
    for (index, vector) in vectors(body).into_iter().enumerate() {
        data.push(json!({ "index": index, "embedding": vector }));
    }
    data.reverse();
    (200, json!({ "data": data }).to_string())
}

fn config(base: &str, protocol: EndpointProtocol) -> EndpointConfig {
    EndpointConfig {
        batch: 2,
        timeout: Duration::from_secs(10),
        ..EndpointConfig::new(protocol, base, "small")
    }
}

#[test]
fn vectors_are_batched_ordered_and_normalised() {
    let (base, stub) = server(openai);
    let mut config = config(&format!("{base}/v1/"), EndpointProtocol::OpenAi);
    config.base = format!("{base}/v1");
    config.key = Some(ApiKey::new(|| Ok("sk-test".to_owned())));
    assert!(!format!("{config:?}").contains("sk-test"));
    let endpoint = EndpointModel::connect(config).unwrap();
    assert_eq!((endpoint.id(), endpoint.dimensions()), ("small/128", 128));
    let texts = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let vectors = endpoint.embed(&texts).unwrap();
    assert_eq!(vectors.len(), 5);
    for vector in &vectors {
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-3);
    }
    assert_eq!(vectors[3], endpoint.embed(&["delta"]).unwrap()[0]);
    let seen = stub.requests();
    assert!(seen[0].head.starts_with("POST /v1/embeddings "));
    assert_eq!(seen[0].header("authorization"), Some("Bearer sk-test"));
    let sizes: Vec<usize> = seen
        .iter()
        .map(|request| request.json()["input"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [1, 2, 2, 1, 1]);
}

#[test]
fn ollama_protocol() {
    let (base, stub) = server(|body| (200, json!({ "embeddings": vectors(body) }).to_string()));
    let endpoint = EndpointModel::connect(config(&base, EndpointProtocol::Ollama)).unwrap();
    assert_eq!(endpoint.embed(&["a", "b", "c"]).unwrap().len(), 3);
    assert!(stub.requests()[0].head.starts_with("POST /api/embed "));
}

#[test]
fn secrets_are_redacted_before_sending() {
    let (base, stub) = server(openai);
    let endpoint = EndpointModel::connect(config(&base, EndpointProtocol::OpenAi)).unwrap();
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPL2");
    endpoint.embed(&[format!("key {secret}").as_str()]).unwrap();
    let seen = stub.requests();
    assert!(!seen.is_empty() && seen.iter().all(|request| !request.body.contains(&secret)));
}

#[test]
fn invalid_responses_are_errors() {
    let answers: [(u16, &str); 6] = [
        (500, "{}"),
        (302, "{}"),
        (200, "not json"),
        (200, "{\"data\": []}"),
        (200, "{\"data\": [{\"embedding\": [\"x\"]}]}"),
        (200, "{\"data\": [{\"embedding\": []}]}"),
    ];
    for (status, text) in answers {
        let (base, _stub) = server(move |_| (status, text.to_owned()));
        assert!(
            EndpointModel::connect(config(&base, EndpointProtocol::OpenAi)).is_err(),
            "{status} {text}"
        );
    }
    let error =
        EndpointModel::connect(config("file:///etc/passwd", EndpointProtocol::OpenAi)).unwrap_err();
    assert!(matches!(error, EmbedError::BadUrl(_)));
}

#[test]
fn silent_endpoint_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let mut config = config(&base, EndpointProtocol::OpenAi);
    config.timeout = Duration::from_millis(200);
    let error = EndpointModel::connect(config).unwrap_err();
    assert!(matches!(error, EmbedError::NoAnswer(_)), "{error}");
}

#[test]
fn slow_model_does_not_delay_a_query() {
    let hangs = Arc::new(AtomicBool::new(false));
    let hanging = Arc::clone(&hangs);
    let (base, _stub) = server(move |body| {
        if hanging.load(Ordering::Relaxed) {
            std::thread::park();
        }
        openai(body)
    });
    let endpoint = EndpointModel::connect(config(&base, EndpointProtocol::OpenAi)).unwrap();
    let recall = Recall::new(None, Arc::new(endpoint)).unwrap();
    hangs.store(true, Ordering::Relaxed);
    let mut writer = StoreWriter::in_memory().unwrap();
    remember(
        &mut writer,
        &gotcha("leak", SHOP, "Database connections leak under load"),
    );
    let query = SearchQuery {
        least: Band::Weak,
        embed_timeout: Duration::from_millis(50),
        ..SearchQuery::new(SHOP, "leaking connections")
    };
    let found = recall.search(writer.reader(), &query).unwrap();
    assert_eq!(found.len(), 1, "by its words");
}

#[test]
fn changing_the_model_backfills_vectors() {
    let mut writer = StoreWriter::in_memory().unwrap();
    remember(
        &mut writer,
        &gotcha("leak", SHOP, "Database connections leak under load"),
    );
    remember(
        &mut writer,
        &gotcha("zone", SHOP, "Reports are cut at midnight in Berlin"),
    );
    remember(
        &mut writer,
        &gotcha("redis", SHOP, "Redis keys begin with the tenant"),
    );
    let (base, _stub) = server(openai);
    let endpoint = EndpointModel::connect(config(&base, EndpointProtocol::OpenAi)).unwrap();
    // Stopped in the middle, it continues there.
    let first = backfill_vectors(&mut writer, &endpoint, |progress| progress.done < 2).unwrap();
    assert_eq!(first, BackfillProgress { done: 2, total: 3 });
    let second = backfill_vectors(&mut writer, &endpoint, |_| true).unwrap();
    assert_eq!(second, BackfillProgress { done: 1, total: 1 });
    assert_eq!(
        writer
            .reader()
            .count_unembedded(CorpusKind::Memory, "small/128")
            .unwrap(),
        0
    );
    let recall = Recall::new(None, Arc::new(endpoint)).unwrap();
    let query = SearchQuery {
        least: Band::Weak,
        ..SearchQuery::new(SHOP, "leaking database connections")
    };
    let found = recall.search(writer.reader(), &query).unwrap();
    let SearchHit::Memory(best) = &found[0].hit else {
        panic!("only memories are there");
    };
    assert_eq!(best.id, "leak");
    assert!(
        found[0].features.standing > 1.0,
        "its meaning was seen, too"
    );
}
