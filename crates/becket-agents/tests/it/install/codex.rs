//! Codex's record of trusted hooks. The digests are those that Codex 0.166.0 itself reports.

use becket_agents::install::codex::{plan_distrust, plan_trust};
use becket_agents::install::{InstallScope, installer};
use serde_json::json;

const FILE: &str = "/home/ana/.codex/hooks.json";

/// The digests that the app server's `hooks/list` reported for these definitions.
const DIGESTS: &[(&str, &str)] = &[
    (
        "pre_model_request:0:0",
        "75d73a1bc0493f3fd1e210cd450b438597e224bc80af6803ad29fde4d97f4624",
    ),
    (
        "pre_tool_use:0:0",
        "287ad77cfff3557e7508143d90f966ac5e7c00887ec0ed82b0237256132d7378",
    ),
    (
        "post_tool_use:0:1",
        "fc370000af0c8713cfcaa6e13554ac19c2b7892fe5d503c343310b2861f23de4",
    ),
    (
        "session_end:0:0",
        "1bcc98e09d8f0d7d03184cb8edb4c4ab0ddaaba40d65c0951e3c0ede1f8337d5",
    ),
    (
        "user_prompt_submit:0:0",
        "608aac88962d6f4d0e7c0891d74bddcc66cec836ef663c956dc1ff1a6c6b42ed",
    ),
    (
        "stop:0:0",
        "755138abd5ed97deb536e44aca785691e1f69fd17eff2f6f3a76ffcc4dee458b",
    ),
    (
        "interrupt:0:0",
        "eb4f29b55e40f7ac4fa3c2dbbed264a7f9df5aeec54a0b586f7ab2f13cb0c832",
    ),
];

fn definitions() -> String {
    let hook = |event: &str| json!({ "type": "command", "command": format!("/usr/local/bin/becket hook {event} --agent codex") });
    let with = |mut hook: serde_json::Value, key: &str, value: serde_json::Value| {
        hook[key] = value;
        hook
    };
    let edited = json!({
        "type": "command",
        "command": "'/opt/my tools/é/becket' hook PostToolUse --agent codex",
        "statusMessage": "x",
        "additionalContextLimit": 100,
        "async": true,
        "timeout": 0,
    });
    let hooks = json!({
        "PreToolUse": [{ "hooks": [hook("PreToolUse")] }],
        "Stop": [{ "hooks": [hook("Stop")] }],
        "SessionEnd": [{ "hooks": [with(hook("SessionEnd"), "timeout", json!(3))] }],
        "Interrupt": [{ "hooks": [with(hook("Interrupt"), "timeout", json!(3))] }],
        "PreModelRequest": [{ "hooks": [hook("PreModelRequest")] }],
        "PostToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "other" }, edited] }],
        "UserPromptSubmit": [{ "matcher": "Bash", "hooks": [with(hook("UserPromptSubmit"), "additionalContextLimit", json!(2500))] }],
    });
    json!({ "hooks": hooks }).to_string()
}

fn installed() -> String {
    let codex = installer("codex").unwrap();
    let file = &codex.files(InstallScope::User)[0];
    let foreign = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}"#;
    codex
        .plan_install(file, Some(foreign), "/usr/local/bin/becket")
        .unwrap()
        .text
}

#[test]
fn digests_are_those_of_codex() {
    let edit = plan_trust(None, FILE, &definitions()).unwrap();
    for (place, digest) in DIGESTS {
        let record =
            format!("[hooks.state.\"{FILE}:{place}\"]\ntrusted_hash = \"sha256:{digest}\"\n");
        assert!(edit.text.contains(&record), "{place} in\n{}", edit.text);
    }
    assert_eq!(edit.added.len(), DIGESTS.len());
    assert!(
        !edit.text.contains("post_tool_use:0:0"),
        "that hook is not ours"
    );
}

#[test]
fn trust_records_are_added_and_removed() {
    let hooks = installed();
    for config in [
        "",
        "model = \"gpt-5.5\"",
        "model = \"gpt-5.5\" # best\n\n[features]\nhooks = true\n",
        "[projects.\"/work\"]\r\ntrust_level = \"trusted\"\r\n# end\r\n",
        "[hooks.state.\"/other:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n",
    ] {
        let edit = plan_trust(Some(config), FILE, &hooks).unwrap();
        assert!(edit.changed && edit.updated.is_empty());
        assert_eq!(edit.added.len(), installer("codex").unwrap().events().len());
        assert!(
            edit.text.contains(&format!("{FILE}:stop:1:0")),
            "ours is the second group"
        );
        assert!(!edit.text.contains(&format!("{FILE}:stop:0:0")));
        assert!(!plan_trust(Some(&edit.text), FILE, &hooks).unwrap().changed);
        let gone = plan_distrust(&edit.text, FILE, &hooks).unwrap();
        assert_eq!(gone.text, config);
        assert_eq!(gone.delete, config.is_empty());
        assert_eq!(gone.removed.len(), edit.added.len());
    }
}

