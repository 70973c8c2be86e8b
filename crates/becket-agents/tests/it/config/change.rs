//! File edits of `becket hooks`: they change only what was requested.

use becket_agents::config::change::{self, SwitchResult};
use becket_agents::config::{self, ConfigFile};
use becket_model::{HookSpec, Layer, Level};

type Read = fn(&ConfigFile<'_>) -> Layer;

fn hooks(read: Read, path: &str, text: &str) -> Vec<HookSpec> {
    let file = ConfigFile {
        path: path.as_ref(),
        level: Level::User,
        text,
        root: None,
    };
    read(&file).hooks
}

/// A file of every dialect with a switch, and its text with the second hook disabled.
const SWITCHED: [(Read, &str, &str, &str); 6] = [
    (
        config::becket,
        "/w/becket.toml",
        "# top\n[[hook]] # one\nevent = \"Stop\"\ncommand = \"a\"\n\n[[hook]]\nevent = \"Stop\" # two\ncommand = \"b\"\n\n[settings]\nrecord = true\n",
        "# top\n[[hook]] # one\nevent = \"Stop\"\ncommand = \"a\"\n\n[[hook]]\nevent = \"Stop\" # two\ncommand = \"b\"\nenabled = false\n\n[settings]\nrecord = true\n",
    ),
    (
        config::autohand,
        "/h/.autohand/config.json",
        "{\n\t// mine\n\t\"hooks\": {\"hooks\": [\n\t\t{\"event\": \"stop\", \"command\": \"a\"},\n\t\t{\"event\": \"stop\", \"command\": \"b\"}, // two\n\t]}\n}\n",
        "{\n\t// mine\n\t\"hooks\": {\"hooks\": [\n\t\t{\"event\": \"stop\", \"command\": \"a\"},\n\t\t{\"event\": \"stop\", \"command\": \"b\", \"enabled\": false}, // two\n\t]}\n}\n",
    ),
    (
        config::autohand,
        "/h/.autohand/config.toml",
        "[[hooks.hooks]]\nevent = 'stop'\ncommand = 'a'\n[[hooks.hooks]]\nevent = 'stop'\ncommand = 'b'",
        "[[hooks.hooks]]\nevent = 'stop'\ncommand = 'a'\n[[hooks.hooks]]\nevent = 'stop'\ncommand = 'b'\nenabled = false",
    ),
    (
        config::code_agent,
        "/w/.code-agent/hooks/hooks.json",
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}"#,
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b", "disabled": true}]}]}"#,
    ),
    (
        config::settings,
        "/h/.claude/settings.json",
        r#"{"hooks": {"stop": {"a": "a", "my b": {"command": "b"}}}}"#,
        r#"{"hooks": {"stop": {"a": "a", "my b": {"command": "b", "enabled": false}}}}"#,
    ),
    (
        config::gemini,
        "/h/.gemini/settings.json",
        r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b", "name": "B"}]}]}}"#,
        r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b", "name": "B"}]}]}, "hooksConfig": {"disabled": ["B"]}}"#,
    ),
];

