//! Invariants of every file: nothing panics, positions exist, and printing loses nothing.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::change::{self, SwitchResult};
use becket_agents::config::{
    ConfigFile, autohand, becket, code_agent, codex, copilot, cursor, front_matter, gemini,
    is_own_entry, plugin, settings, to_becket_toml,
};
use becket_model::{
    Action, Condition, Dialect, EventKind, Filter, HookSource, HookSpec, Layer, Level, MatchStyle,
    Matcher, OnFailure,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Load, clean, load, load_as};

const READERS: [Load; 10] = [
    settings,
    plugin,
    front_matter,
    code_agent,
    becket,
    autohand,
    cursor,
    gemini,
    codex,
    copilot,
];

/// Files with a bit of everything.
const FILES: [&str; 10] = [
    "{\n\"dialect\": \"claude\", \"disableAllHooks\": false, // c\n\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash|Ed.t\", \"hooks\": [\n{\"type\": \"command\", \"command\": \"echo '$TOOL_NAME'\", \"timeout\": 5000, \"if\": \"Bash(git *)\"},\n{\"type\": \"http\", \"url\": \"u\", \"headers\": {\"a\": \"b\"}}]}],\n\"sessionStart\": [\"x\", {\"command\": \"becket hook\"}],\n\"stop\": {\"n\": \"c\", \"m\": {\"command\": \"d\", \"timeout_secs\": 1.5}}}}",
    "{\"description\": \"d\", \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"mcp_tool\", \"server\": \"s\", \"tool\": \"t\", \"input\": {\"a\": [null, 1e3]}}]}]}}",
    "---\nname: x\nhooks:\n  PreToolUse:\n    - matcher: \"Write|Edit\"\n      hooks:\n        - type: command\n          command: >-\n            a\n            b\n          timeout: 10\n        - {type: agent, prompt: 'p', once: true}\n---\n# T\n",
    "{\"PreToolUse\": [{\"matcher\": \"a\", \"mcpServer\": \"s\", \"hookType\": \"observer\", \"parallel\": true, \"hooks\": [{\"type\": \"agent\", \"agent\": \"r\", \"disabled\": true}]}]}",
    "[settings]\nrecord = true\n\n[[hook]]\nname = \"é\"\nevent = [\"Stop\", \"x\"]\nmatcher = '^a[b]$'\ncommand = \"\"\"\na\nb\"\"\"\ntimeout = \"5s\"\nfilter = { path = [\"a\"], tool = \"b\" }\n[hook.options]\na.b = 1\n",
    "{\"hooks\": {\"enabled\": true, \"hooks\": [\n{\"event\": \"post-tool\", \"command\": \"x\", \"timeout\": 5, \"async\": true, \"matcher\": \"^a(b)$\", \"filter\": {\"tool\": [\"a\"], \"path\": [\"b\"]}}],\n\"rate-limit\": [{\"command\": \"y\"}]}}",
    "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"command\": \"x\", \"matcher\": \"Sh.ll\", \"timeout\": 1.5, \"failClosed\": true}],\n\"afterShellExecution\": [{\"command\": \"curl https://x\", \"loop_limit\": 3}], \"stop\": [{\"prompt\": \"p\"}]}}",
    "{\"hooksConfig\": {\"disabled\": [\"n\"]}, // c\n\"hooks\": {\"AfterTool\": [{\"matcher\": \"*x\", \"sequential\": true, \"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"name\": \"n\", \"timeout\": 10, \"env\": {\"A\": \"b\"}}]}],\n\"SessionStart\": [{\"matcher\": \"a|b\", \"hooks\": [{\"type\": \"command\", \"command\": \"y\"}]}]}}",
    "{\"description\": \"d\", \"hooks\": {\"SessionEnd\": [{\"matcher\": \"a, b\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": 9, \"async\": true},\n{\"type\": \"mcp_tool\", \"server\": \"s\", \"tool\": \"t\"}]}]}}",
    "{\"version\": 1, \"disableAllHooks\": false, \"hooks\": {\"preToolUse\": [{\"bash\": \"x\", \"cwd\": \"d\", \"env\": {\"A\": \"b\"}, \"timeoutSec\": 3, \"matcher\": \"a|b\"}, {\"exec\": \"p\", \"args\": [\"q\"]}],\n\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"y\"}]}]}}",
];

