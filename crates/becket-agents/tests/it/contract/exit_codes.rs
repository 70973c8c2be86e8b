//! Exit codes, signals and timeouts.

use becket_agents::contract::ProcessEnd;
use becket_model::Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent};
use becket_model::Verdict::{Ask, Deny, NoOpinion};
use becket_model::{Dialect, EventKind, FailureKind, OnFailure};

use super::{DIALECTS, ends, exits, hook, of_kind, pre_tool};

#[test]
fn each_exit_code_means_what_its_dialect_says() {
    let failed = Some(FailureKind::Exit);
    for (dialect, code, verdict, failure) in [
        (Autohand, 0, NoOpinion, None),
        (Autohand, 1, NoOpinion, failed),
        (Autohand, 2, Deny, None),
        (Autohand, 3, NoOpinion, failed),
        (Autohand, 127, NoOpinion, failed),
        (CodeAgent, 0, NoOpinion, None),
        (CodeAgent, 1, Deny, None),
        (CodeAgent, 2, Deny, None),
        (CodeAgent, 3, Deny, None),
        (CodeAgent, 126, Deny, failed),
        (CodeAgent, 127, Deny, failed),
        (ClaudeAgent, 0, NoOpinion, None),
        (ClaudeAgent, 1, Deny, None),
        (ClaudeAgent, 2, Deny, None),
        (ClaudeAgent, 3, Deny, None),
        // Not a policy block, but this dialect fails closed at events that can block.
        (ClaudeAgent, 127, Deny, failed),
        (Claude, 0, NoOpinion, None),
        (Claude, 1, NoOpinion, failed),
        (Claude, 2, Deny, None),
        (Claude, 3, NoOpinion, failed),
        (Claude, 127, NoOpinion, failed),
        (Becket, 0, NoOpinion, None),
        (Becket, 1, NoOpinion, failed),
        (Becket, 2, Deny, None),
        (Becket, 3, NoOpinion, failed),
        (Becket, 126, NoOpinion, failed),
    ] {
        let outcome = exits(dialect, &pre_tool(), code, "", "");
        assert_eq!(outcome.verdict, verdict, "{dialect:?} {code}");
        assert_eq!(
            outcome.failure.map(|f| f.kind),
            failure,
            "{dialect:?} {code}"
        );
    }
}

#[test]
fn a_blocking_exit_takes_its_reason_from_where_the_dialect_says() {
    let json = r#"{"stop_reason":"from json"}"#;
    for (dialect, code, stdout, stderr, reason) in [
        (Claude, 2, "", "from stderr\n", "from stderr"),
        (Claude, 2, json, "from stderr", "from stderr"),
        (Claude, 2, json, "", "from json"),
        (Claude, 2, "words", "", "blocked by hook `guard`"),
        (Autohand, 2, json, "from stderr", "from stderr"),
        (Autohand, 2, json, "", "from json"),
        (Becket, 2, json, "from stderr", "from stderr"),
        (Becket, 2, json, "", "from json"),
        (Becket, 2, "words", "", "words"),
        (CodeAgent, 1, json, "from stderr", "from stderr"),
        (CodeAgent, 1, json, "", "from json"),
        (CodeAgent, 1, "words", "", "words"),
        (CodeAgent, 1, "", "", "blocked by hook `guard`"),
        (ClaudeAgent, 1, json, "from stderr", "from json"),
        (ClaudeAgent, 1, "", "from stderr", "from stderr"),
        (
            ClaudeAgent,
            3,
            "",
            "",
            "hook `guard` blocked this with exit 3",
        ),
    ] {
        let outcome = exits(dialect, &pre_tool(), code, stdout, stderr);
        assert_eq!(outcome.verdict, Deny, "{dialect:?} {stdout} {stderr}");
        assert_eq!(outcome.reason.as_deref(), Some(reason), "{dialect:?}");
    }
}

#[test]
fn no_printed_allow_beats_a_blocking_exit_and_its_reason_does_not_explain_it() {
    let allow = r#"{"decision":"allow","reason":"fine","updatedInput":{"command":"ls"}}"#;
    for dialect in DIALECTS {
        let outcome = exits(dialect, &pre_tool(), 2, allow, "");
        assert_eq!(outcome.verdict, Deny, "{dialect:?}");
        assert_ne!(outcome.reason.as_deref(), Some("fine"), "{dialect:?}");
        assert_eq!(outcome.updated_input, None, "{dialect:?}");
    }
}

