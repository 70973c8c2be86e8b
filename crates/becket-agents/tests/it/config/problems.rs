//! Problems are reported with line and key, and affect only their own entry.

use becket_agents::config::{becket, code_agent, plugin, settings};
use becket_model::OnFailure;

use super::{load, problem_lines};

#[test]
fn a_syntax_error_is_one_problem_with_its_line() {
    for (text, line) in [
        ("{\n\"hooks\": {\n\"Stop\": [}\n", 3),
        ("{\"hooks\": {\"Stop\": []}", 1),
        ("{\n'hooks': {}}", 2),
        ("{\"hooks\": NaN}", 1),
        ("nonsense", 1),
        ("{} {}", 1),
    ] {
        for reader in [settings, plugin, code_agent] {
            let layer = load(reader, text);
            assert_eq!(layer.hooks, [], "{text}");
            assert_eq!(layer.problems.len(), 1, "{text}");
            assert!(
                problem_lines(&layer)[0].starts_with(&format!("E {line} : not valid JSON: ")),
                "{text}: {:?}",
                problem_lines(&layer)
            );
        }
    }
    let layer = load(becket, "[[hook]]\nevent = \"Stop\"\ncommand = \n");
    assert_eq!(layer.hooks, []);
    assert_eq!(layer.problems.len(), 1);
    assert!(
        problem_lines(&layer)[0].starts_with("E 3 : not valid TOML: "),
        "{:?}",
        problem_lines(&layer)
    );
    let layer = load(becket, "[[hook]]\nname = \"a\"\nname = \"b\"\n");
    assert!(
        problem_lines(&layer)[0].starts_with("E 3 : not valid TOML: duplicate key"),
        "{:?}",
        problem_lines(&layer)
    );
}

#[test]
fn a_file_that_is_no_object_is_an_error() {
    for text in ["[]", "1", "\"hooks\"", "null", "true"] {
        let layer = load(settings, text);
        assert_eq!(layer.problems.len(), 1, "{text}");
        assert!(
            problem_lines(&layer)[0].starts_with("E 1 : expected an object, found"),
            "{text}"
        );
    }
}

/// A hook on line 5 of a settings file, its fields from line 6 on.
fn in_settings(fields: &str) -> String {
    format!(
        "{{\n\"hooks\": {{\n\"PreToolUse\": [{{\n\"hooks\": [\n{{\n{fields}\n}},\n{{\"type\": \"command\", \"command\": \"good\"}}]}}]}}}}"
    )
}

#[test]
fn every_error_is_reported_with_its_key_and_breaks_only_its_hook() {
    let at = "hooks.PreToolUse[0].hooks[0]";
    for (fields, expected) in [
        ("\"type\": \"command\"", "E 5 @: missing `command`"),
        (
            "\"type\": \"command\",\n\"command\": \" \"",
            "E 7 @.command: is empty",
        ),
        (
            "\"type\": \"command\",\n\"command\": 5",
            "E 7 @.command: expected a string, found a number",
        ),
        (
            "\"type\": \"comand\",\n\"command\": \"x\"",
            "E 6 @.type: unknown hook type `comand`",
        ),
        (
            "\"type\": 5",
            "E 6 @.type: expected a string, found a number",
        ),
        ("\"prompt\": \"x\"", "E 5 @: missing `type`"),
        ("\"type\": \"http\"", "E 5 @: missing `url`"),
        (
            "\"type\": \"http\", \"url\": \"u\",\n\"headers\": []",
            "E 7 @.headers: expected an object of strings, found an array",
        ),
        (
            "\"type\": \"http\", \"url\": \"u\", \"headers\": {\n\"a\": 1}",
            "E 7 @.headers.a: expected a string, found a number",
        ),
        (
            "\"type\": \"http\", \"url\": \"u\",\n\"allowedEnvVars\": [1]",
            "E 7 @.allowedEnvVars: expected an array of strings, but one element has another type",
        ),
        ("\"type\": \"agent\"", "E 5 @: missing `prompt`"),
        (
            "\"type\": \"mcp_tool\", \"tool\": \"t\"",
            "E 5 @: missing `server`",
        ),
        (
            "\"type\": \"mcp_tool\", \"tool\": \"t\", \"server\": \"s\",\n\"input\": 1",
            "E 7 @.input: expected an object, found a number",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"args\": \"a\"",
            "E 7 @.args: expected an array of strings, found a string",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": 0",
            "E 7 @.timeout: is not a duration greater than 0",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": -5",
            "E 7 @.timeout: is not a duration greater than 0",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": 1e-300",
            "E 7 @.timeout: is not a duration greater than 0",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": \"soon\"",
            "E 7 @.timeout: is not a duration greater than 0",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": \"NaN\"",
            "E 7 @.timeout: is not a duration greater than 0",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": 1e999",
            "E 7 @.timeout: expected a number or a duration such as \"30s\", found a non-finite number",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timeout\": true",
            "E 7 @.timeout: expected a number or a duration such as \"30s\", found a boolean",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"async\": \"yes\"",
            "E 7 @.async: expected true or false, found a string",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"once\": 1",
            "E 7 @.once: expected true or false, found a number",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"if\": \"Bash(\"",
            "E 7 @.if: is not a tool name or a tool with a pattern",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"onFailure\": \"panic\"",
            "E 7 @.onFailure: unknown failure policy",
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"dialect\": \"klingon\"",
            "E 7 @.dialect: unknown dialect `klingon`",
        ),
    ] {
        let layer = load(settings, &in_settings(fields));
        assert_eq!(
            problem_lines(&layer),
            [expected.replace('@', at)],
            "{fields}"
        );
        assert_eq!(layer.hooks.len(), 1, "{fields}: the good one loads");
        assert_eq!(layer.broken.len(), 1, "{fields}");
        assert_eq!(layer.broken[0].source.key, at);
        assert_eq!(layer.broken[0].on_failure, OnFailure::Allow);
        assert!(!layer.broken[0].message.is_empty(), "{fields}");
    }
}

