//! `becket memories edit`: what a memory says, changed by a person.

use std::time::Duration;

use becket::Home;
use becket_daemon::recall::Change;
use becket_store::{MemoryKind, Millis};
use clap::Args;

use super::asking::Answering;
use super::{a_span, a_type, change_one, editor, show, shown, warn_if_it_does_not_hold};
use crate::exit::Exit;
use crate::report::talk;
use crate::typist;

#[derive(Args)]
pub(super) struct EditArgs {
    /// The memory's id, or the beginning of it
    id: String,
    /// What it is to say; without this or another change, your editor opens on what it says
    #[arg(long)]
    text: Option<String>,
    /// What it is
    #[arg(long = "type", value_name = "TYPE", value_parser = a_type)]
    kind: Option<MemoryKind>,
    /// Where it belongs; nothing is nowhere in particular
    #[arg(long)]
    context: Option<String>,
    /// The files that it is about, instead of those before
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// From 1 to 10
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    importance: Option<u8>,
    /// Let it stop being true after a while: 30d, 12w; `never` takes that back
    #[arg(long, value_name = "SPAN", value_parser = an_end)]
    expires: Option<End>,
}

/// When a memory stops being true.
#[derive(Debug, Clone, Copy)]
enum End {
    Never,
    After(Duration),
}

fn an_end(text: &str) -> Result<End, String> {
    match text {
        "never" => Ok(End::Never),
        text => a_span(text).map(End::After),
    }
}

pub(super) fn main(
    home: &Home,
    project: &str,
    args: &EditArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let mut change = wanted(args);
    if change == Change::default() || change.text.is_some() || change.context.is_some() {
        // The new words would be believed like the old ones, whoever said those.
        typist::has_to_be_a_person("changing what a memory says")?;
    }
    let mut id = args.id.clone();
    if change == Change::default() {
        // Whoever answers is let go while a person thinks: without a daemon, it holds the lock.
        let memory = show(&mut Answering::find(home)?, project, &id)?.memory;
        let text = editor::edit(home, &memory.text)?;
        if text.trim() == memory.text.trim() {
            talk("Nothing was changed.");
            return Ok(Exit::Success);
        }
        id = memory.id;
        change.text = Some(text);
    }
    let detail = change_one(&mut Answering::find(home)?, project, &id, change)?;
    warn_if_it_does_not_hold(&detail.memory);
    shown::detail(&detail, as_json)
}

fn wanted(args: &EditArgs) -> Change {
    Change {
        text: args.text.clone(),
        kind: args.kind,
        context: args
            .context
            .clone()
            .map(|text| Some(text).filter(|text| !text.is_empty())),
        files: (!args.file.is_empty()).then(|| args.file.clone()),
        importance: args.importance,
        expires: args.expires.map(|end| match end {
            End::Never => None,
            End::After(span) => Some(Millis::now().plus(span)),
        }),
        ..Change::default()
    }
}
