//! `becket remember`, `becket forget` and `becket memories`: what is remembered, and what a person makes of it.

pub(crate) mod asking;
mod edit;
mod editor;
mod notes;
mod review;
mod shown;
mod written;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use becket::Home;
use becket_daemon::moment;
use becket_daemon::recall::{self, Ask, Change, Detail, Forgotten, Note, Told, Which};
use becket_store::{MemoryKind, MemoryRow, MemoryStatus, Millis};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::args::Here;
use crate::exit::Exit;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, confirm, one_line, print, print_json, talk, tame};
use crate::table::width;
use crate::typist;
use asking::{Answering, UNEXPECTED};

#[derive(Args)]
pub(crate) struct RememberArgs {
    /// What to remember, in a sentence or two
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// What it is: gotcha, decision, bug_fix, discovery, trade_off
    #[arg(long = "type", value_name = "TYPE", default_value = "discovery", value_parser = a_type)]
    kind: MemoryKind,
    /// A file that it is about; may be given more than once
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Where it belongs, or why
    #[arg(long)]
    context: Option<String>,
    /// From 1 to 10
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    importance: u8,
    /// Show it first, and do not let it grow old
    #[arg(long)]
    pin: bool,
    /// Let it stop being true after a while: 30d, 12w
    #[arg(long, value_name = "SPAN", value_parser = a_span)]
    expires: Option<Duration>,
    #[command(flatten)]
    here: Here,
}

#[derive(Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id, or the beginning of it
    id: String,
    /// Forget without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    here: Here,
}

#[derive(Args)]
pub(crate) struct MemoriesArgs {
    #[command(subcommand)]
    command: Option<MemoriesCommand>,
    #[command(flatten)]
    here: Here,
}

#[derive(Subcommand)]
enum MemoriesCommand {
    /// List them, pinned ones first, then the latest
    List(ListArgs),
    /// Tell one, and where it comes from
    Show { id: String },
    /// Change what one says, in your editor unless you say it here
    Edit(edit::EditArgs),
    /// Show one first, always
    Pin { id: String },
    /// Let one take its turn again
    Unpin { id: String },
    /// Note that what one is about is done with
    Resolve { id: String },
    /// Note that another says it better
    Supersede {
        id: String,
        /// The memory that takes its place
        #[arg(long, value_name = "ID")]
        by: String,
    },
    /// Let one hold again that was resolved, superseded or has expired
    Reopen { id: String },
    /// Look at what was set aside because it reads like an instruction, and release or reject it
    Review(review::ReviewArgs),
    /// Remember what a file of notes says, such as CLAUDE.md or AGENTS.md: shows it, asks, writes
    Import(written::ImportArgs),
    /// Write all that holds, as Markdown
    Export(written::ExportArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = a_type)]
    kind: Option<MemoryKind>,
    /// Only these: active, resolved, superseded, quarantined
    #[arg(long, default_value = "active", value_parser = a_status)]
    status: MemoryStatus,
    /// Whether they hold or not
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Only those about this file, as its project sees it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only those that came from this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// How many
    #[arg(short = 'n', long = "limit", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

pub(crate) fn a_type(text: &str) -> Result<MemoryKind, String> {
    let words: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.word()).collect();
    MemoryKind::parse(&text.replace('-', "_"))
        .ok_or_else(|| format!("a memory is one of {}", words.join(", ")))
}

fn a_status(text: &str) -> Result<MemoryStatus, String> {
    let words: Vec<&str> = MemoryStatus::ALL
        .iter()
        .map(|status| status.word())
        .collect();
    MemoryStatus::parse(text).ok_or_else(|| format!("a memory is one of {}", words.join(", ")))
}

fn a_span(text: &str) -> Result<Duration, String> {
    moment::span(text).ok_or_else(|| "write a number and s, m, h, d or w, as in 30d".to_owned())
}

/// The project that a command is about, as the record calls it.
pub(crate) fn project_of(here: &Here) -> anyhow::Result<(Home, String)> {
    let (home, root) = here.find()?;
    let root = root.canonicalize().unwrap_or(root);
    let name = root
        .to_str()
        .with_context(|| format!("`{}` has a name that is not text", root.display()))?;
    Ok((home, name.to_owned()))
}

