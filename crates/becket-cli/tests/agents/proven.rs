//! The observed behaviour of each client: `docs/reference/proven.md`.
//!
//! A test reports an observation with [`saw`] after its assertions. At the end of a run [`compare_with_document`] prints
//! the observations and compares them with the document; `BECKET_BLESS=1` updates it. A partial run compares only what it
//! observed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use becket_base::sync::MutexExt;
use becket_lab::Agent;
use becket_lab::install::pins;

/// The observed behaviours, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProvenBehaviour {
    DenyCommand,
    DenyWrite,
    Rewrite,
    ContextAtStart,
    ContextWithPrompt,
    KeepGoing,
    UntrustedSkipped,
    UninstallClean,
    RecallWithPrompt,
    RecallAfterFile,
}

const BEHAVIOURS: [(ProvenBehaviour, &str); 10] = [
    (ProvenBehaviour::DenyCommand, "denied command does not run"),
    (ProvenBehaviour::DenyWrite, "denied write leaves no file"),
    (ProvenBehaviour::Rewrite, "rewritten command runs"),
    (ProvenBehaviour::ContextAtStart, "context at start"),
    (ProvenBehaviour::ContextWithPrompt, "context with a prompt"),
    (ProvenBehaviour::KeepGoing, "kept going at stop"),
    (
        ProvenBehaviour::UntrustedSkipped,
        "untrusted project hooks skipped",
    ),
    (ProvenBehaviour::UninstallClean, "uninstall leaves nothing"),
    (
        ProvenBehaviour::RecallWithPrompt,
        "memory with a prompt about it",
    ),
    (
        ProvenBehaviour::RecallAfterFile,
        "memory after its file is written",
    ),
];

const HEAD: &str = "\
# Proven

Results with real clients, run headless against a scripted model, all with the same hook file.
`BECKET_BLESS=1 make agents` generates this page; every run of `make agents` must match it.
An empty cell means that the client cannot show the behaviour headless. See [agents.md](agents.md) for what each agent can express.

";

type Observations = BTreeMap<&'static str, BTreeMap<ProvenBehaviour, String>>;

static OBSERVATIONS: Mutex<Observations> = Mutex::new(BTreeMap::new());

/// Records an observation.
pub(crate) fn saw(agent: Agent, behaviour: ProvenBehaviour, how: &str) {
    let mut seen = OBSERVATIONS.lock_ignoring_poison();
    let row = seen.entry(agent.name()).or_default();
    row.insert(behaviour, how.to_owned());
}

/// Prints the observations. Returns an exit code if they differ from the document.
pub(crate) fn compare_with_document() -> Option<ExitCode> {
    let seen = OBSERVATIONS.lock_ignoring_poison();
    if seen.is_empty() {
        return None;
    }
    let file = document();
    let mut page = ProvenPage::read(&fs::read_to_string(&file).unwrap_or_default());
    let differing = page.merge(&seen);
    let mut out = std::io::stdout().lock();
    let _ = writeln!(
        out,
        "\nseen in this run:\n{}",
        ProvenPage::of(&seen).table()
    );
    if differing.is_empty() {
        return None;
    }
    if std::env::var_os("BECKET_BLESS").is_some() {
        let written = fs::write(&file, format!("{HEAD}{}", page.table()));
        return written.is_err().then_some(ExitCode::FAILURE);
    }
    let list = differing.join("\n  ");
    let _ = writeln!(
        out,
        "docs/reference/proven.md says otherwise (BECKET_BLESS=1 corrects it):\n  {list}"
    );
    Some(ExitCode::FAILURE)
}

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/proven.md")
}

/// The document: cells by client.
#[derive(Default)]
struct ProvenPage(BTreeMap<String, ProvenRow>);

#[derive(Default)]
struct ProvenRow {
    version: String,
    cells: BTreeMap<ProvenBehaviour, String>,
}

impl ProvenPage {
    fn of(seen: &Observations) -> Self {
        let mut page = Self::default();
        page.merge(seen);
        page
    }

    fn read(text: &str) -> Self {
        let rows = text.lines().filter_map(|line| {
            let cells: Vec<&str> = line.trim().strip_prefix('|')?.split('|').collect();
            let (client, cells) = cells.split_first()?;
            let (version, cells) = cells.split_first()?;
            let client = client.trim().strip_prefix('`')?.strip_suffix('`')?;
            let cells = BEHAVIOURS.iter().zip(cells);
            let cells = cells.map(|((behaviour, _), cell)| (*behaviour, cell.trim().to_owned()));
            let row = ProvenRow {
                version: version.trim().to_owned(),
                cells: cells.filter(|(_, cell)| !cell.is_empty()).collect(),
            };
            Some((client.to_owned(), row))
        });
        Self(rows.collect())
    }

    /// Merges the observations and returns the differences.
    fn merge(&mut self, seen: &Observations) -> Vec<String> {
        let mut differing = Vec::new();
        let pins = pins();
        for (client, cells) in seen {
            let version = pins.get(*client).map(|pin| pin.version.clone());
            let version = version.unwrap_or_default();
            let row = self.0.entry((*client).to_owned()).or_default();
            if row.version != version {
                differing.push(format!("{client} is {version}, not `{}`", row.version));
                row.version = version;
            }
            for (behaviour, how) in cells {
                let before = row.cells.insert(*behaviour, how.clone());
                if before.as_ref() != Some(how) {
                    let before = before.unwrap_or_default();
                    differing.push(format!("{client}, {behaviour:?}: `{how}`, not `{before}`"));
                }
            }
        }
        differing
    }

    fn table(&self) -> String {
        let mut out = String::from("| client | version |");
        for (_, title) in BEHAVIOURS {
            let _ = write!(out, " {title} |");
        }
        let _ = writeln!(out, "\n|{}", " --- |".repeat(BEHAVIOURS.len() + 2));
        for (client, row) in &self.0 {
            let _ = write!(out, "| `{client}` | {} |", row.version);
            for (behaviour, _) in BEHAVIOURS {
                match row.cells.get(&behaviour) {
                    Some(how) => drop(write!(out, " {how} |")),
                    None => out += " |",
                }
            }
            out.push('\n');
        }
        out
    }
}
