//! Every built-in hook: enabled by one command, fired as Claude Code fires it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use becket_testkit::poll_until;
use becket_testkit::{HttpStub, StubReply};
use serde_json::{Value, json};

use crate::context::Context;
use crate::hook_servers::model_server;

fn enable(context: &Context, args: &[&str]) {
    let all: Vec<&str> = ["hooks", "enable"].iter().chain(args).copied().collect();
    let answer = context.run(&all);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
}

fn enabled(args: &[&str]) -> Context {
    let context = Context::new();
    enable(&context, args);
    context
}

fn stop(context: &Context) -> crate::context::CommandOutput {
    context.fire("Stop", json!({ "stop_hook_active": false }))
}

/// A directory at the front of `PATH` with a program that logs its calls.
fn with_program(context: &mut Context, name: &str) {
    let seen = context.path("home/seen");
    let note = format!(
        "printf '%s\\n' \"$@\" > {0}.new; mv {0}.new {0}",
        seen.display()
    );
    context.script(&format!("bin/{name}"), &note);
    let path = format!("{}:/usr/bin:/bin", context.path("bin").display());
    context.set_env("PATH", path);
}

fn seen(context: &Context) -> String {
    poll_until("a call of the program", || {
        fs::read_to_string(context.path("home/seen")).ok()
    })
}

#[test]
fn log_writes_every_event_without_secrets() {
    let context = enabled(&["log"]);
    let answer = context.bash("echo AKIAIOSFODNN7EXAMPLX; ls");
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", 0));
    stop(&context);
    let text = context.read("home/.becket/logs/events.jsonl");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let events: Vec<&Value> = lines.iter().map(|line| &line["event"]).collect();
    assert_eq!(events, ["PreToolUse", "Stop"]);
    let command = lines[0]["tool_input"]["command"].as_str();
    assert!(command.is_some_and(|it| it.ends_with("; ls")), "{text}");
    assert!(!text.contains("AKIAIOSFODNN7EXAMPLX"), "{text}");
    assert_eq!(lines[1]["id"], context.records()[1]["id"]);
}

#[test]
fn auto_format_formats_the_file_and_tells_the_agent() {
    let mut context = enabled(&["auto-format"]);
    let tools = PathBuf::from(env!("CARGO"));
    let tools = tools.parent().expect("a directory").display();
    context.set_env("PATH", format!("{tools}:/usr/bin:/bin"));
    context.write(
        "app/Cargo.toml",
        "[package]\nname = 'a'\nedition = '2024'\n",
    );
    context.write("app/src/main.rs", "fn main(){let a=1;}\n");
    let answer = context.written(&context.path("app/src/main.rs"));
    assert_eq!(
        answer.reason(),
        "`src/main.rs` was reformatted by rustfmt; read it again before editing it."
    );
    assert_eq!(
        context.read("app/src/main.rs"),
        "fn main() {\n    let a = 1;\n}\n"
    );
    let [record] = &context.records()[..] else {
        panic!("one call, one record: {:?}", context.records());
    };
    let ran = record["decision"]["hooks"].as_array().map(Vec::len);
    assert_eq!(ran, Some(1), "a change is formatted once: {record}");
    let again = context.written(&context.path("app/src/main.rs"));
    assert_eq!(again.stdout, "", "there is nothing to say a second time");
}

