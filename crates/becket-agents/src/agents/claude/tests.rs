//! Property tests over payloads and decisions; ordinary cases are in `fixtures/claude/`.

use becket_model::{Decision, Event, EventData, EventKind, SessionId, ToolCall, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::CLAUDE;
use super::events::{EVENTS, UNKNOWN};
use crate::adapter::{Adapter, Rendered};

fn event(payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    CLAUDE.parse(None, payload).unwrap()
}

fn bash() -> Event {
    event(&json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "rm -rf build" },
    }))
}

fn named(name: &str) -> Event {
    event(
        &json!({ "hook_event_name": name, "tool_name": "Bash", "tool_input": {}, "prompt": "hi" }),
    )
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

fn printed(rendered: &Rendered) -> Value {
    serde_json::from_str(&rendered.stdout).unwrap_or_else(|e| panic!("{}: {e}", rendered.stdout))
}

fn specific(rendered: &Rendered) -> Value {
    printed(rendered)["hookSpecificOutput"].clone()
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for native in &EVENTS {
        let rendered = CLAUDE.render(&named(native.native), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", native.native);
    }
}

/// Claude Code ignores an output that does not have the shape of the tool's own (2.1.325), and shows the model the
/// original.
#[test]
fn replaced_output_needs_the_shape_of_the_tools_own() {
    let sent = |stdout: &str| json!({ "stdout": stdout, "stderr": "", "interrupted": false });
    let ended = event(&json!({
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": sent("key=1"),
    }));
    let replace = |output: Value| {
        let decision = Decision {
            updated_output: Some(output),
            ..Decision::default()
        };
        CLAUDE.render(&ended, &decision)
    };
    let rendered = replace(sent("key=***"));
    assert_eq!(specific(&rendered)["updatedToolOutput"], sent("key=***"));
    assert_eq!(rendered.lost, [] as [&str; 0]);
    for other in [
        json!("key=***"),
        json!({ "stdout": "key=***", "stderr": "" }),
        json!({ "stdout": ["key=***"], "stderr": "", "interrupted": false }),
    ] {
        let rendered = replace(other);
        let message = printed(&rendered)["systemMessage"].to_string();
        assert!(message.contains("only in the shape"), "{rendered:?}");
        assert_eq!(printed(&rendered).as_object().unwrap().len(), 1);
        assert_eq!(rendered.lost.len(), 1, "{rendered:?}");
    }
}

#[test]
fn a_refusal_without_a_reason_still_has_one() {
    let rendered = CLAUDE.render(&bash(), &verdict(Verdict::Deny));
    assert_eq!(
        specific(&rendered)["permissionDecisionReason"],
        json!("refused by a hook")
    );
    let blank = Decision {
        reason: Some(" ".into()),
        ..verdict(Verdict::Deny)
    };
    let rendered = CLAUDE.render(&named("TaskCreated"), &blank);
    assert_eq!(
        (rendered.exit, &*rendered.stderr),
        (2, "refused by a hook\n")
    );
}

#[test]
fn a_halt_before_a_tool_denies_it_too() {
    let rendered = CLAUDE.render(&bash(), &verdict(Verdict::Halt));
    let reply = printed(&rendered);
    assert_eq!(reply["continue"], json!(false));
    assert_eq!(
        reply["hookSpecificOutput"]["permissionDecision"],
        json!("deny")
    );
}

#[test]
fn a_rewrite_that_is_no_object_is_refused_because_claude_would_run_the_original() {
    for kind in ["PreToolUse", "PermissionRequest"] {
        for own in [Verdict::NoOpinion, Verdict::Allow, Verdict::Ask] {
            let decision = Decision {
                updated_input: Some(json!(["rm", "-i"])),
                ..verdict(own)
            };
            let rendered = CLAUDE.render(&named(kind), &decision);
            let text = rendered.stdout.clone();
            assert!(
                text.contains("deny") && text.contains("-i"),
                "{kind} {own}: {text}"
            );
            assert_eq!(rendered.lost.len(), 1, "{kind} {own}");
        }
    }
}

#[test]
fn a_huge_rewrite_is_not_repeated_whole_in_a_refusal() {
    let decision = Decision {
        updated_input: Some(json!({ "content": "é".repeat(1_000_000) })),
        ..verdict(Verdict::Ask)
    };
    let rendered = CLAUDE.render(&named("PermissionRequest"), &decision);
    assert!(rendered.stdout.len() < 20_000);
}

#[test]
fn a_question_becomes_a_refusal_where_only_refusing_is_possible() {
    for kind in [
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PreCompact",
        "ConfigChange",
        "ElicitationResult",
        "TaskCreated",
        "TaskCompleted",
        "WorktreeCreate",
    ] {
        let (asked, denied) = (
            CLAUDE.render(&named(kind), &verdict(Verdict::Ask)),
            CLAUDE.render(&named(kind), &verdict(Verdict::Deny)),
        );
        assert_eq!(
            (&asked.stdout, asked.exit),
            (&denied.stdout, denied.exit),
            "{kind}"
        );
        assert!(asked.lost.len() > denied.lost.len(), "{kind}");
    }
}

#[test]
fn a_question_at_stop_does_not_keep_the_agent_going() {
    for kind in ["Stop", "SubagentStop", "TeammateIdle"] {
        let rendered = CLAUDE.render(&named(kind), &verdict(Verdict::Ask));
        assert_eq!(rendered.exit, 0, "{kind}");
        assert_eq!(printed(&rendered).get("decision"), None, "{kind}");
    }
}

#[test]
fn a_reply_repeats_the_name_that_claude_gave_not_the_kind_that_becket_sees() {
    let failed = event(&json!({
        "hook_event_name": "PostToolUse", "tool_name": "X", "tool_response": { "is_error": true },
    }));
    assert_eq!(failed.kind(), EventKind::PostToolUseFailure);
    let decision = Decision {
        context: Some("see the log".into()),
        ..Decision::default()
    };
    let rendered = CLAUDE.render(&failed, &decision);
    assert_eq!(specific(&rendered)["hookEventName"], json!("PostToolUse"));
}

#[test]
fn an_event_that_was_not_parsed_here_is_answered_by_its_kind() {
    let call = ToolCall::new("Bash", json!({ "command": "ls" }));
    let data = EventData::PreToolUse { call };
    let mut event = Event::new(
        becket_model::AgentId::new(CLAUDE.id),
        SessionId::default(),
        data,
    );
    event.native_name = "beforeShellExecution".into();
    let rendered = CLAUDE.render(&event, &verdict(Verdict::Deny));
    assert_eq!(specific(&rendered)["hookEventName"], json!("PreToolUse"));
}

#[test]
fn context_that_claude_will_put_in_a_file_is_reported() {
    let with = |text: String| {
        let decision = Decision {
            context: Some(text),
            ..Decision::default()
        };
        CLAUDE.render(&named("SessionStart"), &decision)
    };
    // Claude counts UTF-16 units: an accented letter is one, an emoji is two.
    assert!(with("é".repeat(10_000)).lost.is_empty());
    assert_eq!(with("é".repeat(10_001)).lost.len(), 1);
    assert_eq!(with("😀".repeat(5_001)).lost.len(), 1);
}

#[test]
fn context_before_a_compaction_is_never_mistaken_for_json() {
    let decision = Decision {
        context: Some("{\"keep\": \"API notes\"}".into()),
        ..Decision::default()
    };
    let rendered = CLAUDE.render(&named("PreCompact"), &decision);
    assert_eq!(rendered.stdout, "Note: {\"keep\": \"API notes\"}\n");
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |kind: Option<EventKind>, verdict| {
        CLAUDE.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    let asked = unread(Some(EventKind::PreToolUse), Verdict::Ask);
    assert_eq!(
        specific(&asked),
        json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": "the payload is truncated",
        })
    );
    let denied = unread(Some(EventKind::PermissionRequest), Verdict::Deny);
    assert_eq!(
        specific(&denied)["decision"],
        json!({ "behavior": "deny", "message": "the payload is truncated" })
    );
    let dialog = unread(Some(EventKind::PermissionRequest), Verdict::Ask);
    assert_eq!((&*dialog.stdout, dialog.exit), ("", 0));

    let nameless = unread(None, Verdict::Ask);
    assert_eq!((&*nameless.stdout, nameless.exit), ("", 2));
    assert!(nameless.stderr.starts_with("the payload is truncated\n"));
    assert!(!nameless.lost.is_empty());

    for silent in [Verdict::NoOpinion, Verdict::Allow] {
        assert_eq!(
            unread(Some(EventKind::PreToolUse), silent),
            Rendered::default()
        );
        assert_eq!(unread(None, silent), Rendered::default());
    }
}

/// The keys that the parser reads, so that random tests reach them.
const KEYS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "transcript_path",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "duration_ms",
    "prompt",
    "source",
    "agent_id",
    "agent_type",
    "error",
    "file_path",
    "is_error",
    "success",
    "message",
];

