//! `[learn]` and `[embedding]` of the user's own file.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::{
    ConfigFile, EmbeddingConfig, EmbeddingProvider, KeySource, LearnConfig, becket,
    becket_learn_config,
};
use becket_model::Level;

use super::problem_lines;

fn read(level: Level, text: &str) -> (LearnConfig, Option<EmbeddingConfig>, Vec<String>) {
    let file = ConfigFile {
        path: Path::new("/w/file"),
        level,
        text,
        root: None,
    };
    let (learning, embedding) = becket_learn_config(&file);
    (learning, embedding, problem_lines(&becket(&file)))
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
    let expected = EmbeddingConfig {
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
fn learning_defaults_to_enabled_with_a_token_limit() {
    let (learning, embedding, _) = read(Level::User, "");
    assert_eq!((learning, embedding), (LearnConfig::default(), None));
    assert!(LearnConfig::default().enabled && LearnConfig::default().daily_tokens > 0);
}

#[test]
fn project_files_cannot_configure_learning() {
    for level in [Level::Project, Level::Local] {
        let (learning, embedding, problems) = read(level, ALL);
        assert_eq!((learning, embedding), (LearnConfig::default(), None));
        let message = "this table is only allowed in the user configuration; it has no effect here";
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
fn invalid_learn_table_is_reported_and_disables_learning() {
    for (text, expected) in [
        (
            "[learn]\nenabled = 'no'",
            "E 2 learn.enabled: expected true or false, found a string",
        ),
        (
            "[learn]\nby = 'magic'",
            "E 2 learn.by: unknown learning mode `magic`",
        ),
        (
            "[learn]\ndaily_tokens = -1",
            "E 2 learn.daily_tokens: expected an integer of at least 0, found a number",
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
fn invalid_endpoint_is_ignored_and_secrets_are_never_printed() {
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
            "E 5 embedding.batch: must be at least 1",
        ),
        (
            "provider = 'openai'\nbase_url = 'http://h'\nmodel = 'm'\napi_key_env = 'sk-123'",
            "E 5 embedding.api_key_env: is not a variable name",
        ),
    ] {
        let (_, embedding, problems) = read(Level::User, &format!("[embedding]\n{table}"));
        assert_eq!(problems, [expected], "{table}");
        assert_eq!(embedding, None, "{table}");
    }
}
