//! `becket up` sets up a new machine.

use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

/// Stops the daemon that the command started.
struct Ends<'c>(&'c Context);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

#[test]
fn up_sets_up_everything_and_is_idempotent() {
    let context = Context::new();
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "strict"]);
    assert_eq!(up.exit, 0, "{}{}", up.stdout, up.stderr);
    for expected in [
        "Found: claude.",
        "+  \"hooks\": {",
        "The daemon is running.",
        "+options = { preset = \"strict\" }",
        "Enabled `security-guard`",
        "becket ui",
        "Start your agent in a new session.",
    ] {
        assert!(
            up.stdout.contains(expected),
            "{expected} in:\n{}",
            up.stdout
        );
    }
    let address = context.read("home/.becket/daemon/address");
    let link = format!("http://{}/login#", address.trim());
    assert!(up.stdout.contains(&link), "{link} in:\n{}", up.stdout);
    let status = context.run(&["daemon", "status"]).stdout;
    assert!(status.contains("database: "), "{status}");
    assert!(
        context
            .read("home/.claude/settings.json")
            .contains("hook PreToolUse")
    );
    let denied = context.bash("rm -rf ~/");
    assert_eq!(denied.permission().as_deref(), Some("deny"));
    let settings = context.read("home/.claude/settings.json");
    let again = context.run(&["up", "--yes", "--json"]);
    assert_eq!(again.exit, 0, "{}", again.stderr);
    let told = again.json();
    assert_eq!(told["found"], serde_json::json!(["claude"]));
    for step in ["agents", "daemon", "guard"] {
        assert_eq!(told[step], "already", "{told}");
    }
    assert_eq!(context.read("home/.claude/settings.json"), settings);
}

#[test]
fn up_without_confirmation_writes_nothing() {
    let context = Context::new();
    let _ends = Ends(&context);
    let up = context.run(&["up"]);
    assert_eq!(up.exit, 1);
    assert!(up.stderr.contains("--yes"), "{}", up.stderr);
    assert!(
        up.stdout.contains("use = \"security-guard\""),
        "shown all the same: {}",
        up.stdout
    );
    assert!(!context.path("home/.claude/settings.json").exists());
    assert!(!context.path("home/.becket/config.toml").exists());
    assert!(
        !context.path("home/.becket/daemon").exists(),
        "nor is a daemon started"
    );
}

#[test]
fn named_agent_is_connected_even_if_not_found() {
    let context = Context::new();
    std::fs::remove_dir(context.path("home/.claude")).expect("removed");
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "off", "--agent", "gemini"]);
    assert_eq!(up.exit, 0, "{}{}", up.stdout, up.stderr);
    assert!(up.stdout.contains("Selected: gemini."), "{}", up.stdout);
    assert!(!up.stdout.contains("Found: ."), "{}", up.stdout);
    assert!(
        up.stdout.contains("Start your agent in a new session."),
        "{}",
        up.stdout
    );
    assert!(
        context
            .read("home/.gemini/settings.json")
            .contains("hook BeforeTool")
    );
}

#[test]
fn enabled_guard_changes_its_preset_only_if_named() {
    let context = Context::new();
    let _ends = Ends(&context);
    let preset = || context.read("home/.becket/config.toml");
    context.run(&["up", "--yes", "--guard", "strict"]);
    let kept = context.run(&["up", "--yes", "--json"]).json();
    assert_eq!(kept["guard"], "already", "{kept}");
    assert!(preset().contains("preset = \"strict\""), "{}", preset());
    let asked = context.run(&["up", "--guard", "permissive"]);
    assert_eq!(asked.exit, 1, "no confirmation without a terminal");
    assert!(preset().contains("preset = \"strict\""), "{}", preset());
    let other = context.run(&["up", "--yes", "--guard", "permissive"]);
    assert_eq!(other.exit, 0, "{}{}", other.stdout, other.stderr);
    assert!(
        other.stdout.contains("Changed the options"),
        "{}",
        other.stdout
    );
    assert!(preset().contains("preset = \"permissive\""), "{}", preset());
    let off = context.run(&["up", "--yes", "--guard", "off"]);
    assert!(
        off.stdout
            .contains("Disable it with `becket hooks disable security-guard`"),
        "{}",
        off.stdout
    );
}

