//! `becket doctor`: what is wired up, what is not, and what to do about it.

use std::fs;
use std::path::{Path, PathBuf};

use becket::model::Severity;
use becket::respond::untrusted_hooks;
use becket::trust::TrustStore;
use becket::{Configuration, Home, load};
use becket_agents::claude::install;
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::Here;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, tame};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Good,
    Warning,
    Error,
}

struct Finding {
    state: State,
    check: &'static str,
    message: String,
    fix: Option<String>,
}

impl Finding {
    fn new(state: State, check: &'static str, message: impl Into<String>) -> Self {
        Self {
            state,
            check,
            message: message.into(),
            fix: None,
        }
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    fn json(&self) -> Value {
        let state = match self.state {
            State::Good => "ok",
            State::Warning => "warning",
            State::Error => "error",
        };
        json!({ "check": self.check, "state": state, "message": self.message, "fix": self.fix })
    }
}

pub(crate) fn main(here: &Here) -> anyhow::Result<Exit> {
    let (home, root) = here.find()?;
    let mut configuration = load(&home, Some(&root), None);
    load::load_components(&home, Some(&root), &mut configuration);
    let mut findings = vec![Finding::new(
        State::Good,
        "becket",
        format!("version {}", env!("CARGO_PKG_VERSION")),
    )];
    findings.extend(claude(&home, &root));
    findings.extend(config(&configuration));
    findings.extend(trust(&configuration, &home, &root));
    findings.extend(trail(&home));
    let worst = findings.iter().map(|finding| finding.state).max();
    if here.json {
        let findings: Vec<Value> = findings.iter().map(Finding::json).collect();
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "findings": findings }),
        )?;
    } else {
        print(&text(&findings));
    }
    Ok(if worst == Some(State::Error) {
        Exit::Failure
    } else {
        Exit::Success
    })
}

fn text(findings: &[Finding]) -> String {
    let style = Style::stdout();
    let mut out = String::new();
    for finding in findings {
        let mark = match finding.state {
            State::Good => style.good("ok     "),
            State::Warning => style.warn("warning"),
            State::Error => style.bad("error  "),
        };
        out += &format!("{mark} {:8} {}\n", finding.check, tame(&finding.message));
        if let Some(fix) = &finding.fix {
            out += &format!("{:17}{} {}\n", "", style.dim("fix:"), tame(fix));
        }
    }
    out
}

/// Becket's entries in Claude Code's settings, for the person and for the project.
fn claude(home: &Home, root: &Path) -> Vec<Finding> {
    let mut files = vec![(home.claude.join("settings.json"), "becket init")];
    if *root != home.user {
        files.push((
            root.join(".claude/settings.json"),
            "becket init --scope project",
        ));
    }
    let mut findings = Vec::new();
    let mut connected = 0;
    for (file, command) in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let entries = install::installed(&text);
        if entries.is_empty() {
            continue;
        }
        connected += 1;
        match install::unread(&text) {
            Some(why) => findings.push(
                Finding::new(State::Error, "claude", format!("{}: {why}", file.display()))
                    .fix("make it plain JSON: no comments, no trailing commas"),
            ),
            None => findings.extend(claude_entries(&file, &entries, command)),
        }
    }
    match connected {
        0 => findings.push(
            Finding::new(State::Warning, "claude", "Claude Code is not connected: none of its settings call Becket").fix("becket init"),
        ),
        1 => {}
        _ => findings.push(
            Finding::new(State::Warning, "claude", "Claude Code is connected twice, for you and for this project: every event is answered twice")
                .fix("becket uninstall --scope project"),
        ),
    }
    findings
}