pub(crate) fn remember(args: &RememberArgs) -> anyhow::Result<Exit> {
    if args.pin {
        typist::has_to_be_a_person("what is shown first")?;
    }
    let (home, project) = project_of(&args.here)?;
    let files = args.file.iter().map(|file| as_seen_from(&project, file));
    let note = Note {
        kind: args.kind,
        context: args.context.clone(),
        files: files.collect(),
        importance: args.importance,
        pinned: args.pin,
        expires: args.expires.map(|span| Millis::now().plus(span)),
        trust: Some(typist::trust()),
        agent: typist::agent().map(str::to_owned),
        commit: recall::head(project.as_ref()),
        ..Note::new(project, args.text.join(" "))
    };
    let told = Answering::find(&home)?.ask(Ask::Remember(note))?;
    let Told::Remembered(kept) = told else {
        bail!(UNEXPECTED);
    };
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "remembered": kept }))?;
    } else if let (Some(why), true) = (&kept.suspect, kept.new) {
        print(&format!(
            "Set aside as {} until a person has looked at it: {why}.\n",
            kept.id
        ));
    } else if kept.new {
        print(&format!("Remembered as {}.\n", kept.id));
    } else {
        print(&format!(
            "It is known already, as {} ({}).\n",
            kept.id,
            kept.status.word()
        ));
    }
    Ok(Exit::Success)
}

/// A file that a person names from where they are, as its project sees it.
fn as_seen_from(project: &str, file: &std::path::Path) -> String {
    let absolute = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let inside = absolute.strip_prefix(project).unwrap_or(&absolute);
    inside.to_string_lossy().into_owned()
}

pub(crate) fn forget(args: &ForgetArgs) -> anyhow::Result<Exit> {
    let (home, project) = project_of(&args.here)?;
    let mut answering = Answering::find(&home)?;
    let detail = show(&mut answering, &project, &args.id)?;
    let memory = &detail.memory;
    talk(&format!(
        "{}  {}  {}",
        memory.id,
        memory.kind.word(),
        one_line(&memory.text, width())
    ));
    talk(
        "Its vector, its words in the index and every trace in the database's files go with it. The events that it came from stay.",
    );
    if !detail.supersedes.is_empty() {
        let count = of(detail.supersedes.len() as u64, "memory it superseded")
            .replace("supersededs", "superseded");
        talk(&format!(
            "{count} ({}) will not come back by itself; `becket memories reopen ID` brings one back.",
            detail.supersedes.join(", ")
        ));
    }
    if !args.yes && !confirm("Forget it?") {
        talk("Nothing was forgotten; --yes does it without asking.");
        return Ok(Exit::Failure);
    }
    let gone = forget_one(&mut answering, &project, &memory.id)?;
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "forgotten": gone }))?;
    } else {
        print(&format!("{} is forgotten.\n", gone.memory.id));
    }
    if !gone.traceless {
        talk("Somebody was reading the database: its log may hold a trace until the next change.");
    }
    Ok(Exit::Success)
}

fn forget_one(answering: &mut Answering, project: &str, id: &str) -> anyhow::Result<Forgotten> {
    let ask = Ask::Forget {
        project: Some(project.to_owned()),
        id: id.to_owned(),
    };
    match answering.ask(ask)? {
        Told::Forgotten(gone) => Ok(*gone),
        _ => bail!(UNEXPECTED),
    }
}

pub(crate) fn main(args: &MemoriesArgs) -> anyhow::Result<Exit> {
    let (home, project) = project_of(&args.here)?;
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
        return list(&home, &project, &usual, as_json);
    };
    let with = |change: Change, id: &String| -> anyhow::Result<Exit> {
        let mut answering = Answering::find(&home)?;
        let detail = change_one(&mut answering, &project, id, change)?;
        shown::detail(&detail, as_json)
    };
    let with_care = |change: Change, id: &String| -> anyhow::Result<Exit> {
        let mut answering = Answering::find(&home)?;
        let detail = change_one(&mut answering, &project, id, change)?;
        warn_if_it_does_not_hold(&detail.memory);
        shown::detail(&detail, as_json)
    };
    let status = |status| Change {
        status: Some(status),
        ..Change::default()
    };
    let pinned = |pinned| Change {
        pinned: Some(pinned),
        ..Change::default()
    };
    match command {
        MemoriesCommand::List(args) => list(&home, &project, args, as_json),
        MemoriesCommand::Show { id } => {
            let detail = show(&mut Answering::find(&home)?, &project, id)?;
            shown::detail(&detail, as_json)
        }
        MemoriesCommand::Edit(args) => edit::main(&home, &project, args, as_json),
        MemoriesCommand::Pin { id } => {
            typist::has_to_be_a_person("what is shown first")?;
            with_care(pinned(true), id)
        }
        MemoriesCommand::Unpin { id } => with(pinned(false), id),
        MemoriesCommand::Resolve { id } => with(status(MemoryStatus::Resolved), id),
        MemoriesCommand::Supersede { id, by } => {
            let change = Change {
                superseded_by: Some(by.clone()),
                ..Change::default()
            };
            with(change, id)
        }
        MemoriesCommand::Reopen { id } => reopen(&home, &project, id, as_json),
        MemoriesCommand::Review(args) => review::main(&home, &project, args, as_json),
        MemoriesCommand::Import(args) => written::import(&home, &project, args, as_json),
        MemoriesCommand::Export(args) => written::export(&home, &project, args),
    }
}

