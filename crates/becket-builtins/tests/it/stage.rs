//! `git-auto-stage`, with a real git.

use std::os::unix::fs::symlink;
use std::time::Duration;

use becket_model::{Event, EventData, HookOutcome, ToolCall};
use becket_testkit::{wait_for, write_script};
use serde_json::{Value, json};

use crate::world::{World, failure};

const STAGE: &str = "use = 'git-auto-stage'";

fn committed() -> World {
    let world = World::with_git();
    world.write("src/a.rs", "old\n");
    world.write(".gitignore", "ignored/\n");
    world.git(&["add", "."]);
    world.git(&["commit", "--quiet", "-m", "first"]);
    world
}

fn staged(world: &World) -> Vec<String> {
    let names = world.git(&[
        "-c",
        "core.quotePath=false",
        "diff",
        "--cached",
        "--name-only",
        "-z",
    ]);
    names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn only_the_changed_file_is_staged() {
    let world = committed();
    world.write("src/a.rs", "new\n");
    world.write("src/b.rs", "other\n");
    assert_eq!(
        world.fire(STAGE, world.wrote("src/a.rs")),
        HookOutcome::none()
    );
    assert_eq!(staged(&world), ["src/a.rs"]);
}

#[test]
fn every_file_change_event_is_handled() {
    let world = committed();
    for name in ["one.rs", "two.rs", "three.rs"] {
        world.write(name, "x\n");
    }
    let patch =
        "*** Begin Patch\n*** Add File: one.rs\n+x\n*** Delete File: src/a.rs\n*** End Patch";
    std::fs::remove_file(world.app().join("src/a.rs")).expect("removed");
    let data = EventData::PostToolUse {
        call: ToolCall::new("apply_patch", json!({ "command": patch })),
        response: Value::Null,
        duration_ms: None,
    };
    world.fire(STAGE, world.event(data));
    let data = EventData::FileModified {
        path: world.app().join("two.rs").to_string_lossy().into_owned(),
        change: Some("create".into()),
    };
    world.fire(STAGE, world.event(data));
    assert_eq!(staged(&world), ["one.rs", "src/a.rs", "two.rs"]);
}

#[test]
fn odd_file_names_are_staged() {
    let world = committed();
    world.write("plain.rs", "x\n");
    for name in ["-A", "*.rs", ":(glob)**", "a b\nc", "--", "ä.rs"] {
        world.write(name, "x\n");
        let absolute = world.app().join(name).to_string_lossy().into_owned();
        assert_eq!(
            world.fire(STAGE, world.wrote(&absolute)),
            HookOutcome::none(),
            "{name:?}"
        );
        assert!(staged(&world).contains(&name.to_owned()), "{name:?}");
    }
    assert!(!staged(&world).contains(&"plain.rs".to_owned()));
}

#[test]
fn secrets_and_build_output_are_not_staged() {
    let world = committed();
    for name in [
        ".env",
        ".env.local",
        "a.log",
        "b.tmp",
        "c.swp",
        "d.bak",
        "node_modules/x.js",
        "dist/x.js",
        "build/x.js",
        "coverage/x.js",
        "deploy/id_ed25519",
        "server.pem",
        "tls.key",
        ".npmrc",
        "ignored/x.rs",
        "docs/skipped.md",
    ] {
        world.write(name, "x\n");
        let entry = format!("{STAGE}\noptions = {{ skip = ['docs/**'] }}");
        assert_eq!(
            world.fire(&entry, world.wrote(name)),
            HookOutcome::none(),
            "{name}"
        );
    }
    assert_eq!(staged(&world), [""; 0]);
}

#[test]
fn nothing_outside_the_project_or_without_a_repository_is_staged() {
    let world = committed();
    let outside = world.path("outside");
    std::fs::create_dir(&outside).expect("created");
    world.git_in(&outside, &["init", "--quiet", "."]);
    std::fs::write(outside.join("x.rs"), "x").expect("written");
    symlink(&outside, world.app().join("link")).expect("linked");
    for path in ["link/x.rs", "../outside/x.rs"] {
        assert_eq!(world.fire(STAGE, world.wrote(path)), HookOutcome::none());
    }
    assert_eq!(world.git_in(&outside, &["ls-files"]), "");
    let mut world = World::new();
    world.link("git");
    world.set("GIT_CEILING_DIRECTORIES", &world.path("").to_string_lossy());
    world.write("x.rs", "x");
    assert_eq!(world.fire(STAGE, world.wrote("x.rs")), HookOutcome::none());
}

#[test]
fn a_link_is_staged_as_a_link() {
    let world = committed();
    symlink("/etc/passwd", world.app().join("link.txt")).expect("linked");
    world.fire(STAGE, world.wrote("link.txt"));
    assert_eq!(world.git(&["show", ":link.txt"]), "/etc/passwd");
}

#[test]
fn home_directory_repository_is_ignored() {
    let mut world = World::with_git();
    let app = world.app().to_string_lossy().into_owned();
    world.set("HOME", &app);
    world.write("x.rs", "x");
    world.fire(STAGE, world.wrote("x.rs"));
    assert_eq!(staged(&world), [""; 0]);
}

#[test]
fn a_worktree_and_a_submodule_have_their_own_index_and_a_bare_repository_has_none() {
    let world = committed();
    world.git(&["worktree", "add", "--quiet", "tree"]);
    world.write("tree/new.rs", "x\n");
    world.fire(STAGE, world.wrote("tree/new.rs"));
    let tree = world.app().join("tree");
    assert_eq!(
        world.git_in(&tree, &["diff", "--cached", "--name-only"]),
        "new.rs"
    );
    assert_eq!(staged(&world), [""; 0]);
    world.write("sub/x.rs", "x\n");
    let sub = world.app().join("sub");
    world.git_in(&sub, &["init", "--quiet", "."]);
    world.fire(STAGE, world.wrote("sub/x.rs"));
    assert_eq!(world.git_in(&sub, &["ls-files"]), "x.rs");
    assert_eq!(staged(&world), [""; 0]);
    world.git(&["init", "--quiet", "--bare", "bare.git"]);
    world.write("bare.git/x.rs", "x\n");
    assert_eq!(
        world.fire(STAGE, world.wrote("bare.git/x.rs")),
        HookOutcome::none()
    );
}

#[test]
fn conflicted_files_are_not_staged() {
    let world = committed();
    world.git(&["checkout", "--quiet", "-b", "other"]);
    world.write("src/a.rs", "theirs\n");
    world.git(&["commit", "--quiet", "-am", "theirs"]);
    world.git(&["checkout", "--quiet", "work"]);
    world.write("src/a.rs", "ours\n");
    world.git(&["commit", "--quiet", "-am", "ours"]);
    let merged = std::process::Command::new("git")
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@e",
            "merge",
            "other",
        ])
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(world.app())
        .output()
        .expect("git");
    assert!(!merged.status.success(), "there is a conflict");
    world.write("src/a.rs", "half way\n");
    assert_eq!(
        world.fire(STAGE, world.wrote("src/a.rs")),
        HookOutcome::none()
    );
    assert!(!world.git(&["ls-files", "--unmerged"]).is_empty());
}

