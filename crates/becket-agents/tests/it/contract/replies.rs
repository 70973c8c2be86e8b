//! Hook output.

use becket_agents::contract::{OutputForm, ProcessEnd, ProcessOutput, interpret, parse_reply};
use becket_model::Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent};
use becket_model::Verdict::{Allow, Ask, Deny, Halt, NoOpinion};
use becket_model::{EventData, EventKind, FailureKind, Verdict};
use serde_json::{Value, json};

use super::{DIALECTS, call, event, every_event, hook, of_kind, pre_tool, says};

#[test]
fn every_field_of_every_dialect_is_understood_by_all() {
    for (reply, verdict, reason) in [
        (
            json!({ "decision": "allow", "reason": "r" }),
            Allow,
            Some("r"),
        ),
        (
            json!({ "decision": "approve", "reason": "r" }),
            Allow,
            Some("r"),
        ),
        (
            json!({ "decision": "deny", "reason": "r" }),
            Deny,
            Some("r"),
        ),
        (
            json!({ "decision": "BLOCK", "reason": "r" }),
            Deny,
            Some("r"),
        ),
        (json!({ "decision": " Ask " }), Ask, None),
        (json!({ "decision": "continue" }), NoOpinion, None),
        (json!({ "decision": "observe" }), NoOpinion, None),
        (
            json!({ "decision": "warn", "reason": "r" }),
            Allow,
            Some("r"),
        ),
        (
            json!({ "action": "block", "message": "m" }),
            Deny,
            Some("m"),
        ),
        (json!({ "action": "allow" }), Allow, None),
        (
            json!({ "permission": "deny" }),
            Deny,
            Some("blocked by hook `guard`"),
        ),
        (
            json!({ "permissionDecision": "ask", "permissionDecisionReason": "p" }),
            Ask,
            Some("p"),
        ),
        (
            json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "p" }, "reason": "r" }),
            Deny,
            Some("p"),
        ),
        (
            json!({ "hookSpecificOutput": { "permissionDecision": "defer" } }),
            Ask,
            None,
        ),
        (
            json!({ "hookSpecificOutput": { "decision": { "behavior": "deny", "message": "m" } } }),
            Deny,
            Some("m"),
        ),
        (
            json!({ "hookSpecificOutput": { "decision": { "behavior": "deny", "message": "m", "interrupt": true } } }),
            Halt,
            Some("m"),
        ),
        (
            json!({ "hookSpecificOutput": { "decision": { "behavior": "allow", "interrupt": true } } }),
            Allow,
            None,
        ),
        (json!({ "continue": true }), NoOpinion, None),
        (
            json!({ "continue": false, "stopReason": "s", "reason": "r" }),
            Halt,
            Some("s"),
        ),
        (json!({ "continue_execution": true }), NoOpinion, None),
        (
            json!({ "continue_execution": false, "stop_reason": "s" }),
            Deny,
            Some("s"),
        ),
        (
            json!({ "decision": null, "reason": null, "continue": true, "stopReason": null }),
            NoOpinion,
            None,
        ),
        (json!({ "unknown": "key" }), NoOpinion, None),
        (json!({}), NoOpinion, None),
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), &reply.to_string());
            assert_eq!(outcome.verdict, verdict, "{dialect:?} {reply}");
            assert_eq!(outcome.reason.as_deref(), reason, "{dialect:?} {reply}");
            assert_eq!(outcome.failure, None, "{dialect:?} {reply}");
        }
    }
}

#[test]
fn strictest_of_contradicting_fields_wins() {
    for (reply, verdict, reason) in [
        (
            r#"{"decision":"allow","reason":"fine","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            Deny,
            "no",
        ),
        (
            r#"{"continue_execution":false,"decision":"allow","stop_reason":"s"}"#,
            Deny,
            "s",
        ),
        (
            r#"{"decision":"deny","reason":"r","continue":false,"stopReason":"s"}"#,
            Halt,
            "s",
        ),
        (
            r#"{"decision":"ask","permission":"allow","reason":"r"}"#,
            Ask,
            "r",
        ),
        // Most parsers read a repeated key as its last value.
        (
            r#"{"decision":"deny","decision":"allow","reason":"r"}"#,
            Deny,
            "r",
        ),
        (
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"},"reason":"r"}"#,
            Deny,
            "r",
        ),
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), reply);
            assert_eq!(outcome.verdict, verdict, "{dialect:?} {reply}");
            assert_eq!(
                outcome.reason.as_deref(),
                Some(reason),
                "{dialect:?} {reply}"
            );
        }
    }
}

