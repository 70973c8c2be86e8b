//! `becket sessions`: lists recorded sessions.

use std::collections::HashSet;
use std::path::Path;

use becket_base::time::format_span;
use becket_store::{Millis, Page, SessionFilter, SessionRow};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::exit::Exit;
use crate::records::{self, ScopeArgs, format_ago};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message};
use crate::table::{
    Alignment, CellStyle, Table, bad_count, cell, count, styled_cell, terminal_width, uncut_cell,
};

#[derive(Args)]
pub(crate) struct SessionsArgs {
    /// Maximum number of sessions
    #[arg(short = 'n', long = "limit", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Filter by status
    #[arg(long, value_enum)]
    status: Option<SessionStatusArg>,
    /// Only child sessions of this session
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Continue after a page: the `next` cursor of the previous output
    #[arg(long, value_name = "NEXT")]
    after: Option<String>,
    #[command(flatten)]
    which: ScopeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SessionStatusArg {
    Active,
    Completed,
}

impl SessionStatusArg {
    fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}

pub(crate) fn main(args: &SessionsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let scope = args.which.resolve(&home);
    let filter = SessionFilter {
        scope: scope.as_query(),
        status: args.status.map(SessionStatusArg::word),
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
        print_message("No matching sessions.");
    } else {
        print(&table(&page.items, Millis::now()).render(terminal_width(), Style::stdout()));
        if let Some(next) = &page.next {
            print_message(&format!("More sessions: --after '{next}'"));
        }
    }
    Ok(Exit::Success)
}

fn table(sessions: &[SessionRow], now: Millis) -> Table {
    let mut table = Table::new(&[
        ("SESSION", Alignment::Left),
        ("AGENT", Alignment::Left),
        ("PROJECT", Alignment::Left),
        ("LAST", Alignment::Right),
        ("TOOK", Alignment::Right),
        ("PROMPTS", Alignment::Right),
        ("TOOL CALLS", Alignment::Right),
        ("FAILED", Alignment::Right),
        ("BLOCKED", Alignment::Right),
        ("ABOUT", Alignment::Left),
    ])
    .with_optional_columns(&[
        "TOOK",
        "PROMPTS",
        "FAILED",
        "TOOL CALLS",
        "BLOCKED",
        "LAST",
        "PROJECT",
        "AGENT",
    ])
    .with_subject("ABOUT");
    let length = unique_prefix_length(sessions);
    for session in sessions {
        let took = session.last_at.since(session.started_at);
        let id: String = session.id.chars().take(length).collect();
        let about = session.title.as_ref().or(session.first_prompt.as_ref());
        table.push(vec![
            uncut_cell(id),
            cell(&session.agent),
            cell(
                session
                    .project
                    .as_deref()
                    .map(project_name)
                    .unwrap_or_default(),
            ),
            match session.status.as_str() {
                "active" => styled_cell("active", CellStyle::Good),
                _ => cell(format_ago(now.since(session.last_at))),
            },
            cell(format_span(took)),
            count(session.prompts),
            count(session.tool_calls),
            bad_count(session.failures),
            bad_count(session.denied),
            cell(about.map(|text| truncate_prompt(text)).unwrap_or_default()),
        ]);
    }
    table
}

/// The last component of a project's path.
fn project_name(project: &str) -> String {
    let name = Path::new(project).file_name();
    name.map_or_else(
        || project.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Limits the length of a prompt in the table.
fn truncate_prompt(text: &str) -> String {
    text.chars().take(300).collect()
}

/// The shortest prefix length that keeps these session ids distinct, at least 8.
fn unique_prefix_length(sessions: &[SessionRow]) -> usize {
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
