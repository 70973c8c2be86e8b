//! Recording: every event, once, without secrets.

use serde_json::json;

use crate::context::Context;

#[test]
fn every_event_is_recorded_with_its_decision() {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"guard\"\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n",
    );
    context.fire("SessionStart", json!({ "source": "startup" }));
    context.bash("rm -rf /");
    context.fire("Stop", json!({ "stop_hook_active": false }));
    let records = context.records();
    let listed: Vec<_> = records
        .iter()
        .map(|r| {
            (
                r["event"].as_str().unwrap(),
                r["decision"]["verdict"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("SessionStart", "none"),
            ("PreToolUse", "deny"),
            ("Stop", "none")
        ]
    );
    assert_eq!(records[1]["decision"]["hooks"][0]["hook"], "guard");
    assert_eq!(records[1]["payload"]["tool_input"]["command"], "rm -rf /");
    let ids: std::collections::HashSet<_> =
        records.iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3);
    let text = context.run(&["tail"]).stdout;
    assert!(
        text.contains("deny") && text.contains("rm -rf /") && text.contains("(no)"),
        "{text}"
    );
}

#[test]
fn secrets_do_not_reach_the_disk() {
    let context = Context::new();
    let token = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"cat >&2; exit 2\"\n");
    context.bash(&format!(
        "curl -H 'Authorization: Bearer {token}' https://api.example"
    ));
    context.fire(
        "UserPromptSubmit",
        json!({ "prompt": format!("use {token} please") }),
    );
    context.fire("PostToolUse", json!({ "tool_name": "Bash", "tool_input": {}, "tool_response": { "stdout": format!("TOKEN={token}") } }));
    let found = std::process::Command::new("grep")
        .args(["-r", &token])
        .arg(context.path("home"))
        .output()
        .expect("grep");
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    assert_eq!(context.records().len(), 3);
}

#[test]
fn hundred_concurrent_clients_lose_nothing() {
    let context = Context::new();
    std::thread::scope(|scope| {
        for worker in 0..10 {
            let context = &context;
            scope.spawn(move || {
                for number in 0..10 {
                    assert_eq!(context.bash(&format!("echo {worker}-{number}")).exit, 0);
                }
            });
        }
    });
    let mut commands: Vec<String> = context
        .records()
        .iter()
        .map(|r| {
            r["payload"]["tool_input"]["command"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    commands.sort();
    commands.dedup();
    assert_eq!(commands.len(), 100);
}

#[test]
fn recording_can_be_disabled_by_the_user() {
    let context = Context::new();
    context.config("[settings]\nrecord = false\n");
    context.bash("ls");
    assert_eq!(context.records().len(), 0);
}

#[test]
fn records_are_readable_only_by_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let context = Context::new();
    context.bash("ls");
    let mode = |name: &str| {
        std::fs::metadata(context.path(name))
            .expect(name)
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("home/.becket/spool"), 0o700);
    assert_eq!(mode("home/.becket/spool/events.jsonl"), 0o600);
}

#[test]
fn hook_exit_and_output_are_recorded_without_secrets() {
    let context = Context::new();
    let token = "ghp_".to_owned() + &"A1b2".repeat(9);
    let script = context.script(
        "noisy.sh",
        &format!("echo 'checked with {token}'\necho 'it took long' >&2\nexit 3"),
    );
    context.config(&format!(
        "[[hook]]\nname = \"noisy\"\nevent = \"PreToolUse\"\ncommand = {}\n",
        crate::context::quoted(script)
    ));
    context.bash("ls");
    let record = context.records().remove(0);
    let run = &record["decision"]["hooks"][0];
    assert_eq!(run["exit"], 3, "{run}");
    let output = run["output"].as_str().expect("an output");
    assert!(
        output.starts_with("checked with [redacted:github-token:"),
        "{output}"
    );
    assert!(output.ends_with("\nit took long"), "{output}");
    assert!(!record.to_string().contains("A1b2"), "{record}");
}

#[test]
fn recorded_hook_output_is_limited() {
    let context = Context::new();
    context.config(
        "[[hook]]\nevent = \"PostToolUse\"\ncommand = \"yes word | head -c 100000; exit 0\"\n",
    );
    context.written(&context.path("app/a.txt"));
    let records = context.records();
    let output = records[0]["decision"]["hooks"][0]["output"].as_str();
    let length = output.expect("an output").chars().count();
    assert!((1900..=2000).contains(&length), "{length}");
}