#[test]
fn allow_approves_only_pending_calls() {
    for event in every_event() {
        for dialect in DIALECTS {
            let outcome = says(dialect, &event, r#"{"decision":"allow"}"#);
            let expected = match event.kind() {
                EventKind::PreToolUse | EventKind::PermissionRequest => Allow,
                _ => NoOpinion,
            };
            assert_eq!(outcome.verdict, expected, "{dialect:?} {}", event.kind());
        }
    }
}

#[test]
fn a_reply_is_found_whole_or_in_the_last_line_that_is_one() {
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    let pretty = "{\n  \"decision\": \"deny\",\n  \"reason\": \"r\"\n}\n";
    for stdout in [
        deny.to_owned(),
        format!("\u{feff}  {deny}  \r\n"),
        pretty.to_owned(),
        format!("shell profile noise\n{deny}\n"),
        format!("{deny}\ngoodbye\n"),
        format!("{{\"decision\":\"allow\"}}\n{deny}\n"),
        format!("{{ not json }}\n{deny}\n"),
        format!("shell profile noise\n{pretty}"),
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), &stdout);
            assert_eq!(outcome.verdict, Deny, "{dialect:?} {stdout}");
            assert_eq!(outcome.reason.as_deref(), Some("r"), "{dialect:?} {stdout}");
        }
    }
    for (stdout, form) in [
        ("", OutputForm::Empty),
        (" \n\t", OutputForm::Empty),
        ("hello", OutputForm::Text("hello".into())),
        ("[1]", OutputForm::Text("[1]".into())),
        ("true", OutputForm::Text("true".into())),
        ("{\"decision\":", OutputForm::Broken),
        ("{}", OutputForm::Object),
    ] {
        assert_eq!(parse_reply(stdout).form, form, "{stdout:?}");
    }
}

#[test]
fn plain_text_goes_where_its_dialect_says() {
    for event in every_event() {
        let kind = event.kind();
        for dialect in DIALECTS {
            let outcome = says(dialect, &event, "  note\n");
            let to_model = match dialect {
                CodeAgent => true,
                Claude | Becket => {
                    matches!(kind, EventKind::SessionStart | EventKind::UserPromptSubmit)
                }
                _ => false,
            };
            let note = Some("note");
            assert_eq!(
                outcome.context.as_deref(),
                note.filter(|_| to_model),
                "{dialect:?} {kind}"
            );
            let to_person = dialect == Autohand;
            assert_eq!(
                outcome.system_message.as_deref(),
                note.filter(|_| to_person),
                "{dialect:?} {kind}"
            );
            assert_eq!(outcome.verdict, NoOpinion);
        }
    }
    for name in ["UserPromptExpansion", "PostModelSwitch"] {
        let other = event(
            "claude",
            EventData::Other {
                name: name.into(),
                subject: None,
            },
        );
        assert_eq!(
            says(Claude, &other, "note").context.as_deref(),
            Some("note"),
            "{name}"
        );
    }
}

#[test]
fn reply_with_an_unknown_word_or_wrong_type_is_a_failure() {
    for reply in [
        r#"{"decision":"maybe"}"#,
        r#"{"decision":""}"#,
        r#"{"decision":true}"#,
        r#"{"decision":{"behavior":"perhaps"}}"#,
        r#"{"action":"error","message":"model offline"}"#,
        r#"{"continue":"false"}"#,
        r#"{"continue_execution":0}"#,
        r#"{"decision":"allow","reason":5}"#,
        r#"{"decision":"allow","additionalContext":["x"]}"#,
        r#"{"decision":"allow","systemMessage":{}}"#,
        r#"{"decision":"allow","suppressOutput":"yes"}"#,
        r#"{"decision":"allow","hookSpecificOutput":"x"}"#,
        r#"{"decision":"allow","updatedInput":7}"#,
        r#"{"decision":"allow","updatedInput":["rm"]}"#,
        r#"{"decision":"allow""#,
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), reply);
            let expected = if dialect == ClaudeAgent {
                Deny
            } else {
                NoOpinion
            };
            assert_eq!(outcome.verdict, expected, "{dialect:?} {reply}");
            assert_eq!(outcome.updated_input, None, "{dialect:?} {reply}");
            assert_eq!(outcome.context, None, "{dialect:?} {reply}");
            let failure = outcome.failure.expect("a failure");
            assert_eq!(failure.kind, FailureKind::BadReply, "{dialect:?} {reply}");
            assert!(failure.message.contains("`guard`"), "{}", failure.message);
        }
    }
}

#[test]
fn restrictions_of_an_invalid_reply_are_kept() {
    for reply in [
        r#"{"decision":"deny","reason":5}"#,
        r#"{"continue":1,"permissionDecision":"deny"}"#,
        r#"{"decision":"block","updatedInput":"x"}"#,
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), reply);
            assert_eq!(outcome.verdict, Deny, "{dialect:?} {reply}");
            assert!(outcome.failure.is_some(), "{dialect:?} {reply}");
        }
    }
}