fn any_name() -> impl Strategy<Value = String> {
    let own: Vec<String> = EVENTS.iter().map(|e| e.native.to_owned()).collect();
    prop_oneof![4 => prop::sample::select(own), 1 => ".{0,12}"]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    let known = prop::sample::select(KEYS).prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => ".{0,6}"]
}

fn any_payload() -> impl Strategy<Value = Map<String, Value>> {
    (vec((any_key(), any_value()), 0..10), option::of(any_name())).prop_map(|(members, name)| {
        let mut payload: Map<String, Value> = members.into_iter().collect();
        if let Some(name) = name {
            payload.insert("hook_event_name".into(), name.into());
        }
        payload
    })
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(&[
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ])
}

fn any_decision() -> impl Strategy<Value = Decision> {
    let text = || option::of(".{0,20}");
    (
        any_verdict(),
        (text(), text(), text(), text()),
        option::of(any_value()),
        any::<bool>(),
    )
        .prop_map(
            |(verdict, (reason, context, message, going), input, quiet)| Decision {
                verdict,
                reason,
                context,
                system_message: message,
                keep_going: going,
                updated_input: input,
                suppress_logging: quiet,
                ..Decision::default()
            },
        )
}

/// The rules by which Claude rejects a whole reply; breaking one loses the decision.
fn accepted(name: &str, rendered: &Rendered) {
    assert!(matches!(rendered.exit, 0 | 2), "{rendered:?}");
    if rendered.exit == 2 || rendered.stdout.is_empty() {
        assert!(rendered.stdout.is_empty(), "{rendered:?}");
        return;
    }
    if !rendered.stdout.starts_with('{') {
        assert!(matches!(name, "PreCompact" | "PostCompact"), "{rendered:?}");
        return;
    }
    assert_eq!(rendered.stdout.lines().count(), 1, "{rendered:?}");
    let reply = printed(rendered);
    if let Some(specific) = reply.get("hookSpecificOutput") {
        assert_eq!(specific["hookEventName"], json!(name));
        assert!(specific.get("updatedInput").is_none_or(Value::is_object));
    }
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload(), hint in option::of(any_name())) {
        match CLAUDE.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any decision on any event gives a reply that Claude accepts.
    #[test]
    fn every_reply_is_one_that_claude_accepts(payload in any_payload(), decision in any_decision()) {
        if let Ok(event) = CLAUDE.parse(None, payload) {
            let known = CLAUDE.find(&event.native_name).map_or(UNKNOWN.native, |n| n.native);
            accepted(known, &CLAUDE.render(&event, &decision));
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_has_an_acceptable_answer_too(name in option::of(any_name()), verdict in any_verdict()) {
        let kind = name.as_deref().map(EventKind::parse);
        let rendered = CLAUDE.render_unparsed(kind.as_ref(), verdict, "no");
        let native = kind.as_ref().and_then(|kind| CLAUDE.find(kind.name()));
        accepted(native.map_or(UNKNOWN.native, |n| n.native), &rendered);
    }

    /// A denial before a tool is always rendered, without a rewrite.
    #[test]
    fn denial_before_a_tool_is_always_rendered(mut decision in any_decision(), halt in any::<bool>()) {
        decision.verdict = if halt { Verdict::Halt } else { Verdict::Deny };
        let rendered = CLAUDE.render(&bash(), &decision);
        let specific = specific(&rendered);
        prop_assert_eq!(&specific["permissionDecision"], &json!("deny"));
        prop_assert_eq!(specific.get("updatedInput"), None);
        let stops = printed(&rendered).get("continue").cloned();
        prop_assert_eq!(stops, halt.then_some(json!(false)));
        prop_assert_eq!(rendered.exit, 0);
    }

    /// No decision stricter than no opinion is rendered as `allow`.
    #[test]
    fn only_an_allow_allows(decision in any_decision()) {
        let stdout = CLAUDE.render(&bash(), &decision).stdout;
        let allowed = stdout.contains(r#""permissionDecision":"allow""#);
        let rewrite_fits = decision.updated_input.as_ref().is_none_or(Value::is_object);
        prop_assert_eq!(allowed, decision.verdict == Verdict::Allow && rewrite_fits);
    }
}
