//! The latest events, while they move from the spool to the database.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use becket_testkit::PATIENCE;
use serde_json::{Value, json};

use super::support::{Daemon, fire, recorded_session};
use crate::context::Context;

fn prompt(context: &Context, text: &str) {
    fire(context, "UserPromptSubmit/recorded", |payload| {
        payload["prompt"] = json!(text);
    });
}

#[test]
fn event_is_shown_once_from_spool_or_database() {
    let context = recorded_session();
    let before = context.records();
    assert_eq!(before.len(), 14, "from the spool");
    let daemon = Daemon::start(&context);
    assert_eq!(
        context.run(&["sessions"]).stderr,
        "",
        "nothing waits any more"
    );
    assert_eq!(context.records(), before, "from the database");
    daemon.stop();
    prompt(&context, "one more");
    let after = context.records();
    assert_eq!(after[..14], before[..]);
    assert_eq!(after[14]["payload"]["prompt"], "one more");
    assert_eq!(
        context.run(&["tail", "-n", "2", "--json"]).json()["events"],
        json!(after[13..])
    );
}

#[test]
fn events_can_be_filtered_in_spool_and_database() {
    let context = recorded_session();
    let chosen = |args: &[&str]| {
        let args = [&["tail", "--json"], args].concat();
        let events = context.run(&args).json()["events"].clone();
        let names = events.as_array().expect("a list").iter();
        names
            .map(|e| e["event"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    let cases: [(&[&str], &[&str]); 5] = [
        (&["--verdict", "deny"], &["PreToolUse"]),
        (&["--event", "prompt-submit"], &["UserPromptSubmit"; 2]),
        (&["--agent", "codex"], &[]),
        (&["-C", ".", "--event", "Stop"], &["Stop"]),
        (&["--since", "1h", "-n", "1"], &["UserPromptSubmit"]),
    ];
    for (args, expected) in cases {
        assert_eq!(chosen(args), expected, "spool: {args:?}");
    }
    let _daemon = Daemon::start(&context);
    assert_eq!(context.run(&["sessions"]).exit, 0);
    for (args, expected) in cases {
        assert_eq!(chosen(args), expected, "database: {args:?}");
    }
}

#[test]
fn idle_events_are_shown_only_by_name() {
    let context = recorded_session();
    let before = context.records();
    let named = || {
        let output = context.run(&["tail", "--json", "--event", "BecketIdle"]);
        output.json()["events"].as_array().expect("a list").len()
    };
    let last = || context.run(&["tail", "-n", "3", "--json"]).json()["events"].clone();
    for _ in 0..4 {
        context.fire("BecketIdle", json!({}));
    }
    assert_eq!((context.records(), named()), (before.clone(), 4), "spool");
    assert_eq!(last(), json!(before[11..]));
    let _daemon = Daemon::start(&context);
    assert_eq!(context.run(&["sessions"]).exit, 0);
    assert_eq!(
        (context.records(), named()),
        (before.clone(), 4),
        "database"
    );
    assert_eq!(last(), json!(before[11..]), "as many as were asked for");
}

/// `becket tail -f`, killed at the end of the test.
struct FollowingTail {
    child: Child,
    lines: Receiver<String>,
}

impl FollowingTail {
    fn start(context: &Context, args: &[&str]) -> Self {
        let args = [&["tail", "-f"], args].concat();
        let mut child = context
            .command(&args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line");
        serde_json::from_str(&line).expect("an object a line")
    }
}

impl Drop for FollowingTail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn follow_shows_each_event_once_while_daemons_start_and_stop() {
    let context = recorded_session();
    let following = FollowingTail::start(&context, &["--json", "-n", "1"]);
    assert_eq!(following.next()["payload"]["prompt"], "Fix the login test");
    let mut expected = Vec::new();
    let mut say = |text: &str| {
        prompt(&context, text);
        expected.push(text.to_owned());
    };
    say("before");
    let daemon = Daemon::start(&context);
    say("with a daemon");
    assert_eq!(context.run(&["sessions"]).exit, 0);
    say("still with a daemon");
    daemon.stop();
    say("without one again");
    let seen: Vec<String> = (0..4)
        .map(|_| {
            following.next()["payload"]["prompt"]
                .as_str()
                .expect("text")
                .to_owned()
        })
        .collect();
    assert_eq!(seen, expected);
}
