//! Property tests of the contract.

use becket_agents::contract::{
    EventMetadata, MAX_ENTRY_BYTES, MAX_TOTAL_BYTES, ProcessEnd, ProcessOutput, env, interpret,
    parse_reply, stdin,
};
use becket_model::{Dialect, Event, HookOutcome, HookSpec, OnFailure, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::{every_event, hook, pre_tool};

fn dialect() -> impl Strategy<Value = Dialect> {
    select(Dialect::ALL.to_vec())
}

fn any_event() -> impl Strategy<Value = Event> {
    select(every_event())
}

fn any_hook() -> impl Strategy<Value = HookSpec> {
    let on_failure = select(vec![
        None,
        Some(OnFailure::Allow),
        Some(OnFailure::Ask),
        Some(OnFailure::Deny),
    ]);
    (dialect(), on_failure).prop_map(|(dialect, on_failure)| {
        let mut hook = hook(dialect, becket_model::EventKind::PreToolUse);
        hook.on_failure = on_failure;
        hook
    })
}

fn ending() -> impl Strategy<Value = ProcessEnd<'static>> {
    prop_oneof![
        4 => (0..4_i32).prop_map(ProcessEnd::Exited),
        1 => any::<i32>().prop_map(ProcessEnd::Exited),
        1 => any::<i32>().prop_map(ProcessEnd::Signaled),
        1 => Just(ProcessEnd::TimedOut),
        1 => Just(ProcessEnd::Cancelled),
        1 => Just(ProcessEnd::NotStarted("\u{1b}[31mno")),
    ]
}

/// Bytes that look like replies often enough to get past the first check.
fn output() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..200),
        reply(Vec::new()).prop_map(String::into_bytes),
        "[{}\\[\\]\":,a-z\n\u{1b}\u{9b}\\\\é ]{0,80}".prop_map(String::into_bytes),
    ]
}

const KEYS: &[&str] = &[
    "decision",
    "action",
    "permission",
    "permissionDecision",
    "continue",
    "continue_execution",
    "reason",
    "message",
    "stopReason",
    "stop_reason",
    "updatedInput",
    "updated_input",
    "modifiedInput",
    "additionalContext",
    "additional_context",
    "systemMessage",
    "suppressOutput",
    "suppress_logging",
    "hookSpecificOutput",
    "hookEventName",
    "behavior",
    "interrupt",
    "user_message",
    "agent_message",
    "followup_message",
    "modifiedArgs",
    "tool_input",
    "else",
];

fn value() -> impl Strategy<Value = Value> {
    let words = [
        "allow",
        "approve",
        "ask",
        "deny",
        "block",
        "continue",
        "warn",
        "observe",
        "error",
        "",
        "x",
        "\u{1b}[2Jx",
        "{\"command\":\"x\"}",
    ];
    let leaf = prop_oneof![
        select(words.map(|word| json!(word)).to_vec()),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((select(KEYS), inner), 0..4).prop_map(|entries| {
                Value::Object(
                    entries
                        .into_iter()
                        .map(|(k, v)| (k.to_owned(), v))
                        .collect(),
                )
            }),
        ]
    })
}

/// A reply with arbitrary fields, duplicates included, and `planted` among them.
fn reply(planted: Vec<(&'static str, Value)>) -> impl Strategy<Value = String> {
    vec((select(KEYS), value()), 0..6)
        .prop_flat_map(move |mut entries| {
            entries.extend(planted.clone());
            Just(entries).prop_shuffle()
        })
        .prop_map(|entries| {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{}:{value}", json!(key)))
                .collect();
            format!("{{{}}}", entries.join(","))
        })
}

/// Every way to deny.
fn denial() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let no = select(vec!["deny", "block", "DENY", " Block "]);
    let place = select(vec![0_usize, 1, 2, 3, 4, 5, 6, 7, 8]);
    (no, place).prop_map(|(no, place)| {
        let field = match place {
            0 => ("decision", json!(no)),
            1 => ("action", json!(no)),
            2 => ("permission", json!(no)),
            3 => ("permissionDecision", json!(no)),
            4 => ("continue", json!(false)),
            5 => ("continue_execution", json!(false)),
            6 => ("hookSpecificOutput", json!({ "permissionDecision": no })),
            7 => (
                "hookSpecificOutput",
                json!({ "decision": { "behavior": no } }),
            ),
            _ => ("decision", json!({ "behavior": no })),
        };
        vec![field]
    })
}

fn texts(outcome: &HookOutcome) -> impl Iterator<Item = &String> {
    let failure = outcome.failure.as_ref().map(|failure| &failure.message);
    [
        &outcome.reason,
        &outcome.context,
        &outcome.system_message,
        &outcome.keep_going,
    ]
    .into_iter()
    .flatten()
    .chain(failure)
}

fn ran<'a>(ending: ProcessEnd<'a>, stdout: &'a [u8], stderr: &'a [u8]) -> ProcessOutput<'a> {
    ProcessOutput {
        ending,
        stdout,
        stderr,
        truncated: false,
    }
}

