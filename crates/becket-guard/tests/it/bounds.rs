//! Limits: input beyond a limit is never treated as harmless; the guard asks.

use becket_guard::judge::{self, Judgement};
use becket_guard::{Facts, NoFacts, PathKind, Policy, RunLocation};
use becket_model::Verdict;
use serde_json::{Value, json};

fn location() -> RunLocation {
    RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn judged(text: &str) -> Judgement {
    judge::command(text, &Policy::default(), &location(), &NoFacts)
}

fn called(tool: &str, input: &Value) -> Judgement {
    judge::tool(tool, input, &Policy::default(), &location(), &NoFacts)
}

fn asks(judgement: &Judgement, rule: &str) -> bool {
    judgement.verdict == Verdict::Ask && judgement.rule.is_some_and(|it| it.id == rule)
}

#[test]
fn sql_beyond_the_limit_asks() {
    let text = |length: usize, last: &str| {
        let filler = "SELECT 1;\n".repeat(length / 10);
        format!("psql <<'EOF'\n{filler}{last}\nEOF\n")
    };
    assert_eq!(
        judged(&text(200 * 1024, "SELECT 2;")).verdict,
        Verdict::NoOpinion
    );
    let long = judged(&text(300 * 1024, "DROP TABLE users;"));
    assert_eq!(long.verdict, Verdict::Ask, "{:?}", long.reason);
}

#[test]
fn subcommand_after_many_words_is_found() {
    let flags = "--label x ".repeat(2000);
    let docker = judged(&format!(
        "docker {flags} system prune --all --volumes --force"
    ));
    assert!(docker.verdict >= Verdict::Ask, "{:?}", docker.findings);
    let words = "w ".repeat(2000);
    let gcloud = judged(&format!("gcloud {words} delete x"));
    assert!(gcloud.verdict >= Verdict::Ask, "{:?}", gcloud.findings);
}

#[test]
fn everyday_commands_with_many_operands_do_not_ask() {
    let files: Vec<String> = (0..3000).map(|at| format!("src/{at}.rs")).collect();
    let files = files.join(" ");
    for start in [
        "git add",
        "cargo fmt --",
        "eslint",
        "prettier --write",
        "wc -l",
    ] {
        let judgement = judged(&format!("{start} {files}"));
        assert_eq!(
            judgement.verdict,
            Verdict::NoOpinion,
            "{start}: {:?}",
            judgement.reason
        );
    }
}

#[test]
fn tool_call_with_too_many_paths_asks() {
    let paths =
        |count: usize| -> Vec<String> { (0..count).map(|at| format!("src/{at}.rs")).collect() };
    let few = called("mcp__fs__read_files", &json!({ "paths": paths(1000) }));
    assert_eq!(few.verdict, Verdict::NoOpinion, "{:?}", few.reason);
    let mut many = paths(5000);
    many.push("/home/dev/.ssh/id_rsa".to_owned());
    let many = called("mcp__fs__read_files", &json!({ "paths": many }));
    assert!(asks(&many, "core.too-many-paths"), "{:?}", many.reason);
}

#[test]
fn tool_call_with_a_deeply_nested_path_asks() {
    let within =
        |depth: usize| (0..depth).fold(json!({ "path": ".env" }), |inner, _| json!({ "x": inner }));
    assert_eq!(called("Write", &within(10)).verdict, Verdict::Deny);
    let deep = called("Write", &within(100));
    assert!(asks(&deep, "core.too-many-paths"), "{:?}", deep.reason);
}

#[test]
fn loops_and_lists_beyond_the_limit_ask() {
    let lines = |count: usize| "build\n".repeat(count);
    let words = |count: usize| "build ".repeat(count);
    for text in [
        format!("xargs rm -rf <<'E'\n{}/\nE\n", lines(400)),
        format!("xargs -I{{}} rm -rf {{}} <<'E'\n{}/\nE\n", lines(100)),
        format!("parallel rm -rf ::: {} /", words(100)),
        format!(
            "while read x; do rm -rf \"$x\"; done <<'E'\n{}/\nE\n",
            lines(30)
        ),
        format!(
            "while read a b; do rm -rf \"$b\"; done <<'E'\n{}a /\nE\n",
            "a build\n".repeat(3)
        ),
        format!(
            "mapfile -t all <<'E'\n{}/\nE\nrm -rf \"${{all[@]}}\"\n",
            lines(300)
        ),
        format!("for x in {} /; do rm -rf $x; done", words(300)),
        "npx npx npx npx npx npx vercel rm x --yes".to_owned(),
    ] {
        let judgement = judged(&text);
        let start: String = text.chars().take(60).collect();
        assert!(
            judgement.verdict >= Verdict::Ask,
            "{start}: {:?}",
            judgement.findings
        );
    }
}

/// A directory with very many files.
struct Crowd(usize);

impl Facts for Crowd {
    fn path_kind(&self, _: &str) -> Option<PathKind> {
        Some(PathKind::File)
    }
    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn script_text(&self, _: &str) -> Option<String> {
        None
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn list_names(&self, _: &str) -> Vec<String> {
        let mut names: Vec<String> = (0..self.0).map(|at| format!("{at}.key.txt")).collect();
        names.push("server.key".to_owned());
        names
    }
}

#[test]
fn globs_are_fully_expanded_or_ask() {
    let verdict = |facts: &dyn Facts| {
        judge::command("cat *.k*", &Policy::default(), &location(), facts).verdict
    };
    assert_eq!(verdict(&Crowd(1000)), Verdict::Deny);
    assert!(verdict(&Crowd(9000)) >= Verdict::Ask);
}

#[test]
fn program_with_an_unknown_name_is_not_proven_read_only() {
    let policy = Policy::parse(&json!({ "auto_approve": true })).expect("a policy");
    let verdict = |text: &str| judge::command(text, &policy, &location(), &NoFacts).verdict;
    assert_eq!(verdict("ls src"), Verdict::Allow);
    for text in [
        "${x}ls src",
        "l${x}s src",
        "cat$x notes",
        "$x",
        "$x/ls src",
        "$(f)ls src",
    ] {
        assert_ne!(verdict(text), Verdict::Allow, "{text}");
    }
}

/// One file, with or without text.
struct OneFile(Option<&'static str>);

impl Facts for OneFile {
    fn path_kind(&self, path: &str) -> Option<PathKind> {
        Some(if path == "/home/dev/app/run" {
            PathKind::File
        } else {
            PathKind::Missing
        })
    }
    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn script_text(&self, path: &str) -> Option<String> {
        self.0
            .filter(|_| path == "/home/dev/app/run")
            .map(str::to_owned)
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn list_names(&self, _: &str) -> Vec<String> {
        vec!["run".to_owned()]
    }
}

#[test]
fn unreadable_shell_script_asks_but_a_program_does_not() {
    let verdict =
        |text: &str| judge::command(text, &Policy::default(), &location(), &OneFile(None)).verdict;
    for text in [
        "bash run",
        "sh ./run --yes",
        "source run",
        ". ./run",
        "sudo zsh run",
    ] {
        assert!(verdict(text) >= Verdict::Ask, "{text}");
    }
    for text in [
        "./run",
        "node run",
        "python3 run",
        "bash missing",
        "ssh host bash run",
    ] {
        assert_eq!(verdict(text), Verdict::NoOpinion, "{text}");
    }
}

#[test]
fn script_without_a_shebang_is_judged_as_shell() {
    for script in ["rm -rf ~\n", "#!/bin/sh\nrm -rf ~\n"] {
        let judgement = judge::command(
            "./run",
            &Policy::default(),
            &location(),
            &OneFile(Some(script)),
        );
        assert_eq!(judgement.verdict, Verdict::Deny, "{script}");
    }
    let harmless = OneFile(Some("echo hello\n"));
    let judgement = judge::command("./run", &Policy::default(), &location(), &harmless);
    assert_eq!(judgement.verdict, Verdict::NoOpinion);
}
