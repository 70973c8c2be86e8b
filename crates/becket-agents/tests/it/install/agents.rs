//! Every agent's install plan: install, reinstall, another path, uninstall; nothing else changes.

use becket_agents::edit::{EditError, FileEdit};
use becket_agents::install::{
    InstallScope, Installer, PathBase, SettingsFile, installer, installers,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::documents::{Form, Habit, settings_of};

pub(super) const BINARY: &str = "/usr/local/bin/becket";
pub(super) const MOVED: &str = "/opt/my tools/becket";

pub(super) fn agent(id: &str) -> &'static dyn Installer {
    installer(id).unwrap_or_else(|| panic!("no installer for {id}"))
}

/// Every file of an agent, under every possible name.
pub(super) fn files(agent: &dyn Installer) -> Vec<SettingsFile> {
    let scopes = [InstallScope::User, InstallScope::Project];
    let files = scopes.iter().flat_map(|scope| agent.files(*scope));
    files.flat_map(SettingsFile::candidates).collect()
}

fn has_extension(file: &SettingsFile, extension: &str) -> bool {
    let found = file.name().rsplit_once('.');
    found.is_some_and(|(_, found)| found == extension)
}

fn is_json(file: &SettingsFile) -> bool {
    has_extension(file, "json")
}

fn is_yaml(file: &SettingsFile) -> bool {
    has_extension(file, "yaml") || has_extension(file, "yml")
}

/// Kiro's hooks are in separate files, and for its CLI 2.x in an agent.
fn is_kiro_agent(file: &SettingsFile) -> bool {
    file.path == ".kiro/agents/becket.json"
}

/// The layout of an agent's file, if it is JSON.
fn habit(agent: &dyn Installer, file: &SettingsFile) -> Option<Habit> {
    let (container, form): (&[&str], Form) = match agent.agent() {
        _ if !is_json(file) => return None,
        "droid" if file.name() == "hooks.json" => (&[], Form::Nested),
        "devin" if file.name() == "hooks.v1.json" => (&[], Form::Nested),
        "kiro" if is_kiro_agent(file) => (&["hooks"], Form::Flat),
        "autohand" => (&["hooks", "hooks"], Form::List("event")),
        "kiro" => (&["hooks"], Form::List("trigger")),
        "cursor" | "copilot" | "windsurf" | "crush" => (&["hooks"], Form::Flat),
        _ => (&["hooks"], Form::Nested),
    };
    Some(Habit {
        container,
        form,
        events: if is_kiro_agent(file) {
            KIRO_CLI_2
        } else {
            agent.events()
        },
    })
}

/// A file with the user's own hooks and settings, valid for the agent.
fn foreign(agent: &dyn Installer, file: &SettingsFile) -> Option<String> {
    let habit = habit(agent, file)?;
    let event = habit.events[0];
    let handler = match agent.agent() {
        "copilot" => json!({ "type": "command", "bash": "./mine.sh", "timeoutSec": 5 }),
        "kiro" if habit.form == Form::Flat => json!({ "command": "./mine.sh" }),
        "kiro" => {
            json!({ "name": "mine", "trigger": event, "action": { "type": "agent", "prompt": "x" } })
        }
        "autohand" => json!({ "event": event, "command": "~/bin/guard", "matcher": "^run" }),
        _ => json!({ "type": "command", "command": "./mine.sh" }),
    };
    let hooks = match habit.form {
        Form::Nested => json!({ event: [{ "matcher": "Bash", "hooks": [handler] }] }),
        Form::Flat => json!({ event: [handler] }),
        Form::List(_) => json!([handler]),
    };
    let root = match (agent.agent(), habit.container) {
        (_, []) => hooks,
        ("codex" | "goose", _) => json!({ "hooks": hooks }),
        ("cursor" | "copilot", _) => json!({ "version": 1, "hooks": hooks }),
        ("kiro", _) if habit.form == Form::Flat => json!({ "name": "mine", "hooks": hooks }),
        ("kiro", _) => json!({ "version": "v1", "hooks": hooks }),
        ("autohand", _) => {
            json!({ "provider": "x", "hooks": { "enabled": true, "hooks": hooks }, "ui": {} })
        }
        _ => json!({ "theme": "dark", "hooks": hooks, "other": [1, 2] }),
    };
    Some(serde_json::to_string_pretty(&root).unwrap() + "\n")
}

