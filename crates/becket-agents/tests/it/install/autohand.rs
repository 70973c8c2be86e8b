//! Autohand's configuration, which may be TOML and must be a single file.

use becket_agents::install::StaleReason;

use super::agents::{BINARY, agent, files, sorted};

#[test]
fn a_toml_configuration_gets_one_table_for_each_event() {
    let autohand = agent("autohand");
    let toml = files(autohand)
        .into_iter()
        .find(|f| f.name() == "config.toml");
    let before = "provider = \"x\" # mine\n";
    let edit = autohand
        .plan_install(&toml.unwrap(), Some(before), BINARY)
        .unwrap();
    let expected = format!(
        "{before}\n[[hooks.hooks]]\nevent = \"pre-tool\"\ncommand = \"{BINARY} hook pre-tool --agent autohand\"\ndescription = \"Becket\"\ntimeout = 600000\n\n[[hooks.hooks]]\nevent = \"post-tool\"\n"
    );
    assert!(edit.text.starts_with(&expected), "{}", edit.text);
}

#[test]
fn a_toml_configuration_is_reduced_to_one_entry_for_each_event() {
    let autohand = agent("autohand");
    let toml = files(autohand)
        .into_iter()
        .find(|f| f.name() == "config.toml")
        .unwrap();
    let hook = |event: &str, command: &str, more: &str| {
        format!("[[hooks.hooks]]\nevent = \"{event}\"\ncommand = \"{command}\"\n{more}\n")
    };
    let before = [
        "[hooks]\nenabled = false\n\n".to_owned(),
        hook("stop", "/old/becket hook pre-tool --agent autohand", ""),
        hook("stop", "say done", ""),
        hook(
            "stop",
            "/old/becket hook stop --agent autohand || true",
            "timeout = 9\n",
        ),
        hook(
            "pre-tool",
            "becket hook pre-tool --agent autohand",
            "enabled = false\n",
        ),
        hook(
            "notification",
            "becket hook notification --agent autohand",
            "matcher = \"x\"\n",
        ),
    ]
    .concat();
    let stale: Vec<_> = autohand
        .installed(&toml, &before)
        .iter()
        .map(|e| e.stale)
        .collect();
    assert_eq!(
        stale,
        [
            Some(StaleReason::WrongEvent),
            Some(StaleReason::Edited),
            Some(StaleReason::Unusable),
            Some(StaleReason::Restricted),
        ]
    );
    let edit = autohand.plan_install(&toml, Some(&before), BINARY).unwrap();
    assert_eq!(sorted(&edit.updated), ["notification", "pre-tool", "stop"]);
    assert_eq!(edit.added.len() + 3, autohand.events().len());
    assert_eq!(edit.warnings.len(), 1);
    assert!(edit.warnings[0].contains("`hooks.enabled` is false on line 2"));
    assert!(edit.text.contains(&format!(
        "{BINARY} hook stop --agent autohand || true\"\ntimeout = 9"
    )));
    assert!(edit.text.contains("command = \"say done\""));
    assert!(!edit.text.contains("/old/becket"));
    assert!(
        !autohand
            .plan_install(&toml, Some(&edit.text), BINARY)
            .unwrap()
            .changed
    );
    let gone = autohand.plan_uninstall(&toml, &edit.text).unwrap();
    assert!(!gone.text.contains("becket") && gone.text.contains("say done"));
}

#[test]
fn what_cannot_be_edited_is_refused_with_a_reason() {
    let autohand = agent("autohand");
    let named = |name: &str| {
        files(autohand)
            .into_iter()
            .find(|f| f.name() == name)
            .unwrap()
    };
    let refusal = |name: &str, text: &str| {
        let error = autohand
            .plan_install(&named(name), Some(text), BINARY)
            .unwrap_err();
        error.to_string()
    };
    for text in [
        "hooks: {}\n",
        "hooks:\n  hooks: []\n",
        "{provider: x}\n",
        "hooks:\n",
        "hooks:\n  enabled: true\n  hooks: null\n",
        "provider: x\n---\nprovider: y\n",
        "hooks: &h\n  hooks: *x\n",
    ] {
        let yaml = refusal("config.yaml", text);
        assert!(yaml.contains("YAML"), "{yaml}");
    }
    let yaml = refusal("config.yml", "hooks: {}\n");
    assert!(
        yaml.contains("hooks:\n  hooks:\n    - {\"event\": \"pre-tool\""),
        "{yaml}"
    );
    assert_eq!(
        refusal("config.toml", "hooks = { hooks = [] }\n"),
        "`hooks` at line 1, column 9 should be a table with its own header, but is inline table"
    );
    assert!(refusal("config.toml", "[hooks]\nhooks = []\n").contains("`hooks.hooks` at line 2"));
    assert!(refusal("config.toml", "= 1").starts_with("not valid TOML at line 1"));
    assert_eq!(
        refusal("config.json", r#"{"hooks": {"hooks": {}}}"#),
        "`hooks.hooks` at line 1, column 21 should be an array, but is an object"
    );
    assert_eq!(
        refusal("config.json", r#"{"hooks": []}"#),
        "`hooks` at line 1, column 11 should be an object, but is an array"
    );
}

#[test]
fn a_yaml_configuration_gets_one_line_for_each_event_and_keeps_its_own() {
    let autohand = agent("autohand");
    let yaml = files(autohand)
        .into_iter()
        .find(|f| f.name() == "config.yaml")
        .unwrap();
    let before = "provider: x # mine\nhooks:\n  enabled: false\n  hooks:\n    - event: stop\n      command: becket hook stop --agent autohand\n      timeout: 9\n";
    let edit = autohand.plan_install(&yaml, Some(before), BINARY).unwrap();
    assert!(edit.text.starts_with(before), "{}", edit.text);
    let line = format!(
        "    - {{\"event\": \"pre-tool\", \"command\": \"{BINARY} hook pre-tool --agent autohand\", \"description\": \"Becket\", \"timeout\": 600000}}\n"
    );
    assert!(edit.text.contains(&line), "{}", edit.text);
    assert!(edit.warnings[0].contains("`hooks.enabled` is false on line 3"));
    let entries = autohand.installed(&yaml, &edit.text);
    assert_eq!(
        entries.len(),
        autohand.events().len(),
        "a person's own counts"
    );
    assert_eq!(
        (entries[0].line, entries[0].stale),
        (5, Some(StaleReason::Edited))
    );
    let gone = autohand.plan_uninstall(&yaml, &edit.text).unwrap();
    assert_eq!(gone.text, before);
}
