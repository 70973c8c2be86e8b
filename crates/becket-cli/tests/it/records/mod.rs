//! What was recorded, as people ask for it: with and without a daemon.

mod alarms;
mod care;
mod copies;
mod health;
mod memories;
mod replay;
mod tail;
mod told;
mod world;

use serde_json::{Value, json};

use crate::context::Context;
use world::{Daemon, SESSION, fire, work};

#[test]
fn without_a_daemon_it_is_said_what_waits_in_the_spool() {
    let context = work();
    let told = context.run(&["sessions"]);
    assert_eq!((told.exit, told.stdout.as_str()), (0, ""));
    assert!(
        told.stderr.contains("wait in the spool") && told.stderr.contains("becket daemon start"),
        "{}",
        told.stderr
    );
    let listed = context.run(&["sessions", "--json"]).json();
    assert_eq!(listed["sessions"], json!([]));
}

#[test]
fn sessions_are_listed_with_what_was_done_in_them() {
    let context = work();
    let _daemon = Daemon::start(&context);
    let told = context.run(&["sessions"]);
    assert_eq!((told.exit, told.stderr.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = told
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
fn sessions_can_be_chosen() {
    let context = work();
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
        bad.exit == 64 && bad.stderr.contains("`soon` is no time"),
        "{}",
        bad.stderr
    );
}

#[test]
fn a_table_fits_the_width_that_there_is() {
    let context = work();
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
        // The head of a session names its id and its directory whole.
        for line in text.lines().skip(if command == "session" { 4 } else { 0 }) {
            assert!(
                line.chars().count() <= columns,
                "{command} {columns}: {line:?}"
            );
        }
    }
}

#[test]
fn a_session_is_told_from_the_beginning_of_its_id() {
    let context = work();
    let _daemon = Daemon::start(&context);
    let told = context.run(&["session", "020f"]);
    assert_eq!(told.exit, 0, "{}", told.stderr);
    // Times differ from run to run.
    let lines: Vec<&str> = told
        .stdout
        .lines()
        .map(|line| line.get(8..).unwrap_or(line))
        .collect();
    let place = |part: &str| {
        let at = lines.iter().position(|line| line.contains(part));
        at.unwrap_or_else(|| panic!("{part:?} is missing:\n{}", told.stdout))
    };
    let order = [
        "  > Say hello",
        "    ok     Bash echo hello",
        "    deny   Write /home/dev/app/n.txt: not this file",
        "hook no-write said deny",
        "    subagent a79cd939e7a032c43",
        "      ok     Bash echo A",
        "  < All done.",
    ];
    let places: Vec<usize> = order.iter().map(|part| place(part)).collect();
    assert!(places.is_sorted(), "{places:?}\n{}", told.stdout);
    let json = context.run(&["session", SESSION, "--json"]).json();
    assert_eq!(json["session"]["id"], SESSION);
    assert_eq!(
        json["batches"][0]["subagents"][0]["id"],
        "a79cd939e7a032c43"
    );
    assert_eq!(json["stats"]["tool_counts"]["Bash"], 2);
}

#[test]
fn a_session_that_is_not_clear_is_not_guessed() {
    let context = work();
    let _daemon = Daemon::start(&context);
    let none = context.run(&["session", "zzz"]);
    assert_eq!(none.exit, 1);
    assert!(
        none.stderr.contains("no session begins with `zzz`"),
        "{}",
        none.stderr
    );
    let several = context.run(&["session", ""]);
    assert_eq!(several.exit, 1);
    assert!(several.stderr.contains(SESSION), "{}", several.stderr);
    // The pattern characters of databases are characters.
    assert_eq!(context.run(&["session", "%"]).exit, 1);
    let latest = context.run(&["session"]).stdout;
    assert!(latest.contains("Fix the login test"), "{latest}");
}

#[test]
fn numbers_are_shown_in_tables() {
    let context = work();
    let _daemon = Daemon::start(&context);
    let text = context.run(&["stats"]).stdout;
    for part in [
        "Days",
        "Tools",
        "What hooks said",
        "How long hooks took",
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
fn what_was_just_fired_is_there_when_asked_for() {
    let context = work();
    let _daemon = Daemon::start(&context);
    assert_eq!(context.run(&["sessions"]).exit, 0);
    fire(&context, "UserPromptSubmit/recorded", |payload| {
        payload["session_id"] = json!("fresh-one");
        payload["prompt"] = json!("\u{1b}[31mred\u{1b}[0m and \u{202e}turned");
    });
    let told = context.run(&["sessions"]).stdout;
    assert!(told.contains("fresh-on"), "{told}");
    assert!(
        !told.contains('\u{1b}') && !told.contains('\u{202e}'),
        "{told:?}"
    );
}

#[test]
fn a_database_that_is_none_is_an_error_and_not_a_panic() {
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
        let told = context.run(args);
        assert_eq!(told.exit, 1, "{args:?}");
        assert!(
            told.stderr.contains("becket.db"),
            "{args:?}: {}",
            told.stderr
        );
    }
}

#[test]
fn nothing_on_record_is_no_error_where_a_list_was_asked_for() {
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
