//! Hooks of type `mcp_tool`, with servers in shell script.

use becket_model::{FailureKind, HookOutcome, Verdict};
use becket_runner::CancellationToken;
use becket_testkit::read_when_there;
use serde_json::json;

use crate::support::{World, bash, failure};

/// Answers `initialize`, checks the order of messages, and answers the call with `$RESULT`.
const SERVER: &str = r#"
echo 'starting up' >&2
echo 'this line is not JSON'
read -r hello
case $hello in *'"initialize"'*) ;; *) exit 9;; esac
echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
read -r pong
case $pong in *'"id":"p"'*'"result"'*) ;; *) exit 8;; esac
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read -r ready
case $ready in *initialized*) ;; *) exit 7;; esac
read -r call
printf '%s' "$call" > "$SEEN"
echo "{\"jsonrpc\":\"2.0\",\"id\":2,$RESULT}"
cat > /dev/null
"#;

fn world(script: &str, result: &str, more: &str) -> World {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("server.sh");
    std::fs::write(&path, script).expect("a script");
    let (words, seen) = (json!(["/bin/sh", path]), json!(dir.path().join("seen")));
    let text = format!(
        "[mcp.files]\ncommand = {words}\n[mcp.files.env]\nRESULT = '''{result}'''\nSEEN = {seen}\n\
         [[hook]]\nname = 'tool'\nevent = 'PreToolUse'\nserver = 'files'\ntool = 'check'\n\
         input = {{ command = '${{tool_input.command}}', deep = ['<${{tool_name}}>'] }}\n{more}\n"
    );
    World::in_dir(dir, &text)
}

fn seen(world: &World) -> serde_json::Value {
    let text = std::fs::read_to_string(world.dir.path().join("seen")).expect("the call was seen");
    serde_json::from_str(&text).expect("the call is JSON")
}

fn text(reply: &str) -> String {
    let result = json!({ "content": [{ "type": "text", "text": reply }, { "type": "image" }] });
    format!("\"result\":{result}")
}

#[test]
fn tool_is_called_with_event_fields_and_its_text_is_the_reply() {
    let reply = text(r#"{"decision": "deny", "reason": "the tool says no"}"#);
    let world = world(SERVER, &reply, "");
    let outcome = world.fire(bash("rm \"a\" ${tool_name}"));
    assert_eq!(outcome.verdict, Verdict::Deny, "{outcome:?}");
    assert_eq!(outcome.reason.as_deref(), Some("the tool says no"));
    assert_eq!(
        seen(&world)["params"],
        json!({
            "name": "check",
            "arguments": { "command": "rm \"a\" ${tool_name}", "deep": ["<Bash>"] },
        })
    );
}

#[test]
fn structured_content_is_a_reply_and_empty_content_is_none() {
    let structured =
        r#""result":{"content":[],"structuredContent":{"decision":"deny","reason":"s"}}"#;
    let outcome = world(SERVER, structured, "").fire(bash("ls"));
    assert_eq!(outcome.reason.as_deref(), Some("s"));
    let nothing = r#""result":{"content":[]}"#;
    assert_eq!(
        world(SERVER, nothing, "").fire(bash("ls")),
        HookOutcome::none()
    );
}

#[test]
fn mcp_errors_follow_the_failure_policy() {
    let error = r#""error":{"code":-32602,"message":"unknown tool"}"#;
    let failed = r#""result":{"isError":true,"content":[{"type":"text","text":"disk full"}]}"#;
    for (script, result, expected) in [
        (SERVER, error, "unknown tool"),
        (SERVER, failed, "the tool failed: disk full"),
        (SERVER, "\"nothing\":1", "neither a result nor an error"),
        (
            "echo 'no licence' >&2; exit 1",
            "",
            "exited without a response: no licence",
        ),
        ("yes", "", "printed too much"),
    ] {
        let outcome = world(script, result, "on_failure = 'ask'").fire(bash("ls"));
        assert!(failure(&outcome).contains(expected), "{outcome:?}");
        assert_eq!(outcome.verdict, Verdict::Ask);
    }
    let unknown = World::new(
        "[[hook]]\nevent = 'PreToolUse'\nserver = 'unknown'\ntool = 't'\non_failure = 'deny'\n",
    )
    .fire(bash("ls"));
    assert_eq!(unknown.verdict, Verdict::Deny);
    assert!(
        failure(&unknown).contains("add `[mcp.unknown]`"),
        "{unknown:?}"
    );
}

#[test]
fn silent_server_stops_at_the_deadline_or_on_cancellation() {
    let late = world("sleep 600", "", "timeout = '300ms'").fire(bash("ls"));
    assert_eq!(late.failure.map(|it| it.kind), Some(FailureKind::TimedOut));

    let dir = tempfile::tempdir().expect("a directory");
    let ready = dir.path().join("ready");
    let script = format!("touch '{}'; sleep 600", ready.display());
    let world = world(&script, "", "timeout = '10m'");
    let token = CancellationToken::new();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            read_when_there(&ready);
            token.cancel();
        });
        world.fire_under(bash("ls"), &token)
    });
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::Cancelled)
    );
}