/// Possible contents of a file before an install.
fn existing(agent: &dyn Installer, file: &SettingsFile) -> Vec<Option<String>> {
    let mut texts = vec![None, Some(String::new())];
    if let Some(text) = foreign(agent, file) {
        let minified: Value = serde_json::from_str(&text).unwrap();
        texts.push(Some(minified.to_string()));
        texts.push(Some(text.replace('\n', "\r\n")));
        texts.push(Some(format!("// mine\n{text}// end\n")));
        texts.push(Some(text.replace("\n}", ", // more to come\n}")));
        texts.push(Some(text));
        for plain in ["{}", "{}\n", "{ }", "{\n}\n", "\n", "// nothing yet\n"] {
            texts.push(Some(plain.to_owned()));
        }
        let plain: &[&str] = match habit(agent, file).map(|habit| (habit.container, habit.form)) {
            Some((["hooks"], Form::List(_))) => &[
                r#"{"hooks":[]}"#,
                "{\n  \"version\": \"v1\",\n  \"hooks\": []\n}\n",
            ],
            Some(([], _)) => &["{\"Stop\": []}"],
            Some((["hooks", _], _)) => &[r#"{"hooks":{}}"#, r#"{"hooks":{"hooks":[]}}"#],
            _ => &[
                r#"{"hooks":{}}"#,
                "{\n  \"hooks\": {},\n  \"version\": 1\n}\n",
                "{\n  \"version\": 1\n}\n",
                "{\n  \"version\": 1,\n  \"hooks\": {\n    // later\n  }\n}\n",
            ],
        };
        texts.extend(plain.iter().map(|text| Some((*text).to_owned())));
    }
    if has_extension(file, "toml") {
        for text in [
            "provider = \"x\"",
            "# mine\nprovider = \"x\" # best\n\n[hooks]\nenabled = true\n",
            "[[hooks.hooks]]\nevent = \"stop\"\ncommand = 'say done'\n\n[ui]\ntheme = \"dark\"\n# end",
            "[ui]\r\ntheme = \"dark\"\r\n",
        ] {
            texts.push(Some(text.to_owned()));
        }
    }
    if is_yaml(file) {
        for text in [
            "provider: x",
            "# mine\nprovider: x # best\n\nhooks:\n  enabled: true\n\nui: {theme: dark}\n",
            "hooks:\n  hooks:\n    - event: stop\n      command: say done # loud\n\n# the end\nui:\n  theme: dark\n",
            "hooks:\n    enabled: true\n    hooks:\n    - {event: stop, command: say done}\nui: 1\n",
            "hooks:\n  hooks:\n  - event: stop\n    command: |\n      say \\\n        done\n",
            "ui:\r\n  theme: dark\r\n",
            "---\nprovider: x\n",
        ] {
            texts.push(Some(text.to_owned()));
        }
    }
    texts
}

const KIRO_CLI_2: &[&str] = &[
    "agentSpawn",
    "userPromptSubmit",
    "preToolUse",
    "postToolUse",
    "stop",
];

pub(super) fn events_of(agent: &dyn Installer, file: &SettingsFile) -> Vec<&'static str> {
    match agent.agent() {
        "cline" => vec![file.name()],
        "kiro" if is_kiro_agent(file) => KIRO_CLI_2.to_vec(),
        _ => agent.events().to_vec(),
    }
}

#[track_caller]
pub(super) fn comes_and_goes(agent: &dyn Installer, file: &SettingsFile, existing: Option<&str>) {
    let events = events_of(agent, file);
    let after = agent.plan_install(file, existing, BINARY).unwrap();
    assert!(after.changed && !after.delete);
    assert_eq!(after.added, events);
    assert!(after.updated.is_empty() && after.removed.is_empty());
    all_there(agent, file, &after.text, BINARY);

    let again = agent.plan_install(file, Some(&after.text), BINARY).unwrap();
    assert_eq!(again.text, after.text);
    assert!(!again.changed && again.added.is_empty() && again.updated.is_empty());

    let moved = agent.plan_install(file, Some(&after.text), MOVED).unwrap();
    assert!(moved.changed && moved.added.is_empty());
    assert_eq!(sorted(&moved.updated), sorted(&events));
    all_there(agent, file, &moved.text, MOVED);

    for text in [&after.text, &moved.text] {
        let gone = agent.plan_uninstall(file, text).unwrap();
        assert_eq!(gone.text, existing.unwrap_or_default(), "after\n{text}");
        assert!(gone.changed);
        assert_eq!(gone.delete, existing.is_none_or(str::is_empty));
        assert_eq!(sorted(&gone.removed), sorted(&events));
    }
}