proptest! {
    #[test]
    fn reading_a_reply_never_panics(bytes in output()) {
        parse_reply(&String::from_utf8_lossy(&bytes));
    }

    /// For any hook, the outcome is safe for a terminal and bounded, and every block has a reason.
    #[test]
    fn every_process_end_gives_a_valid_outcome(
        hook in any_hook(),
        event in any_event(),
        ending in ending(),
        stdout in output(),
        stderr in output(),
        truncated: bool,
    ) {
        let ran = ProcessOutput { ending, stdout: &stdout, stderr: &stderr, truncated };
        let outcome = interpret(&hook, &event, &ran);
        for text in texts(&outcome) {
            prop_assert!(text.len() <= 64 * 1024);
            let unfit = |c: char| c.is_control() && c != '\n' && c != '\t';
            prop_assert!(!text.contains(unfit), "{text:?}");
        }
        if outcome.verdict.blocks() {
            prop_assert!(outcome.reason.is_some_and(|reason| !reason.is_empty()));
        }
        if let Some(input) = &outcome.updated_input {
            prop_assert!(input.is_object());
            prop_assert!(event.kind().is_guarded());
        }
        if outcome.verdict == Verdict::Allow {
            prop_assert!(event.kind().is_guarded());
        }
    }

    /// One denying field is enough, whatever the other fields say.
    #[test]
    fn a_denial_in_any_field_is_never_weakened(
        hook in any_hook(),
        (_, text) in denial().prop_flat_map(|no| (Just(no.clone()), reply(no))),
        noise in select(vec!["", "log line\n", "{\"decision\":\"allow\"}\n"]),
    ) {
        let stdout = format!("{noise}{text}\n");
        let ran = ran(ProcessEnd::Exited(0), stdout.as_bytes(), b"");
        let outcome = interpret(&hook, &pre_tool(), &ran);
        prop_assert!(outcome.verdict >= Verdict::Deny, "{stdout} gave {outcome:?}");
    }

    /// No output turns a blocking exit code into approval. Codex requires a reason, and in Gemini a reply decides.
    #[test]
    fn exit_two_always_blocks(hook in any_hook(), stdout in output(), stderr in output()) {
        let says = |bytes: &[u8]| bytes.iter().any(u8::is_ascii_alphanumeric);
        let outcome = interpret(&hook, &pre_tool(), &ran(ProcessEnd::Exited(2), &stdout, &stderr));
        let blocks = match hook.dialect {
            Dialect::Codex => says(&stderr),
            Dialect::Gemini => false,
            _ => true,
        };
        prop_assert!(!blocks || outcome.verdict >= Verdict::Deny);
        prop_assert_ne!(outcome.verdict, Verdict::Allow);
    }

    #[test]
    fn exit_two_with_words_on_stderr_and_nothing_else_blocks_everywhere(hook in any_hook(), words in "[a-z][a-z ]{0,20}") {
        let outcome = interpret(&hook, &pre_tool(), &ran(ProcessEnd::Exited(2), b"", words.as_bytes()));
        prop_assert!(outcome.verdict >= Verdict::Deny);
        prop_assert!(outcome.reason.is_some_and(|reason| reason.contains(words.trim())));
    }

    /// A killed hook never approves.
    #[test]
    fn a_killed_hook_never_allows(hook in any_hook(), event in any_event(), stdout in output()) {
        for ending in [ProcessEnd::Signaled(9), ProcessEnd::TimedOut, ProcessEnd::Cancelled, ProcessEnd::NotStarted("no")] {
            let outcome = interpret(&hook, &event, &ran(ending, &stdout, b""));
            prop_assert!(outcome.failure.is_some());
            prop_assert_ne!(outcome.verdict, Verdict::Allow);
            prop_assert_eq!(outcome.updated_input, None);
        }
    }

    /// The environment always fits the kernel's limits, and stdin is always one line of JSON.
    #[test]
    fn hook_input_is_always_well_formed(
        dialect in dialect(),
        event in any_event(),
        text in "\\PC{0,40}\u{0}?",
        times in select(vec![1_usize, 4_000]),
        timestamp in "[0-9TZ:.+é-]{0,30}",
    ) {
        let mut event = event;
        event.cwd = Some(text.repeat(times));
        event.session = becket_model::SessionId::new(text.repeat(times));
        let around = EventMetadata {
            event_id: &text,
            timestamp: &timestamp,
            project_dir: Some(&text),
        };
        let mut hook = hook(dialect, event.kind());
        hook.env = vec![(text.clone(), text.repeat(times)), ("OWN".into(), text.repeat(times))];
        let vars = env(&hook, &event, &around);
        let sizes = vars.iter().map(|(name, value)| name.len() + value.len() + 2);
        prop_assert!(sizes.clone().all(|size| size <= MAX_ENTRY_BYTES));
        prop_assert!(sizes.sum::<usize>() <= MAX_TOTAL_BYTES);
        prop_assert!(!vars.iter().any(|(name, value)| value.contains('\0') || name.contains(['\0', '=']) || name.is_empty()));

        let bytes = stdin(&hook, &event, &around);
        let read: Value = serde_json::from_slice(&bytes).expect("JSON");
        prop_assert!(read.is_object());
        prop_assert_eq!(bytes.split_inclusive(|b| *b == b'\n').count(), 1);
    }
}
