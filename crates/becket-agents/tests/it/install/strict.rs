//! Files that an agent rejects although Becket's entries are in them.

use becket_agents::install::{InstallScope, SettingsFile, installer};

const BINARY: &str = "/usr/local/bin/becket";

fn file(id: &str) -> SettingsFile {
    installer(id).unwrap().files(InstallScope::User)[0].choose(|_| false)
}

/// Whether an agent accepts its file after an install; the plan and a later check must agree.
#[track_caller]
fn reads(id: &str, existing: &str) -> bool {
    let agent = installer(id).unwrap();
    let edit = agent
        .plan_install(&file(id), Some(existing), BINARY)
        .unwrap();
    let reason = agent.rejection_reason(&file(id), &edit.text);
    assert_eq!(edit.warnings, Vec::from_iter(reason.clone()));
    reason.is_none()
}

#[test]
fn json_extensions_accepted_by_each_agent() {
    let comment = "{\n  // mine\n}\n";
    let comma = "{\n  \"other\": {},\n}\n";
    let mark = "\u{feff}{}\n";
    for (id, expected) in [
        ("claude", [false, false, true]),
        ("codex", [false, false, false]),
        ("gemini", [true, false, false]),
        ("qwen", [true, false, true]),
        ("cursor", [true, false, true]),
        ("crush", [false, false, false]),
        ("goose", [false, false, false]),
        ("autohand", [false, false, false]),
        ("droid", [true, false, false]),
        ("augment", [true, true, true]),
    ] {
        assert!(reads(id, "{}"), "{id}");
        let found = [comment, comma, mark].map(|text| reads(id, text));
        assert_eq!(found, expected, "{id}");
    }
}

#[test]
fn claude_codes_headless_mode_is_named() {
    let edit = installer("claude")
        .unwrap()
        .plan_install(
            &file("claude"),
            Some("{\n  \"model\": \"opus\", // big\n}\n"),
            BINARY,
        )
        .unwrap();
    assert!(edit.changed);
    let [warning] = edit.warnings.as_slice() else {
        panic!("{:?}", edit.warnings);
    };
    assert!(
        warning.starts_with("line 2 is not strict JSON"),
        "{warning}"
    );
    assert!(warning.contains("`claude -p`"), "{warning}");
}

#[test]
fn cursor_rejects_a_file_for_any_error() {
    let cursor = installer("cursor").unwrap();
    let reads = |text: &str| cursor.rejection_reason(&file("cursor"), text).is_none();
    assert!(reads(""));
    assert!(reads(
        r#"{"version": 1, "hooks": {"stop": [{"command": "x"}]}}"#
    ));
    assert!(reads("{\"version\": 1, // mine\n\"hooks\": {}}"));
    for bad in [
        r#"{"hooks": {}}"#,
        r#"{"version": "1", "hooks": {}}"#,
        r#"{"version": 1, "hooks": {"Stop": []}}"#,
        r#"{"version": 1, "hooks": {"stop": [{}]}}"#,
        r#"{"version": 1, "hooks": {"stop": {}}}"#,
        r#"{"version": 1, "hooks": {"stop": [{"command": "curl https://x"}]}}"#,
    ] {
        assert!(!reads(bad), "{bad}");
    }
}

#[test]
fn codex_rejects_keys_it_does_not_know() {
    let edit = installer("codex")
        .unwrap()
        .plan_install(&file("codex"), Some("{\"model\": \"x\"}"), BINARY)
        .unwrap();
    assert!(
        edit.warnings[0].contains("unknown field `model`"),
        "{:?}",
        edit.warnings
    );
}

#[test]
fn droid_does_not_see_hooks_under_a_key_in_its_own_hooks_file() {
    let droid = installer("droid").unwrap();
    let file = droid.files(InstallScope::User)[0].choose(|_| true);
    assert_eq!(file.name(), "hooks.json");
    assert!(
        droid
            .rejection_reason(&file, r#"{"hooks": {"Stop": []}}"#)
            .is_some()
    );
    assert_eq!(
        droid.rejection_reason(&file, r#"{"Stop": [], "hooksDisabled": true}"#),
        None
    );
    for bad in [
        r#"{"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}"#,
        r#"{"Stop": [{"hooks": [{"type": "command"}]}]}"#,
        r#"{"Stop": [{"command": "x"}]}"#,
    ] {
        let reason = droid.rejection_reason(&file, bad).unwrap();
        assert!(reason.starts_with("Droid ignores all hooks"), "{reason}");
    }
}
