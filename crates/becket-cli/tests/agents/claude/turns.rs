//! Hook context for the model during a turn.

use becket_lab::fake_model::PromptPart;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{HookEntry, Rig};

pub(crate) fn context_at_session_start_and_with_the_prompt_reaches_the_model(
    case: &TestCase,
) -> TestResult {
    let hooks = [
        HookEntry::new("start", "SessionStart", "echo START_CONTEXT_4412"),
        HookEntry::new("prompt", "UserPromptSubmit", "echo PROMPT_CONTEXT_7731"),
    ];
    let scenario = Scenario::new([Step::say("Hello.")]);
    let mut rig = Rig::connected(case, &scenario, &hooks)?;
    let turn = rig.turn("Please say hello.")?;

    let trail = rig.recorded_events()?;
    for (event, marker) in [
        ("SessionStart", "START_CONTEXT_4412"),
        ("UserPromptSubmit", "PROMPT_CONTEXT_7731"),
    ] {
        let sightings = turn.marker_sightings(marker);
        assert_eq!(sightings.len(), 1, "{event}: {sightings:?}");
        assert_eq!(sightings[0].step, Some(0));
        assert_eq!(trail.only(event)["decision"]["context"], marker);
    }
    Ok(())
}

pub(crate) fn blocking_stop_hook_keeps_the_agent_going_once(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::say("First answer."), Step::say("Second answer.")])
        .after("One answer too many.");
    let more = HookEntry::new("more", "Stop", "echo RUN_THE_TESTS_1880 >&2; exit 2");
    let mut rig = Rig::connected(case, &scenario, &[more])?;
    let turn = rig.turn("Please do the task.")?;

    assert_eq!(turn.final_text().as_deref(), Some("Second answer."));
    assert_eq!(turn.exchanges().count(), 2);
    let sightings = turn.marker_sightings("RUN_THE_TESTS_1880");
    assert_eq!(sightings.len(), 1, "{sightings:?}");
    assert_eq!(
        (sightings[0].step, sightings[0].place),
        (Some(1), PromptPart::User)
    );

    let trail = rig.recorded_events()?;
    let stops = trail.of("Stop");
    let active = stops.iter().map(|it| &it["payload"]["stop_hook_active"]);
    let active: Vec<_> = active.collect();
    assert_eq!(active, [false, true]);
    let instructions = stops.iter().map(|it| it["decision"].get("keep_going"));
    let instructions: Vec<_> = instructions.collect();
    let given = Value::from("RUN_THE_TESTS_1880");
    assert_eq!(instructions, [Some(&given), None]);
    Ok(())
}

pub(crate) fn failed_tool_call_is_recorded_and_hook_context_reaches_the_model(
    case: &TestCase,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo BROKEN_PIPELINE_31 >&2; exit 3"),
        Step::say("I see."),
    ]);
    let reply = r#"echo '{"additionalContext": "TRY_THE_OTHER_WAY_8"}'"#;
    let hooks = [
        HookEntry::new("advice", "PostToolUseFailure", reply),
        HookEntry::new("praise", "PostToolUse", "echo MISPLACED_PRAISE"),
    ];
    let mut rig = Rig::connected(case, &scenario, &hooks)?;
    let turn = rig.turn("Please run it.")?;

    let sightings = turn.marker_sightings("TRY_THE_OTHER_WAY_8");
    assert_eq!(sightings.len(), 1, "{sightings:?}");
    assert_eq!(sightings[0].step, Some(1));

    let trail = rig.recorded_events()?;
    let failure = trail.only("PostToolUseFailure");
    let error = failure["payload"]["error"].as_str().unwrap_or_default();
    assert!(error.contains("BROKEN_PIPELINE_31"), "{failure}");
    assert_eq!(failure["decision"]["context"], "TRY_THE_OTHER_WAY_8");
    assert_eq!(trail.of("PostToolUse").len(), 0);
    Ok(())
}
