//! Invalid options are reported with their key.

use std::sync::Arc;

use becket_builtins::{BUILTINS, make};
use becket_model::{Action, EventKind, HookOutcome};
use becket_runner::{FnHook, HookInput, HookOutput};
use futures_lite::future::block_on;
use serde_json::{Value, json};

use crate::world::World;

fn made(name: &str, options: Value) -> Result<(), String> {
    let world = World::new();
    let mut spec = world.specs("use = 'log'\nevent = 'Stop'").remove(0);
    spec.action = Action::Builtin {
        name: name.to_owned(),
        options,
    };
    make(spec, &Arc::new(world.deps.clone())).map(|_| ())
}

#[test]
fn every_hook_is_built_from_empty_and_default_options() {
    for one in BUILTINS.iter().filter(|one| one.name != "security-guard") {
        assert_eq!(made(one.name, json!({})), Ok(()), "{}", one.name);
        assert_eq!(
            made(one.name, one.default_options()),
            Ok(()),
            "{}",
            one.name
        );
    }
}

#[test]
fn invalid_options_are_named() {
    for (name, options, expected) in [
        (
            "log",
            json!({ "pth": "x" }),
            "unknown option `pth` of `log`; the options are path, max_bytes, keep, fields",
        ),
        (
            "log",
            json!({ "max_bytes": "1k" }),
            "option `max_bytes` of `log`: expected a whole number from 0 to 18446744073709551615, found text",
        ),
        (
            "log",
            json!({ "fields": [1] }),
            "option `fields` of `log`: expected a list of texts, found a list",
        ),
        (
            "log",
            json!([]),
            "options of `log`: expected a table, found a list",
        ),
        (
            "sound-alert",
            json!({ "volume": 101 }),
            "option `volume` of `sound-alert`: expected a whole number from 0 to 100, found 101",
        ),
        (
            "sound-alert",
            json!({ "sound": "loud" }),
            "option `sound` of `sound-alert`: expected `system`, `bell`, `none` or the path of a sound file",
        ),
        (
            "sound-alert",
            json!({ "events": { "Sotp": "bell" } }),
            "option `events` of `sound-alert`: unknown event `Sotp`",
        ),
        (
            "webhook",
            json!({ "shape": "pigeon" }),
            "option `shape` of `webhook`: `pigeon` is not one of generic, discord, teams, slack",
        ),
        (
            "smart-commit",
            json!({ "stage": "some" }),
            "option `stage` of `smart-commit`: `some` is not one of tracked, all, none",
        ),
        (
            "auto-format",
            json!({ "project_tools": "maybe" }),
            "option `project_tools` of `auto-format`: expected true, false or \"trusted\"",
        ),
        (
            "auto-format",
            json!({ "formatters": { "*.x": [] } }),
            "option `formatters.\"*.x\"` of `auto-format`: expected the name of a formatter, a command as a list, or `none`",
        ),
        (
            "desktop-notify",
            json!({ "details": "yes" }),
            "option `details` of `desktop-notify`: expected true or false, found text",
        ),
        (
            "git-auto-stage",
            json!({ "skip": {} }),
            "option `skip` of `git-auto-stage`: expected a list of texts, found a table",
        ),
        (
            "nonesuch",
            json!({}),
            "unknown built-in hook `nonesuch`; the built-in hooks are log, sound-alert, auto-format, slack-notify, webhook, desktop-notify, git-auto-stage, smart-commit, ask-editor, security-guard",
        ),
        (
            "security-guard",
            json!({ "presets": "x" }),
            "unknown option `presets` of `security-guard`; the options are preset, off, severity, allow, deny, wrappers, auto_approve",
        ),
    ] {
        assert_eq!(made(name, options), Err(expected.to_owned()));
    }
}

#[test]
fn url_in_place_of_a_variable_name_is_not_repeated() {
    let secret = "https://hooks.slack.com/services/T00/B00/abcdefghijklmnop";
    let why = made("slack-notify", json!({ "url_env": secret })).expect_err("refused");
    assert!(
        why.contains("`url_env`") && !why.contains("abcdef"),
        "{why}"
    );
}

#[test]
fn guard_is_built_by_the_host_program() {
    let mut world = World::new();
    let spec = || world.specs("use = 'security-guard'").remove(0);
    let why = make(spec(), &Arc::new(world.deps.clone())).err();
    assert_eq!(
        why.as_deref(),
        Some("`security-guard` is not available in this program")
    );
    let spec = spec();
    world.deps.guard = Some(Arc::new(|spec| {
        let hook = FnHook::new(spec.name, [EventKind::PreToolUse], |_, _| async {
            Ok(HookOutput::block("no"))
        });
        Ok(Arc::new(hook))
    }));
    let hook = make(spec, &Arc::new(world.deps.clone())).expect("made");
    let input = HookInput::pre_tool_use("s", "Bash", json!({}));
    let outcome: HookOutcome = block_on(hook.run(input, &world.context()));
    assert_eq!(outcome.reason.as_deref(), Some("no"));
}
