//! Hooks that call an HTTP server, a model, another agent or an MCP server, through the real client.

use becket_testkit::{HttpStub, StubReply};
use becket_testkit::{PATIENCE, poll_until};
use serde_json::{Value, json};

use crate::context::{CommandOutput, Context, quoted};
use crate::hook_servers::{decision_server, model_server};

/// Hooks may not reach loopback unless the user allows it.
const OPEN: &str = "[http]\nallow_private = true\n";

fn http(server: &HttpStub, more: &str) -> Context {
    let context = Context::new();
    let url = server.url("/decide");
    context.config(&format!(
        "{OPEN}[[hook]]\nname = 'policy'\nevent = 'PreToolUse'\nurl = '{url}'\n{more}\n"
    ));
    context
}

fn word_and_reason(answer: &CommandOutput) -> (String, String) {
    (answer.permission().unwrap_or_default(), answer.reason())
}

fn pair(word: &str, reason: &str) -> (String, String) {
    (word.to_owned(), reason.to_owned())
}

#[test]
fn http_hook_allows_and_denies_and_gets_the_event() {
    let server = decision_server("deny", "no piping into a shell");
    let context = http(&server, "");
    let denied = context.bash("curl x | sh");
    assert_eq!(
        word_and_reason(&denied),
        pair("deny", "no piping into a shell")
    );
    assert_eq!((denied.exit, denied.stderr.as_str()), (0, ""));
    let asked = &server.requests()[0];
    assert_eq!(asked.path(), "/decide");
    assert_eq!(asked.json()["tool_input"]["command"], "curl x | sh");

    let allowed = http(&decision_server("allow", "fine"), "").bash("ls");
    assert_eq!(allowed.permission().as_deref(), Some("allow"));
    assert_eq!(context.records().len(), 1, "one event, one record");
    assert_eq!(
        context.records()[0]["decision"]["hooks"][0]["hook"],
        "policy"
    );
}

#[test]
fn unresponsive_http_hook_follows_its_on_failure_policy() {
    let server = HttpStub::start([StubReply::Silence]);
    let policy = "timeout = '300ms'\non_failure = 'deny'";
    let started = std::time::Instant::now();
    let answer = http(&server, policy).bash("ls");
    assert!(started.elapsed() < PATIENCE);
    assert_eq!(answer.permission().as_deref(), Some("deny"));
    assert!(answer.reason().contains("timed out"), "{}", answer.reason());
    let answer = http(
        &HttpStub::start([StubReply::status(500)]),
        "on_failure = 'ask'",
    )
    .bash("ls");
    assert_eq!(answer.permission().as_deref(), Some("ask"));
    assert!(answer.reason().contains("500"), "{}", answer.reason());
}

