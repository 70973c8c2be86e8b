//! `becket hooks test`.

use std::process::{Command, Stdio};

use becket_testkit::{HttpStub, StubReply, StubRequest};
use serde_json::json;

use super::{context, done, refused};
use crate::context::{Context, quoted};
use crate::hook_servers::{decision_server, model_server};

#[test]
fn a_test_shows_verdict_reason_output_exit_and_time() {
    let context = context();
    let shown = done(&context, &["hooks", "test", "no-force-push"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[0],
        "no-force-push on PreToolUse Bash {\"command\":\"git push --force\"}"
    );
    assert_eq!(lines[1], "  verdict        deny");
    assert_eq!(lines[2], "  reason         use --force-with-lease");
    assert_eq!(lines[3], "  exit           2");
    assert!(
        lines[4].starts_with("  took           ") && lines[4].ends_with(" ms"),
        "{}",
        lines[4]
    );
    assert_eq!(lines[5..], ["stderr", "  use --force-with-lease"]);
    assert_eq!(context.records().len(), 0, "a test is no event");
}

#[test]
fn test_event_can_be_given_by_options_or_payload() {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"echo\"\nevent = [\"PreToolUse\", \"Stop\"]\ncommand = \"cat\"\n",
    );
    let seen = |args: &[&str]| {
        let mut all = vec!["hooks", "test", "echo", "--json"];
        all.extend(args);
        let json = done(&context, &all).json();
        let stdout = json["stdout"].as_str().expect("text").to_owned();
        serde_json::from_str::<serde_json::Value>(&stdout).expect("the event")
    };
    let event = seen(&[
        "--tool",
        "Write",
        "--input",
        "{\"file_path\": \"/x\", \"content\": \"y\"}",
    ]);
    assert_eq!(event["tool_name"], "Write");
    assert_eq!(event["tool_input"]["file_path"], "/x");
    assert_eq!(seen(&["--event", "stop"])["event"], "Stop");
    let payload = json!({ "session_id": "mine", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    context.write("app/event.json", payload.to_string());
    let event = seen(&["--payload", "event.json"]);
    assert_eq!(
        (&event["session_id"], &event["agent"]),
        (&json!("mine"), &json!("claude"))
    );
}

#[test]
fn failing_hook_fails_the_test() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"slow\"\nevent = \"Stop\"\ncommand = \"sleep 60\"\ntimeout = \"100ms\"\n[[hook]]\nname = \"bad\"\nevent = \"PreToolUse\"\ncommand = \"exit 7\"\non_failure = \"deny\"\n");
    let slow = context.run(&["hooks", "test", "slow"]);
    assert_eq!(slow.exit, 1);
    assert!(
        slow.stdout.contains("exit           timed out"),
        "{}",
        slow.stdout
    );
    let bad = context.run(&["hooks", "test", "bad", "--json"]);
    assert_eq!(bad.exit, 1);
    let json = bad.json();
    assert_eq!(
        (&json["verdict"], &json["exit"]),
        (&json!("deny"), &json!(7))
    );
    assert!(json["failure"].as_str().is_some(), "{json}");
}

#[test]
fn untrusted_hook_is_not_run() {
    let context = Context::new();
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"p\"\nevent = \"Stop\"\ncommand = \"touch ran\"\n",
    );
    let said = refused(&context, &["hooks", "test", "p"]);
    assert!(
        said.contains("becket trust") && said.contains("becket.toml:1"),
        "{said}"
    );
    assert!(!context.path("app/ran").exists());
    done(&context, &["trust", "--yes"]);
    done(&context, &["hooks", "test", "p"]);
    assert!(context.path("app/ran").exists());
}

#[test]
fn notes_report_differences_to_a_real_event() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"off\"\nevent = \"PreToolUse\"\nmatcher = \"Write\"\ncommand = \"true\"\nenabled = false\nasync = true\n");
    let told = done(&context, &["hooks", "test", "off"]).stderr;
    assert!(
        told.contains("is disabled") && told.contains("async"),
        "{told}"
    );
    let told = done(&context, &["hooks", "test", "off", "--tool", "Bash"]).stderr;
    assert!(
        told.contains("would not reach the hook: matcher does not match `Bash`"),
        "{told}"
    );
}

#[test]
fn invalid_sample_is_rejected_by_option() {
    let context = context();
    for (args, expected) in [
        (
            vec!["no-force-push", "--input", "{"],
            "--input is not valid JSON",
        ),
        (
            vec!["no-force-push", "--input", "[]"],
            "--input must be a JSON object",
        ),
        (
            vec!["two", "--tool", "Bash"],
            "`Stop`, which is not a tool event",
        ),
        (vec!["two", "--payload", "missing.json"], "missing.json"),
        (
            vec!["two", "--payload", "missing.json", "--agent", "hal"],
            "unknown agent `hal`",
        ),
    ] {
        let all: Vec<&str> = ["hooks", "test"].into_iter().chain(args).collect();
        let said = refused(&context, &all);
        assert!(said.contains(expected), "{all:?}: {said}");
    }
}