#[test]
fn index_lock_is_waited_for() {
    let world = committed();
    world.write("src/a.rs", "new\n");
    let lock = world.app().join(".git/index.lock");
    std::fs::write(&lock, "").expect("written");
    // The first rejected attempt shows that it waits.
    let refused = world.path("refused");
    let script = std::fs::read_to_string(world.path("bin/git")).expect("a script");
    let note = format!(
        "case \" $* \" in *' add '*) : > {} ;; esac\n",
        refused.display()
    );
    let body = script.strip_prefix("#!/bin/sh\n").expect("a script");
    world.program("git", &format!("{note}{body}"));
    std::thread::scope(|scope| {
        let staging = scope.spawn(|| world.fire(STAGE, world.wrote("src/a.rs")));
        wait_for("the refusal", || refused.exists());
        std::fs::remove_file(&lock).expect("removed");
        assert_eq!(staging.join().expect("no panic"), HookOutcome::none());
    });
    assert_eq!(staged(&world), ["src/a.rs"]);
}

#[test]
fn stale_index_lock_is_reported_and_never_removed() {
    let world = committed();
    world.write("src/a.rs", "new\n");
    let lock = world.app().join(".git/index.lock");
    std::fs::write(&lock, "").expect("written");
    let outcome = world.fire(
        &format!("{STAGE}\ntimeout = '700ms'"),
        world.wrote("src/a.rs"),
    );
    let why = failure(&outcome);
    assert!(why.contains("index.lock") || why.contains("700ms"), "{why}");
    assert!(lock.exists());
}

#[test]
fn repository_configuration_cannot_run_programs() {
    let world = committed();
    let ran = world.path("ran");
    let script = format!(": > {}", ran.display());
    write_script(&world.app().join("monitor"), &script);
    write_script(&world.app().join(".git/hooks/post-index-change"), &script);
    let monitor = world.app().join("monitor").to_string_lossy().into_owned();
    world.git(&["config", "core.fsmonitor", &monitor]);
    world.write("src/a.rs", "new\n");
    world.fire(STAGE, world.wrote("src/a.rs"));
    assert!(!ran.exists());
    // A program named git inside the project must not run.
    let mut world = World::new();
    write_script(&world.app().join("bin/git"), &script);
    world.set("PATH", &world.app().join("bin").to_string_lossy());
    let outcome = world.fire(STAGE, world.wrote("x.rs"));
    assert_eq!(
        failure(&outcome),
        "hook `git-auto-stage` failed: git is not on the PATH"
    );
    assert!(!ran.exists());
}

#[test]
fn repository_filters_need_trust_except_git_lfs() {
    let mut world = committed();
    let ran = world.path("ran");
    let filter = format!(": > {}; /bin/cat", ran.display());
    world.git(&["config", "filter.evil.clean", &filter]);
    world.write(".git/info/attributes", "*.rs filter=evil\n");
    world.write("src/a.rs", "new\n");
    let outcome = world.fire(STAGE, world.wrote("src/a.rs"));
    assert!(failure(&outcome).contains("not trusted"), "{outcome:?}");
    let again = world.fire(STAGE, world.wrote("src/a.rs"));
    assert_eq!(again, HookOutcome::none(), "it is said once");
    assert!(!ran.exists());
    world.git(&["config", "filter.evil.clean", "git-lfs clean -- %f"]);
    world.program("git-lfs", &filter);
    world.fire(STAGE, world.wrote("src/a.rs"));
    assert!(ran.exists());
    std::fs::remove_file(&ran).expect("removed");
    world.git(&["config", "filter.evil.clean", &filter]);
    world.deps.trusted = std::sync::Arc::new(|_| true);
    world.write("src/a.rs", "newer\n");
    let outcome = world.fire(STAGE, world.wrote("src/a.rs"));
    assert_eq!(outcome, HookOutcome::none());
    assert!(ran.exists());
}

#[test]
fn nothing_is_left_running_when_git_hangs() {
    let world = committed();
    world.program("git", "exec /bin/sleep 600");
    let event: Event = world.wrote("src/a.rs");
    let started = std::time::Instant::now();
    let outcome = world.fire(&format!("{STAGE}\ntimeout = '300ms'"), event);
    assert_eq!(
        failure(&outcome),
        "hook `git-auto-stage` did not finish within 300ms"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}
