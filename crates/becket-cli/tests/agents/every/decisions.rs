//! Verdicts and rewrites take effect in every client.

use becket_lab::Turn;
use becket_lab::fake_model::{Place, Told};
use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::{Can, Subject};
use crate::proven::{Matter, saw};

/// Asserts that the model first heard of `marker` at `step`, as the result of a tool call. Not
/// every client says in so many words that it is an error.
pub(super) fn assert_refused(turn: &Turn, step: usize, marker: &str) {
    let told = turn.told_model(marker);
    let is_result =
        |told: &&Told| told.step == Some(step) && matches!(told.place, Place::ToolResult { .. });
    let first = told.first().filter(is_result);
    assert!(first.is_some(), "{marker}: {told:?}");
}

pub(super) fn a_denied_command_does_not_run_and_the_model_is_told_why(
    case: &Case,
    subject: &Subject,
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

    let trail = rig.trail()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny", "none"]);
    let denied = trail.of("PreToolUse")[0];
    assert_eq!(denied["agent"], subject.agent.name());
    assert_eq!(denied["decision"]["reason"], "DENIED_BY_HOOK_4711");
    assert_eq!(denied["decision"]["hooks"][0]["hook"], "keep-precious");
    saw(subject.agent, Matter::DenyCommand, "yes");
    Ok(())
}

pub(super) fn a_denied_write_leaves_no_file_and_the_model_is_told_why(
    case: &Case,
    subject: &Subject,
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
    let trail = rig.trail()?;
    let verdicts = trail.verdicts("PreToolUse");
    assert_eq!(verdicts, ["deny", "none", "deny", "none"]);
    saw(subject.agent, Matter::DenyWrite, "yes");
    Ok(())
}

/// Where an agent cannot change the input, or not here, to let the original run would be worse than
/// to let nothing run.
pub(super) fn a_rewritten_command_is_what_runs_or_nothing_does(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo original > out.txt"), Step::say("Done.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let turn = rig.turn("Please write the file.")?;

    let written = rig.workspace.read_work("out.txt");
    let trail = rig.trail()?;
    let meant = &trail.only("PreToolUse")["decision"]["updated_input"]["command"];
    assert_eq!(meant, "echo rewritten > out.txt");
    let expected = match subject.can("rewrite")? {
        Can::Yes => Some("rewritten\n"),
        Can::No => None,
        Can::Partly => written.as_deref().and(Some("rewritten\n")),
    };
    assert_eq!(written.as_deref(), expected);
    if written.is_none() {
        assert_eq!(trail.of("PostToolUse").len(), 0);
        assert_refused(&turn, 1, "echo rewritten");
    }
    let how = written.map_or("refused instead", |_| "yes");
    saw(subject.agent, Matter::Rewrite, how);
    Ok(())
}
