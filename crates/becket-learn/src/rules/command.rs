//! Classifies shell commands by purpose.

use becket_guard::{Invocation, NoFacts, RunLocation, analyze};

use crate::text::plain_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandPurpose {
    Test,
    Build,
    Lint,
    Format,
    Install,
}

/// A command with its purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandTask {
    /// `cargo test`, `npm run build`, `pytest`.
    pub(super) name: String,
    pub(super) program: String,
    pub(super) purpose: Option<CommandPurpose>,
    /// The command line for display; `None` if it is too long.
    pub(super) shown: Option<String>,
}

/// Longer commands are not useful as advice.
const MAX_SHOWN_CHARS: usize = 120;

/// Programs that prepare another command or filter its output.
const SETUP_PROGRAMS: &[&str] = &[
    "", "cd", "pushd", "popd", "export", "set", "source", ".", "echo", "printf", "true", "sleep",
    "env", "sudo", "time", "timeout", "nice", "nohup", "xargs", "tail", "head", "grep", "rg",
    "tee", "wc", "sort", "cat", "mkdir", "sed", "awk", "cut", "bash", "sh", "zsh", "test", "[",
    "exit",
];

/// Programs whose failures teach nothing.
const IGNORED_PROGRAMS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "egrep", "rg", "ag", "find", "fd", "which", "type",
    "command", "stat", "file", "test", "[", "diff", "cmp", "sed", "awk", "wc", "ps", "pgrep",
    "kill", "pkill", "killall", "curl", "wget", "ping", "git", "gh", "rm", "cp", "mv", "mkdir",
    "touch", "chmod", "ln", "echo", "printf", "jq", "tree", "less", "more", "sleep", "true",
    "false", "exit",
];

/// The task of a command line; `None` if it is unknown or not interesting.
pub(super) fn classify_command(command: &str, project: Option<&str>) -> Option<CommandTask> {
    let script = analyze(command, &RunLocation::default(), &NoFacts, &[]);
    let mut runs = script
        .commands
        .iter()
        .filter(|one| !SETUP_PROGRAMS.contains(&one.program.as_str()));
    let first = runs.next()?;
    let main = match purpose(first) {
        Some(_) => first,
        None => runs.find(|one| purpose(one).is_some()).unwrap_or(first),
    };
    if IGNORED_PROGRAMS.contains(&main.program.as_str())
        || main.program.contains(becket_guard::command::UNKNOWN)
    {
        return None;
    }
    Some(CommandTask {
        name: name(main),
        program: main.program.clone(),
        purpose: purpose(main),
        shown: as_advice(command, project),
    })
}

/// The program with its subcommands.
fn name(run: &Invocation) -> String {
    let mut name = plain_line(&run.program);
    let count = usize::from(has_subcommands(&run.program)) + usize::from(is_script_runner(run));
    for word in verbs(run).take(count) {
        name.push(' ');
        name.push_str(&plain_line(word));
    }
    if let Some(module) = module(run) {
        name.push_str(&format!(" -m {}", plain_line(module)));
    }
    name
}

/// Programs whose first argument is a subcommand.
fn has_subcommands(program: &str) -> bool {
    const VERBAL: &[&str] = &[
        "cargo",
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "npx",
        "bunx",
        "go",
        "make",
        "just",
        "task",
        "docker",
        "docker-compose",
        "kubectl",
        "poetry",
        "uv",
        "pip",
        "pip3",
        "mvn",
        "gradle",
        "gradlew",
        "dotnet",
        "bundle",
        "rake",
        "mix",
        "cmake",
        "terraform",
        "deno",
        "composer",
        "swift",
        "flutter",
        "dart",
        "ninja",
        "bazel",
    ];
    VERBAL.contains(&program)
}

/// Arguments that are neither options nor values of path options: `test` in `make -C backend test`.
fn verbs(run: &Invocation) -> impl Iterator<Item = &str> {
    const WHERE: &[&str] = &[
        "-C",
        "-f",
        "-w",
        "--directory",
        "--file",
        "--prefix",
        "--filter",
        "--workspace",
        "--cwd",
        "--manifest-path",
    ];
    let mut is_value = false;
    run.words().filter(move |word| {
        let is_deed = !is_value && !word.starts_with(['-', '+']);
        is_value = WHERE.contains(word);
        is_deed
    })
}

/// In `npm run build` and `uv run pytest`, the second word is the task.
fn is_script_runner(run: &Invocation) -> bool {
    matches!(
        verbs(run).next(),
        Some("run" | "exec" | "compose" | "tool" | "x")
    )
}

/// `python -m pytest`
fn module(run: &Invocation) -> Option<&str> {
    if !run.program.starts_with("python") {
        return None;
    }
    let mut words = run.words().skip_while(|word| *word != "-m");
    words.next()?;
    words.next()
}

