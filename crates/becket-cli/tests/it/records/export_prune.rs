//! Export, import and prune.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use super::support::{Daemon, SESSION, recorded_session};
use crate::context::Context;

/// A recorded session in the database, without a daemon.
fn stored_session() -> Context {
    let context = recorded_session();
    Daemon::start(&context).stop();
    context
}

fn sessions(context: &Context) -> Value {
    context.run(&["sessions", "--json"]).json()["sessions"].clone()
}

#[test]
fn import_of_an_export_recreates_the_database() {
    let (here, there) = (stored_session(), Context::new());
    let file = there.path("all.jsonl");
    let path = file.to_str().expect("UTF-8");
    let output = here.run(&["export", "--out", path]);
    assert_eq!(
        (output.exit, output.stdout.as_str()),
        (0, ""),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("14 events"), "{}", output.stderr);
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
fn import_into_a_running_daemon_reaches_subscribers() {
    let (here, there) = (stored_session(), Context::new());
    let lines = here.run(&["export"]).stdout;
    let _daemon = Daemon::start(&there);
    assert_eq!(there.run_with(&["import", "-"], lines.as_bytes()).exit, 0);
    assert_eq!(sessions(&there), sessions(&here));
}

#[test]
fn invalid_export_is_rejected_with_its_line() {
    let context = Context::new();
    context.write(
        "bad.jsonl",
        "{\"type\":\"becket_export\",\"version\":1}\n{broken\n",
    );
    let output = context.run(&["import", "../bad.jsonl"]);
    assert_eq!(output.exit, 1);
    assert!(
        output.stderr.contains("bad.jsonl") && output.stderr.contains("line 2 is not JSON"),
        "{}",
        output.stderr
    );
    let output = context.run(&["import", "../none.jsonl"]);
    assert!(
        output.exit == 1 && output.stderr.contains("none.jsonl"),
        "{}",
        output.stderr
    );
}

#[test]
fn export_to_a_closed_pipe_is_not_an_error() {
    let context = stored_session();
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
fn prune_without_confirmation_deletes_nothing() {
    let context = stored_session();
    let output = context.run(&["prune", "--older-than", "0s"]);
    assert_eq!(output.exit, 1, "no terminal to confirm");
    assert!(
        output.stderr.contains("1 ended session and 13 events"),
        "{}",
        output.stderr
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
fn prune_deletes_old_records_with_and_without_a_daemon() {
    for with_daemon in [false, true] {
        let context = stored_session();
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
        let output = context.run(&["prune", "--older-than", "0s", "--yes"]);
        assert_eq!(
            output.stdout, "Deleted 1 session and 13 events.\n",
            "{}",
            output.stderr
        );
        let left = sessions(&context);
        assert_eq!(left.as_array().map(Vec::len), Some(1));
        assert_ne!(left[0]["id"], SESSION, "the one that is active stays");
        assert_eq!(context.records().len(), 1);
    }
}