#[test]
fn claude_applies_a_reply_with_any_exit_code_but_two() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let outcome = exits(Claude, &pre_tool(), 1, deny, "noise");
    assert_eq!(outcome.verdict, Deny);
    assert_eq!(outcome.reason.as_deref(), Some("no"));
    assert_eq!(outcome.failure.map(|f| f.kind), Some(FailureKind::Exit));
}

#[test]
fn failing_becket_hook_can_deny_but_not_allow() {
    let allow = r#"{"decision":"allow","additionalContext":"x"}"#;
    let outcome = exits(Becket, &pre_tool(), 1, allow, "");
    assert_eq!((outcome.verdict, outcome.context), (NoOpinion, None));
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    let outcome = exits(Becket, &pre_tool(), 1, deny, "");
    assert_eq!(outcome.verdict, Deny);
    assert_eq!(outcome.reason.as_deref(), Some("no"));
    assert!(outcome.failure.is_some());
}

#[test]
fn autohand_reads_a_reply_only_after_success_or_a_block() {
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    assert_eq!(exits(Autohand, &pre_tool(), 1, deny, "").verdict, NoOpinion);
    let outcome = exits(
        Autohand,
        &pre_tool(),
        2,
        r#"{"continue":false,"stopReason":"enough"}"#,
        "",
    );
    assert_eq!(outcome.verdict, becket_model::Verdict::Halt);
    assert_eq!(outcome.reason.as_deref(), Some("enough"));
}

#[test]
fn a_hook_that_was_killed_late_cancelled_or_never_started_has_failed_whatever_it_printed() {
    let event = pre_tool();
    for (ending, kind) in [
        (ProcessEnd::Signaled(9), FailureKind::Exit),
        (ProcessEnd::TimedOut, FailureKind::TimedOut),
        (ProcessEnd::Cancelled, FailureKind::Cancelled),
        (
            ProcessEnd::NotStarted("no such file"),
            FailureKind::NotStarted,
        ),
    ] {
        for dialect in DIALECTS {
            let hook = hook(dialect, EventKind::PreToolUse);
            let outcome = ends(&hook, &event, ending);
            let closed =
                dialect == ClaudeAgent || (dialect == CodeAgent && kind == FailureKind::NotStarted);
            let expected = if closed { Deny } else { NoOpinion };
            assert_eq!(outcome.verdict, expected, "{dialect:?} {ending:?}");
            assert_eq!(outcome.context, None, "{dialect:?} {ending:?}");
            assert_eq!(outcome.failure.map(|f| f.kind), Some(kind), "{dialect:?}");
        }
    }
}

#[test]
fn on_failure_overrides_the_dialect_default() {
    let event = pre_tool();
    for dialect in DIALECTS {
        for ending in [
            ProcessEnd::TimedOut,
            ProcessEnd::Signaled(15),
            ProcessEnd::NotStarted("gone"),
            ProcessEnd::Exited(127),
        ] {
            for (on, verdict) in [
                (OnFailure::Ask, Ask),
                (OnFailure::Deny, Deny),
                (OnFailure::Allow, NoOpinion),
            ] {
                let mut hook = hook(dialect, EventKind::PreToolUse);
                hook.on_failure = Some(on);
                let outcome = ends(&hook, &event, ending);
                let honoured = dialect == Claude && ending == ProcessEnd::Exited(127);
                let expected = if honoured {
                    verdict.max(becket_model::Verdict::Allow)
                } else {
                    verdict
                };
                assert_eq!(outcome.verdict, expected, "{dialect:?} {ending:?} {on:?}");
                assert!(outcome.failure.is_some());
            }
        }
    }
}

