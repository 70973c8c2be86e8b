//! `[learn]` and `[embedding]` of a person's own file.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::{
    Embedding, EmbeddingProvider, File, KeySource, Learning, becket, becket_learning,
};
use becket_model::Level;

use super::told;

fn read(level: Level, text: &str) -> (Learning, Option<Embedding>, Vec<String>) {
    let file = File {
        path: Path::new("/w/file"),
        level,
        text,
        root: None,
    };
    let (learning, embedding) = becket_learning(&file);
    (learning, embedding, told(&becket(&file)))
}

const ALL: &str = r#"
[learn]
enabled = false
by = "rules"
daily_tokens = 5000

[learn.llm]
provider = "anthropic"
model = "small"
api_key_env = "KEY"

[embedding]
provider = "ollama"
base_url = "http://localhost:11434"
model = "nomic-embed-text"
api_key_command = ["pass", "show", "it"]
batch = 16
timeout = "5s"
"#;

#[test]
fn every_key_is_read() {
    let (learning, embedding, problems) = read(Level::User, ALL);
    assert_eq!(problems, [] as [&str; 0]);
    assert_eq!(
        (learning.enabled, learning.by_model, learning.daily_tokens),
        (false, false, 5000)
    );
    assert!(!learning.broken);
    let llm = learning.llm.expect("a model of its own");
    assert_eq!(llm.model.as_deref(), Some("small"));
    let expected = Embedding {
        provider: EmbeddingProvider::Ollama,
        base_url: "http://localhost:11434".into(),
        model: "nomic-embed-text".into(),
        key: Some(KeySource::Command(
            ["pass", "show", "it"].map(String::from).into(),
        )),
        batch: Some(16),
        timeout: Some(Duration::from_secs(5)),
    };
    assert_eq!(embedding, Some(expected));
}

#[test]
fn nothing_said_is_learning_with_what_there_is_for_a_bounded_price() {
    let (learning, embedding, _) = read(Level::User, "");
    assert_eq!((learning, embedding), (Learning::default(), None));
    assert!(Learning::default().enabled && Learning::default().daily_tokens > 0);
}

#[test]
fn a_project_has_no_say_in_it() {
    for level in [Level::Project, Level::Local] {
        let (learning, embedding, problems) = read(level, ALL);
        assert_eq!((learning, embedding), (Learning::default(), None));
        let message = "only your own configuration can have this table; it has no effect";
        assert_eq!(
            problems,
            [
                format!("W 2 learn: {message}"),
                format!("W 12 embedding: {message}")
            ]
        );
    }
}

#[test]
fn mistakes_are_told_at_their_place_and_nothing_is_learnt_until_they_are_mended() {
    for (text, expected) in [
        (
            "[learn]\nenabled = 'no'",
            "E 2 learn.enabled: expected true or false, found a string",
        ),
        (
            "[learn]\nby = 'magic'",
            "E 2 learn.by: unknown way to learn `magic`",
        ),
        (
            "[learn]\ndaily_tokens = -1",
            "E 2 learn.daily_tokens: expected a whole number from 0 on, found a number",
        ),
        (
            "[learn.llm]\nmodel = 'm'",
            "E 1 learn.llm: missing `provider`",
        ),
        ("learn = 1", "E 1 learn: expected a table, found a number"),
    ] {
        let (learning, _, problems) = read(Level::User, text);
        assert_eq!(problems, [expected], "{text}");
        assert!(learning.broken, "{text}");
    }
    let (learning, _, _) = read(Level::User, "[learn\n");
    assert!(learning.broken);
}

#[test]
fn an_endpoint_that_makes_no_sense_is_none_and_a_key_is_never_repeated() {
    for (table, expected) in [
        ("model = 'm'", "E 1 embedding: missing `provider`"),
        (
            "provider = 'cohere'\nbase_url = 'http://h'\nmodel = 'm'",
            "E 2 embedding.provider: unknown provider `cohere`",
        ),
        (
            "provider = 'openai'\nmodel = 'm'",
            "E 1 embedding: missing `base_url`",
        ),
        (
            "provider = 'openai'\nbase_url = 'ftp://h'\nmodel = 'm'",
            "E 3 embedding.base_url: must begin with `http://` or `https://`",
        ),
        (
            "provider = 'openai'\nbase_url = 'http://h'",
            "E 1 embedding: missing `model`",
        ),
        (
            "provider = 'openai'\nbase_url = 'http://h'\nmodel = 'm'\nbatch = 0",
            "E 5 embedding.batch: is not a number from 1 on",
        ),
        (
            "provider = 'openai'\nbase_url = 'http://h'\nmodel = 'm'\napi_key_env = 'sk-123'",
            "E 5 embedding.api_key_env: is not the name of a variable",
        ),
    ] {
        let (_, embedding, problems) = read(Level::User, &format!("[embedding]\n{table}"));
        assert_eq!(problems, [expected], "{table}");
        assert_eq!(embedding, None, "{table}");
    }
}
