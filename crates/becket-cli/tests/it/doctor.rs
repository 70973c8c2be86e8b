//! `becket doctor` reports what keeps hooks from running.

use serde_json::Value;

use crate::context::Context;

struct Told {
    exit: i32,
    findings: Vec<Value>,
}

fn doctor(context: &Context, path: Option<&str>) -> Told {
    let mut command = context.command(&["doctor", "--json"]);
    if let Some(path) = path {
        command.env("PATH", format!("{path}:/usr/local/bin:/usr/bin:/bin"));
    }
    let output = command.output().expect("ended");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema_version"], 1);
    Told {
        exit: output.status.code().unwrap_or(-1),
        findings: json["findings"].as_array().expect("a list").clone(),
    }
}

impl Told {
    /// Status and fix of the finding with this text.
    fn about(&self, check: &str, words: &str) -> Option<(&str, Option<&str>)> {
        let is_it = |it: &&Value| {
            let message = it["message"].as_str().unwrap_or_default();
            it["check"] == check && message.contains(words)
        };
        let found = self.findings.iter().find(is_it)?;
        Some((found["state"].as_str()?, found["fix"].as_str()))
    }
}

fn init(context: &Context, agent: &str, more: &[&str]) {
    let answer = context.run(&[&["init", "--yes", "--agent", agent], more].concat());
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
}

#[test]
fn codex_hooks_are_an_error_until_approved() {
    let context = Context::new();
    init(&context, "codex", &[]);
    let before = doctor(&context, None);
    assert_eq!(before.exit, 1);
    let (state, fix) = before
        .about("codex", "Codex ignores Becket until you approve its")
        .expect("told");
    assert_eq!(state, "error");
    assert!(fix.expect("a fix").contains("--codex-trust"));

    init(&context, "codex", &["--codex-trust"]);
    let after = doctor(&context, None);
    assert_eq!(
        after.about("codex", "Codex ignores Becket until you approve its"),
        None
    );
    assert_eq!(after.exit, 0, "{:?}", after.findings);
}

#[test]
fn agent_is_not_connected_twice_in_the_home_directory() {
    let context = Context::new();
    init(&context, "claude", &[]);
    let mut command = context.command(&["doctor", "--json"]);
    let output = command.current_dir(context.path("home")).output();
    let told = String::from_utf8(output.expect("ended").stdout).expect("text");
    assert!(told.contains("claude"), "{told}");
    assert!(!told.contains("connected twice"), "{told}");
}

#[test]
fn folder_untrusted_by_gemini_is_an_error() {
    let context = Context::new();
    init(&context, "gemini", &[]);
    let (state, fix) = doctor(&context, None)
        .about("gemini", "does not trust this folder")
        .map(|(state, fix)| (state.to_owned(), fix.map(str::to_owned)))
        .expect("told");
    assert_eq!(state, "error");
    assert!(fix.expect("a fix").contains("/permissions"));
    let rules = format!("{{\"{}\": \"TRUST_FOLDER\"}}", context.project().display());
    context.write("home/.gemini/trustedFolders.json", rules);
    let after = doctor(&context, None);
    assert_eq!(after.about("gemini", "does not trust"), None);
}

#[test]
fn hooks_turned_off_in_another_settings_file_are_an_error() {
    let context = Context::new();
    init(&context, "claude", &[]);
    context.write(
        "app/.claude/settings.local.json",
        "{\"disableAllHooks\": true}",
    );
    let told = doctor(&context, None);
    let (state, _) = told.about("claude", "disableAllHooks").expect("told");
    assert_eq!((state, told.exit), ("error", 1));
}

#[test]
fn every_warning_and_error_has_a_fix() {
    let context = Context::new();
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "cursor"] {
        init(&context, agent, &[]);
        if agent != "claude" {
            init(&context, agent, &["--scope", "project"]);
        }
    }
    context.write("home/.qwen/settings.json", "{\"disableAllHooks\": true}");
    let told = doctor(&context, None);
    for finding in &told.findings {
        let is_good = finding["state"] == "ok";
        assert!(is_good || finding["fix"].is_string(), "{finding}");
    }
}