fn claude_entries(file: &Path, entries: &[install::InstalledEntry], command: &str) -> Vec<Finding> {
    let name = file.display();
    let mut findings = Vec::new();
    let missing: Vec<&str> = install::EVENTS
        .iter()
        .copied()
        .filter(|event| !entries.iter().any(|entry| entry.event == *event))
        .collect();
    if !missing.is_empty() {
        let message = format!("{name}: no entry for {}", missing.join(", "));
        findings.push(Finding::new(State::Warning, "claude", message).fix(command));
    }
    for entry in entries.iter().filter(|entry| entry.stale.is_some()) {
        let message = format!(
            "{name}:{}: the entry for {} was changed",
            entry.line, entry.event
        );
        findings.push(Finding::new(State::Warning, "claude", message).fix(command));
    }
    let mut programs: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry.binary.as_deref())
        .collect();
    programs.sort_unstable();
    programs.dedup();
    for program in programs {
        if !reachable(program) {
            let message = format!("{name}: `{program}` does not exist or cannot be run");
            findings.push(Finding::new(State::Error, "claude", message).fix(command));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::new(
            State::Good,
            "claude",
            format!("connected for {} events in {name}", entries.len()),
        ));
    }
    findings
}

/// Whether the agent's shell would find the program.
fn reachable(program: &str) -> bool {
    let runs = |path: &Path| {
        rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
    };
    if program.contains('/') {
        return runs(Path::new(program));
    }
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|dir: PathBuf| runs(&dir.join(program)))
    })
}

fn config(configuration: &Configuration) -> Vec<Finding> {
    let problems = configuration
        .loaded
        .problems
        .iter()
        .chain(&configuration.components.problems);
    let mut findings: Vec<Finding> = problems
        .map(|problem| {
            let state = if problem.severity == Severity::Error {
                State::Error
            } else {
                State::Warning
            };
            let finding = Finding::new(
                state,
                "config",
                problem.to_string().lines().next().unwrap_or_default(),
            );
            match &problem.hint {
                Some(hint) => finding.fix(hint),
                None => finding,
            }
        })
        .collect();
    if findings.is_empty() {
        let (hooks, files) = (configuration.loaded.hooks.len(), configuration.files.len());
        findings.push(Finding::new(
            State::Good,
            "config",
            format!("{hooks} hooks in {files} files"),
        ));
    }
    findings
}

fn trust(configuration: &Configuration, home: &Home, root: &Path) -> Vec<Finding> {
    if let Err(error) = TrustStore::open(&home.trust_file()) {
        return vec![
            Finding::new(
                State::Error,
                "trust",
                format!("{error}: no project hook runs"),
            )
            .fix("move the file away"),
        ];
    }
    let untrusted = untrusted_hooks(configuration, home, root);
    if untrusted.is_empty() {
        return vec![Finding::new(
            State::Good,
            "trust",
            "no hook of this project waits for trust",
        )];
    }
    let names: Vec<&str> = untrusted.iter().map(|hook| hook.name.as_str()).collect();
    let message = format!(
        "{} hooks of this project are not trusted and do not run: {}",
        names.len(),
        names.join(", ")
    );
    vec![Finding::new(State::Warning, "trust", message).fix("becket trust")]
}

fn trail(home: &Home) -> Vec<Finding> {
    let spool = Spool::open(home.spool());
    let status = match spool.status() {
        Ok(status) => status,
        Err(error) => {
            return vec![Finding::new(
                State::Error,
                "trail",
                format!("events are not recorded: {error}"),
            )];
        }
    };
    let mut findings = Vec::new();
    if status.dropped > 0 {
        let message = format!(
            "{} segments of old events were dropped to keep the spool small",
            status.dropped
        );
        findings.push(Finding::new(State::Warning, "trail", message));
    }
    let last = spool.tail(200).unwrap_or_default();
    let mut seen: Vec<(String, String)> = Vec::new();
    for record in last
        .iter()
        .rev()
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
    {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        if !text("agent").is_empty() && !seen.iter().any(|(agent, _)| *agent == text("agent")) {
            seen.push((text("agent"), text("ts")));
        }
    }
    if seen.is_empty() {
        findings.push(
            Finding::new(State::Warning, "trail", "no event has been seen yet")
                .fix("start an agent in a new session"),
        );
    }
    for (agent, ts) in seen {
        findings.push(Finding::new(
            State::Good,
            "trail",
            format!(
                "last event of {agent} at {ts}; {} bytes recorded",
                status.bytes
            ),
        ));
    }
    findings
}
