//! Verdicts, outcomes and decisions.

use std::time::Duration;

use becket_model::merge::rewrite_conflict;
use becket_model::{Decision, FailureKind, HookOutcome, HookRun, Trace, Verdict, merge};
use serde_json::{Value, json};

fn run(hook: &str, outcome: HookOutcome) -> HookRun {
    HookRun {
        hook: hook.into(),
        outcome,
        took: Duration::from_millis(12),
    }
}

#[test]
fn only_deny_and_halt_block() {
    for (verdict, word, blocks) in [
        (Verdict::NoOpinion, "none", false),
        (Verdict::Allow, "allow", false),
        (Verdict::Ask, "ask", false),
        (Verdict::Deny, "deny", true),
        (Verdict::Halt, "halt", true),
    ] {
        assert_eq!(
            (verdict.blocks(), verdict.to_string().as_str()),
            (blocks, word)
        );
    }
}

#[test]
fn failure_has_the_verdict_of_its_policy_and_gives_a_reason_only_for_a_verdict() {
    for (verdict, reason) in [
        (Verdict::NoOpinion, None),
        (Verdict::Ask, Some("timed out")),
        (Verdict::Deny, Some("timed out")),
    ] {
        let outcome = HookOutcome::failed(FailureKind::TimedOut, "timed out", verdict);
        assert_eq!(
            (outcome.verdict, outcome.reason.as_deref()),
            (verdict, reason)
        );
        let failure = outcome.failure.expect("a failure");
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (FailureKind::TimedOut, "timed out")
        );
    }
}

#[test]
fn empty_decision_has_only_a_verdict() {
    assert_eq!(Decision::default().to_json(), json!({ "verdict": "none" }));
}

#[test]
fn decision_is_recorded_with_every_part_and_every_run() {
    let mut denied = HookOutcome::verdict(Verdict::Deny, "no");
    denied.trace = Some(Trace {
        exit: Some(2),
        output: "no\n".into(),
    });
    let mut failed = HookOutcome::failed(FailureKind::Exit, "exit 7", Verdict::NoOpinion);
    failed.trace = Some(Trace::default());
    let rewrote = HookOutcome {
        updated_input: Some(json!({ "command": "ls" })),
        context: Some("more".into()),
        system_message: Some("look".into()),
        keep_going: Some("again".into()),
        ..HookOutcome::none()
    };
    let mut decision = merge(vec![run("a", denied), run("b", failed), run("c", rewrote)]);
    decision.conflicts.push("a and b".into());
    assert_eq!(
        decision.to_json(),
        json!({
            "verdict": "deny", "reason": "no", "updated_input": { "command": "ls" }, "context": "more",
            "system_message": "look", "keep_going": "again", "conflicts": ["a and b"],
            "hooks": [
                { "hook": "a", "verdict": "deny", "ms": 12, "reason": "no", "exit": 2, "output": "no\n" },
                { "hook": "b", "verdict": "none", "ms": 12, "error": "exit 7" },
                { "hook": "c", "verdict": "none", "ms": 12, "rewrote": true },
            ],
        })
    );
}

fn reason(runs: &[(Verdict, &str)]) -> Option<String> {
    let outcome = |&(verdict, reason): &(Verdict, &str)| HookOutcome {
        verdict,
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
        ..HookOutcome::none()
    };
    merge(runs.iter().map(|one| run("h", outcome(one))).collect()).reason
}

#[test]
fn reason_is_the_first_blockers_or_else_the_latest_of_the_winning_verdict() {
    use Verdict::{Allow, Ask, Deny, NoOpinion};
    for (runs, expected) in [
        (&[(Deny, "1"), (Deny, "2"), (Ask, "3")][..], Some("1")),
        (&[(Ask, "1"), (Ask, "2"), (Allow, "3")], Some("2")),
        (&[(Deny, ""), (Allow, "1"), (Ask, "2")], Some("2")),
        (&[(NoOpinion, "1"), (NoOpinion, "2")], Some("2")),
        (&[(Allow, "")], None),
    ] {
        assert_eq!(reason(runs).as_deref(), expected, "{runs:?}");
    }
}

#[test]
fn latest_instruction_to_continue_wins_and_runs_keep_their_order() {
    let going = |text: &str| HookOutcome {
        keep_going: Some(text.into()),
        ..HookOutcome::none()
    };
    let decision = merge(vec![
        run("a", going("first")),
        run("b", going("last")),
        run("c", HookOutcome::none()),
    ]);
    assert_eq!(decision.keep_going.as_deref(), Some("last"));
    let names: Vec<&str> = decision
        .hook_runs
        .iter()
        .map(|run| run.hook.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(!decision.suppress_logging);
}

#[test]
fn conflict_names_every_hook_that_rewrote_differently() {
    let rewrite = |hook: &str, input: Value| {
        run(
            hook,
            HookOutcome {
                updated_input: Some(input),
                ..HookOutcome::none()
            },
        )
    };
    let stage = [
        rewrite("a", json!(1)),
        run("idle", HookOutcome::none()),
        rewrite("b", json!(1)),
        rewrite("c", json!(2)),
        rewrite("d", json!(3)),
    ];
    let conflict = rewrite_conflict(&stage).expect("a conflict");
    assert_eq!(conflict, "a and c, d rewrote the same input; d wins");
    assert_eq!(rewrite_conflict(&stage[..3]), None);
}
