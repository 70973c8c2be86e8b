//! What a command is for.

use becket_guard::{Invocation, NoFacts, Place, understand};

use crate::text::plain;

/// What somebody wanted with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    Test,
    Build,
    Lint,
    Format,
    Install,
}

/// A command, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    /// `cargo test`, `npm run build`, `pytest`.
    pub(super) name: String,
    pub(super) program: String,
    pub(super) purpose: Option<Purpose>,
    /// The whole of it, fit to be shown; `None` if it is too long for that.
    pub(super) shown: Option<String>,
}

/// Longer commands are no advice.
const MOST_SHOWN: usize = 120;

/// Commands that set the scene for another, or look at what it printed.
const FILLERS: &[&str] = &[
    "", "cd", "pushd", "popd", "export", "set", "source", ".", "echo", "printf", "true", "sleep",
    "env", "sudo", "time", "timeout", "nice", "nohup", "xargs", "tail", "head", "grep", "rg",
    "tee", "wc", "sort", "cat", "mkdir", "sed", "awk", "cut", "bash", "sh", "zsh", "test", "[",
    "exit",
];

/// Commands that fail for reasons of their own, from which nothing is learnt.
const LOOKERS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "egrep", "rg", "ag", "find", "fd", "which", "type",
    "command", "stat", "file", "test", "[", "diff", "cmp", "sed", "awk", "wc", "ps", "pgrep",
    "kill", "pkill", "killall", "curl", "wget", "ping", "git", "gh", "rm", "cp", "mv", "mkdir",
    "touch", "chmod", "ln", "echo", "printf", "jq", "tree", "less", "more", "sleep", "true",
    "false", "exit",
];

/// What a command wants, if it can be told and is worth telling.
pub(super) fn task(command: &str, project: Option<&str>) -> Option<Task> {
    let script = understand(command, &Place::default(), &NoFacts, &[]);
    let mut runs = script
        .commands
        .iter()
        .filter(|one| !FILLERS.contains(&one.program.as_str()));
    let first = runs.next()?;
    let main = match purpose(first) {
        Some(_) => first,
        None => runs.find(|one| purpose(one).is_some()).unwrap_or(first),
    };
    if LOOKERS.contains(&main.program.as_str())
        || main.program.contains(becket_guard::command::UNKNOWN)
    {
        return None;
    }
    Some(Task {
        name: name(main),
        program: main.program.clone(),
        purpose: purpose(main),
        shown: shown(command, project),
    })
}

/// The program with the words that say what it does.
fn name(run: &Invocation) -> String {
    let mut name = plain(&run.program);
    let verbs = usize::from(has_verbs(&run.program)) + usize::from(is_script_runner(run));
    for word in deeds(run).take(verbs) {
        name.push(' ');
        name.push_str(&plain(word));
    }
    if let Some(module) = module(run) {
        name.push_str(&format!(" -m {}", plain(module)));
    }
    name
}

/// Programs whose first word says what they do.
fn has_verbs(program: &str) -> bool {
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

/// The words that are no options, and no values of those that say where: `make -C backend test`.
fn deeds(run: &Invocation) -> impl Iterator<Item = &str> {
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

/// `npm run build`, `uv run pytest`: the second word is the deed.
fn is_script_runner(run: &Invocation) -> bool {
    matches!(
        deeds(run).next(),
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

/// Known by the program, or by its verb.
fn purpose(run: &Invocation) -> Option<Purpose> {
    let by_name = |word: &str| {
        Some(match word {
            "test" | "tests" | "nextest" | "pytest" | "py.test" | "jest" | "vitest" | "mocha"
            | "rspec" | "phpunit" | "tox" | "nox" | "ctest" | "unittest" | "check-all"
            | "verify" | "spec" => Purpose::Test,
            "build" | "tsc" | "compile" | "bundle" | "webpack" | "vite" | "package"
            | "assemble" => Purpose::Build,
            "lint" | "clippy" | "eslint" | "ruff" | "flake8" | "pylint" | "golangci-lint"
            | "mypy" | "pyright" | "typecheck" | "type-check" | "vet" | "check" | "rubocop"
            | "shellcheck" | "biome" => Purpose::Lint,
            "fmt" | "format" | "prettier" | "black" | "gofmt" | "rustfmt" | "isort" => {
                Purpose::Format
            }
            "install" | "ci" | "sync" | "restore" | "setup" => Purpose::Install,
            _ => return None,
        })
    };
    if let Some(purpose) = by_name(&run.program).filter(|_| !has_verbs(&run.program)) {
        return Some(purpose);
    }
    if let Some(module) = module(run) {
        return match module {
            "pip" => Some(Purpose::Install),
            module => by_name(module),
        };
    }
    if run.program == "make" && run.args.is_empty() {
        return Some(Purpose::Build);
    }
    if !has_verbs(&run.program) {
        return None;
    }
    let mut verbs = deeds(run);
    let first = verbs.next()?;
    let deed = if is_script_runner(run) {
        verbs.next()?
    } else {
        first
    };
    // `test:unit` is a test.
    by_name(deed).or_else(|| by_name(deed.split([':', '-']).next()?))
}

/// The command as advice: one line, short, without the project's place on this machine.
fn shown(command: &str, project: Option<&str>) -> Option<String> {
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
    let command = plain(strip_tail(&command));
    (command.chars().count() <= MOST_SHOWN).then_some(command)
}

/// `2>&1 | tail -20` is how agents read, not how things are done.
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

impl Task {
    /// Whether both want the same, in ways that may differ.
    pub(super) fn wants_what(&self, other: &Self) -> bool {
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

    fn check(command: &str, name: &str, purpose: Option<Purpose>) {
        let task = task(command, Some("/home/ana/shop")).expect(command);
        assert_eq!(
            (task.name.as_str(), task.purpose),
            (name, purpose),
            "{command}"
        );
    }

    #[test]
    fn a_command_is_known_by_its_deed() {
        use Purpose::{Build, Format, Install, Lint, Test};
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
    fn looking_around_is_no_task() {
        for command in [
            "ls -la",
            "cat a | grep b",
            "git push",
            "cd src",
            "",
            "$CMD test",
            "curl http://x",
        ] {
            assert_eq!(task(command, None), None, "{command}");
        }
    }

    #[test]
    fn a_command_is_shown_as_advice() {
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
                shown(command, Some("/home/ana/shop/")).as_deref(),
                expected,
                "{command}"
            );
        }
        assert_eq!(shown(&"x".repeat(200), None), None);
    }
}
