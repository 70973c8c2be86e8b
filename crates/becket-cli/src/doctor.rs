//! `becket doctor`: what is wired up, what is not, and what to do about it.

use std::collections::BTreeSet;
use std::path::Path;

use becket::model::Severity;
use becket::respond::untrusted_hooks;
use becket::trust::TrustStore;
use becket::{Configuration, Home, load};
use becket_agents::install::{Installer, Scope, installers};
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::agents::last_seen;
use crate::args::Here;
use crate::exit::Exit;
use crate::machine::{Connection, Machine, is_reachable};
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
    let machine = Machine::find(here)?;
    let (home, root) = (&machine.home, &machine.root);
    let mut configuration = load(home, Some(root), None);
    load::load_components(home, Some(root), &mut configuration);
    let mut findings = vec![Finding::new(
        State::Good,
        "becket",
        format!("version {}", env!("CARGO_PKG_VERSION")),
    )];
    findings.extend(agents(&machine));
    findings.extend(config(&configuration));
    findings.extend(trust(&configuration, home, root));
    findings.extend(trail(&machine));
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

/// Becket's entries in the settings of every agent that is here, for the person and for the project.
fn agents(machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    for installer in installers().iter().copied() {
        let scopes = [Scope::User, Scope::Project];
        let connected = scopes.map(|scope| machine.connections(installer, scope));
        for (scope, connections) in scopes.iter().zip(&connected) {
            for connection in connections {
                findings.extend(entries(installer, *scope, connection));
            }
        }
        findings.extend(wiring(
            installer,
            machine,
            connected.map(|connections| !connections.is_empty()),
        ));
    }
    if findings.is_empty() {
        findings.push(
            Finding::new(State::Warning, "agents", "no coding agent was found here")
                .fix("becket init --agent ID"),
        );
    }
    findings
}

fn wiring(
    installer: &'static dyn Installer,
    machine: &Machine,
    connected: [bool; 2],
) -> Option<Finding> {
    let id = installer.agent();
    match connected {
        [false, false] if machine.has(installer) => Some(
            Finding::new(
                State::Warning,
                id,
                "is here but not connected: none of its settings call Becket",
            )
            .fix(format!("becket init --agent {id}")),
        ),
        [true, true] => Some(
            Finding::new(
                State::Warning,
                id,
                "is connected twice, for you and for this project: every event is answered twice",
            )
            .fix(format!("becket uninstall --agent {id} --scope project")),
        ),
        _ => None,
    }
}

fn entries(
    installer: &'static dyn Installer,
    scope: Scope,
    connection: &Connection,
) -> Vec<Finding> {
    let (id, name) = (installer.agent(), connection.path.display());
    let scope = if scope == Scope::Project {
        " --scope project"
    } else {
        ""
    };
    let repair = format!("becket init --agent {id}{scope}");
    if let Some(why) = installer.unread(&connection.file, &connection.text) {
        return vec![
            Finding::new(State::Error, id, format!("{name}: {why}"))
                .fix("make it a file that the agent reads"),
        ];
    }
    let entries = installer.installed(&connection.file, &connection.text);
    let mut findings = Vec::new();
    let wanted = installer.plan_install(&connection.file, Some(&connection.text), "becket");
    let missing = wanted.map(|edit| edit.added).unwrap_or_default();
    if !missing.is_empty() {
        findings.push(
            Finding::new(
                State::Warning,
                id,
                format!("{name}: no entry for {}", missing.join(", ")),
            )
            .fix(&repair),
        );
    }
    for entry in &entries {
        if let Some(stale) = &entry.stale {
            let message = format!(
                "{name}:{}: the entry for {}: {stale}",
                entry.line, entry.event
            );
            findings.push(Finding::new(State::Warning, id, message).fix(&repair));
        }
    }
    let programs: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.binary.as_deref())
        .collect();
    for program in programs
        .into_iter()
        .filter(|program| !is_reachable(program))
    {
        let message = format!("{name}: `{program}` does not exist or cannot be run");
        findings.push(Finding::new(State::Error, id, message).fix(&repair));
    }
    if findings.is_empty() {
        findings.push(Finding::new(
            State::Good,
            id,
            format!("connected for {} events in {name}", entries.len()),
        ));
    }
    findings
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

fn trail(machine: &Machine) -> Vec<Finding> {
    let status = match Spool::open(machine.home.spool()).status() {
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
    let seen = last_seen(machine);
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
