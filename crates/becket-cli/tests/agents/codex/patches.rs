//! Files are written by patches.

use becket_lab::Agent;
use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{Hook, Rig};

/// Codex 0.166.0 takes such a patch.
pub(crate) fn blanks_before_the_lines_of_a_patch_hide_no_file(case: &Case) -> TestResult {
    let patch = |folder: &str| {
        let text = format!("*** Begin Patch\n  *** Add File: {folder}/a.txt\n+x\n*** End Patch");
        Step::native("apply_patch", Value::from(text))
    };
    let scenario = Scenario::new([patch("secrets"), patch("notes"), Step::say("Understood.")]);
    let mut rig = Rig::of(Agent::Codex, case.dir(), &scenario)?;
    let guard = Hook::new("no-secrets", "pre-tool", "echo HANDS_OFF_2203 >&2; exit 2")
        .with("filter", "{ path = ['secrets/**'] }");
    rig.configure(&[guard])?;
    rig.connect()?;
    let turn = rig.turn("Please write the files.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "notes/a.txt"]);
    assert!(!turn.told_model("HANDS_OFF_2203").is_empty());
    assert_eq!(rig.trail()?.verdicts("PreToolUse"), ["deny", "none"]);
    Ok(())
}
