//! `becket remember`, `becket forget` and `becket memories`: adds, lists, changes and deletes memories.

pub(crate) mod backend;
mod edit;
mod editor;
mod import_export;
mod notes;
mod render;
mod review;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::recall::{
    self, ForgetResult, MemoryDetail, MemoryInput, MemoryListQuery, MemoryPatch, MemoryRequest,
    MemoryResponse,
};
use becket_store::{MemoryKind, MemoryRow, MemoryStatus, Millis};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::args::ProjectArgs;
use crate::caller;
use crate::exit::Exit;
use crate::report::{
    SCHEMA_VERSION, Style, confirm, one_line, print, print_json, print_message, sanitize,
};
use crate::table::terminal_width;
use backend::{MemoryBackend, UNEXPECTED_RESPONSE};

#[derive(Args)]
pub(crate) struct RememberArgs {
    /// Text of the memory, a sentence or two
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    #[arg(long = "type", value_name = "TYPE", default_value = "discovery", value_parser = parse_memory_type,
        help = format!("Memory type: {}", words_of(MemoryKind::reportable())))]
    kind: MemoryKind,
    /// Related file; repeatable
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Context, such as a component or a reason
    #[arg(long)]
    context: Option<String>,
    /// Importance, from 1 to 10
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    importance: u8,
    /// Pin the memory: it is injected first and does not lose rank with age
    #[arg(long)]
    pin: bool,
    /// Expire after this time: 30d, 12w
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    expires: Option<Duration>,
    #[command(flatten)]
    here: ProjectArgs,
}

#[derive(Args)]
pub(crate) struct ForgetArgs {
    /// Memory id or its prefix
    id: String,
    /// Delete without asking for confirmation
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    here: ProjectArgs,
}

#[derive(Args)]
pub(crate) struct MemoriesArgs {
    #[command(subcommand)]
    command: Option<MemoriesCommand>,
    #[command(flatten)]
    here: ProjectArgs,
}

#[derive(Subcommand)]
enum MemoriesCommand {
    /// List memories: pinned ones first, then newest
    List(ListArgs),
    /// Show a memory and its sources
    Show { id: String },
    /// Edit a memory, in your editor or with options
    Edit(edit::EditArgs),
    /// Pin a memory, so that it is injected first
    Pin { id: String },
    /// Unpin a memory
    Unpin { id: String },
    /// Mark a memory as resolved
    Resolve { id: String },
    /// Mark a memory as superseded by another
    Supersede {
        id: String,
        /// The memory that replaces it
        #[arg(long, value_name = "ID")]
        by: String,
    },
    /// Reactivate a memory that was resolved, superseded or has expired
    Reopen { id: String },
    /// Review quarantined memories (possible prompt injection): release or reject them
    Review(review::ReviewArgs),
    /// Import memories from a notes file, such as CLAUDE.md or AGENTS.md
    Import(import_export::MemoryImportArgs),
    /// Export active memories as Markdown
    Export(import_export::MemoryExportArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_memory_type)]
    kind: Option<MemoryKind>,
    /// Only memories with this status: active, resolved, superseded, quarantined
    #[arg(long, default_value = "active", value_parser = parse_status)]
    status: MemoryStatus,
    /// Include memories of every status
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Only memories related to this file, relative to the project
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only memories from this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Maximum number of memories
    #[arg(short = 'n', long = "limit", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

pub(crate) fn parse_memory_type(text: &str) -> Result<MemoryKind, String> {
    let words = words_of(MemoryKind::ALL.iter().copied());
    MemoryKind::parse(&text.replace('-', "_"))
        .ok_or_else(|| format!("unknown memory type; use one of {words}"))
}

/// The words of memory types, for help and messages.
pub(crate) fn words_of(kinds: impl Iterator<Item = MemoryKind>) -> String {
    kinds.map(MemoryKind::word).collect::<Vec<_>>().join(", ")
}

fn parse_status(text: &str) -> Result<MemoryStatus, String> {
    let words: Vec<&str> = MemoryStatus::ALL
        .iter()
        .map(|status| status.word())
        .collect();
    MemoryStatus::parse(text)
        .ok_or_else(|| format!("unknown status; use one of {}", words.join(", ")))
}

fn parse_span(text: &str) -> Result<Duration, String> {
    becket_base::time::parse_span(text)
        .ok_or_else(|| "write a number and s, m, h, d or w, as in 30d".to_owned())
}

/// The home and the project of a command, with the project's canonical path as it is recorded.
pub(crate) fn resolve_project(here: &ProjectArgs) -> anyhow::Result<(Home, String)> {
    let (home, root) = here.find()?;
    let root = root.canonicalize().unwrap_or(root);
    let name = root
        .to_str()
        .with_context(|| format!("`{}` is not a UTF-8 path", root.display()))?;
    Ok((home, name.to_owned()))
}

