//! Property tests over payloads and decisions; ordinary cases are in `fixtures/kiro/`.

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::KIRO;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary::{any_decision, any_payload, any_verdict, verdict};

const KEYS: &[&str] = &[
    "hook_event_name",
    "cwd",
    "session_id",
    "prompt",
    "tool_name",
    "tool_input",
    "tool_response",
    "assistant_response",
    "operations",
    "mode",
    "path",
    "image_paths",
    "command",
    "success",
    "fs_read",
    "fs_write",
];

const NAMES: &[&str] = &[
    "agentSpawn",
    "userPromptSubmit",
    "preToolUse",
    "postToolUse",
    "stop",
    "preTaskExec",
    "postFileSave",
    "manual",
    "moonPhase",
];

/// The event in Kiro's spelling, from a hook of an agent file or of a hook file.
fn named(name: &str, hint: Option<&str>) -> Event {
    let payload = json!({
        "hook_event_name": name, "tool_name": "execute_bash",
        "tool_input": { "command": "rm -rf build" }, "prompt": "hi",
    });
    KIRO.parse(hint, payload.as_object().unwrap().clone())
        .unwrap()
}

fn pre_tool(hint: Option<&str>) -> Event {
    named("preToolUse", hint)
}

fn with_context(text: &str) -> Decision {
    Decision {
        context: Some(text.into()),
        ..Decision::default()
    }
}

/// Kiro's two hook forms.
#[derive(Debug, Clone, Copy, PartialEq)]
enum KiroForm {
    AgentFile,
    HookFile,
}

/// Kiro's interpretation of a reply.
#[derive(Debug, PartialEq)]
enum KiroOutcome<'a> {
    Nothing,
    /// Context for the model.
    Context(&'a str),
    /// Blocked, and the model gets the reason.
    Blocked(&'a str),
    /// The user is warned, and the action happens.
    Warned(&'a str),
}

/// By the exit codes of Kiro's predecessor and the documentation of hook files.
fn heard<'a>(form: KiroForm, name: &str, rendered: &'a Rendered) -> KiroOutcome<'a> {
    let (out, err) = (rendered.stdout.as_str(), rendered.stderr.as_str());
    let blocks = match form {
        KiroForm::AgentFile => name == "preToolUse",
        KiroForm::HookFile => matches!(name, "preToolUse" | "userPromptSubmit" | "preTaskExec"),
    };
    let reads = match form {
        KiroForm::AgentFile => matches!(name, "agentSpawn" | "userPromptSubmit"),
        KiroForm::HookFile => true,
    };
    match rendered.exit {
        0 if reads && !out.is_empty() => KiroOutcome::Context(out),
        0 => KiroOutcome::Nothing,
        2 if blocks => KiroOutcome::Blocked(err),
        _ => KiroOutcome::Warned(err),
    }
}

#[test]
fn the_command_line_tells_a_hook_file_from_an_agent_file() {
    for (hint, expected) in [
        (None, "preToolUse"),
        (Some("preToolUse"), "preToolUse"),
        (Some("PreToolUse"), "PreToolUse"),
        // The payload's own name takes precedence.
        (Some("Stop"), "preToolUse"),
        (Some("PreTaskExec"), "preToolUse"),
    ] {
        let event = pre_tool(hint);
        assert_eq!(event.native_name, expected, "{hint:?}");
        assert_eq!(event.kind(), EventKind::PreToolUse);
    }
    let start = named("agentSpawn", Some("AgentSpawn"));
    assert_eq!(start.native_name, "SessionStart");
}

#[test]
fn a_prompt_is_refused_in_a_hook_file_and_warned_about_in_an_agent_file() {
    let deny = verdict(Verdict::Deny);
    let rendered = KIRO.render(&named("userPromptSubmit", Some("UserPromptSubmit")), &deny);
    assert_eq!(
        heard(KiroForm::HookFile, "userPromptSubmit", &rendered),
        KiroOutcome::Blocked("refused by a hook\n")
    );
    assert!(rendered.lost.is_empty());
    let rendered = KIRO.render(&named("userPromptSubmit", Some("userPromptSubmit")), &deny);
    assert!(matches!(
        heard(KiroForm::AgentFile, "userPromptSubmit", &rendered),
        KiroOutcome::Warned(text) if text.starts_with("refused by a hook\n")
    ));
    assert_eq!(rendered.lost.len(), 1);
}

#[test]
fn context_is_plain_text_where_the_model_reads_it() {
    for (name, hint) in [
        ("agentSpawn", "agentSpawn"),
        ("agentSpawn", "SessionStart"),
        ("userPromptSubmit", "userPromptSubmit"),
        ("postToolUse", "PostToolUse"),
    ] {
        let rendered = KIRO.render(&named(name, Some(hint)), &with_context("CI is red"));
        assert_eq!((&*rendered.stdout, rendered.exit), ("CI is red\n", 0));
        assert!(rendered.lost.is_empty(), "{hint}");
    }
    for (name, hint) in [("preToolUse", "PreToolUse"), ("stop", "stop")] {
        let rendered = KIRO.render(&named(name, Some(hint)), &with_context("CI is red"));
        assert_eq!(rendered.stdout, "");
        assert_eq!(rendered.lost.len(), 1, "{hint}");
    }
}

