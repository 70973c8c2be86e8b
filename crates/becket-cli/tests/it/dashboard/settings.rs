//! Settings are written as planned, and the rest of the file stays.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::context::Context;

const CONFIG: &str = "\
# my settings
[settings]
redact = [
  'ACME-\\d+', # badges
]
port = 0 # any
";

fn change(browser: &Browser, wanted: &Value) -> (u16, Value) {
    let (status, plan) = browser.post("/settings/plan", wanted);
    if status != 200 {
        return (status, plan);
    }
    let mut body = wanted.clone();
    body["plan"] = plan["plan"].clone();
    let (status, done) = browser.post("/settings/apply", &body);
    assert_eq!(status, 200, "{done}");
    (status, plan)
}

#[test]
fn settings_are_planned_and_written_keeping_comments() {
    let context = Context::new();
    context.config(CONFIG);
    let browser = Browser::at(context);
    let told = browser.get("/settings");
    assert_eq!(told["redact"], json!(["ACME-\\d+"]));
    assert_eq!(told["retention"], json!({ "keep": null }));
    assert_eq!(
        told["guard"],
        json!({ "preset": "standard", "enabled": false })
    );

    let (_, plan) = change(
        &browser,
        &json!({
            "redact": ["ACME-\\d+", "B-[0-9]+"], "retention": { "keep": "90d" }, "record": true,
            "guard": { "enabled": true, "preset": "strict" },
        }),
    );
    let diff = plan["diff"].as_str().expect("a diff");
    assert!(
        diff.contains("+keep = \"90d\"") && diff.contains("B-[0-9]+"),
        "{diff}"
    );
    let config = browser.context().read("home/.becket/config.toml");
    for kept in ["# my settings", "# badges", "# any"] {
        assert!(config.contains(kept), "{kept}: {config}");
    }
    let told = browser.get("/settings");
    assert_eq!(told["redact"], json!(["ACME-\\d+", "B-[0-9]+"]));
    assert_eq!(told["retention"], json!({ "keep": "90d" }));
    assert_eq!(
        told["guard"],
        json!({ "preset": "strict", "enabled": true })
    );
    assert_eq!(told["problems"], json!([]));

    change(
        &browser,
        &json!({ "redact": ["B-[0-9]+"], "retention": { "keep": null }, "guard": { "enabled": false } }),
    );
    let told = browser.get("/settings");
    assert_eq!(told["redact"], json!(["B-[0-9]+"]));
    assert_eq!(told["retention"], json!({ "keep": null }));
    assert_eq!(
        told["guard"],
        json!({ "preset": "strict", "enabled": false })
    );
}

#[test]
fn invalid_settings_are_rejected_by_key() {
    let context = Context::new();
    context.config(CONFIG);
    let browser = Browser::at(context);
    for (wanted, key) in [
        (json!({ "redact": ["(unclosed"] }), "settings.redact"),
        (json!({ "retention": { "keep": "soon" } }), "settings.keep"),
        (json!({ "retention": { "keep": "0d" } }), "settings.keep"),
        (json!({ "retention": { "keep": "12h" } }), "settings.keep"),
    ] {
        let (status, told) = change(&browser, &wanted);
        assert_eq!(status, 400, "{wanted}: {told}");
        let error = told["error"].as_str().expect("why");
        assert!(error.contains(key), "{wanted}: {error}");
    }
    let body = json!({ "record": false, "plan": "another" });
    assert_eq!(browser.post("/settings/apply", &body).0, 409);
    assert_eq!(browser.context().read("home/.becket/config.toml"), CONFIG);
}
