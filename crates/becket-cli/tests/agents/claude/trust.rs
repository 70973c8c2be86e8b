//! Hooks of a repository.

use std::fs;

use becket_lab::claude::ClientTurn;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use crate::rig::{HookEntry, Result, Rig, toml};

const SCRIPT: &str = "scripts/check.sh";

pub(crate) fn project_hooks_run_only_as_trusted(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let check = HookEntry::new("check", "PreToolUse", &format!("sh ./{SCRIPT}"));
    rig.workspace.write_work("becket.toml", toml(&[check]))?;
    write_script(&rig, "FIRST")?;
    let untrusted = json!([{ "hook": "check", "why": "untrusted" }]);

    let turn = rig.turn("Please run it.")?;
    assert_eq!(ran(&rig), "");
    assert_eq!(skipped(&mut rig)?, Some(untrusted.clone()));
    let shown = told_person(&turn);
    assert!(
        shown.contains("check") && shown.contains("becket trust"),
        "{shown}"
    );
    let calls = rig.workspace.read_work("out.txt");
    assert_eq!(calls.as_deref(), Some("ran\n"), "the call itself goes on");

    let shown = rig.becket(&["trust", "--yes"])?.stdout;
    assert!(shown.contains(SCRIPT), "{shown}");
    let turn = rig.turn("Please run it.")?;
    assert_eq!(ran(&rig), "FIRST\n");
    assert_eq!(skipped(&mut rig)?, None);
    assert_eq!(told_person(&turn), "");

    write_script(&rig, "SECOND")?;
    let turn = rig.turn("Please run it.")?;
    assert_eq!(ran(&rig), "FIRST\n");
    assert_eq!(skipped(&mut rig)?, Some(untrusted));
    assert!(told_person(&turn).contains("becket trust"));
    Ok(())
}

/// A script that writes its version to a file outside the project.
fn write_script(rig: &Rig, version: &str) -> Result<()> {
    let script = format!("echo {version} >> {}\n", rig.outside("ran").display());
    rig.workspace.write_work(SCRIPT, script)?;
    Ok(())
}

fn ran(rig: &Rig) -> String {
    fs::read_to_string(rig.outside("ran")).unwrap_or_default()
}

/// The hooks that the latest tool call skipped.
fn skipped(rig: &mut Rig) -> Result<Option<Value>> {
    let trail = rig.recorded_events()?;
    let latest = trail.of("PreToolUse").into_iter().next_back();
    Ok(latest
        .ok_or("no call is on record")?
        .get("skipped")
        .cloned())
}

/// The messages to the user at the start of the session.
fn told_person(turn: &ClientTurn) -> String {
    let messages = turn.messages();
    let answers = messages
        .iter()
        .filter(|it| it["subtype"] == "hook_response" && it["hook_event"] == "SessionStart");
    let replies = answers.filter_map(|it| serde_json::from_str(it["stdout"].as_str()?).ok());
    let shown =
        replies.filter_map(|reply: Value| reply["systemMessage"].as_str().map(str::to_owned));
    shown.collect::<Vec<_>>().join("\n")
}
