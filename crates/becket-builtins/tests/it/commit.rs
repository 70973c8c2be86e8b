//! `smart-commit`, with a real git.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_builtins::{MessageRequest, MessageWriter};
use becket_model::{HookOutcome, Level};
use becket_testkit::write_script;

use crate::world::{World, failure};

const COMMIT: &str = "use = 'smart-commit'";

fn committed() -> World {
    let world = World::with_git();
    world.write("src/date.rs", "fn today() {}\n");
    world.git(&["add", "."]);
    world.git(&["commit", "--quiet", "-m", "first"]);
    world
}

/// Sets the modification time of a file, to the second.
fn date(file: &std::path::Path) {
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let file = std::fs::File::options().write(true).open(file);
    file.expect("it is there")
        .set_modified(then)
        .expect("dated");
}

#[test]
fn change_within_the_same_second_is_committed() {
    let world = World::with_git();
    // The change time cannot be set.
    world.git(&["config", "core.trustctime", "false"]);
    date(&world.write("src/date.rs", "fn today() {}\n"));
    world.git(&["add", "."]);
    world.git(&["commit", "--quiet", "-m", "first"]);
    date(&world.app().join(".git/index"));
    date(&world.write("src/date.rs", "fn to_do() {}\n"));
    said(&world.fire(COMMIT, world.stop()));
    assert_eq!(world.git(&["show", "HEAD:src/date.rs"]), "fn to_do() {}");
}

fn log(world: &World) -> Vec<String> {
    let subjects = world.git(&["log", "--format=%s"]);
    subjects.lines().map(str::to_owned).collect()
}

fn said(outcome: &HookOutcome) -> &str {
    assert_eq!(outcome.failure, None);
    outcome.system_message.as_deref().unwrap_or_default()
}

fn entry(options: &str) -> String {
    format!("{COMMIT}\noptions = {{ {options} }}")
}

#[test]
fn change_is_committed_with_a_generated_message() {
    let world = committed();
    world.write("src/date.rs", "fn today() {}\npub fn tomorrow() {}\n");
    world.write("src/new.rs", "");
    let outcome = world.fire(COMMIT, world.stop());
    let id = world.git(&["rev-parse", "--short", "HEAD"]);
    assert_eq!(
        said(&outcome),
        format!(
            "smart-commit committed {id} on work: feat: add tomorrow to date.rs (1 new file not included)"
        )
    );
    assert_eq!(log(&world), ["feat: add tomorrow to date.rs", "first"]);
    assert_eq!(
        world.git(&["log", "-1", "--format=%b"]),
        "M src/date.rs (+1 -0)"
    );
    assert_eq!(
        world.git(&["log", "-1", "--format=%an <%ae>"]),
        "Test <test@example.org>"
    );
    assert_eq!(world.git(&["status", "--porcelain"]), "?? src/new.rs");
}

#[test]
fn clean_tree_is_silent() {
    let world = committed();
    world.write("untracked.rs", "x");
    assert_eq!(world.fire(COMMIT, world.stop()), HookOutcome::none());
    let nowhere = {
        let mut world = World::new();
        world.link("git");
        world.set("GIT_CEILING_DIRECTORIES", &world.path("").to_string_lossy());
        world
    };
    assert_eq!(nowhere.fire(COMMIT, nowhere.stop()), HookOutcome::none());
}

#[test]
fn stage_option_selects_the_files() {
    for (stage, expected) in [
        ("tracked", "src/date.rs src/staged.rs"),
        ("all", "a b\nc.rs src/date.rs src/staged.rs"),
        ("none", "src/staged.rs"),
    ] {
        let world = committed();
        world.write("src/staged.rs", "x\n");
        world.git(&["add", "src/staged.rs"]);
        world.write("src/date.rs", "changed\n");
        world.write("a b\nc.rs", "x\n");
        world.write(".env", "x\n");
        said(&world.fire(&entry(&format!("stage = '{stage}'")), world.stop()));
        let names = world.git(&["diff", "--name-only", "-z", "HEAD~1", "HEAD"]);
        let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
        assert_eq!(names.join(" "), expected, "{stage}");
    }
}

