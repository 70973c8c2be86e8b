//! From nothing to a machine on which agents are recorded and guarded, in one command.

use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

/// Ends the daemon that the command has started.
struct Ends<'c>(&'c Context);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

#[test]
fn one_command_connects_starts_and_guards_and_a_second_time_changes_nothing() {
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
        "Start your agent.",
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
    assert!(status.contains("the database takes "), "{status}");
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
fn nothing_is_written_where_nobody_says_yes() {
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
fn an_agent_that_was_not_found_can_be_named_and_counts_as_connected() {
    let context = Context::new();
    std::fs::remove_dir(context.path("home/.claude")).expect("removed");
    let _ends = Ends(&context);
    let up = context.run(&["up", "--yes", "--guard", "off", "--agent", "gemini"]);
    assert_eq!(up.exit, 0, "{}{}", up.stdout, up.stderr);
    assert!(up.stdout.contains("Chosen: gemini."), "{}", up.stdout);
    assert!(!up.stdout.contains("Found: ."), "{}", up.stdout);
    assert!(up.stdout.contains("Start your agent."), "{}", up.stdout);
    assert!(
        context
            .read("home/.gemini/settings.json")
            .contains("hook BeforeTool")
    );
}

#[test]
fn a_guard_that_is_on_gets_the_preset_that_is_named_and_keeps_its_own_otherwise() {
    let context = Context::new();
    let _ends = Ends(&context);
    let preset = || context.read("home/.becket/config.toml");
    context.run(&["up", "--yes", "--guard", "strict"]);
    let kept = context.run(&["up", "--yes", "--json"]).json();
    assert_eq!(kept["guard"], "already", "{kept}");
    assert!(preset().contains("preset = \"strict\""), "{}", preset());
    let asked = context.run(&["up", "--guard", "permissive"]);
    assert_eq!(asked.exit, 1, "nobody was there to say yes");
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
            .contains("`becket hooks disable security-guard` switches it off"),
        "{}",
        off.stdout
    );
}

#[test]
fn the_last_word_says_that_codex_wants_trust_first() {
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
    assert!(up.stdout.ends_with("Start your agent.\n"), "{}", up.stdout);
}

#[test]
fn a_person_is_asked_before_each_step() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let _ends = Ends(&context);
    let terminal = Terminal::open(&context, "up", 100, 80, "");
    terminal.sees("Write this? [y/N]");
    assert!(!context.path("home/.claude/settings.json").exists());
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Switch on the guard with the preset `standard`?");
    assert!(context.path("home/.claude/settings.json").exists());
    assert!(!context.path("home/.becket/config.toml").exists());
    terminal.keys(&["n", "Enter"]);
    let screen = terminal.sees("the guard is not switched on");
    assert!(!screen.contains("where there is no terminal"), "{screen}");
    terminal.sees("ENDED 1");
    assert!(!context.path("home/.becket/config.toml").exists());
}

#[test]
fn settings_that_cannot_be_read_keep_no_other_agent_from_being_connected() {
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
        last.starts_with("claude is left out: ")
            && last.contains("settings.json` is left as it is: not valid JSON"),
        "{}",
        up.stdout
    );
    let told = context.run(&["up", "--yes", "--json"]).json();
    assert_eq!(told["done"], false, "{told}");
    assert_eq!(told["left_out"].as_array().map(Vec::len), Some(1), "{told}");
    // Who names the agent wants that one.
    let named = context.run(&["init", "--yes", "--agent", "claude,gemini"]);
    assert_eq!(named.exit, 1);
    assert!(named.stderr.contains("not valid JSON"), "{}", named.stderr);
}

#[test]
fn who_says_no_is_told_of_every_step() {
    let context = Context::new();
    let _ends = Ends(&context);
    let up = context.run(&["up"]);
    for step in [
        "1. ",
        "\n2. ",
        "Not started, as nothing is connected",
        "\n3. ",
    ] {
        assert!(up.stdout.contains(step), "{step}: {}", up.stdout);
    }
}

#[test]
fn the_question_says_how_much_would_be_written() {
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
fn without_an_agent_it_says_how_to_go_on() {
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
    assert!(!up.stdout.contains("Start your agent."), "{}", up.stdout);
}
