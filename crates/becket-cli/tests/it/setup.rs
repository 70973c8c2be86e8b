//! `becket init`, `uninstall`, `doctor`, `hooks list` and `schema`.

use serde_json::{Value, json};

use crate::context::Context;

const SETTINGS: &str = "home/.claude/settings.json";

const SOMEBODYS: &str = r#"{
    // my own settings
    "permissions": { "allow": ["Bash(ls)"] },
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }, // keep
        ]
    }
}
"#;

#[test]
fn init_shows_a_diff_adds_entries_and_is_idempotent() {
    let context = Context::new();
    context.write(SETTINGS, SOMEBODYS);
    let dry = context.run(&["init", "--dry-run"]);
    assert!(
        dry.stdout.contains('+') && dry.stdout.contains("hook PreToolUse --agent claude"),
        "{}",
        dry.stdout
    );
    assert_eq!(context.read(SETTINGS), SOMEBODYS);
    let first = context.run(&["init", "--yes"]);
    assert_eq!(first.exit, 0, "{}", first.stderr);
    let installed = context.read(SETTINGS);
    for kept in [
        "// my own settings",
        "./mine.sh",
        "// keep",
        "Bash(ls)",
        "hook SessionStart --agent claude",
    ] {
        assert!(installed.contains(kept), "{kept}: {installed}");
    }
    let second = context.run(&["init", "--yes"]);
    assert!(second.stdout.contains("nothing to do"), "{}", second.stdout);
    assert_eq!(context.read(SETTINGS), installed);
}

#[test]
fn uninstall_restores_the_file_byte_for_byte() {
    for original in [
        Some(SOMEBODYS),
        Some("{}"),
        Some("{\"a\":1}"),
        Some(""),
        None,
    ] {
        let context = Context::new();
        if let Some(text) = original {
            context.write(SETTINGS, text);
        }
        assert_eq!(context.run(&["init", "--yes"]).exit, 0);
        assert_ne!(context.read(SETTINGS), original.unwrap_or_default());
        assert_eq!(context.run(&["uninstall", "--yes"]).exit, 0);
        assert_eq!(
            context.path(SETTINGS).exists(),
            original.is_some(),
            "{original:?}"
        );
        assert_eq!(context.read(SETTINGS), original.unwrap_or_default());
    }
}

#[test]
fn uninstall_keeps_edits_of_the_user() {
    let context = Context::new();
    context.write(SETTINGS, SOMEBODYS);
    context.run(&["init", "--yes"]);
    context.write(
        SETTINGS,
        context.read(SETTINGS).replace("Bash(ls)", "Bash(cat)"),
    );
    assert_eq!(context.run(&["uninstall", "--yes"]).exit, 0);
    assert_eq!(
        context.read(SETTINGS),
        SOMEBODYS.replace("Bash(ls)", "Bash(cat)")
    );
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_written() {
    let context = Context::new();
    context.write(SETTINGS, SOMEBODYS);
    assert_eq!(context.run(&["init"]).exit, 1);
    assert_eq!(context.read(SETTINGS), SOMEBODYS);
}

#[test]
fn settings_file_that_is_not_json_is_reported_and_not_changed() {
    let context = Context::new();
    context.write(SETTINGS, "{ nonsense");
    let answer = context.run(&["init", "--yes"]);
    assert_eq!(answer.exit, 1);
    assert!(
        answer.stderr.contains("settings.json") && answer.stderr.contains("line 1"),
        "{}",
        answer.stderr
    );
    assert_eq!(context.read(SETTINGS), "{ nonsense");
}

#[test]
fn project_scope_writes_the_projects_file_with_the_plain_name() {
    let context = Context::new();
    assert_eq!(
        context.run(&["init", "--scope", "project", "--yes"]).exit,
        0
    );
    let text = context.read("app/.claude/settings.json");
    assert!(
        text.contains("\"becket hook PreToolUse --agent claude\""),
        "{text}"
    );
    assert!(!context.path(SETTINGS).exists());
}

#[test]
fn installed_command_works_when_claude_runs_it() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"echo stop >&2; exit 2\"\n");
    context.run(&["init", "--yes"]);
    let settings: Value = serde_json::from_str(&context.read(SETTINGS)).expect("JSON");
    let command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .expect("a command")
        .to_owned();
    let payload = json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {} });
    let file = context.path("payload.json");
    std::fs::write(&file, payload.to_string()).expect("written");
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", &command])
        .env("HOME", context.path("home"))
        .env("BECKET_HOME", context.path("home/.becket"))
        .env("BECKET_DAEMON", "off")
        .stdin(std::fs::File::open(file).expect("opened"))
        .output()
        .expect("ran");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("\"deny\""),
        "{output:?}"
    );
}

