//! Hooks of a repository, in every client.

use std::fs;

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use super::AgentUnderTest;
use crate::proven::{ProvenBehaviour, saw};
use crate::rig::{HookEntry, Result, Rig, toml};

pub(super) fn project_hooks_run_only_when_trusted(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let mark = rig.outside("mark");
    let hook = HookEntry::new(
        "theirs",
        "PreToolUse",
        &format!("echo x >> {}", mark.display()),
    );
    rig.workspace.write_work("becket.toml", toml(&[hook]))?;

    rig.turn("Please run it.")?;
    assert!(!mark.exists(), "an untrusted hook ran");
    let untrusted = json!([{ "hook": "theirs", "why": "untrusted" }]);
    assert_eq!(skipped(&mut rig)?, Some(untrusted));
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"), "the call itself goes on");

    rig.becket(&["trust", "--yes"])?;
    rig.turn("Please run it.")?;
    assert_eq!(fs::read_to_string(&mark)?, "x\n");
    assert_eq!(skipped(&mut rig)?, None);
    saw(subject.agent, ProvenBehaviour::UntrustedSkipped, "yes");
    Ok(())
}

/// The hooks that the latest tool call skipped.
fn skipped(rig: &mut Rig) -> Result<Option<Value>> {
    let trail = rig.recorded_events()?;
    let latest = trail.of("PreToolUse").into_iter().next_back();
    let latest = latest.ok_or("no call is on record")?;
    Ok(latest.get("skipped").cloned())
}
