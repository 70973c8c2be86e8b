//! `becket uninstall` restores everything byte for byte.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::context::Context;

/// Every file and directory below, with mode, and with content if it is a regular file.
fn tree(dir: &Path) -> BTreeMap<String, (u32, Option<Vec<u8>>)> {
    let mut found = BTreeMap::new();
    let mut left = vec![dir.to_owned()];
    while let Some(path) = left.pop() {
        for entry in std::fs::read_dir(&path).expect("a directory") {
            let path = entry.expect("an entry").path();
            let meta = path.symlink_metadata().expect("there");
            let is_file = path.is_file();
            let text = is_file.then(|| std::fs::read(&path).unwrap_or_default());
            let name = path.strip_prefix(dir).expect("below").display().to_string();
            found.insert(name, (meta.permissions().mode(), text));
            if meta.is_dir() {
                left.push(path);
            }
        }
    }
    found
}

fn furnished() -> Context {
    let context = Context::new();
    context
        .write(
            "home/.claude/settings.json",
            "{\n  // mine\n  \"model\": \"opus\"\n}\n",
        )
        .write("home/.codex/config.toml", "# mine\nmodel = \"gpt-5.5\"\n")
        .write(
            "home/.cursor/hooks.json",
            "{\"version\": 1, \"hooks\": {}}\n",
        )
        .write("app/.claude/settings.json", "{ \"permissions\": {} }\n");
    context
}

#[test]
fn uninstall_all_restores_every_agent_and_keeps_records() {
    let context = furnished();
    let before = tree(&context.path(""));
    for scope in ["user", "project"] {
        let done = context.run(&["init", "--yes", "--codex-trust", "--mcp", "--scope", scope]);
        assert_eq!(done.exit, 0, "{}", done.stderr);
    }
    context.bash("ls");
    let asked = context.run(&["uninstall", "--all"]);
    assert_eq!(asked.exit, 1, "no confirmation without a terminal");
    assert!(asked.stdout.contains("hook PreToolUse"), "{}", asked.stdout);
    // From any directory: the project is known from its backups.
    let gone = context.run(&["uninstall", "--all", "--yes", "-C", "/"]);
    assert_eq!(gone.exit, 0, "{}", gone.stderr);
    assert!(
        gone.stdout.contains("Remaining on this machine"),
        "{}",
        gone.stdout
    );
    let mut after = tree(&context.path(""));
    assert!(
        after
            .keys()
            .any(|name| name.starts_with("home/.becket/spool/"))
    );
    after.retain(|name, _| !name.starts_with("home/.becket"));
    assert_eq!(names(&before), names(&after));
    assert_eq!(before, after);
    let again = context.run(&["uninstall", "--all", "--yes"]);
    assert!(
        again.stdout.contains("No agent is connected"),
        "{}",
        again.stdout
    );
}

#[test]
fn purge_leaves_nothing_in_becket_home() {
    let context = furnished();
    let state = context.path("home/.becket");
    is_purged(context, &state);
}

#[test]
fn purge_leaves_nothing_in_the_default_directories() {
    let mut context = furnished();
    // An empty variable counts as unset.
    context.set_env("BECKET_HOME", "");
    let state = context.path("home/.local/state/becket");
    is_purged(context, &state);
}

fn is_purged(mut context: Context, state: &Path) {
    context.set_env("BECKET_RECALL", "60000");
    let before = tree(&context.path(""));
    let up = context.run(&["up", "--yes"]);
    assert_eq!(up.exit, 0, "{}{}", up.stdout, up.stderr);
    context.bash("git status && rm -rf ~/");
    // A daemon that runs until the end, and injects context.
    let told = context.run(&[
        "remember",
        "The cart rounds prices to whole cents before tax",
    ]);
    assert_eq!(told.exit, 0, "{}", told.stderr);
    let prompt = "Why does the cart round prices to whole cents before tax?";
    let told = context.fire("UserPromptSubmit", json!({ "prompt": prompt }));
    assert!(told.stdout.contains("whole cents"), "{}", told.stdout);
    assert!(state.join("told").exists());
    let said = context.run(&["uninstall", "--all", "--purge", "--dry-run"]);
    let listed = state.display().to_string();
    assert!(said.stdout.contains(&listed), "{}", said.stdout);
    let asked = context.run(&["uninstall", "--all", "--purge"]);
    assert_eq!(asked.exit, 1, "no confirmation without a terminal");
    assert!(state.join("becket.db").exists());
    let gone = context.run(&["uninstall", "--all", "--purge", "--yes"]);
    assert_eq!(gone.exit, 0, "{}{}", gone.stdout, gone.stderr);
    let after = tree(&context.path(""));
    assert_eq!(names(&before), names(&after));
    assert_eq!(before, after);
}

#[test]
fn purge_of_a_named_directory_deletes_only_beckets_files() {
    let context = Context::new();
    context.bash("ls");
    context.write("home/.becket/letters.txt", "dear Ada");
    let gone = context.run(&["uninstall", "--all", "--purge", "--yes", "--json"]);
    assert_eq!(gone.exit, 0, "{}", gone.stderr);
    assert_eq!(gone.json()["written"], true);
    let left: Vec<String> = tree(&context.path("home/.becket")).into_keys().collect();
    assert_eq!(left, ["letters.txt"]);
}

#[test]
fn fifo_as_settings_file_does_not_block() {
    let context = Context::new();
    context.write("app/.cursor/other.txt", "");
    for name in ["app/.cursor/hooks.json", "home/.claude/settings.json"] {
        let made = std::process::Command::new("mkfifo")
            .arg(context.path(name))
            .status();
        assert!(made.expect("mkfifo").success());
    }
    context.bash("ls");
    let gone = context.run(&["uninstall", "--all", "--yes"]);
    assert_eq!(gone.exit, 0, "{}", gone.stderr);
    assert!(
        gone.stdout.contains("No agent is connected"),
        "{}",
        gone.stdout
    );
    let refused = context.run(&["init", "--yes"]);
    assert_eq!(refused.exit, 1);
    assert!(
        refused.stderr.contains("not a regular file"),
        "{}",
        refused.stderr
    );
}

#[test]
fn purge_requires_all() {
    let said = Context::new().run(&["uninstall", "--purge"]);
    assert_eq!(said.exit, 64);
    assert!(said.stderr.contains("--all"), "{}", said.stderr);
}

fn names<T>(tree: &BTreeMap<String, T>) -> Vec<&String> {
    tree.keys().collect()
}

#[test]
fn unparsable_settings_that_mention_becket_are_a_warning() {
    let context = furnished();
    let done = context.run(&["init", "--yes", "--agent", "claude,cursor"]);
    assert_eq!(done.exit, 0, "{}", done.stderr);
    let broken = format!("{}oops", context.read("home/.claude/settings.json"));
    context.write("home/.claude/settings.json", &broken);
    for command in [
        &["uninstall", "--dry-run"][..],
        &["uninstall", "--all", "--yes"],
    ] {
        let gone = context.run(command);
        assert_eq!(gone.exit, 1, "{}{}", gone.stdout, gone.stderr);
        assert!(
            gone.stderr
                .contains("settings.json` mentions Becket but was not changed: "),
            "{}",
            gone.stderr
        );
    }
    assert_eq!(context.read("home/.claude/settings.json"), broken);
    assert!(!context.read("home/.cursor/hooks.json").contains("becket"));
    let told = context
        .run(&["uninstall", "--all", "--yes", "--json"])
        .json();
    assert_eq!(told["left_out"].as_array().map(Vec::len), Some(1), "{told}");
}
