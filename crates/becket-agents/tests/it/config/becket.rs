//! Becket's own files, and their schema.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::{BecketSettings, ConfigFile, becket, becket_settings, schema};
use becket_model::{Action, Dialect, EventKind, Filter, Level, OnFailure};
use serde_json::{Map, Value, json};

use super::{clean, command, load, only, problem_lines, seconds, shown};

#[test]
fn every_key_of_a_hook_is_read() {
    let hook = only(clean(
        becket,
        r#"
[[hook]]
name = "no-force-push"
event = "PreToolUse"          # any spelling
matcher = "Bash"              # exact name, a|b list, or regex
filter = { path = ["src/**/*.rs"], tool = ["Write", "Edit"] }
if = "Bash(git push*)"
command = "./scripts/check.sh"
timeout = "5s"
async = true
once = true
priority = 7
on_failure = "deny"
enabled = false
description = "why"
"#,
    ));
    assert_eq!(hook.name, "no-force-push");
    assert_eq!(hook.dialect, Dialect::Becket);
    assert_eq!(hook.event, EventKind::PreToolUse);
    assert!(hook.matcher.matches("Bash") && !hook.matcher.matches("BashOutput"));
    assert_eq!(
        hook.filter,
        Filter {
            tool: vec!["Write".into(), "Edit".into()],
            path: vec!["src/**/*.rs".into()],
        }
    );
    assert_eq!(
        hook.condition.map(|c| c.to_string()).as_deref(),
        Some("Bash(git push*)")
    );
    assert_eq!(hook.action, command("./scripts/check.sh"));
    assert_eq!(hook.timeout, seconds(5));
    assert!(hook.is_async && hook.once && !hook.enabled);
    assert_eq!(hook.priority, 7);
    assert_eq!(hook.on_failure, Some(OnFailure::Deny));
    assert_eq!(hook.description.as_deref(), Some("why"));
    assert_eq!((hook.source.line, hook.source.key.as_str()), (2, "hook[0]"));
}

#[test]
fn default_timeout_is_one_minute() {
    let hook = only(clean(
        becket,
        "[[hook]]\nevent = 'pre-tool'\ncommand = 'x'\n",
    ));
    assert_eq!(hook.timeout, seconds(60));
    assert_eq!(hook.name, "hook[0]");
    assert!(
        hook.enabled
            && !hook.is_async
            && !hook.once
            && hook.matcher.is_all()
            && hook.filter.is_empty()
    );
    assert_eq!(
        (hook.priority, hook.on_failure, hook.condition),
        (0, None, None)
    );
}

#[test]
fn several_events_make_a_hook_each() {
    let hooks = clean(
        becket,
        "[[hook]]\nevent = ['PreToolUse', 'post-tool', 'pre_tool_use']\ncommand = 'x'\n\n[[hook]]\nevent = 'stop'\ncommand = 'y'\n",
    );
    assert_eq!(
        shown(&hooks),
        [
            "1 PreToolUse [] command `x` 60s",
            "1 PostToolUse [] command `x` 60s",
            "5 Stop [] command `y` 60s",
        ]
    );
}

