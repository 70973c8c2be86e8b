//! Hooks that come with a repository, in every client.

use std::fs;

use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use super::Subject;
use crate::proven::{Matter, saw};
use crate::rig::{Hook, Result, Rig, toml};

pub(super) fn a_projects_hooks_run_only_once_trusted(case: &Case, subject: &Subject) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = subject.connected(case, &scenario)?;
    let mark = rig.outside("mark");
    let hook = Hook::new(
        "theirs",
        "PreToolUse",
        &format!("echo x >> {}", mark.display()),
    );
    rig.workspace.write_work("becket.toml", toml(&[hook]))?;

    rig.turn("Please run it.")?;
    assert!(!mark.exists(), "a hook ran that nobody had trusted");
    let untrusted = json!([{ "hook": "theirs", "why": "untrusted" }]);
    assert_eq!(skipped(&mut rig)?, Some(untrusted));
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"), "the call itself goes on");

    rig.becket(&["trust", "--yes"])?;
    rig.turn("Please run it.")?;
    assert_eq!(fs::read_to_string(&mark)?, "x\n");
    assert_eq!(skipped(&mut rig)?, None);
    saw(subject.agent, Matter::UntrustedSkipped, "yes");
    Ok(())
}

/// What was left out at the latest tool call.
fn skipped(rig: &mut Rig) -> Result<Option<Value>> {
    let trail = rig.trail()?;
    let latest = trail.of("PreToolUse").into_iter().next_back();
    let latest = latest.ok_or("no call is on record")?;
    Ok(latest.get("skipped").cloned())
}
