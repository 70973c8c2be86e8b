//! Subagents.

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step, When};
use serde_json::{Value, json};

use crate::rig::{HookEntry, Rig, assert_refused, deny_if};

pub(crate) fn subagent_calls_are_guarded_and_recorded_as_its_own(case: &TestCase) -> TestResult {
    let delegate = json!({
        "description": "sub task",
        "prompt": "SUBTASK_MARK list things",
        "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let scenario = Scenario::new([Step::native("Agent", delegate), Step::say("All done.")])
        .conversation(
            When::contains("SUBTASK_MARK"),
            [
                Step::shell("echo sub > sub.txt"),
                Step::shell("touch forbidden.txt"),
                Step::say("Sub done."),
            ],
        );
    let guard = deny_if("forbidden", "NOT_FOR_SUBAGENTS_12");
    let guard = HookEntry::new("guard", "PreToolUse", &guard).with("matcher", "'Bash'");
    let mut rig = Rig::connected(case, &scenario, &[guard])?;
    let turn = rig.turn("Please delegate.")?;

    assert_eq!(turn.final_text().as_deref(), Some("All done."));
    assert_eq!(rig.workspace.files()?, ["README.md", "sub.txt"]);
    assert_refused(&turn, 2, "NOT_FOR_SUBAGENTS_12");

    let trail = rig.recorded_events()?;
    let agent = &trail.only("SubagentStart")["payload"]["agent_id"];
    assert!(agent.is_string(), "{agent}");
    assert_eq!(&trail.only("SubagentStop")["payload"]["agent_id"], agent);
    let calls = trail.of("PreToolUse").into_iter().map(|call| {
        let payload = &call["payload"];
        (payload["tool_name"].as_str(), &payload["agent_id"])
    });
    let calls: Vec<_> = calls.collect();
    let expected = [
        (Some("Agent"), &Value::Null),
        (Some("Bash"), agent),
        (Some("Bash"), agent),
    ];
    assert_eq!(calls, expected);
    assert_eq!(trail.verdicts("PreToolUse"), ["none", "none", "deny"]);
    Ok(())
}
