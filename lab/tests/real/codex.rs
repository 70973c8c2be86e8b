//! Codex CLI: hook trust, and turns in which it asks for permission.

use becket_lab::Permissions;
use becket_lab::codex::Codex;
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::process::ProcessExit;
use becket_lab::scenario::{Scenario, Step};
use serde_json::json;

// For the names of the tests.
use crate::codex;
use crate::recorder::{self, Level, MOMENTS, Moment, payloads};

pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        codex::hooks_run_only_when_trusted,
        codex::hook_can_answer_a_permission_request,
    ]
}

fn hooks_run_only_when_trusted(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::say("All done.")]);
    let mut session = Codex::ready()?.session(case.dir(), &scenario)?;
    recorder::install(&session, Level::Home, None)?;
    let untrusted = session.run("Please do the task.")?;
    assert_eq!(untrusted.exit, ProcessExit::Code(0));
    assert_eq!(payloads(&session, Moment::Prompt)?.len(), 0);

    assert_eq!(session.trust_hooks()?, MOMENTS.len());
    assert_eq!(session.trust_hooks()?, 0);
    let trusted = session.run("Please do the task.")?;
    assert_eq!(trusted.exit, ProcessExit::Code(0));
    assert_eq!(payloads(&session, Moment::Prompt)?.len(), 1);

    recorder::install(&session, Level::Home, Some("NO"))?;
    assert_eq!(session.trust_hooks()?, 1);
    Ok(())
}

fn hook_can_answer_a_permission_request(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo hello > out.txt"),
        Step::say("All done."),
        Step::say("Still done."),
    ]);
    let mut session = Codex::ready()?.session(case.dir(), &scenario)?;
    session.permissions = Permissions::AskForAll;
    let allow = json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"},
    }});
    let hook = json!({"type": "command", "command": format!("echo '{allow}'")});
    let hooks = json!({"hooks": {"PermissionRequest": [{"hooks": [hook]}]}});
    session
        .workspace
        .write_home(".codex/hooks.json", hooks.to_string())?;
    assert_eq!(session.trust_hooks()?, 1);
    let turn = session.run("Please do the task.")?;
    assert_eq!(turn.exit, ProcessExit::Code(0));
    assert_eq!(turn.final_text().as_deref(), Some("All done."));
    let made = session.workspace.read_work("out.txt");
    assert_eq!(made.as_deref(), Some("hello\n"));

    let second = session.continue_with("And more.")?;
    assert_eq!(second.final_text().as_deref(), Some("Still done."));
    Ok(())
}