#[test]
fn the_first_commit_of_a_repository_is_possible() {
    let world = World::with_git();
    world.write("README.md", "hello\n");
    let outcome = world.fire(&entry("stage = 'all'"), world.stop());
    assert!(
        said(&outcome).ends_with("on work: docs: add README.md"),
        "{outcome:?}"
    );
}

#[test]
fn protected_branch_is_skipped_and_reported_once() {
    for (branch, options, is_protected) in [
        ("main", "", true),
        ("master", "", true),
        ("develop", "", true),
        ("release/1.2", "", true),
        ("feature/main", "", false),
        ("main", "protected = ['prod']", false),
        ("prod", "protected = ['prod']", true),
    ] {
        let world = committed();
        world.git(&["checkout", "--quiet", "-b", branch]);
        world.write("src/date.rs", "changed\n");
        let outcome = world.fire(&entry(options), world.stop());
        let expected =
            format!("smart-commit cannot commit here: the branch `{branch}` is protected");
        assert_eq!(
            said(&outcome) == expected,
            is_protected,
            "{branch}: {outcome:?}"
        );
        assert_eq!(
            log(&world).len(),
            if is_protected { 1 } else { 2 },
            "{branch}"
        );
        assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
        assert_eq!(
            world.fire(&entry(options), world.stop()),
            HookOutcome::none()
        );
    }
}

