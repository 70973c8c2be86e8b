//! Taking everything out, taking it in again, and forgetting it.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use super::world::{Daemon, SESSION, work};
use crate::context::Context;

/// Work that is in the database, with no daemon left.
fn kept() -> Context {
    let context = work();
    Daemon::start(&context).stop();
    context
}

fn sessions(context: &Context) -> Value {
    context.run(&["sessions", "--json"]).json()["sessions"].clone()
}

#[test]
fn an_export_makes_the_same_database_elsewhere() {
    let (here, there) = (kept(), Context::new());
    let file = there.path("all.jsonl");
    let path = file.to_str().expect("UTF-8");
    let told = here.run(&["export", "--out", path]);
    assert_eq!(
        (told.exit, told.stdout.as_str()),
        (0, ""),
        "{}",
        told.stderr
    );
    assert!(told.stderr.contains("14 events"), "{}", told.stderr);
    let mode = std::fs::metadata(&file)
        .expect("written")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let lines = std::fs::read_to_string(&file).expect("text");
    assert_eq!(lines.lines().count(), 15, "a head and the events");
    assert_eq!(here.run(&["export"]).stdout, lines);
    let first = there.run(&["import", path, "--json"]).json();
    assert_eq!((&first["stored"], &first["known"]), (&json!(14), &json!(0)));
    let again = there
        .run_with(&["import", "-", "--json"], lines.as_bytes())
        .json();
    assert_eq!((&again["stored"], &again["known"]), (&json!(0), &json!(14)));
    assert_eq!(sessions(&there), sessions(&here));
    let refused = here.run(&["export", "--out", path]);
    assert_eq!(refused.exit, 1);
    assert!(refused.stderr.contains("exists"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&file).expect("text"), lines);
}

#[test]
fn an_import_into_a_running_daemon_is_told_to_those_who_follow() {
    let (here, there) = (kept(), Context::new());
    let lines = here.run(&["export"]).stdout;
    let _daemon = Daemon::start(&there);
    assert_eq!(there.run_with(&["import", "-"], lines.as_bytes()).exit, 0);
    assert_eq!(sessions(&there), sessions(&here));
}

#[test]
fn what_is_no_export_is_refused_with_its_line() {
    let context = Context::new();
    context.write(
        "bad.jsonl",
        "{\"type\":\"becket_export\",\"version\":1}\n{broken\n",
    );
    let told = context.run(&["import", "../bad.jsonl"]);
    assert_eq!(told.exit, 1);
    assert!(
        told.stderr.contains("bad.jsonl") && told.stderr.contains("line 2 is not JSON"),
        "{}",
        told.stderr
    );
    let told = context.run(&["import", "../none.jsonl"]);
    assert!(
        told.exit == 1 && told.stderr.contains("none.jsonl"),
        "{}",
        told.stderr
    );
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let context = kept();
    let mut export = context.command(&["export"]);
    let mut child = export
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    assert!(child.wait().expect("ended").success());
    let mut said = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut said)
        .expect("text");
    assert_eq!(said, "");
}

#[test]
fn nothing_is_forgotten_that_was_not_agreed_to() {
    let context = kept();
    let told = context.run(&["prune", "--older-than", "0s"]);
    assert_eq!(told.exit, 1, "nobody can be asked");
    assert!(
        told.stderr.contains("1 ended session and 13 events"),
        "{}",
        told.stderr
    );
    assert_eq!(
        context
            .run(&["prune", "--older-than", "0s", "--dry-run"])
            .exit,
        0
    );
    assert_eq!(sessions(&context).as_array().map(Vec::len), Some(2));
    let none = context
        .run(&["prune", "--older-than", "90d", "--yes", "--json"])
        .json();
    assert_eq!(
        none["gone"],
        json!({ "sessions": 0, "events": 0, "more": false })
    );
    let bad = context.run(&["prune", "--older-than", "soon"]);
    assert_eq!(bad.exit, 64);
}

#[test]
fn what_is_old_is_forgotten_with_and_without_a_daemon() {
    for with_daemon in [false, true] {
        let context = kept();
        let _daemon = with_daemon.then(|| Daemon::start(&context));
        let kept = context.run(&[
            "prune",
            "--older-than",
            "0s",
            "--yes",
            "--keep-denied",
            "--json",
        ]);
        assert_eq!(
            kept.json()["gone"]["sessions"],
            0,
            "something was denied in it"
        );
        let told = context.run(&["prune", "--older-than", "0s", "--yes"]);
        assert_eq!(
            told.stdout, "1 session and 13 events are forgotten.\n",
            "{}",
            told.stderr
        );
        let left = sessions(&context);
        assert_eq!(left.as_array().map(Vec::len), Some(1));
        assert_ne!(left[0]["id"], SESSION, "the one that is active stays");
        assert_eq!(context.records().len(), 1);
    }
}
