//! A played session of every agent, through the real road.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

#[test]
fn every_agent_plays_and_everything_that_becket_does_is_seen() {
    let context = Context::new();
    let demo = context.run(&["demo"]);
    assert_eq!(demo.exit, 0, "{}{}", demo.stdout, demo.stderr);
    for expected in [
        // The guard refuses a command and a secret, in more than one agent's words.
        "git status && rm -rf ~/",
        "permissionDecision",
        "git push --force origin main",
        // Rewritten input, injected context, a project's hook that waits for trust.
        "npm test --silent",
        "This repository uses tabs",
        "becket trust --yes",
        "migrations are written by hand",
        // Told afterwards.
        "protect-migrations runs",
        "Clean up, then run the tests",
        "Coupons are case-insensitive",
        "hooks told: This repository uses tabs",
        "hooks gave instead: {\"command\":\"npm test --silent\"}",
        "records kept",
        "104 events of 17 agents played, 15 refused.",
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
fn programs_are_told_what_was_decided_and_what_was_answered() {
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
fn what_is_kept_can_be_looked_at_afterwards() {
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
fn a_person_can_look_around_until_enter_is_pressed() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let terminal = Terminal::open(&context, "demo --agent claude", 80, 60, "");
    let screen = terminal.sees("Enter ends the demo");
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
fn a_person_who_has_seen_it_can_go_on_with_their_own_agents() {
    let context = Context::new();
    if !has_tmux() {
        return;
    }
    let terminal = Terminal::open(&context, "demo --agent claude", 100, 80, "");
    terminal.sees("Enter ends the demo");
    terminal.keys(&["Enter"]);
    terminal.sees("Set up your own agents now? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Write this? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.sees("Switch on the guard with the preset `standard`?");
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
fn an_interrupted_demo_leaves_nothing_behind() {
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
    // The rest is read, so that nobody waits for room in the pipe.
    std::io::copy(&mut out, &mut std::io::sink()).expect("read");
    assert_eq!(child.wait().expect("ended").code(), Some(1));
    assert!(!scratch(&first).exists(), "{first}");
}

#[test]
fn an_agent_that_nobody_knows_is_an_error_that_names_the_others() {
    let said = Context::new().run(&["demo", "--agent", "clippy"]);
    assert_eq!(said.exit, 1);
    assert!(
        said.stderr.contains("`clippy`") && said.stderr.contains("claude, codex"),
        "{}",
        said.stderr
    );
}

/// The home that a screen names.
fn scratch_home(screen: &str) -> std::path::PathBuf {
    let from = screen.find("BECKET_HOME=").expect("a home") + "BECKET_HOME=".len();
    // A terminal breaks long lines.
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
