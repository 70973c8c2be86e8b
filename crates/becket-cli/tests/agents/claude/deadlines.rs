//! Hooks that take their time: the client is held up for as long as it was told, and no longer.

use std::fs;
use std::time::{Duration, Instant};

use becket_lab::claude::Turn;
use becket_lab::harness::{Case, TestResult};
use becket_lab::process;
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{Hook, PATIENCE, Result, Rig, assert_refused};

/// Far less than the hook's sleep, far more than a turn and the hook's deadline need.
const NOT_HELD_UP: Duration = Duration::from_secs(150);

/// Runs one shell command past a hook that does not end by itself nor when asked to, and whose
/// child would not either.
fn past_a_hanging_hook(case: &Case, on_failure: &str) -> Result<(Rig, Turn)> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let started = rig.outside("started");
    let hang = format!("trap '' TERM; touch {}; sleep 600", started.display());
    let hang = Hook::new("hanging-hook", "PreToolUse", &hang)
        .with("timeout", "'2s'")
        .with("on_failure", &format!("'{on_failure}'"));
    rig.configure(&[hang])?;
    let start = Instant::now();
    let turn = rig.turn("Please run it.")?;
    assert!(start.elapsed() < NOT_HELD_UP);
    assert!(started.exists(), "the hook never started");
    rig.assert_nothing_left_running()?;
    Ok((rig, turn))
}

pub(crate) fn a_hook_that_hangs_is_ended_and_its_failure_denies_the_call(
    case: &Case,
) -> TestResult {
    let (mut rig, turn) = past_a_hanging_hook(case, "deny")?;
    assert_eq!(rig.workspace.files()?, ["README.md"]);
    assert_refused(&turn, 1, "hanging-hook");
    let trail = rig.trail()?;
    let decision = &trail.only("PreToolUse")["decision"];
    assert_eq!(decision["verdict"], "deny");
    assert_eq!(decision["hooks"][0]["hook"], "hanging-hook");
    assert!(decision["hooks"][0]["error"].is_string(), "{decision}");
    Ok(())
}

pub(crate) fn a_hook_that_hangs_is_ended_and_its_failure_lets_the_call_proceed(
    case: &Case,
) -> TestResult {
    let (mut rig, _) = past_a_hanging_hook(case, "allow")?;
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"));
    let trail = rig.trail()?;
    let decision = &trail.only("PreToolUse")["decision"];
    assert_eq!(decision["verdict"], "none", "to fail is not to vouch");
    assert!(decision["hooks"][0]["error"].is_string(), "{decision}");
    Ok(())
}

pub(crate) fn an_async_hook_does_not_delay_the_turn_and_runs_to_its_end(case: &Case) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let (gate, ended) = (rig.outside("gate"), rig.outside("ended"));
    let wait = format!(
        "cat > /dev/null; while [ ! -e {} ]; do sleep 0.1; done; touch {}",
        gate.display(),
        ended.display()
    );
    let slow = Hook::new("slow", "PreToolUse", &wait)
        .with("async", "true")
        .with("timeout", "'10m'");
    rig.configure(&[slow])?;
    rig.turn("Please run it.")?;

    // The turn is over, and the hook cannot be: it waits for us.
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"));
    assert!(!ended.exists());
    fs::write(gate, "")?;
    let found = process::until(PATIENCE, || ended.exists().then_some(()));
    assert!(found.is_some(), "the hook never ended");
    rig.assert_nothing_left_running()?;

    let trail = rig.trail()?;
    let ends: Vec<&Value> = trail.all().iter().filter(|it| is_end(it)).collect();
    assert_eq!(ends.len(), 1, "{trail:?}");
    assert_eq!(ends[0]["hook"], "slow");
    assert_eq!(ends[0]["ending"], "exit 0");
    assert_eq!(ends[0]["event_id"], trail.only("PreToolUse")["id"]);
    Ok(())
}

fn is_end(record: &Value) -> bool {
    record["kind"] == "async_hook"
}
