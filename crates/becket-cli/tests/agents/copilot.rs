//! Copilot CLI: tests of its own behaviour.

use std::fs;

use becket_lab::Agent;
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use crate::copilot;
use crate::rig::{BECKET, HookEntry, Rig};

/// The tests, named after the client.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![copilot::hooks_run_once_although_copilot_also_reads_claudes_file]
}

/// Copilot runs the user's hooks and those of the repository's `.claude/settings.json`.
fn hooks_run_once_although_copilot_also_reads_claudes_file(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo one >> out.txt"),
        Step::shell("echo one >> out.txt"),
        Step::say("Done."),
    ]);
    let mut rig = Rig::of(Agent::Copilot, case.dir(), &scenario)?;
    let counts = rig.outside("counts");
    let names = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
    ];
    let hooks = names.map(|name| {
        let count = format!("echo {name} >> {}", counts.display());
        HookEntry::new(name, name, &count)
    });
    rig.configure(&hooks)?;
    rig.connect()?;
    let claude = ["init", "--agent", "claude", "--scope", "project", "--yes"];
    rig.becket(&claude)?;
    // A project's entries contain only the program's name, which is not on the client's `PATH`.
    let settings = rig.workspace.read_work(".claude/settings.json");
    let settings = settings.ok_or("there is no file")?;
    let command = format!("\"command\": \"{BECKET} hook");
    let settings = settings.replace("\"command\": \"becket hook", &command);
    rig.workspace
        .write_work(".claude/settings.json", settings)?;
    rig.workspace
        .set_env("GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS", "true");
    rig.turn("Please run it.")?;

    let counted = fs::read_to_string(&counts)?;
    let times = |name: &str| counted.lines().filter(|line| *line == name).count();
    assert_eq!(names.map(times), [1, 1, 2, 2, 1], "{counted}");
    let trail = rig.recorded_events()?;
    assert!(trail.all().iter().all(|it| it["agent"] == "copilot"));
    assert_eq!(trail.of("PreToolUse").len(), 2);
    Ok(())
}