pub(super) fn sorted<T: AsRef<str>>(names: &[T]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names
}

#[track_caller]
pub(super) fn all_there(agent: &dyn Installer, file: &SettingsFile, text: &str, binary: &str) {
    let entries = agent.installed(file, text);
    for event in events_of(agent, file) {
        let mine: Vec<_> = entries.iter().filter(|e| e.event == event).collect();
        let [entry] = mine.as_slice() else {
            panic!("{} entries for {event} in\n{text}", mine.len());
        };
        assert_eq!(entry.binary.as_deref(), Some(binary));
        assert_eq!(entry.stale, None, "{event} in\n{text}");
        let line = text.lines().nth(entry.line - 1).unwrap();
        if is_json(file) || has_extension(file, "toml") || is_yaml(file) {
            let id = agent.agent();
            assert!(
                line.contains(&format!("hook {event} --agent {id}")),
                "{line}"
            );
        } else {
            assert_eq!(line, entry.command);
        }
    }
}

#[test]
fn every_agent_has_an_installer() {
    let ids = [
        "claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor", "autohand",
        "windsurf", "devin", "droid", "cline", "kiro", "augment", "crush", "goose", "amp",
    ];
    let known: Vec<_> = installers().iter().map(|agent| agent.agent()).collect();
    assert_eq!(known, ids);
    assert!(installer("unknown").is_none());
    for agent in installers() {
        assert!(
            !agent.detection_hints().programs.is_empty()
                && !agent.detection_hints().home.is_empty()
        );
        assert!(!agent.events().is_empty());
        let mut events = agent.events().to_vec();
        events.sort_unstable();
        events.dedup();
        assert_eq!(events.len(), agent.events().len());
        assert!(!agent.files(InstallScope::User).is_empty());
        let in_project = agent.files(InstallScope::Project);
        assert_eq!(in_project.is_empty(), agent.agent() == "autohand");
        assert!(in_project.iter().all(|file| file.base == PathBase::Project));
    }
}

#[test]
fn install_then_uninstall_gives_back_every_byte_for_every_agent() {
    for agent in installers() {
        for file in &files(*agent) {
            for text in existing(*agent, file) {
                comes_and_goes(*agent, file, text.as_deref());
            }
        }
    }
}

#[test]
fn uninstalling_what_was_never_installed_changes_nothing() {
    for agent in installers() {
        for file in &files(*agent) {
            for text in existing(*agent, file).into_iter().flatten() {
                let edit = agent.plan_uninstall(file, &text).unwrap();
                assert_eq!(edit.text, text);
                assert!(!edit.changed && !edit.delete && edit.removed.is_empty());
                assert!(agent.installed(file, &text).is_empty());
            }
        }
    }
}

/// Whether `after` contains all of `before`, with arrays as prefixes.
fn contains(after: &Value, before: &Value) -> bool {
    match (after, before) {
        (Value::Object(after), Value::Object(before)) => before
            .iter()
            .all(|(key, value)| after.get(key).is_some_and(|after| contains(after, value))),
        (Value::Array(after), Value::Array(before)) => {
            after.len() >= before.len() && after.iter().zip(before).all(|(a, b)| contains(a, b))
        }
        _ => after == before,
    }
}

#[test]
fn foreign_settings_survive_and_the_agent_still_reads_the_file() {
    for agent in installers() {
        for file in &files(*agent) {
            let Some(text) = foreign(*agent, file) else {
                continue;
            };
            assert_eq!(agent.rejection_reason(file, &text), None);
            let edit = agent.plan_install(file, Some(&text), BINARY).unwrap();
            assert_eq!(edit.warnings, Vec::<String>::new());
            assert_eq!(agent.rejection_reason(file, &edit.text), None);
            let before: Value = serde_json::from_str(&text).unwrap();
            let after: Value = serde_json::from_str(&edit.text).unwrap();
            assert!(contains(&after, &before), "{}", edit.text);

            let created = agent.plan_install(file, None, BINARY).unwrap();
            assert_eq!(agent.rejection_reason(file, &created.text), None);
        }
    }
}

