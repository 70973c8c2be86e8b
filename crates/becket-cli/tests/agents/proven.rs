//! What was seen to work, client by client: `docs/reference/proven.md`.
//!
//! Tests say what they saw with [`saw`], when all that they assert held. At the end of a run
//! [`conclude`] prints it and compares it with the document; `BECKET_BLESS=1` writes it there. A run
//! of some tests speaks of what it saw and leaves the rest alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use becket_lab::Agent;
use becket_lab::install::pins;

/// What is looked at, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Matter {
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

const MATTERS: [(Matter, &str); 10] = [
    (Matter::DenyCommand, "denied command does not run"),
    (Matter::DenyWrite, "denied write leaves no file"),
    (Matter::Rewrite, "rewritten command runs"),
    (Matter::ContextAtStart, "context at start"),
    (Matter::ContextWithPrompt, "context with a prompt"),
    (Matter::KeepGoing, "kept going at stop"),
    (Matter::UntrustedSkipped, "untrusted project hooks skipped"),
    (Matter::UninstallClean, "uninstall leaves nothing"),
    (Matter::RecallWithPrompt, "memory with a prompt about it"),
    (Matter::RecallAfterFile, "memory after its file is written"),
];

const HEAD: &str = "\
# Proven

What was seen with real clients, headless, against a model that plays a script: one hook file, the same
for all. Made by `make agents` with `BECKET_BLESS=1`; every run of `make agents` is held to it.
An empty cell is something that the client cannot show headless. What an agent can express in other surroundings is in [agents.md](agents.md).

";

type Seen = BTreeMap<&'static str, BTreeMap<Matter, String>>;

static SEEN: Mutex<Seen> = Mutex::new(BTreeMap::new());

/// Notes what was seen.
pub(crate) fn saw(agent: Agent, matter: Matter, how: &str) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let row = seen.entry(agent.name()).or_default();
    row.insert(matter, how.to_owned());
}

/// Prints what was seen. A code if it is not what the document says.
pub(crate) fn conclude() -> Option<ExitCode> {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.is_empty() {
        return None;
    }
    let file = document();
    let mut page = Page::read(&fs::read_to_string(&file).unwrap_or_default());
    let differing = page.take(&seen);
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "\nseen in this run:\n{}", Page::of(&seen).table());
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
struct Page(BTreeMap<String, Row>);

#[derive(Default)]
struct Row {
    version: String,
    cells: BTreeMap<Matter, String>,
}

impl Page {
    fn of(seen: &Seen) -> Self {
        let mut page = Self::default();
        page.take(seen);
        page
    }

    fn read(text: &str) -> Self {
        let rows = text.lines().filter_map(|line| {
            let cells: Vec<&str> = line.trim().strip_prefix('|')?.split('|').collect();
            let (client, cells) = cells.split_first()?;
            let (version, cells) = cells.split_first()?;
            let client = client.trim().strip_prefix('`')?.strip_suffix('`')?;
            let cells = MATTERS.iter().zip(cells);
            let cells = cells.map(|((matter, _), cell)| (*matter, cell.trim().to_owned()));
            let row = Row {
                version: version.trim().to_owned(),
                cells: cells.filter(|(_, cell)| !cell.is_empty()).collect(),
            };
            Some((client.to_owned(), row))
        });
        Self(rows.collect())
    }

    /// Takes over what was seen, and says what was not there before.
    fn take(&mut self, seen: &Seen) -> Vec<String> {
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
            for (matter, how) in cells {
                let before = row.cells.insert(*matter, how.clone());
                if before.as_ref() != Some(how) {
                    let before = before.unwrap_or_default();
                    differing.push(format!("{client}, {matter:?}: `{how}`, not `{before}`"));
                }
            }
        }
        differing
    }

    fn table(&self) -> String {
        let mut out = String::from("| client | version |");
        for (_, title) in MATTERS {
            let _ = write!(out, " {title} |");
        }
        let _ = writeln!(out, "\n|{}", " --- |".repeat(MATTERS.len() + 2));
        for (client, row) in &self.0 {
            let _ = write!(out, "| `{client}` | {} |", row.version);
            for (matter, _) in MATTERS {
                match row.cells.get(&matter) {
                    Some(how) => drop(write!(out, " {how} |")),
                    None => out += " |",
                }
            }
            out.push('\n');
        }
        out
    }
}