/// The purpose, by program or subcommand.
fn purpose(run: &Invocation) -> Option<CommandPurpose> {
    let by_name = |word: &str| {
        Some(match word {
            "test" | "tests" | "nextest" | "pytest" | "py.test" | "jest" | "vitest" | "mocha"
            | "rspec" | "phpunit" | "tox" | "nox" | "ctest" | "unittest" | "check-all"
            | "verify" | "spec" => CommandPurpose::Test,
            "build" | "tsc" | "compile" | "bundle" | "webpack" | "vite" | "package"
            | "assemble" => CommandPurpose::Build,
            "lint" | "clippy" | "eslint" | "ruff" | "flake8" | "pylint" | "golangci-lint"
            | "mypy" | "pyright" | "typecheck" | "type-check" | "vet" | "check" | "rubocop"
            | "shellcheck" | "biome" => CommandPurpose::Lint,
            "fmt" | "format" | "prettier" | "black" | "gofmt" | "rustfmt" | "isort" => {
                CommandPurpose::Format
            }
            "install" | "ci" | "sync" | "restore" | "setup" => CommandPurpose::Install,
            _ => return None,
        })
    };
    if let Some(purpose) = by_name(&run.program).filter(|_| !has_subcommands(&run.program)) {
        return Some(purpose);
    }
    if let Some(module) = module(run) {
        return match module {
            "pip" => Some(CommandPurpose::Install),
            module => by_name(module),
        };
    }
    if run.program == "make" && run.args.is_empty() {
        return Some(CommandPurpose::Build);
    }
    if !has_subcommands(&run.program) {
        return None;
    }
    let mut verbs = verbs(run);
    let first = verbs.next()?;
    let deed = if is_script_runner(run) {
        verbs.next()?
    } else {
        first
    };
    // `test:unit` is a test.
    by_name(deed).or_else(|| by_name(deed.split([':', '-']).next()?))
}

/// The command line as advice: one short line without the project's absolute path.
fn as_advice(command: &str, project: Option<&str>) -> Option<String> {
    let command = command.trim();
    if command.contains('\n') {
        return None;
    }
    let mut command = command.to_owned();
    if let Some(project) = project
        .map(|path| path.trim_end_matches('/'))
        .filter(|path| path.len() > 1)
    {
        for beginning in [
            format!("cd {project} && "),
            format!("cd {project}; "),
            format!("{project}/"),
        ] {
            command = command.replace(&beginning, "");
        }
    }
    let command = plain_line(strip_tail(&command));
    (command.chars().count() <= MAX_SHOWN_CHARS).then_some(command)
}

/// Removes `2>&1 | tail -20`, which agents add to limit output.
fn strip_tail(command: &str) -> &str {
    let mut rest = command.trim();
    loop {
        let before = rest;
        if let Some((front, back)) = rest.rsplit_once('|') {
            let reader = back.split_whitespace().next().unwrap_or_default();
            if matches!(reader, "tail" | "head" | "grep" | "tee" | "cat" | "less")
                && !front.ends_with('|')
            {
                rest = front.trim_end();
            }
        }
        rest = rest.strip_suffix("2>&1").unwrap_or(rest).trim_end();
        if rest == before {
            return rest;
        }
    }
}

impl CommandTask {
    /// Whether both commands have the same goal.
    pub(super) fn has_same_goal(&self, other: &Self) -> bool {
        let twins = |one: &str, two: &str| {
            let bare = |name: &str| {
                name.trim_end_matches(|c: char| c.is_ascii_digit())
                    .replace('-', " ")
            };
            bare(one) == bare(two)
        };
        match (self.purpose, other.purpose) {
            (Some(one), Some(two)) => one == two,
            (None, None) => twins(&self.name, &other.name),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, name: &str, purpose: Option<CommandPurpose>) {
        let task = classify_command(command, Some("/home/ana/shop")).expect(command);
        assert_eq!(
            (task.name.as_str(), task.purpose),
            (name, purpose),
            "{command}"
        );
    }

    #[test]
    fn commands_are_classified_by_purpose() {
        use CommandPurpose::{Build, Format, Install, Lint, Test};
        check(
            "cargo test -p shop 2>&1 | tail -5",
            "cargo test",
            Some(Test),
        );
        check("cd api && npm run build", "npm run build", Some(Build));
        check(
            "RUST_LOG=debug cargo +nightly clippy",
            "cargo clippy",
            Some(Lint),
        );
        check("python -m pytest tests/", "python -m pytest", Some(Test));
        check("python3 -m pip install .", "python3 -m pip", Some(Install));
        check("uv run pytest -q", "uv run pytest", Some(Test));
        check("npm run test:unit", "npm run test:unit", Some(Test));
        check("prettier --write src", "prettier", Some(Format));
        check("make", "make", Some(Build));
        check("make -C backend test-unit", "make test-unit", Some(Test));
        check("npm --prefix web run lint", "npm run lint", Some(Lint));
        check(
            "sudo timeout 60 docker compose up -d",
            "docker compose up",
            None,
        );
        check("python manage.py migrate", "python", None);
    }

    #[test]
    fn read_only_commands_are_ignored() {
        for command in [
            "ls -la",
            "cat a | grep b",
            "git push",
            "cd src",
            "",
            "$CMD test",
            "curl http://x",
        ] {
            assert_eq!(classify_command(command, None), None, "{command}");
        }
    }

    #[test]
    fn command_is_shortened_to_advice() {
        for (command, expected) in [
            (
                "cd /home/ana/shop && cargo test 2>&1 | tail -20",
                Some("cargo test"),
            ),
            ("cd backend && cargo test", Some("cd backend && cargo test")),
            ("/home/ana/shop/scripts/test.sh", Some("scripts/test.sh")),
            ("cargo test || true", Some("cargo test || true")),
            ("cargo test\ncargo build", None),
        ] {
            assert_eq!(
                as_advice(command, Some("/home/ana/shop/")).as_deref(),
                expected,
                "{command}"
            );
        }
        assert_eq!(as_advice(&"x".repeat(200), None), None);
    }
}
