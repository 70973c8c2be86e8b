//! Qwen Code, in what no other client has.

use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::{Agent, install};
use serde_json::json;

use crate::every::guard;
use crate::qwen;
use crate::rig::Rig;

/// The tests, by names that begin with the client's.
pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![qwen::the_guard_answers_what_a_person_would_be_asked]
}

/// Qwen asks nobody where it was started with a prompt; a program that feeds it prompts it does ask.
fn the_guard_answers_what_a_person_would_be_asked(case: &Case) -> TestResult {
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
    assert!(refused, "the model is told the rule: {}", done.stdout);
    let ran = rig.trail()?;
    let ran = ran.only("PostToolUse")["payload"].to_string();
    assert!(ran.contains("NOTES_SAY_1101"), "{ran}");
    guard::assert_answered(&mut rig)
}