#[test]
fn a_detached_head_and_a_merge_are_left_alone() {
    let world = committed();
    world.git(&["checkout", "--quiet", "--detach"]);
    world.write("src/date.rs", "changed\n");
    let outcome = world.fire(COMMIT, world.stop());
    assert_eq!(
        said(&outcome),
        "smart-commit cannot commit here: no branch is checked out"
    );
    for (file, name) in [
        ("MERGE_HEAD", "a merge"),
        ("rebase-merge", "a rebase"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ] {
        let world = committed();
        world.write("src/date.rs", "changed\n");
        let head = world.git(&["rev-parse", "HEAD"]);
        std::fs::write(world.app().join(".git").join(file), head).expect("written");
        let outcome = world.fire(COMMIT, world.stop());
        assert_eq!(
            said(&outcome),
            format!("smart-commit cannot commit here: {name} is in progress")
        );
        assert_eq!(log(&world).len(), 1);
    }
}

#[test]
fn secrets_are_not_committed_and_the_index_is_unchanged() {
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let world = committed();
    world.write("src/date.rs", &format!("let token = \"{token}\";\n"));
    world.write("tls/server.pem", "hello\n");
    world.git(&["add", "tls/server.pem"]);
    let outcome = world.fire(COMMIT, world.stop());
    assert_eq!(
        said(&outcome),
        "smart-commit did not commit: found secrets in `src/date.rs` (github-token), `tls/server.pem` (file name)"
    );
    assert_eq!(log(&world), ["first"]);
    assert_eq!(
        world.git(&["diff", "--cached", "--name-only"]),
        "tls/server.pem"
    );
    let outcome = world.fire(&entry("secrets_ignore = ['src/*', 'tls/*']"), world.stop());
    assert!(
        said(&outcome).starts_with("smart-commit committed"),
        "{outcome:?}"
    );
    let left: Vec<_> = std::fs::read_dir(world.path("state/builtins"))
        .expect("a directory")
        .collect();
    let marks = |name: &str| name.starts_with("told-");
    for entry in left {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        assert!(marks(&name), "{name} is left behind");
    }
}

#[test]
fn a_secret_is_found_beyond_the_first_mebibyte_and_a_removed_one_does_not_matter() {
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let world = committed();
    let long = "0123456789 abcdefgh\n".repeat(120_000);
    world.write("src/date.rs", &format!("{long}let x = \"{token}\";\n"));
    let outcome = world.fire(COMMIT, world.stop());
    assert!(
        said(&outcome).contains("`src/date.rs` (github-token)"),
        "{outcome:?}"
    );
    let world = World::with_git();
    world.write("a.rs", &format!("let x = \"{token}\";\n"));
    world.git(&["add", "."]);
    world.git(&["commit", "--quiet", "-m", "first"]);
    world.write("a.rs", "let x = env();\n");
    assert!(said(&world.fire(COMMIT, world.stop())).contains("committed"));
}

#[test]
fn failed_checks_prevent_the_commit_and_output_is_redacted() {
    let mut world = committed();
    world.deps.trusted = Arc::new(|_| true);
    world.write("src/date.rs", "changed\n");
    let failing = entry(
        "lint = 'echo fine', test = 'echo 1 test failed; echo ghp_0123456789abcdefghijABCDEFGHIJ456789 >&2; exit 3'",
    );
    let outcome = world.fire(&failing, world.stop());
    let text = said(&outcome);
    assert!(
        text.starts_with("smart-commit did not commit: 'test' failed\n")
            || text.starts_with("smart-commit did not commit: `test` failed\n1 test failed\n"),
        "{text}"
    );
    assert!(!text.contains("ghp_"), "{text}");
    assert_eq!(log(&world).len(), 1);
    // Changes by a linter are part of the commit.
    let fixing = entry("lint = 'echo fixed > src/date.rs', test = 'test -f src/date.rs'");
    said(&world.fire(&fixing, world.stop()));
    assert_eq!(world.git(&["show", "HEAD:src/date.rs"]), "fixed");
}

#[test]
fn checks_need_a_trusted_project() {
    let mut world = committed();
    world.write("src/date.rs", "changed\n");
    let ran = world.path("ran");
    let line = format!("test = 'echo > {}'", ran.display());
    let outcome = world.fire(&entry(&line), world.stop());
    assert!(said(&outcome).contains("not trusted"), "{outcome:?}");
    assert!(!ran.exists());
    assert_eq!(log(&world).len(), 1);
    world.fire(
        &entry(&format!("{line}, project_tools = true")),
        world.stop(),
    );
    assert!(ran.exists());
    std::fs::remove_file(&ran).expect("removed");
    // A hook of the project runs only if the project is trusted.
    world.level = Level::Project;
    world.write("src/date.rs", "changed again\n");
    world.fire(&entry(&line), world.stop());
    assert!(ran.exists());
}

type Prepare = fn(&World, &str);

/// Four ways for a repository to make git run a program.
const PREPARE: [Prepare; 4] = [
    |world, script| write_script(&world.app().join(".git/hooks/pre-commit"), script),
    |world, script| {
        write_script(&world.app().join(".husky/commit-msg"), script);
        world.git(&["config", "core.hooksPath", ".husky"]);
    },
    |world, script| {
        world.git(&["config", "filter.evil.clean", script]);
        world.write(".git/info/attributes", "*.rs filter=evil\n");
    },
    |world, script| {
        write_script(&world.app().join(".git/signer"), script);
        world.git(&["config", "gpg.program", ".git/signer"]);
        world.git(&["config", "commit.gpgSign", "true"]);
    },
];

#[test]
fn repository_programs_need_trust() {
    for prepare in PREPARE {
        let world = committed();
        let ran = world.path("ran");
        prepare(&world, &format!(": > {}; /bin/cat", ran.display()));
        // Same length as before: git has to read the file to see the change.
        world.write("src/date.rs", "fn to_do() {}\n");
        let outcome = world.fire(COMMIT, world.stop());
        let why = "code of this project, which is not trusted";
        assert!(said(&outcome).contains(why), "{outcome:?}");
        assert!(!ran.exists());
        assert_eq!(log(&world), ["first"]);
        let outcome = world.fire(&entry("project_tools = true"), world.stop());
        assert!(ran.exists(), "{outcome:?}");
    }
}

#[test]
fn user_git_hooks_run() {
    let mut world = committed();
    world.deps.trusted = Arc::new(|_| true);
    write_script(
        &world.app().join(".git/hooks/pre-commit"),
        "echo 'not today' >&2; exit 1",
    );
    world.write("src/date.rs", "changed\n");
    let outcome = world.fire(COMMIT, world.stop());
    assert_eq!(
        said(&outcome),
        "smart-commit did not commit: git or one of its hooks failed\nnot today"
    );
    assert_eq!(log(&world).len(), 1);
}

#[test]
fn hanging_hook_or_check_stops_at_the_deadline() {
    let mut world = committed();
    world.deps.trusted = Arc::new(|_| true);
    write_script(
        &world.app().join(".git/hooks/pre-commit"),
        "exec /bin/sleep 600",
    );
    world.write("src/date.rs", "changed\n");
    let started = std::time::Instant::now();
    let outcome = world.fire(&format!("{COMMIT}\ntimeout = '3s'"), world.stop());
    assert_eq!(
        failure(&outcome),
        "hook `smart-commit` did not finish within 3s"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn default_timeout_is_long_enough_for_tests() {
    let world = World::new();
    let spec = world.specs(COMMIT).remove(0);
    assert!(
        spec.timeout >= Duration::from_secs(300),
        "five seconds would end every test suite"
    );
}

struct Scribe {
    answer: Result<String, String>,
    asked: Mutex<Vec<MessageRequest>>,
}

impl MessageWriter for Scribe {
    fn write(&self, request: &MessageRequest, timeout: Duration) -> Result<String, String> {
        assert!(!timeout.is_zero());
        self.asked.lock().expect("unpoisoned").push(request.clone());
        self.answer.clone()
    }
}

#[test]
fn message_writer_is_used_with_a_fallback() {
    for (answer, expected) in [
        (
            Ok("```\nfix(date): know today\n\nIt did not.\n```".to_owned()),
            "fix(date): know today",
        ),
        (Ok("  ".to_owned()), "chore: update date.rs"),
        (Err("no model".to_owned()), "chore: update date.rs"),
    ] {
        let mut world = committed();
        let scribe = Arc::new(Scribe {
            answer,
            asked: Mutex::default(),
        });
        world.deps.writer = Some(Arc::clone(&scribe) as Arc<dyn MessageWriter>);
        world.write("src/date.rs", "const T: u8 = 1;\n");
        said(&world.fire(&entry("message_prefix = '[bot] '"), world.stop()));
        assert_eq!(log(&world)[0], format!("[bot] {expected}"));
        let asked = scribe.asked.lock().expect("unpoisoned");
        assert_eq!(asked[0].branch, "work");
        assert_eq!(
            asked[0].diff,
            "--- src/date.rs\n-fn today() {}\n+const T: u8 = 1;\n"
        );
    }
}

#[test]
fn message_writer_gets_a_redacted_diff() {
    let mut world = committed();
    let scribe = Arc::new(Scribe {
        answer: Ok("fix: x".into()),
        asked: Mutex::default(),
    });
    world.deps.writer = Some(Arc::clone(&scribe) as Arc<dyn MessageWriter>);
    world.write(
        "src/date.rs",
        "let t = \"ghp_0123456789abcdefghijABCDEFGHIJ456789\";\n",
    );
    said(&world.fire(&entry("secrets_ignore = ['src/*']"), world.stop()));
    let asked = scribe.asked.lock().expect("unpoisoned");
    assert!(asked[0].diff.contains("[redacted:") && !asked[0].diff.contains("ghp_"));
}

#[test]
fn user_diff_configuration_is_ignored() {
    let world = committed();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
        ("diff.external", "false"),
        ("core.quotePath", "true"),
        ("diff.renames", "copies"),
    ] {
        world.git(&["config", key, value]);
    }
    world.git(&["mv", "src/date.rs", "src/däte.rs"]);
    said(&world.fire(COMMIT, world.stop()));
    assert_eq!(log(&world)[0], "refactor: rename date.rs to däte.rs");
}
