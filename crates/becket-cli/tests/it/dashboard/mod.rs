//! The dashboard's API end to end: a real daemon, real files and a login cookie.

mod browser;
mod connections;
mod rules;
mod settings;
mod trust;

use serde_json::json;

use browser::Browser;

#[test]
fn becket_ui_prints_a_one_time_login_link() {
    let browser = Browser::new();
    let context = browser.context();
    let printed = context.run(&["ui", "--print"]);
    assert_eq!(printed.exit, 0, "{}", printed.stderr);
    let link = printed.stdout.trim();
    let (page, code) = link.split_once('#').expect("a code behind the page");
    assert!(
        page.starts_with("http://127.0.0.1:") && page.ends_with("/login"),
        "{link}"
    );
    assert!(
        code.len() == 32 && code.bytes().all(|b| b.is_ascii_hexdigit()),
        "{code}"
    );
    assert!(browser.log_in(code).is_some());
    assert!(browser.log_in(code).is_none(), "used");
    // Without a display the link is printed.
    let told = context.run(&["ui"]);
    assert!(
        told.stdout.starts_with("http://127.0.0.1:"),
        "{}",
        told.stdout
    );
    let json = context.run(&["ui", "--json"]).json();
    assert!(json["url"].as_str().expect("a link").contains("/login#"));
}

#[test]
fn becket_ui_opens_the_link_without_a_shell() {
    let mut browser = Browser::new();
    let context = browser.context_mut();
    context.script(
        "bin/xdg-open",
        "printf '%s\\n' \"$#\" \"$1\" > \"$HOME/opened\"",
    );
    let path = context.path("bin").display().to_string();
    context.set_env("PATH", format!("{path}:/usr/bin:/bin"));
    context.set_env("DISPLAY", ":0");
    let opened = context.run(&["ui"]);
    assert_eq!(opened.exit, 0, "{}", opened.stderr);
    assert!(
        !opened.stdout.contains('#'),
        "the code is the browser's alone"
    );
    let seen = context.read("home/opened");
    assert!(seen.starts_with("1\nhttp://127.0.0.1:"), "{seen}");
}

#[test]
fn hooks_and_doctor_api_match_the_commands() {
    let browser = Browser::new();
    let context = browser.context();
    context
        .config("[[hook]]\nname = \"hello\"\nevent = \"PreToolUse\"\ncommand = \"echo hello\"\n");
    let told = browser.get("/hooks");
    assert_eq!(told["hooks"][0]["name"], "hello");
    assert_eq!(
        (&told["hooks"][0]["trust"], &told["hooks"][0]["runs"]),
        (&json!("own"), &json!(0))
    );
    let off = browser.post("/hooks/switch", &json!({ "name": "hello", "on": false }));
    assert_eq!((off.0, &off.1["status"]), (200, &json!("disabled")));
    assert!(
        context
            .read("home/.becket/config.toml")
            .contains("enabled = false")
    );
    let tried = browser.post("/hooks/test", &json!({ "name": "hello" }));
    assert_eq!((tried.0, &tried.1["stdout"]), (200, &json!("hello\n")));
    let checks = browser.get("/doctor");
    let becket = &checks["findings"][0];
    assert_eq!(
        (&becket["check"], &becket["state"]),
        (&json!("becket"), &json!("ok"))
    );
}

#[test]
fn replay_api_reports_decisions_of_another_preset() {
    let browser = Browser::new();
    browser.context().bash("git push --force");
    browser.until_kept(1);
    let (status, told) = browser.post("/replay", &json!({ "preset": "standard" }));
    assert_eq!(status, 200, "{told}");
    assert_eq!(
        (&told["complete"], &told["now"]["deny"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(told["rules"][0]["rule"], "git.push-force");
    let (status, told) = browser.post("/replay", &json!({ "hook": "missing" }));
    assert_eq!(status, 400, "{told}");
}
