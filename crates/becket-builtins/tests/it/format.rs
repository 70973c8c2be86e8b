//! `auto-format`, with the real rustfmt and with small scripts as formatters.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::time::Duration;

use becket_model::{EventData, HookOutcome, Level, ToolCall};
use becket_testkit::write_script;
use serde_json::{Value, json};

use crate::world::{World, failure, os};

const FORMAT: &str = "use = 'auto-format'";
const UGLY: &str = "fn  main( ) { let  x=1 ; }\n";
const PRETTY: &str = "fn main() {\n    let x = 1;\n}\n";

fn rust() -> World {
    let mut world = World::new();
    let path = std::env::var("PATH").expect("a PATH");
    world.set("PATH", &path);
    // rustup finds its toolchains through the real home directory.
    world.set("HOME", &std::env::var("HOME").expect("a HOME"));
    world.write(
        "Cargo.toml",
        "[package]\nname = \"x\"\nedition = \"2024\"\n",
    );
    world
}

fn context(outcome: &HookOutcome) -> &str {
    assert_eq!(outcome.failure, None);
    outcome.context.as_deref().unwrap_or_default()
}

/// A project with a fake prettier that prints upper case.
fn prettier() -> World {
    let world = World::new();
    world.write(
        "package.json",
        r#"{ "devDependencies": { "prettier": "3" } }"#,
    );
    write_script(
        &world.app().join("node_modules/.bin/prettier"),
        "exec /usr/bin/tr a-z A-Z",
    );
    world
}

#[test]
fn unformatted_file_is_formatted_and_reported() {
    let world = rust();
    world.write("src/main.rs", UGLY);
    let outcome = world.fire(FORMAT, world.wrote("src/main.rs"));
    assert_eq!(
        context(&outcome),
        "`src/main.rs` was reformatted by rustfmt; read it again before editing it."
    );
    assert_eq!(world.read("src/main.rs"), PRETTY);
    assert_eq!(
        world.fire(FORMAT, world.wrote("src/main.rs")),
        HookOutcome::none(),
        "nothing changed"
    );
}

#[test]
fn only_the_changed_file_is_formatted_and_not_its_modules() {
    let world = rust();
    world.write("src/main.rs", &format!("mod  other ;\n{UGLY}"));
    world.write("src/other.rs", UGLY);
    context(&world.fire(FORMAT, world.wrote("src/main.rs")));
    assert_eq!(world.read("src/main.rs"), format!("mod other;\n{PRETTY}"));
    assert_eq!(world.read("src/other.rs"), UGLY);
}

#[test]
fn project_configuration_and_edition_are_used() {
    let world = rust();
    world.write("rustfmt.toml", "tab_spaces = 2\n");
    // `gen` is a name in 2021 and a keyword in 2024.
    world.write(
        "old/Cargo.toml",
        "[package]\nname = \"old\"\nedition = \"2021\"\n",
    );
    let source = "fn  gen( ) { let  x=1 ; }\n";
    world.write("old/src/lib.rs", source);
    context(&world.fire(FORMAT, world.wrote("old/src/lib.rs")));
    assert_eq!(
        world.read("old/src/lib.rs"),
        "fn gen() {\n  let x = 1;\n}\n"
    );
    world.write("src/lib.rs", source);
    let outcome = world.fire(FORMAT, world.wrote("src/lib.rs"));
    let why = failure(&outcome);
    assert!(
        why.starts_with("hook `auto-format` failed: rustfmt could not format `src/lib.rs`: error"),
        "{why}"
    );
    assert_eq!(world.read("src/lib.rs"), source);
    assert!(!outcome.verdict.blocks());
}