#[test]
fn all_errors_of_a_hook_are_reported() {
    let layer = load(
        settings,
        &in_settings(
            "\"type\": \"command\",\n\"timeout\": 0,\n\"async\": 1,\n\"onFailure\": \"block\"",
        ),
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "E 5 hooks.PreToolUse[0].hooks[0]: missing `command`",
            "E 7 hooks.PreToolUse[0].hooks[0].timeout: is not a duration greater than 0",
            "E 8 hooks.PreToolUse[0].hooks[0].async: expected true or false, found a number",
        ]
    );
    assert_eq!(
        layer.broken[0].on_failure,
        OnFailure::Deny,
        "what it said of its failure still holds"
    );
}

#[test]
fn warnings_leave_the_hook_running() {
    let at = "hooks.PreToolUse[0].hooks[0]";
    for (fields, expected, hint) in [
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"timout\": 5",
            "W 7 @.timout: unknown key",
            Some("did you mean `timeout`?"),
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"colour\": 5",
            "W 7 @.colour: unknown key",
            None,
        ),
        (
            "\"type\": \"command\", \"command\": \"x\",\n\"shell\": \"powershell\"",
            "W 7 @.shell: the shell `powershell` is not supported here",
            Some("the command runs in `sh`"),
        ),
        (
            "\"command\": \"x\"",
            "W 5 @: missing `type`; treated as `command`",
            Some("add \"type\": \"command\""),
        ),
        (
            "\"type\": \"command\",\n\"command\": \"echo '$TOOL_NAME'\"",
            "W 7 @.command: `$TOOL_NAME` is in single quotes, so the shell does not expand it",
            Some("use double quotes"),
        ),
    ] {
        let layer = load(settings, &in_settings(fields));
        assert_eq!(
            problem_lines(&layer),
            [expected.replace('@', at)],
            "{fields}"
        );
        assert_eq!(layer.problems[0].hint.as_deref(), hint, "{fields}");
        assert_eq!(layer.hooks.len(), 2, "{fields}");
        assert_eq!(layer.broken, []);
    }
}

#[test]
fn ineffective_matcher_is_reported_once_per_group() {
    let group = |event: &str, matcher: &str| {
        let text = format!(
            "{{\"hooks\": {{\"{event}\": [{{\n\"matcher\": \"{matcher}\", \"hooks\": [{{\"type\": \"command\", \"command\": \"a\"}}, {{\"type\": \"command\", \"command\": \"b\"}}]}}]}}}}"
        );
        let layer = load(settings, &text);
        assert_eq!(layer.hooks.len(), 2);
        problem_lines(&layer)
    };
    for event in ["UserPromptSubmit", "Stop", "TaskCreated"] {
        assert_eq!(
            group(event, "Bash"),
            [format!(
                "W 2 hooks.{event}[0].matcher: has no effect on `{event}`, which has nothing to match: the hook always runs"
            )]
        );
        for all in ["", "*", ".*"] {
            assert_eq!(group(event, all), [""; 0], "{event} {all:?}");
        }
    }
    for event in [
        "PreToolUse",
        "SessionStart",
        "SessionEnd",
        "Notification",
        "SubagentStop",
        "PreCompact",
        "Setup",
    ] {
        assert_eq!(group(event, "x"), [""; 0], "{event}");
    }
    // claude-agent's matchers apply to tools only.
    let layer = load(
        settings,
        r#"{"hooks": {"sessionStart": [{"command": "x", "matcher": "Bash"}]}}"#,
    );
    assert_eq!(layer.problems.len(), 1);
    assert_eq!(layer.hooks.len(), 1);
}

#[test]
fn condition_without_a_tool_is_reported() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "if": "Bash(git *)"}]}]}}"#;
    assert_eq!(
        problem_lines(&load(settings, text)),
        ["W 1 hooks.Stop[0].hooks[0].if: `Stop` is not a tool event: the hook never runs"]
    );
}

