//! Setting up built-in hooks.

use serde_json::{Value, json};

use super::{config, done, refused};
use crate::context::Context;

#[test]
fn enable_writes_a_minimal_entry() {
    for name in [
        "log",
        "sound-alert",
        "auto-format",
        "slack-notify",
        "webhook",
        "desktop-notify",
        "git-auto-stage",
        "smart-commit",
        "security-guard",
    ] {
        let context = Context::new();
        done(&context, &["hooks", "enable", name]);
        let expected = format!("[[hook]]\nname = \"{name}\"\nuse = \"{name}\"\n");
        assert_eq!(config(&context), expected);
    }
    let context = Context::new();
    let words = ["hooks", "enable", "log", "--option", "keep=5", "--option"];
    done(&context, &[&words[..], &["path=~/becket.log"]].concat());
    assert_eq!(
        config(&context),
        "[[hook]]\nname = \"log\"\nuse = \"log\"\noptions = { keep = 5, path = \"~/becket.log\" }\n"
    );
}

#[test]
fn missing_keys_use_the_builtin_defaults() {
    let context = Context::new();
    done(&context, &["hooks", "enable", "slack-notify"]);
    let shown = done(&context, &["hooks", "show", "slack-notify", "--json"]).json();
    let hooks = shown["hooks"].as_array().expect("a list");
    let events: Vec<&Value> = hooks.iter().map(|hook| &hook["event"]).collect();
    let expected = [
        "Stop",
        "StopFailure",
        "SessionError",
        "Notification",
        "PermissionRequest",
    ];
    assert_eq!(events, expected);
    assert_eq!(hooks[0]["definition"]["async"], true);
    assert_eq!(shown["builtin"]["timeout_ms"], 30_000);
}

#[test]
fn unknown_option_is_rejected_listing_the_known_ones() {
    for (name, option, expected) in [
        (
            "log",
            "pth=x",
            "unknown option `pth` of `log`; the options are path, max_bytes, keep, fields",
        ),
        (
            "log",
            "keep=many",
            "option `keep` of `log`: expected a whole number from 0 to 1000",
        ),
        (
            "slack-notify",
            "url_env=https://hooks.slack.com/x",
            "name of an environment variable",
        ),
        (
            "webhook",
            "shape=telegram",
            "is not one of generic, discord, teams, slack",
        ),
        (
            "security-guard",
            "presets=strict",
            "the options are preset, off, severity, allow, deny",
        ),
        (
            "security-guard",
            "preset=lax",
            "must be one of permissive, standard, strict",
        ),
        (
            "security-guard",
            "off=[\"gti\"]",
            "there is no rule or pack called `gti`",
        ),
        (
            "security-guard",
            "auto_approve=yes",
            "must be true or false",
        ),
        (
            "security-guard",
            "allow=[\"ls\"]",
            "`allow[0]` must be a table",
        ),
    ] {
        let context = Context::new();
        let said = refused(&context, &["hooks", "enable", name, "--option", option]);
        assert!(said.contains(expected), "{name} {option}: {said}");
        assert!(said.contains("`options`"), "{said}");
        assert_eq!(config(&context), "", "{name} {option}");
        let said = refused(
            &context,
            &["hooks", "add", "--use", name, "--option", option],
        );
        assert!(said.contains(expected), "{name} {option}: {said}");
        // An existing definition stays as it is, and stays disabled.
        done(&context, &["hooks", "add", "--use", name, "--disabled"]);
        let before = config(&context);
        let said = refused(&context, &["hooks", "enable", name, "--option", option]);
        assert!(said.contains(expected), "{name} {option}: {said}");
        assert_eq!(config(&context), before, "{name} {option}");
    }
}

#[test]
fn show_lists_options_with_default_and_value() {
    let context = Context::new();
    let shown = done(&context, &["hooks", "show", "log"]).stdout;
    assert!(shown.contains("every event"), "{shown}");
    assert!(shown.contains("becket hooks enable log"), "{shown}");
    for (option, value) in [("path", "-"), ("max_bytes", "10485760"), ("keep", "3")] {
        let line = shown.lines().find(|line| line.trim().starts_with(option));
        let words: Vec<&str> = line.expect(option).split_whitespace().collect();
        assert_eq!(words[..2], [option, value], "{shown}");
    }
    done(&context, &["hooks", "enable", "log", "--option", "keep=5"]);
    let shown = done(&context, &["hooks", "show", "log"]).stdout;
    assert!(shown.contains("5 (default 3)"), "{shown}");
    assert!(shown.contains("Writes every event"), "{shown}");

    let json = done(&context, &["hooks", "show", "security-guard", "--json"]).json();
    let options = json["builtin"]["options"].as_array().expect("a list");
    let auto = options.iter().find(|it| it["name"] == "auto_approve");
    assert_eq!(auto.expect("listed")["default"], json!(false));
}

#[test]
fn hook_for_every_event_is_listed_once() {
    let context = Context::new();
    done(&context, &["hooks", "enable", "log"]);
    done(&context, &["hooks", "enable", "auto-format"]);
    let listed = done(&context, &["hooks", "list"]).stdout;
    assert!(listed.contains("every event (1/1 enabled)"), "{listed}");
    assert!(
        listed.contains("[enabled] log - Writes every event"),
        "{listed}"
    );
    assert!(
        listed.contains("Total: 3 hooks (3 enabled, 0 disabled)"),
        "{listed}"
    );
}

#[test]
fn explain_lists_each_entry_once() {
    let context = Context::new();
    done(&context, &["hooks", "enable", "log"]);
    done(&context, &["hooks", "enable", "slack-notify"]);
    done(&context, &["hooks", "enable", "security-guard"]);
    let words = ["explain", "PreToolUse", "--tool", "Bash", "--json"];
    let explained = done(&context, &words).json();
    let hooks = explained["hooks"].as_array().expect("a list");
    let mut told: Vec<(&str, bool)> = hooks
        .iter()
        .map(|it| (it["name"].as_str().expect("a name"), it["runs"] == true))
        .collect();
    told.sort_unstable();
    let expected = [
        ("log", true),
        ("security-guard", true),
        ("slack-notify", false),
    ];
    assert_eq!(told, expected);
}