#[test]
fn a_version_manager_is_started_outside_an_untrusted_project() {
    // Like rustup, asdf and others: a file in this directory or above names the program to run.
    let follows = "dir=$PWD\nwhile [ \"$dir\" ]; do [ -f \"$dir/tool-versions\" ] && echo evil; dir=${dir%/*}; done\nexec /bin/cat";
    for (trusted, expected) in [(false, "text\n"), (true, "evil\ntext\n")] {
        let mut world = World::new();
        world.deps.trusted = Arc::new(move |_| trusted);
        world.write("tool-versions", "evil");
        world.write("sub/.clang-format", "");
        world.write("sub/a.c", "text\n");
        world.program("clang-format", follows);
        context(&world.fire(FORMAT, world.wrote("sub/a.c")));
        assert_eq!(world.read("sub/a.c"), expected);
    }
}

#[test]
fn every_file_change_event_formats() {
    let world = rust();
    for name in ["a.rs", "b.rs", "c.rs"] {
        world.write(name, UGLY);
    }
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** Delete File: gone.rs\n*** End Patch";
    let data = EventData::PostToolUse {
        call: ToolCall::new("apply_patch", json!({ "command": patch })),
        response: Value::Null,
        duration_ms: None,
    };
    let outcome = world.fire(FORMAT, world.event(data));
    assert_eq!(context(&outcome).lines().count(), 2);
    let data = EventData::FileModified {
        path: "c.rs".into(),
        change: None,
    };
    world.fire(FORMAT, world.event(data));
    for name in ["a.rs", "b.rs", "c.rs"] {
        assert_eq!(world.read(name), PRETTY, "{name}");
    }
}

#[test]
fn links_out_of_the_project_are_not_formatted() {
    let world = rust();
    let outside = world.path("outside");
    std::fs::create_dir(&outside).expect("created");
    std::fs::write(outside.join("x.rs"), UGLY).expect("written");
    std::fs::write(outside.join("Cargo.toml"), "").expect("written");
    symlink(outside.join("x.rs"), world.app().join("link.rs")).expect("linked");
    symlink(&outside, world.app().join("dir")).expect("linked");
    let absolute = outside.join("x.rs").to_string_lossy().into_owned();
    for path in ["link.rs", "dir/x.rs", "../outside/x.rs", absolute.as_str()] {
        assert_eq!(
            world.fire(FORMAT, world.wrote(path)),
            HookOutcome::none(),
            "{path}"
        );
    }
    // A formatter that writes files itself is not started.
    let command = "['sed', '-i', '--follow-symlinks', 's/main/evil/']";
    let entry = format!("{FORMAT}\noptions = {{ formatters = {{ '*.rs' = {command} }} }}");
    assert_eq!(
        world.fire(&entry, world.wrote("link.rs")),
        HookOutcome::none()
    );
    assert_eq!(
        std::fs::read_to_string(outside.join("x.rs")).expect("read"),
        UGLY
    );
}

#[test]
fn odd_names_and_odd_files_are_safe() {
    let world = rust();
    for name in ["--check.rs", "a b.rs", "a\nb`c.rs", "ü.rs"] {
        world.write(name, UGLY);
        let absolute = world.app().join(name).to_string_lossy().into_owned();
        let outcome = world.fire(FORMAT, world.wrote(&absolute));
        assert_eq!(context(&outcome).lines().count(), 1, "{outcome:?}");
        assert_eq!(world.read(name), PRETTY, "{name}");
    }
    world.write("binary.rs", "\0\u{1}");
    world.write("empty.rs", "");
    std::fs::create_dir(world.app().join("dir.rs")).expect("created");
    let pipe = world.app().join("pipe.rs");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    for name in ["binary.rs", "empty.rs", "dir.rs", "pipe.rs", "gone.rs"] {
        assert_eq!(
            world.fire(FORMAT, world.wrote(name)),
            HookOutcome::none(),
            "{name}"
        );
    }
}

#[test]
fn formatting_keeps_inode_and_permissions() {
    use std::os::unix::fs::MetadataExt;
    let world = rust();
    let file = world.write("src/main.rs", UGLY);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).expect("set");
    let before = std::fs::metadata(&file).expect("there");
    context(&world.fire(FORMAT, world.wrote("src/main.rs")));
    let after = std::fs::metadata(&file).expect("there");
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
}