#[test]
fn changed_hook_gets_a_new_digest_in_place() {
    let codex = installer("codex").unwrap();
    let file = &codex.files(InstallScope::User)[0];
    let before = installed();
    let trusted = plan_trust(Some("a = 1\n"), FILE, &before).unwrap().text;
    let moved = codex
        .plan_install(file, Some(&before), "/opt/becket")
        .unwrap()
        .text;
    let edit = plan_trust(Some(&trusted), FILE, &moved).unwrap();
    assert!(edit.added.is_empty());
    assert_eq!(edit.updated.len(), codex.events().len());
    assert_eq!(edit.text.lines().count(), trusted.lines().count());
    assert_eq!(
        plan_distrust(&edit.text, FILE, &moved).unwrap().text,
        "a = 1\n"
    );
}

#[test]
fn a_hook_that_moved_leaves_no_record_behind() {
    let group = |command: &str| json!({ "hooks": [{ "type": "command", "command": command }] });
    let ours = group("becket hook Stop --agent codex");
    let first = json!({ "hooks": { "Stop": [ours] } }).to_string();
    let second = json!({ "hooks": { "Stop": [group("say done"), ours] } }).to_string();
    let trusted = plan_trust(None, FILE, &first).unwrap().text;
    let edit = plan_trust(Some(&trusted), FILE, &second).unwrap();
    assert!(
        edit.text.contains(":stop:1:0") && !edit.text.contains(":stop:0:0"),
        "{}",
        edit.text
    );
    assert_eq!(edit.text, trusted.replace(":0:0", ":1:0"));
}

#[test]
fn record_with_other_keys_is_kept() {
    let hooks = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command",
        "command": "becket hook Stop --agent codex" }] }] } })
    .to_string();
    let off = format!("[hooks.state.\"{FILE}:stop:0:0\"]\nenabled = false # for now\n");
    let edit = plan_trust(Some(&off), FILE, &hooks).unwrap();
    assert!(edit.text.starts_with(off.trim_end()), "{}", edit.text);
    assert!(edit.text.contains("\ntrusted_hash = \"sha256:"));
    assert_eq!(edit.updated, ["Stop"]);
    assert!(
        edit.warnings[0].contains("is disabled"),
        "{:?}",
        edit.warnings
    );
    assert!(!plan_trust(Some(&edit.text), FILE, &hooks).unwrap().changed);
    assert!(!plan_distrust(&edit.text, FILE, &hooks).unwrap().changed);
}

#[test]
fn records_in_another_notation_are_understood() {
    let hooks = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command",
        "command": "becket hook Stop --agent codex" }] }] } })
    .to_string();
    let config = format!("[hooks.state]\n\"{FILE}:stop:0:0\" = {{ trusted_hash = 'old' }}\n");
    let edit = plan_trust(Some(&config), FILE, &hooks).unwrap();
    assert_eq!(edit.updated, ["Stop"]);
    assert!(edit.text.contains("{ trusted_hash = \"sha256:"));
    assert!(!plan_trust(Some(&edit.text), FILE, &hooks).unwrap().changed);
    let inline = "hooks = { state = {} }\n";
    assert!(plan_trust(Some(inline), FILE, &hooks).is_err());
}

#[test]
fn unreadable_codex_file_is_refused() {
    let error = plan_trust(None, FILE, "{\n  // mine\n}").unwrap_err();
    assert_eq!(error.position().unwrap().line, 2);
    assert!(plan_trust(Some("= 1"), FILE, "{}").is_err());
    assert!(!plan_trust(Some(""), FILE, "").unwrap().changed);
}

#[test]
fn uninstall_warns_about_hooks_that_lose_trust() {
    let codex = installer("codex").unwrap();
    let file = &codex.files(InstallScope::User)[0];
    let group = |command: &str| json!({ "hooks": [{ "type": "command", "command": command }] });
    let ours = group("becket hook Stop --agent codex");
    let check = |groups: &serde_json::Value, disturbed: bool| {
        let text = json!({ "hooks": { "Stop": groups } }).to_string();
        let edit = codex.plan_uninstall(file, &text).unwrap();
        assert_eq!(
            !edit.warnings.is_empty(),
            disturbed,
            "{text}: {:?}",
            edit.warnings
        );
    };
    check(&json!([ours, group("say done")]), true);
    check(&json!([group("say done"), ours]), false);
    check(&json!([ours]), false);
    let mut mixed = ours.clone();
    mixed["hooks"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "type": "command", "command": "x" }));
    check(&json!([mixed]), true);
}