/// Every position in a layer exists in the file.
fn check_places(layer: &Layer, text: &str) {
    let lines = text.lines().count() + 1;
    for problem in &layer.problems {
        assert!((1..=lines).contains(&problem.line), "{problem} of {lines}");
        assert!(!problem.message.is_empty());
    }
    let sources = layer.hooks.iter().map(|hook| &hook.source);
    for source in sources.chain(layer.broken.iter().map(|broken| &broken.source)) {
        assert!((1..=lines).contains(&source.line), "{source:?} of {lines}");
        assert!(!source.key.is_empty());
    }
    for hook in &layer.hooks {
        assert!(!hook.timeout.is_zero());
        hook.definition();
        hook.matcher.matches("mcp__s__a");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>()) {
        for reader in READERS {
            check_places(&load(reader, &text), &text);
        }
        for path in ["/w/c.toml", "/w/c.yaml"] {
            check_places(&load_as(autohand, path, &text), &text);
            check_places(&load_as(codex, path, &text), &text);
        }
    }

    #[test]
    fn no_front_matter_makes_the_reader_panic(body in "[-a-z:{}\\[\\]'\"&*!|>#%@,? \n\t]{0,80}") {
        let text = format!("---\n{body}\nhooks:\n {body}\n---\n");
        check_places(&load(front_matter, &text), &text);
    }

    #[test]
    fn damaged_files_never_make_a_reader_panic(
        file in 0..FILES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, snippet()), 1..4),
    ) {
        let mut text: Vec<char> = FILES[file].chars().collect();
        for (at, length, insert) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, insert.chars());
        }
        let text: String = text.into_iter().collect();
        for reader in READERS {
            check_places(&load(reader, &text), &text);
        }
    }

    #[test]
    fn printing_and_reading_gives_the_same_hooks(hooks in prop::collection::vec(hook(), 0..4)) {
        let text = to_becket_toml(&hooks);
        let layer = load(becket, &text);
        prop_assert!(layer.broken.is_empty(), "{text}\n{:?}", layer.problems);
        prop_assert_eq!(nowhere(layer.hooks), hooks, "{}", text);
    }

    #[test]
    fn a_change_of_one_hook_leaves_the_others_as_they_were(
        hooks in prop::collection::vec(hook(), 1..4),
        at in any::<prop::sample::Index>(),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let text = format!("# mine\n\n{}\n[settings] # end\nrecord = true\n", to_becket_toml(&hooks));
        // A line break in a text is part of it.
        let text = if text.contains("\"\"\"") || text.contains("'''") { text } else { text.replace('\n', newline) };
        let at = at.index(hooks.len());
        let read = load_as(becket, "/w/becket.toml", &text).hooks;
        let without = change::remove(&read[at], &text).expect("removed");
        let mut fewer = hooks.clone();
        fewer.remove(at);
        prop_assert_eq!(nowhere(load(becket, &without).hooks), fewer, "{}", without);
        prop_assert!(without.starts_with("# mine") && without.contains("[settings] # end"));
        for on in [false, true] {
            let Ok(SwitchResult::Text(switched)) = change::switch(&read[at], &text, on) else {
                panic!("{text}");
            };
            let mut expected = hooks.clone();
            expected[at].enabled = on;
            prop_assert_eq!(nowhere(load(becket, &switched).hooks), expected, "{}", switched);
        }
    }

    #[test]
    fn hooks_from_a_damaged_file_are_editable_or_left_alone(
        file in 0..FILES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, snippet()), 0..3),
    ) {
        let mut text: Vec<char> = FILES[file].chars().collect();
        for (at, length, insert) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, insert.chars());
        }
        let text: String = text.into_iter().collect();
        for (reader, path) in [(becket as Load, "/w/a.toml"), (autohand, "/w/a.json"), (code_agent, "/w/a.json"), (settings, "/w/a.json"), (gemini, "/w/a.json")] {
            let before = load_as(reader, path, &text).hooks;
            for hook in &before {
                if let Ok(SwitchResult::Text(switched)) = change::switch(hook, &text, false) {
                    let after = load_as(reader, path, &switched).hooks;
                    let definitions = |hooks: &[HookSpec]| hooks.iter().map(HookSpec::definition).collect::<Vec<_>>();
                    prop_assert_eq!(definitions(&after), definitions(&before), "{}", switched);
                    let same = after.iter().filter(|other| other.source.key == hook.source.key);
                    for other in same {
                        prop_assert!(!other.enabled, "{}", switched);
                    }
                }
                if let Ok(removed) = change::remove(hook, &text) {
                    let after = load_as(reader, path, &removed).hooks;
                    prop_assert!(after.len() < before.len(), "{}", removed);
                }
            }
        }
    }
}

fn snippet() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            "\"",
            "'",
            ",",
            ":",
            "null",
            "-1",
            "1e999",
            "\n",
            "\u{feff}",
            "[[hook]]\n",
            "---\n",
            "\"hooks\": ",
            "*a",
            "&a ",
            "é",
            "\\u0000",
            "= ",
            "#",
            "//",
            "(?",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ]
}

