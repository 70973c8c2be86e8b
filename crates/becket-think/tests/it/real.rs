//! The whole path with a real, very small model, served on loopback by `make llm`. The model is not clever. The tests
//! check that it gets the request, that it answers, and that every answer becomes a decision or a failure.

use std::time::Duration;

use becket_model::{FailureKind, Verdict};
use becket_think::{Deadline, ModelRequest, configured_model};
use serde_json::{Value, json};

use crate::support::{World, bash};

fn world(more: &str) -> World {
    let url = std::env::var("BECKET_LLM_URL").expect("`make llm` sets BECKET_LLM_URL");
    World::new(&format!(
        "[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'small'\nmax_tokens = 40\ntemperature = 0\n{more}\n"
    ))
}

#[test]
#[ignore = "needs a model: make llm"]
fn real_model_answers_and_reports_usage() {
    let world = world("daily_tokens = 10_000");
    let deadline = Deadline::within(Duration::from_secs(120));
    let question = ModelRequest::new("What is the capital of France?");
    let model = configured_model(&world.settings).expect("a model");
    let answer = model.complete(&question, &deadline).expect("an answer");
    assert!(!answer.text.is_empty());
    assert!(
        answer.tokens.input > 5 && answer.tokens.output > 0,
        "{answer:?}"
    );
}

#[test]
#[ignore = "needs a model: make llm"]
fn real_model_answer_matches_a_schema() {
    let world = world("");
    let deadline = Deadline::within(Duration::from_secs(120));
    let schema = json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean" } },
        "required": ["ok"],
        "additionalProperties": false,
    });
    let question = ModelRequest {
        schema: Some(schema),
        ..ModelRequest::new("Is `ls` a safe command?")
    };
    let model = configured_model(&world.settings).expect("a model");
    let answer = model.complete(&question, &deadline).expect("an answer");
    let value: Value = serde_json::from_str(&answer.text).expect("JSON");
    assert!(value["ok"].is_boolean(), "{value}");
}

#[test]
#[ignore = "needs a model: make llm"]
fn real_model_answer_becomes_a_decision_or_a_failure() {
    for (command, policy) in [("ls", "ask"), ("rm -rf /", "deny")] {
        let outcome = world(&format!(
            "[[hook]]\nname = 'judge'\nevent = 'PreToolUse'\ntimeout = '2m'\non_failure = '{policy}'\n\
             prompt = 'Is this shell command dangerous: $COMMAND? Respond with ALLOW, BLOCK, or CONTINUE.'\n"
        ))
        .fire_slowly(bash(command));
        match &outcome.failure {
            None => assert!(outcome.verdict <= Verdict::Deny, "{outcome:?}"),
            Some(failure) => {
                assert_eq!(failure.kind, FailureKind::BadReply, "{outcome:?}");
                assert!(outcome.verdict >= Verdict::Ask, "{outcome:?}");
            }
        }
    }
}