#[test]
fn bad_group_breaks_its_hooks_and_is_reported_once() {
    let layer = load(
        settings,
        "{\"hooks\": {\"PreToolUse\": [\n{\"matcher\": \"(\", \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}, {\"type\": \"command\", \"command\": \"b\", \"onFailure\": \"block\"}]},\n{\"hooks\": {}},\n{\"hooks\": [\"x\", 5]},\n{\"hooks\": [{\"type\": \"command\", \"command\": \"good\"}]}]}}",
    );
    assert_eq!(layer.hooks.len(), 1);
    let problem_lines = problem_lines(&layer);
    assert_eq!(problem_lines.len(), 4, "{problem_lines:?}");
    assert!(
        problem_lines[0]
            .starts_with("E 2 hooks.PreToolUse[0].matcher: matcher `(` is not a valid regex")
    );
    assert_eq!(
        problem_lines[1..],
        [
            "E 3 hooks.PreToolUse[1].hooks: expected an array of hooks, found an object",
            "E 4 hooks.PreToolUse[2].hooks[0]: expected a hook, found a string",
            "E 4 hooks.PreToolUse[2].hooks[1]: expected a hook, found a number",
        ]
    );
    let policies: Vec<OnFailure> = layer
        .broken
        .iter()
        .map(|broken| broken.on_failure)
        .collect();
    assert_eq!(
        policies,
        [
            OnFailure::Allow,
            OnFailure::Deny,
            OnFailure::Allow,
            OnFailure::Allow,
            OnFailure::Allow
        ]
    );
}

#[test]
fn group_errors_apply_to_hooks_with_another_dialect() {
    let layer = load(
        code_agent,
        r#"{"PreToolUse": [{"hookType": "x", "hooks": [{"type": "command", "command": "a", "dialect": "claude"}]}]}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["E 1 PreToolUse[0].hookType: unknown kind `x`"]
    );
    assert_eq!((layer.hooks.len(), layer.broken.len()), (0, 1));
}

#[test]
fn an_unknown_dialect_breaks_everything_below_it() {
    for (text, key) in [
        (
            r#"{"dialect": "x", "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}, "b"]}}"#,
            "dialect",
        ),
        (
            r#"{"hooks": {"dialect": "x", "PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}, "b"]}}"#,
            "hooks.dialect",
        ),
        (
            r#"{"hooks": {"PreToolUse": [{"dialect": "x", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}"#,
            "hooks.PreToolUse[0].dialect",
        ),
        (
            r#"{"hooks": {"PreToolUse": {"dialect": "x", "a": "a", "b": {"command": "b"}}}}"#,
            "hooks.PreToolUse.dialect",
        ),
    ] {
        let layer = load(settings, text);
        assert_eq!(
            problem_lines(&layer),
            [format!("E 1 {key}: unknown dialect `x`")],
            "{text}"
        );
        assert_eq!(layer.hooks, [], "{text}");
        assert_eq!(layer.broken.len(), 2, "{text}");
    }
}

#[test]
fn duplicate_keys_are_reported_and_the_last_is_used() {
    let layer = load(
        settings,
        "{\"hooks\": {\"Stop\": [\"lost\"]},\n\"hooks\": {\n\"PreToolUse\": [\"lost\"],\n\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\",\n\"command\": \"lost\", \"command\": \"kept\"}]}]}}",
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "E 1 hooks: duplicate key; the last one is used",
            "E 3 hooks.PreToolUse: duplicate key; the last one is used",
            "E 5 hooks.PreToolUse[0].hooks[0].command: duplicate key; the last one is used",
        ]
    );
    assert_eq!(layer.hooks.len(), 1);
    assert_eq!(layer.hooks[0].action.summary(), "kept");
    let many: Vec<String> = (0..40)
        .map(|n| format!("\"n{}\": \"c{n}\"", n % 20))
        .collect();
    let layer = load(
        settings,
        &format!("{{\"hooks\": {{\"Stop\": {{{}}}}}}}", many.join(",")),
    );
    assert_eq!(layer.hooks.len(), 20);
    assert_eq!(layer.problems.len(), 20);
    assert_eq!(layer.hooks[0].action.summary(), "c20");
}

#[test]
fn duplicate_in_a_group_is_reported_once_in_every_dialect() {
    let text = r#"{"PreToolUse": [{"matcher": "a", "matcher": "b", "hooks": [{"type": "command", "command": "x"}]}]}"#;
    for reader in [plugin, code_agent] {
        let layer = load(reader, text);
        assert_eq!(
            problem_lines(&layer),
            ["E 1 PreToolUse[0].matcher: duplicate key; the last one is used"]
        );
        assert_eq!(layer.hooks[0].matcher.pattern(), "b");
    }
}

#[test]
fn keys_with_odd_characters_are_quoted_in_messages() {
    let layer = load(
        settings,
        r#"{"hooks": {"preToolUse": {"my hook.v2": {"timeout_secs": 5}}}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        [r#"E 1 hooks.preToolUse."my hook.v2": missing `command`"#]
    );
    assert_eq!(layer.broken[0].name, "my hook.v2");
}