#[test]
fn sample_files_have_no_problems() {
    for (reader, text) in READERS.into_iter().zip(FILES) {
        let layer = load(reader, text);
        assert_eq!(layer.broken, [], "{text}");
        assert!(!layer.hooks.is_empty(), "{text}");
    }
    assert_eq!(load(becket, FILES[4]).hooks.len(), 2);
}

#[test]
fn hooks_of_other_dialects_survive_being_printed_as_beckets_own() {
    for (reader, text) in READERS.into_iter().zip(FILES) {
        let hooks = nowhere(load(reader, text).hooks);
        let printed = to_becket_toml(&hooks);
        assert_eq!(nowhere(load(becket, &printed).hooks), hooks, "{printed}");
    }
}

#[test]
fn the_printed_form_is_what_a_person_would_write() {
    let hooks = clean(
        settings,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh \"a\"", "timeout": 5}]}]}}"#,
    );
    assert_eq!(
        to_becket_toml(&hooks),
        r#"[[hook]]
name = "PreToolUse[0].hooks[0]"
event = "PreToolUse"
matcher = "Bash"
type = "command"
command = './check.sh "a"'
timeout = "5s"
dialect = "claude"
"#
    );
}

#[test]
fn odd_keys_and_values_survive_being_printed() {
    for odd in [
        "", " ", "a.b", "\u{7f}", "\r\n", "\u{0}", "'\"\\", "\u{feff}", "é",
    ] {
        let hooks = vec![
            odd_hook(Action::Http {
                url: "u".into(),
                headers: vec![(odd.into(), odd.into())],
                allowed_env: vec![odd.into()],
            }),
            odd_hook(Action::Builtin {
                name: "log".into(),
                options: json!({ odd: { odd: [odd, null] }, "max": u64::MAX }),
            }),
            odd_hook(Action::Builtin {
                name: "log".into(),
                options: json!({ odd: { odd: [odd, {}] } }),
            }),
        ];
        let printed = to_becket_toml(&hooks);
        let layer = load(becket, &printed);
        assert_eq!(
            nowhere(layer.hooks),
            hooks,
            "{odd:?}: {:?}\n{printed}",
            layer.problems
        );
    }
}

fn odd_hook(action: Action) -> HookSpec {
    HookSpec {
        action,
        ..HookSpec::command("n", Dialect::Becket, EventKind::Stop, "", source())
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for (reader, text) in [
        (
            settings as Load,
            format!("{{\"hooks\": {}", "[".repeat(100_000)),
        ),
        (
            settings,
            format!("{{\"hooks\": {}", "{\"a\":".repeat(100_000)),
        ),
        (becket, format!("hook = {}", "[".repeat(100_000))),
        (becket, format!("hook = {}", "{a=".repeat(100_000))),
    ] {
        let layer = load(reader, &text);
        assert_eq!(layer.hooks, []);
        assert_eq!(layer.problems.len(), 1);
    }
}

/// Loading is linear in the size of the file, not quadratic.
#[test]
fn large_file_loads() {
    let many: Vec<String> = (0..20_000)
        .map(|n| format!("\"n{n}\": \"command-{n}\""))
        .collect();
    let text = format!("{{\"hooks\": {{\"stop\": {{{}}}}}}}", many.join(",\n"));
    let started = std::time::Instant::now();
    let layer = settings(&ConfigFile {
        path: Path::new("/w/file"),
        level: Level::User,
        text: &text,
        root: None,
    });
    assert_eq!(layer.hooks.len(), 20_000);
    assert_eq!(layer.hooks[19_999].source.line, 20_000);
    assert!(started.elapsed() < Duration::from_secs(20));
}

fn nowhere(mut hooks: Vec<HookSpec>) -> Vec<HookSpec> {
    for hook in &mut hooks {
        hook.source = source();
    }
    hooks
}

fn source() -> HookSource {
    HookSource {
        level: Level::Project,
        file: "f".into(),
        line: 1,
        key: "k".into(),
    }
}

/// Text that is not blank.
fn words() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ./$'\"\\\\]{0,12}[a-z]", any::<String>()]
        .prop_filter("not blank", |text| !text.trim().is_empty())
}

fn maybe_words() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any::<String>())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any::<String>(), 0..3)
}

fn object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000..1000_i32).prop_map(|n| json!(f64::from(n) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(any::<String>(), value, 0..3)
        .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()))
}

