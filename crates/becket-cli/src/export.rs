//! `becket export` and `becket import`: all recorded events and memories as JSON Lines.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind as Io, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket_base::fs::{AtomicFile, FileSync, PRIVATE_FILE};
use becket_recall::embed::{BuiltinModel, backfill_vectors};
use becket_store::{Error, ErrorKind, ExportReport, Options, StoreReader, StoreWriter};
use clap::Args;
use serde_json::json;

use crate::caller;
use crate::daemon::notify;
use crate::exit::Exit;
use crate::progress::{Progress, ProgressReader};
use crate::records::{self, plural};
use crate::report::{SCHEMA_VERSION, print, print_json, print_message};

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// Write to this new file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// Export file to import (`-` for standard input)
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        print_message("Nothing recorded yet.");
        return Ok(Exit::Failure);
    };
    let exported = match &args.out {
        Some(path) => export_to_file(&reader, path)?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            match reader.export(&mut out) {
                // A closed pipe (`| head`) is not an error.
                Err(error) if is_broken_pipe(&error) => return Ok(Exit::Success),
                done => done?,
            }
        }
    };
    print_message(&format!(
        "Exported {}, {} and {}.",
        plural(exported.events, "event"),
        plural(exported.notes, "note"),
        memory_count(exported.memories)
    ));
    Ok(Exit::Success)
}

fn memory_count(memories: u64) -> String {
    match memories {
        1 => "1 memory".to_owned(),
        more => format!("{more} memories"),
    }
}

fn is_broken_pipe(error: &Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if error.kind() == Io::BrokenPipe)
}

/// Writes to a temporary file and renames it at the end, so that the file is always complete.
fn export_to_file(reader: &StoreReader, path: &Path) -> anyhow::Result<ExportReport> {
    let shown = path.display();
    if path.symlink_metadata().is_ok() {
        bail!("`{shown}` already exists; remove it or choose another file");
    }
    let failed = || format!("cannot write `{shown}`");
    let mut file = AtomicFile::create(path, PRIVATE_FILE).with_context(failed)?;
    let mut out = BufWriter::new(&mut file);
    let exported = reader.export(&mut out)?;
    out.flush().with_context(failed)?;
    drop(out);
    file.commit(FileSync::BeforeRename).with_context(failed)?;
    Ok(exported)
}

pub(crate) fn import(args: &ImportArgs) -> anyhow::Result<Exit> {
    // The import keeps the recorded authors, so an agent could claim to be the user.
    caller::require_person("importing an export")?;
    let home = records::home();
    let shown = args.file.display();
    // Open the file before creating the database, so that a wrong name leaves nothing behind.
    let file = match args.file.to_str() {
        Some("-") => None,
        _ => Some(File::open(&args.file).with_context(|| format!("cannot read `{shown}`"))?),
    };
    let mut writer = StoreWriter::open(home.database(), Options::default())?;
    let imported = match file {
        Some(file) => {
            let size = file.metadata().map_or(0, |meta| meta.len());
            let progress = Progress::new("importing", "kB", args.json);
            writer.import(BufReader::new(ProgressReader::new(file, progress, size)))
        }
        None => writer.import(BufReader::new(std::io::stdin())),
    };
    // Without embeddings, full-text search alone would find the new texts.
    let mut progress = Progress::new("embedding", "texts", args.json);
    let _ = backfill_vectors(&mut writer, &BuiltinModel, |now| {
        progress.update(now.done, now.total);
        true
    });
    drop(progress);
    // A running daemon sends the new events to its subscribers.
    let _ = notify(&home);
    let imported = imported.with_context(|| format!("`{shown}` was not imported completely"))?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "stored": imported.stored, "known": imported.already_stored,
            "notes": imported.notes, "memories": imported.memories, "ignored": imported.ignored,
        }))?;
    } else {
        print(&format!(
            "Imported {} new events ({} already stored), {} notes and {}; ignored {} lines.\n",
            imported.stored,
            imported.already_stored,
            imported.notes,
            memory_count(imported.memories),
            imported.ignored
        ));
    }
    Ok(Exit::Success)
}