#[test]
fn hook_type_is_stated_or_inferred() {
    let http = Action::Http {
        url: "https://h".into(),
        headers: vec![("Z".into(), "1".into()), ("A".into(), "$T".into())],
        allowed_env: vec!["T".into()],
    };
    let agent = Action::Agent {
        prompt: "look".into(),
        agent: Some("reviewer".into()),
        model: Some("m".into()),
    };
    for (keys, action) in [
        ("command = 'x'", command("x")),
        (
            "command = '/bin/x'\nargs = ['a b']",
            Action::Command {
                command: "/bin/x".into(),
                args: Some(vec!["a b".into()]),
            },
        ),
        (
            "url = 'https://h'\nheaders = { Z = '1', A = '$T' }\nallowed_env = ['T']",
            http,
        ),
        (
            "prompt = 'ok?'",
            Action::Prompt {
                prompt: "ok?".into(),
                model: None,
            },
        ),
        ("agent = 'reviewer'\nprompt = 'look'\nmodel = 'm'", agent),
        (
            "type = 'agent'\nprompt = 'look'",
            Action::Agent {
                prompt: "look".into(),
                agent: None,
                model: None,
            },
        ),
        (
            "server = 's'\ntool = 't'\ninput = { a = [1, 2.5, true] }",
            Action::McpTool {
                server: "s".into(),
                tool: "t".into(),
                input: json!({ "a": [1, 2.5, true] }),
            },
        ),
        (
            "server = 's'\ntool = 't'\ninput = '{\"a\": null}'",
            Action::McpTool {
                server: "s".into(),
                tool: "t".into(),
                input: json!({ "a": null }),
            },
        ),
        (
            "use = 'security-guard'\n[hook.options]\nstrict = true",
            Action::Builtin {
                name: "security-guard".into(),
                options: json!({ "strict": true }),
            },
        ),
        (
            "type = 'builtin'\nuse = 'log'",
            Action::Builtin {
                name: "log".into(),
                options: json!({}),
            },
        ),
    ] {
        let hook = only(clean(
            becket,
            &format!("[[hook]]\nevent = 'PreToolUse'\n{keys}\n"),
        ));
        assert_eq!(hook.action, action, "{keys}");
    }
}

#[test]
fn deadlines_are_text_or_seconds() {
    for (written, expected) in [
        ("'500ms'", Duration::from_millis(500)),
        ("'2m'", seconds(120)),
        ("5", seconds(5)),
        ("5000", seconds(5000)),
        ("0x10", seconds(16)),
        ("0.25", Duration::from_millis(250)),
    ] {
        let hook = only(clean(
            becket,
            &format!("[[hook]]\nevent = 'Stop'\ncommand = 'x'\ntimeout = {written}\n"),
        ));
        assert_eq!(hook.timeout, expected, "{written}");
    }
}

#[test]
fn every_dialect_key_uses_its_own_event_names() {
    for dialect in Dialect::ALL {
        let text = format!(
            "[[hook]]\nevent = 'PreToolUse'\ncommand = 'x'\ndialect = '{}'\n",
            dialect.name()
        );
        let hook = only(clean(becket, &text));
        assert_eq!((hook.dialect, hook.event), (dialect, EventKind::PreToolUse));
        assert_eq!(hook.native_event, None, "{dialect:?}");
    }
    for (dialect, event, kinds, native) in [
        (
            "autohand",
            "post-tool",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure][..],
            None,
        ),
        (
            "gemini",
            "AfterTool",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure],
            None,
        ),
        (
            "cursor",
            "beforeShellExecution",
            &[EventKind::PreToolUse],
            Some("beforeShellExecution"),
        ),
        ("becket", "post-tool", &[EventKind::PostToolUse], None),
    ] {
        let text = format!("[[hook]]\nevent = '{event}'\ncommand = 'x'\ndialect = '{dialect}'\n");
        let hooks = clean(becket, &text);
        let found: Vec<_> = hooks.iter().map(|hook| hook.event.clone()).collect();
        assert_eq!(found, kinds, "{dialect} {event}");
        assert_eq!(
            hooks[0].native_event.as_deref(),
            native,
            "{dialect} {event}"
        );
    }
}

#[test]
fn native_event_must_be_a_name_of_the_dialect() {
    let hook = only(clean(
        becket,
        "[[hook]]\nevent = 'pre-tool'\nnative_event = 'PreToolUse'\ncommand = 'x'\ndialect = 'copilot'\nmatcher = 'Bash|Edit'\n",
    ));
    assert_eq!(hook.native_event.as_deref(), Some("PreToolUse"));
    assert!(hook.matcher.matches("Edit"));
    for (dialect, native) in [
        ("copilot", "Stop"),
        ("cursor", "PreToolUse"),
        ("becket", "PreToolUse"),
    ] {
        let text = format!(
            "[[hook]]\nevent = 'PreToolUse'\nnative_event = '{native}'\ncommand = 'x'\ndialect = '{dialect}'\n"
        );
        let layer = load(becket, &text);
        assert_eq!((layer.hooks.len(), layer.broken.len()), (0, 1), "{dialect}");
        assert!(problem_lines(&layer)[0].starts_with("E 3 hook[0].native_event: is not one of"));
    }
}

