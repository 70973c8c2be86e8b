//! `becket index`: the code of a project, in pieces that can be found.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use becket_recall::code::Indexed;
use clap::Args;
use serde_json::json;

use crate::args::Here;
use crate::exit::Exit;
use crate::memories::asking::Answering;
use crate::memories::project_of;
use crate::progress::Progress;
use crate::records::{in_words, of};
use crate::report::{SCHEMA_VERSION, print, print_json, talk, tame};

#[derive(Args)]
pub(crate) struct IndexArgs {
    /// The project, instead of the one around the current directory
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &IndexArgs) -> anyhow::Result<Exit> {
    let here = Here {
        project: args.dir.clone(),
        json: args.json,
    };
    let (home, project) = project_of(&here)?;
    if project == home.user.to_string_lossy() {
        bail!("your home directory is no project\nhint: name one, as in `becket index ~/src/shop`");
    }
    let begun = Instant::now();
    let mut progress = Progress::new("indexing", "files", args.json);
    let mut tell = |done, total| {
        if total > 0 && done >= total {
            progress.last("indexing: all files are read, the index is being written");
        } else {
            progress.tell(number(done), number(total));
        }
    };
    let done = Answering::find(&home)?.index(&project, &mut tell);
    drop(progress);
    let done = done?;
    if let Some(error) = done.error {
        bail!("{error}");
    }
    let indexed = done
        .indexed
        .context("the daemon does not say what it did")?;
    if args.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": project, "indexed": indexed }),
        )?;
        return Ok(Exit::Success);
    }
    print(&summary(&project, &indexed));
    talk(&format!("It took {}.", in_words(begun.elapsed())));
    for problem in &indexed.problems {
        talk(&format!("becket: {}", tame(problem)));
    }
    if let Some(why) = &indexed.unembedded {
        talk(&format!(
            "becket: some pieces are found by their words alone: {}",
            tame(why)
        ));
    }
    Ok(Exit::Success)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn summary(project: &str, indexed: &Indexed) -> String {
    let mut text = format!(
        "{} of {} {} indexed: {} new or changed ({}, {}), {} moved, {} gone.\n",
        of(number(indexed.files), "file"),
        tame(project),
        if indexed.files == 1 { "is" } else { "are" },
        indexed.changed,
        of(number(indexed.chunks), "piece"),
        of(number(indexed.lines), "line"),
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
        text += &format!("Left out: {}.\n", left_out.join(", "));
    }
    text
}
