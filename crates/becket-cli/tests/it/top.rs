//! `becket top` in a real terminal, while agents work.

use std::process::Command;

use serde_json::json;

use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

fn guarded() -> Context {
    let context = Context::new();
    context.config("[[hook]]\nname = \"no-push\"\nevent = \"PreToolUse\"\nif = \"Bash(git push*)\"\ncommand = \"echo ask first >&2; exit 2\"\n");
    context.fire("SessionStart", json!({ "source": "startup" }));
    context.fire("UserPromptSubmit", json!({ "prompt": "Publish it" }));
    context
}

macro_rules! top {
    ($context:expr, $width:expr, $height:expr, $env:expr) => {{
        if !has_tmux() {
            return;
        }
        Terminal::open($context, "top", $width, $height, $env)
    }};
}

#[test]
fn top_shows_live_events_and_opens_details() {
    let context = guarded();
    let terminal = top!(&context, 100, 30, "BECKET_DAEMON=off");
    let screen = terminal.sees("> Publish it");
    assert!(
        screen.contains("1/1 active") && screen.contains("no daemon"),
        "{screen}"
    );
    context.bash("git push");
    let screen = terminal.sees("blocked: Bash: git push");
    assert!(
        screen.contains("deny 1") && screen.contains("(ask first)"),
        "{screen}"
    );
    // The session's events, shown while there is no database.
    terminal.keys(&["Enter"]);
    let screen = terminal.sees("Session 020f002d");
    assert!(
        screen.contains("UserPromptSubmit") && screen.contains("git push"),
        "{screen}"
    );
    terminal.keys(&["Escape"]);
    terminal.sees("NOW");
    terminal.keys(&["Tab", "Enter"]);
    let screen = terminal.sees("verdict   deny");
    assert!(screen.contains("reason    ask first"), "{screen}");
    terminal.keys(&["Escape"]);
    terminal.no_longer_sees("verdict   deny");
    terminal.keys(&["q"]);
    terminal.sees("ENDED 0");
}

#[test]
fn top_shows_each_event_once_while_the_daemon_restarts() {
    let context = guarded();
    let terminal = top!(&context, 100, 30, "BECKET_DAEMON=off");
    terminal.sees("2 events");
    context.run(&["daemon", "start"]);
    context.bash("echo one");
    terminal.sees("3 events");
    terminal.no_longer_sees("no daemon");
    context.run(&["daemon", "restart"]);
    context.bash("echo two");
    terminal.sees("4 events");
    context.run(&["daemon", "stop"]);
    context.bash("echo three");
    let screen = terminal.sees("5 events");
    assert!(screen.contains("Bash: echo three"), "{screen}");
    // Another database replaces the first one.
    for name in ["becket.db", "becket.db-wal", "becket.db-shm"] {
        let _ = std::fs::remove_file(context.path("home/.becket").join(name));
    }
    context.run(&["daemon", "start"]);
    context.bash("echo four");
    terminal.sees("6 events");
    context.bash("echo five");
    terminal.sees("7 events");
    context.run(&["daemon", "stop"]);
    terminal.keys(&["q"]);
    terminal.sees("ENDED 0");
}

#[test]
fn top_pauses_searches_and_filters() {
    let context = guarded();
    context.bash("echo needle");
    let terminal = top!(&context, 100, 30, "BECKET_DAEMON=off");
    terminal.sees("echo needle");
    terminal.keys(&["Space"]);
    terminal.sees("PAUSED");
    context.bash("echo later");
    let screen = terminal.sees("1 new; space continues");
    assert!(!screen.contains("echo later"), "{screen}");
    terminal.keys(&["Space"]);
    terminal.sees("echo later");
    terminal.keys(&["/"]).text("needle");
    let screen = terminal.no_longer_sees("echo later");
    assert!(screen.contains("No matching sessions."), "{screen}");
    terminal.keys(&["Escape"]);
    terminal.sees("echo later");
    terminal.keys(&["a"]);
    terminal.sees("only agent claude");
    terminal.keys(&["Escape", "?"]);
    terminal.sees("pause or continue");
}

#[test]
fn top_works_at_every_terminal_size() {
    let context = guarded();
    context.bash("git push");
    let terminal = top!(&context, 40, 20, "NO_COLOR=1 BECKET_DAEMON=off");
    let screen = terminal.sees("blocked: Bash");
    assert!(
        screen.contains("claude") && screen.contains("BLOCKED"),
        "{screen}"
    );
    for (width, height) in [(1, 1), (2, 1), (10, 3), (200, 60), (3, 40), (80, 2)] {
        let (width, height) = (width.to_string(), height.to_string());
        terminal.tmux(&["resize-window", "-t", "t", "-x", &width, "-y", &height]);
        terminal.keys(&[
            "Enter", "Down", "Escape", "Tab", "Enter", "Escape", "?", "Escape", "Tab",
        ]);
    }
    terminal.tmux(&["resize-window", "-t", "t", "-x", "80", "-y", "24"]);
    terminal.wait("the whole screen", |screen| {
        screen.contains("becket top") && screen.contains("q quit")
    });
    terminal.wait("its end", |screen| {
        let ended = screen.contains("ENDED 0");
        if !ended {
            terminal.keys(&["Escape", "q"]);
        }
        ended
    });
}

#[test]
fn signal_restores_the_terminal() {
    let context = guarded();
    let terminal = top!(&context, 80, 24, "BECKET_DAEMON=off");
    terminal.sees("q quit");
    let sent = Command::new("kill")
        .arg(context.read("pid").trim())
        .status();
    assert!(sent.expect("kill").success());
    let screen = terminal.sees("STTY");
    assert!(
        screen.starts_with("BEFORE") && screen.contains("STTY icanon echo"),
        "{screen}"
    );
}

#[test]
fn top_without_a_terminal_is_an_error() {
    let said = Context::new().run(&["top"]);
    assert_eq!(said.exit, 64);
    assert!(said.stderr.contains("needs a terminal"), "{}", said.stderr);
    assert!(said.stderr.contains("becket tail -f"), "{}", said.stderr);
}