#[test]
fn the_failure_policy_of_the_hook_decides_about_a_bad_reply() {
    let mut strict = hook(Claude, EventKind::PreToolUse);
    strict.on_failure = Some(becket_model::OnFailure::Deny);
    let ran = ProcessOutput {
        ending: ProcessEnd::Exited(0),
        stdout: b"{\"decision\": \"al",
        stderr: b"",
        truncated: true,
    };
    let outcome = interpret(&strict, &pre_tool(), &ran);
    assert_eq!(outcome.verdict, Deny);
    let reason = outcome.reason.expect("a reason");
    assert!(reason.contains("truncated at the limit"), "{reason}");
}

#[test]
fn claude_refuses_a_reply_about_another_event_but_not_its_deny() {
    let about = |event: &str, word: &str| {
        json!({ "hookSpecificOutput": { "hookEventName": event, "permissionDecision": word } })
            .to_string()
    };
    let outcome = says(Claude, &pre_tool(), &about("PostToolUse", "allow"));
    assert_eq!(outcome.verdict, NoOpinion);
    assert_eq!(outcome.failure.map(|f| f.kind), Some(FailureKind::BadReply));
    assert_eq!(
        says(Claude, &pre_tool(), &about("PostToolUse", "deny")).verdict,
        Deny
    );
    assert_eq!(
        says(Becket, &pre_tool(), &about("PostToolUse", "allow")).verdict,
        Allow
    );
}

#[test]
fn texts_for_the_model_and_the_person_come_through_under_all_their_names() {
    for (reply, context, message) in [
        (
            json!({ "additionalContext": "c", "systemMessage": "m" }),
            Some("c"),
            Some("m"),
        ),
        (
            json!({ "additional_context": "c", "system_message": "m" }),
            Some("c"),
            Some("m"),
        ),
        (
            json!({ "hookSpecificOutput": { "additionalContext": "c" } }),
            Some("c"),
            None,
        ),
        (
            json!({ "additionalContext": "a", "hookSpecificOutput": { "additionalContext": "b" } }),
            Some("a\nb"),
            None,
        ),
        (
            json!({ "additionalContext": "a", "hookSpecificOutput": { "additionalContext": "a" } }),
            Some("a"),
            None,
        ),
        (
            json!({ "decision": "continue", "message": "c" }),
            Some("c"),
            None,
        ),
        (
            json!({ "decision": "warn", "reason": "c" }),
            Some("c"),
            None,
        ),
        (json!({ "additionalContext": "  " }), None, None),
    ] {
        for dialect in DIALECTS {
            let outcome = says(dialect, &pre_tool(), &reply.to_string());
            assert_eq!(outcome.context.as_deref(), context, "{dialect:?} {reply}");
            assert_eq!(
                outcome.system_message.as_deref(),
                message,
                "{dialect:?} {reply}"
            );
        }
    }
    let allowed = r#"{"action":"allow","message":"looked at it"}"#;
    assert_eq!(
        says(CodeAgent, &pre_tool(), allowed).context.as_deref(),
        Some("looked at it")
    );
    assert_eq!(says(Claude, &pre_tool(), allowed).context, None);
    for key in ["suppressOutput", "suppress_logging"] {
        assert!(says(Claude, &pre_tool(), &json!({ key: true }).to_string()).suppress_logging);
        assert!(!says(Claude, &pre_tool(), &json!({ key: false }).to_string()).suppress_logging);
    }
}

#[test]
fn a_rewrite_is_merged_in_autohand_and_replaces_elsewhere() {
    let data = EventData::PreToolUse {
        call: call("Bash", json!({ "command": "ls", "timeout": 5 })),
    };
    let event = event("claude", data);
    for key in ["updatedInput", "updated_input", "modifiedInput"] {
        let reply = json!({ key: { "command": "ls -l" } }).to_string();
        for dialect in DIALECTS {
            let expected = match dialect {
                Autohand => json!({ "command": "ls -l", "timeout": 5 }),
                _ => json!({ "command": "ls -l" }),
            };
            let outcome = says(dialect, &event, &reply);
            assert_eq!(outcome.updated_input, Some(expected), "{dialect:?} {key}");
            assert_eq!(outcome.verdict, NoOpinion, "{dialect:?} {key}");
        }
    }
    let nested = json!({ "hookSpecificOutput": { "decision": { "behavior": "allow", "updatedInput": { "command": "true" } } } });
    let outcome = says(Claude, &event, &nested.to_string());
    assert_eq!(outcome.updated_input, Some(json!({ "command": "true" })));
}

