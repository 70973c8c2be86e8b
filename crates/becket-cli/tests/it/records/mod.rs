//! Commands that read the records, with and without a daemon.

mod alarms;
mod export_prune;
mod health;
mod injection;
mod memories;
mod memory_editing;
mod replay;
mod support;
mod tail;

use serde_json::{Value, json};

use crate::context::Context;
use support::{Daemon, SESSION, fire, recorded_session};

#[test]
fn without_a_daemon_spooled_events_are_mentioned() {
    let context = recorded_session();
    let output = context.run(&["sessions"]);
    assert_eq!((output.exit, output.stdout.as_str()), (0, ""));
    assert!(
        output
            .stderr
            .contains("of events in the spool are not shown")
            && output.stderr.contains("becket daemon start"),
        "{}",
        output.stderr
    );
    let listed = context.run(&["sessions", "--json"]).json();
    assert_eq!(listed["sessions"], json!([]));
}

#[test]
fn sessions_are_listed_with_counts() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    let output = context.run(&["sessions"]);
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = output
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0][0], "SESSION");
    let mine = lines.iter().find(|line| line[0] == "020f002d").expect("it");
    assert!(
        mine.contains(&"claude") && mine.contains(&"app"),
        "{mine:?}"
    );
    assert!(mine.ends_with(&["Say", "hello"]), "{mine:?}");
    let listed = context.run(&["sessions", "--json"]).json();
    let row = &listed["sessions"][1];
    assert_eq!(
        (&row["id"], &row["status"]),
        (&json!(SESSION), &json!("completed"))
    );
    assert_eq!((&row["prompts"], &row["denied"]), (&json!(1), &json!(1)));
}

#[test]
fn sessions_can_be_filtered() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    let found = |args: &[&str]| {
        let args = [&["sessions", "--json"], args].concat();
        let rows = context.run(&args).json()["sessions"].clone();
        rows.as_array().expect("a list").len()
    };
    assert_eq!(found(&[]), 2);
    assert_eq!(found(&["--status", "active"]), 1);
    assert_eq!(found(&["-n", "1"]), 1);
    assert_eq!(found(&["--agent", "codex"]), 0);
    assert_eq!(found(&["-C", "."]), 2);
    assert_eq!(found(&["-C", "/elsewhere"]), 0);
    assert_eq!(found(&["--since", "1h"]), 2);
    assert_eq!(found(&["--until", "2020-01-01"]), 0);
    let page = context.run(&["sessions", "--json", "-n", "1"]).json();
    let next = page["next"].as_str().expect("more");
    let rest = context.run(&["sessions", "--json", "--after", next]).json();
    assert_eq!(rest["sessions"][0]["id"], SESSION);
    let bad = context.run(&["sessions", "--since", "soon"]);
    assert!(
        bad.exit == 64 && bad.stderr.contains("cannot read `soon` as a time"),
        "{}",
        bad.stderr
    );
}

#[test]
fn table_fits_the_terminal_width() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    for (command, columns) in [
        ("sessions", 60),
        ("sessions", 80),
        ("stats", 40),
        ("session", 60),
    ] {
        let mut narrow = context.command(&[command]);
        let output = narrow.env("COLUMNS", columns.to_string()).output();
        let text = String::from_utf8(output.expect("ended").stdout).expect("UTF-8");
        assert!(text.lines().count() > 2, "{text}");
        // The header of a session shows its id and directory untruncated.
        for line in text.lines().skip(if command == "session" { 4 } else { 0 }) {
            assert!(
                line.chars().count() <= columns,
                "{command} {columns}: {line:?}"
            );
        }
    }
}

