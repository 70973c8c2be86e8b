//! `becket demo` plays a session of every agent through the real hook client.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

#[test]
fn demo_plays_every_agent_and_shows_every_feature() {
    let context = Context::new();
    let demo = context.run(&["demo"]);
    assert_eq!(demo.exit, 0, "{}{}", demo.stdout, demo.stderr);
    for expected in [
        // The guard blocks a command and a secret, in the formats of several agents.
        "git status && rm -rf ~/",
        "permissionDecision",
        "git push --force origin main",
        // Rewritten input, injected context, an untrusted project hook.
        "npm test --silent",
        "This repository uses tabs",
        "becket trust --yes",
        "migrations are written by hand",
        // Shown after the sessions.
        "protect-migrations runs",
        "Clean up, then run the tests",
        "Coupons are case-insensitive",
        "hook context: This repository uses tabs",
        "rewritten input: {\"command\":\"npm test --silent\"}",
        "records stored",
        "Played 104 events of 17 agents, 15 blocked.",
        "becket demo --keep",
    ] {
        assert!(
            demo.stdout.contains(expected),
            "{expected} in:\n{}",
            demo.stdout
        );
    }
    for agent in [
        "claude", "codex", "gemini", "copilot", "cursor", "opencode", "windsurf", "amp",
    ] {
        assert!(
            demo.stdout.contains(&format!(" {agent} ")),
            "{agent} in:\n{}",
            demo.stdout
        );
    }
    assert!(!scratch(&demo.stdout).exists(), "nothing is left of it");
    assert!(
        !demo.stdout.contains("/login#"),
        "no link to a daemon that is gone"
    );
    assert!(
        !context.path("home/.becket").exists(),
        "the person's own home is not touched"
    );
}

#[test]
fn json_output_contains_decisions_and_replies() {
    let context = Context::new();
    let demo = context.run(&["demo", "--json", "--agent", "codex,kiro"]);
    assert_eq!(demo.exit, 0, "{}", demo.stderr);
    let told = demo.json();
    let events = told["events"].as_array().expect("a list");
    let refused = |agent: &str| {
        let denied =
            |event: &&serde_json::Value| event["agent"] == agent && event["verdict"] == "deny";
        events.iter().find(denied).cloned()
    };
    let codex = refused("codex").expect("codex was refused something");
    assert!(
        codex["reason"]
            .as_str()
            .is_some_and(|why| why.contains("push")),
        "{codex}"
    );
    assert!(
        codex["reply"]
            .as_str()
            .is_some_and(|reply| reply.contains("deny")),
        "{codex}"
    );
    assert!(refused("kiro").is_some(), "{told}");
}

#[test]
fn kept_demo_can_be_explored_afterwards() {
    let mut context = Context::new();
    let demo = context.run(&["demo", "--keep", "--agent", "claude"]);
    assert_eq!(demo.exit, 0, "{}{}", demo.stdout, demo.stderr);
    let dir = scratch(&demo.stdout);
    assert!(dir.exists());
    let address = std::fs::read_to_string(dir.join("home/.becket/daemon/address"));
    let link = format!("http://{}/login#", address.expect("a daemon").trim());
    let home = dir.join("home/.becket").display().to_string();
    let look = format!("BECKET_HOME={home} {}", env!("CARGO_BIN_EXE_becket"));
    for expected in [link, format!("{look} top "), format!("{look} sessions")] {
        assert!(
            demo.stdout.contains(&expected),
            "{expected}: {}",
            demo.stdout
        );
    }
    assert!(
        !demo.stdout.contains("export BECKET_HOME"),
        "what comes next in that terminal is not about the scratch home: {}",
        demo.stdout
    );
    context.set_env("BECKET_HOME", dir.join("home/.becket"));
    let sessions = context.run(&["sessions", "--json"]).json();
    assert_eq!(sessions["sessions"][0]["agent"], "claude", "{sessions}");
    context.run(&["daemon", "stop"]);
    std::fs::remove_dir_all(dir).expect("removed");
}

#[test]
fn demo_waits_for_enter_on_a_terminal() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let terminal = Terminal::open(&context, "demo --agent claude", 80, 60, "");
    let screen = terminal.sees("Press Enter to end the demo");
    let wrapped = screen.lines().find(|line| line.starts_with(" up, then"));
    assert_eq!(wrapped, None, "tables fit the terminal: {screen}");
    assert!(screen.contains("/login#"), "{screen}");
    let home = scratch_home(&screen);
    assert!(home.exists());
    terminal.keys(&["Enter"]);
    terminal.sees("Set up your own agents now? [y/N]");
    assert!(!home.exists(), "nothing is left of it");
    terminal.keys(&["n", "Enter"]);
    terminal.sees("ENDED 0");
    assert!(!context.path("home/.claude/settings.json").exists());
}

#[test]
fn demo_offers_to_set_up_the_users_agents() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let terminal = Terminal::open(&context, "demo --agent claude", 100, 80, "");
    terminal.sees("Press Enter to end the demo");
    terminal.keys(&["Enter"]);
    terminal.sees("Set up your own agents now? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Write this? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Enable the guard with the preset `standard`?");
    assert!(
        context
            .read("home/.claude/settings.json")
            .contains("hook PreToolUse")
    );
    terminal.keys(&["n", "Enter"]);
    terminal.sees("ENDED 1");
    context.run(&["daemon", "stop"]);
}

#[test]
fn interrupted_demo_leaves_nothing_behind() {
    let context = Context::new();
    let mut child = context
        .command(&["demo"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill").success());
    // Read the rest, so that the demo does not block on a full pipe.
    std::io::copy(&mut out, &mut std::io::sink()).expect("read");
    assert_eq!(child.wait().expect("ended").code(), Some(1));
    assert!(!scratch(&first).exists(), "{first}");
}

#[test]
fn unknown_agent_is_an_error_listing_the_known_ones() {
    let said = Context::new().run(&["demo", "--agent", "clippy"]);
    assert_eq!(said.exit, 1);
    assert!(
        said.stderr.contains("`clippy`") && said.stderr.contains("claude, codex"),
        "{}",
        said.stderr
    );
}

/// The scratch home that the screen names.
fn scratch_home(screen: &str) -> std::path::PathBuf {
    let from = screen.find("BECKET_HOME=").expect("a home") + "BECKET_HOME=".len();
    // The terminal wraps long lines.
    let joined: String = screen[from..].split('\n').collect();
    let end = joined.find(".becket").expect("its end") + ".becket".len();
    Path::new(&joined[..end]).to_owned()
}

fn scratch(said: &str) -> std::path::PathBuf {
    let line = said.lines().next().unwrap_or_default();
    let from = line.find('/').expect("a path");
    let path = line[from..].split(". ").next().expect("a sentence");
    Path::new(path).to_owned()
}
