//! Slow hooks delay the client for as long as configured, and no longer.

use std::fs;
use std::time::{Duration, Instant};

use becket_lab::claude::ClientTurn;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::process;
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{HookEntry, Result, Rig, TIMEOUT, assert_refused};

/// Far less than the hook's sleep, far more than a turn and the hook's timeout.
const NOT_HELD_UP: Duration = Duration::from_secs(150);

/// Runs one shell command past a hook that ignores SIGTERM, as does its child.
fn past_a_hanging_hook(case: &TestCase, on_failure: &str) -> Result<(Rig, ClientTurn)> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let started = rig.outside("started");
    let hang = format!("trap '' TERM; touch {}; sleep 600", started.display());
    let hang = HookEntry::new("hanging-hook", "PreToolUse", &hang)
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

pub(crate) fn hanging_hook_times_out_and_its_failure_denies_the_call(
    case: &TestCase,
) -> TestResult {
    let (mut rig, turn) = past_a_hanging_hook(case, "deny")?;
    assert_eq!(rig.workspace.files()?, ["README.md"]);
    assert_refused(&turn, 1, "hanging-hook");
    let trail = rig.recorded_events()?;
    let decision = &trail.only("PreToolUse")["decision"];
    assert_eq!(decision["verdict"], "deny");
    assert_eq!(decision["hooks"][0]["hook"], "hanging-hook");
    assert!(decision["hooks"][0]["error"].is_string(), "{decision}");
    Ok(())
}

pub(crate) fn hanging_hook_times_out_and_its_failure_allows_the_call(
    case: &TestCase,
) -> TestResult {
    let (mut rig, _) = past_a_hanging_hook(case, "allow")?;
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"));
    let trail = rig.recorded_events()?;
    let decision = &trail.only("PreToolUse")["decision"];
    assert_eq!(decision["verdict"], "none", "to fail is not to vouch");
    assert!(decision["hooks"][0]["error"].is_string(), "{decision}");
    Ok(())
}

pub(crate) fn async_hook_does_not_delay_the_turn_and_runs_to_its_end(
    case: &TestCase,
) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let (gate, ended) = (rig.outside("gate"), rig.outside("ended"));
    let wait = format!(
        "cat > /dev/null; while [ ! -e {} ]; do sleep 0.1; done; touch {}",
        gate.display(),
        ended.display()
    );
    let slow = HookEntry::new("slow", "PreToolUse", &wait)
        .with("async", "true")
        .with("timeout", "'10m'");
    rig.configure(&[slow])?;
    rig.turn("Please run it.")?;

    // The turn is over, but the hook is still waiting for us.
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"));
    assert!(!ended.exists());
    fs::write(gate, "")?;
    let found = process::until(TIMEOUT, || ended.exists().then_some(()));
    assert!(found.is_some(), "the hook never ended");
    rig.assert_nothing_left_running()?;

    let trail = rig.recorded_events()?;
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
