//! `becket memories import` and `export`: notes in Markdown.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::recall::{Ask, Note, Told, Which, head};
use becket_recall::suspect::suspicion;
use becket_store::{MemoryStatus, Trust};
use clap::Args;
use serde_json::json;

use super::asking::{Answering, UNEXPECTED};
use super::notes::{self, Noted};
use super::{as_seen_from, listed};
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_json, talk};
use crate::table::{Look, Side, Table, cell, looking, width};
use crate::typist;

#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file of notes
    file: PathBuf,
    /// Show what would be remembered, and stop
    #[arg(long)]
    dry_run: bool,
    /// Remember without asking
    #[arg(long, short)]
    yes: bool,
}

#[derive(Args)]
pub(super) struct ExportArgs {
    /// Write to this file, which must not exist, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Larger files are no notes.
const MOST_BYTES: u64 = 1024 * 1024;
/// As many are exported; a thousand is what one question gives.
const MOST: usize = 1000;

pub(super) fn import(
    home: &Home,
    project: &str,
    args: &ImportArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let text = read(&args.file)?;
    let found = notes::parse(&text);
    if found.is_empty() {
        talk(&format!(
            "`{}` has no bullets or paragraphs to remember.",
            args.file.display()
        ));
        return Ok(Exit::Success);
    }
    if !as_json || !(args.yes || args.dry_run) {
        print_or_talk(&table(&found).render(width(), Style::stdout()), as_json);
    }
    let write = !args.dry_run && (args.yes || confirm("Remember them?"));
    if !write && !args.dry_run {
        talk("Nothing was remembered; --yes does it without asking.");
        return Ok(Exit::Failure);
    }
    let mut tally = Tally::default();
    if write {
        let mut answering = Answering::find(home)?;
        let (file, commit) = (as_seen_from(project, &args.file), head(Path::new(project)));
        for one in &found {
            tally.count(&mut answering, note(project, &file, commit.as_ref(), one))?;
        }
    }
    if as_json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "found": found.len(), "new": tally.new, "known": tally.known,
            "set_aside": tally.aside,
        }))?;
    } else if write {
        print(&format!(
            "{} are new, {} were known.\n",
            tally.new, tally.known
        ));
    }
    if tally.aside > 0 {
        talk(&format!(
            "{} of them read like instructions and were set aside; `becket memories review` shows them.",
            tally.aside
        ));
    }
    Ok(Exit::Success)
}

/// Where a program reads, the table is talk.
fn print_or_talk(text: &str, as_json: bool) {
    if as_json {
        talk(text.trim_end());
    } else {
        print(text);
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("`{shown}` cannot be read"))?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > MOST_BYTES {
        bail!("`{shown}` is no file of notes: it has to be a file of at most a megabyte");
    }
    let mut text = String::new();
    let read = file.take(MOST_BYTES).read_to_string(&mut text);
    read.with_context(|| format!("`{shown}` cannot be read"))?;
    Ok(text)
}

fn table(found: &[Noted]) -> Table {
    let mut table = Table::new(&[
        ("LINE", Side::Right),
        ("TYPE", Side::Left),
        ("CONTEXT", Side::Left),
        ("WHAT", Side::Left),
    ]);
    for one in found {
        let look = if is_aside(one) {
            Look::Warn
        } else {
            Look::Plain
        };
        table.push(vec![
            cell(one.line),
            cell(one.kind.word()),
            looking(one.context.as_deref().unwrap_or_default(), Look::Dim),
            looking(&one.text, look),
        ]);
    }
    table
}

/// A file may have come with the project: what no note says is not taken for the person's word.
fn is_aside(one: &Noted) -> bool {
    suspicion(&one.text).is_some_and(becket_recall::suspect::Suspicion::is_grave)
}

fn note(project: &str, file: &str, commit: Option<&String>, one: &Noted) -> Note {
    Note {
        kind: one.kind,
        context: one.context.clone(),
        files: vec![file.to_owned()],
        trust: if is_aside(one) {
            Some(Trust::Tool)
        } else {
            Some(typist::trust())
        },
        agent: typist::agent().map(str::to_owned),
        commit: commit.cloned(),
        ..Note::new(project, one.text.as_str())
    }
}

#[derive(Default)]
struct Tally {
    new: usize,
    known: usize,
    aside: usize,
}

impl Tally {
    fn count(&mut self, answering: &mut Answering, note: Note) -> anyhow::Result<()> {
        let Told::Remembered(kept) = answering.ask(Ask::Remember(note))? else {
            bail!(UNEXPECTED);
        };
        if kept.new {
            self.new += 1;
            self.aside += usize::from(kept.status == MemoryStatus::Quarantined);
        } else {
            self.known += 1;
        }
        Ok(())
    }
}

pub(super) fn export(home: &Home, project: &str, args: &ExportArgs) -> anyhow::Result<Exit> {
    let memories = listed(
        home,
        Which {
            project: Some(project.to_owned()),
            status: Some(MemoryStatus::Active),
            limit: MOST,
            ..Which::default()
        },
    )?;
    let text = notes::print(project, &memories);
    match &args.out {
        None => print(&text),
        Some(path) => {
            let mut options = OpenOptions::new();
            let opened = options.write(true).create_new(true).mode(0o600).open(path);
            let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(|| format!("`{}` cannot be written", path.display()))?;
        }
    }
    talk(&format!("{} memories were written.", memories.len()));
    if memories.len() == MOST {
        talk(&format!("becket: only the latest {MOST} are there"));
    }
    Ok(Exit::Success)
}
