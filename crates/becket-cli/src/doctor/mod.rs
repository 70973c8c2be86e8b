//! `becket doctor`: checks the installation and suggests fixes.

pub(crate) mod agents;
mod learning;
mod recall;
mod storage;
mod versions;

use std::path::Path;

use becket::model::Severity;
use becket::pipeline::untrusted_hooks;
use becket::trust::TrustStore;
use becket::{Configuration, Home, load};
use becket_agents::install::{InstallScope, Installer, installers};
use becket_daemon::setup::{self, DoctorReport, FindingState};
use becket_spool::Spool;

use crate::agents::last_seen;
use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::hooks::builtins;
use crate::machine::Machine;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, sanitize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CheckStatus {
    Ok,
    Warning,
    Error,
}

pub(crate) struct Finding {
    pub(crate) state: CheckStatus,
    pub(crate) check: &'static str,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
}

impl Finding {
    fn new(state: CheckStatus, check: &'static str, message: impl Into<String>) -> Self {
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

    fn to_api(&self) -> setup::Finding {
        let state = match self.state {
            CheckStatus::Ok => FindingState::Ok,
            CheckStatus::Warning => FindingState::Warning,
            CheckStatus::Error => FindingState::Error,
        };
        setup::Finding {
            check: self.check.to_owned(),
            state,
            message: self.message.clone(),
            fix: self.fix.clone(),
        }
    }
}

pub(crate) fn main(here: &ProjectArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(here)?;
    let findings = examine(&machine);
    let worst = findings.iter().map(|finding| finding.state).max();
    if here.json {
        let report = to_diagnosis(&machine, &findings);
        print_json(&serde_json::to_value(report)?)?;
    } else {
        print(&text(&findings));
    }
    Ok(if worst == Some(CheckStatus::Error) {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// The version that an agent reports.
pub(crate) fn version(installer: &dyn Installer) -> Option<String> {
    versions::agent_version(installer)
}

/// The report for the dashboard.
pub(crate) fn diagnose(machine: &Machine) -> DoctorReport {
    to_diagnosis(machine, &examine(machine))
}

fn to_diagnosis(machine: &Machine, findings: &[Finding]) -> DoctorReport {
    DoctorReport {
        schema_version: SCHEMA_VERSION,
        project: machine.root.to_string_lossy().into_owned(),
        findings: findings.iter().map(Finding::to_api).collect(),
    }
}

/// Runs all checks.
fn examine(machine: &Machine) -> Vec<Finding> {
    let (home, root) = (&machine.home, &machine.root);
    let mut configuration = load(home, Some(root), None);
    load::load_components(home, Some(root), &mut configuration);
    let mut findings = vec![Finding::new(
        CheckStatus::Ok,
        "becket",
        format!("version {}", env!("CARGO_PKG_VERSION")),
    )];
    findings.extend(agents::findings(machine));
    findings.extend(config(&configuration));
    findings.extend(options(&configuration));
    findings.extend(trust(&configuration, home, root));
    findings.extend(recent_events(machine));
    findings.extend(storage::findings(machine, &configuration));
    findings
}

fn text(findings: &[Finding]) -> String {
    let style = Style::stdout();
    let mut out = String::new();
    for finding in findings {
        let mark = match finding.state {
            CheckStatus::Ok => style.good("ok     "),
            CheckStatus::Warning => style.warn("warning"),
            CheckStatus::Error => style.bad("error  "),
        };
        out += &format!(
            "{mark} {:8} {}\n",
            finding.check,
            sanitize(&finding.message)
        );
        if let Some(fix) = &finding.fix {
            out += &format!("{:17}{} {}\n", "", style.dim("fix:"), sanitize(fix));
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
                CheckStatus::Error
            } else {
                CheckStatus::Warning
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
        let hooks = plural(configuration.loaded.hooks.len() as u64, "hook");
        let files = plural(configuration.files.len() as u64, "file");
        let message = format!("{hooks} in {files}");
        findings.push(Finding::new(CheckStatus::Ok, "config", message));
    }
    findings
}

/// Built-ins with invalid options, which would fail when their event fires.
fn options(configuration: &Configuration) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = Vec::new();
    for hook in &configuration.loaded.hooks {
        // An entry with several events yields several hooks.
        let place = (&hook.source.file, hook.source.line);
        if seen.contains(&place) {
            continue;
        }
        seen.push(place);
        if let Err(why) = builtins::check(hook) {
            let (file, line, name) = (place.0.display(), place.1, &hook.name);
            let message = format!("{file}:{line}: hook `{name}`: {why}");
            let fix = format!("`becket hooks show {name}` lists its options");
            findings.push(Finding::new(CheckStatus::Error, "options", message).fix(fix));
        }
    }
    findings
}

fn trust(configuration: &Configuration, home: &Home, root: &Path) -> Vec<Finding> {
    if let Err(error) = TrustStore::open(&home.trust_file()) {
        return vec![
            Finding::new(
                CheckStatus::Error,
                "trust",
                format!("{error}; no project hook runs"),
            )
            .fix("move the file away, then trust your projects again with `becket trust`"),
        ];
    }
    let untrusted = untrusted_hooks(configuration, home, root);
    if untrusted.is_empty() {
        return vec![Finding::new(
            CheckStatus::Ok,
            "trust",
            "this project has no untrusted hooks",
        )];
    }
    let names: Vec<&str> = untrusted.iter().map(|hook| hook.name.as_str()).collect();
    let (is, does) = match names.len() {
        1 => ("is", "does"),
        _ => ("are", "do"),
    };
    let message = format!(
        "{} of this project {is} not trusted and {does} not run: {}",
        plural(names.len() as u64, "hook"),
        names.join(", ")
    );
    vec![Finding::new(CheckStatus::Warning, "trust", message).fix("becket trust")]
}

fn recent_events(machine: &Machine) -> Vec<Finding> {
    if let Err(error) = Spool::open(machine.home.spool()).status() {
        let message = format!("events are not recorded: {error}");
        let fix = format!("make {} writable", machine.home.spool().display());
        return vec![Finding::new(CheckStatus::Error, "events", message).fix(fix)];
    }
    let mut findings = Vec::new();
    let seen = last_seen(machine);
    if seen.is_empty() {
        findings.push(
            Finding::new(CheckStatus::Warning, "events", "no event received yet")
                .fix("start an agent in a new session"),
        );
    }
    for agent in agents_without_events(machine, &seen) {
        let message = format!("{agent} is connected, but no recent event came from it");
        let fix = "start a new session; if still nothing arrives, check the agent's /hooks page";
        findings.push(Finding::new(CheckStatus::Warning, "events", message).fix(fix));
    }
    for (agent, ts) in seen {
        let message = format!("last event from {agent} at {ts}");
        findings.push(Finding::new(CheckStatus::Ok, "events", message));
    }
    findings
}

/// Connected agents without recent events, if other agents have some.
fn agents_without_events(machine: &Machine, seen: &[(String, String)]) -> Vec<&'static str> {
    let is_silent = |id: &&'static str| seen.iter().all(|(agent, _)| agent != id);
    let scopes = [InstallScope::User, InstallScope::Project];
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
