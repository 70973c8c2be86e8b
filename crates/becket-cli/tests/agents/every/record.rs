//! The daemon that the first event starts, in every client.

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::AgentUnderTest;

pub(super) fn daemon_started_by_an_agent_stores_its_events(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([
        Step::write("${WORK}/new.txt", "text"),
        Step::shell("echo REMEMBER_ME_3381 > out.txt"),
        Step::say("Done."),
    ]);
    let mut rig = subject.connected(case, &scenario)?;
    rig.workspace.set_env("BECKET_DAEMON", "on");
    rig.turn("Please write the file.")?;

    let agent = subject.agent.name();
    let reported = rig.becket_json(&["sessions", "--agent", agent])?;
    let session = &reported["sessions"][0];
    let id = session["id"]
        .as_str()
        .ok_or(format!("no session: {reported}"))?;
    let story = rig.becket_json(&["session", id])?.to_string();
    assert!(story.contains("REMEMBER_ME_3381"), "{story}");
    assert!(story.contains("new.txt"), "{story}");
    let status = rig.becket_json(&["daemon", "status"])?;
    assert_eq!(status["status"]["failed_commits"], 0, "{status}");
    rig.becket(&["daemon", "stop"])?;
    rig.assert_nothing_left_running()?;
    Ok(())
}
