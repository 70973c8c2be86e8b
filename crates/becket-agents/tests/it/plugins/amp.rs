//! Amp's plugin.

use super::*;

fn call() -> Value {
    json!({ "hook": "tool.call", "event": {
        "thread": { "id": "T-1" }, "toolUseID": "toolu_1", "tool": "Bash",
        "input": { "cmd": "rm -rf build", "cwd": "/srv" },
    } })
}

fn result(output: Value) -> Value {
    let mut step = call();
    step["hook"] = json!("tool.result");
    step["event"]["status"] = json!("done");
    step["event"]["output"] = output;
    step
}

fn start(message: &str) -> Value {
    json!({ "hook": "agent.start", "event": { "thread": { "id": "T-1" }, "message": message, "id": 0 } })
}

fn end() -> Value {
    json!({ "hook": "agent.end", "event": {
        "thread": { "id": "T-1" }, "message": "hi", "id": 0, "status": "done", "messages": [],
    } })
}

fn session() -> Value {
    json!({ "hook": "session.start", "event": { "thread": { "id": "T-1" } } })
}

fn returned(ran: &Value, at: usize) -> &Value {
    assert_eq!(ran["results"][at]["threw"], Value::Null);
    &ran["results"][at]["returned"]
}

#[test]
fn a_call_is_allowed_rejected_or_changed() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let new = json!({ "command": "ls" });
    for (decision, expected) in [
        (Decision::default(), json!({ "action": "allow" })),
        (
            verdict(Verdict::Deny, "too much"),
            json!({ "action": "reject-and-continue", "message": "too much" }),
        ),
        (
            rewrite(new),
            json!({ "action": "modify", "input": { "cmd": "ls", "cwd": "/srv" } }),
        ),
    ] {
        bench.answers("PreToolUse", &call(), &decision);
        let ran = bench.run(&json!([call()]));
        assert_eq!(returned(&ran, 0), &expected);
    }
    let event = &bench.sent()[0];
    assert_eq!(event.call().unwrap().command(), Some("rm -rf build"));
    let directory = fs::canonicalize(bench.dir.path()).unwrap();
    assert_eq!(event.cwd.as_deref(), directory.to_str());
}

#[test]
fn only_a_clear_yes_lets_a_call_happen_that_a_person_is_to_decide_on() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let decision = Decision {
        updated_input: Some(json!({ "command": "ls" })),
        ..verdict(Verdict::Ask, "looks unusual")
    };
    bench.answers("PreToolUse", &call(), &decision);
    for (answer, action) in [
        (Some(json!(true)), "modify"),
        (Some(json!(false)), "reject-and-continue"),
        (Some(json!("yes")), "reject-and-continue"),
        (None, "reject-and-continue"),
    ] {
        let mut step = call();
        if let Some(answer) = answer.clone() {
            step["confirm"] = answer;
        }
        let ran = bench.run(&json!([step]));
        assert_eq!(returned(&ran, 0)["action"], json!(action), "{answer:?}");
        let options = &ran["calls"][0][1];
        assert_eq!(options["requireHuman"], json!(true));
        let message = options["message"].as_str().unwrap();
        assert!(message.starts_with("looks unusual"), "{message}");
        // The dialog shows the rewritten input, not the original.
        assert!(message.contains(r#""cmd":"ls""#), "{message}");
    }
}

#[test]
fn context_goes_with_the_first_prompt_with_each_and_after_a_tool() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    bench.answers("SessionStart", &session(), &context("from the start"));
    bench.answers(
        "UserPromptSubmit",
        &start("hi"),
        &context("with the prompt"),
    );
    bench.answers("PostToolUse", &result(json!("x")), &context("after"));
    let ran = bench.run(&json!([
        session(),
        start("hi"),
        start("again"),
        result(json!("out")),
        result(json!({ "output": "out", "exitCode": 1 })),
        result(json!([1])),
    ]));
    assert_eq!(
        returned(&ran, 1)["message"]["content"],
        json!("from the start\n\nwith the prompt")
    );
    assert_eq!(
        returned(&ran, 2)["message"]["content"],
        json!("with the prompt")
    );
    assert_eq!(returned(&ran, 3)["output"], json!("out\n\nafter"));
    assert_eq!(
        returned(&ran, 4)["output"],
        json!({ "output": "out\n\nafter", "exitCode": 1 })
    );
    assert_eq!(returned(&ran, 5), &Value::Null);
}

