//! `[llm]`, `[http]`, `[agents.NAME]` and `[mcp.NAME]` of the user's own file.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::{
    ConfigFile, HttpPolicy, KeySource, LlmConfig, LlmProvider, McpServer, ServicesConfig, becket,
    becket_services,
};
use becket_model::Level;

use super::problem_lines;

fn file(level: Level, text: &str) -> ConfigFile<'_> {
    ConfigFile {
        path: Path::new("/w/file"),
        level,
        text,
        root: None,
    }
}

fn read(text: &str) -> (ServicesConfig, Vec<String>) {
    let file = file(Level::User, text);
    (becket_services(&file), problem_lines(&becket(&file)))
}

const ALL: &str = r#"
[llm]
provider = "openai"
base_url = "http://localhost:11434/v1"
model = "qwen3:4b"
api_key_env = "OPENAI_API_KEY"
max_tokens = 200
temperature = 0.2
daily_tokens = 100_000
timeout = "20s"
retries = 3

[http]
allow_private = true
allow_hosts = ["*.example.com", "localhost:8080"]
deny_hosts = ["evil.example.com"]
proxy = true
ca_file = "/etc/ca.pem"

[agents.reviewer]
command = ["claude", "-p", "{prompt}"]

[mcp.files]
command = ["files-server", "--stdio"]
env = { ROOT = "/w" }
"#;

#[test]
fn every_key_is_read() {
    let text = |text: &str| text.to_owned();
    let expected = ServicesConfig {
        llm: Some(LlmConfig {
            provider: LlmProvider::OpenAi,
            base_url: Some(text("http://localhost:11434/v1")),
            model: Some(text("qwen3:4b")),
            key: Some(KeySource::Env(text("OPENAI_API_KEY"))),
            command: Vec::new(),
            max_tokens: Some(200),
            temperature: Some(0.2),
            daily_tokens: Some(100_000),
            timeout: Some(Duration::from_secs(20)),
            retries: Some(3),
        }),
        http: HttpPolicy {
            allow_private: true,
            allow_hosts: vec![text("*.example.com"), text("localhost:8080")],
            deny_hosts: vec![text("evil.example.com")],
            proxy: true,
            ca_file: Some(text("/etc/ca.pem")),
            broken: false,
        },
        agents: vec![(
            text("reviewer"),
            vec![text("claude"), text("-p"), text("{prompt}")],
        )],
        mcp: vec![(
            text("files"),
            McpServer {
                command: vec![text("files-server"), text("--stdio")],
                env: vec![(text("ROOT"), text("/w"))],
            },
        )],
    };
    assert_eq!(read(ALL), (expected, Vec::new()));
}

#[test]
fn project_files_cannot_configure_services() {
    for level in [Level::Project, Level::Local] {
        let file = file(level, ALL);
        assert_eq!(becket_services(&file), ServicesConfig::default());
        let message = "this table is only allowed in the user configuration; it has no effect here";
        let expected = ["W 2 llm", "W 13 http", "W 20 agents", "W 23 mcp"];
        assert_eq!(
            problem_lines(&becket(&file)),
            expected.map(|place| format!("{place}: {message}"))
        );
    }
}

#[test]
fn http_policy_is_strict_by_default() {
    let (found, problems) = read("");
    assert_eq!(found, ServicesConfig::default());
    assert!(!found.http.allow_private && !found.http.broken && problems.is_empty());
}

#[test]
fn errors_are_reported_with_their_key_and_secrets_are_never_printed() {
    for (text, expected) in [
        ("[llm]\nmodel = 'm'", "E 1 llm: missing `provider`"),
        ("[llm]\nprovider = 'openai'", "E 1 llm: missing `model`"),
        (
            "[llm]\nprovider = 'open-ai'\nmodel = 'm'",
            "E 2 llm.provider: unknown provider `open-ai`",
        ),
        ("[llm]\nprovider = 'command'", "E 1 llm: missing `command`"),
        (
            "[llm]\nprovider = 'command'\ncommand = []",
            "E 3 llm.command: must name a program",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\napi_key_env = 'sk-verysecret'",
            "E 4 llm.api_key_env: is not a variable name",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\napi_key = 'sk-verysecret'",
            "W 4 llm.api_key: unknown key",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\nbase_url = 'https://u:sk-verysecret@h/v1'",
            "E 4 llm.base_url: must not contain a password",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\nbase_url = 'ftp://h'",
            "E 4 llm.base_url: must begin with `http://` or `https://`",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\nbase_url = 'localhost:11434'",
            "E 4 llm.base_url: is not a URL such as `http://localhost:11434/v1`",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\napi_key_env = 'A'\napi_key_command = ['b']",
            "E 1 llm: has both `api_key_env` and `api_key_command`",
        ),
        (
            "[llm]\nprovider = 'openai'\nmodel = 'm'\ntemperature = 3",
            "E 4 llm.temperature: must be a number from 0 to 2",
        ),
        ("llm = 1", "E 1 llm: expected a table, found a number"),
        (
            "[agents]\nx = 1",
            "E 2 agents.x: expected a table, found a number",
        ),
        ("[mcp.x]\nenv = {}", "E 1 mcp.x: missing `command`"),
    ] {
        let (found, problems) = read(text);
        assert_eq!(problems, [expected], "{text}");
        assert_eq!(found.llm.is_some(), expected.starts_with('W'), "{text}");
        assert!(found.agents.is_empty() && found.mcp.is_empty(), "{text}");
    }
}

#[test]
fn invalid_http_policy_blocks_everything() {
    for text in [
        "[http]\ndeny_hosts = 'evil.example.com'",
        "[http]\nallow_private = 'no'",
        "http = []",
        "[http\n",
    ] {
        assert!(read(text).0.http.broken, "{text}");
    }
}
