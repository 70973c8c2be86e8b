//! Codex's hook trust, and what Codex reports without it.

use becket_lab::Agent;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::process;
use becket_lab::scenario::{Scenario, Step};

use crate::rig::{HookEntry, Result, Rig, TIMEOUT};

/// Codex connected to Becket with these additional arguments.
fn connected(case: &TestCase, more: &[&str]) -> Result<Rig> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::of(Agent::Codex, case.dir(), &scenario)?;
    rig.configure(&[HookEntry::new("quiet", "PreToolUse", "exit 0")])?;
    rig.becket(&[&["init", "--agent", "codex", "--yes"], more].concat())?;
    Ok(rig)
}

pub(crate) fn codex_accepts_trust_recorded_by_becket(case: &TestCase) -> TestResult {
    let mut rig = connected(case, &["--codex-trust"])?;
    rig.turn("Please run it.")?;
    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["none"]);
    assert_eq!(trail.of("Stop").len(), 1);
    Ok(())
}

pub(crate) fn without_trust_only_the_notify_program_gets_the_turn(case: &TestCase) -> TestResult {
    let mut rig = connected(case, &["--codex-notify"])?;
    rig.turn("Please run it.")?;
    // Codex does not wait for the program.
    let reported = process::until(TIMEOUT, || {
        let trail = rig.recorded_events().ok()?;
        (!trail.all().is_empty()).then_some(trail)
    });
    let reported = reported.ok_or("no notification")?;
    assert_eq!(reported.events(), ["Stop"]);
    assert_eq!(
        reported.only("Stop")["payload"]["type"],
        "agent-turn-complete"
    );
    Ok(())
}

pub(crate) fn turn_reported_by_hooks_and_notify_is_recorded_once(case: &TestCase) -> TestResult {
    let mut rig = connected(case, &["--codex-trust", "--codex-notify"])?;
    rig.turn("Please run it.")?;
    rig.assert_nothing_left_running()?;
    let trail = rig.recorded_events()?;
    assert_eq!(trail.only("Stop")["payload"]["hook_event_name"], "Stop");
    Ok(())
}