#[test]
fn failure_messages_name_the_hook_and_the_cause() {
    let event = pre_tool();
    let message = |dialect: Dialect, ending: ProcessEnd<'_>| {
        let mut hook = hook(dialect, EventKind::PreToolUse);
        hook.timeout = std::time::Duration::from_millis(1500);
        ends(&hook, &event, ending)
            .failure
            .expect("a failure")
            .message
    };
    assert_eq!(
        message(Claude, ProcessEnd::TimedOut),
        "hook `guard` did not finish within its timeout of 1.5s"
    );
    assert_eq!(
        message(Claude, ProcessEnd::NotStarted("no such file")),
        "hook `guard` could not be started: no such file: ./guard.sh --strict"
    );
    assert_eq!(
        message(Claude, ProcessEnd::Signaled(9)),
        "hook `guard` was killed by signal 9 (SIGKILL)"
    );
    let outcome = exits(Autohand, &event, 7, "", "disk full\n");
    assert_eq!(
        outcome.failure.expect("a failure").message,
        "hook `guard` ended with exit code 7: disk full"
    );
    let outcome = exits(CodeAgent, &event, 127, "", "sh: nope: not found");
    let reason = outcome.reason.expect("a reason");
    assert!(reason.starts_with("hook could not run: "), "{reason}");
    assert!(reason.contains("sh: nope: not found"), "{reason}");
}

#[test]
fn a_block_counts_on_the_five_events_that_can_block_in_every_dialect() {
    for dialect in DIALECTS {
        for kind in EventKind::ALL.iter().filter(|kind| kind.can_block()) {
            let outcome = exits(dialect, &of_kind(kind), 2, "", "no");
            assert_eq!(outcome.verdict, Deny, "{dialect:?} {kind}");
        }
    }
}

#[test]
fn a_block_on_any_other_event_is_recorded_and_three_dialects_do_not_apply_it() {
    let others = EventKind::ALL
        .iter()
        .filter(|kind| !kind.can_block())
        .filter(|kind| !matches!(kind, EventKind::Stop | EventKind::SubagentStop));
    for kind in others {
        for dialect in DIALECTS {
            let by_exit = exits(dialect, &of_kind(kind), 2, "", "no");
            let by_reply = super::says(
                dialect,
                &of_kind(kind),
                r#"{"decision":"block","reason":"no"}"#,
            );
            for outcome in [by_exit, by_reply] {
                let expected = match dialect {
                    Claude | Becket => Deny,
                    _ => NoOpinion,
                };
                assert_eq!(outcome.verdict, expected, "{dialect:?} {kind}");
                assert_eq!(outcome.reason.as_deref(), Some("no"), "{dialect:?} {kind}");
                assert_eq!(outcome.failure, None, "{dialect:?} {kind}");
                assert_eq!(outcome.keep_going, None, "{dialect:?} {kind}");
            }
        }
    }
}

#[test]
fn a_block_at_a_stop_means_keep_going_for_the_dialects_that_know_it() {
    for kind in [EventKind::Stop, EventKind::SubagentStop] {
        for dialect in DIALECTS {
            let by_exit = exits(dialect, &of_kind(&kind), 2, "", "tests fail");
            let by_reply = super::says(
                dialect,
                &of_kind(&kind),
                r#"{"decision":"block","reason":"tests fail"}"#,
            );
            for outcome in [by_exit, by_reply] {
                let knows = matches!(dialect, Claude | CodeAgent | Becket);
                assert_eq!(outcome.verdict, NoOpinion, "{dialect:?} {kind}");
                assert_eq!(outcome.reason.as_deref(), Some("tests fail"));
                assert_eq!(
                    outcome.keep_going.as_deref(),
                    knows.then_some("tests fail"),
                    "{dialect:?} {kind}"
                );
            }
        }
    }
}

#[test]
fn a_broken_stop_hook_never_keeps_the_agent_working() {
    for kind in [EventKind::Stop, EventKind::SubagentStop] {
        for dialect in DIALECTS {
            let mut hook = hook(dialect, kind.clone());
            hook.on_failure = Some(OnFailure::Deny);
            for ending in [
                ProcessEnd::TimedOut,
                ProcessEnd::NotStarted("gone"),
                ProcessEnd::Signaled(6),
            ] {
                let outcome = ends(&hook, &of_kind(&kind), ending);
                assert_eq!(outcome.verdict, NoOpinion, "{dialect:?} {kind} {ending:?}");
                assert_eq!(outcome.keep_going, None, "{dialect:?} {kind} {ending:?}");
                assert!(outcome.failure.is_some());
            }
        }
    }
}
