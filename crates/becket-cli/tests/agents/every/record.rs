//! The daemon that the first event starts, under every client.

use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::Subject;

pub(super) fn what_an_agent_did_is_kept_by_the_daemon_that_it_started(
    case: &Case,
    subject: &Subject,
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
    let told = rig.becket_json(&["sessions", "--agent", agent])?;
    let session = &told["sessions"][0];
    let id = session["id"]
        .as_str()
        .ok_or(format!("no session: {told}"))?;
    let story = rig.becket_json(&["session", id])?.to_string();
    assert!(story.contains("REMEMBER_ME_3381"), "{story}");
    assert!(story.contains("new.txt"), "{story}");
    let status = rig.becket_json(&["daemon", "status"])?;
    assert_eq!(status["status"]["failed_commits"], 0, "{status}");
    rig.becket(&["daemon", "stop"])?;
    rig.assert_nothing_left_running()?;
    Ok(())
}