#[test]
fn untrusted_project_code_does_not_run_and_is_reported_once() {
    let world = prettier();
    world.write("a.ts", "let a\n");
    let outcome = world.fire(FORMAT, world.wrote("a.ts"));
    assert_eq!(
        outcome.system_message.as_deref(),
        Some(
            "auto-format: prettier is code of this project and does not run in an untrusted project; run `becket trust` or set `project_tools = true`"
        )
    );
    assert_eq!(world.fire(FORMAT, world.wrote("a.ts")), HookOutcome::none());
    assert_eq!(world.read("a.ts"), "let a\n");
}

#[test]
fn trusted_project_code_runs() {
    let told = "`a.ts` was reformatted by prettier; read it again before editing it.";
    let always = format!("{FORMAT}\noptions = {{ project_tools = true }}");
    let never = format!("{FORMAT}\noptions = {{ project_tools = false }}");
    for (entry, trusted, level, runs) in [
        (FORMAT, false, Level::User, false),
        (FORMAT, true, Level::User, true),
        (FORMAT, false, Level::Project, true),
        (&always, false, Level::User, true),
        (&never, true, Level::User, false),
    ] {
        let mut world = prettier();
        let app = world.app();
        world.deps.trusted = Arc::new(move |project| trusted && project == app);
        world.level = level;
        world.write("a.ts", "let a\n");
        let outcome = world.fire(entry, world.wrote("a.ts"));
        assert_eq!(
            context(&outcome) == told,
            runs,
            "{entry} {trusted} {level:?}"
        );
        assert_eq!(world.read("a.ts") == "LET A\n", runs);
    }
}

#[test]
fn project_program_on_the_path_counts_as_project_code() {
    let mut world = World::new();
    world.write(".clang-format", "BasedOnStyle: LLVM\n");
    world.write("a.c", "int a;\n");
    write_script(
        &world.app().join("tools/clang-format"),
        "exec /usr/bin/tr a-z A-Z",
    );
    world.set("PATH", &world.app().join("tools").to_string_lossy());
    let outcome = world.fire(FORMAT, world.wrote("a.c"));
    assert!(
        outcome
            .system_message
            .is_some_and(|said| said.contains("clang-format is code"))
    );
    assert_eq!(world.read("a.c"), "int a;\n");
    // A relative entry of the PATH is ignored.
    world.set("PATH", "tools:.");
    assert_eq!(world.fire(FORMAT, world.wrote("a.c")), HookOutcome::none());
}

