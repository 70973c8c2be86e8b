//! "Allow from now on" permits exactly the recorded call.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::context::Context;

const GUARD: &str = "\
# how I like it
[[hook]]
use = \"security-guard\"

[hook.options]
allow = [
  { command = \"git push --force origin ada/*\", reason = \"mine\" }, # branches
]
";

fn browser(config: &str) -> Browser {
    let context = Context::new();
    context.config(config);
    Browser::at(context)
}

/// Sends a call through the guard; returns the id of the decision.
fn decided(browser: &Browser, command: &str) -> String {
    let before = browser.get("/status")["records"].as_u64().unwrap_or(0);
    browser.context().bash(command);
    browser.until_kept(before + 1);
    let all = browser.get("/decisions?limit=1");
    all["items"][0]["event_id"]
        .as_str()
        .expect("a decision")
        .to_owned()
}

fn passes(browser: &Browser, command: &str) -> bool {
    browser.context().bash(command).permission().is_none()
}

fn plan(browser: &Browser, decision: &str) -> (u16, Value) {
    browser.post("/rules/plan", &json!({ "decision": decision }))
}

#[test]
fn allow_rule_permits_exactly_the_recorded_call() {
    let browser = browser(GUARD);
    let id = decided(&browser, "git push --force origin fix");
    let told = browser.get(&format!("/decisions/{id}"));
    let matched = &told["hooks"][0]["matched"][0];
    assert_eq!(matched["rule"], "git.push-force");
    assert_eq!(
        (&matched["start"], &matched["end"]),
        (&json!(0), &json!(27))
    );

    let (status, plan) = plan(&browser, &id);
    assert_eq!(status, 200, "{plan}");
    let rule = plan["rule"].as_str().expect("a rule");
    assert!(
        rule.contains("command = \"git push --force origin fix\""),
        "{rule}"
    );
    assert!(rule.contains("rule = \"git.push-force\""), "{rule}");
    assert!(
        !passes(&browser, "git push --force origin fix"),
        "a plan writes nothing"
    );

    let apply = json!({ "decision": id, "plan": plan["plan"] });
    let wrong = json!({ "decision": id, "plan": "0" });
    assert_eq!(browser.post("/rules/apply", &wrong).0, 409);
    let (status, done) = browser.post("/rules/apply", &apply);
    assert_eq!(status, 200, "{done}");
    assert!(passes(&browser, "git push --force origin fix"));
    for other in [
        "git push --force origin fix dev",
        "git push --force",
        "git push --force origin fix && rm -rf ~",
        "GIT_DIR=/x git push --force origin fix",
    ] {
        assert!(!passes(&browser, other), "{other}");
    }
    let config = browser.context().read("home/.becket/config.toml");
    assert!(
        config.contains("# how I like it") && config.contains("# branches"),
        "{config}"
    );
    assert_eq!(
        browser.post("/rules/apply", &apply).0,
        400,
        "it passes already"
    );
}

#[test]
fn calls_that_cannot_be_allowed_are_rejected_with_a_reason() {
    let browser = browser(&format!(
        "{GUARD}deny = [{{ command = \"pip install\", message = \"use uv\" }}]\n"
    ));
    for (command, expected) in [
        ("rm -rf /", "core.delete-root"),
        ("pip install x", "your policy denies this command"),
        ("rm -rf \"$DIR\"", ""),
        (
            "git push --force origin 'a b'",
            "no rule can match exactly this call",
        ),
    ] {
        let id = decided(&browser, command);
        let (status, told) = plan(&browser, &id);
        assert_eq!(status, 400, "{command}: {told}");
        let error = told["error"].as_str().expect("why");
        assert!(error.contains(expected), "{command}: {error}");
    }
    assert_eq!(plan(&browser, "missing").0, 404);
    let config = browser.context().read("home/.becket/config.toml");
    assert!(config.starts_with(GUARD), "nothing was written");
}

#[test]
fn file_tool_call_is_allowed_by_path() {
    let browser = browser("[[hook]]\nuse = \"security-guard\"\n");
    let read = |name: &str| {
        let input =
            json!({ "tool_name": "Read", "tool_input": { "file_path": name }, "tool_use_id": "t" });
        browser.context().fire("PreToolUse", input).permission()
    };
    browser
        .context()
        .write("app/.env", "A=1\n")
        .write("app/other/.env", "A=1\n");
    assert!(read(".env").is_some());
    browser.until_kept(1);
    let all = browser.get("/decisions?limit=1");
    let id = all["items"][0]["event_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let (status, plan) = plan(&browser, &id);
    assert_eq!(status, 200, "{plan}");
    let apply = json!({ "decision": id, "plan": plan["plan"] });
    assert_eq!(browser.post("/rules/apply", &apply).0, 200);
    assert_eq!(read(".env"), None);
    assert!(read("other/.env").is_some());
}

#[test]
fn allow_rule_needs_an_enabled_guard_of_the_user() {
    let context = Context::new();
    context.write("app/becket.toml", "[[hook]]\nuse = \"security-guard\"\n");
    let browser = Browser::at(context);
    assert_eq!(browser.context().run(&["trust", "--yes"]).exit, 0);
    let id = decided(&browser, "git push --force");
    let (status, told) = plan(&browser, &id);
    assert_eq!(status, 400);
    let error = told["error"].as_str().expect("why");
    assert!(
        error.contains("becket hooks enable security-guard"),
        "{error}"
    );
}