#[test]
fn paths_that_an_agent_would_not_pass_on_are_refused() {
    let refused = |id: &str, binary: &str| {
        let agent = agent(id);
        let file = &files(agent)[0];
        matches!(
            agent.plan_install(file, None, binary),
            Err(EditError::Path { .. })
        )
    };
    assert!(refused("gemini", "/opt/$X/becket") && refused("qwen", "/opt/$X/becket"));
    assert!(refused("cursor", "/opt//x/becket") && refused("cursor", "/opt/*/becket"));
    assert!(refused("augment", "/home/o'brien/becket"));
    assert!(!refused("augment", MOVED) && !refused("cursor", MOVED) && !refused("gemini", MOVED));
    assert!(!refused("codex", "/opt/$X/becket"));
    for agent in installers() {
        let file = &files(*agent)[0];
        let error = agent
            .plan_install(file, None, "/usr/bin/other")
            .unwrap_err();
        assert!(matches!(error, EditError::Binary { .. }));
    }
}

#[test]
fn awkward_paths_are_found_again() {
    for binary in [
        MOVED,
        "/home/o'brien/\"bin\"/becket",
        r"C:\Program Files\Becket\becket.exe",
        "/tmp/$HOME`id`/é\n\u{2028}/becket",
    ] {
        for agent in installers() {
            for file in &files(*agent) {
                match agent.plan_install(file, None, binary) {
                    Ok(created) => {
                        all_found(*agent, file, &created, binary);
                        let again = agent.plan_install(file, Some(&created.text), binary);
                        assert!(!again.unwrap().changed);
                        assert!(agent.plan_uninstall(file, &created.text).unwrap().delete);
                    }
                    Err(error) => assert!(matches!(error, EditError::Path { .. }), "{error}"),
                }
            }
        }
    }
}

#[track_caller]
fn all_found(agent: &dyn Installer, file: &SettingsFile, edit: &FileEdit, binary: &str) {
    let entries = agent.installed(file, &edit.text);
    assert_eq!(entries.len(), events_of(agent, file).len());
    for entry in entries {
        assert_eq!(entry.binary.as_deref(), Some(binary));
        assert_eq!(entry.stale, None);
    }
}

/// Each JSON file of each agent once.
fn json_files() -> Vec<(&'static dyn Installer, SettingsFile, Habit)> {
    let all = installers().iter().flat_map(|agent| {
        let files = files(*agent).into_iter();
        files.filter_map(|file| Some((*agent, file, habit(*agent, &file)?)))
    });
    all.collect()
}

fn any_settings() -> impl Strategy<Value = (usize, String)> {
    (0..json_files().len()).prop_flat_map(|index| {
        let (_, _, habit) = json_files()[index];
        settings_of(habit).prop_map(move |text| (index, text))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// For any settings of any agent: all events are registered, a second install is a no-op, and an uninstall
    /// restores every byte.
    #[test]
    fn any_settings_of_any_agent_come_back_unharmed((index, text) in any_settings()) {
        let (agent, file, _) = json_files()[index];
        comes_and_goes(agent, &file, Some(&text));
    }

    /// Truncated files, and texts that are not settings at all.
    #[test]
    fn no_text_makes_a_plan_panic(
        (index, text) in any_settings(),
        cut in any::<prop::sample::Index>(),
        noise in ".*",
    ) {
        let cut = cut.index(text.len() + 1);
        let head = text.get(..cut).unwrap_or_default();
        let (agent, ..) = json_files()[index];
        for file in files(agent) {
            for text in [head.to_owned(), noise.clone(), format!("{head}{noise}")] {
                let _ = agent.plan_install(&file, Some(&text), BINARY);
                let _ = agent.plan_uninstall(&file, &text);
                let _ = agent.installed(&file, &text);
                let _ = agent.rejection_reason(&file, &text);
            }
        }
    }

    /// Any accepted path is recognised later.
    #[test]
    fn any_accepted_path_is_found_again(directory in "\\PC{0,12}", which in any::<prop::sample::Index>()) {
        let binary = format!("/{directory}/becket");
        let agent = installers()[which.index(installers().len())];
        for file in &files(agent) {
            if let Ok(created) = agent.plan_install(file, None, &binary) {
                all_found(agent, file, &created, &binary);
            }
        }
    }
}
