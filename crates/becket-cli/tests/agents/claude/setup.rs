//! Connecting the client and taking Becket out again.

use std::fs;

use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{Result, Rig};

const SETTINGS: &str = ".claude/settings.json";

/// Formatted by nobody's rules and without a newline at its end, but JSON to the letter: the client
/// reads nothing else.
const SOMEBODYS: &str = "{\n\t\"permissions\" : {\"allow\": [ \"Bash(ls:*)\" ]},\r\n\n\
    \x20  \"hooks\": {\"Stop\": [\n{ \"hooks\":[ {\"type\":\"command\",\"command\":\"echo x >> \\u0024HOME/mine\"}]} ] },\n\
    \"env\":{\"GREETING\":\"gr\\u00fc\u{df}e\"}}";

/// The same with what most editors of such files allow.
const WITH_COMMENTS: &str = "{\n  // mine\n  \"env\": { \"A\": \"1\", /* none */ },\n}\n";

fn rig(case: &Case) -> Result<Rig> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    Rig::new(case.dir(), &scenario)
}

fn settings(rig: &Rig) -> Result<String> {
    Ok(fs::read_to_string(rig.workspace.home().join(SETTINGS))?)
}

pub(crate) fn uninstall_gives_back_every_byte_and_nothing_is_recorded_any_more(
    case: &Case,
) -> TestResult {
    let mut rig = rig(case)?;
    let mine = rig.workspace.home().join("mine");
    let mine = || fs::read_to_string(&mine).unwrap_or_default();
    rig.workspace.write_home(SETTINGS, SOMEBODYS)?;
    rig.becket(&["init", "--yes"])?;
    assert_ne!(settings(&rig)?, SOMEBODYS);
    rig.turn("Please run it.")?;
    let recorded = rig.trail()?.all().len();
    assert_ne!(recorded, 0);
    assert_eq!(mine(), "x\n");

    rig.becket(&["uninstall", "--yes"])?;
    assert_eq!(settings(&rig)?, SOMEBODYS);
    rig.turn("Please run it.")?;
    assert_eq!(rig.trail()?.all().len(), recorded);
    assert_eq!(mine(), "x\nx\n", "the person's own hook still runs");
    Ok(())
}

pub(crate) fn doctor_sees_that_the_client_is_connected_and_when_it_last_spoke(
    case: &Case,
) -> TestResult {
    let mut rig = rig(case)?;
    rig.becket(&["init", "--yes"])?;
    let before = doctor(&mut rig, "trail")?;
    assert_eq!(before[0]["state"], "warning", "{before:?}");

    rig.turn("Please run it.")?;
    let claude = doctor(&mut rig, "claude")?;
    assert_eq!(claude.len(), 2, "{claude:?}");
    assert!(claude.iter().all(|it| it["state"] == "ok"), "{claude:?}");
    assert!(claude[0]["message"].to_string().contains("connected"));
    assert!(claude[1]["message"].to_string().contains("version"));
    let trail = doctor(&mut rig, "trail")?;
    assert_eq!(trail.len(), 1, "{trail:?}");
    assert_eq!(trail[0]["state"], "ok");
    let records = rig.trail()?;
    let last = records.all().last().ok_or("nothing is on record")?;
    let (message, ts) = (trail[0]["message"].to_string(), last["ts"].as_str());
    assert!(message.contains("claude"), "{message}");
    assert!(
        ts.is_some_and(|ts| message.contains(ts)),
        "{message}: {last}"
    );
    Ok(())
}

pub(crate) fn a_settings_file_with_comments_gets_every_byte_back(case: &Case) -> TestResult {
    let mut rig = rig(case)?;
    rig.workspace.write_home(SETTINGS, WITH_COMMENTS)?;
    rig.becket(&["init", "--yes"])?;
    assert_ne!(settings(&rig)?, WITH_COMMENTS);
    rig.turn("Please run it.")?;
    let recorded = rig.trail()?.all().len();

    rig.becket(&["uninstall", "--yes"])?;
    assert_eq!(settings(&rig)?, WITH_COMMENTS);
    rig.turn("Please run it.")?;
    assert_eq!(rig.trail()?.all().len(), recorded);
    Ok(())
}

/// Claude Code 2.1.325 leaves a settings file with comments or trailing commas aside without a word,
/// so entries in it are no connection.
pub(crate) fn doctor_calls_nothing_connected_that_the_client_does_not_read(
    case: &Case,
) -> TestResult {
    for (name, original) in [("plain", "{}"), ("comments", WITH_COMMENTS)] {
        let scenario = Scenario::new([Step::say("Done.")]);
        let mut rig = Rig::new(&case.subdir(name)?, &scenario)?;
        rig.workspace.write_home(SETTINGS, original)?;
        rig.becket(&["init", "--yes"])?;
        rig.turn("Please say it.")?;
        let is_recorded = !rig.trail()?.all().is_empty();
        assert!(is_recorded || original != "{}");
        let claude = doctor(&mut rig, "claude")?;
        let is_good = claude.iter().all(|it| it["state"] == "ok");
        assert_eq!(is_good, is_recorded, "{name}: {claude:?}");
    }
    Ok(())
}

/// What doctor found at one of its checks. Its exit code tells of errors, which may be what is
/// wanted.
fn doctor(rig: &mut Rig, check: &str) -> Result<Vec<Value>> {
    let report: Value = serde_json::from_str(&rig.try_becket(&["doctor", "--json"])?.stdout)?;
    let findings = report["findings"].as_array().into_iter().flatten();
    let found = findings.filter(|it| it["check"] == check);
    Ok(found.cloned().collect())
}
