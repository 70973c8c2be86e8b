//! `becket replay`: decisions of other rules on recorded events.

use serde_json::{Value, json};

use super::support::{Daemon, fire};
use crate::context::{CommandOutput, Context};

/// An agent's call of a command, with its end.
fn call(context: &Context, command: &str, id: &str, end: Option<&str>) {
    let about = |payload: &mut Value| {
        payload["tool_input"] = json!({ "command": command });
        payload["tool_use_id"] = json!(id);
    };
    fire(context, "PreToolUse/bash", about);
    if let Some(end) = end {
        fire(context, end, about);
    }
}

const RAN: Option<&str> = Some("PostToolUse/bash");

/// Commands that ran without a guard, all in the database.
fn unguarded(config: &str) -> Context {
    let context = Context::new();
    context.config(config);
    call(&context, "cargo test", "t1", RAN);
    call(&context, "git clean -fdx", "t2", RAN);
    call(&context, "git clean -fdx", "t3", RAN);
    call(&context, "git push --force origin main", "t4", None);
    Daemon::start(&context).stop();
    context
}

fn replay(context: &Context, args: &[&str]) -> Value {
    let args = [&["replay", "--json"], args].concat();
    let report = context.run(&args);
    assert_eq!(report.exit, 0, "{}", report.stderr);
    report.json()
}

fn counts(report: &Value, when: &str) -> [u64; 3] {
    ["none", "ask", "deny"].map(|word| report[when][word].as_u64().expect("a number"))
}

#[test]
fn preset_replay_lists_blocked_calls_that_ran_successfully() {
    let context = unguarded("");
    let report = replay(&context, &["--preset", "standard"]);
    assert_eq!(counts(&report, "then"), [4, 0, 0]);
    assert_eq!(counts(&report, "now"), [1, 0, 3]);
    assert_eq!(report["changed"], 3);
    let change = &report["changes"][0];
    assert_eq!(
        (&change["then"], &change["now"]),
        (&json!("none"), &json!("deny"))
    );
    assert_eq!(report["denied_that_ran"]["count"], 2);
    let items = report["denied_that_ran"]["items"]
        .as_array()
        .expect("a list");
    assert_eq!(items.len(), 1, "the same call is listed once");
    assert_eq!(
        (&items[0]["subject"], &items[0]["rule"], &items[0]["times"]),
        (&json!("git clean -fdx"), &json!("git.clean"), &json!(2))
    );
    let permissive = replay(&context, &["--preset", "permissive"]);
    assert_eq!(counts(&permissive, "now"), [1, 3, 0]);
    assert_eq!(permissive["denied_that_ran"]["count"], 0);
    assert_eq!(permissive["asked_that_ran"]["count"], 2);
}

#[test]
fn calls_blocked_by_another_hook_are_not_counted_as_false_positives() {
    for (answer, preset, list) in [
        ("deny", "standard", "denied_that_ran"),
        ("ask", "permissive", "asked_that_ran"),
    ] {
        let context = unguarded(&format!(
            "[[hook]]\nname = \"own\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\n\
             command = '''echo '{{\"decision\": \"{answer}\", \"reason\": \"no\"}}' '''\n"
        ));
        let report = replay(&context, &["--preset", preset]);
        assert_eq!(report["changed"], 3, "the guard was not asked then");
        assert_eq!(report[list]["count"], 0, "{}", report[list]);
    }
}

#[test]
fn preset_replay_keeps_the_guards_other_options() {
    let context = unguarded(
        "[[hook]]\nname = \"watch\"\nuse = \"security-guard\"\nenabled = false\noptions = { allow = [{ rule = \"git.clean\", reason = \"all is rebuilt\" }] }\n",
    );
    let report = replay(&context, &["--preset", "strict"]);
    assert_eq!(counts(&report, "now"), [3, 0, 1]);
    assert_eq!(report["rules"][0]["hook"], "watch");
    assert_eq!(replay(&context, &[])["replayed"], 0, "it is switched off");
}

#[test]
fn command_hooks_run_only_with_run_commands() {
    let config = "[[hook]]\nname = \"marks\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"touch \\\"$HOME/mark\\\"; echo no cleaning >&2; exit 2\"\nenabled = false\n";
    let context = unguarded(config);
    let report = replay(&context, &["--hook", "marks"]);
    assert_eq!(counts(&report, "now"), [2, 0, 0]);
    assert_eq!(
        report["not_run"],
        json!([{ "hook": "marks", "kind": "command", "times": 2 }])
    );
    assert!(!context.path("home/mark").exists());
    let report = replay(&context, &["--hook", "marks", "--run-commands"]);
    assert_eq!(counts(&report, "now"), [0, 0, 2]);
    assert_eq!(report["changes"][0]["items"][0]["reason"], "no cleaning");
    assert!(context.path("home/mark").exists());
}