#[test]
fn agent_versions_are_compared_with_the_tested_ones() {
    let context = Context::new();
    init(&context, "claude", &[]);
    let bin = context.path("bin").display().to_string();
    for (version, expected) in [
        ("2.1.325 (Claude Code)", "ok"),
        ("1.0.3 (Claude Code)", "warning"),
        ("4.0.0 (Claude Code)", "warning"),
    ] {
        context.script("bin/claude", &format!("echo '{version}'"));
        let told = doctor(&context, Some(&bin));
        let (state, _) = told.about("claude", "(tested with").expect("told");
        assert_eq!(state, expected, "{version}");
    }
}

#[test]
fn entry_with_another_becket_version_is_a_warning_unless_a_project_names_it() {
    let context = Context::new();
    init(&context, "claude", &[]);
    let old = context.script(
        "old/becket",
        &format!(
            "echo x >> '{}'; echo 'becket 0.0.1'",
            context.path("ran").display()
        ),
    );
    let settings = context.read("home/.claude/settings.json");
    let changed = settings.replace(env!("CARGO_BIN_EXE_becket"), &old.display().to_string());
    context.write("app/.claude/settings.json", &changed);
    doctor(&context, None);
    assert_eq!(context.read("ran"), "", "a project's program was run");

    context.write("home/.claude/settings.json", &changed);
    let told = doctor(&context, None);
    let (state, fix) = told.about("claude", "is Becket 0.0.1").expect("told");
    assert_eq!(
        (state, fix),
        ("warning", Some("becket init --agent claude"))
    );
}

#[test]
fn connected_agent_without_recent_events_is_a_warning() {
    let context = Context::new();
    init(&context, "claude", &[]);
    init(&context, "qwen", &[]);
    context.bash("ls");
    let told = doctor(&context, None);
    assert!(
        told.about("events", "qwen is connected, but no recent event")
            .is_some()
    );
    assert!(told.about("events", "last event from claude").is_some());
    assert!(told.about("events", "claude is connected, but").is_none());
}

#[test]
fn invalid_builtin_options_are_reported_with_file_and_line() {
    let context = Context::new();
    context.config(
        "[[hook]]\nuse = 'log'\noptions = { keep = 'many' }\n\n[[hook]]\nuse = 'security-guard'\noptions = { presets = 'strict' }\n",
    );
    let answer = context.run(&["doctor"]);
    assert_eq!(answer.exit, 1);
    for expected in [
        "config.toml:1: hook `log`: option `keep` of `log`: expected a whole number",
        "config.toml:5: hook `security-guard`: unknown option `presets` of `security-guard`; the options are preset",
    ] {
        let times = answer.stdout.matches(expected).count();
        assert_eq!(times, 1, "{expected}: {}", answer.stdout);
    }
}

#[test]
fn memory_and_learning_are_reported_before_anything_is_recorded() {
    let mut context = Context::new();
    context.set_env("BECKET_DAEMON", "on");
    let fresh = doctor(&context, None);
    let inside = fresh.about("memory", "on, using the built-in embedding model");
    assert_eq!(inside, Some(("ok", None)), "{:?}", fresh.findings);
    let rules = fresh.about("learning", "on, with rules only");
    assert_eq!(rules, Some(("ok", None)), "{:?}", fresh.findings);

    context.config(
        "[recall]\nenabled = false\n[learn]\nenabled = false\n[embedding]\nprovider = \"ollama\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"nomic-embed-text\"\n",
    );
    let off = doctor(&context, None);
    assert!(off.about("memory", "under [recall]").is_some());
    assert!(off.about("learning", "off").is_some());

    context.config("[embedding]\nprovider = \"ollama\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"nomic-embed-text\"\n");
    let named = doctor(&context, None);
    assert!(
        named
            .about("memory", "on, using nomic-embed-text")
            .is_some(),
        "{:?}",
        named.findings
    );
}