pub(crate) fn remember(args: &RememberArgs) -> anyhow::Result<Exit> {
    if args.pin {
        caller::require_person("pinning a memory")?;
    }
    let (home, project) = resolve_project(&args.here)?;
    let files = args
        .file
        .iter()
        .map(|file| relative_to_project(&project, file));
    let note = MemoryInput {
        kind: args.kind,
        context: args.context.clone(),
        files: files.collect(),
        importance: args.importance,
        pinned: args.pin,
        expires: args.expires.map(|span| Millis::now().plus(span)),
        trust: Some(caller::trust_level()),
        agent: caller::agent_of_shell().map(str::to_owned),
        commit: recall::head_commit(project.as_ref()),
        ..MemoryInput::new(project, args.text.join(" "))
    };
    let response = MemoryBackend::open(&home)?.query(MemoryRequest::Remember(note))?;
    let MemoryResponse::Remembered(stored) = response else {
        bail!(UNEXPECTED_RESPONSE);
    };
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "remembered": stored }))?;
    } else if let (Some(why), true) = (&stored.suspect, stored.new) {
        print(&format!(
            "Quarantined as {} until you review it: {why}.\n",
            stored.id
        ));
    } else if stored.new {
        print(&format!("Added as {}.\n", stored.id));
    } else {
        print(&format!(
            "Already stored as {} ({}).\n",
            stored.id,
            stored.status.word()
        ));
    }
    Ok(Exit::Success)
}

/// A path from the command line, relative to the project.
fn relative_to_project(project: &str, file: &std::path::Path) -> String {
    let absolute = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let inside = absolute.strip_prefix(project).unwrap_or(&absolute);
    inside.to_string_lossy().into_owned()
}

pub(crate) fn forget(args: &ForgetArgs) -> anyhow::Result<Exit> {
    let (home, project) = resolve_project(&args.here)?;
    let mut backend = MemoryBackend::open(&home)?;
    let detail = load_memory(&mut backend, &project, &args.id)?;
    let memory = &detail.memory;
    print_message(&format!(
        "{}  {}  {}",
        memory.id,
        memory.kind.word(),
        one_line(&memory.text, terminal_width())
    ));
    print_message(
        "This also deletes its embedding, its index entries and every trace in the database files. The events it came from stay.",
    );
    if !detail.supersedes.is_empty() {
        print_message(&format!(
            "The memories that it superseded stay superseded ({}); reactivate one with `becket memories reopen ID`.",
            detail.supersedes.join(", ")
        ));
    }
    if !args.yes && !confirm("Delete it?") {
        print_message("Nothing deleted; pass --yes to delete without asking.");
        return Ok(Exit::Failure);
    }
    let forgotten = forget_memory(&mut backend, &project, &memory.id)?;
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "forgotten": forgotten }))?;
    } else {
        print(&format!("Deleted {}.\n", forgotten.memory.id));
    }
    if !forgotten.traceless {
        print_message(
            "Another process was reading the database: its write-ahead log may hold a trace until the next change.",
        );
    }
    Ok(Exit::Success)
}

fn forget_memory(
    backend: &mut MemoryBackend,
    project: &str,
    id: &str,
) -> anyhow::Result<ForgetResult> {
    let ask = MemoryRequest::Forget {
        project: Some(project.to_owned()),
        id: id.to_owned(),
    };
    match backend.query(ask)? {
        MemoryResponse::Forgotten(gone) => Ok(*gone),
        _ => bail!(UNEXPECTED_RESPONSE),
    }
}

