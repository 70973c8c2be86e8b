//! `becket search`: what is relevant, and how sure that is.

use anyhow::bail;
use becket::Home;
use becket_daemon::recall::{Ask, Item, Question, Told};
use becket_recall::search::{Band, Kind};
use becket_store::{MemoryKind, Millis, Reader};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::args::Here;
use crate::exit::Exit;
use crate::memories::asking::{Answering, UNEXPECTED};
use crate::memories::{a_type, project_of};
use crate::records::a_moment;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk};
use crate::table::{Cell, Look, Side, Table, cell, looking, whole, width};

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// Words, a sentence, a whole question
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Only these
    #[arg(long, value_enum, value_delimiter = ',')]
    kind: Vec<KindArg>,
    /// Only memories of these types: gotcha, decision, bug_fix, discovery, trade_off, session_summary, plan
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = a_type)]
    types: Vec<MemoryKind>,
    /// Only what is in this file or about it; a directory means all of its files
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Nothing older: a time, a day, or how long ago (12h, 7d)
    #[arg(long, value_name = "TIME", value_parser = a_moment)]
    since: Option<Millis>,
    /// Only what came from this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Also what is hardly relevant
    #[arg(long)]
    weak: bool,
    /// How many
    #[arg(short = 'n', long = "limit", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    #[command(flatten)]
    here: Here,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindArg {
    Memory,
    Code,
    Session,
    Plan,
}

impl From<KindArg> for Kind {
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
    let (home, project) = project_of(&args.here)?;
    let asked_of = project.clone();
    let question = Question {
        kinds: args.kind.iter().copied().map(Kind::from).collect(),
        types: args.types.clone(),
        file: args.file.clone(),
        since: args.since,
        agent: args.agent.clone(),
        least: if args.weak { Band::Weak } else { Band::Low },
        limit: usize::from(args.limit),
        ..Question::new(project, args.query.join(" "))
    };
    // Nothing is made by looking for it.
    let found = if home.database().exists() {
        match Answering::find(&home)?.ask(Ask::Search(question))? {
            Told::Found(found) => found,
            _ => bail!(UNEXPECTED),
        }
    } else {
        Vec::new()
    };
    if args.here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "items": found }))?;
    } else if found.is_empty() {
        let hint = if is_indexed(&home, &asked_of) {
            ""
        } else {
            "`becket index` lets the code of this project be found; "
        };
        let weak = "--weak shows what is hardly relevant";
        talk(&format!("Nothing relevant was found.\nhint: {hint}{weak}"));
    } else {
        print(&table(&found).render(width(), Style::stdout()));
    }
    Ok(Exit::Success)
}

/// Whether something of the project's code can be found at all.
fn is_indexed(home: &Home, project: &str) -> bool {
    let numbers = Reader::open(home.database()).and_then(|reader| reader.recall_numbers(project));
    numbers.is_ok_and(|numbers| numbers.files > 0)
}

fn table(found: &[Item]) -> Table {
    let mut table = Table::new(&[
        ("SCORE", Side::Right),
        ("BAND", Side::Left),
        ("KIND", Side::Left),
        ("WHERE", Side::Left),
        ("WHAT", Side::Left),
        ("WHY", Side::Left),
    ])
    .without(&["WHY", "BAND", "SCORE", "KIND"])
    .about("WHAT");
    for item in found {
        let (kind, place, what) = shown(item);
        table.push(vec![
            cell(format!("{:.2}", item.score)),
            band(item.band),
            cell(kind),
            if item.memory.is_some() {
                whole(place)
            } else {
                cell(place)
            },
            cell(what),
            looking(&item.why, Look::Dim),
        ]);
    }
    table
}

fn band(band: Band) -> Cell {
    let look = match band {
        Band::High => Look::Good,
        Band::Medium => Look::Plain,
        Band::Low => Look::Warn,
        Band::Weak => Look::Dim,
    };
    looking(band.word(), look)
}

fn shown(item: &Item) -> (&'static str, String, String) {
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
