//! Files written by patches.

use becket_lab::Agent;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{HookEntry, Rig};

/// Codex 0.166.0 accepts such a patch.
pub(crate) fn indented_patch_lines_hide_no_file(case: &TestCase) -> TestResult {
    let patch = |folder: &str| {
        let text = format!("*** Begin Patch\n  *** Add File: {folder}/a.txt\n+x\n*** End Patch");
        Step::native("apply_patch", Value::from(text))
    };
    let scenario = Scenario::new([patch("secrets"), patch("notes"), Step::say("Understood.")]);
    let mut rig = Rig::of(Agent::Codex, case.dir(), &scenario)?;
    let guard = HookEntry::new("no-secrets", "pre-tool", "echo HANDS_OFF_2203 >&2; exit 2")
        .with("filter", "{ path = ['secrets/**'] }");
    rig.configure(&[guard])?;
    rig.connect()?;
    let turn = rig.turn("Please write the files.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "notes/a.txt"]);
    assert!(!turn.marker_sightings("HANDS_OFF_2203").is_empty());
    assert_eq!(
        rig.recorded_events()?.verdicts("PreToolUse"),
        ["deny", "none"]
    );
    Ok(())
}
