//! Hooks that come with a repository.

use std::fs;

use becket_lab::claude::Turn;
use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use crate::rig::{Hook, Result, Rig, toml};

const SCRIPT: &str = "scripts/check.sh";

pub(crate) fn a_projects_hooks_run_only_while_they_are_as_trusted(case: &Case) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::connected(case, &scenario, &[])?;
    let check = Hook::new("check", "PreToolUse", &format!("sh ./{SCRIPT}"));
    rig.workspace.write_work("becket.toml", toml(&[check]))?;
    write_script(&rig, "FIRST")?;
    let untrusted = json!([{ "hook": "check", "why": "untrusted" }]);

    let turn = rig.turn("Please run it.")?;
    assert_eq!(ran(&rig), "");
    assert_eq!(skipped(&mut rig)?, Some(untrusted.clone()));
    let told = told_person(&turn);
    assert!(
        told.contains("check") && told.contains("becket trust"),
        "{told}"
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

/// A script that notes its version, in a place that is not the project's.
fn write_script(rig: &Rig, version: &str) -> Result<()> {
    let script = format!("echo {version} >> {}\n", rig.outside("ran").display());
    rig.workspace.write_work(SCRIPT, script)?;
    Ok(())
}

fn ran(rig: &Rig) -> String {
    fs::read_to_string(rig.outside("ran")).unwrap_or_default()
}

/// What was left out at the latest tool call.
fn skipped(rig: &mut Rig) -> Result<Option<Value>> {
    let trail = rig.trail()?;
    let latest = trail.of("PreToolUse").into_iter().next_back();
    Ok(latest
        .ok_or("no call is on record")?
        .get("skipped")
        .cloned())
}

/// The messages for the person that the client was given at the start of its session.
fn told_person(turn: &Turn) -> String {
    let messages = turn.messages();
    let answers = messages
        .iter()
        .filter(|it| it["subtype"] == "hook_response" && it["hook_event"] == "SessionStart");
    let replies = answers.filter_map(|it| serde_json::from_str(it["stdout"].as_str()?).ok());
    let told =
        replies.filter_map(|reply: Value| reply["systemMessage"].as_str().map(str::to_owned));
    told.collect::<Vec<_>>().join("\n")
}
