//! `becket export` and `becket import`: everything that was recorded, as lines of JSON.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, ErrorKind as Io, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket_recall::embed::{Builtin, refresh};
use becket_store::{Error, ErrorKind, Exported, Options, Reader, Writer};
use clap::Args;
use serde_json::json;

use crate::daemon::ring;
use crate::exit::Exit;
use crate::progress::{Progress, Watched};
use crate::records::{self, of};
use crate::report::{SCHEMA_VERSION, print, print_json, talk};
use crate::typist;

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// Write to this file, which must not exist, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// What `becket export` wrote (- is standard input)
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        talk("Nothing is recorded yet.");
        return Ok(Exit::Failure);
    };
    let exported = match &args.out {
        Some(path) => to_file(&reader, path)?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            match reader.export(&mut out) {
                // A reader that has gone (`| head`) is no error.
                Err(error) if is_broken_pipe(&error) => return Ok(Exit::Success),
                done => done?,
            }
        }
    };
    talk(&format!(
        "{}, {} and {} were written.",
        of(exported.events, "event"),
        of(exported.notes, "note"),
        many(exported.memories)
    ));
    Ok(Exit::Success)
}

fn many(memories: u64) -> String {
    match memories {
        1 => "1 memory".to_owned(),
        more => format!("{more} memories"),
    }
}

fn is_or_are(memories: u64) -> String {
    let verb = if memories == 1 { "is" } else { "are" };
    format!("{} {verb}", many(memories))
}

fn is_broken_pipe(error: &Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if error.kind() == Io::BrokenPipe)
}

/// Writes beside the file and renames at the end, so that a file of that name is a whole export.
fn to_file(reader: &Reader, path: &Path) -> anyhow::Result<Exported> {
    let shown = path.display();
    if path.symlink_metadata().is_ok() {
        bail!("`{shown}` exists; remove it or name another file");
    }
    let mut name = path.file_name().context("--out names no file")?.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&part);
    let file = opened.with_context(|| format!("`{}` cannot be written", part.display()))?;
    let written = write_whole(reader, file).and_then(|exported| {
        std::fs::rename(&part, path).with_context(|| format!("`{shown}` cannot be written"))?;
        Ok(exported)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn write_whole(reader: &Reader, file: File) -> anyhow::Result<Exported> {
    let mut out = BufWriter::new(file);
    let exported = reader.export(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()?;
    Ok(exported)
}

pub(crate) fn import(args: &ImportArgs) -> anyhow::Result<Exit> {
    // What was recorded and remembered is taken over with whoever is said to have said it.
    typist::has_to_be_a_person("taking in an export")?;
    let home = records::home();
    let shown = args.file.display();
    // Before the database is made: a name that is wrong leaves nothing behind.
    let file = match args.file.to_str() {
        Some("-") => None,
        _ => Some(File::open(&args.file).with_context(|| format!("`{shown}` cannot be read"))?),
    };
    let mut writer = Writer::open(home.database(), Options::default())?;
    let imported = match file {
        Some(file) => {
            let size = file.metadata().map_or(0, |meta| meta.len());
            let progress = Progress::new("taking in", "kB", args.json);
            writer.import(BufReader::new(Watched::new(file, progress, size)))
        }
        None => writer.import(BufReader::new(std::io::stdin())),
    };
    // Without vectors, what is new would be found by its words alone.
    let mut progress = Progress::new("making vectors of", "texts", args.json);
    let _ = refresh(&mut writer, &Builtin, |now| {
        progress.tell(now.done, now.total);
        true
    });
    drop(progress);
    // A daemon that runs tells those who follow along.
    let _ = ring(&home);
    let imported = imported.with_context(|| format!("`{shown}` was not taken in whole"))?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "stored": imported.stored, "known": imported.known,
            "notes": imported.notes, "memories": imported.memories, "ignored": imported.ignored,
        }))?;
    } else {
        print(&format!(
            "{} events are new, {} were known, {} notes were applied, {} new, {} lines ignored.\n",
            imported.stored,
            imported.known,
            imported.notes,
            is_or_are(imported.memories),
            imported.ignored
        ));
    }
    Ok(Exit::Success)
}
