//! Codex's trust in hooks, and what it tells without any.

use becket_lab::Agent;
use becket_lab::harness::{Case, TestResult};
use becket_lab::process;
use becket_lab::scenario::{Scenario, Step};

use crate::rig::{Hook, PATIENCE, Result, Rig};

/// Codex with Becket connected, in these words.
fn connected(case: &Case, more: &[&str]) -> Result<Rig> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::of(Agent::Codex, case.dir(), &scenario)?;
    rig.configure(&[Hook::new("quiet", "PreToolUse", "exit 0")])?;
    rig.becket(&[&["init", "--agent", "codex", "--yes"], more].concat())?;
    Ok(rig)
}

pub(crate) fn trust_that_becket_records_is_trust_to_codex(case: &Case) -> TestResult {
    let mut rig = connected(case, &["--codex-trust"])?;
    rig.turn("Please run it.")?;
    let trail = rig.trail()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["none"]);
    assert_eq!(trail.of("Stop").len(), 1);
    Ok(())
}

pub(crate) fn without_trust_only_the_notified_program_hears_of_a_turn(case: &Case) -> TestResult {
    let mut rig = connected(case, &["--codex-notify"])?;
    rig.turn("Please run it.")?;
    // Codex does not wait for the program.
    let told = process::until(PATIENCE, || {
        let trail = rig.trail().ok()?;
        (!trail.all().is_empty()).then_some(trail)
    });
    let told = told.ok_or("nothing was told")?;
    assert_eq!(told.events(), ["Stop"]);
    assert_eq!(told.only("Stop")["payload"]["type"], "agent-turn-complete");
    Ok(())
}

pub(crate) fn a_turn_that_hooks_and_program_hear_of_is_recorded_once(case: &Case) -> TestResult {
    let mut rig = connected(case, &["--codex-trust", "--codex-notify"])?;
    rig.turn("Please run it.")?;
    rig.assert_nothing_left_running()?;
    let trail = rig.trail()?;
    assert_eq!(trail.only("Stop")["payload"]["hook_event_name"], "Stop");
    Ok(())
}