#[test]
fn up_ends_with_the_codex_approval_notice() {
    let context = Context::new();
    std::fs::create_dir_all(context.path("home/.codex")).expect("created");
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "off"]);
    let last = up.stdout.trim_end().lines().last().unwrap_or_default();
    assert!(
        last.contains("`becket init --agent codex --codex-trust`"),
        "{}",
        up.stdout
    );
    context.run(&["init", "--agent", "codex", "--codex-trust", "--yes"]);
    let up = context.run(&["up", "--yes", "--guard", "off"]);
    assert!(
        up.stdout.ends_with("Start your agent in a new session.\n"),
        "{}",
        up.stdout
    );
}

#[test]
fn up_asks_before_each_step() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let _ends = Ends(&context);
    let terminal = Terminal::open(&context, "up", 100, 80, "");
    terminal.sees("Write this? [y/N]");
    assert!(!context.path("home/.claude/settings.json").exists());
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Enable the guard with the preset `standard`?");
    assert!(context.path("home/.claude/settings.json").exists());
    assert!(!context.path("home/.becket/config.toml").exists());
    terminal.keys(&["n", "Enter"]);
    let screen = terminal.sees("the guard was not enabled");
    assert!(!screen.contains("without a terminal"), "{screen}");
    terminal.sees("ENDED 1");
    assert!(!context.path("home/.becket/config.toml").exists());
}

#[test]
fn unparsable_settings_do_not_affect_other_agents() {
    let context = Context::new();
    context
        .write("home/.claude/settings.json", "{\"model\": tru")
        .write("home/.gemini/settings.json", "{}\n");
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "off"]);
    assert_eq!(up.exit, 1, "{}{}", up.stdout, up.stderr);
    assert!(
        context
            .read("home/.gemini/settings.json")
            .contains("hook BeforeTool")
    );
    assert_eq!(
        context.read("home/.claude/settings.json"),
        "{\"model\": tru"
    );
    assert!(
        up.stdout.contains("The daemon is running."),
        "{}",
        up.stdout
    );
    let last = up.stdout.trim_end().lines().last().unwrap_or_default();
    assert!(
        last.starts_with("claude was skipped: ")
            && last.contains("settings.json` was not changed: not valid JSON"),
        "{}",
        up.stdout
    );
    let told = context.run(&["up", "--yes", "--json"]).json();
    assert_eq!(told["done"], false, "{told}");
    assert_eq!(told["left_out"].as_array().map(Vec::len), Some(1), "{told}");
    // A named agent must succeed.
    let named = context.run(&["init", "--yes", "--agent", "claude,gemini"]);
    assert_eq!(named.exit, 1);
    assert!(named.stderr.contains("not valid JSON"), "{}", named.stderr);
}

#[test]
fn declined_steps_are_reported() {
    let context = Context::new();
    let _ends = Ends(&context);
    let up = context.run(&["up"]);
    for step in [
        "1. ",
        "\n2. ",
        "Not started, because no agent is connected",
        "\n3. ",
    ] {
        assert!(up.stdout.contains(step), "{step}: {}", up.stdout);
    }
}

#[test]
fn confirmation_counts_files_and_agents() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    std::fs::create_dir_all(context.path("home/.gemini")).expect("created");
    let terminal = Terminal::open(&context, "init", 100, 80, "");
    terminal.sees("Write these 2 files of 2 agents? [y/N]");
    terminal.keys(&["n", "Enter"]);
    terminal.sees("ENDED 1");
}

#[test]
fn up_without_agents_suggests_next_steps() {
    let context = Context::new();
    std::fs::remove_dir(context.path("home/.claude")).expect("removed");
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "off"]);
    assert_eq!(up.exit, 0, "{}{}", up.stdout, up.stderr);
    assert!(
        up.stdout.contains("No coding agent was found"),
        "{}",
        up.stdout
    );
    assert!(up.stdout.contains("becket demo"), "{}", up.stdout);
    assert!(
        !up.stdout.contains("Start your agent in a new session."),
        "{}",
        up.stdout
    );
}