pub(crate) fn main(args: &MemoriesArgs) -> anyhow::Result<Exit> {
    let (home, project) = resolve_project(&args.here)?;
    let as_json = args.here.json;
    let Some(command) = &args.command else {
        let usual = ListArgs {
            kind: None,
            status: MemoryStatus::Active,
            all: false,
            file: None,
            session: None,
            limit: 50,
        };
        return print_list(&home, &project, &usual, as_json);
    };
    let with = |change: MemoryPatch, id: &String| -> anyhow::Result<Exit> {
        let mut backend = MemoryBackend::open(&home)?;
        let detail = change_memory(&mut backend, &project, id, change)?;
        render::detail(&detail, as_json)
    };
    let with_care = |change: MemoryPatch, id: &String| -> anyhow::Result<Exit> {
        let mut backend = MemoryBackend::open(&home)?;
        let detail = change_memory(&mut backend, &project, id, change)?;
        warn_if_inactive(&detail.memory);
        render::detail(&detail, as_json)
    };
    let status = |status| MemoryPatch {
        status: Some(status),
        ..MemoryPatch::default()
    };
    let pinned = |pinned| MemoryPatch {
        pinned: Some(pinned),
        ..MemoryPatch::default()
    };
    match command {
        MemoriesCommand::List(args) => print_list(&home, &project, args, as_json),
        MemoriesCommand::Show { id } => {
            let detail = load_memory(&mut MemoryBackend::open(&home)?, &project, id)?;
            render::detail(&detail, as_json)
        }
        MemoriesCommand::Edit(args) => edit::main(&home, &project, args, as_json),
        MemoriesCommand::Pin { id } => {
            caller::require_person("pinning a memory")?;
            with_care(pinned(true), id)
        }
        MemoriesCommand::Unpin { id } => with(pinned(false), id),
        MemoriesCommand::Resolve { id } => with(status(MemoryStatus::Resolved), id),
        MemoriesCommand::Supersede { id, by } => {
            let change = MemoryPatch {
                superseded_by: Some(by.clone()),
                ..MemoryPatch::default()
            };
            with(change, id)
        }
        MemoriesCommand::Reopen { id } => reopen(&home, &project, id, as_json),
        MemoriesCommand::Review(args) => review::main(&home, &project, args, as_json),
        MemoriesCommand::Import(args) => import_export::import(&home, &project, args, as_json),
        MemoriesCommand::Export(args) => import_export::export(&home, &project, args),
    }
}

fn reopen(home: &Home, project: &str, id: &str, as_json: bool) -> anyhow::Result<Exit> {
    let mut backend = MemoryBackend::open(home)?;
    let memory = load_memory(&mut backend, project, id)?.memory;
    if memory.status == MemoryStatus::Quarantined {
        bail!(
            "memory `{}` is quarantined\nhint: review and release it with `becket memories review`",
            memory.id
        );
    }
    let has_expired = memory.expires.is_some_and(|end| end <= Millis::now());
    let change = MemoryPatch {
        status: Some(MemoryStatus::Active),
        expires: has_expired.then_some(None),
        ..MemoryPatch::default()
    };
    let detail = change_memory(&mut backend, project, &memory.id, change)?;
    render::detail(&detail, as_json)
}

/// Warns that a changed memory is not active, so it is never injected.
fn warn_if_inactive(memory: &MemoryRow) {
    let way_back = match memory.status {
        MemoryStatus::Active => return,
        MemoryStatus::Quarantined => "review",
        MemoryStatus::Resolved | MemoryStatus::Superseded => "reopen ID",
    };
    print_message(&format!(
        "becket: {} is {}, so it is not injected\nhint: `becket memories {way_back}` makes it active again",
        memory.id,
        memory.status.word()
    ));
}

fn change_memory(
    backend: &mut MemoryBackend,
    project: &str,
    id: &str,
    change: MemoryPatch,
) -> anyhow::Result<MemoryDetail> {
    let ask = MemoryRequest::Change {
        project: Some(project.to_owned()),
        id: id.to_owned(),
        change,
    };
    expect_detail(backend.query(ask))
}

fn load_memory(
    backend: &mut MemoryBackend,
    project: &str,
    id: &str,
) -> anyhow::Result<MemoryDetail> {
    let ask = MemoryRequest::Show {
        project: Some(project.to_owned()),
        id: id.to_owned(),
    };
    expect_detail(backend.query(ask))
}

fn expect_detail(response: anyhow::Result<MemoryResponse>) -> anyhow::Result<MemoryDetail> {
    let response = response.map_err(|error| {
        anyhow::anyhow!(
            "{}\nhint: list all memories with `becket memories list --all`",
            sanitize(&format!("{error:#}"))
        )
    })?;
    match response {
        MemoryResponse::Memory(detail) => Ok(*detail),
        _ => bail!(UNEXPECTED_RESPONSE),
    }
}

/// Lists memories, without creating a database.
fn list_memories(home: &Home, which: MemoryListQuery) -> anyhow::Result<Vec<MemoryRow>> {
    if !home.database().exists() {
        return Ok(Vec::new());
    }
    match MemoryBackend::open(home)?.query(MemoryRequest::List(which))? {
        MemoryResponse::Memories(memories) => Ok(memories),
        _ => bail!(UNEXPECTED_RESPONSE),
    }
}

fn print_list(home: &Home, project: &str, args: &ListArgs, as_json: bool) -> anyhow::Result<Exit> {
    let which = MemoryListQuery {
        project: Some(project.to_owned()),
        kind: args.kind,
        status: (!args.all).then_some(args.status),
        session: args.session.clone(),
        file: args.file.clone(),
        limit: usize::from(args.limit),
    };
    let memories = list_memories(home, which)?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memories": memories }))?;
    } else if memories.is_empty() {
        print_message("No memories here yet. Add one: becket remember \"…\"");
    } else {
        print(&render::table(&memories, Millis::now()).render(terminal_width(), Style::stdout()));
    }
    Ok(Exit::Success)
}
