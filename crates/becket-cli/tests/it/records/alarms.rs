//! `becket alarms`, with and without a daemon.

use serde_json::{Value, json};

use super::support::{Daemon, ignored_denials};
use crate::context::Context;

fn open(context: &Context) -> Vec<String> {
    let output = context.run(&["alarms", "--json"]).json();
    assert_eq!(output["schema_version"], 1);
    let alarms = output["alarms"].as_array().expect("a list");
    assert_eq!(output["open"], alarms.len());
    let id = |alarm: &Value| alarm["id"].as_str().expect("an id").to_owned();
    alarms.iter().map(id).collect()
}

#[test]
fn alarm_is_listed_until_acknowledged() {
    let context = ignored_denials(1);
    let _daemon = Daemon::start(&context);
    let [id] = &open(&context)[..] else {
        panic!("one alarm");
    };
    let output = context.run(&["alarms"]);
    assert!(
        output.stdout.contains(id) && output.stdout.contains("claude ran Write at"),
        "{}",
        output.stdout
    );
    assert!(
        output.stderr.contains("becket alarms ack"),
        "{}",
        output.stderr
    );
    let seen = context.run(&["alarms", "ack", id]);
    assert_eq!(seen.stdout, "Acknowledged 1 alarm.\n", "{}", seen.stderr);
    assert_eq!(open(&context), [""; 0]);
    let again = context.run(&["alarms", "ack", id, "--json"]).json();
    assert_eq!(again["acknowledged"], 0);
    let all = context.run(&["alarms", "list", "--all"]);
    assert!(
        all.stdout.contains("acknowledged") && all.stdout.contains(id),
        "{}",
        all.stdout
    );
}

#[test]
fn alarm_is_acknowledged_without_a_daemon() {
    let context = ignored_denials(3);
    Daemon::start(&context).stop();
    let ids = open(&context);
    assert_eq!(ids.len(), 3);
    let seen = context.run(&["alarms", "ack", &ids[0], "--json"]).json();
    assert_eq!(seen, json!({ "schema_version": 1, "acknowledged": 1 }));
    let seen = context.run(&["alarms", "ack", "--all"]);
    assert_eq!(seen.stdout, "Acknowledged 2 alarms.\n");
    assert_eq!(open(&context), [""; 0]);
    assert!(context.run(&["alarms"]).stderr.contains("No alarms"));
}

#[test]
fn unknown_alarm_is_an_error() {
    let context = ignored_denials(1);
    let nothing = context.run(&["alarms", "ack", "x"]);
    assert_eq!(nothing.exit, 1);
    assert!(
        nothing.stderr.contains("nothing has been recorded yet"),
        "{}",
        nothing.stderr
    );
    Daemon::start(&context).stop();
    let unknown = context.run(&["alarms", "ack", "\u{1b}[2J"]);
    assert_eq!(unknown.exit, 1);
    assert!(
        unknown.stderr.contains("no alarm has the id `\\u{1b}[2J`"),
        "{}",
        unknown.stderr
    );
    assert_eq!(open(&context).len(), 1);
    assert_eq!(context.run(&["alarms", "ack"]).exit, 64);
    assert_eq!(context.run(&["alarms", "ack", "x", "--all"]).exit, 64);
}