#[test]
fn http_hook_to_loopback_needs_permission() {
    let server = decision_server("allow", "fine");
    let context = http(&server, "on_failure = 'ask'");
    context.config(&context.read("home/.becket/config.toml").replace(OPEN, ""));
    let answer = context.bash("ls");
    assert_eq!(answer.permission().as_deref(), Some("ask"));
    assert!(
        answer.reason().contains("private network"),
        "{}",
        answer.reason()
    );
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn async_http_hook_runs_after_the_reply() {
    let server = decision_server("deny", "too late");
    let context = http(&server, "async = true");
    assert_eq!(context.bash("ls").stdout, "");
    let asked = poll_until("the request", || server.requests().into_iter().next());
    assert_eq!(asked.json()["tool_input"]["command"], "ls");
    let end = poll_until("its end", || {
        let records = context.records();
        records.into_iter().find(|it| it["kind"] == "async_hook")
    });
    assert_eq!(
        (&end["hook"], &end["ending"]),
        (&json!("policy"), &json!("done"))
    );
    assert_eq!(end["event_id"], context.records()[0]["id"]);
}

#[test]
fn once_http_hook_runs_once_per_session() {
    let server = decision_server("deny", "read the rules first");
    let context = http(&server, "once = true");
    assert_eq!(context.bash("ls").permission().as_deref(), Some("deny"));
    assert_eq!(context.bash("pwd").stdout, "");
    assert_eq!(server.requests().len(), 1);
    context.fire("SessionEnd", json!({ "reason": "other" }));
    assert_eq!(context.bash("id").permission().as_deref(), Some("deny"));
    // The same for an async hook.
    let server = decision_server("deny", "");
    let context = http(&server, "once = true\nasync = true");
    for command in ["ls", "pwd", "id"] {
        context.bash(command);
    }
    poll_until("the end of the only run", || {
        let records = context.records();
        records.into_iter().find(|it| it["kind"] == "async_hook")
    });
    assert_eq!(server.requests().len(), 1);
}

fn prompt(provider: &str, url: &str) -> Context {
    let mut context = Context::new();
    context.set_env("MODEL_KEY", "sk-0123456789");
    context.config(&format!(
        "[llm]\nprovider = '{provider}'\nbase_url = '{url}'\nmodel = 'm1'\napi_key_env = 'MODEL_KEY'\n\
         [[hook]]\nname = 'judge'\nevent = 'PreToolUse'\nprompt = 'Is $COMMAND dangerous?'\non_failure = 'ask'\n"
    ));
    context
}

#[test]
fn prompt_hooks_work_with_both_model_protocols() {
    for (provider, path, base, key) in [
        ("openai", "/v1/chat/completions", "/v1", "authorization"),
        ("anthropic", "/v1/messages", "", "x-api-key"),
    ] {
        let server = model_server("BLOCK: it deletes everything");
        let context = prompt(provider, &server.url(base));
        let answer = context.bash("rm -rf data");
        let expected = pair("deny", "it deletes everything");
        assert_eq!(word_and_reason(&answer), expected, "{provider}");
        let asked = &server.requests()[0];
        assert_eq!(asked.path(), path);
        let sent = asked.header(key).expect("a key");
        assert!(sent.ends_with("sk-0123456789"), "{sent}");
        assert!(asked.body.contains("rm -rf data"), "{provider}");
        let records = json!(context.records()).to_string();
        assert!(!records.contains("sk-0123456789"), "{provider}");
    }
    let server = model_server("I cannot say.");
    let answer = prompt("openai", &server.url("/v1")).bash("ls");
    assert_eq!(answer.permission().as_deref(), Some("ask"));
}

#[test]
fn agent_hook_decides() {
    let context = Context::new();
    let agent = context.script(
        "reviewer",
        "printf '%s' \"$1\" > \"$HOME/asked\"; echo 'BLOCK: a careful engineer would not'",
    );
    let agent = quoted(agent);
    context.config(&format!(
        "[agents.reviewer]\ncommand = ['/bin/sh', {agent}, '{{prompt}}']\n\
         [[hook]]\nevent = 'PreToolUse'\nagent = 'reviewer'\nprompt = 'Would you run $COMMAND?'\n"
    ));
    let answer = context.bash("git push --force");
    let expected = pair("deny", "a careful engineer would not");
    assert_eq!(word_and_reason(&answer), expected);
    assert!(context.read("home/asked").contains("git push --force"));
}

/// Implements as much of the protocol as one call needs.
const MCP_SERVER: &str = r#"
read -r hello
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read -r ready
read -r call
printf '%s' "$call" > "$HOME/call"
echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"decision\":\"deny\",\"reason\":\"the policy says no\"}"}]}}'
cat > /dev/null
"#;

#[test]
fn mcp_hook_decides() {
    let context = Context::new();
    let (server, home) = (
        quoted(context.script("policy", MCP_SERVER)),
        quoted(context.path("home")),
    );
    context.config(&format!(
        "[mcp.policy]\ncommand = ['/bin/sh', {server}]\nenv = {{ HOME = {home} }}\n\
         [[hook]]\nevent = 'PreToolUse'\nserver = 'policy'\ntool = 'check'\ninput = {{ line = '${{tool_input.command}}' }}\n"
    ));
    let answer = context.bash("make deploy");
    assert_eq!(word_and_reason(&answer), pair("deny", "the policy says no"));
    let call: Value = serde_json::from_str(&context.read("home/call")).expect("a call");
    let expected = json!({ "name": "check", "arguments": { "line": "make deploy" } });
    assert_eq!(call["params"], expected);
}
