//! Memories for people to read.

use becket_daemon::recall::Detail;
use becket_store::{MemoryRow, MemoryStatus, Millis, Trust};
use serde_json::json;

use crate::exit::Exit;
use crate::records::{ago, day_and_time};
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, tame};
use crate::table::{Look, Side, Table, cell, looking, whole};

/// So many turns that a memory came from are shown,
const MOST_TURNS: usize = 10;
/// and so much of what was asked in each.
const MOST_PROMPT: usize = 100;

pub(super) fn table(memories: &[MemoryRow], now: Millis) -> Table {
    let mut table = Table::new(&[
        ("ID", Side::Left),
        ("TYPE", Side::Left),
        ("IMP", Side::Right),
        ("STATUS", Side::Left),
        ("SAID BY", Side::Left),
        ("LEARNT", Side::Left),
        ("WHAT", Side::Left),
    ])
    .without(&["LEARNT", "SAID BY", "IMP", "STATUS", "TYPE"])
    .about("WHAT");
    for memory in memories {
        let pin = if memory.pinned { "📌 " } else { "" };
        table.push(vec![
            whole(&memory.id),
            cell(memory.kind.word()),
            cell(memory.importance),
            status(memory, now),
            cell(said_by(memory)),
            cell(ago(now.since(memory.created))),
            cell(format!("{pin}{}", memory.text)),
        ]);
    }
    table
}

fn status(memory: &MemoryRow, now: Millis) -> crate::table::Cell {
    if memory.expires.is_some_and(|end| end <= now) {
        return looking("expired", Look::Dim);
    }
    let look = match memory.status {
        MemoryStatus::Active => Look::Good,
        MemoryStatus::Quarantined => Look::Bad,
        MemoryStatus::Resolved | MemoryStatus::Superseded => Look::Dim,
    };
    looking(memory.status.word(), look)
}

fn said_by(memory: &MemoryRow) -> String {
    match (memory.trust, &memory.agent) {
        (Trust::User, _) => "you".to_owned(),
        (Trust::Agent, Some(agent)) => agent.clone(),
        (trust, _) => trust.word().to_owned(),
    }
}

pub(super) fn detail(detail: &Detail, as_json: bool) -> anyhow::Result<Exit> {
    if as_json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "memory": detail }))?;
    } else {
        print(&text(detail, Style::stdout()));
    }
    Ok(Exit::Success)
}

/// A memory whole, and where it comes from.
pub(super) fn text(detail: &Detail, style: Style) -> String {
    let memory = &detail.memory;
    let mut out = format!(
        "{}  {}, importance {}, {}{}\n\n",
        style.bold(&tame(&memory.id)),
        memory.kind.word(),
        memory.importance,
        memory.status.word(),
        if memory.pinned { ", pinned" } else { "" },
    );
    for line in memory.text.lines() {
        out += &format!("  {}\n", tame(line));
    }
    out.push('\n');
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            out += &format!("{} {}\n", style.dim(&format!("{name:<14}")), tame(&value));
        }
    };
    let list = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
    row("project", Some(memory.project.clone()));
    row("context", memory.context.clone());
    row("files", list(&memory.files));
    row(
        "said by",
        Some(format!(
            "{} (trust: {})",
            said_by(memory),
            memory.trust.word()
        )),
    );
    row(
        "learnt",
        Some(format!("{} UTC", day_and_time(memory.created))),
    );
    row(
        "expires",
        memory
            .expires
            .map(|end| format!("{} UTC", day_and_time(end))),
    );
    let title = detail.session_title.as_ref();
    let session = memory.session.as_ref().map(|id| match title {
        Some(title) => format!("{id} ({title})"),
        None => id.clone(),
    });
    row("session", session);
    for turn in detail.turns.iter().take(MOST_TURNS) {
        let prompt = turn.prompt.as_deref().unwrap_or_default();
        row(
            "prompt",
            Some(format!("{} {}", turn.number, one_line(prompt, MOST_PROMPT))),
        );
    }
    row("commit", memory.commit.clone());
    for source in &detail.sources {
        let tool = source.tool.as_ref().map(|tool| format!(" {tool}"));
        let at = source.at.map(|at| format!(" at {} UTC", day_and_time(at)));
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
    row("set aside", detail.suspect.clone());
    out
}