#[test]
fn session_is_found_by_an_id_prefix() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    let output = context.run(&["session", "020f"]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    // Times differ between runs.
    let lines: Vec<&str> = output
        .stdout
        .lines()
        .map(|line| line.get(8..).unwrap_or(line))
        .collect();
    let place = |part: &str| {
        let at = lines.iter().position(|line| line.contains(part));
        at.unwrap_or_else(|| panic!("{part:?} is missing:\n{}", output.stdout))
    };
    let order = [
        "  > Say hello",
        "    ok     Bash echo hello",
        "    deny   Write /home/dev/app/n.txt: not this file",
        "hook no-write: deny",
        "    subagent a79cd939e7a032c43",
        "      ok     Bash echo A",
        "  < All done.",
    ];
    let places: Vec<usize> = order.iter().map(|part| place(part)).collect();
    assert!(places.is_sorted(), "{places:?}\n{}", output.stdout);
    let json = context.run(&["session", SESSION, "--json"]).json();
    assert_eq!(json["session"]["id"], SESSION);
    assert_eq!(
        json["batches"][0]["subagents"][0]["id"],
        "a79cd939e7a032c43"
    );
    assert_eq!(json["stats"]["tool_counts"]["Bash"], 2);
}

#[test]
fn ambiguous_session_prefix_is_an_error() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    let none = context.run(&["session", "zzz"]);
    assert_eq!(none.exit, 1);
    assert!(
        none.stderr.contains("no session with id `zzz`"),
        "{}",
        none.stderr
    );
    let several = context.run(&["session", ""]);
    assert_eq!(several.exit, 1);
    assert!(several.stderr.contains(SESSION), "{}", several.stderr);
    // SQL wildcards are plain characters.
    assert_eq!(context.run(&["session", "%"]).exit, 1);
    let latest = context.run(&["session"]).stdout;
    assert!(latest.contains("Fix the login test"), "{latest}");
}

#[test]
fn stats_are_shown_in_tables() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    let text = context.run(&["stats"]).stdout;
    for part in [
        "Days",
        "Tools",
        "Hook verdicts",
        "Hook times (ms)",
        "no-write",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let json = context.run(&["stats", "--json"]).json();
    let bash = json["tools"].as_array().expect("a list").iter();
    let bash = bash
        .clone()
        .find(|row| row["tool"] == "Bash")
        .expect("Bash");
    assert_eq!(
        (&bash["agent"], &bash["calls"]),
        (&json!("claude"), &json!(2))
    );
    assert_eq!(json["verdicts"][0]["hook"], "no-write");
    let none = context
        .run(&["stats", "--json", "--until", "2020-01-01"])
        .json();
    assert_eq!(none["days"], json!([]));
}

#[test]
fn events_just_fired_are_visible_at_once() {
    let context = recorded_session();
    let _daemon = Daemon::start(&context);
    assert_eq!(context.run(&["sessions"]).exit, 0);
    fire(&context, "UserPromptSubmit/recorded", |payload| {
        payload["session_id"] = json!("fresh-one");
        payload["prompt"] = json!("\u{1b}[31mred\u{1b}[0m and \u{202e}turned");
    });
    let output = context.run(&["sessions"]).stdout;
    assert!(output.contains("fresh-on"), "{output}");
    assert!(
        !output.contains('\u{1b}') && !output.contains('\u{202e}'),
        "{output:?}"
    );
}

#[test]
fn invalid_database_is_an_error_not_a_panic() {
    let context = Context::new();
    context.write(
        "home/.becket/becket.db",
        "not a database, but long enough to be looked at".repeat(50),
    );
    for args in [
        &["sessions"][..],
        &["session"],
        &["stats"],
        &["export"],
        &["prune", "--older-than", "1d"],
        &["tail"],
    ] {
        let output = context.run(args);
        assert_eq!(output.exit, 1, "{args:?}");
        assert!(
            output.stderr.contains("becket.db"),
            "{args:?}: {}",
            output.stderr
        );
    }
}

#[test]
fn empty_list_is_not_an_error() {
    let context = Context::new();
    assert_eq!(context.run(&["sessions"]).exit, 0);
    assert_eq!(
        context.run(&["sessions", "--json"]).json()["sessions"],
        Value::Array(vec![])
    );
    assert_eq!(context.run(&["tail"]).exit, 0);
    assert_eq!(context.run(&["session"]).exit, 1);
    assert!(
        !context.path("home/.becket/becket.db").exists(),
        "asking makes no database"
    );
}
