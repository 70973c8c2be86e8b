//! Verdicts and rewrites take effect in the client.

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use crate::rig::{HookEntry, Rig, assert_refused, deny_if};

pub(crate) fn denied_command_does_not_run_and_the_model_gets_the_reason(
    case: &TestCase,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("touch ran.txt; rm -rf ./precious"),
        Step::shell("echo harmless > harmless.txt"),
        Step::say("Understood."),
    ]);
    let guard = deny_if("precious", "DENIED_BY_HOOK_4711");
    let guard = HookEntry::new("keep-precious", "PreToolUse", &guard).with("matcher", "'Bash'");
    let mut rig = Rig::connected(case, &scenario, &[guard])?;
    rig.workspace.write_work("precious/keep.txt", "keep\n")?;
    let turn = rig.turn("Please tidy up.")?;

    let files = rig.workspace.files()?;
    assert_eq!(files, ["README.md", "harmless.txt", "precious/keep.txt"]);
    assert_refused(&turn, 1, "DENIED_BY_HOOK_4711");

    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny", "none"]);
    let denied = trail.of("PreToolUse")[0];
    assert_eq!(denied["agent"], "claude");
    assert_eq!(denied["decision"]["reason"], "DENIED_BY_HOOK_4711");
    assert_eq!(denied["decision"]["hooks"][0]["hook"], "keep-precious");
    let command = &denied["payload"]["tool_input"]["command"];
    assert_eq!(command, "touch ran.txt; rm -rf ./precious");
    let ran = trail.only("PostToolUse");
    assert_ne!(
        ran["payload"]["tool_use_id"],
        denied["payload"]["tool_use_id"]
    );
    Ok(())
}

pub(crate) fn denied_write_creates_no_file(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::write("${WORK}/secrets/key.txt", "text"),
        Step::read("${WORK}/secrets/old.txt"),
        Step::edit("${WORK}/secrets/old.txt", "old", "new"),
        Step::write("${WORK}/notes.txt", "text"),
        Step::say("Understood."),
    ]);
    let guard = HookEntry::new("no-secrets", "pre-tool", "echo HANDS_OFF_2203 >&2; exit 2").with(
        "filter",
        "{ tool = ['Write', 'Edit'], path = ['secrets/**'] }",
    );
    let mut rig = Rig::connected(case, &scenario, &[guard])?;
    rig.workspace.write_work("secrets/old.txt", "old\n")?;
    let turn = rig.turn("Please write the files.")?;

    let workspace = &rig.workspace;
    let files = workspace.files()?;
    assert_eq!(files, ["README.md", "notes.txt", "secrets/old.txt"]);
    let old = workspace.read_work("secrets/old.txt");
    assert_eq!(old.as_deref(), Some("old\n"));
    assert_refused(&turn, 1, "HANDS_OFF_2203");
    let verdicts = rig.recorded_events()?;
    let verdicts = verdicts.verdicts("PreToolUse");
    assert_eq!(verdicts, ["deny", "none", "deny", "none"]);
    Ok(())
}

pub(crate) fn rewritten_input_is_what_runs(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo original > out.txt"), Step::say("Done.")]);
    let reply = r#"{"updatedInput": {"command": "echo rewritten > out.txt", "description": "x"}}"#;
    let rewrite = HookEntry::new("rewrite", "PreToolUse", &format!("echo '{reply}'"));
    let mut rig = Rig::connected(case, &scenario, &[rewrite])?;
    rig.turn("Please write the file.")?;

    let written = rig.workspace.read_work("out.txt");
    assert_eq!(written.as_deref(), Some("rewritten\n"));
    let trail = rig.recorded_events()?;
    let before = trail.only("PreToolUse");
    let asked = &before["payload"]["tool_input"]["command"];
    assert_eq!(asked, "echo original > out.txt");
    let meant = &before["decision"]["updated_input"]["command"];
    assert_eq!(meant, "echo rewritten > out.txt");
    let ran = &trail.only("PostToolUse")["payload"]["tool_input"]["command"];
    assert_eq!(ran, "echo rewritten > out.txt");
    Ok(())
}

pub(crate) fn ask_denies_in_a_headless_run(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo asked > out.txt"),
        Step::say("Understood."),
    ]);
    let reply = r#"echo '{"decision": "ask", "reason": "SURE_ABOUT_THAT_6"}'"#;
    let ask = HookEntry::new("sure", "PreToolUse", reply);
    let mut rig = Rig::connected(case, &scenario, &[ask])?;
    let turn = rig.turn("Please write the file.")?;

    assert_eq!(rig.workspace.files()?, ["README.md"]);
    assert_refused(&turn, 1, "SURE_ABOUT_THAT_6");
    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["ask"]);
    assert_eq!(trail.of("PostToolUse").len(), 0);
    Ok(())
}