#[test]
fn beckets_own_entries_in_agent_files_are_not_run_as_hooks() {
    let context = Context::new();
    context.run(&["init", "--yes"]);
    let listed = context.run(&["hooks", "list", "--json"]).json();
    assert_eq!(listed["hooks"], json!([]), "{listed}");
}

#[test]
fn doctor_reports_connections_and_disabled_hooks() {
    let context = Context::new();
    let before = context.run(&["doctor"]);
    assert!(
        before.stdout.contains("not connected") && before.stdout.contains("becket init"),
        "{}",
        before.stdout
    );
    context.run(&["init", "--yes"]);
    let after = context.run(&["doctor", "--json"]).json();
    let claude: Vec<&Value> = after["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|f| f["check"] == "claude")
        .collect();
    assert_eq!(
        (claude.len(), claude[0]["state"].as_str()),
        (1, Some("ok")),
        "{after}"
    );
    context.write(
        SETTINGS,
        context
            .read(SETTINGS)
            .replace(env!("CARGO_BIN_EXE_becket"), "/gone/becket"),
    );
    let broken = context.run(&["doctor"]);
    assert_eq!(broken.exit, 1);
    assert!(broken.stdout.contains("/gone/becket"), "{}", broken.stdout);
}

#[test]
fn hooks_are_listed_by_event_with_counts() {
    let context = Context::new();
    context.config(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = \"./a.sh\"\ndescription = \"Log tool usage\"\n[[hook]]\nevent = \"PreToolUse\"\ncommand = \"./b.sh\"\nenabled = false\n[[hook]]\nevent = \"Stop\"\ncommand = \"./c.sh\"\n",
    );
    let text = context.run(&["hooks"]).stdout;
    for line in [
        "PreToolUse (1/2 enabled)",
        "1. [enabled] ./a.sh - Log tool usage",
        "2. [disabled] ./b.sh",
        "Stop (1/1 enabled)",
        "Total: 3 hooks (2 enabled, 1 disabled)",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn skills_subagents_and_plugins_are_listed_and_left_to_their_agent() {
    let context = Context::new();
    context.write(
        "app/.claude/skills/fmt/SKILL.md",
        "---\nname: fmt\nhooks:\n  PreToolUse:\n    - matcher: \"Write|Edit\"\n      hooks:\n        - type: command\n          command: scripts/format.sh\n          timeout: 10\n---\nText\n",
    );
    context.write(
        "home/.claude/plugins/cache/p/hooks/hooks.json",
        r#"{"hooks": {"PostToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "fmt.sh"}]}]}}"#,
    );
    let text = context.run(&["hooks", "list"]).stdout;
    assert!(
        text.contains("scripts/format.sh") && text.contains("fmt.sh"),
        "{text}"
    );
}

#[test]
fn the_schema_is_json_and_describes_a_hook() {
    let schema = Context::new().run(&["schema"]).json();
    assert!(
        schema["$schema"]
            .as_str()
            .is_some_and(|text| text.contains("2020-12")),
        "{schema}"
    );
    assert!(schema.to_string().contains("on_failure"));
}

#[test]
fn help_and_version_print_to_stdout_and_succeed() {
    let context = Context::new();
    for args in [
        &["--help"][..],
        &["--version"],
        &["hook", "--help"],
        &["trust", "--help"],
    ] {
        let answer = context.run(args);
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{args:?}");
        assert!(
            !answer.stdout.contains('\u{1b}'),
            "no colours without a terminal"
        );
    }
}

#[test]
fn every_agent_can_be_connected_and_disconnected_again_without_a_trace() {
    let listed = Context::new().run(&["agents", "--json"]).json();
    let ids: Vec<String> = listed["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|agent| agent["id"].as_str().expect("an id").to_owned())
        .collect();
    assert!(ids.len() >= 10, "{ids:?}");
    for id in ids {
        for scope in ["user", "project"] {
            let context = Context::new();
            let args = |verb| {
                [verb, "--agent", &id, "--scope", scope, "--yes", "--json"].map(str::to_owned)
            };
            let run =
                |verb| context.run(&args(verb).iter().map(String::as_str).collect::<Vec<_>>());
            let before = files(&context);
            let first = run("init");
            if first.stderr.contains("unknown agent") {
                continue;
            }
            assert_eq!(first.exit, 0, "{id} {scope}: {}", first.stderr);
            let changed = |answer: &crate::context::CommandOutput| {
                answer.json()["files"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .any(|file| file["changed"] == true)
            };
            let supported = !first.json()["files"].as_array().expect("a list").is_empty();
            assert_eq!(changed(&first), supported, "{id} {scope}");
            assert!(
                !changed(&run("init")),
                "{id} {scope}: a second time changes nothing"
            );
            assert_eq!(run("uninstall").exit, 0, "{id} {scope}");
            assert_eq!(files(&context), before, "{id} {scope}: something is left");
        }
    }
}

/// Every file except Becket's own.
fn files(context: &Context) -> Vec<std::path::PathBuf> {
    fn walk(dir: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("listed").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with(".becket") {
                walk(&path, found);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&context.path(""), &mut found);
    found.sort();
    found
}

#[test]
fn agents_lists_capabilities() {
    let context = Context::new();
    context.run(&["init", "--agent", "claude", "--yes"]);
    context.bash("ls");
    let text = context.run(&["agents"]).stdout;
    let claude = text
        .lines()
        .find(|line| line.starts_with("claude"))
        .expect("a row");
    assert!(claude.contains("user") && claude.contains("yes"), "{text}");
    let listed = context.run(&["agents", "--json"]).json();
    let claude = listed["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|agent| agent["id"] == "claude")
        .expect("claude");
    assert!(
        claude["last_seen"].is_string() && claude["connected_for_user"] == true,
        "{claude}"
    );
}

#[test]
fn convert_prints_another_format_and_lists_what_is_lost() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"guard\"\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"./guard.sh\"\ntimeout = \"5s\"\npriority = 7\n");
    let file = context.path("home/.becket/config.toml");
    let claude = context.run(&[
        "hooks",
        "convert",
        "--to",
        "claude",
        &file.to_string_lossy(),
    ]);
    assert_eq!(
        claude.json()["hooks"]["PreToolUse"][0]["hooks"][0]["command"],
        "./guard.sh",
        "{}",
        claude.stdout
    );
    assert!(claude.stderr.contains("priority"), "{}", claude.stderr);
    let cursor = context.run(&["hooks", "convert", "--to", "cursor"]).json();
    assert!(
        cursor["hooks"].to_string().contains("./guard.sh"),
        "{cursor}"
    );
    let unknown = context.run(&["hooks", "convert", "--to", "klingon"]);
    assert_eq!(unknown.exit, 1);
    assert!(
        unknown.stderr.contains("klingon") && unknown.stderr.contains("cursor"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_hook_written_for_another_agent_runs_under_claude_with_its_own_contract() {
    let context = Context::new();
    context.write(
        "home/.autohand/config.json",
        r#"{"hooks": {"enabled": true, "hooks": [{"event": "pre-tool", "command": "[ \"$HOOK_EVENT\" = pre-tool ] && { echo \"$HOOK_TOOL is off\" >&2; exit 2; }", "matcher": "^run_command$"}]}}"#,
    );
    let denied = context.bash("ls");
    assert_eq!(
        denied.permission().as_deref(),
        Some("deny"),
        "{} {}",
        denied.stdout,
        denied.stderr
    );
    assert!(denied.reason().ends_with("is off"), "{}", denied.reason());
    let context = Context::new();
    context.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "echo '{\"permission\":\"deny\",\"agentMessage\":\"no shell\",\"agent_message\":\"no shell\"}'"}]}}"#,
    );
    assert_eq!(context.bash("ls").permission().as_deref(), Some("deny"));
    let read = context.fire(
        "PreToolUse",
        json!({ "tool_name": "Read", "tool_input": { "file_path": "a" } }),
    );
    assert_eq!(read.permission(), None, "{}", read.stdout);
}

#[test]
fn uninstall_removes_the_directories_that_init_made_and_no_others() {
    for (agent, kept) in [
        ("cline", "home"),
        ("goose", "home"),
        ("copilot", "home"),
        ("kiro", "home"),
        ("devin", "home/.config"),
        ("opencode", "home/.config/opencode"),
    ] {
        let context = Context::new();
        std::fs::create_dir_all(context.path(kept)).expect("created");
        let before = tree(&context.path("home"));
        for word in ["init", "uninstall"] {
            let answer = context.run(&[word, "--agent", agent, "--yes"]);
            assert_eq!(answer.exit, 0, "{agent}: {}", answer.stderr);
        }
        assert_eq!(tree(&context.path("home")), before, "{agent}");
    }
}

/// Every path below a directory except Becket's own.
fn tree(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.ends_with(".becket") {
            continue;
        }
        if path.is_dir() {
            paths.extend(tree(&path));
        }
        paths.push(path);
    }
    paths.sort();
    paths
}

#[test]
fn uninstall_keeps_directories_with_other_files() {
    let context = Context::new();
    context.run(&["init", "--agent", "cline", "--yes"]);
    context.write("home/Documents/Cline/mine.txt", "mine");
    context.run(&["uninstall", "--agent", "cline", "--yes"]);
    assert_eq!(context.read("home/Documents/Cline/mine.txt"), "mine");
    assert!(!context.path("home/Documents/Cline/Hooks").exists());
}