#[test]
fn a_hook_may_have_its_own_variables_directory_and_turn() {
    let hook = only(clean(
        becket,
        "[[hook]]\nevent = 'Stop'\ncommand = 'x'\nenv = { LEVEL = '2', A = '' }\ncwd = 'scripts'\nsequential = true\n",
    ));
    assert_eq!(
        hook.env,
        [
            ("LEVEL".to_owned(), "2".to_owned()),
            ("A".to_owned(), String::new())
        ]
    );
    assert_eq!(hook.cwd.as_deref(), Some(Path::new("scripts")));
    assert!(hook.sequential);
    let bad = load(
        becket,
        "[[hook]]\nevent = 'Stop'\ncommand = 'x'\nenv = { 'A=B' = '2' }\n",
    );
    assert_eq!(
        problem_lines(&bad),
        ["E 4 hook[0].env: \"A=B\" is not a valid variable name"]
    );
    assert_eq!(bad.broken.len(), 1);
}

#[test]
fn an_entry_may_keep_another_dialects_contract() {
    let hook = only(clean(
        becket,
        "[[hook]]\nevent = 'PreToolUse'\nmatcher = 'Edit'\ncommand = 'x'\ndialect = 'code-agent'\n",
    ));
    assert_eq!(hook.dialect, Dialect::CodeAgent);
    assert!(hook.matcher.matches("MultiEdit"));
    assert_eq!(hook.timeout, seconds(5));
}

#[test]
fn errors_are_reported_with_their_key() {
    for (text, expected) in [
        ("command = 'x'", "E 1 hook[0]: missing `event`"),
        ("event = 'Stop'", "E 1 hook[0]: hook has no action"),
        (
            "event = []\ncommand = 'x'",
            "E 2 hook[0].event: must name at least one event",
        ),
        (
            "event = 5\ncommand = 'x'",
            "E 2 hook[0].event: expected a string or an array of strings, found a number",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\nurl = 'y'",
            "E 1 hook[0]: has both `command` and `url`",
        ),
        (
            "event = 'Stop'\ncommand = ''",
            "E 3 hook[0].command: is empty",
        ),
        (
            "event = 'Stop'\ntype = 'pigeon'\ncommand = 'x'",
            "E 3 hook[0].type: unknown hook type `pigeon`",
        ),
        (
            "event = 'Stop'\ntype = 'http'",
            "E 1 hook[0]: missing `url`",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\ntimeout = 0",
            "E 4 hook[0].timeout: is not a duration greater than 0",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\ntimeout = nan",
            "E 4 hook[0].timeout: expected a number or a duration such as \"30s\", found a non-finite number",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\ntimeout = 1979-05-27",
            "E 4 hook[0].timeout: expected a number or a duration such as \"30s\", found a date",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\npriority = 1.5",
            "E 4 hook[0].priority: expected a 32-bit integer, found a number",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\npriority = 99999999999",
            "E 4 hook[0].priority: expected a 32-bit integer, found a number",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\non_failure = 'maybe'",
            "E 4 hook[0].on_failure: unknown failure policy",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\ndialect = 'x'",
            "E 4 hook[0].dialect: unknown dialect `x`",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\nfilter = 'y'",
            "E 4 hook[0].filter: expected a table, found a string",
        ),
        (
            "event = 'Stop'\ncommand = 'x'\nfilter = { tool = 1 }",
            "E 4 hook[0].filter.tool: expected a string or an array of strings, found a number",
        ),
        (
            "event = 'Stop'\ncommand = 'becket hook --agent claude'",
            "E 1 hook[0]: runs Becket from within Becket, which would never end; ignored",
        ),
        (
            "event = 'Stop'\nuse = 'log'\noptions = 'text'",
            "E 4 hook[0].options: expected an object or the JSON text of one",
        ),
    ] {
        let text = format!("[[hook]]\n{text}\n[[hook]]\nevent = 'Stop'\ncommand = 'good'\n");
        let layer = load(becket, &text);
        assert_eq!(problem_lines(&layer), [expected], "{text}");
        assert_eq!(layer.hooks.len(), 1, "{text}");
    }
}

