//! Connecting the client and removing Becket again.

use std::fs;

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use crate::rig::{Result, Rig};

const SETTINGS: &str = ".claude/settings.json";

/// Oddly formatted and without a final newline, but strict JSON: the client reads nothing else.
const SOMEBODYS: &str = "{\n\t\"permissions\" : {\"allow\": [ \"Bash(ls:*)\" ]},\r\n\n\
    \x20  \"hooks\": {\"Stop\": [\n{ \"hooks\":[ {\"type\":\"command\",\"command\":\"echo x >> \\u0024HOME/mine\"}]} ] },\n\
    \"env\":{\"GREETING\":\"gr\\u00fc\u{df}e\"}}";

/// The same with comments and trailing commas, which many editors allow.
const WITH_COMMENTS: &str = "{\n  // mine\n  \"env\": { \"A\": \"1\", /* none */ },\n}\n";

fn rig(case: &TestCase) -> Result<Rig> {
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    Rig::new(case.dir(), &scenario)
}

fn settings(rig: &Rig) -> Result<String> {
    Ok(fs::read_to_string(rig.workspace.home().join(SETTINGS))?)
}

pub(crate) fn uninstall_restores_every_byte_and_stops_recording(case: &TestCase) -> TestResult {
    let mut rig = rig(case)?;
    let mine = rig.workspace.home().join("mine");
    let mine = || fs::read_to_string(&mine).unwrap_or_default();
    rig.workspace.write_home(SETTINGS, SOMEBODYS)?;
    rig.becket(&["init", "--yes"])?;
    assert_ne!(settings(&rig)?, SOMEBODYS);
    rig.turn("Please run it.")?;
    let recorded = rig.recorded_events()?.all().len();
    assert_ne!(recorded, 0);
    assert_eq!(mine(), "x\n");

    rig.becket(&["uninstall", "--yes"])?;
    assert_eq!(settings(&rig)?, SOMEBODYS);
    rig.turn("Please run it.")?;
    assert_eq!(rig.recorded_events()?.all().len(), recorded);
    assert_eq!(mine(), "x\nx\n", "the person's own hook still runs");
    Ok(())
}

pub(crate) fn doctor_reports_the_connection_and_the_last_event(case: &TestCase) -> TestResult {
    let mut rig = rig(case)?;
    rig.becket(&["init", "--yes"])?;
    let before = doctor(&mut rig, "events")?;
    assert_eq!(before[0]["state"], "warning", "{before:?}");

    rig.turn("Please run it.")?;
    let claude = doctor(&mut rig, "claude")?;
    assert_eq!(claude.len(), 2, "{claude:?}");
    assert!(claude.iter().all(|it| it["state"] == "ok"), "{claude:?}");
    assert!(claude[0]["message"].to_string().contains("connected"));
    assert!(claude[1]["message"].to_string().contains("version"));
    let events = doctor(&mut rig, "events")?;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["state"], "ok");
    let records = rig.recorded_events()?;
    let last = records.all().last().ok_or("nothing is on record")?;
    let (message, ts) = (events[0]["message"].to_string(), last["ts"].as_str());
    assert!(message.contains("claude"), "{message}");
    assert!(
        ts.is_some_and(|ts| message.contains(ts)),
        "{message}: {last}"
    );
    Ok(())
}

pub(crate) fn settings_file_with_comments_is_restored_byte_for_byte(case: &TestCase) -> TestResult {
    let mut rig = rig(case)?;
    rig.workspace.write_home(SETTINGS, WITH_COMMENTS)?;
    rig.becket(&["init", "--yes"])?;
    assert_ne!(settings(&rig)?, WITH_COMMENTS);
    rig.turn("Please run it.")?;
    let recorded = rig.recorded_events()?.all().len();

    rig.becket(&["uninstall", "--yes"])?;
    assert_eq!(settings(&rig)?, WITH_COMMENTS);
    rig.turn("Please run it.")?;
    assert_eq!(rig.recorded_events()?.all().len(), recorded);
    Ok(())
}

/// Claude Code 2.1.325 silently ignores a settings file with comments or trailing commas, so entries in it are not a
/// connection.
pub(crate) fn doctor_reports_entries_that_the_client_does_not_read(case: &TestCase) -> TestResult {
    for (name, original) in [("plain", "{}"), ("comments", WITH_COMMENTS)] {
        let scenario = Scenario::new([Step::say("Done.")]);
        let mut rig = Rig::new(&case.subdir(name)?, &scenario)?;
        rig.workspace.write_home(SETTINGS, original)?;
        rig.becket(&["init", "--yes"])?;
        rig.turn("Please say it.")?;
        let is_recorded = !rig.recorded_events()?.all().is_empty();
        assert!(is_recorded || original != "{}");
        let claude = doctor(&mut rig, "claude")?;
        let is_good = claude.iter().all(|it| it["state"] == "ok");
        assert_eq!(is_good, is_recorded, "{name}: {claude:?}");
    }
    Ok(())
}

/// The findings of one doctor check. Its exit code may report errors, which a test can expect.
fn doctor(rig: &mut Rig, check: &str) -> Result<Vec<Value>> {
    let report: Value = serde_json::from_str(&rig.try_becket(&["doctor", "--json"])?.stdout)?;
    let findings = report["findings"].as_array().into_iter().flatten();
    let found = findings.filter(|it| it["check"] == check);
    Ok(found.cloned().collect())
}
