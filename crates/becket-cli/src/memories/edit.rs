//! `becket memories edit`: changes a memory.

use std::time::Duration;

use becket::Home;
use becket_daemon::recall::MemoryPatch;
use becket_store::{MemoryKind, Millis};
use clap::Args;

use super::backend::MemoryBackend;
use super::{
    change_memory, editor, load_memory, parse_memory_type, parse_span, render, warn_if_inactive,
};
use crate::caller;
use crate::exit::Exit;
use crate::report::print_message;

#[derive(Args)]
pub(super) struct EditArgs {
    /// Memory id or its prefix
    id: String,
    /// New text; without any change on the command line, your editor opens
    #[arg(long)]
    text: Option<String>,
    /// New type
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_memory_type)]
    kind: Option<MemoryKind>,
    /// New context; empty removes it
    #[arg(long)]
    context: Option<String>,
    /// New related files, replacing the old ones
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// Importance, from 1 to 10
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    importance: Option<u8>,
    /// Expire after this time: 30d, 12w; `never` removes the expiry
    #[arg(long, value_name = "SPAN", value_parser = parse_expiry)]
    expires: Option<ExpiryChange>,
}

/// When a memory expires.
#[derive(Debug, Clone, Copy)]
enum ExpiryChange {
    Never,
    After(Duration),
}

fn parse_expiry(text: &str) -> Result<ExpiryChange, String> {
    match text {
        "never" => Ok(ExpiryChange::Never),
        text => parse_span(text).map(ExpiryChange::After),
    }
}

pub(super) fn main(
    home: &Home,
    project: &str,
    args: &EditArgs,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let mut change = requested_change(args);
    if change == MemoryPatch::default() || change.text.is_some() || change.context.is_some() {
        // The new text would inherit the author's trust level.
        caller::require_person("changing a memory's text")?;
    }
    let mut id = args.id.clone();
    if change == MemoryPatch::default() {
        // Release the backend while the editor is open: without a daemon it holds the lock.
        let memory = load_memory(&mut MemoryBackend::open(home)?, project, &id)?.memory;
        let text = editor::edit(home, &memory.text)?;
        if text.trim() == memory.text.trim() {
            print_message("No changes.");
            return Ok(Exit::Success);
        }
        id = memory.id;
        change.text = Some(text);
    }
    let detail = change_memory(&mut MemoryBackend::open(home)?, project, &id, change)?;
    warn_if_inactive(&detail.memory);
    render::detail(&detail, as_json)
}

fn requested_change(args: &EditArgs) -> MemoryPatch {
    MemoryPatch {
        text: args.text.clone(),
        kind: args.kind,
        context: args
            .context
            .clone()
            .map(|text| Some(text).filter(|text| !text.is_empty())),
        files: (!args.file.is_empty()).then(|| args.file.clone()),
        importance: args.importance,
        expires: args.expires.map(|end| match end {
            ExpiryChange::Never => None,
            ExpiryChange::After(span) => Some(Millis::now().plus(span)),
        }),
        ..MemoryPatch::default()
    }
}