fn action() -> impl Strategy<Value = Action> {
    let not_own = words().prop_filter("not Becket's own", |command| !is_own_entry(command));
    prop_oneof![
        (not_own, prop::option::of(texts()))
            .prop_map(|(command, args)| Action::Command { command, args }),
        (
            words(),
            prop::collection::btree_map(any::<String>(), any::<String>(), 0..3),
            texts()
        )
            .prop_map(|(url, headers, allowed_env)| Action::Http {
                url,
                // Not sorted, so that the test checks the order.
                headers: headers.into_iter().rev().collect(),
                allowed_env,
            }),
        (words(), maybe_words()).prop_map(|(prompt, model)| Action::Prompt { prompt, model }),
        (words(), maybe_words(), maybe_words()).prop_map(|(prompt, agent, model)| Action::Agent {
            prompt,
            agent,
            model,
        }),
        (words(), words(), object()).prop_map(|(server, tool, input)| Action::McpTool {
            server,
            tool,
            input
        }),
        (words(), object()).prop_map(|(name, options)| Action::Builtin { name, options }),
    ]
}

/// A dialect's several names for one canonical event.
fn native(dialect: Dialect, event: &EventKind) -> Option<String> {
    let name = match (dialect, event) {
        (Dialect::Cursor, EventKind::PreToolUse) => "beforeShellExecution",
        (Dialect::Cursor, EventKind::PostToolUse) => "afterMCPExecution",
        (Dialect::Copilot, EventKind::PreToolUse) => "PreToolUse",
        (Dialect::Copilot, EventKind::Stop) => "Stop",
        _ => return None,
    };
    Some(name.to_owned())
}

fn style(dialect: Dialect, event: &EventKind, native: bool, pattern: &str) -> MatchStyle {
    let words = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|';
    match dialect {
        Dialect::Becket | Dialect::Claude => MatchStyle::Names,
        Dialect::Gemini if !event.is_tool() => MatchStyle::Exact,
        Dialect::Gemini if Matcher::parse(pattern, MatchStyle::Search).is_err() => {
            MatchStyle::Exact
        }
        Dialect::Codex if pattern.trim().chars().all(words) => MatchStyle::Names,
        Dialect::Copilot if native && event.is_guarded() => MatchStyle::Names,
        Dialect::Copilot => MatchStyle::Whole,
        _ => MatchStyle::Search,
    }
}

pub(super) fn hook() -> impl Strategy<Value = HookSpec> {
    let dialect = prop::sample::select(Dialect::ALL.to_vec());
    let event = prop_oneof![
        prop::sample::select(EventKind::ALL),
        any::<String>().prop_map(|name| EventKind::parse(&name)),
    ];
    let pattern = prop_oneof![
        Just(String::new()),
        "[A-Z][a-z]{1,3}(\\|[A-Z][a-z])?",
        "[a-z.*+?^$()|\\[\\]\\\\ ]{0,8}",
        any::<String>(),
    ];
    let condition = prop::option::of("[A-Za-z_*]{1,6}(\\([a-z*/ .()]{0,6}\\))?");
    let policy = prop::sample::select(vec![
        None,
        Some(OnFailure::Allow),
        Some(OnFailure::Ask),
        Some(OnFailure::Deny),
    ]);
    let filter = (texts(), texts()).prop_map(|(tool, path)| Filter { tool, path });
    let flags = any::<(bool, bool, bool, bool, bool)>();
    let env = prop::collection::btree_map("[A-Z_]{1,3}", any::<String>(), 0..2);
    let place = (env, maybe_words());
    let timeout = prop_oneof![1..100_000_u64, (1..86_400_u64).prop_map(|s| s * 1000)];
    (
        (
            any::<String>(),
            maybe_words(),
            dialect,
            event,
            pattern,
            condition,
        ),
        (
            filter,
            action(),
            timeout,
            flags,
            any::<i32>(),
            policy,
            place,
        ),
    )
        .prop_map(
            |(
                (name, description, dialect, event, pattern, condition),
                (filter, action, timeout, flags, priority, policy, (env, cwd)),
            )| {
                let native_event = native(dialect, &event).filter(|_| flags.3);
                let style = style(dialect, &event, native_event.is_some(), &pattern);
                HookSpec {
                    name,
                    description,
                    source: source(),
                    dialect,
                    event,
                    matcher: Matcher::parse(&pattern, style).unwrap_or_else(|_| Matcher::all()),
                    filter,
                    condition: condition.as_deref().and_then(Condition::parse),
                    action,
                    native_event,
                    env: env.into_iter().collect(),
                    cwd: cwd.map(Into::into),
                    sequential: flags.4,
                    timeout: Duration::from_millis(timeout),
                    is_async: flags.0,
                    once: flags.1,
                    priority,
                    on_failure: policy,
                    enabled: flags.2,
                    root: None,
                }
            },
        )
}
