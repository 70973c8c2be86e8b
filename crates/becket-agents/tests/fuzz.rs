//! Fuzz tests for every parser of foreign input: nothing may panic, and the invariants hold for every input.
//!
//! Each target starts from real samples and mutates them for `FUZZ_SECONDS` (one by default). A failure
//! prints the input and the seed, which can be set with `FUZZ_SEED`.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

use std::path::{Path, PathBuf};

use becket_agents::config::{self, ConfigFile};
use becket_agents::contract::{self, ProcessEnd, ProcessOutput};
use becket_agents::{adapters, payload};
use becket_model::{
    AgentId, Decision, Dialect, Event, EventData, EventKind, HookSource, HookSpec, Layer, Level,
    SessionId, ToolCall, Verdict,
};
use becket_testkit::fuzz;
use serde_json::json;

/// Fragments that are meaningful to the parsers.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\n",
    "\\",
    "null",
    "true",
    "-1",
    "1e999",
    "\"hooks\"",
    "\"PreToolUse\"",
    "\"command\"",
    "\"decision\":\"deny\"",
    "\"continue\":false",
    "\"timeout\":",
    "[[hook]]\n",
    "event = ",
    "matcher = \"(\"",
    "'''",
    "---\n",
    "hooks:\n",
    "&a ",
    "*a",
    "\u{feff}",
    "\u{0}",
    "\u{1b}]0;x\u{7}",
    "//",
    "/*",
    "\\ud800",
    "é",
    "🪝",
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn collect(dir: &Path, found: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.file_name().is_some_and(|name| name == "input.json") {
            found.extend(std::fs::read(path));
        }
    }
}

#[test]
fn payloads_are_read_or_refused_and_every_answer_can_be_rendered() {
    let mut seeds = Vec::new();
    collect(&fixtures(), &mut seeds);
    assert!(!seeds.is_empty());
    let deny = Decision {
        verdict: Verdict::Deny,
        reason: Some("no".into()),
        ..Decision::default()
    };
    fuzz("payload", &seeds, PIECES, |input| {
        let Ok(map) = payload::read(input) else {
            return;
        };
        for adapter in adapters() {
            for hint in [None, Some("PreToolUse"), Some("x")] {
                let event = match adapter.parse(hint, map.clone()) {
                    Ok(event) => event,
                    Err(error) => {
                        assert!(error.message.contains('`'), "an error names a key: {error}");
                        continue;
                    }
                };
                assert_eq!(event.raw, map, "the payload is kept whole");
                adapter.render(&event, &Decision::default());
                let answer = adapter.render(&event, &deny);
                let silent =
                    answer.stdout.is_empty() && answer.stderr.is_empty() && answer.exit == 0;
                assert!(
                    !silent || event.kind() != EventKind::PreToolUse,
                    "a deny before a tool was swallowed"
                );
            }
        }
    });
}

fn hook(dialect: Dialect) -> HookSpec {
    let source = HookSource {
        level: Level::User,
        file: "f".into(),
        line: 1,
        key: "k".into(),
    };
    HookSpec::command("h", dialect, EventKind::PreToolUse, "true", source)
}