#[test]
fn a_broken_entry_counts_for_each_of_its_events() {
    let layer = load(
        becket,
        "[[hook]]\nname = 'n'\nevent = ['PreToolUse', 'Stop']\nmatcher = '('\ncommand = 'x'\non_failure = 'ask'\n",
    );
    let broken: Vec<_> = layer
        .broken
        .iter()
        .map(|broken| (broken.name.as_str(), broken.event.name(), broken.on_failure))
        .collect();
    assert_eq!(
        broken,
        [
            ("n", "PreToolUse", OnFailure::Ask),
            ("n", "Stop", OnFailure::Ask)
        ]
    );
    assert!(
        layer.broken[0].message.contains("not a valid regex"),
        "{:?}",
        layer.broken[0]
    );
}

#[test]
fn unknown_keys_and_events_are_warnings() {
    let layer = load(
        becket,
        "colour = 1\n[[hooks]]\nx = 1\n[[hook]]\nevent = 'Stopp'\ncomand = 'y'\ncommand = 'x'\nurl = 'u'\ntype = 'command'\nfilter = { paths = 'a' }\n[settings]\nrecrod = true\n",
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "W 1 colour: unknown key",
            "W 6 hook[0].comand: unknown key",
            "W 5 hook[0].event: unknown event `Stopp`",
            "W 10 hook[0].filter.paths: unknown key",
            "W 8 hook[0].url: has no effect in a hook of type `command`",
            "W 12 settings.recrod: unknown key",
            "E 2 hooks: expected a table, found an array",
        ]
    );
    let hints: Vec<_> = layer
        .problems
        .iter()
        .map(|problem| problem.hint.as_deref())
        .collect();
    assert_eq!(
        hints,
        [
            None,
            Some("did you mean `command`?"),
            Some("did you mean `Stop`?"),
            Some("did you mean `path`?"),
            None,
            Some("did you mean `record`?"),
            Some("define hooks as `[[hook]]`"),
        ]
    );
    assert_eq!(only(layer.hooks).event, EventKind::Other("Stopp".into()));
}

#[test]
fn single_table_is_an_error_with_a_hint() {
    let layer = load(becket, "[hook]\nevent = 'Stop'\ncommand = 'x'\n");
    assert_eq!(
        problem_lines(&layer),
        ["E 1 hook: expected an array of tables, found an object"]
    );
    assert_eq!(layer.problems[0].hint.as_deref(), Some("write `[[hook]]`"));
}

#[test]
fn settings_are_read_from_the_same_file() {
    let read = |text: &str| {
        becket_settings(&ConfigFile {
            path: Path::new("/w/file"),
            level: Level::User,
            text,
            root: None,
        })
    };
    let text = "[settings]\nstop_retries = 3\nrecord = false\non_bad_payload = 'deny'\n";
    assert_eq!(
        read(text),
        BecketSettings {
            stop_retries: Some(3),
            record: Some(false),
            on_bad_payload: Some(becket_model::OnFailure::Deny),
            ..BecketSettings::default()
        }
    );
    assert_eq!(clean(becket, text), []);
    assert_eq!(read(""), BecketSettings::default());
    assert_eq!(read("not toml"), BecketSettings::default());
    let wrong = "[settings]\nstop_retries = -1\nrecord = 'yes'\n";
    assert_eq!(read(wrong), BecketSettings::default());
    assert_eq!(
        problem_lines(&load(becket, wrong)),
        [
            "E 2 settings.stop_retries: expected an integer of at least 0, found a number",
            "E 3 settings.record: expected true or false, found a string",
        ]
    );
}