#[test]
fn late_denial_is_reported_to_the_model_or_the_user() {
    let deny = verdict(Verdict::Deny);
    let file = KIRO.render(&named("postToolUse", Some("PostToolUse")), &deny);
    assert_eq!(
        heard(KiroForm::HookFile, "postToolUse", &file),
        KiroOutcome::Context("refused by a hook\n")
    );
    let agent = KIRO.render(&named("postToolUse", Some("postToolUse")), &deny);
    assert_eq!(
        heard(KiroForm::AgentFile, "postToolUse", &agent),
        KiroOutcome::Warned("refused by a hook\n")
    );
    let start = KIRO.render(&named("agentSpawn", None), &deny);
    assert!(matches!(
        heard(KiroForm::AgentFile, "agentSpawn", &start),
        KiroOutcome::Context(text) if text.contains("refused by a hook")
    ));
}

#[test]
fn output_that_kiro_will_cut_is_reported() {
    let lost = |bytes: usize| {
        let rendered = KIRO.render(
            &named("agentSpawn", None),
            &with_context(&"x".repeat(bytes)),
        );
        rendered.lost.len()
    };
    assert_eq!(lost(10 * 1024 - 1), 0);
    assert_eq!(lost(10 * 1024), 1);
    let huge = Decision {
        updated_input: Some(json!({ "content": "é".repeat(100_000) })),
        ..Decision::default()
    };
    let rendered = KIRO.render(&pre_tool(None), &huge);
    assert!(rendered.stderr.len() < 10 * 1024);
}

#[test]
fn a_read_of_several_files_names_them_all() {
    let call = |input: Value| {
        let payload =
            json!({ "hook_event_name": "preToolUse", "tool_name": "fs_read", "tool_input": input });
        let event = KIRO.parse(None, payload.as_object().unwrap().clone());
        event.unwrap().call().unwrap().clone()
    };
    let several = call(json!({ "mode": "Search", "path": "/decoy", "operations": [
        { "mode": "Line", "path": "/a" },
        { "mode": "Image", "image_paths": ["/b.png"] },
    ] }));
    assert_eq!(several.name, "Read");
    assert_eq!(several.paths(), ["/a", "/b.png"]);
    let image = call(json!({ "operations": [{ "mode": "Image", "image_paths": ["/b.png"] }] }));
    assert_eq!(image.paths(), ["/b.png"]);
    let search =
        call(json!({ "operations": [{ "mode": "Search", "path": "/a", "pattern": "x" }] }));
    assert_eq!(search.name, "Grep");
    assert_eq!(search.input["pattern"], json!("x"));
}

#[test]
fn a_tool_that_reports_failure_has_failed() {
    let payload = json!({
        "hook_event_name": "postToolUse", "tool_name": "execute_bash",
        "tool_response": { "success": false, "result": ["no such file"] },
    });
    let event = KIRO.parse(None, payload.as_object().unwrap().clone());
    match event.unwrap().data {
        EventData::PostToolUseFailure { error, call, .. } => {
            assert_eq!((&*error, &*call.name), ("no such file", "Bash"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn kiro_is_recognised_by_camel_case_and_by_sending_little() {
    let recognised = |payload: Value| {
        KIRO.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|_| true,
        })
    };
    let own = json!({ "hook_event_name": "agentSpawn", "cwd": "/" });
    assert_eq!(recognised(own), Recognition::Payload);
    let cursor = json!({ "hook_event_name": "preToolUse", "conversation_id": "c", "cwd": "/" });
    assert_eq!(recognised(cursor), Recognition::No);
    let claude = json!({ "hook_event_name": "PreToolUse", "cwd": "/" });
    assert_eq!(recognised(claude), Recognition::No);
}

proptest! {
    /// Any JSON object gives an event that keeps it whole, or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in any_payload("hook_event_name", NAMES.to_vec(), KEYS), hint in prop::option::of(prop::sample::select(NAMES))) {
        match KIRO.parse(hint, payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Ask, deny and a rewrite before a tool always stop it in either form; nothing else does, and no opinion gives
    /// no output.
    #[test]
    fn verdict_before_a_tool_is_applied(decision in any_decision(KEYS), trigger in any::<bool>()) {
        let (form, hint) = if trigger { (KiroForm::HookFile, "PreToolUse") } else { (KiroForm::AgentFile, "preToolUse") };
        let rendered = KIRO.render(&pre_tool(Some(hint)), &decision);
        let wanted = decision.verdict >= Verdict::Ask || decision.updated_input.is_some();
        let heard = heard(form, "preToolUse", &rendered);
        if wanted {
            prop_assert!(matches!(heard, KiroOutcome::Blocked(reason) if !reason.trim().is_empty()));
        } else {
            prop_assert_eq!(heard, KiroOutcome::Nothing);
        }
    }

    /// Any decision on any event exits with 0 or 2, and never prints to both streams.
    #[test]
    fn every_reply_is_one_that_kiro_reads(payload in any_payload("hook_event_name", NAMES.to_vec(), KEYS), decision in any_decision(KEYS)) {
        if let Ok(event) = KIRO.parse(None, payload) {
            let rendered = KIRO.render(&event, &decision);
            match rendered.exit {
                0 => prop_assert_eq!(rendered.stderr, ""),
                2 => prop_assert!(rendered.stdout.is_empty() && !rendered.stderr.trim().is_empty()),
                other => prop_assert!(false, "{}", other),
            }
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_never_becomes_permission(verdict in any_verdict()) {
        for kind in [Some(EventKind::PreToolUse), None] {
            let rendered = KIRO.render_unparsed(kind.as_ref(), verdict, "no");
            let blocked = matches!(
                heard(KiroForm::AgentFile, "preToolUse", &rendered),
                KiroOutcome::Blocked(text) if text.starts_with("no\n")
            );
            prop_assert_eq!(blocked, verdict > Verdict::Allow);
        }
    }
}
