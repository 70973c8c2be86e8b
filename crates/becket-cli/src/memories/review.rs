//! `becket memories review`: shows quarantined memories one by one and releases or deletes them.

use std::io::{BufRead, IsTerminal, Write};

use becket::Home;
use becket_daemon::recall::{MemoryListQuery, MemoryPatch};
use becket_store::{MemoryStatus, Millis};
use clap::Args;
use serde_json::json;

use super::backend::MemoryBackend;
use super::{change_memory, forget_memory, list_memories, load_memory, render};
use crate::caller;
use crate::exit::Exit;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message};
use crate::table::terminal_width;

#[derive(Args)]
pub(super) struct ReviewArgs {
    /// Release these memories, so that they can be injected
    #[arg(long, value_name = "ID")]
    release: Vec<String>,
    /// Reject and delete these memories
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
}

/// An action that only a person may perform, because an agent may have written the quarantined text.
const RELEASING: &str = "releasing a quarantined memory";
/// How many memories one review covers.
const MAX_REVIEWED: usize = 1000;

pub(super) fn main(
    home: &Home,
    project: &str,
    args: &ReviewArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    if !args.release.is_empty() || !args.reject.is_empty() {
        return release_and_reject(home, project, args, as_json);
    }
    let quarantined = list_memories(
        home,
        MemoryListQuery {
            project: Some(project.to_owned()),
            status: Some(MemoryStatus::Quarantined),
            limit: MAX_REVIEWED,
            ..MemoryListQuery::default()
        },
    )?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memories": quarantined }))?;
        return Ok(Exit::Success);
    }
    if quarantined.is_empty() {
        print_message("No quarantined memories.");
        return Ok(Exit::Success);
    }
    if !std::io::stdin().is_terminal() {
        print(
            &render::table(&quarantined, Millis::now()).render(terminal_width(), Style::stdout()),
        );
        print_message(
            "Release one with `becket memories review --release ID`, delete it with `--reject ID`.",
        );
        return Ok(Exit::Success);
    }
    caller::require_person(RELEASING)?;
    let mut backend = MemoryBackend::open(home)?;
    for memory in &quarantined {
        let detail = load_memory(&mut backend, project, &memory.id)?;
        print(&render::text(&detail, Style::stdout()));
        match read_choice() {
            Some('r') => {
                change_memory(&mut backend, project, &memory.id, release_change())?;
            }
            Some('f') => {
                forget_memory(&mut backend, project, &memory.id)?;
            }
            Some('s') => {}
            _ => break,
        }
    }
    Ok(Exit::Success)
}

fn release_change() -> MemoryPatch {
    MemoryPatch {
        status: Some(MemoryStatus::Active),
        ..MemoryPatch::default()
    }
}

fn read_choice() -> Option<char> {
    let _ = write!(
        std::io::stderr().lock(),
        "[r]elease, [f]orget, [s]kip, [q]uit? "
    );
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).ok()?;
    answer.trim().chars().next().map(|c| c.to_ascii_lowercase())
}

fn release_and_reject(
    home: &Home,
    project: &str,
    args: &ReviewArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    if !args.release.is_empty() {
        caller::require_person(RELEASING)?;
    }
    let mut backend = MemoryBackend::open(home)?;
    // Check all ids before changing any.
    for id in args.release.iter().chain(&args.reject) {
        let detail = load_memory(&mut backend, project, id)?;
        if detail.memory.status != MemoryStatus::Quarantined {
            anyhow::bail!(
                "memory `{}` is not quarantined: it is {}",
                detail.memory.id,
                detail.memory.status.word()
            );
        }
    }
    for id in &args.release {
        change_memory(&mut backend, project, id, release_change())?;
    }
    for id in &args.reject {
        forget_memory(&mut backend, project, id)?;
    }
    let (released, rejected) = (args.release.len(), args.reject.len());
    if as_json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "released": released, "rejected": rejected }),
        )?;
    } else {
        let released = plural(released as u64, "memory").replace("memorys", "memories");
        print(&format!("{released} released, {rejected} rejected.\n"));
    }
    Ok(Exit::Success)
}