/// Runs git in the project, without the configuration of the user who runs the tests.
fn git(context: &Context, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(context.project())
        .env("HOME", context.path("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is needed");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {args:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn repository(context: &Context) {
    let person = "[user]\nname = Ada\nemail = ada@example.org\n";
    context.write("home/.gitconfig", person);
    fs::remove_dir(context.path("app/.git")).expect("it is empty");
    git(context, &["init", "--quiet", "--initial-branch=work", "."]);
    context.write("app/README.md", "hello\n");
    git(context, &["add", "README.md"]);
    git(context, &["commit", "--quiet", "-m", "begin"]);
}

#[test]
fn git_auto_stage_stages_written_files_but_no_secrets() {
    let context = enabled(&["git-auto-stage"]);
    repository(&context);
    for name in ["src/a.rs", ".env"] {
        let file = context.path(&format!("app/{name}"));
        context.write(&format!("app/{name}"), "x = 1\n");
        assert_eq!(context.written(&file).exit, 0);
    }
    assert_eq!(
        git(&context, &["diff", "--cached", "--name-only"]),
        "src/a.rs\n"
    );
}

#[test]
fn smart_commit_commits_at_the_end_of_a_turn_and_not_on_main() {
    let context = enabled(&["smart-commit", "--option", "message_prefix=wip: "]);
    repository(&context);
    context.write("app/README.md", "hello\nworld\n");
    let answer = stop(&context);
    let message = answer.json()["systemMessage"].to_string();
    assert!(message.contains("smart-commit committed"), "{message}");
    let log = git(&context, &["log", "--format=%s"]);
    let subjects: Vec<&str> = log.lines().collect();
    assert_eq!(subjects.len(), 2, "{log}");
    assert!(subjects[0].starts_with("wip: "), "{log}");
    assert_eq!(git(&context, &["status", "--porcelain"]), "");

    git(&context, &["checkout", "--quiet", "-b", "main"]);
    context.write("app/README.md", "hello\n");
    stop(&context);
    assert_eq!(git(&context, &["log", "--format=%s"]), log);
}

#[test]
fn smart_commit_uses_the_configured_model() {
    let server = model_server("docs: greet the world");
    let context = Context::new();
    let url = server.url("/v1");
    context.config(&format!(
        "[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'm1'\n"
    ));
    enable(&context, &["smart-commit"]);
    repository(&context);
    context.write("app/README.md", "hello\nworld\n");
    stop(&context);
    assert_eq!(
        git(&context, &["log", "-1", "--format=%s"]),
        "docs: greet the world\n"
    );
    assert!(server.requests()[0].body.contains("+world"));
}

#[test]
fn desktop_notify_shows_project_and_outcome() {
    let mut context = enabled(&["desktop-notify"]);
    with_program(&mut context, "notify-send");
    let said =
        json!({ "stop_hook_active": false, "last_assistant_message": "All <b>tests</b> pass." });
    assert_eq!(context.fire("Stop", said).stdout, "");
    let seen = seen(&context);
    assert!(seen.contains("app: Task finished"), "{seen}");
    assert!(seen.contains("All &lt;b&gt;tests"), "{seen}");
}

#[test]
fn sound_alert_plays_the_sound_of_the_event() {
    let mut context = Context::new();
    with_program(&mut context, "aplay");
    context.write("home/done.wav", "RIFF");
    enable(&context, &["sound-alert", "--option", "sound=~/done.wav"]);
    assert_eq!(stop(&context).stdout, "");
    let wav = context.path("home/done.wav").display().to_string();
    assert!(seen(&context).contains(&wav));
}

/// A turn with a prompt, one tool call that ran and one that was blocked.
fn play_a_turn(context: &Context) {
    context.fire("UserPromptSubmit", json!({ "prompt": "tidy up" }));
    context.bash("ls");
    stop(context);
}

#[test]
fn slack_notify_posts_turn_statistics_after_the_reply() {
    let server = HttpStub::start([StubReply::status(200)]);
    let mut context = enabled(&["slack-notify"]);
    context.set_env(
        "SLACK_WEBHOOK_URL",
        server.url("/services/T0/B0/sEcReTpAtH"),
    );
    play_a_turn(&context);
    let asked = poll_until("the message", || server.requests().into_iter().next());
    assert_eq!(asked.path(), "/services/T0/B0/sEcReTpAtH");
    assert_eq!(asked.json()["text"], "app: Task finished");
    let fields = asked.json()["blocks"][1]["fields"].to_string();
    assert!(fields.contains("*Tool calls*\\n1"), "{fields}");
    assert!(fields.contains("*Duration*"), "{fields}");
    assert!(
        !fields.contains("*Tokens*"),
        "token use is unknown: {fields}"
    );
    let end = poll_until("its end", || {
        let records = context.records();
        records.into_iter().find(|it| it["kind"] == "async_hook")
    });
    assert_eq!(
        (&end["hook"], &end["ending"]),
        (&json!("slack-notify"), &json!("done"))
    );
    for file in files_below(&context.path("home/.becket")) {
        let text = String::from_utf8_lossy(&fs::read(&file).expect("readable")).into_owned();
        assert!(!text.contains("sEcReTpAtH"), "{}", file.display());
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("a directory").flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn slack_notify_without_a_url_is_recorded_as_a_hook_error_and_blocks_nothing() {
    let context = enabled(&["slack-notify"]);
    let answer = stop(&context);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""));
    let end = poll_until("its end", || {
        let records = context.records();
        records.into_iter().find(|it| it["kind"] == "async_hook")
    });
    let ending = end["ending"].as_str().expect("text");
    assert!(ending.contains("SLACK_WEBHOOK_URL is not set"), "{ending}");
}

#[test]
fn webhook_posts_the_turn_as_json() {
    let server = HttpStub::start([StubReply::status(204)]);
    let mut context = enabled(&["webhook", "--option", "token_env=HOOK_TOKEN"]);
    context.set_env("BECKET_WEBHOOK_URL", server.url("/in"));
    context.set_env("HOOK_TOKEN", "t-123");
    play_a_turn(&context);
    let asked = poll_until("the message", || server.requests().into_iter().next());
    assert_eq!(asked.header("authorization"), Some("Bearer t-123"));
    let body = asked.json();
    assert_eq!(body["event"], "Stop");
    assert_eq!(body["agent"], "claude");
    assert_eq!(body["outcome"], "finished");
    assert_eq!(body["tool_calls"], 1);
    assert!(body["duration_ms"].is_u64(), "{body}");
    assert_eq!(body["tokens"], Value::Null);
}

#[test]
fn security_guard_names_the_rule_and_a_safer_alternative() {
    let context = enabled(&["security-guard"]);
    let denied = context.bash("git status; rm -rf ~/");
    assert_eq!(denied.permission().as_deref(), Some("deny"));
    let reason = denied.reason();
    assert!(reason.starts_with("core.delete-home: "), "{reason}");
    assert!(reason.contains("\ninstead: "), "{reason}");
    assert_eq!(
        context.bash("cargo test").stdout,
        "",
        "no opinion is silence"
    );

    let read = |path: &str| {
        let input = json!({ "file_path": context.path(path) });
        context.fire(
            "PreToolUse",
            json!({ "tool_name": "Read", "tool_input": input, "tool_use_id": path }),
        )
    };
    context.write("app/.env", "TOKEN=1\n");
    assert_eq!(read("app/.env").permission().as_deref(), Some("deny"));
    assert_eq!(read("app/src/main.rs").stdout, "");
}

#[test]
fn security_guard_allows_read_only_commands_if_configured() {
    let context = enabled(&["security-guard", "--option", "auto_approve=true"]);
    let asks = |command: &str| {
        context.fire(
            "PermissionRequest",
            json!({ "tool_name": "Bash", "tool_input": { "command": command } }),
        )
    };
    let decision = |answer: &crate::context::CommandOutput| {
        answer.json()["hookSpecificOutput"]["decision"]["behavior"].clone()
    };
    assert_eq!(decision(&asks("git status")), "allow");
    assert_eq!(decision(&asks("rm -rf ~")), "deny");
    assert_eq!(
        asks("npm install left-pad").stdout,
        "",
        "the person is asked"
    );
    let quiet = enabled(&["security-guard"]);
    let asked = quiet.fire(
        "PermissionRequest",
        json!({ "tool_name": "Bash", "tool_input": { "command": "git status" } }),
    );
    assert_eq!(asked.stdout, "");
}
