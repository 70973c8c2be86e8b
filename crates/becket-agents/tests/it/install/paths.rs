//! The paths of an agent's files.

use std::path::{Path, PathBuf};

use becket_agents::install::{BaseDirs, InstallScope, SettingsFile, installer};

fn locate(file: &SettingsFile, env: &[(&str, &str)]) -> PathBuf {
    let lookup = |name: &str| {
        let found = env.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    file.locate(&BaseDirs {
        home: Path::new("/home/ana"),
        project: Path::new("/work/shop"),
        env: &lookup,
    })
}

#[track_caller]
fn is_at(id: &str, scope: InstallScope, env: &[(&str, &str)], expected: &str) {
    let file = &installer(id).unwrap().files(scope)[0];
    assert_eq!(locate(file, env), Path::new(expected));
}

#[test]
fn files_are_found_below_the_home_and_the_project() {
    is_at(
        "claude",
        InstallScope::User,
        &[],
        "/home/ana/.claude/settings.json",
    );
    is_at(
        "claude",
        InstallScope::Project,
        &[],
        "/work/shop/.claude/settings.json",
    );
    is_at(
        "codex",
        InstallScope::User,
        &[],
        "/home/ana/.codex/hooks.json",
    );
    is_at(
        "gemini",
        InstallScope::User,
        &[],
        "/home/ana/.gemini/settings.json",
    );
    is_at(
        "opencode",
        InstallScope::User,
        &[],
        "/home/ana/.config/opencode/plugins/becket.js",
    );
    is_at(
        "crush",
        InstallScope::User,
        &[],
        "/home/ana/.config/crush/crush.json",
    );
    is_at(
        "copilot",
        InstallScope::Project,
        &[],
        "/work/shop/.github/hooks/becket.json",
    );
}

#[test]
fn environment_variables_change_the_directories() {
    is_at(
        "claude",
        InstallScope::User,
        &[("CLAUDE_CONFIG_DIR", "/c")],
        "/c/settings.json",
    );
    is_at(
        "codex",
        InstallScope::User,
        &[("CODEX_HOME", "/c")],
        "/c/hooks.json",
    );
    is_at(
        "gemini",
        InstallScope::User,
        &[("GEMINI_CLI_HOME", "/g")],
        "/g/.gemini/settings.json",
    );
    is_at(
        "qwen",
        InstallScope::User,
        &[("QWEN_HOME", "/q")],
        "/q/settings.json",
    );
    is_at(
        "copilot",
        InstallScope::User,
        &[("COPILOT_HOME", "/c")],
        "/c/hooks/becket.json",
    );
    is_at(
        "opencode",
        InstallScope::User,
        &[("XDG_CONFIG_HOME", "/x")],
        "/x/opencode/plugins/becket.js",
    );
    is_at(
        "crush",
        InstallScope::User,
        &[("XDG_CONFIG_HOME", "/x")],
        "/x/crush/crush.json",
    );
    let both = [("XDG_CONFIG_HOME", "/x"), ("CRUSH_GLOBAL_CONFIG", "/c")];
    is_at("crush", InstallScope::User, &both, "/c/crush.json");
    is_at(
        "autohand",
        InstallScope::User,
        &[("AUTOHAND_HOME", "/a")],
        "/a/config.json",
    );
    is_at(
        "codex",
        InstallScope::User,
        &[("CODEX_HOME", "")],
        "/home/ana/.codex/hooks.json",
    );
}

#[test]
fn existing_alternative_file_is_edited() {
    let autohand = installer("autohand").unwrap();
    let file = autohand.files(InstallScope::User)[0];
    let names = |file: &SettingsFile| file.candidates().map(|f| f.path).collect::<Vec<_>>();
    assert_eq!(
        names(&file),
        ["config.toml", "config.yaml", "config.yml", "config.json"]
    );
    assert_eq!(file.choose(|_| false).path, "config.json");
    assert_eq!(file.choose(|f| f.path == "config.yml").path, "config.yml");
    let droid = installer("droid").unwrap().files(InstallScope::Project)[0];
    assert_eq!(droid.choose(|_| false).path, ".factory/settings.json");
    assert_eq!(droid.choose(|_| true).path, ".factory/hooks.json");
}