/// The subset of JSON Schema that the schema uses.
fn admits(schema: &Value, value: &Value) -> bool {
    let kind = |name: &str| match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    let bound = |key: &str, holds: fn(f64, f64) -> bool| {
        let limit = schema[key].as_f64();
        limit
            .zip(value.as_f64())
            .is_none_or(|(limit, value)| holds(value, limit))
    };
    schema["type"].as_str().is_none_or(kind)
        && schema["anyOf"].as_array().is_none_or(|any| any.iter().any(|one| admits(one, value)))
        && schema["enum"].as_array().is_none_or(|words| words.contains(value))
        && bound("minimum", |value, limit| value >= limit)
        && bound("exclusiveMinimum", |value, limit| value > limit)
        // The two patterns are those of days and of durations.
        && schema["pattern"].is_null_or(|| {
            let text = value.as_str().unwrap_or_default();
            let in_days = schema["pattern"] == "^[0-9]+[dw]$";
            text.starts_with(|c: char| c.is_ascii_digit()) && (!in_days || text.ends_with(['d', 'w']))
        })
        && schema["contentMediaType"].is_null_or(|| {
            serde_json::from_str::<Map<String, Value>>(value.as_str().unwrap_or_default()).is_ok()
        })
        && value.as_array().is_none_or(|list| {
            schema["items"].is_null() || list.iter().all(|item| admits(&schema["items"], item))
        })
        && value.as_object().is_none_or(|map| map.iter().all(|(key, item)| property_admits(schema, key, item)))
}

fn property_admits(schema: &Value, key: &str, item: &Value) -> bool {
    match (&schema["properties"][key], &schema["additionalProperties"]) {
        (Value::Null, Value::Bool(free)) => *free,
        (Value::Null, Value::Null) => true,
        (Value::Null, other) => admits(other, item),
        (known, _) => admits(known, item),
    }
}

trait NullOr {
    fn is_null_or(&self, other: impl FnOnce() -> bool) -> bool;
}

impl NullOr for Value {
    fn is_null_or(&self, other: impl FnOnce() -> bool) -> bool {
        self.is_null() || other()
    }
}

/// The smallest hook in which a key is valid.
fn base(key: &str) -> Map<String, Value> {
    let base = match key {
        "url" | "headers" | "allowed_env" => json!({ "type": "http", "url": "u" }),
        "prompt" | "model" => json!({ "type": "prompt", "prompt": "p" }),
        "agent" => json!({ "type": "agent", "prompt": "p" }),
        "server" | "tool" | "input" => json!({ "type": "mcp_tool", "server": "s", "tool": "t" }),
        "use" | "options" => json!({ "type": "builtin", "use": "log" }),
        _ => json!({ "type": "command", "command": "x" }),
    };
    let mut base = base.as_object().expect("an object").clone();
    base.insert("event".into(), json!("PreToolUse"));
    base
}