#[test]
fn hook_that_is_not_run_keeps_its_recorded_verdict() {
    let config = "[[hook]]\nname = \"no-clean\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"echo no >&2; exit 2\"\n";
    let context = unguarded(config);
    let report = replay(&context, &[]);
    assert_eq!(counts(&report, "then"), [0, 0, 2]);
    assert_eq!(
        (counts(&report, "now"), &report["changed"]),
        ([0, 0, 2], &json!(0))
    );
    context.config("");
    let report = replay(&context, &[]);
    assert_eq!(
        counts(&report, "now"),
        [2, 0, 0],
        "a hook that is gone says nothing"
    );
}

#[test]
fn project_hooks_are_replayed_only_if_trusted() {
    let context = unguarded("");
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"theirs\"\nevent = \"PreToolUse\"\ncommand = \"touch \\\"$HOME/mark\\\"; exit 2\"\n",
    );
    let report = context.run(&["replay", "--hook", "theirs", "--run-commands"]);
    assert_eq!(report.exit, 1);
    assert!(!context.path("home/mark").exists());
    assert_eq!(context.run(&["trust", "--yes"]).exit, 0);
    let report = replay(&context, &["--hook", "theirs", "--run-commands"]);
    assert_eq!(counts(&report, "now"), [0, 0, 4]);
}

#[test]
fn configuration_file_can_be_replayed_before_use() {
    let context = unguarded("");
    let file = "app/try.toml";
    context.write(
        file,
        "[[hook]]\nname = \"g\"\nuse = \"security-guard\"\noptions = { off = [\"git.clean\"] }\n",
    );
    let report = replay(&context, &["--config", "try.toml"]);
    assert_eq!(counts(&report, "now"), [3, 0, 1]);
    context.write(
        file,
        "[[hook]]\nname = \"g\"\nuse = \"security-guard\"\noptions = { of = [] }\n",
    );
    let refused = context.run(&["replay", "--config", "try.toml"]);
    assert_eq!(refused.exit, 1);
    assert!(
        refused.stderr.contains("try.toml:1") && refused.stderr.contains("`of`"),
        "{}",
        refused.stderr
    );
    let missing = context.run(&["replay", "--config", "nothing.toml"]);
    assert!(
        missing.stderr.contains("nothing.toml"),
        "{}",
        missing.stderr
    );
}

#[test]
fn replay_records_nothing_and_can_be_filtered() {
    let context = unguarded("");
    let before = context.run(&["export"]).stdout;
    replay(&context, &["--preset", "strict"]);
    assert_eq!(context.run(&["export"]).stdout, before);
    for (args, expected) in [
        (["--since", "1h"], 4),
        (["--until", "1h"], 0),
        (["--agent", "codex"], 0),
        (["--project", "."], 4),
    ] {
        let report = replay(&context, &[&["--preset", "strict"], &args[..]].concat());
        assert_eq!(report["replayed"], expected, "{args:?}");
    }
}

#[test]
fn replay_text_shows_counts_samples_and_rules() {
    let context = unguarded("");
    let CommandOutput { stdout, stderr, .. } = context.run(&["replay", "--preset", "standard"]);
    assert_eq!(stderr, "", "progress is shown only on a terminal");
    for words in [
        "Replayed 4 events of 1 session with the guard with preset standard",
        "3 decisions would change.",
        "none → deny: 3 events",
        "Would be blocked now, but ran successfully then: 2 events",
        "git.push-force-main",
    ] {
        assert!(stdout.contains(words), "{words} is missing in:\n{stdout}");
    }
    let unknown = context.run(&["replay", "--hook", "nope"]);
    assert_eq!(unknown.exit, 1);
    assert!(unknown.stderr.contains("no hook `nope`"));
    let nothing = Context::new().run(&["replay", "--preset", "strict"]);
    assert_eq!(
        (nothing.exit, nothing.stderr.trim()),
        (0, "Nothing recorded yet.")
    );
}

#[test]
fn calls_denied_then_are_not_listed_as_successful() {
    let config = "[[hook]]\nname = \"no-clean\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"echo no >&2; exit 2\"\n";
    let report = replay(&unguarded(config), &[]);
    assert_eq!(counts(&report, "then"), [0, 0, 2]);
    assert_eq!(counts(&report, "now"), [0, 0, 2]);
    assert_eq!(report["denied_that_ran"]["count"], 0);
}
