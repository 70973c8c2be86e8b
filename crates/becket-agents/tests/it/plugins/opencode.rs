//! OpenCode's plugin.

use super::*;

fn before() -> Value {
    json!({
        "hook": "tool.execute.before",
        "input": { "tool": "write", "sessionID": "ses_1", "callID": "call_1" },
        "output": { "args": { "filePath": "/srv/a.txt", "content": "x" } },
    })
}

fn after() -> Value {
    json!({
        "hook": "tool.execute.after",
        "input": { "tool": "bash", "sessionID": "ses_1", "callID": "call_1", "args": { "command": "ls" } },
        "output": { "title": "ls", "output": "a.txt", "metadata": { "exit": 0 } },
    })
}

fn prompt(text: &str) -> Value {
    json!({
        "hook": "chat.message",
        "input": { "sessionID": "ses_1" },
        "output": {
            "message": { "id": "msg_1", "role": "user", "sessionID": "ses_1" },
            "parts": [{ "id": "prt_1", "type": "text", "text": text }],
        },
    })
}

fn bus(kind: &str, properties: Value) -> Value {
    json!({ "hook": "event", "event": { "id": "evt_1", "type": kind, "properties": properties } })
}

fn created() -> Value {
    bus(
        "session.created",
        json!({ "sessionID": "ses_1", "info": { "id": "ses_1" } }),
    )
}

fn idle() -> Value {
    bus("session.idle", json!({ "sessionID": "ses_1" }))
}

fn failed_part() -> Value {
    let state = json!({ "status": "error", "input": {}, "error": "no" });
    let part = json!({ "id": "prt_9", "type": "tool", "tool": "write", "callID": "call_1", "state": state });
    bus(
        "message.part.updated",
        json!({ "sessionID": "ses_1", "part": part }),
    )
}

#[test]
fn a_refused_call_is_thrown_with_its_reason_and_not_reported_as_a_failure() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let deny = verdict(Verdict::Deny, "touches \"$HOME\"");
    bench.answers("tool.execute.before", &before(), &deny);
    let ran = bench.run(&json!([before(), failed_part()]));
    assert_eq!(ran["results"][0]["threw"], json!("touches \"$HOME\""));
    assert_eq!(bench.sent_names(), ["tool.execute.before"]);
    let call = bench.sent()[0].call().unwrap().clone();
    assert_eq!(call.file_path(), Some("/srv/a.txt"));
    assert_eq!(call.id.as_deref(), Some("call_1"));
    assert_eq!(ran["exports"], json!(["Becket"]));
}

#[test]
fn a_failure_of_a_call_that_ran_is_reported_once() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    bench.run(&json!([before(), failed_part(), failed_part()]));
    assert_eq!(
        bench.sent_names(),
        ["tool.execute.before", "message.part.updated"]
    );
}

#[test]
fn a_rewrite_changes_the_very_arguments_that_opencode_holds() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let new = json!({ "file_path": "/tmp/b.txt", "content": "y" });
    bench.answers("tool.execute.before", &before(), &rewrite(new));
    let ran = bench.run(&json!([before()]));
    assert_eq!(
        ran["results"][0]["args"],
        json!({ "filePath": "/tmp/b.txt", "content": "y" })
    );
    assert_eq!(ran["results"][0]["threw"], Value::Null);
}

#[test]
fn no_opinion_changes_nothing() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let steps = [prompt("hi"), before(), after()];
    let ran = bench.run(&json!(steps));
    for (step, result) in steps.iter().zip(ran["results"].as_array().unwrap()) {
        assert_eq!(result["threw"], Value::Null);
        assert_eq!(result["output"], step["output"]);
    }
}

#[test]
fn context_reaches_the_model_at_the_start_with_a_prompt_and_after_a_tool() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    bench.answers("session.created", &created(), &context("from the start"));
    bench.answers("chat.message", &prompt("hi"), &context("with the prompt"));
    bench.answers("tool.execute.after", &after(), &context("after the tool"));
    let system = |text: &str| {
        json!({
            "hook": "experimental.chat.system.transform",
            "input": { "sessionID": "ses_1" }, "output": { "system": [text] },
        })
    };
    let ran = bench.run(&json!([
        created(),
        prompt("hi"),
        system("You are an agent."),
        system("You are a title generator."),
        after(),
    ]));
    let output = |at: usize| &ran["results"][at]["output"];
    let part = &output(1)["parts"][1];
    assert_eq!(part["text"], json!("with the prompt"));
    assert_eq!(
        (&part["sessionID"], &part["messageID"]),
        (&json!("ses_1"), &json!("msg_1"))
    );
    assert!(part["id"].as_str().unwrap().starts_with("prt_"));
    assert_eq!(
        output(2)["system"],
        json!(["You are an agent.", "from the start"])
    );
    assert_eq!(output(3)["system"], json!(["You are a title generator."]));
    assert_eq!(output(4)["output"], json!("a.txt\n\nafter the tool"));
}

#[test]
fn a_refused_prompt_is_thrown_and_the_person_is_told_why() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let deny = verdict(Verdict::Deny, "holds a secret");
    bench.answers("chat.message", &prompt("hi"), &deny);
    let ran = bench.run(&json!([prompt("hi")]));
    assert_eq!(ran["results"][0]["threw"], json!("holds a secret"));
    assert_eq!(ran["calls"][0][0], json!("showToast"));
    // A session whose creation was not seen was resumed.
    assert_eq!(
        bench.sent_names(),
        ["session.resumed", "chat.message", "dispose"]
    );
}

