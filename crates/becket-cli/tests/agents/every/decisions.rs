//! Verdicts and rewrites take effect in every client.

use becket_lab::ClientTurn;
use becket_lab::fake_model::{MarkerSighting, PromptPart};
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::{AgentUnderTest, Support};
use crate::proven::{ProvenBehaviour, saw};

/// Asserts that `marker` first reached the model at `step`, as a tool result. Not every client marks it as an error.
pub(super) fn assert_refused(turn: &ClientTurn, step: usize, marker: &str) {
    let sightings = turn.marker_sightings(marker);
    let is_result = |sightings: &&MarkerSighting| {
        sightings.step == Some(step) && matches!(sightings.place, PromptPart::ToolResult { .. })
    };
    let first = sightings.first().filter(is_result);
    assert!(first.is_some(), "{marker}: {sightings:?}");
}

pub(super) fn denied_command_does_not_run_and_the_model_gets_the_reason(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("touch ran.txt; rm -rf ./precious"),
        Step::shell("echo harmless > harmless.txt"),
        Step::say("Understood."),
    ]);
    let mut rig = subject.connected(case, &scenario)?;
    rig.workspace.write_work("precious/keep.txt", "keep\n")?;
    let turn = rig.turn("Please tidy up.")?;

    let files = rig.workspace.files()?;
    assert_eq!(files, ["README.md", "harmless.txt", "precious/keep.txt"]);
    assert_refused(&turn, 1, "DENIED_BY_HOOK_4711");

    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny", "none"]);
    let denied = trail.of("PreToolUse")[0];
    assert_eq!(denied["agent"], subject.agent.name());
    assert_eq!(denied["decision"]["reason"], "DENIED_BY_HOOK_4711");
    assert_eq!(denied["decision"]["hooks"][0]["hook"], "keep-precious");
    saw(subject.agent, ProvenBehaviour::DenyCommand, "yes");
    Ok(())
}

pub(super) fn denied_write_creates_no_file_and_the_model_gets_the_reason(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([
        Step::write("${WORK}/secrets/key.txt", "text"),
        Step::read("${WORK}/secrets/old.txt"),
        Step::edit("${WORK}/secrets/old.txt", "old", "new"),
        Step::write("${WORK}/notes.txt", "text"),
        Step::say("Understood."),
    ]);
    let mut rig = subject.connected(case, &scenario)?;
    rig.workspace.write_work("secrets/old.txt", "old\n")?;
    let turn = rig.turn("Please write the files.")?;

    let workspace = &rig.workspace;
    let files = workspace.files()?;
    assert_eq!(files, ["README.md", "notes.txt", "secrets/old.txt"]);
    let old = workspace.read_work("secrets/old.txt");
    assert_eq!(old.as_deref(), Some("old\n"));
    assert_refused(&turn, 1, "HANDS_OFF_2203");
    let trail = rig.recorded_events()?;
    let verdicts = trail.verdicts("PreToolUse");
    assert_eq!(verdicts, ["deny", "none", "deny", "none"]);
    saw(subject.agent, ProvenBehaviour::DenyWrite, "yes");
    Ok(())
}

/// If an agent cannot rewrite the input, running nothing is better than running the original.
pub(super) fn rewritten_command_runs_or_nothing_does(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo original > out.txt"), Step::say("Done.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please write the file.")?;

    let written = rig.workspace.read_work("out.txt");
    let trail = rig.recorded_events()?;
    let meant = &trail.only("PreToolUse")["decision"]["updated_input"]["command"];
    assert_eq!(meant, "echo rewritten > out.txt");
    let expected = match subject.can("rewrite")? {
        Support::Yes => Some("rewritten\n"),
        Support::No => None,
        Support::Partly => written.as_deref().and(Some("rewritten\n")),
    };
    assert_eq!(written.as_deref(), expected);
    if written.is_none() {
        assert_eq!(trail.of("PostToolUse").len(), 0);
        assert_refused(&turn, 1, "echo rewritten");
    }
    let how = written.map_or("refused instead", |_| "yes");
    saw(subject.agent, ProvenBehaviour::Rewrite, how);
    Ok(())
}
