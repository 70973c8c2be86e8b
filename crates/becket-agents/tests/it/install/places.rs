//! Where an agent's files are on a machine.

use std::path::{Path, PathBuf};

use becket_agents::install::{Places, Scope, SettingsFile, installer};

fn locate(file: &SettingsFile, env: &[(&str, &str)]) -> PathBuf {
    let lookup = |name: &str| {
        let found = env.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    file.locate(&Places {
        home: Path::new("/home/ana"),
        project: Path::new("/work/shop"),
        env: &lookup,
    })
}

#[track_caller]
fn is_at(id: &str, scope: Scope, env: &[(&str, &str)], expected: &str) {
    let file = &installer(id).unwrap().files(scope)[0];
    assert_eq!(locate(file, env), Path::new(expected));
}

#[test]
fn files_are_found_below_the_home_and_the_project() {
    is_at(
        "claude",
        Scope::User,
        &[],
        "/home/ana/.claude/settings.json",
    );
    is_at(
        "claude",
        Scope::Project,
        &[],
        "/work/shop/.claude/settings.json",
    );
    is_at("codex", Scope::User, &[], "/home/ana/.codex/hooks.json");
    is_at(
        "gemini",
        Scope::User,
        &[],
        "/home/ana/.gemini/settings.json",
    );
    is_at(
        "opencode",
        Scope::User,
        &[],
        "/home/ana/.config/opencode/plugins/becket.js",
    );
    is_at(
        "crush",
        Scope::User,
        &[],
        "/home/ana/.config/crush/crush.json",
    );
    is_at(
        "copilot",
        Scope::Project,
        &[],
        "/work/shop/.github/hooks/becket.json",
    );
}

#[test]
fn variables_move_them() {
    is_at(
        "claude",
        Scope::User,
        &[("CLAUDE_CONFIG_DIR", "/c")],
        "/c/settings.json",
    );
    is_at(
        "codex",
        Scope::User,
        &[("CODEX_HOME", "/c")],
        "/c/hooks.json",
    );
    is_at(
        "gemini",
        Scope::User,
        &[("GEMINI_CLI_HOME", "/g")],
        "/g/.gemini/settings.json",
    );
    is_at(
        "qwen",
        Scope::User,
        &[("QWEN_HOME", "/q")],
        "/q/settings.json",
    );
    is_at(
        "copilot",
        Scope::User,
        &[("COPILOT_HOME", "/c")],
        "/c/hooks/becket.json",
    );
    is_at(
        "opencode",
        Scope::User,
        &[("XDG_CONFIG_HOME", "/x")],
        "/x/opencode/plugins/becket.js",
    );
    is_at(
        "crush",
        Scope::User,
        &[("XDG_CONFIG_HOME", "/x")],
        "/x/crush/crush.json",
    );
    let both = [("XDG_CONFIG_HOME", "/x"), ("CRUSH_GLOBAL_CONFIG", "/c")];
    is_at("crush", Scope::User, &both, "/c/crush.json");
    is_at(
        "autohand",
        Scope::User,
        &[("AUTOHAND_HOME", "/a")],
        "/a/config.json",
    );
    is_at(
        "codex",
        Scope::User,
        &[("CODEX_HOME", "")],
        "/home/ana/.codex/hooks.json",
    );
}

#[test]
fn of_several_names_the_file_that_exists_is_edited() {
    let autohand = installer("autohand").unwrap();
    let file = autohand.files(Scope::User)[0];
    let names = |file: &SettingsFile| file.candidates().map(|f| f.path).collect::<Vec<_>>();
    assert_eq!(
        names(&file),
        ["config.toml", "config.yaml", "config.yml", "config.json"]
    );
    assert_eq!(file.choose(|_| false).path, "config.json");
    assert_eq!(file.choose(|f| f.path == "config.yml").path, "config.yml");
    let droid = installer("droid").unwrap().files(Scope::Project)[0];
    assert_eq!(droid.choose(|_| false).path, ".factory/settings.json");
    assert_eq!(droid.choose(|_| true).path, ".factory/hooks.json");
}
