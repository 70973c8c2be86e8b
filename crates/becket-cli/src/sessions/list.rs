//! `becket sessions`: a table of them.

use std::collections::HashSet;
use std::path::Path;

use becket_store::{Millis, Page, SessionFilter, SessionRow};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::exit::Exit;
use crate::records::{self, Which, ago, in_words};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk};
use crate::table::{Look, Side, Table, bad_count, cell, count, looking, whole, width};

#[derive(Args)]
pub(crate) struct SessionsArgs {
    /// How many
    #[arg(short = 'n', long = "limit", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Whether they are over
    #[arg(long, value_enum)]
    status: Option<Status>,
    /// Only the children of this session
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Go on after a page: the `next` that it ended with
    #[arg(long, value_name = "NEXT")]
    after: Option<String>,
    #[command(flatten)]
    which: Which,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Status {
    Active,
    Completed,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}

pub(crate) fn main(args: &SessionsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let chosen = args.which.find(&home);
    let filter = SessionFilter {
        scope: chosen.scope(),
        status: args.status.map(Status::word),
        parent: args.parent.as_deref(),
        limit: args.limit.into(),
        after: args.after.as_deref(),
    };
    let page = match records::open(&home)? {
        Some(reader) => reader.sessions(&filter)?,
        None => Page {
            items: Vec::new(),
            next: None,
        },
    };
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "sessions": page.items, "next": page.next,
        }))?;
    } else if page.items.is_empty() {
        talk("No session is on record that fits.");
    } else {
        print(&table(&page.items, Millis::now()).render(width(), Style::stdout()));
        if let Some(next) = &page.next {
            talk(&format!("There are more: --after '{next}'"));
        }
    }
    Ok(Exit::Success)
}

fn table(sessions: &[SessionRow], now: Millis) -> Table {
    let mut table = Table::new(&[
        ("SESSION", Side::Left),
        ("AGENT", Side::Left),
        ("PROJECT", Side::Left),
        ("LAST", Side::Right),
        ("TOOK", Side::Right),
        ("PROMPTS", Side::Right),
        ("ACTIONS", Side::Right),
        ("FAILED", Side::Right),
        ("DENIED", Side::Right),
        ("ABOUT", Side::Left),
    ])
    .without(&[
        "TOOK", "PROMPTS", "FAILED", "ACTIONS", "DENIED", "LAST", "PROJECT", "AGENT",
    ])
    .about("ABOUT");
    let length = telling_length(sessions);
    for session in sessions {
        let took = session.last_at.since(session.started_at);
        let id: String = session.id.chars().take(length).collect();
        let about = session.title.as_ref().or(session.first_prompt.as_ref());
        table.push(vec![
            whole(id),
            cell(&session.agent),
            cell(session.project.as_deref().map(name_of).unwrap_or_default()),
            match session.status.as_str() {
                "active" => looking("active", Look::Good),
                _ => cell(ago(now.since(session.last_at))),
            },
            cell(in_words(took)),
            count(session.prompts),
            count(session.activities),
            bad_count(session.failures),
            bad_count(session.denied),
            cell(about.map(|text| cut(text)).unwrap_or_default()),
        ]);
    }
    table
}

/// The last part of a directory.
fn name_of(project: &str) -> String {
    let name = Path::new(project).file_name();
    name.map_or_else(
        || project.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Prompts can be books.
fn cut(text: &str) -> String {
    text.chars().take(300).collect()
}

/// How much of an id tells these sessions apart.
fn telling_length(sessions: &[SessionRow]) -> usize {
    let longest = sessions.iter().map(|s| s.id.chars().count()).max();
    let tells = |length: &usize| {
        let mut seen = HashSet::new();
        let beginnings = sessions.iter().map(|s| s.id.chars().take(*length));
        beginnings
            .map(Iterator::collect::<String>)
            .all(|id| seen.insert(id))
    };
    (8..longest.unwrap_or(8))
        .find(tells)
        .unwrap_or(longest.unwrap_or(8))
}