fn reopen(home: &Home, project: &str, id: &str, as_json: bool) -> anyhow::Result<Exit> {
    let mut answering = Answering::find(home)?;
    let memory = show(&mut answering, project, id)?.memory;
    if memory.status == MemoryStatus::Quarantined {
        bail!(
            "memory `{}` was set aside\nhint: `becket memories review` shows it, and lets you release it",
            memory.id
        );
    }
    let has_expired = memory.expires.is_some_and(|end| end <= Millis::now());
    let change = Change {
        status: Some(MemoryStatus::Active),
        expires: has_expired.then_some(None),
        ..Change::default()
    };
    let detail = change_one(&mut answering, project, &memory.id, change)?;
    shown::detail(&detail, as_json)
}

/// Who changes what agents are not told should know that.
fn warn_if_it_does_not_hold(memory: &MemoryRow) {
    let way_back = match memory.status {
        MemoryStatus::Active => return,
        MemoryStatus::Quarantined => "review",
        MemoryStatus::Resolved | MemoryStatus::Superseded => "reopen ID",
    };
    talk(&format!(
        "becket: {} is {}, so that no agent is told it\nhint: `becket memories {way_back}` lets it hold again",
        memory.id,
        memory.status.word()
    ));
}

fn change_one(
    answering: &mut Answering,
    project: &str,
    id: &str,
    change: Change,
) -> anyhow::Result<Detail> {
    let ask = Ask::Change {
        project: Some(project.to_owned()),
        id: id.to_owned(),
        change,
    };
    detailed(answering.ask(ask))
}

fn show(answering: &mut Answering, project: &str, id: &str) -> anyhow::Result<Detail> {
    let ask = Ask::Show {
        project: Some(project.to_owned()),
        id: id.to_owned(),
    };
    detailed(answering.ask(ask))
}

fn detailed(told: anyhow::Result<Told>) -> anyhow::Result<Detail> {
    let told = told.map_err(|error| {
        anyhow::anyhow!(
            "{}\nhint: `becket memories list --all` lists them",
            tame(&format!("{error:#}"))
        )
    })?;
    match told {
        Told::Memory(detail) => Ok(*detail),
        _ => bail!(UNEXPECTED),
    }
}

/// What is listed, without making a database by looking for one.
fn listed(home: &Home, which: Which) -> anyhow::Result<Vec<MemoryRow>> {
    if !home.database().exists() {
        return Ok(Vec::new());
    }
    match Answering::find(home)?.ask(Ask::List(which))? {
        Told::Memories(memories) => Ok(memories),
        _ => bail!(UNEXPECTED),
    }
}

fn list(home: &Home, project: &str, args: &ListArgs, as_json: bool) -> anyhow::Result<Exit> {
    let which = Which {
        project: Some(project.to_owned()),
        kind: args.kind,
        status: (!args.all).then_some(args.status),
        session: args.session.clone(),
        file: args.file.clone(),
        limit: usize::from(args.limit),
    };
    let memories = listed(home, which)?;
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memories": memories }))?;
    } else if memories.is_empty() {
        talk(
            "Nothing of that is remembered in this project.\nhint: `becket remember \"…\"` begins",
        );
    } else {
        print(&shown::table(&memories, Millis::now()).render(width(), Style::stdout()));
    }
    Ok(Exit::Success)
}