#[test]
fn halt_denies_the_call_and_ends_the_turn() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let halt = verdict(Verdict::Halt, "out of budget");
    bench.answers("tool.execute.before", &before(), &halt);
    let ran = bench.run(&json!([before(), idle()]));
    assert_eq!(ran["results"][0]["threw"], json!("out of budget"));
    assert_eq!(ran["calls"][0][0], json!("abort"));
    let rests = bench.sent().pop().unwrap();
    assert_eq!(rests.subject(), Some("aborted"), "{rests:?}");
}

#[test]
fn idle_session_continues_and_the_new_prompt_is_not_the_users() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let going = Decision {
        keep_going: Some("Run the tests first.".into()),
        ..Decision::default()
    };
    bench.answers("session.idle", &idle(), &going);
    let mut rests = idle();
    rests["until"] = json!("promptAsync");
    let ran = bench.run(&json!([
        created(),
        rests,
        prompt("Run the tests first."),
        idle()
    ]));
    let request = &ran["calls"][0][1];
    assert_eq!(request["path"]["id"], json!("ses_1"));
    assert_eq!(
        request["body"]["parts"][0]["text"],
        json!("Run the tests first.")
    );
    assert_eq!(
        bench.sent_names(),
        ["session.created", "session.idle", "session.idle", "dispose"]
    );
    let active: Vec<Value> = bench.sent()[1..3]
        .iter()
        .map(|event| event.to_json()["stop_hook_active"].clone())
        .collect();
    assert_eq!(active, [json!(false), json!(true)]);
}

#[test]
fn a_permission_is_answered_for_the_call_that_needs_it() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    for (decision, response) in [
        (verdict(Verdict::Allow, "on the list"), "once"),
        (verdict(Verdict::Deny, "no"), "reject"),
    ] {
        let mut asked = bus(
            "permission.asked",
            json!({
                "id": "per_1", "sessionID": "ses_1", "permission": "edit", "patterns": ["a.txt"],
                "metadata": {}, "tool": { "messageID": "msg_1", "callID": "call_1" },
            }),
        );
        bench.answers("permission.asked", &asked, &decision);
        asked["until"] = json!("permission");
        let ran = bench.run(&json!([before(), asked]));
        assert_eq!(
            ran["calls"][0][1],
            json!({ "path": { "id": "ses_1", "permissionID": "per_1" }, "body": { "response": response } })
        );
        let event = bench.sent().pop().unwrap();
        assert_eq!(event.call().unwrap().file_path(), Some("/srv/a.txt"));
    }
}

#[test]
fn a_call_is_refused_when_becket_fails_unless_the_person_wants_otherwise() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    for (does, why) in [
        ("echo broken >&2; exit 65", "exit 65: broken"),
        (
            "echo '{\"verdict\": \"allow\"}'",
            "the answer is not Becket's",
        ),
        ("echo hello", "the answer is not Becket's"),
    ] {
        bench.does("tool.execute.before", does);
        let ran = bench.run(&json!([before()]));
        let threw = ran["results"][0]["threw"].as_str().unwrap_or_default();
        assert!(threw.contains(why), "{does}: {threw}");
        let ran = bench.run_with(&json!([before()]), &[("BECKET_ON_FAILURE", "allow")]);
        assert_eq!(ran["results"][0]["threw"], Value::Null, "{does}");
    }
    fs::remove_file(bench.home().join("becket")).unwrap();
    let ran = bench.run(&json!([before()]));
    let threw = ran["results"][0]["threw"].as_str().unwrap_or_default();
    assert!(threw.contains("ENOENT"), "{threw}");
}

#[test]
fn no_other_failure_is_ever_thrown() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    for event in [
        "session.created",
        "session.resumed",
        "chat.message",
        "tool.execute.after",
        "session.idle",
        "experimental.session.compacting",
        "experimental.text.complete",
    ] {
        bench.does(event, "echo nonsense; exit 3");
    }
    let compacting = json!({
        "hook": "experimental.session.compacting",
        "input": { "sessionID": "ses_1" }, "output": { "context": [] },
    });
    let complete = json!({
        "hook": "experimental.text.complete",
        "input": { "sessionID": "ses_1" }, "output": { "text": "done" },
    });
    let steps = json!([
        created(),
        prompt("hi"),
        after(),
        compacting,
        complete,
        idle()
    ]);
    let ran = bench.run(&steps);
    for result in ran["results"].as_array().unwrap() {
        assert_eq!(result["threw"], Value::Null);
    }
}

#[test]
fn a_becket_that_never_answers_is_ended_and_the_call_refused() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    let line = "trap '' TERM; echo $$ > \"$here/pid\"; sleep 300 & wait; sleep 300";
    bench.does("tool.execute.before", line);
    let begun = Instant::now();
    let ran = bench.run_with(&json!([before()]), &[("BECKET_PLUGIN_TIMEOUT_MS", "700")]);
    let threw = ran["results"][0]["threw"].as_str().unwrap_or_default();
    assert!(threw.contains("no answer within 700 ms"), "{threw}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    let pid = fs::read_to_string(bench.home().join("pid")).unwrap();
    let alive = Command::new("kill").args(["-0", pid.trim()]).output();
    assert!(!alive.unwrap().status.success(), "{pid} still runs");
}

#[test]
fn observing_hooks_do_not_block() {
    let Some(bench) = Bench::new("opencode") else {
        return;
    };
    bench.does("session.idle", "sleep 60");
    let begun = Instant::now();
    let ran = bench.run_with(
        &json!([idle(), before()]),
        &[("BECKET_PLUGIN_TIMEOUT_MS", "60000")],
    );
    assert_eq!(ran["results"][1]["threw"], Value::Null);
    assert!(begun.elapsed() < Duration::from_secs(45));
}
