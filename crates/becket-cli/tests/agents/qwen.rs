//! Qwen Code: tests of its own behaviour.

use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::{Agent, install};
use serde_json::json;

use crate::every::guard;
use crate::qwen;
use crate::rig::Rig;

/// The tests, named after the client.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![qwen::guard_answers_permission_requests]
}

/// Qwen asks for no permission if it is started with a prompt, but it asks a program that feeds it prompts.
fn guard_answers_permission_requests(case: &TestCase) -> TestResult {
    let mut rig = Rig::of(Agent::Qwen, case.dir(), &guard::asking())?;
    guard::answer_questions(&mut rig)?;
    let prompt = json!({
        "type": "user", "session_id": "s", "parent_tool_use_id": null,
        "message": { "role": "user", "content": "Please look at the notes." },
    });
    let prompts = rig.outside("prompts.jsonl");
    std::fs::write(&prompts, format!("{prompt}\n"))?;
    let program = install::client("qwen")?.program;
    rig.workspace
        .set_env("QWEN", program)
        .set_env("PROMPTS", prompts);
    let line = "exec \"$QWEN\" --approval-mode default --auth-type openai --model \"$OPENAI_MODEL\" --output-format stream-json --input-format stream-json < \"$PROMPTS\"";
    let done = rig.workspace.exec("/bin/sh", &["-c", line])?;
    assert!(done.exit.is_success(), "{}{}", done.stdout, done.stderr);
    let refused = done.stdout.contains("core.delete-git");
    assert!(refused, "the model gets the rule: {}", done.stdout);
    let ran = rig.recorded_events()?;
    let ran = ran.only("PostToolUse")["payload"].to_string();
    assert!(ran.contains("NOTES_SAY_1101"), "{ran}");
    guard::assert_answered(&mut rig)
}
