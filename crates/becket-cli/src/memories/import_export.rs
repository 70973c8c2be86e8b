//! `becket memories import` and `export`: memories as Markdown notes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::Home;
use becket_base::fs::private_options;
use becket_daemon::recall::{
    MemoryInput, MemoryListQuery, MemoryRequest, MemoryResponse, head_commit,
};
use becket_recall::prompt_injection::detect_prompt_injection;
use becket_store::{MemoryStatus, Trust};
use clap::Args;
use serde_json::json;

use super::backend::{MemoryBackend, UNEXPECTED_RESPONSE};
use super::notes::{self, ParsedNote};
use super::{list_memories, relative_to_project};
use crate::caller;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_json, print_message};
use crate::table::{Alignment, CellStyle, Table, cell, styled_cell, terminal_width};

#[derive(Args)]
pub(super) struct MemoryImportArgs {
    /// Notes file in Markdown
    file: PathBuf,
    /// Show what would be imported without importing it
    #[arg(long)]
    dry_run: bool,
    /// Import without asking for confirmation
    #[arg(long, short)]
    yes: bool,
}

#[derive(Args)]
pub(super) struct MemoryExportArgs {
    /// Write to this new file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Larger files are rejected.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// How many memories are exported: the limit of one list request.
const MAX_EXPORTED: usize = 1000;

pub(super) fn import(
    home: &Home,
    project: &str,
    args: &MemoryImportArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let text = read(&args.file)?;
    let found = notes::parse(&text);
    if found.is_empty() {
        print_message(&format!(
            "`{}` has no bullets or paragraphs to import.",
            args.file.display()
        ));
        return Ok(Exit::Success);
    }
    if !as_json || !(args.yes || args.dry_run) {
        print_table(
            &table(&found).render(terminal_width(), Style::stdout()),
            as_json,
        );
    }
    let write = !args.dry_run && (args.yes || confirm("Add them?"));
    if !write && !args.dry_run {
        print_message("Nothing added; pass --yes to add without asking.");
        return Ok(Exit::Failure);
    }
    let mut counts = ImportCounts::default();
    if write {
        let mut backend = MemoryBackend::open(home)?;
        let (file, commit) = (
            relative_to_project(project, &args.file),
            head_commit(Path::new(project)),
        );
        for note in &found {
            counts.import(
                &mut backend,
                memory_input(project, &file, commit.as_ref(), note),
            )?;
        }
    }
    if as_json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "found": found.len(), "new": counts.new, "known": counts.known,
            "set_aside": counts.quarantined,
        }))?;
    } else if write {
        print(&format!(
            "Added {} memories; {} were already stored.\n",
            counts.new, counts.known
        ));
    }
    if counts.quarantined > 0 {
        print_message(&format!(
            "{} of them read like instructions and were quarantined; see `becket memories review`.",
            counts.quarantined
        ));
    }
    Ok(Exit::Success)
}

/// Prints the table to standard error if standard output is for JSON.
fn print_table(text: &str, as_json: bool) {
    if as_json {
        print_message(text.trim_end());
    } else {
        print(text);
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read `{shown}`"))?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
        bail!("cannot import `{shown}`: it is not a regular file of at most 1 MB");
    }
    let mut text = String::new();
    let read = file.take(MAX_FILE_BYTES).read_to_string(&mut text);
    read.with_context(|| format!("cannot read `{shown}`"))?;
    Ok(text)
}

fn table(found: &[ParsedNote]) -> Table {
    let mut table = Table::new(&[
        ("LINE", Alignment::Right),
        ("TYPE", Alignment::Left),
        ("CONTEXT", Alignment::Left),
        ("TEXT", Alignment::Left),
    ]);
    for note in found {
        let look = if reads_like_instruction(note) {
            CellStyle::Warn
        } else {
            CellStyle::Plain
        };
        table.push(vec![
            cell(note.line),
            cell(note.kind.word()),
            styled_cell(note.context.as_deref().unwrap_or_default(), CellStyle::Dim),
            styled_cell(&note.text, look),
        ]);
    }
    table
}

/// Whether prompt-injection detection flags a note. The file may come from the project, so such a note is not
/// trusted like the user's own text.
fn reads_like_instruction(note: &ParsedNote) -> bool {
    detect_prompt_injection(&note.text)
        .is_some_and(becket_recall::prompt_injection::PromptInjection::is_severe)
}

fn memory_input(
    project: &str,
    file: &str,
    commit: Option<&String>,
    note: &ParsedNote,
) -> MemoryInput {
    MemoryInput {
        kind: note.kind,
        context: note.context.clone(),
        files: vec![file.to_owned()],
        trust: if reads_like_instruction(note) {
            Some(Trust::Tool)
        } else {
            Some(caller::trust_level())
        },
        agent: caller::agent_of_shell().map(str::to_owned),
        commit: commit.cloned(),
        ..MemoryInput::new(project, note.text.as_str())
    }
}

#[derive(Default)]
struct ImportCounts {
    new: usize,
    known: usize,
    quarantined: usize,
}

impl ImportCounts {
    fn import(&mut self, backend: &mut MemoryBackend, note: MemoryInput) -> anyhow::Result<()> {
        let MemoryResponse::Remembered(stored) = backend.query(MemoryRequest::Remember(note))?
        else {
            bail!(UNEXPECTED_RESPONSE);
        };
        if stored.new {
            self.new += 1;
            self.quarantined += usize::from(stored.status == MemoryStatus::Quarantined);
        } else {
            self.known += 1;
        }
        Ok(())
    }
}

pub(super) fn export(home: &Home, project: &str, args: &MemoryExportArgs) -> anyhow::Result<Exit> {
    let memories = list_memories(
        home,
        MemoryListQuery {
            project: Some(project.to_owned()),
            status: Some(MemoryStatus::Active),
            limit: MAX_EXPORTED,
            ..MemoryListQuery::default()
        },
    )?;
    let text = notes::render(project, &memories);
    match &args.out {
        None => print(&text),
        Some(path) => {
            let opened = private_options().create_new(true).open(path);
            let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(|| format!("cannot write `{}`", path.display()))?;
        }
    }
    print_message(&format!("Exported {} memories.", memories.len()));
    if memories.len() == MAX_EXPORTED {
        print_message(&format!(
            "becket: only the latest {MAX_EXPORTED} were exported"
        ));
    }
    Ok(Exit::Success)
}
