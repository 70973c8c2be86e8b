//! What hooks say to the model around a turn.

use becket_lab::fake_model::Place;
use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{Hook, Rig};

pub(crate) fn context_at_session_start_and_with_the_prompt_reaches_the_model(
    case: &Case,
) -> TestResult {
    let hooks = [
        Hook::new("start", "SessionStart", "echo START_CONTEXT_4412"),
        Hook::new("prompt", "UserPromptSubmit", "echo PROMPT_CONTEXT_7731"),
    ];
    let scenario = Scenario::new([Step::say("Hello.")]);
    let mut rig = Rig::connected(case, &scenario, &hooks)?;
    let turn = rig.turn("Please say hello.")?;

    let trail = rig.trail()?;
    for (event, marker) in [
        ("SessionStart", "START_CONTEXT_4412"),
        ("UserPromptSubmit", "PROMPT_CONTEXT_7731"),
    ] {
        let told = turn.told_model(marker);
        assert_eq!(told.len(), 1, "{event}: {told:?}");
        assert_eq!(told[0].step, Some(0));
        assert_eq!(trail.only(event)["decision"]["context"], marker);
    }
    Ok(())
}

pub(crate) fn a_stop_hook_that_blocks_keeps_the_agent_going_once(case: &Case) -> TestResult {
    let scenario = Scenario::new([Step::say("First answer."), Step::say("Second answer.")])
        .after("One answer too many.");
    let more = Hook::new("more", "Stop", "echo RUN_THE_TESTS_1880 >&2; exit 2");
    let mut rig = Rig::connected(case, &scenario, &[more])?;
    let turn = rig.turn("Please do the task.")?;

    assert_eq!(turn.final_text().as_deref(), Some("Second answer."));
    assert_eq!(turn.exchanges().count(), 2);
    let told = turn.told_model("RUN_THE_TESTS_1880");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].step, told[0].place), (Some(1), Place::User));

    let trail = rig.trail()?;
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

pub(crate) fn a_failing_tool_is_on_record_and_its_hooks_context_reaches_the_model(
    case: &Case,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo BROKEN_PIPELINE_31 >&2; exit 3"),
        Step::say("I see."),
    ]);
    let reply = r#"echo '{"additionalContext": "TRY_THE_OTHER_WAY_8"}'"#;
    let hooks = [
        Hook::new("advice", "PostToolUseFailure", reply),
        Hook::new("praise", "PostToolUse", "echo MISPLACED_PRAISE"),
    ];
    let mut rig = Rig::connected(case, &scenario, &hooks)?;
    let turn = rig.turn("Please run it.")?;

    let told = turn.told_model("TRY_THE_OTHER_WAY_8");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].step, Some(1));

    let trail = rig.trail()?;
    let failure = trail.only("PostToolUseFailure");
    let error = failure["payload"]["error"].as_str().unwrap_or_default();
    assert!(error.contains("BROKEN_PIPELINE_31"), "{failure}");
    assert_eq!(failure["decision"]["context"], "TRY_THE_OTHER_WAY_8");
    assert_eq!(trail.of("PostToolUse").len(), 0);
    Ok(())
}
