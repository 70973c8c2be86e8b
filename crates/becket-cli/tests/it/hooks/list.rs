//! `becket hooks list` and `becket hooks show`.

use serde_json::json;

use super::{context, done, refused};
use crate::context::Context;

#[test]
fn the_list_is_grouped_by_event_with_counts_and_a_total() {
    let context = context();
    let config = context.path("home/.becket/config.toml");
    let config = config.display();
    let expected = format!(
        "Hooks
──────────────────────────────────────────────────
Mode: enabled

PreToolUse (1/1 enabled)
  1. [enabled] echo 'use --force-with-lease' >&2; exit 2 - Never force
     no-force-push (user, becket, {config}:4)

Stop (1/1 enabled)
  1. [enabled] true
     two (user, becket, {config}:11)

SessionEnd (1/1 enabled)
  1. [enabled] true
     two (user, becket, {config}:11)

──────────────────────────────────────────────────
Total: 3 hooks (3 enabled, 0 disabled)
"
    );
    assert_eq!(done(&context, &["hooks", "list"]).stdout, expected);
    assert_eq!(done(&context, &["hooks"]).stdout, expected, "no terminal");
}

#[test]
fn empty_list_suggests_how_to_add_a_hook() {
    let listed = done(&Context::new(), &["hooks", "list"]).stdout;
    assert!(
        listed.contains("becket hooks enable security-guard"),
        "{listed}"
    );
    assert!(
        listed.ends_with("Total: 0 hooks (0 enabled, 0 disabled)\n"),
        "{listed}"
    );
}

#[test]
fn identical_hooks_in_two_files_are_selected_by_level() {
    let context = Context::new();
    let hook = "[[hook]]\nname = \"same\"\nevent = \"Stop\"\ncommand = \"true\"\n";
    context.config(hook).write("app/becket.toml", hook);
    let listed = done(&context, &["hooks", "list"]).stdout;
    assert!(listed.contains("Stop (1/2 enabled)"), "{listed}");
    let said = refused(&context, &["hooks", "disable", "same"]);
    assert!(said.contains("2 hooks have the name `same`"), "{said}");
    assert!(
        said.contains("app/becket.toml:1") && said.contains(".becket/config.toml:1"),
        "{said}"
    );
    assert!(said.contains("--level"), "{said}");
    done(&context, &["hooks", "disable", "same", "--level", "user"]);
    assert!(context.read("app/becket.toml") == hook);
    assert!(super::config(&context).contains("enabled = false"));
}

#[test]
fn hooks_with_the_same_name_in_one_file_are_selected_by_line() {
    let context = Context::new();
    let hook =
        |command| format!("[[hook]]\nname = \"same\"\nevent = \"Stop\"\ncommand = \"{command}\"\n");
    context.config(&(hook("a") + &hook("b")));
    let said = refused(&context, &["hooks", "disable", "same"]);
    assert!(said.contains("FILE:LINE"), "{said}");
    let second = format!("{}:5", context.path("home/.becket/config.toml").display());
    assert!(said.contains(&second), "{said}");
    done(&context, &["hooks", "disable", &second]);
    assert_eq!(
        super::config(&context),
        hook("a") + &hook("b") + "enabled = false\n"
    );
}

#[test]
fn show_prints_all_details_of_a_hook() {
    let context = context();
    let shown = done(&context, &["hooks", "show", "no-force-push"]).stdout;
    for expected in [
        "description  Never force",
        "status       enabled",
        "events       PreToolUse",
        "config.toml:4",
        "needed for your own hooks",
        "if = \"Bash(git push*--force*)\"",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let json = done(&context, &["hooks", "show", "two", "--json"]).json();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["hooks"][1]["event"], "SessionEnd");
    assert_eq!(json["hooks"][1]["definition"]["env"], json!([["A", "1"]]));
    let builtin = done(&context, &["hooks", "show", "security-guard"]).stdout;
    assert!(
        builtin.contains("becket hooks enable security-guard"),
        "{builtin}"
    );
}

#[test]
fn unknown_name_is_an_error_for_every_command() {
    let context = context();
    for command in ["show", "remove", "enable", "disable", "test"] {
        let said = refused(&context, &["hooks", command, "missing"]);
        assert!(said.contains("no hook `missing`"), "{command}: {said}");
    }
    let said = refused(&context, &["hooks", "enable", "security-gaurd"]);
    assert!(said.contains("did you mean `security-guard`?"), "{said}");
    let said = refused(&context, &["hooks", "disable", "two", "--level", "project"]);
    assert!(
        said.contains("at level project") && said.contains("config.toml:11"),
        "{said}"
    );
}

#[test]
fn broken_hook_is_reported_with_location_and_error() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"broken\"\nevent = \"Stop\"\ncommand = 1\n");
    let said = refused(&context, &["hooks", "enable", "broken"]);
    assert!(
        said.contains("failed to load") && said.contains("config.toml:1"),
        "{said}"
    );
    assert!(said.contains("`command`: expected a string"), "{said}");
}