#[test]
fn each_formatter_is_detected_and_gets_its_arguments() {
    for (tool, sign, text, file, expected) in [
        ("gofmt", "go.mod", "module x", "a.go", ""),
        (
            "black",
            "pyproject.toml",
            "[tool.black]\n",
            "a.py",
            "--quiet\n--stdin-filename=FILE\n-",
        ),
        (
            "ruff",
            "pyproject.toml",
            "[tool.ruff.format]\n",
            "a.py",
            "format\n--quiet\n--no-cache\n--stdin-filename=FILE\n-",
        ),
        (
            "clang-format",
            ".clang-format",
            "",
            "a.cpp",
            "--style=file\n--assume-filename=FILE",
        ),
        (
            "shfmt",
            ".editorconfig",
            "[*.sh]\n",
            "-a.sh",
            "--filename\nFILE",
        ),
        ("terraform", "main.tf", "", "main.tf", "fmt\n-no-color\n-"),
        ("tofu", "main.tf", "", "main.tf", "fmt\n-no-color\n-"),
        (
            "dart",
            "pubspec.yaml",
            "",
            "a.dart",
            "format\n--stdin-name=FILE",
        ),
        ("zig", "build.zig", "", "a.zig", "fmt\n--stdin"),
        (
            "swift-format",
            ".swift-format",
            "{}",
            "a.swift",
            "format\n--assume-filename\nFILE",
        ),
        (
            "ktlint",
            ".editorconfig",
            "ktlint_code_style = official\n",
            "a.kt",
            "--format\n--log-level=none\nFILE",
        ),
        (
            "mix",
            ".formatter.exs",
            "[]",
            "a.ex",
            "format\n--stdin-filename\nFILE\n-",
        ),
        ("goimports", "go.mod", "module x", "a.go", "-srcdir\nFILE"),
        (
            "php-cs-fixer",
            ".php-cs-fixer.php",
            "",
            "a.php",
            "fix\n--quiet\n--no-interaction\n--path-mode=intersection\n--\nFILE",
        ),
        (
            "rubocop",
            ".rubocop.yml",
            "",
            "a.rb",
            "--fix-layout\n--force-exclusion\n--format=quiet\n--\nFILE",
        ),
    ] {
        let world = World::new();
        let seen = world.path("seen");
        world.write(sign, text);
        world.write(file, "some text\n");
        let note = crate::world::noting(&seen);
        world.program(tool, &format!("{note}\n/usr/bin/tr a-z A-Z"));
        let entry = format!("{FORMAT}\noptions = {{ project_tools = true }}");
        let outcome = world.fire(&entry, world.wrote(file));
        let said = std::fs::read_to_string(&seen).unwrap_or_else(|_| panic!("{tool}: {outcome:?}"));
        let said: Vec<&str> = said.lines().skip(1).collect();
        let path = world.app().canonicalize().expect("a real path").join(file);
        assert_eq!(
            os(&said.join("\n")),
            os(&expected.replace("FILE", &path.to_string_lossy())),
            "{tool}"
        );
        if !["ktlint", "php-cs-fixer", "rubocop"].contains(&tool) {
            assert_eq!(world.read(file), "SOME TEXT\n", "{tool}");
        }
    }
}

#[test]
fn pattern_reading_formatter_gets_no_glob_like_name() {
    let world = World::new();
    let seen = world.path("seen");
    world.write(".editorconfig", "ktlint_code_style = official\n");
    world.write("src/*.kt", "val a = 1\n");
    world.program("ktlint", &crate::world::noting(&seen));
    assert_eq!(
        world.fire(FORMAT, world.wrote("src/*.kt")),
        HookOutcome::none()
    );
    assert!(!seen.exists());
}

#[test]
fn unconfigured_project_is_not_formatted() {
    let world = World::new();
    for tool in [
        "ruff",
        "black",
        "clang-format",
        "gofmt",
        "shfmt",
        "prettier",
    ] {
        world.program(tool, "exec /usr/bin/tr a-z A-Z");
    }
    // The section of a linter does not enable the formatter.
    world.write("pyproject.toml", "[tool.ruff.lint]\nselect = []\n");
    for name in ["a.py", "a.c", "a.go", "a.sh", "a.ts", "a.md"] {
        world.write(name, "text\n");
        assert_eq!(
            world.fire(FORMAT, world.wrote(name)),
            HookOutcome::none(),
            "{name}"
        );
        assert_eq!(world.read(name), "text\n");
    }
}

#[test]
fn prettier_comes_before_eslint_and_eslint_before_biome() {
    let mut world = World::new();
    world.deps.trusted = Arc::new(|_| true);
    world.write(
        "package.json",
        r#"{ "devDependencies": { "prettier": "3" } }"#,
    );
    world.write("eslint.config.js", "");
    world.write("biome.json", "{}");
    let bin = world.app().join("node_modules/.bin");
    write_script(&bin.join("prettier"), "/bin/cat; echo prettier");
    write_script(
        &bin.join("eslint"),
        "for last; do :; done; echo eslint >> \"$last\"; exit 1",
    );
    write_script(&bin.join("biome"), "/bin/cat; echo biome");
    for expected in ["prettier", "eslint", "biome"] {
        world.write("packages/a/x.ts", "//\n");
        let outcome = world.fire(FORMAT, world.wrote("packages/a/x.ts"));
        assert!(context(&outcome).contains(expected), "{outcome:?}");
        assert_eq!(world.read("packages/a/x.ts"), format!("//\n{expected}\n"));
        std::fs::remove_file(bin.join(expected)).expect("removed");
    }
    let outcome = world.fire(FORMAT, world.wrote("packages/a/x.ts"));
    assert_eq!(outcome, HookOutcome::none());
}

