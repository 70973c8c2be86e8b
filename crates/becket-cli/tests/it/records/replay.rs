//! What other rules would have decided.

use serde_json::{Value, json};

use super::world::{Daemon, fire};
use crate::context::{Answer, Context};

/// An agent calls for a command, and it comes to this end.
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

/// Commands that ran while nobody looked, all of them in the database.
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
    let told = context.run(&args);
    assert_eq!(told.exit, 0, "{}", told.stderr);
    told.json()
}

fn counts(told: &Value, when: &str) -> [u64; 3] {
    ["none", "ask", "deny"].map(|word| told[when][word].as_u64().expect("a number"))
}

#[test]
fn a_preset_shows_what_it_would_have_denied_and_what_of_that_ran_well() {
    let context = unguarded("");
    let told = replay(&context, &["--preset", "standard"]);
    assert_eq!(counts(&told, "then"), [4, 0, 0]);
    assert_eq!(counts(&told, "now"), [1, 0, 3]);
    assert_eq!(told["changed"], 3);
    let change = &told["changes"][0];
    assert_eq!(
        (&change["then"], &change["now"]),
        (&json!("none"), &json!("deny"))
    );
    assert_eq!(told["denied_that_ran"]["count"], 2);
    let items = told["denied_that_ran"]["items"].as_array().expect("a list");
    assert_eq!(items.len(), 1, "the same call is told once");
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
fn what_another_hook_denied_or_asked_about_then_is_no_false_alarm_of_a_preset() {
    for (answer, preset, list) in [
        ("deny", "standard", "denied_that_ran"),
        ("ask", "permissive", "asked_that_ran"),
    ] {
        let context = unguarded(&format!(
            "[[hook]]\nname = \"own\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\n\
             command = '''echo '{{\"decision\": \"{answer}\", \"reason\": \"no\"}}' '''\n"
        ));
        let told = replay(&context, &["--preset", preset]);
        assert_eq!(told["changed"], 3, "the guard was not asked then");
        assert_eq!(told[list]["count"], 0, "{}", told[list]);
    }
}

#[test]
fn the_guards_own_options_stay_when_a_preset_is_tried() {
    let context = unguarded(
        "[[hook]]\nname = \"watch\"\nuse = \"security-guard\"\nenabled = false\noptions = { allow = [{ rule = \"git.clean\", reason = \"all is built anew\" }] }\n",
    );
    let told = replay(&context, &["--preset", "strict"]);
    assert_eq!(counts(&told, "now"), [3, 0, 1]);
    assert_eq!(told["rules"][0]["hook"], "watch");
    assert_eq!(replay(&context, &[])["replayed"], 0, "it is switched off");
}

#[test]
fn commands_are_not_run_unless_that_is_wanted() {
    let config = "[[hook]]\nname = \"marks\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"touch \\\"$HOME/mark\\\"; echo no cleaning >&2; exit 2\"\nenabled = false\n";
    let context = unguarded(config);
    let told = replay(&context, &["--hook", "marks"]);
    assert_eq!(counts(&told, "now"), [2, 0, 0]);
    assert_eq!(
        told["not_run"],
        json!([{ "hook": "marks", "kind": "command", "times": 2 }])
    );
    assert!(!context.path("home/mark").exists());
    let told = replay(&context, &["--hook", "marks", "--run-commands"]);
    assert_eq!(counts(&told, "now"), [0, 0, 2]);
    assert_eq!(told["changes"][0]["items"][0]["reason"], "no cleaning");
    assert!(context.path("home/mark").exists());
}

#[test]
fn a_hook_that_is_not_run_is_taken_to_say_what_it_said_then() {
    let config = "[[hook]]\nname = \"no-clean\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"echo no >&2; exit 2\"\n";
    let context = unguarded(config);
    let told = replay(&context, &[]);
    assert_eq!(counts(&told, "then"), [0, 0, 2]);
    assert_eq!(
        (counts(&told, "now"), &told["changed"]),
        ([0, 0, 2], &json!(0))
    );
    context.config("");
    let told = replay(&context, &[]);
    assert_eq!(
        counts(&told, "now"),
        [2, 0, 0],
        "a hook that is gone says nothing"
    );
}

#[test]
fn a_projects_hooks_are_asked_only_if_they_are_trusted() {
    let context = unguarded("");
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"theirs\"\nevent = \"PreToolUse\"\ncommand = \"touch \\\"$HOME/mark\\\"; exit 2\"\n",
    );
    let told = context.run(&["replay", "--hook", "theirs", "--run-commands"]);
    assert_eq!(told.exit, 1);
    assert!(!context.path("home/mark").exists());
    assert_eq!(context.run(&["trust", "--yes"]).exit, 0);
    let told = replay(&context, &["--hook", "theirs", "--run-commands"]);
    assert_eq!(counts(&told, "now"), [0, 0, 4]);
}

#[test]
fn a_file_can_be_tried_before_it_is_anybodys_configuration() {
    let context = unguarded("");
    let file = "app/try.toml";
    context.write(
        file,
        "[[hook]]\nname = \"g\"\nuse = \"security-guard\"\noptions = { off = [\"git.clean\"] }\n",
    );
    let told = replay(&context, &["--config", "try.toml"]);
    assert_eq!(counts(&told, "now"), [3, 0, 1]);
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
fn a_replay_leaves_no_trace_and_can_be_narrowed_down() {
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
        let told = replay(&context, &[&["--preset", "strict"], &args[..]].concat());
        assert_eq!(told["replayed"], expected, "{args:?}");
    }
}

#[test]
fn people_are_shown_numbers_samples_and_rules() {
    let context = unguarded("");
    let Answer { stdout, stderr, .. } = context.run(&["replay", "--preset", "standard"]);
    assert_eq!(stderr, "", "nothing but a terminal is told how far it is");
    for words in [
        "4 events of 1 session, decided anew by the guard with the preset standard",
        "3 would be decided otherwise.",
        "none → deny: 3 events",
        "Would be denied now, and ran well then: 2 events",
        "git.push-force-main",
    ] {
        assert!(stdout.contains(words), "{words} is missing in:\n{stdout}");
    }
    let unknown = context.run(&["replay", "--hook", "nope"]);
    assert_eq!(unknown.exit, 1);
    assert!(unknown.stderr.contains("no hook is called `nope`"));
    let nothing = Context::new().run(&["replay", "--preset", "strict"]);
    assert_eq!(
        (nothing.exit, nothing.stderr.trim()),
        (0, "Nothing is recorded yet.")
    );
}

#[test]
fn what_was_denied_then_is_not_said_to_have_run_well() {
    let config = "[[hook]]\nname = \"no-clean\"\nevent = \"PreToolUse\"\nif = \"Bash(git clean*)\"\ncommand = \"echo no >&2; exit 2\"\n";
    let told = replay(&unguarded(config), &[]);
    assert_eq!(counts(&told, "then"), [0, 0, 2]);
    assert_eq!(counts(&told, "now"), [0, 0, 2]);
    assert_eq!(told["denied_that_ran"]["count"], 0);
}
