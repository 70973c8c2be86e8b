//! `becket memories review`: what was set aside, one by one.

use std::io::{BufRead, IsTerminal, Write};

use becket::Home;
use becket_daemon::recall::{Change, Which};
use becket_store::{MemoryStatus, Millis};
use clap::Args;
use serde_json::json;

use super::asking::Answering;
use super::{change_one, forget_one, listed, show, shown};
use crate::exit::Exit;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk};
use crate::table::width;
use crate::typist;

#[derive(Args)]
pub(super) struct ReviewArgs {
    /// Let these be told to agents
    #[arg(long, value_name = "ID")]
    release: Vec<String>,
    /// Forget these
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
}

/// What an agent is refused: it may itself be the one whose words were set aside.
const RELEASING: &str = "releasing what was set aside";
/// As many are looked at in one go.
const MOST: usize = 1000;

pub(super) fn main(
    home: &Home,
    project: &str,
    args: &ReviewArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    if !args.release.is_empty() || !args.reject.is_empty() {
        return settle(home, project, args, as_json);
    }
    let aside = listed(
        home,
        Which {
            project: Some(project.to_owned()),
            status: Some(MemoryStatus::Quarantined),
            limit: MOST,
            ..Which::default()
        },
    )?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memories": aside }))?;
        return Ok(Exit::Success);
    }
    if aside.is_empty() {
        talk("Nothing was set aside.");
        return Ok(Exit::Success);
    }
    if !std::io::stdin().is_terminal() {
        print(&shown::table(&aside, Millis::now()).render(width(), Style::stdout()));
        talk(
            "`becket memories review --release ID` lets one be told to agents, `--reject ID` forgets it.",
        );
        return Ok(Exit::Success);
    }
    typist::has_to_be_a_person(RELEASING)?;
    let mut answering = Answering::find(home)?;
    for memory in &aside {
        let detail = show(&mut answering, project, &memory.id)?;
        print(&shown::text(&detail, Style::stdout()));
        match asked() {
            Some('r') => {
                change_one(&mut answering, project, &memory.id, released())?;
            }
            Some('f') => {
                forget_one(&mut answering, project, &memory.id)?;
            }
            Some('s') => {}
            _ => break,
        }
    }
    Ok(Exit::Success)
}

fn released() -> Change {
    Change {
        status: Some(MemoryStatus::Active),
        ..Change::default()
    }
}

fn asked() -> Option<char> {
    let _ = write!(
        std::io::stderr().lock(),
        "[r]elease, [f]orget, [s]kip, [q]uit? "
    );
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).ok()?;
    answer.trim().chars().next().map(|c| c.to_ascii_lowercase())
}

fn settle(home: &Home, project: &str, args: &ReviewArgs, as_json: bool) -> anyhow::Result<Exit> {
    if !args.release.is_empty() {
        typist::has_to_be_a_person(RELEASING)?;
    }
    let mut answering = Answering::find(home)?;
    // All of them have to be there before any is touched.
    for id in args.release.iter().chain(&args.reject) {
        let detail = show(&mut answering, project, id)?;
        if detail.memory.status != MemoryStatus::Quarantined {
            anyhow::bail!(
                "memory `{}` was not set aside: it is {}",
                detail.memory.id,
                detail.memory.status.word()
            );
        }
    }
    for id in &args.release {
        change_one(&mut answering, project, id, released())?;
    }
    for id in &args.reject {
        forget_one(&mut answering, project, id)?;
    }
    let (released, rejected) = (args.release.len(), args.reject.len());
    if as_json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "released": released, "rejected": rejected }),
        )?;
    } else {
        let released = of(released as u64, "memory").replace("memorys", "memories");
        print(&format!("{released} released, {rejected} rejected.\n"));
    }
    Ok(Exit::Success)
}