#[test]
fn failed_formatter_leaves_the_file_unchanged() {
    let mut world = World::new();
    world.deps.trusted = Arc::new(|_| true);
    world.write(".clang-format", "");
    for (script, expected) in [
        (
            "echo half; echo 'a.c:1: bad' >&2; exit 1",
            "clang-format could not format `a.c`: a.c:1: bad",
        ),
        ("exit 0", "clang-format returned an empty result for `a.c`"),
        (
            "kill -9 $$",
            "clang-format could not format `a.c`: no reason given",
        ),
    ] {
        world.write("a.c", "int a;\n");
        world.program("clang-format", script);
        let outcome = world.fire(FORMAT, world.wrote("a.c"));
        assert_eq!(
            failure(&outcome),
            format!("hook `auto-format` failed: {expected}")
        );
        assert_eq!(world.read("a.c"), "int a;\n");
    }
}

#[test]
fn hanging_formatter_stops_at_the_deadline() {
    let world = World::new();
    world.write(".clang-format", "");
    world.write("a.c", "int a;\n");
    world.program("clang-format", "exec /bin/sleep 600");
    let started = std::time::Instant::now();
    let outcome = world.fire(&format!("{FORMAT}\ntimeout = '300ms'"), world.wrote("a.c"));
    assert_eq!(
        failure(&outcome),
        "hook `auto-format` did not finish within 300ms"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(world.read("a.c"), "int a;\n");
}

#[test]
fn concurrent_edits_are_not_overwritten() {
    let world = World::new();
    world.write(".clang-format", "");
    let file = world.write("a.c", "int a;\n");
    world.program(
        "clang-format",
        &format!("/bin/cat; echo x; echo newer > {}", file.display()),
    );
    assert_eq!(world.fire(FORMAT, world.wrote("a.c")), HookOutcome::none());
    assert_eq!(world.read("a.c"), "newer\n");
}

#[test]
fn formatters_may_be_chosen_by_glob() {
    let world = World::new();
    let seen = world.path("seen");
    world.write(".clang-format", "");
    world.program("clang-format", "exec /usr/bin/tr a-z A-Z");
    world.program("mine", &crate::world::noting(&seen));
    let entry = format!(
        "{FORMAT}\noptions = {{ formatters = {{ 'gen/**' = 'none', '*.zzz' = ['mine', '--in={{file}}'], '*.inc' = 'clang-format' }}, skip = ['old/*'] }}"
    );
    for (name, expected) in [
        ("gen/a.c", "text\n"),
        ("old/a.c", "text\n"),
        ("src/a.inc", "TEXT\n"),
        ("src/a.c", "TEXT\n"),
    ] {
        world.write(name, "text\n");
        world.fire(&entry, world.wrote(name));
        assert_eq!(world.read(name), expected, "{name}");
    }
    world.write("deep/a.zzz", "text\n");
    world.fire(&entry, world.wrote("deep/a.zzz"));
    let path = world
        .app()
        .canonicalize()
        .expect("a real path")
        .join("deep/a.zzz");
    let said = std::fs::read_to_string(seen).expect("it ran");
    assert_eq!(
        said.lines().nth(1),
        Some(&*format!("--in={}", path.display()))
    );
    // A command inside the project is project code.
    let ran = world.path("ran");
    write_script(
        &world.app().join("fmt.sh"),
        &format!(": > {}", ran.display()),
    );
    let entry = format!("{FORMAT}\noptions = {{ formatters = {{ '*.c' = ['./fmt.sh'] }} }}");
    let outcome = world.fire(&entry, world.wrote("src/a.c"));
    assert!(
        outcome
            .system_message
            .is_some_and(|said| said.contains("./fmt.sh is code of this project"))
    );
    assert!(!ran.exists());
}