#[test]
fn a_refused_prompt_and_a_halted_call_cancel_the_turn() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let deny = verdict(Verdict::Deny, "holds a secret");
    bench.answers("UserPromptSubmit", &start("hi"), &deny);
    let halt = verdict(Verdict::Halt, "out of budget");
    bench.answers("PreToolUse", &call(), &halt);
    let ran = bench.run(&json!([start("hi"), call()]));
    assert_eq!(returned(&ran, 1)["action"], json!("reject-and-continue"));
    let calls: Vec<&Value> = ran["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c[0])
        .collect();
    assert_eq!(calls, ["notify", "cancel", "cancel"]);
}

#[test]
fn ended_turn_continues_and_the_new_prompt_is_not_the_users() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let going = Decision {
        keep_going: Some("Run the tests first.".into()),
        ..Decision::default()
    };
    bench.answers("Stop", &end(), &going);
    let ran = bench.run(&json!([end(), start("Run the tests first."), end()]));
    assert_eq!(
        returned(&ran, 0),
        &json!({ "action": "continue", "userMessage": "Run the tests first." })
    );
    assert_eq!(bench.sent_names(), ["agent.end", "agent.end", "dispose"]);
    let active: Vec<Value> = bench.sent()[..2]
        .iter()
        .map(|event| event.to_json()["stop_hook_active"].clone())
        .collect();
    assert_eq!(active, [json!(false), json!(true)]);
}

#[test]
fn a_call_in_a_thread_with_a_parent_is_a_subagents() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let mut step = call();
    step["parent"] = json!("T-0");
    bench.run(&json!([step]));
    let subagent = bench.sent()[0].subagent.clone().unwrap();
    assert_eq!(subagent.id, "T-1");
}

#[test]
fn a_call_is_rejected_when_becket_fails_and_nothing_else_is_disturbed() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] {
        bench.does(event, "echo broken >&2; exit 65");
    }
    let steps = json!([call(), result(json!("out")), start("hi"), end()]);
    let ran = bench.run(&steps);
    let rejected = returned(&ran, 0);
    assert_eq!(rejected["action"], json!("reject-and-continue"));
    assert!(
        rejected["message"]
            .as_str()
            .unwrap()
            .contains("exit 65: broken")
    );
    assert_eq!(returned(&ran, 1), &Value::Null);
    assert_eq!(returned(&ran, 2), &json!({}));
    assert_eq!(returned(&ran, 3), &Value::Null);
    let ran = bench.run_with(&json!([call()]), &[("BECKET_ON_FAILURE", "allow")]);
    assert_eq!(returned(&ran, 0), &json!({ "action": "allow" }));
}

#[test]
fn a_becket_that_never_answers_is_ended_and_the_call_rejected() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    bench.does("PreToolUse", "sleep 300");
    let begun = Instant::now();
    let ran = bench.run_with(&json!([call()]), &[("BECKET_PLUGIN_TIMEOUT_MS", "700")]);
    let message = returned(&ran, 0)["message"].as_str().unwrap_or_default();
    assert!(message.contains("no answer within 700 ms"), "{message}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn every_event_of_amp_has_one_handler() {
    let Some(bench) = Bench::new("amp") else {
        return;
    };
    let ran = bench.run(&json!([]));
    let mut handlers: Vec<&str> = ran["handlers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    handlers.sort_unstable();
    assert_eq!(
        handlers,
        [
            "agent.end",
            "agent.start",
            "changes.prompt",
            "session.start",
            "tool.call",
            "tool.result"
        ]
    );
}