fn switch(hook: &HookSpec, text: &str, on: bool) -> String {
    match change::switch(hook, text, on) {
        Ok(SwitchResult::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn switch_uses_the_dialects_own_key_and_changes_nothing_else() {
    for (read, path, before, after) in SWITCHED {
        let hook = &hooks(read, path, before)[1];
        assert_eq!(
            switch(hook, before, true),
            before,
            "{path}: it is on already"
        );
        assert_eq!(switch(hook, before, false), after, "{path}");
        let off = hooks(read, path, after);
        assert_eq!((off[0].enabled, off[1].enabled), (true, false), "{path}");
        let again = switch(&off[1], after, true);
        assert!(
            hooks(read, path, &again).iter().all(|hook| hook.enabled),
            "{path}"
        );
    }
}

#[test]
fn dialects_without_a_switch_return_unsupported() {
    let nested = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let plain = r#"{"hooks": {"stop": {"a": "a"}}}"#;
    let yaml = "hooks:\n  hooks:\n    - event: stop\n      command: a\n";
    for (read, path, text) in [
        (config::settings as Read, "/h/.claude/settings.json", nested),
        (config::settings, "/h/.claude/settings.json", plain),
        (config::codex, "/h/.codex/hooks.json", nested),
        (config::autohand, "/h/.autohand/config.yaml", yaml),
    ] {
        let hook = &hooks(read, path, text)[0];
        assert_eq!(
            change::switch(hook, text, false),
            Ok(SwitchResult::Unsupported),
            "{path}"
        );
    }
}

#[test]
fn remove_works_in_every_editable_file() {
    for (read, path, before, _) in SWITCHED {
        let hook = &hooks(read, path, before)[0];
        let after = change::remove(hook, before).expect(path);
        let left = hooks(read, path, &after);
        assert_eq!(left.len(), 1, "{path}: {after}");
        assert_eq!(left[0].action.summary(), "b", "{path}");
    }
    let yaml = "hooks:\n  hooks:\n    - event: stop\n      command: a\n";
    let hook = &hooks(config::autohand, "/h/.autohand/config.yaml", yaml)[0];
    let error = change::remove(hook, yaml).expect_err("YAML").to_string();
    assert!(error.contains("`hooks.hooks[0]` on line 3"), "{error}");
    let inline = "hook = [{ event = 'Stop', command = 'a' }]\n";
    let hook = &hooks(config::becket, "/w/becket.toml", inline)[0];
    assert!(change::remove(hook, inline).is_err());
}

#[test]
fn concurrently_changed_file_is_left_alone() {
    let (read, path, before, _) = SWITCHED[1];
    let hook = &hooks(read, path, before)[1];
    let error = change::remove(hook, "{}").expect_err("gone").to_string();
    assert_eq!(error, "`hooks.hooks[1]` is no longer in the file");
}

#[test]
fn switch_all_on_restores_the_original_text() {
    for before in [
        "",
        "# mine\n",
        "[[hook]]\nevent = 'Stop'\ncommand = 'a'\n",
        "a = 1",
    ] {
        let off = change::switch_all(before, false).expect("off");
        assert!(off.contains("[hooks]\nenabled = false"), "{off}");
        assert_eq!(change::switch_all(&off, false).as_deref(), Ok(&*off));
        assert_eq!(change::switch_all(&off, true).as_deref(), Ok(before));
        assert_eq!(change::switch_all(before, true).as_deref(), Ok(before));
    }
    let kept = "[hooks]\nenabled = false # while I debug\n";
    assert_eq!(
        change::switch_all(kept, true).as_deref(),
        Ok("[hooks]\nenabled = true # while I debug\n")
    );
}

#[test]
fn disabled_list_entry_is_added_and_removed_without_a_trace() {
    for before in [
        "",
        "# mine\n\n[settings]\nrecord = true\n",
        "[hooks]\nenabled = true\n",
    ] {
        let one = change::list_disabled(before, "a@~/f#1", true).expect("listed");
        let two = change::list_disabled(&one, "b@~/f#2", true).expect("listed");
        assert!(
            two.contains("disabled = [\"a@~/f#1\", \"b@~/f#2\"]"),
            "{two}"
        );
        let fewer = change::list_disabled(&two, "b@~/f#2", false).expect("unlisted");
        assert_eq!(fewer, one);
        assert_eq!(
            change::list_disabled(&fewer, "a@~/f#1", false).as_deref(),
            Ok(before)
        );
    }
}

#[test]
fn a_hook_is_added_behind_everything_else() {
    let block = "[[hook]]\nevent = \"Stop\"\ncommand = \"b\"";
    let before = "[settings]\r\nrecord = true # yes\r\n";
    assert_eq!(
        change::add(before, block).as_deref(),
        Ok(
            "[settings]\r\nrecord = true # yes\r\n\r\n[[hook]]\r\nevent = \"Stop\"\r\ncommand = \"b\"\r\n"
        )
    );
    let error = change::add("hook = []\n", block)
        .expect_err("an array")
        .to_string();
    assert!(error.contains("`hook` at line 1"), "{error}");
}

#[test]
fn an_option_is_set_where_the_others_are() {
    let set = |text: &str| {
        let hook = hooks(config::becket, "/w/becket.toml", text).remove(0);
        change::set_option(&hook, text, "preset", "\"strict\"").expect("set")
    };
    let head = "[[hook]]\nevent = 'PreToolUse'\nuse = 'security-guard'\n";
    assert_eq!(
        set(head),
        format!("{head}options = {{ preset = \"strict\" }}\n")
    );
    let inline = format!("{head}options = {{ a = 1 }} # why\n");
    assert_eq!(
        set(&inline),
        format!("{head}options = {{ a = 1, preset = \"strict\" }} # why\n")
    );
    let below = format!("{head}[hook.options]\npreset = 'lax'\n");
    assert_eq!(
        set(&below),
        format!("{head}[hook.options]\npreset = \"strict\"\n")
    );
}

#[test]
fn an_item_is_added_to_an_option_and_remarks_stay() {
    let add = |text: &str| {
        let hook = hooks(config::becket, "/w/becket.toml", text).remove(0);
        change::add_to_option(&hook, text, "allow", "{ a = 2 }")
    };
    let head = "[[hook]]\nevent = 'PreToolUse'\nuse = 'security-guard'\n";
    for (before, after) in [
        ("", "options = { allow = [{ a = 2 }] }\n"),
        (
            "options = { b = 1 } # why\n",
            "options = { b = 1, allow = [{ a = 2 }] } # why\n",
        ),
        (
            "[hook.options]\nallow = []\n",
            "[hook.options]\nallow = [{ a = 2 }]\n",
        ),
        (
            "[hook.options]\nallow = [{ a = 1 }]\n",
            "[hook.options]\nallow = [{ a = 1 }, { a = 2 }]\n",
        ),
        (
            "[hook.options]\nallow = [\n  # first\n  { a = 1 }, # one\n]\n",
            "[hook.options]\nallow = [\n  # first\n  { a = 1 }, # one\n  { a = 2 },\n]\n",
        ),
    ] {
        let text = format!("{head}{before}");
        assert_eq!(add(&text).expect("added"), format!("{head}{after}"));
    }
    let tables = format!("{head}[[hook.options.allow]]\na = 1\n");
    let error = add(&tables).expect_err("no list").to_string();
    assert!(
        error.contains("`allow`") && error.contains("line 4"),
        "{error}"
    );
}

#[test]
fn settings_are_set_and_removed_without_other_changes() {
    let set = |text: &str, value: Option<&str>| change::setting(text, "keep", value);
    let keep = Some("\"90d\"");
    for (before, value, after) in [
        ("", keep, "[settings]\nkeep = \"90d\"\n"),
        ("", None, ""),
        (
            "[settings]\nport = 1 # a\n",
            keep,
            "[settings]\nport = 1 # a\nkeep = \"90d\"\n",
        ),
        (
            "[settings]\nkeep = '1d' # b\n",
            keep,
            "[settings]\nkeep = \"90d\" # b\n",
        ),
        (
            "[settings]\nkeep = '1d'\nport = 1\n",
            None,
            "[settings]\nport = 1\n",
        ),
        (
            "settings = { port = 1 }\n",
            keep,
            "settings = { port = 1, keep = \"90d\" }\n",
        ),
    ] {
        assert_eq!(set(before, value).expect("set"), after, "{before:?}");
    }
    let inline = "settings = { keep = '1d', port = 1 }\n";
    let error = set(inline, None).expect_err("by hand").to_string();
    assert!(error.contains("keep"), "{error}");
}

#[test]
fn list_setting_keeps_common_items_in_place() {
    let list = |text: &str, wanted: &[&str]| {
        let wanted: Vec<String> = wanted.iter().map(|one| (*one).to_owned()).collect();
        change::list_setting(text, "redact", &wanted).expect("listed")
    };
    assert_eq!(list("", &[]), "");
    assert_eq!(
        list("", &["a", "b"]),
        "[settings]\nredact = [\"a\", \"b\"]\n"
    );
    let before = "[settings]\nredact = [\n  'a', # one\n  'b',\n]\n";
    assert_eq!(
        list(before, &["a", "c"]),
        "[settings]\nredact = [\n  'a', # one\n  \"c\",\n]\n"
    );
    assert_eq!(list(before, &["a", "b"]), before);
}