#[test]
fn a_rewrite_as_a_json_string_is_code_agents_custom() {
    let reply = json!({ "modifiedInput": "{\"command\":\"true\"}" }).to_string();
    for dialect in DIALECTS {
        let outcome = says(dialect, &pre_tool(), &reply);
        let taken = matches!(dialect, CodeAgent | Becket);
        assert_eq!(outcome.updated_input.is_some(), taken, "{dialect:?}");
        assert_eq!(outcome.failure.is_none(), taken, "{dialect:?}");
    }
    let reply = json!({ "modifiedInput": "[1]" }).to_string();
    let outcome = says(CodeAgent, &pre_tool(), &reply);
    assert_eq!(outcome.failure.map(|f| f.kind), Some(FailureKind::BadReply));
}

#[test]
fn autohand_refuses_reserved_keys_in_a_rewrite() {
    for key in ["type", "tool", "__proto__", "prototype", "constructor"] {
        let reply = json!({ "updatedInput": { key: "delete_path", "command": "x" } }).to_string();
        let outcome = says(Autohand, &pre_tool(), &reply);
        assert_eq!(outcome.updated_input, None, "{key}");
        assert_eq!(
            outcome.failure.map(|f| f.kind),
            Some(FailureKind::BadReply),
            "{key}"
        );
    }
    let searching = EventData::PreToolUse {
        call: call("Grep", json!({ "pattern": "x", "type": "rust" })),
    };
    let echoed = json!({ "updatedInput": { "pattern": "y", "type": "rust" } }).to_string();
    let outcome = says(Autohand, &event("claude", searching), &echoed);
    assert_eq!(
        outcome.updated_input,
        Some(json!({ "pattern": "y", "type": "rust" }))
    );
}

#[test]
fn a_rewrite_counts_only_before_the_call() {
    for event in every_event() {
        let outcome = says(Claude, &event, r#"{"updatedInput":{"command":"x"}}"#);
        let before = matches!(
            event.kind(),
            EventKind::PreToolUse | EventKind::PermissionRequest
        );
        assert_eq!(outcome.updated_input.is_some(), before, "{}", event.kind());
    }
}

#[test]
fn a_stop_that_is_both_blocked_and_halted_ends() {
    let reply = r#"{"decision":"block","reason":"go on","continue":false,"stopReason":"enough"}"#;
    let outcome = says(Claude, &of_kind(&EventKind::Stop), reply);
    assert_eq!((outcome.verdict, outcome.keep_going), (Halt, None));
    let outcome = says(CodeAgent, &of_kind(&EventKind::Stop), reply);
    assert_eq!((outcome.verdict, outcome.keep_going), (NoOpinion, None));
}

#[test]
fn texts_are_safe_for_a_terminal_and_bounded() {
    let reply = json!({
        "decision": "deny",
        "reason": "\u{1b}]52;c;c2VjcmV0\u{7}no\u{1b}[2J",
        "systemMessage": "\u{9b}31mred",
        "additionalContext": format!("{}é", "x".repeat(70_000)),
    });
    let outcome = says(Claude, &pre_tool(), &reply.to_string());
    assert_eq!(outcome.reason.as_deref(), Some("no"));
    assert_eq!(outcome.system_message.as_deref(), Some("red"));
    let context = outcome.context.expect("a context");
    assert!(context.len() <= 64 * 1024 && context.ends_with("[truncated]"));

    let outcome = super::exits(Claude, &pre_tool(), 2, "", &"é".repeat(50_000));
    let reason = outcome.reason.expect("a reason");
    assert!(reason.len() <= 8 * 1024 && reason.ends_with("[truncated]"));

    let outcome = super::exits(Claude, &pre_tool(), 2, "", "\u{1b}[0m \r\n");
    assert_eq!(outcome.reason.as_deref(), Some("blocked by hook `guard`"));
}

#[test]
fn output_that_was_cut_says_so() {
    let ran = ProcessOutput {
        ending: ProcessEnd::Exited(0),
        stdout: b"a long story",
        stderr: b"",
        truncated: true,
    };
    let event = of_kind(&EventKind::SessionStart);
    let outcome = interpret(&hook(Claude, EventKind::SessionStart), &event, &ran);
    assert_eq!(outcome.context.as_deref(), Some("a long story[truncated]"));
}

#[test]
fn parsed_reply_lists_its_keys_and_problems() {
    let reply = parse_reply(
        r#"{"decision":"deny","reason":"r","message":"m","continue":3,"hookSpecificOutput":{"hookEventName":"PreToolUse"}}"#,
    );
    assert_eq!(reply.verdict, Verdict::Deny);
    assert_eq!(reply.reason.as_deref(), Some("r"));
    assert_eq!(reply.message.as_deref(), Some("m"));
    assert_eq!(reply.event_name.as_deref(), Some("PreToolUse"));
    assert_eq!(reply.problems, ["`continue` is not true or false"]);
    assert_eq!(
        parse_reply(r#"{"updatedInput":null}"#).updated_input,
        None::<Value>
    );
}
