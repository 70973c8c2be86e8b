//! Trust granted in the dashboard applies to the version that was shown.

use serde_json::{Value, json};

use super::browser::Browser;
use crate::context::Context;

/// A machine with a project whose hook blocks everything.
fn browser() -> Browser {
    let context = Context::new();
    context.script("app/check.sh", "echo no >&2; exit 2");
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"check\"\nevent = \"PreToolUse\"\ncommand = \"./check.sh\"\n",
    );
    Browser::at(context)
}

fn review(browser: &Browser) -> Value {
    let project = browser.context().project().canonicalize().expect("there");
    browser.get(&format!("/trust?project={}", project.display()))
}

fn runs(browser: &Browser) -> bool {
    browser.context().bash("ls").permission().as_deref() == Some("deny")
}

#[test]
fn reviewed_hook_runs_until_it_changes() {
    let browser = browser();
    assert!(!runs(&browser));
    let shown = review(&browser);
    let item = &shown["items"][0];
    assert_eq!(
        (&item["hook"], &item["state"]),
        (&json!("check"), &json!("new"))
    );
    assert_eq!(item["scripts"][0]["path"], "check.sh");
    let diff = item["scripts"][0]["diff"].as_str().expect("its text");
    assert!(diff.contains("+echo no"), "{diff}");

    // The script changes during the review.
    browser.context().script("app/check.sh", "exit 0");
    let given = json!({ "project": shown["project"], "digest": shown["digest"] });
    let (status, told) = browser.post("/trust", &given);
    assert_eq!(status, 409, "{told}");
    browser
        .context()
        .script("app/check.sh", "echo no >&2; exit 2");
    let (status, told) = browser.post("/trust", &given);
    assert_eq!((status, &told["trusted"]), (200, &json!(1)), "{told}");
    assert!(runs(&browser));
    assert_eq!(review(&browser)["items"][0]["state"], "trusted");

    browser
        .context()
        .script("app/check.sh", "exit 0 # harmless");
    let changed = review(&browser);
    let item = &changed["items"][0];
    assert_eq!(
        (&item["state"], &item["diff"]),
        (&json!("changed"), &Value::Null)
    );
    let diff = item["scripts"][0]["diff"].as_str().expect("a difference");
    assert!(
        diff.contains("-echo no") && diff.contains("+exit 0 # harmless"),
        "{diff}"
    );

    let (status, told) = browser.post("/trust/revoke", &json!({ "project": shown["project"] }));
    assert_eq!((status, &told["revoked"]), (200, &json!(1)));
    assert_eq!(review(&browser)["items"][0]["state"], "new");
}

#[test]
fn review_redacts_secrets_of_project_files() {
    let browser = browser();
    let secret = "ghp_1234567890abcdefghijklmnopqrstuvwxyz12";
    browser
        .context()
        .script("app/check.sh", &format!("TOKEN={secret} exit 2"));
    let shown = review(&browser).to_string();
    assert!(!shown.contains(secret), "{shown}");
}
