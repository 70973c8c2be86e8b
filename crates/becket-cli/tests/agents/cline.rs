//! Cline CLI, in what no other client has: a refusal ends the run.

use becket_lab::Agent;
use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::scenario::{Scenario, Step};

use crate::cline;
use crate::proven::{Matter, saw};
use crate::rig::{Hook, Rig, deny_if};

/// The tests, by names that begin with the client's.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        cline::a_denied_command_does_not_run_and_ends_the_run,
        cline::a_denied_write_leaves_no_file_and_ends_the_run,
    ]
}

fn a_denied_command_does_not_run_and_ends_the_run(case: &Case) -> TestResult {
    refused(
        case,
        Step::shell("touch ran.txt; rm -rf ./precious"),
        "precious",
        Matter::DenyCommand,
    )
}

fn a_denied_write_leaves_no_file_and_ends_the_run(case: &Case) -> TestResult {
    refused(
        case,
        Step::write("${WORK}/secrets/key.txt", "text"),
        "secrets",
        Matter::DenyWrite,
    )
}

fn refused(case: &Case, step: Step, word: &str, matter: Matter) -> TestResult {
    let scenario = Scenario::new([step, Step::shell("touch later.txt"), Step::say("Done.")]);
    let mut rig = Rig::of(Agent::Cline, case.dir(), &scenario)?;
    rig.configure(&[Hook::new("guard", "PreToolUse", &deny_if(word, "NOT_THAT"))])?;
    rig.connect()?;
    rig.workspace.write_work("precious/keep.txt", "keep\n")?;
    // How the client ends is its own affair.
    let turn = rig.run("Please do it.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "precious/keep.txt"]);
    assert_eq!(turn.exchanges().count(), 1);
    let trail = rig.trail()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny"]);
    assert_eq!(trail.only("PreToolUse")["agent"], "cline");
    saw(Agent::Cline, matter, "yes, and the run ends");
    Ok(())
}
