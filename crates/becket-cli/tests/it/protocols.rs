//! `becket rpc` and `becket mcp` over standard input and output.

use becket_store::{Options, RecordLine, StoreWriter};
use serde_json::{Value, json};

use crate::context::{CommandOutput, Context};

fn call(id: u32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn headed(message: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

fn lines(answer: &CommandOutput) -> Vec<Value> {
    let lines = answer.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Two events on record, stored as the daemon would store them.
fn context() -> Context {
    let context = Context::new();
    context.fire("SessionStart", json!({ "source": "startup" }));
    context.bash("ls -l");
    let records: Vec<String> = context.records().iter().map(Value::to_string).collect();
    let records: Vec<RecordLine<'_>> = records.iter().map(|line| RecordLine { line }).collect();
    let path = context.path("home/.becket/becket.db");
    let mut writer = StoreWriter::open(path, Options::default()).expect("opened");
    writer.ingest(&records).expect("ingested");
    context
}

#[test]
fn requests_are_answered_line_by_line_until_end_of_input() {
    let context = context();
    let input = [
        call(1, "becket.status", json!({})),
        "this is no JSON".into(),
        json!({ "jsonrpc": "2.0", "method": "$/unknown" }).to_string(),
        call(2, "becket.sessions", json!({})),
    ];
    // The last line may lack its newline.
    let answer = context.run_with(&["rpc"], input.join("\n").as_bytes());
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
    let messages = lines(&answer);
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[0]["result"]["cursor"], 2);
    assert_eq!(
        (&messages[1]["id"], &messages[1]["error"]["code"]),
        (&Value::Null, &json!(-32700))
    );
    assert_eq!(messages[2]["result"]["items"][0]["agent"], "claude");
}

#[test]
fn header_framing_is_answered_with_header_framing() {
    let context = context();
    let input = headed(&call(1, "becket.sessions", json!({})))
        + "Nonsense: 1\r\n\r\n"
        + &headed(&call(2, "becket.nothing", json!({})));
    let answer = context.run_with(&["rpc"], input.as_bytes());
    let parts: Vec<&str> = answer.stdout.split("Content-Length: ").skip(1).collect();
    assert_eq!(parts.len(), 3, "{}", answer.stdout);
    let bodies: Vec<Value> = parts
        .iter()
        .map(|part| {
            let (length, body) = part.split_once("\r\n\r\n").expect("headers");
            assert_eq!(length.parse(), Ok(body.len()));
            serde_json::from_str(body).expect("JSON")
        })
        .collect();
    assert_eq!(
        bodies[0]["result"]["items"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(bodies[1]["error"]["code"], -32700);
    assert_eq!(bodies[2]["error"]["code"], -32601);
}

#[test]
fn all_flag_sends_notifications_without_subscribe() {
    let context = context();
    let methods = |args: &[&str]| {
        let answer = context.run(args);
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
        let messages = lines(&answer).into_iter();
        messages
            .map(|message| message["method"].as_str().expect("a method").to_owned())
            .collect::<Vec<_>>()
    };
    let all = ["autohand.hook.sessionStart", "autohand.hook.preTool"];
    assert_eq!(methods(&["rpc"]), Vec::<String>::new());
    assert_eq!(methods(&["rpc", "--all"]), Vec::<String>::new());
    assert_eq!(methods(&["rpc", "--all", "--since", "0"]), all);
    assert_eq!(methods(&["rpc", "--all", "--since", "1"]), all[1..]);
    assert_eq!(
        methods(&["rpc", "--all", "--since", "0", "--events", "pre-tool,stop"]),
        all[1..]
    );
    assert_eq!(
        methods(&["rpc", "--all", "--since", "0", "-C", "/usr"]),
        Vec::<String>::new()
    );
    let headers = context
        .run(&["rpc", "--all", "--since", "0", "--framing", "headers"])
        .stdout;
    assert_eq!(headers.matches("Content-Length: ").count(), 2);
    let wrong = context.run(&["rpc", "--all", "--events", "PreTolUse"]);
    assert_eq!(wrong.exit, 1);
    assert!(
        wrong.stderr.contains("did you mean `PreToolUse`"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn empty_store_gives_empty_results() {
    let context = Context::new();
    let answer = context.run_with(
        &["rpc", "--all", "--since", "0"],
        call(1, "becket.search", json!({ "query": "x" })).as_bytes(),
    );
    assert_eq!(
        lines(&answer),
        [json!({ "jsonrpc": "2.0", "id": 1, "result": { "items": [] } })]
    );
}

#[test]
fn hooks_are_listed_switched_and_tested() {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"guard\"\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n",
    );
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"theirs\"\nevent = \"Stop\"\ncommand = \"touch ran\"\n",
    );
    let input = [
        call(1, "becket.hooks.disable", json!({ "name": "guard" })),
        call(2, "becket.hooks.list", json!({})),
        call(
            3,
            "becket.hooks.enable",
            json!({ "name": "guard", "level": "user" }),
        ),
        call(
            4,
            "becket.hooks.test",
            json!({ "name": "guard", "tool": "Bash", "input": { "command": "ls" } }),
        ),
        call(5, "becket.hooks.test", json!({ "name": "theirs" })),
        call(6, "becket.hooks.enable", json!({ "name": "no-such-hook" })),
        call(
            7,
            "becket.hooks.enable",
            json!({ "name": "guard", "level": "sea" }),
        ),
    ];
    let messages = lines(&context.run_with(&["rpc"], input.join("\n").as_bytes()));
    let of = |id: usize| &messages[id - 1];
    assert_eq!(of(1)["result"]["status"], "disabled");
    assert_eq!(of(2)["result"]["hooks"][0]["name"], "theirs");
    assert_eq!(of(2)["result"]["hooks"][1]["status"], "disabled");
    assert_eq!(of(3)["result"]["status"], "enabled");
    assert_eq!(
        (&of(4)["result"]["verdict"], &of(4)["result"]["reason"]),
        (&json!("deny"), &json!("no"))
    );
    for (id, why) in [(5, "not trusted"), (6, "`no-such-hook`"), (7, "`sea`")] {
        assert_eq!(of(id)["error"]["code"], -32003);
        let message = of(id)["error"]["message"].as_str().expect("a message");
        assert!(message.contains(why), "{message}");
    }
    assert!(
        !context.path("app/ran").exists(),
        "an untrusted hook has run"
    );
}

#[test]
fn mcp_server_answers_for_the_current_project() {
    let context = context();
    let input = [
        call(
            1,
            "initialize",
            json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {} }),
        ),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        call(
            2,
            "tools/call",
            json!({ "name": "sessions", "arguments": {} }),
        ),
        "[".into(),
        call(3, "ping", json!({})),
    ];
    let sessions = |args: &[&str]| {
        let answer = context.run_with(args, input.join("\n").as_bytes());
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
        let messages = lines(&answer);
        assert_eq!(messages.len(), 4);
        assert_eq!(messages[0]["result"]["protocolVersion"], "2025-03-26");
        assert_eq!(messages[2]["error"]["code"], -32700);
        assert_eq!(
            messages[3],
            json!({ "jsonrpc": "2.0", "id": 3, "result": {} })
        );
        let items = messages[1]["result"]["structuredContent"]["items"].as_array();
        items.expect("a list").len()
    };
    assert_eq!(sessions(&["mcp"]), 1);
    assert_eq!(sessions(&["mcp", "-C", "/usr"]), 0);
}
