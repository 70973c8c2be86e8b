//! Hook context for the model during a turn, in every client.

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use super::{AgentUnderTest, Support};
use crate::proven::{ProvenBehaviour, saw};

pub(super) fn context_at_session_start_reaches_the_model(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    assert_context(
        case,
        subject,
        ("context_at_start", ProvenBehaviour::ContextAtStart),
        "SessionStart",
        "START_CONTEXT_4412",
    )
}

pub(super) fn context_with_the_prompt_reaches_the_model(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    assert_context(
        case,
        subject,
        ("context_at_prompt", ProvenBehaviour::ContextWithPrompt),
        "UserPromptSubmit",
        "PROMPT_CONTEXT_7731",
    )
}

/// Asserts that `marker` reaches the model once before its first answer, or never if the agent cannot inject context.
fn assert_context(
    case: &TestCase,
    subject: &AgentUnderTest,
    (what, matter): (&str, ProvenBehaviour),
    event: &str,
    marker: &str,
) -> TestResult {
    let scenario = Scenario::new([Step::say("Hello.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please say hello.")?;
    let sightings = turn.marker_sightings(marker);
    let at_once = sightings
        .iter()
        .filter(|sightings| sightings.step == Some(0))
        .count();
    let expected = usize::from(subject.can(what)? != Support::No);
    assert_eq!(at_once, expected, "{event}: {sightings:?}");
    let trail = rig.recorded_events()?;
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

pub(super) fn blocking_stop_hook_keeps_the_agent_going_once(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([Step::say("First answer."), Step::say("Second answer.")])
        .after("One answer too many.");
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please do the task.")?;

    let is_kept_going = subject.can("keep_going")? != Support::No;
    let (answers, last) = if is_kept_going {
        (2, "Second answer.")
    } else {
        (1, "First answer.")
    };
    // Qwen's final text is everything from the turn.
    let text = turn.final_text().unwrap_or_default();
    assert!(text.ends_with(last), "{text}");
    assert_eq!(turn.exchanges().count(), answers);
    let sightings = turn.marker_sightings("RUN_THE_TESTS_1880");
    let sightings: Vec<_> = sightings
        .iter()
        .filter_map(|sightings| sightings.step)
        .collect();
    assert_eq!(sightings, if is_kept_going { vec![1] } else { vec![] });

    let trail = rig.recorded_events()?;
    let stops = trail.of("Stop");
    let instructions = stops.iter().map(|it| it["decision"].get("keep_going"));
    let instructions: Vec<_> = instructions.collect();
    let given = Value::from("RUN_THE_TESTS_1880");
    if is_kept_going {
        assert_eq!(instructions, [Some(&given), None]);
    }
    let how = if is_kept_going { "yes" } else { "no" };
    saw(subject.agent, ProvenBehaviour::KeepGoing, how);
    Ok(())
}
