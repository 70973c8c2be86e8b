//! Loading all dialects of a project in one call.

use std::collections::HashMap;
use std::path::Path;

use becket::model::{Dialect, Level, Verdict};
use becket::{Home, HookContext, HookEvent, HookInput, HookManager, load};
use becket_testkit::TestDir;
use serde_json::json;

struct Place {
    dir: TestDir,
    home: Home,
}

impl Place {
    fn new() -> Self {
        let dir = TestDir::new();
        let at = |name: &str| dir.path(name).to_string_lossy().into_owned();
        let vars = HashMap::from([
            ("HOME".to_owned(), at("home")),
            ("BECKET_HOME".to_owned(), at("home/.becket")),
        ]);
        let home = Home::find(&vars);
        Self { dir, home }
    }

    fn write(&self, path: &str, text: &str) {
        self.dir.write(path, text);
    }

    fn project(&self) -> std::path::PathBuf {
        self.dir.path("app")
    }
}

fn everywhere() -> Place {
    let place = Place::new();
    place.write(
        "home/.becket/config.toml",
        "[[hook]]\nname = \"mine\"\nevent = \"pre-tool\"\ncommand = \"mine\"\n",
    );
    place.write(
        "app/becket.toml",
        "[[hook]]\nname = \"ours\"\nevent = \"PreToolUse\"\ncommand = \"ours\"\n",
    );
    place.write(
        "app/.claude/settings.json",
        r#"{ // both shapes in one file
          "hooks": {
            "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "nested" }] }],
            "preToolUse": { "named": { "command": "mapped", "timeout_secs": 30, "matcher": "Bash|Write" } },
          } }"#,
    );
    place.write(
        "home/.code-agent/hooks/hooks.json",
        r#"{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "coded", "timeout": 5000}]}]}"#,
    );
    place
}

#[test]
fn every_dialect_is_read_and_project_comes_before_user() {
    let place = everywhere();
    let found = load(&place.home, Some(&place.project()), None);
    let told: Vec<_> = found
        .loaded
        .hooks
        .iter()
        .map(|h| (h.action.summary(), h.dialect, h.source.level))
        .collect();
    assert_eq!(
        told,
        [
            ("ours".to_owned(), Dialect::Becket, Level::Project),
            ("nested".to_owned(), Dialect::Claude, Level::Project),
            ("mapped".to_owned(), Dialect::ClaudeAgent, Level::Project),
            ("mine".to_owned(), Dialect::Becket, Level::User),
            ("coded".to_owned(), Dialect::CodeAgent, Level::User),
        ]
    );
    assert_eq!(found.loaded.problems, []);
}

#[test]
fn what_claude_runs_itself_is_left_to_claude() {
    let place = everywhere();
    let found = load(&place.home, Some(&place.project()), Some("claude"));
    assert!(
        !found
            .loaded
            .hooks
            .iter()
            .any(|hook| hook.dialect == Dialect::Claude)
    );
    assert!(
        found
            .loaded
            .hooks
            .iter()
            .any(|hook| hook.dialect == Dialect::ClaudeAgent)
    );
}

#[test]
fn problems_stand_beside_what_loaded() {
    let place = Place::new();
    place.write("app/becket.toml", "[[hook]]\nevent = \"PreToolUse\"\ncommand = \"good\"\n\n[[hook]]\nevent = \"PreToolUse\"\nmatcher = \"Bash(\"\ncommand = \"bad\"\n");
    place.write("app/.claude/settings.json", "{ not json");
    let found = load(&place.home, Some(&place.project()), None);
    assert_eq!(found.loaded.hooks.len(), 1);
    let told: Vec<String> = found
        .loaded
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        told.iter()
            .any(|p| p.contains("becket.toml:7") && p.contains("matcher")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|p| p.contains("settings.json:1")),
        "{told:?}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_a_problem_and_not_the_end() {
    let place = Place::new();
    place.write(
        "app/becket.toml/inside",
        "a directory where a file should be",
    );
    place.write("app/.claude/settings.json", "\u{feff}{}");
    std::fs::create_dir_all(place.dir.path("app/.claude")).unwrap();
    std::fs::write(
        place.dir.path("app/.claude/settings.local.json"),
        [b'{', 0xff, b'}'],
    )
    .unwrap();
    let found = load(&place.home, Some(&place.project()), None);
    let told: Vec<String> = found
        .loaded
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter()
            .any(|p| p.contains("becket.toml") && p.contains("cannot be read")),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|p| p.contains("settings.local.json") && p.contains("UTF-8")),
        "{told:?}"
    );
}

#[tokio::test]
async fn loaded_hooks_run_in_a_manager() {
    let place = Place::new();
    place.write(
        "app/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}"#,
    );
    let found = load(&place.home, Some(&place.project()), None);
    let mut manager = HookManager::new();
    manager.register_specs(found.loaded.hooks);
    let ctx = HookContext::new("s").with_cwd(place.project());
    for (tool, expected) in [("Bash", Verdict::Deny), ("Read", Verdict::NoOpinion)] {
        let input = HookInput::pre_tool_use("s", tool, json!({}));
        let decision = manager
            .decide(HookEvent::PreToolUse, input, &ctx)
            .await
            .unwrap();
        assert_eq!(decision.verdict, expected, "{tool}");
    }
}

#[test]
fn nothing_configured_is_nothing_loaded() {
    let place = Place::new();
    let found = load(&place.home, Some(Path::new("/nonexistent/project")), None);
    assert!(
        found.loaded.hooks.is_empty() && found.loaded.problems.is_empty() && found.files.is_empty()
    );
}
