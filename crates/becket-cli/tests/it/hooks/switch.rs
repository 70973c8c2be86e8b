//! Enabling and disabling, one hook and all hooks.

use serde_json::json;

use super::{CONFIG, config, context, done, refused};
use crate::context::Context;

fn claude_settings(context: &Context) -> String {
    let text = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
        { "type": "command", "command": "echo first >&2; exit 2" },
        { "type": "command", "command": "echo second >&2; exit 2" },
    ] }] } })
    .to_string();
    context.write("home/.claude/settings.json", &text);
    text
}

/// Becket's decision for an agent that does not run Claude's files itself.
fn reason(context: &Context) -> String {
    let payload = json!({ "session_id": "s", "cwd": context.project(), "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": { "command": "ls" } });
    let answer = context.run_with(
        &["hook", "BeforeTool", "--agent", "gemini"],
        payload.to_string().as_bytes(),
    );
    answer.json()["reason"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn switching_a_hook_changes_only_its_entry() {
    let context = context();
    let off = done(&context, &["hooks", "disable", "no-force-push"]);
    assert!(
        off.stdout.contains("Disabled `no-force-push`"),
        "{}",
        off.stdout
    );
    let command = "command = \"echo 'use --force-with-lease' >&2; exit 2\"\n";
    let expected = CONFIG.replace(command, &format!("{command}enabled = false\n"));
    assert_eq!(config(&context), expected);
    assert_eq!(context.bash("git push --force").stdout, "");
    let again = done(&context, &["hooks", "disable", "no-force-push", "--json"]).json();
    assert_eq!(
        (&again["changed"], &again["status"]),
        (&json!(false), &json!("disabled"))
    );
    done(&context, &["hooks", "enable", "no-force-push"]);
    assert_eq!(
        config(&context),
        expected.replace("enabled = false", "enabled = true")
    );
    assert_eq!(
        context.bash("git push --force").reason(),
        "use --force-with-lease"
    );
}

#[test]
fn a_built_in_is_added_by_enabling_it() {
    let context = Context::new();
    let on = done(
        &context,
        &[
            "hooks",
            "enable",
            "security-guard",
            "--option",
            "preset=strict",
        ],
    );
    assert!(
        on.stdout.contains("Enabled `security-guard`"),
        "{}",
        on.stdout
    );
    let shown = done(&context, &["hooks", "show", "security-guard", "--json"]).json();
    assert_eq!(shown["hooks"][0]["level"], "user");
    let action = &shown["hooks"][0]["definition"]["action"];
    assert_eq!(
        *action,
        json!({ "use": "security-guard", "options": { "preset": "strict" } })
    );
    // Already enabled: only the option changes.
    done(
        &context,
        &[
            "hooks",
            "enable",
            "security-guard",
            "--option",
            "preset=permissive",
            "--option",
            "off=[\"git\"]",
        ],
    );
    assert!(
        config(&context).contains("options = { preset = \"permissive\", off = [\"git\"] }"),
        "{}",
        config(&context)
    );
    assert_eq!(config(&context).matches("[[hook]]").count(), 1);
    done(&context, &["hooks", "disable", "security-guard"]);
    assert!(config(&context).contains("enabled = false"));
    done(&context, &["hooks", "enable", "log", "--level", "project"]);
    assert!(context.read("app/becket.toml").contains("use = \"log\""));
}

#[test]
fn a_built_in_under_another_name_is_found_by_what_it_uses() {
    let context = Context::new();
    done(
        &context,
        &[
            "hooks",
            "add",
            "my-guard",
            "--use",
            "security-guard",
            "--disabled",
        ],
    );
    done(&context, &["hooks", "enable", "security-guard"]);
    assert_eq!(config(&context).matches("[[hook]]").count(), 1);
    assert!(config(&context).contains("enabled = true"));
}

#[test]
fn formats_with_a_switch_are_edited_in_place() {
    let context = Context::new();
    let text = "{\n  \"hooks\": {\n    \"enabled\": true, // all\n    \"hooks\": [\n      { \"event\": \"stop\", \"command\": \"true\" }\n    ]\n  }\n}\n";
    context.write("home/.autohand/config.json", text);
    done(&context, &["hooks", "disable", "hooks[0]"]);
    let off = context.read("home/.autohand/config.json");
    assert_eq!(
        off,
        text.replace("\"true\" }", "\"true\", \"enabled\": false }")
    );
    assert_eq!(config(&context), "");
    done(&context, &["hooks", "enable", "hooks[0]"]);
    let on = context.read("home/.autohand/config.json");
    assert_eq!(on, off.replace("false", "true"));
    // Becket does not change the switch for all of Autohand's hooks.
    context.write(
        "home/.autohand/config.json",
        text.replace("true, //", "false, //"),
    );
    let said = refused(&context, &["hooks", "enable", "hooks[0]"]);
    assert!(
        said.contains("its file turns it off") && said.contains("config.json:5"),
        "{said}"
    );
}

#[test]
fn formats_without_a_switch_use_the_disabled_list() {
    let context = context();
    let text = claude_settings(&context);
    assert_eq!(reason(&context), "first");
    let off = done(&context, &["hooks", "disable", "PreToolUse[0].hooks[0]"]);
    assert!(
        off.stderr.contains("Claude Code still runs its own file"),
        "{}",
        off.stderr
    );
    assert_eq!(context.read("home/.claude/settings.json"), text);
    let entry = config(&context);
    let entry = entry.strip_prefix(CONFIG).expect("what was there stays");
    assert!(
        entry.starts_with(
            "\n[hooks]\ndisabled = [\"PreToolUse[0].hooks[0]@~/.claude/settings.json#"
        ),
        "{entry}"
    );
    assert_eq!(reason(&context), "second");
    let listed = done(&context, &["hooks", "list"]).stdout;
    assert!(listed.contains("[disabled] echo first"), "{listed}");
    done(&context, &["hooks", "enable", "PreToolUse[0].hooks[0]"]);
    assert_eq!(config(&context), CONFIG);
    assert_eq!(reason(&context), "first");
}

#[test]
fn disabled_list_does_not_match_a_replacement_hook() {
    let context = Context::new();
    let text = claude_settings(&context);
    done(&context, &["hooks", "disable", "PreToolUse[0].hooks[0]"]);
    // A hook that moves stays disabled at its new position.
    let (first, second) = ("echo first >&2; exit 2", "echo second >&2; exit 2");
    let moved = text
        .replace(first, "X")
        .replace(second, first)
        .replace('X', second);
    context.write("home/.claude/settings.json", moved);
    assert_eq!(reason(&context), "second");
    // A hook that changes is a different hook; the stale entry is reported.
    context.write(
        "home/.claude/settings.json",
        text.replace("echo first", "echo third"),
    );
    assert_eq!(reason(&context), "third");
    let told = done(&context, &["hooks", "list"]).stdout;
    assert!(told.contains("matches no hook"), "{told}");
}

#[test]
fn a_hook_can_be_listed_by_hand_with_name_and_file() {
    let context = Context::new();
    context.config("[hooks]\ndisabled = [\"x@~/.claude/settings.json\"]\n");
    context.write(
        "home/.claude/settings.json",
        json!({ "hooks": { "preToolUse": { "x": "echo x >&2; exit 2" } } }).to_string(),
    );
    assert_eq!(reason(&context), "");
    done(&context, &["hooks", "enable", "x"]);
    assert_eq!(config(&context), "");
}

#[test]
fn off_and_on_keep_the_state_of_each_hook() {
    let context = context();
    done(&context, &["hooks", "disable", "two"]);
    let before = config(&context);
    let off = done(&context, &["hooks", "off", "--json"]).json();
    assert_eq!(
        (&off["changed"], &off["mode"]),
        (&json!(true), &json!("disabled"))
    );
    assert_eq!(context.bash("git push --force").stdout, "");
    let listed = done(&context, &["hooks", "list"]).stdout;
    assert!(
        listed.contains("Mode: disabled") && listed.contains("[enabled] echo"),
        "{listed}"
    );
    assert!(
        context
            .run(&["doctor"])
            .stdout
            .contains("all hooks are switched off")
    );
    let start = context
        .fire("SessionStart", json!({ "source": "startup" }))
        .json();
    assert!(
        start["systemMessage"]
            .as_str()
            .is_some_and(|text| text.contains("becket hooks on")),
        "{start}"
    );
    let enabled = done(&context, &["hooks", "enable", "two"]);
    assert!(
        enabled.stderr.contains("becket hooks on"),
        "{}",
        enabled.stderr
    );
    done(&context, &["hooks", "disable", "two"]);
    done(&context, &["hooks", "on"]);
    assert_eq!(config(&context), before);
    assert_eq!(
        context.bash("git push --force").reason(),
        "use --force-with-lease"
    );
    assert!(done(&context, &["hooks", "on"]).stdout.contains("already"));
}

#[test]
fn project_cannot_disable_the_users_hooks() {
    let context = context();
    context.write(
        "app/becket.toml",
        "[hooks]\nenabled = false\ndisabled = [\"no-force-push@~/.becket/config.toml\"]\n",
    );
    assert_eq!(
        context.bash("git push --force").reason(),
        "use --force-with-lease"
    );
    let told = done(&context, &["hooks", "list"]).stdout;
    assert!(
        told.contains("becket.toml") && told.contains("no effect"),
        "{told}"
    );
    assert!(told.contains("Mode: enabled"), "{told}");
}

#[test]
fn switching_a_project_hook_keeps_its_trust() {
    let context = Context::new();
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"p\"\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n",
    );
    done(&context, &["trust", "--yes"]);
    done(&context, &["hooks", "disable", "p"]);
    assert_eq!(context.bash("ls").stdout, "");
    assert_eq!(done(&context, &["hooks", "enable", "p"]).stderr, "");
    assert_eq!(context.bash("ls").reason(), "no");
}
