//! Connecting agents from the dashboard matches `becket init`.

use serde_json::{Value, json};

use super::browser::Browser;

fn claude(browser: &Browser) -> Value {
    let all = browser.get("/connections");
    let items = all["items"].as_array().expect("a list");
    let claude = items.iter().find(|one| one["agent"] == "claude");
    claude.expect("an agent that Becket knows").clone()
}

#[test]
fn agent_is_connected_as_planned_and_disconnected_byte_for_byte() {
    let browser = Browser::new();
    let settings = "home/.claude/settings.json";
    let before = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    browser.context().write(settings, before);
    let found = claude(&browser);
    assert_eq!(
        (&found["found"], &found["connected"]),
        (&json!(true), &json!(false))
    );

    let (status, plan) = browser.post("/connections/plan", &json!({ "agent": "claude" }));
    assert_eq!(status, 200, "{plan}");
    let file = &plan["files"][0];
    assert!(
        file["path"]
            .as_str()
            .expect("a path")
            .ends_with(".claude/settings.json")
    );
    assert!(
        file["diff"]
            .as_str()
            .expect("a diff")
            .contains("hook PreToolUse")
    );
    assert_eq!(
        (&file["created"], &file["deleted"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        browser.context().read(settings),
        before,
        "a plan writes nothing"
    );

    let apply = |remove: bool, plan: &Value| {
        let body = json!({ "agent": "claude", "remove": remove, "plan": plan["plan"] });
        browser.post("/connections/apply", &body)
    };
    browser.context().write(settings, "{}\n");
    assert_eq!(apply(false, &plan).0, 409, "the file changed since");
    browser.context().write(settings, before);
    let (status, done) = apply(false, &plan);
    assert_eq!(status, 200, "{done}");
    assert_eq!(claude(&browser)["connected"], true);
    assert!(browser.context().read(settings).contains("// mine"));

    let remove = json!({ "agent": "claude", "remove": true });
    let (_, plan) = browser.post("/connections/plan", &remove);
    assert_eq!(apply(true, &plan).0, 200);
    assert_eq!(browser.context().read(settings), before);
}

#[test]
fn unknown_agent_is_an_error() {
    let browser = Browser::new();
    let (status, told) = browser.post("/connections/plan", &json!({ "agent": "../x" }));
    assert_eq!(status, 400);
    let error = told["error"].as_str().expect("why");
    assert!(
        error.starts_with("unknown `agent`") && error.contains("claude"),
        "{error}"
    );
}
