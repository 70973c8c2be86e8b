//! `becket search`: searches memories, code, sessions and plans.

use anyhow::bail;
use becket::Home;
use becket_daemon::recall::{MemoryRequest, MemoryResponse, RecallHit, RecallQuery};
use becket_recall::search::{Band, HitKind};
use becket_store::{MemoryKind, Millis, StoreReader};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::memories::backend::{MemoryBackend, UNEXPECTED_RESPONSE};
use crate::memories::{parse_memory_type, resolve_project, words_of};
use crate::records::parse_time;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message};
use crate::table::{
    Alignment, Cell, CellStyle, Table, cell, styled_cell, terminal_width, uncut_cell,
};

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// Query: words, a sentence or a question
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Kinds of results to include
    #[arg(long, value_enum, value_delimiter = ',')]
    kind: Vec<KindArg>,
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = parse_memory_type,
        help = format!("Only memories of these types: {}", words_of(MemoryKind::ALL.iter().copied())))]
    types: Vec<MemoryKind>,
    /// Only results in or about this file, or the files of this directory
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only results since a time (2026-11-16) or a duration ago (12h, 7d)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<Millis>,
    /// Only results from this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Include results of low relevance
    #[arg(long)]
    weak: bool,
    /// Maximum number of results
    #[arg(short = 'n', long = "limit", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    #[command(flatten)]
    here: ProjectArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindArg {
    Memory,
    Code,
    Session,
    Plan,
}

impl From<KindArg> for HitKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Memory => Self::Memory,
            KindArg::Code => Self::Code,
            KindArg::Session => Self::Session,
            KindArg::Plan => Self::Plan,
        }
    }
}

pub(crate) fn main(args: &SearchArgs) -> anyhow::Result<Exit> {
    let (home, project) = resolve_project(&args.here)?;
    let searched_project = project.clone();
    let question = RecallQuery {
        kinds: args.kind.iter().copied().map(HitKind::from).collect(),
        types: args.types.clone(),
        file: args.file.clone(),
        since: args.since,
        agent: args.agent.clone(),
        min_band: if args.weak { Band::Weak } else { Band::Low },
        limit: usize::from(args.limit),
        ..RecallQuery::new(project, args.query.join(" "))
    };
    // A search does not create the database.
    let found = if home.database().exists() {
        match MemoryBackend::open(&home)?.query(MemoryRequest::Search(question))? {
            MemoryResponse::Found(found) => found,
            _ => bail!(UNEXPECTED_RESPONSE),
        }
    } else {
        Vec::new()
    };
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "items": found }))?;
    } else if found.is_empty() {
        let hint = if is_indexed(&home, &searched_project) {
            ""
        } else {
            "index this project's code with `becket index`; "
        };
        let weak = "include weak matches with --weak";
        print_message(&format!("No relevant results.\nhint: {hint}{weak}"));
    } else {
        print(&results_table(&found).render(terminal_width(), Style::stdout()));
    }
    Ok(Exit::Success)
}

/// Whether the project's code is indexed.
fn is_indexed(home: &Home, project: &str) -> bool {
    let numbers =
        StoreReader::open(home.database()).and_then(|reader| reader.recall_counts(project));
    numbers.is_ok_and(|numbers| numbers.files > 0)
}

fn results_table(found: &[RecallHit]) -> Table {
    let mut table = Table::new(&[
        ("SCORE", Alignment::Right),
        ("RELEVANCE", Alignment::Left),
        ("KIND", Alignment::Left),
        ("LOCATION", Alignment::Left),
        ("TEXT", Alignment::Left),
        ("MATCH", Alignment::Left),
    ])
    .with_optional_columns(&["MATCH", "RELEVANCE", "SCORE", "KIND"])
    .with_subject("TEXT");
    for item in found {
        let (kind, place, what) = describe(item);
        table.push(vec![
            cell(format!("{:.2}", item.score)),
            band_cell(item.band),
            cell(kind),
            if item.memory.is_some() {
                uncut_cell(place)
            } else {
                cell(place)
            },
            cell(what),
            styled_cell(&item.why, CellStyle::Dim),
        ]);
    }
    table
}

fn band_cell(band: Band) -> Cell {
    let look = match band {
        Band::High => CellStyle::Good,
        Band::Medium => CellStyle::Plain,
        Band::Low => CellStyle::Warn,
        Band::Weak => CellStyle::Dim,
    };
    styled_cell(band.word(), look)
}

fn describe(item: &RecallHit) -> (&'static str, String, String) {
    if let Some(memory) = &item.memory {
        return (memory.kind.word(), memory.id.clone(), memory.text.clone());
    }
    let Some(code) = &item.code else {
        return (item.kind.word(), String::new(), String::new());
    };
    let first = code.text.lines().find(|line| !line.trim().is_empty());
    let what = code.name.as_deref().or(first).unwrap_or_default();
    let place = format!("{}:{}", code.path, code.start);
    (item.kind.word(), place, what.to_owned())
}
