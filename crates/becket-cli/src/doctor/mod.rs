//! `becket doctor`: what is wired up, what is not, and what to do about it.

pub(crate) mod agents;
mod learning;
mod recall;
mod record;
mod versions;

use std::path::Path;

use becket::model::Severity;
use becket::respond::untrusted_hooks;
use becket::trust::TrustStore;
use becket::{Configuration, Home, load};
use becket_agents::install::{Installer, Scope, installers};
use becket_daemon::setup::{self, Diagnosis, FindingState};
use becket_spool::Spool;

use crate::agents::last_seen;
use crate::args::Here;
use crate::exit::Exit;
use crate::hooks::builtins;
use crate::machine::Machine;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, tame};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Good,
    Warning,
    Error,
}

pub(crate) struct Finding {
    pub(crate) state: State,
    pub(crate) check: &'static str,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
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

    fn told(&self) -> setup::Finding {
        let state = match self.state {
            State::Good => FindingState::Ok,
            State::Warning => FindingState::Warning,
            State::Error => FindingState::Error,
        };
        setup::Finding {
            check: self.check.to_owned(),
            state,
            message: self.message.clone(),
            fix: self.fix.clone(),
        }
    }
}

pub(crate) fn main(here: &Here) -> anyhow::Result<Exit> {
    let machine = Machine::find(here)?;
    let findings = examine(&machine);
    let worst = findings.iter().map(|finding| finding.state).max();
    if here.json {
        let told = told(&machine, &findings);
        print_json(&serde_json::to_value(told)?)?;
    } else {
        print(&text(&findings));
    }
    Ok(if worst == Some(State::Error) {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// What an agent says its version is.
pub(crate) fn version(installer: &dyn Installer) -> Option<String> {
    versions::of(installer)
}

/// The same for a browser.
pub(crate) fn diagnose(machine: &Machine) -> Diagnosis {
    told(machine, &examine(machine))
}

fn told(machine: &Machine, findings: &[Finding]) -> Diagnosis {
    Diagnosis {
        schema_version: SCHEMA_VERSION,
        project: machine.root.to_string_lossy().into_owned(),
        findings: findings.iter().map(Finding::told).collect(),
    }
}

/// Looks at everything.
fn examine(machine: &Machine) -> Vec<Finding> {
    let (home, root) = (&machine.home, &machine.root);
    let mut configuration = load(home, Some(root), None);
    load::load_components(home, Some(root), &mut configuration);
    let mut findings = vec![Finding::new(
        State::Good,
        "becket",
        format!("version {}", env!("CARGO_PKG_VERSION")),
    )];
    findings.extend(agents::findings(machine));
    findings.extend(config(&configuration));
    findings.extend(options(&configuration));
    findings.extend(trust(&configuration, home, root));
    findings.extend(trail(machine));
    findings.extend(record::findings(machine, &configuration));
    findings
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
        let hooks = of(configuration.loaded.hooks.len() as u64, "hook");
        let files = of(configuration.files.len() as u64, "file");
        let message = format!("{hooks} in {files}");
        findings.push(Finding::new(State::Good, "config", message));
    }
    findings
}

/// Built-ins whose options make no sense, and which therefore fail when their event fires.
fn options(configuration: &Configuration) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = Vec::new();
    for hook in &configuration.loaded.hooks {
        // An entry for several events is several hooks.
        let place = (&hook.source.file, hook.source.line);
        if seen.contains(&place) {
            continue;
        }
        seen.push(place);
        if let Err(why) = builtins::check(hook) {
            let (file, line, name) = (place.0.display(), place.1, &hook.name);
            let message = format!("{file}:{line}: hook `{name}`: {why}");
            let fix = format!("`becket hooks show {name}` lists its options");
            findings.push(Finding::new(State::Error, "options", message).fix(fix));
        }
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
    let (is, does) = match names.len() {
        1 => ("is", "does"),
        _ => ("are", "do"),
    };
    let message = format!(
        "{} of this project {is} not trusted and {does} not run: {}",
        of(names.len() as u64, "hook"),
        names.join(", ")
    );
    vec![Finding::new(State::Warning, "trust", message).fix("becket trust")]
}

fn trail(machine: &Machine) -> Vec<Finding> {
    if let Err(error) = Spool::open(machine.home.spool()).status() {
        let message = format!("events are not recorded: {error}");
        let fix = format!("make {} writable", machine.home.spool().display());
        return vec![Finding::new(State::Error, "trail", message).fix(fix)];
    }
    let mut findings = Vec::new();
    let seen = last_seen(machine);
    if seen.is_empty() {
        findings.push(
            Finding::new(State::Warning, "trail", "no event has been seen yet")
                .fix("start an agent in a new session"),
        );
    }
    for agent in silent(machine, &seen) {
        let message = format!("{agent} is connected, but no event of it is among the latest");
        let fix = "start it in a new session; if it stays silent, look for what it says of hooks";
        findings.push(Finding::new(State::Warning, "trail", message).fix(fix));
    }
    for (agent, ts) in seen {
        let message = format!("last event of {agent} at {ts}");
        findings.push(Finding::new(State::Good, "trail", message));
    }
    findings
}

/// The agents that are connected and have not been heard of, while others have.
fn silent(machine: &Machine, seen: &[(String, String)]) -> Vec<&'static str> {
    let is_silent = |id: &&'static str| seen.iter().all(|(agent, _)| agent != id);
    let scopes = [Scope::User, Scope::Project];
    let connected = installers()
        .iter()
        .filter(|it| {
            scopes
                .iter()
                .any(|scope| machine.is_connected(**it, *scope))
        })
        .map(|it| it.agent());
    connected
        .filter(is_silent)
        .filter(|_| !seen.is_empty())
        .collect()
}
