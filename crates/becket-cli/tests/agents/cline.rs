//! Cline CLI: tests of its own behaviour. A refusal ends the run.

use becket_lab::Agent;
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use crate::cline;
use crate::proven::{ProvenBehaviour, saw};
use crate::rig::{HookEntry, Rig, deny_if};

/// The tests, named after the client.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        cline::denied_command_does_not_run_and_ends_the_run,
        cline::denied_write_creates_no_file_and_ends_the_run,
    ]
}

fn denied_command_does_not_run_and_ends_the_run(case: &TestCase) -> TestResult {
    refused(
        case,
        Step::shell("touch ran.txt; rm -rf ./precious"),
        "precious",
        ProvenBehaviour::DenyCommand,
    )
}

fn denied_write_creates_no_file_and_ends_the_run(case: &TestCase) -> TestResult {
    refused(
        case,
        Step::write("${WORK}/secrets/key.txt", "text"),
        "secrets",
        ProvenBehaviour::DenyWrite,
    )
}

fn refused(case: &TestCase, step: Step, word: &str, matter: ProvenBehaviour) -> TestResult {
    let scenario = Scenario::new([step, Step::shell("touch later.txt"), Step::say("Done.")]);
    let mut rig = Rig::of(Agent::Cline, case.dir(), &scenario)?;
    rig.configure(&[HookEntry::new(
        "guard",
        "PreToolUse",
        &deny_if(word, "NOT_THAT"),
    )])?;
    rig.connect()?;
    rig.workspace.write_work("precious/keep.txt", "keep\n")?;
    // The client's exit code does not matter here.
    let turn = rig.run("Please do it.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "precious/keep.txt"]);
    assert_eq!(turn.exchanges().count(), 1);
    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny"]);
    assert_eq!(trail.only("PreToolUse")["agent"], "cline");
    saw(Agent::Cline, matter, "yes, and the run ends");
    Ok(())
}
