//! Learning, from hook events to the resulting memories.

use std::path::Path;
use std::process::{Child, Stdio};

use becket_testkit::poll_until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::context::Context;

/// A daemon with learning, which stops with the test.
struct LearningDaemon<'c> {
    child: Child,
    context: &'c Context,
}

impl<'c> LearningDaemon<'c> {
    fn start(context: &'c Context) -> Self {
        let mut command = context.command(&["daemon", "run"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let daemon = Self {
            child: command.spawn().expect("started"),
            context,
        };
        poll_until("the daemon answers", || {
            (context.run(&["daemon", "status"]).exit == 0).then_some(())
        });
        daemon
    }

    /// Kills it, as a power failure would.
    fn kill(mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process"), Signal::KILL).expect("killed");
        self.child.wait().expect("ended");
    }

    fn stop(mut self) {
        assert_eq!(self.context.run(&["daemon", "stop"]).exit, 0);
        self.child.wait().expect("ended");
    }
}

impl Drop for LearningDaemon<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session in which a test fails, a file changes and the test passes.
fn play(context: &Context, session: &str, error: &str) {
    let of = |mut more: Value| {
        more["session_id"] = json!(session);
        more
    };
    let test = json!({ "command": "pnpm test" });
    let file = context.project().join("src/cart.ts");
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    for (event, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        (
            "UserPromptSubmit",
            json!({ "prompt": format!("The tests of {session} are broken, please fix them.") }),
        ),
        (
            "PostToolUseFailure",
            json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": test, "error": error }),
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_use_id": "t2", "tool_input": edit, "tool_response": {} }),
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": "t3", "tool_input": test, "tool_response": { "stdout": "ok" } }),
        ),
        (
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": "The import was wrong because the file had been renamed." }),
        ),
        ("SessionEnd", json!({ "reason": "exit" })),
    ] {
        assert_eq!(context.fire(event, of(more)).exit, 0, "{event}");
    }
}

const FAILED: &str = "Exit code 1\nError: cannot find ./cart";

fn learning(context: &Context) -> Value {
    context.run(&["learn", "--json"]).json()["learning"].clone()
}

fn memories(context: &Context) -> Vec<Value> {
    let output = context.run(&["memories", "list", "--all", "--json"]).json();
    output["memories"].as_array().expect("a list").clone()
}

fn learnt(context: &Context, jobs: u64) {
    poll_until("everything is learnt", || {
        (learning(context)["queue"]["done"] == jobs).then_some(())
    });
}

#[test]
fn fixed_error_becomes_a_memory_with_its_source() {
    let context = Context::new();
    play(&context, "s1", FAILED);
    let daemon = LearningDaemon::start(&context);
    learnt(&context, 2);
    let listed = context.run(&["sessions"]).stdout;
    assert!(listed.contains("tests"), "{listed}");
    let fix = memories(&context)
        .into_iter()
        .find(|memory| memory["type"] == "bug_fix")
        .expect("what was mended");
    let id = fix["id"].as_str().expect("an id");
    let shown = context.run(&["memories", "show", id]).stdout;
    for words in [
        "cannot find ./cart",
        "author",
        "session        s1",
        "prompt         1 The tests of s1 are broken, please fix them.",
        "files          src/cart.ts",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let status = context.run(&["learn"]).stdout;
    assert!(
        status.contains("0 waiting, 0 running, 2 done, 0 failed"),
        "{status}"
    );
    // The results are the same without a daemon.
    daemon.stop();
    assert_eq!(learning(&context)["queue"]["done"], 2);
    let doctor = context.run(&["doctor"]).stdout;
    assert!(
        doctor.contains("learning on, with rules only, 0 jobs waiting"),
        "{doctor}"
    );
}

#[test]
fn paraphrased_rules_of_two_sessions_become_one_memory() {
    let context = Context::new();
    for (session, prompt) in [
        ("s1", "Use tracing for logging instead of println"),
        ("s2", "Always log with the tracing crate, never println"),
    ] {
        for (event, mut more) in [
            ("UserPromptSubmit", json!({ "prompt": prompt })),
            ("Stop", json!({ "last_assistant_message": "Understood." })),
            ("SessionEnd", json!({ "reason": "exit" })),
        ] {
            more["session_id"] = json!(session);
            assert_eq!(context.fire(event, more).exit, 0, "{event}");
        }
    }
    let daemon = LearningDaemon::start(&context);
    learnt(&context, 4);
    let rules: Vec<Value> = memories(&context)
        .into_iter()
        .filter(|memory| memory["type"] == "decision" && memory["status"] == "active")
        .collect();
    assert_eq!(rules.len(), 1, "{rules:?}");
    daemon.stop();
}

/// A program that answers like a model when it is allowed to, and signals when it starts.
fn slow_model(context: &Context) -> (std::path::PathBuf, std::path::PathBuf) {
    let asked = context.path("asked");
    let script = context.script(
        "model",
        &format!(
            "cat > /dev/null; echo x >> {}; i=0; while [ ! -e {} ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done; exit 1",
            asked.display(),
            context.path("go-on").display()
        ),
    );
    (script, asked)
}

fn was_asked(asked: &Path, times: usize) {
    poll_until("the model is asked", || {
        let text = std::fs::read_to_string(asked).unwrap_or_default();
        (text.lines().count() >= times).then_some(())
    });
}

#[test]
fn learning_job_of_a_killed_daemon_is_repeated_exactly_once() {
    let context = Context::new();
    let (model, asked) = slow_model(&context);
    let with_model = format!(
        "[learn.llm]\nprovider = 'command'\ncommand = ['{}']\n",
        model.display()
    );
    context.config(&with_model);
    for session in ["s1", "s2", "s3"] {
        play(&context, session, FAILED);
    }
    for times in 1..=2 {
        let daemon = LearningDaemon::start(&context);
        was_asked(&asked, times);
        let status = learning(&context);
        assert_eq!(status["queue"]["running"], 1, "{status}");
        daemon.kill();
        assert_eq!(memories(&context), [] as [Value; 0]);
    }
    std::fs::write(context.path("go-on"), "").expect("written");
    context.config("[learn]\nby = 'rules'\n");
    let daemon = LearningDaemon::start(&context);
    learnt(&context, 6);
    daemon.kill();
    let all = memories(&context);
    let count = |kind: &str| all.iter().filter(|one| one["type"] == kind).count();
    assert_eq!(
        (count("bug_fix"), count("session_summary")),
        (1, 3),
        "{all:#?}"
    );
    let daemon = LearningDaemon::start(&context);
    assert_eq!(learning(&context)["queue"]["waiting"], 0);
    daemon.stop();
    assert_eq!(memories(&context).len(), all.len());
}

#[test]
fn learning_is_paused_resumed_and_disabled() {
    let context = Context::new();
    let nothing = context.run(&["learn"]);
    assert_eq!((nothing.exit, nothing.stdout.as_str()), (0, ""));
    let paused = context.run(&["learn", "pause"]);
    assert!(
        paused.stdout.starts_with("paused since"),
        "{}",
        paused.stdout
    );
    let doctor = context.run(&["doctor"]).stdout;
    assert!(doctor.contains("fix: becket learn resume"), "{doctor}");
    let resumed = context.run(&["learn", "resume"]).stdout;
    assert!(resumed.starts_with("on\n"), "{resumed}");
    let none = context.run(&["learn", "retry", "7"]);
    assert_eq!(none.exit, 1);
    assert!(none.stderr.contains("has the id 7"), "{}", none.stderr);
    assert_eq!(context.run(&["learn", "retry"]).exit, 64);
    let all = context.run(&["learn", "retry", "--all", "--json"]).json();
    assert_eq!(all["retried"], 0, "{all}");
    context.config("[learn]\nenabled = false\n");
    assert!(context.run(&["learn"]).stdout.starts_with("off\n"));
    context.config("[learn]\nenabled = 'perhaps'\n");
    let broken = context.run(&["learn"]).stdout;
    assert!(
        broken.starts_with("off\n") && broken.contains("is invalid"),
        "{broken}"
    );
    let doctor = context.run(&["doctor"]).stdout;
    assert!(
        doctor.contains("config.toml:2") && doctor.contains("learn.enabled"),
        "{doctor}"
    );
}

#[test]
fn doctor_reports_an_api_key_missing_in_the_daemon() {
    let context = Context::new();
    context.config(
        "[llm]\nprovider = 'openai'\nbase_url = 'http://127.0.0.1:9/v1'\nmodel = 'm'\napi_key_env = 'MODEL_KEY'\n",
    );
    let daemon = LearningDaemon::start(&context);
    play(&context, "s1", FAILED);
    // Meanwhile rules learn, and no request is wasted.
    learnt(&context, 2);
    let mut doctor = context.command(&["doctor"]);
    let doctor = doctor.env("MODEL_KEY", "k").output().expect("run").stdout;
    let doctor = String::from_utf8(doctor).expect("text");
    assert!(
        doctor.contains("`MODEL_KEY` (from `api_key_env`) is not set"),
        "{doctor}"
    );
    daemon.stop();
}
