//! `becket index`: indexes a project's code for search.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use becket_base::time::format_span;
use becket_recall::code::IndexReport;
use clap::Args;
use serde_json::json;

use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::memories::backend::MemoryBackend;
use crate::memories::resolve_project;
use crate::progress::Progress;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, print, print_json, print_message, sanitize};

#[derive(Args)]
pub(crate) struct IndexArgs {
    /// Project directory [default: the project of the current directory]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &IndexArgs) -> anyhow::Result<Exit> {
    let here = ProjectArgs {
        project: args.dir.clone(),
        json: args.json,
    };
    let (home, project) = resolve_project(&here)?;
    if project == home.user.to_string_lossy() {
        bail!(
            "the home directory is not a project\nhint: name a project, for example `becket index ~/src/shop`"
        );
    }
    let started = Instant::now();
    let mut progress = Progress::new("indexing", "files", args.json);
    let mut tell = |done, total| {
        if total > 0 && done >= total {
            progress.finishing("indexing: all files read, writing the index");
        } else {
            progress.update(number(done), number(total));
        }
    };
    let done = MemoryBackend::open(&home)?.index(&project, &mut tell);
    drop(progress);
    let done = done?;
    if let Some(error) = done.error {
        bail!("{error}");
    }
    let indexed = done.indexed.context("the daemon reported no result")?;
    if args.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": project, "indexed": indexed }),
        )?;
        return Ok(Exit::Success);
    }
    print(&summary(&project, &indexed));
    print_message(&format!("Took {}.", format_span(started.elapsed())));
    for problem in &indexed.problems {
        print_message(&format!("becket: {}", sanitize(problem)));
    }
    if let Some(why) = &indexed.unembedded {
        print_message(&format!(
            "becket: some chunks have no embedding and are found by full-text search only: {}",
            sanitize(why)
        ));
    }
    Ok(Exit::Success)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn summary(project: &str, indexed: &IndexReport) -> String {
    let mut text = format!(
        "Indexed {} of {}: {} new or changed ({}, {}), {} moved, {} deleted.\n",
        plural(number(indexed.files), "file"),
        sanitize(project),
        indexed.changed,
        plural(number(indexed.chunks), "chunk"),
        plural(number(indexed.lines), "line"),
        indexed.moved,
        indexed.removed,
    );
    let left_out: Vec<String> = indexed
        .refused
        .iter()
        .map(|(why, count)| {
            let why = serde_json::to_value(why).unwrap_or_default();
            format!("{count} {}", why.as_str().unwrap_or_default())
        })
        .collect();
    if !left_out.is_empty() {
        text += &format!("Skipped: {}.\n", left_out.join(", "));
    }
    text
}
