//! `becket alarms`, with a daemon and without.

use serde_json::{Value, json};

use super::world::{Daemon, unheeded};
use crate::context::Context;

fn open(context: &Context) -> Vec<String> {
    let told = context.run(&["alarms", "--json"]).json();
    assert_eq!(told["schema_version"], 1);
    let alarms = told["alarms"].as_array().expect("a list");
    assert_eq!(told["open"], alarms.len());
    let id = |alarm: &Value| alarm["id"].as_str().expect("an id").to_owned();
    alarms.iter().map(id).collect()
}

#[test]
fn an_alarm_is_listed_until_somebody_has_seen_it() {
    let context = unheeded(1);
    let _daemon = Daemon::start(&context);
    let [id] = &open(&context)[..] else {
        panic!("one alarm");
    };
    let told = context.run(&["alarms"]);
    assert!(
        told.stdout.contains(id) && told.stdout.contains("claude ran Write at"),
        "{}",
        told.stdout
    );
    assert!(told.stderr.contains("becket alarms ack"), "{}", told.stderr);
    let seen = context.run(&["alarms", "ack", id]);
    assert_eq!(
        seen.stdout, "1 alarm is noted as seen.\n",
        "{}",
        seen.stderr
    );
    assert_eq!(open(&context), [""; 0]);
    let again = context.run(&["alarms", "ack", id, "--json"]).json();
    assert_eq!(again["acknowledged"], 0);
    let all = context.run(&["alarms", "list", "--all"]);
    assert!(
        all.stdout.contains("seen") && all.stdout.contains(id),
        "{}",
        all.stdout
    );
}

#[test]
fn without_a_daemon_the_database_is_told() {
    let context = unheeded(3);
    Daemon::start(&context).stop();
    let ids = open(&context);
    assert_eq!(ids.len(), 3);
    let seen = context.run(&["alarms", "ack", &ids[0], "--json"]).json();
    assert_eq!(seen, json!({ "schema_version": 1, "acknowledged": 1 }));
    let seen = context.run(&["alarms", "ack", "--all"]);
    assert_eq!(seen.stdout, "2 alarms are noted as seen.\n");
    assert_eq!(open(&context), [""; 0]);
    assert!(context.run(&["alarms"]).stderr.contains("no alarms"));
}

#[test]
fn an_alarm_that_is_not_there_is_named() {
    let context = unheeded(1);
    let nothing = context.run(&["alarms", "ack", "x"]);
    assert_eq!(nothing.exit, 1);
    assert!(
        nothing.stderr.contains("nothing is recorded yet"),
        "{}",
        nothing.stderr
    );
    Daemon::start(&context).stop();
    let unknown = context.run(&["alarms", "ack", "\u{1b}[2J"]);
    assert_eq!(unknown.exit, 1);
    assert!(
        unknown.stderr.contains("there is no alarm `\\u{1b}[2J`"),
        "{}",
        unknown.stderr
    );
    assert_eq!(open(&context).len(), 1);
    assert_eq!(context.run(&["alarms", "ack"]).exit, 64);
    assert_eq!(context.run(&["alarms", "ack", "x", "--all"]).exit, 64);
}
