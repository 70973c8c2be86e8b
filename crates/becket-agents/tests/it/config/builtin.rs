//! Entries with `use`: missing keys come from the built-in hook.

use becket_agents::config::{becket, to_becket_toml};
use becket_model::builtin::DEFAULTS;
use becket_model::{EventKind, HookSpec};

use super::{clean, load, only, problem_lines, seconds};

fn events(hooks: &[HookSpec]) -> Vec<&str> {
    hooks.iter().map(|hook| hook.event.name()).collect()
}

#[test]
fn use_alone_is_enough_for_every_builtin() {
    for one in DEFAULTS {
        let hooks = clean(becket, &format!("[[hook]]\nuse = '{}'\n", one.name));
        assert_eq!(hooks.len(), one.events.len(), "{}", one.name);
        for hook in hooks {
            assert_eq!(hook.name, one.name);
            assert_eq!(hook.timeout, one.timeout);
            assert_eq!(hook.is_async, one.is_async);
            assert_eq!(hook.priority, one.priority);
        }
    }
}

#[test]
fn the_default_matcher_is_for_the_events_that_have_tools() {
    let hooks = clean(becket, "[[hook]]\nuse = 'auto-format'\n");
    assert_eq!(events(&hooks), ["PostToolUse", "FileModified"]);
    assert!(hooks[0].matcher.matches("Write") && !hooks[0].matcher.matches("Bash"));
    assert!(hooks[1].matcher.is_all());
}

#[test]
fn explicit_keys_override_builtin_defaults() {
    let text = "[[hook]]\nuse = 'slack-notify'\nname = 'tell'\nevent = 'session-end'\nasync = false\ntimeout = 5\n";
    let hook = only(clean(becket, text));
    assert_eq!(hook.name, "tell");
    assert_eq!(hook.event, EventKind::SessionEnd);
    assert!(!hook.is_async);
    assert_eq!(hook.timeout, seconds(5));
}

#[test]
fn a_matcher_without_events_is_for_tools_and_needs_no_warning() {
    let hooks = clean(becket, "[[hook]]\nuse = 'auto-format'\nmatcher = 'Write'\n");
    assert!(!hooks[0].matcher.matches("Edit"));
    assert!(hooks[1].matcher.is_all());
}

#[test]
fn explicit_event_keeps_the_default_matcher() {
    let text = "[[hook]]\nuse = 'auto-format'\nevent = 'PostToolUse'\n";
    let hook = only(clean(becket, text));
    assert!(hook.matcher.matches("Edit") && !hook.matcher.matches("Bash"));
    let text = format!("{text}matcher = '*'\n");
    assert!(only(clean(becket, &text)).matcher.is_all());
}

#[test]
fn unknown_builtin_is_reported_with_a_suggestion() {
    let layer = load(becket, "[[hook]]\nuse = 'auto-fromat'\n");
    assert_eq!(
        problem_lines(&layer),
        [
            "W 2 hook[0].use: unknown built-in hook `auto-fromat`",
            "E 1 hook[0]: missing `event`",
        ]
    );
    let hint = layer.problems[0].hint.as_deref();
    assert_eq!(hint, Some("did you mean `auto-format`?"));
}

#[test]
fn printing_omits_builtin_defaults() {
    for text in [
        "use = 'auto-format'",
        "use = 'auto-format'\nmatcher = '*'",
        "use = 'auto-format'\npriority = 0",
        "use = 'slack-notify'",
        "use = 'slack-notify'\nasync = false",
        "use = 'log'\nasync = true\nevent = 'Stop'",
    ] {
        let hooks = clean(becket, &format!("[[hook]]\n{text}\n"));
        let again = clean(becket, &to_becket_toml(&hooks));
        let definitions =
            |hooks: &[HookSpec]| -> Vec<_> { hooks.iter().map(HookSpec::definition).collect() };
        assert_eq!(definitions(&hooks), definitions(&again), "{text}");
    }
}