#[test]
fn interrupted_test_leaves_no_process_behind() {
    let context = Context::new();
    let alive = context.path("alive");
    context.config(&format!(
        "[[hook]]\nname = \"slow\"\nevent = \"Stop\"\ncommand = \"echo $$ > {}; sleep 1000\"\ntimeout = \"1h\"\n",
        alive.display()
    ));
    let mut command = context.command(&["hooks", "test", "slow"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("started");
    while context.read("alive").is_empty() {
        std::thread::yield_now();
    }
    let kill = |args: &[&str]| {
        let output = Command::new("kill").args(args).output();
        output.expect("kill").status.success()
    };
    assert!(kill(&["-INT", &child.id().to_string()]));
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("cancelled"));
    assert!(
        !kill(&["-0", context.read("alive").trim()]),
        "the hook outlived its test"
    );
}

#[test]
fn hooks_of_every_kind_can_be_tested() {
    let context = Context::new();
    let server = decision_server("deny", "by the server");
    let model = model_server("BLOCK: by the model");
    let agent = quoted(context.script("agent", "echo 'BLOCK: by the agent'"));
    let mcp = quoted(context.script("mcp", MCP_SERVER));
    let (url, base) = (server.url("/"), model.url("/v1"));
    context.config(&format!(
        "[http]\nallow_private = true\n[llm]\nprovider = 'openai'\nbase_url = '{base}'\nmodel = 'm1'\n\
         [agents.a]\ncommand = ['/bin/sh', {agent}]\n[mcp.m]\ncommand = ['/bin/sh', {mcp}]\n\
         [[hook]]\nname = 'command'\nevent = 'PreToolUse'\ncommand = 'echo by the command >&2; exit 2'\n\
         [[hook]]\nname = 'http'\nevent = 'PreToolUse'\nurl = '{url}'\n\
         [[hook]]\nname = 'prompt'\nevent = 'PreToolUse'\nprompt = 'Is $COMMAND safe?'\n\
         [[hook]]\nname = 'agent'\nevent = 'PreToolUse'\nagent = 'a'\nprompt = 'Is $COMMAND safe?'\n\
         [[hook]]\nname = 'mcp'\nevent = 'PreToolUse'\nserver = 'm'\ntool = 't'\n\
         [[hook]]\nname = 'guard'\nuse = 'security-guard'\n"
    ));
    for (name, reason) in [
        ("command", "by the command"),
        ("http", "by the server"),
        ("prompt", "by the model"),
        ("agent", "by the agent"),
        ("mcp", "by the MCP server"),
        ("guard", "rm -rf /"),
    ] {
        let input = "{\"command\": \"rm -rf /\"}";
        let words = [
            "hooks", "test", name, "--tool", "Bash", "--input", input, "--json",
        ];
        let tried = done(&context, &words).json();
        assert_eq!(tried["verdict"], "deny", "{name}: {tried}");
        let said = tried["reason"].as_str().unwrap_or_default();
        assert!(said.contains(reason), "{name}: {said}");
    }
    assert_eq!(context.records().len(), 0, "a test is no event");
}

#[test]
fn every_builtin_can_be_tested_with_a_sample() {
    let server = HttpStub::start([StubReply::status(200)]);
    let mut context = Context::new();
    context.set_env("SLACK_WEBHOOK_URL", server.url("/slack"));
    context.set_env("BECKET_WEBHOOK_URL", server.url("/webhook"));
    // Without sound players, notifiers or formatters.
    context.set_env("PATH", context.path("nothing"));
    for name in [
        "log",
        "sound-alert",
        "auto-format",
        "slack-notify",
        "webhook",
        "desktop-notify",
        "security-guard",
    ] {
        done(&context, &["hooks", "enable", name]);
        let tried = done(&context, &["hooks", "test", name, "--json"]).json();
        assert_eq!(tried["failure"], json!(null), "{name}: {tried}");
    }
    let asked = server.requests();
    let paths: Vec<&str> = asked.iter().map(StubRequest::path).collect();
    assert_eq!(paths, ["/slack", "/webhook"]);
    let logged = context.read("home/.becket/logs/events.jsonl");
    assert_eq!(logged.lines().count(), 1, "{logged}");
}

/// Implements as much of MCP as one tool call needs.
const MCP_SERVER: &str = r#"
read -r hello
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read -r ready
read -r call
echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"decision\":\"deny\",\"reason\":\"by the MCP server\"}"}]}}'
cat > /dev/null
"#;
