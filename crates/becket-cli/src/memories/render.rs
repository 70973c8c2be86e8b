//! Renders memories as a table and in detail.

use becket_daemon::recall::MemoryDetail;
use becket_store::{MemoryRow, MemoryStatus, Millis, Trust};
use serde_json::json;

use crate::exit::Exit;
use crate::records::{format_ago, format_timestamp};
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, sanitize};
use crate::table::{Alignment, CellStyle, Table, cell, styled_cell, uncut_cell};

/// How many source turns are shown.
const MAX_TURNS: usize = 10;
/// How many characters of each prompt are shown.
const MAX_PROMPT_CHARS: usize = 100;

pub(super) fn table(memories: &[MemoryRow], now: Millis) -> Table {
    let mut table = Table::new(&[
        ("ID", Alignment::Left),
        ("TYPE", Alignment::Left),
        ("IMP", Alignment::Right),
        ("STATUS", Alignment::Left),
        ("AUTHOR", Alignment::Left),
        ("CREATED", Alignment::Left),
        ("TEXT", Alignment::Left),
    ])
    .with_optional_columns(&["CREATED", "AUTHOR", "IMP", "STATUS", "TYPE"])
    .with_subject("TEXT");
    for memory in memories {
        let pin = if memory.pinned { "📌 " } else { "" };
        table.push(vec![
            uncut_cell(&memory.id),
            cell(memory.kind.word()),
            cell(memory.importance),
            status(memory, now),
            cell(author(memory)),
            cell(format_ago(now.since(memory.created))),
            cell(format!("{pin}{}", memory.text)),
        ]);
    }
    table
}

fn status(memory: &MemoryRow, now: Millis) -> crate::table::Cell {
    if memory.expires.is_some_and(|end| end <= now) {
        return styled_cell("expired", CellStyle::Dim);
    }
    let look = match memory.status {
        MemoryStatus::Active => CellStyle::Good,
        MemoryStatus::Quarantined => CellStyle::Bad,
        MemoryStatus::Resolved | MemoryStatus::Superseded => CellStyle::Dim,
    };
    styled_cell(memory.status.word(), look)
}

fn author(memory: &MemoryRow) -> String {
    match (memory.trust, &memory.agent) {
        (Trust::User, _) => "you".to_owned(),
        (Trust::Agent, Some(agent)) => agent.clone(),
        (trust, _) => trust.word().to_owned(),
    }
}

pub(super) fn detail(detail: &MemoryDetail, as_json: bool) -> anyhow::Result<Exit> {
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memory": detail }))?;
    } else {
        print(&text(detail, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// A memory with its sources.
pub(super) fn text(detail: &MemoryDetail, style: Style) -> String {
    let memory = &detail.memory;
    let mut out = format!(
        "{}  {}, importance {}, {}{}\n\n",
        style.bold(&sanitize(&memory.id)),
        memory.kind.word(),
        memory.importance,
        memory.status.word(),
        if memory.pinned { ", pinned" } else { "" },
    );
    for line in memory.text.lines() {
        out += &format!("  {}\n", sanitize(line));
    }
    out.push('\n');
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            out += &format!(
                "{} {}\n",
                style.dim(&format!("{name:<14}")),
                sanitize(&value)
            );
        }
    };
    let list = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
    row("project", Some(memory.project.clone()));
    row("context", memory.context.clone());
    row("files", list(&memory.files));
    row(
        "author",
        Some(format!(
            "{} (trust: {})",
            author(memory),
            memory.trust.word()
        )),
    );
    row(
        "created",
        Some(format!("{} UTC", format_timestamp(memory.created))),
    );
    row(
        "expires",
        memory
            .expires
            .map(|end| format!("{} UTC", format_timestamp(end))),
    );
    let title = detail.session_title.as_ref();
    let session = memory.session.as_ref().map(|id| match title {
        Some(title) => format!("{id} ({title})"),
        None => id.clone(),
    });
    row("session", session);
    for turn in detail.turns.iter().take(MAX_TURNS) {
        let prompt = turn.prompt.as_deref().unwrap_or_default();
        row(
            "prompt",
            Some(format!(
                "{} {}",
                turn.number,
                one_line(prompt, MAX_PROMPT_CHARS)
            )),
        );
    }
    row("commit", memory.commit.clone());
    for source in &detail.sources {
        let tool = source.tool.as_ref().map(|tool| format!(" {tool}"));
        let at = source
            .at
            .map(|at| format!(" at {} UTC", format_timestamp(at)));
        row(
            "event",
            Some(format!(
                "{}{}{}",
                source.id,
                tool.unwrap_or_default(),
                at.unwrap_or_default()
            )),
        );
    }
    row("superseded by", memory.superseded_by.clone());
    row("supersedes", list(&detail.supersedes));
    row("contradicts", list(&detail.contradicts));
    row("quarantined", detail.suspect.clone());
    out
}