#[test]
fn replies_are_understood_or_refused_and_exit_two_always_blocks() {
    let seeds: Vec<Vec<u8>> = [
        r#"{"decision":"allow","reason":"ok"}"#,
        r#"{"continue":false,"stopReason":"enough"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","updatedInput":{"command":"ls"}}}"#,
        r#"{"continue_execution":true,"updated_input":null,"additional_context":"x","suppress_logging":false}"#,
        "log line\n{\"decision\":\"ask\"}\n",
        "plain text",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    let call = ToolCall::new("Bash", json!({ "command": "ls" }));
    let event = Event::new(
        AgentId::new("claude"),
        SessionId::new("s"),
        EventData::PreToolUse { call },
    );
    fuzz("reply", &seeds, PIECES, |input| {
        for dialect in [
            Dialect::Becket,
            Dialect::Claude,
            Dialect::CodeAgent,
            Dialect::ClaudeAgent,
            Dialect::Autohand,
        ] {
            for code in [0, 1, 2] {
                let ran = ProcessOutput {
                    ending: ProcessEnd::Exited(code),
                    stdout: input,
                    stderr: b"why",
                    truncated: false,
                };
                let outcome = contract::interpret(&hook(dialect), &event, &ran);
                assert!(
                    code != 2 || outcome.verdict.blocks(),
                    "{} let exit 2 pass",
                    dialect.name()
                );
                let texts = [&outcome.reason, &outcome.context, &outcome.system_message];
                let escapes = texts
                    .into_iter()
                    .flatten()
                    .any(|text| text.contains('\u{1b}'));
                assert!(!escapes, "an escape sequence got through");
            }
        }
    });
}

/// A reader must not panic, and every problem must name a line that exists.
fn fuzz_config(target: &str, seeds: &[&str], read: fn(&ConfigFile<'_>) -> Layer) {
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|text| text.as_bytes().to_vec()).collect();
    fuzz(target, &seeds, PIECES, |input| {
        let text = String::from_utf8_lossy(input);
        let layer = read(&ConfigFile {
            path: Path::new("/w/file"),
            level: Level::User,
            text: &text,
            root: None,
        });
        // A lone carriage return ends a line as well.
        let lines = text.split(['\n', '\r']).count();
        for problem in &layer.problems {
            assert!(
                problem.line <= lines,
                "{problem} names a line that is not there"
            );
        }
        for hook in &layer.hooks {
            assert!(
                (1..=lines).contains(&hook.source.line),
                "{} stands nowhere",
                hook.name
            );
            hook.matcher.matches("Bash");
        }
    });
}

#[test]
fn claude_settings_never_break_the_reader() {
    fuzz_config(
        "settings",
        &[
            r#"{"hooks":{"PreToolUse":[{"matcher":"Bash|Write","hooks":[{"type":"command","command":"x","timeout":5,"if":"Bash(git *)"}]}]}}"#,
            r#"{"hooks":{"preToolUse":{"a":{"command":"x","timeout_secs":3,"matcher":"Bash"},"b":"y"},"sessionStart":["z"]}}"#,
            "{ // comment\n \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"http://x\", \"headers\": {\"a\": \"$B\"}},]}]}}",
        ],
        config::settings,
    );
}

#[test]
fn code_agent_files_never_break_the_reader() {
    let seed = r#"{"PreToolUse":[{"matcher":".*","mcpServer":"github","parallel":true,"hooks":[{"type":"prompt","prompt":"$COMMAND?","timeout":10000,"once":true}]}]}"#;
    fuzz_config("code-agent", &[seed], config::code_agent);
}

#[test]
fn plugin_files_never_break_the_reader() {
    let seed = r#"{"description":"d","hooks":{"PostToolUse":[{"matcher":"Write|Edit","hooks":[{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/f.sh"}]}]}}"#;
    fuzz_config("plugin", &[seed], config::plugin);
}

#[test]
fn front_matter_never_breaks_the_reader() {
    let seed = "---\nname: x\nhooks:\n  PreToolUse:\n    - matcher: \"Write|Edit\"\n      hooks:\n        - type: command\n          command: scripts/format.sh\n          timeout: 10\n---\ntext\n";
    fuzz_config("front matter", &[seed], config::front_matter);
}

#[test]
fn becket_files_never_break_the_reader() {
    let seed = "[settings]\nrecord = true\n[[hook]]\nname = \"a\"\nevent = [\"pre-tool\", \"Stop\"]\nmatcher = \"Bash\"\nfilter = { path = [\"src/**\"] }\ncommand = \"x\"\nargs = [\"y\"]\ntimeout = \"5s\"\npriority = -3\non_failure = \"ask\"\n";
    fuzz_config("becket", &[seed], config::becket);
}

#[test]
fn the_files_of_other_agents_never_break_their_readers() {
    let autohand = r#"{"hooks":{"enabled":true,"hooks":[{"event":"pre-tool","command":"x","timeout":500,"async":true,"matcher":"^a$","filter":{"tool":["run_command"],"path":["src/**"]}}]}}"#;
    let cursor = r#"{"version":1,"hooks":{"preToolUse":[{"command":"x","timeout":5,"matcher":"Shell","failClosed":true}],"stop":[{"command":"y","loop_limit":3}]}}"#;
    let gemini = r#"{"hooks":{"BeforeTool":[{"matcher":"run_shell_command","sequential":true,"hooks":[{"name":"n","type":"command","command":"x","timeout":5000}]}]}}"#;
    let codex = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","timeout":5}]}]}}"#;
    let copilot = r#"{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x","timeoutSec":5,"cwd":".","env":{"A":"b"}}]}}"#;
    fuzz_config("autohand", &[autohand], config::autohand);
    fuzz_config("cursor", &[cursor], config::cursor);
    fuzz_config("gemini", &[gemini], config::gemini);
    fuzz_config("codex", &[codex], config::codex);
    fuzz_config("copilot", &[copilot], config::copilot);
}
