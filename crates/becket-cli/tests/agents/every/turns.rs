//! What hooks say to the model around a turn, in every client.

use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use super::{Can, Subject};
use crate::proven::{Matter, saw};

pub(super) fn context_at_session_start_reaches_the_model(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    assert_context(
        case,
        subject,
        ("context_at_start", Matter::ContextAtStart),
        "SessionStart",
        "START_CONTEXT_4412",
    )
}

pub(super) fn context_with_the_prompt_reaches_the_model(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    assert_context(
        case,
        subject,
        ("context_at_prompt", Matter::ContextWithPrompt),
        "UserPromptSubmit",
        "PROMPT_CONTEXT_7731",
    )
}

/// Asserts that `marker` is said once by the time of the model's first answer, or never where the
/// agent has no way to say it.
fn assert_context(
    case: &Case,
    subject: &Subject,
    (what, matter): (&str, Matter),
    event: &str,
    marker: &str,
) -> TestResult {
    let scenario = Scenario::new([Step::say("Hello.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please say hello.")?;
    let told = turn.told_model(marker);
    let at_once = told.iter().filter(|told| told.step == Some(0)).count();
    let expected = usize::from(subject.can(what)? != Can::No);
    assert_eq!(at_once, expected, "{event}: {told:?}");
    let trail = rig.trail()?;
    if let Some(first) = trail.of(event).first() {
        assert_eq!(first["decision"]["context"], marker);
    } else {
        assert_eq!(expected, 0, "{event}: {:?}", trail.events());
    }
    saw(
        subject.agent,
        matter,
        if expected == 1 { "yes" } else { "no" },
    );
    Ok(())
}

pub(super) fn a_stop_hook_that_blocks_keeps_the_agent_going_once(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    let scenario = Scenario::new([Step::say("First answer."), Step::say("Second answer.")])
        .after("One answer too many.");
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please do the task.")?;

    let is_kept_going = subject.can("keep_going")? != Can::No;
    let (answers, last) = if is_kept_going {
        (2, "Second answer.")
    } else {
        (1, "First answer.")
    };
    // Qwen's is everything that was said in the turn.
    let text = turn.final_text().unwrap_or_default();
    assert!(text.ends_with(last), "{text}");
    assert_eq!(turn.exchanges().count(), answers);
    let told = turn.told_model("RUN_THE_TESTS_1880");
    let told: Vec<_> = told.iter().filter_map(|told| told.step).collect();
    assert_eq!(told, if is_kept_going { vec![1] } else { vec![] });

    let trail = rig.trail()?;
    let stops = trail.of("Stop");
    let instructions = stops.iter().map(|it| it["decision"].get("keep_going"));
    let instructions: Vec<_> = instructions.collect();
    let given = Value::from("RUN_THE_TESTS_1880");
    if is_kept_going {
        assert_eq!(instructions, [Some(&given), None]);
    }
    let how = if is_kept_going { "yes" } else { "no" };
    saw(subject.agent, Matter::KeepGoing, how);
    Ok(())
}