#[test]
fn schema_and_reader_agree_on_every_key_and_type() {
    let schema = schema();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(
        schema["properties"]["hook"]["items"]["$ref"],
        "#/$defs/hook"
    );
    let samples = [
        json!("30s"),
        json!("PreToolUse"),
        json!("command"),
        json!("allow"),
        json!("claude"),
        json!("{\"a\": 1}"),
        json!(5),
        json!(-1),
        json!(1.5),
        json!(true),
        json!(["a"]),
        json!([1]),
        json!({ "a": "b" }),
        json!({ "a": 1 }),
        json!({ "path": "x" }),
        json!({ "tool": ["x"] }),
        json!({ "path": 1 }),
    ];
    let hook = &schema["$defs"]["hook"];
    for (key, property) in hook["properties"].as_object().expect("properties") {
        assert!(
            property["description"]
                .as_str()
                .is_some_and(|text| text.len() > 10),
            "{key} is explained"
        );
        for sample in &samples {
            let mut table = base(key);
            table.insert(key.clone(), sample.clone());
            // The sample must not be rejected because of another key.
            let text = format!("hook = [{}]", to_toml(&Value::Object(table)));
            let layer = load(becket, &text);
            let prefix = format!("hook[0].{key}");
            let refused = layer
                .problems
                .iter()
                .any(|problem| problem.key.starts_with(&prefix) && !harmless(&problem.message));
            assert_eq!(
                !refused,
                admits(property, sample),
                "{key} = {sample}: {:?}",
                problem_lines(&layer)
            );
        }
    }
    for table in ["settings", "hooks", "recall"] {
        let properties = schema["properties"][table]["properties"].as_object();
        for (key, property) in properties.expect("properties") {
            for sample in &samples {
                let text = format!("[{table}]\n{key} = {}\n", to_toml(sample));
                let layer = load(becket, &text);
                assert_eq!(
                    layer.problems.is_empty(),
                    admits(property, sample),
                    "{key} = {sample}: {:?}",
                    problem_lines(&layer)
                );
            }
        }
    }
    let tops: Vec<_> = schema["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .collect();
    assert_eq!(
        tops,
        [
            "hook",
            "settings",
            "hooks",
            "recall",
            "llm",
            "learn",
            "embedding",
            "http",
            "agents",
            "mcp"
        ]
    );
}

#[test]
fn a_key_outside_the_schema_is_unknown_to_the_reader() {
    let schema = schema();
    let known = schema["$defs"]["hook"]["properties"]
        .as_object()
        .expect("properties")
        .clone();
    for key in [
        "parallel",
        "statusMessage",
        "hooks",
        "timeout_secs",
        "environment",
        "root",
        "level",
        "disabled",
        "allowedEnvVars",
    ] {
        assert!(!known.contains_key(key), "{key}");
        let layer = load(
            becket,
            &format!("[[hook]]\nevent = 'Stop'\ncommand = 'x'\n{key} = 1\n"),
        );
        assert_eq!(
            problem_lines(&layer),
            [format!("W 4 hook[0].{key}: unknown key")]
        );
    }
}

/// Warnings about values of the right type that have no effect in this hook.
fn harmless(message: &str) -> bool {
    [
        "unknown event",
        "has no effect",
        "is not a tool",
        "matcher `",
        "is not one of",
        "unknown built-in hook",
    ]
    .iter()
    .any(|start| message.starts_with(start))
}

fn to_toml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(to_toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let items: Vec<String> = map
                .iter()
                .map(|(key, item)| format!("{key} = {}", to_toml(item)))
                .collect();
            format!("{{ {} }}", items.join(", "))
        }
        other => other.to_string(),
    }
}

#[test]
fn keep_is_a_duration_in_days_or_weeks() {
    let read = |value: &str| {
        let text = format!("[settings]\nkeep = {value}\n");
        let settings = becket_settings(&ConfigFile {
            path: Path::new("/w/file"),
            level: Level::User,
            text: &text,
            root: None,
        });
        (settings.keep, problem_lines(&load(becket, &text)))
    };
    let days = |days: u64| Some(std::time::Duration::from_secs(days * 24 * 60 * 60));
    assert_eq!(read("'90d'"), (days(90), vec![]));
    assert_eq!(read("'26w'"), (days(182), vec![]));
    for wrong in [
        "'0d'",
        "'12h'",
        "'soon'",
        "'d'",
        "'99999999999999999999d'",
        "'-1d'",
    ] {
        let (keep, problems) = read(wrong);
        assert_eq!(keep, None, "{wrong}");
        assert_eq!(
            problems,
            ["E 2 settings.keep: is not a duration of at least one day"],
            "{wrong}"
        );
    }
    assert_eq!(read("90").0, None);
}
