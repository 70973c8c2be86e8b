//! Memories and sessions, each as a line.

use becket_store::{MemoryKind, MemoryRow};

use super::knowledge::PastSession;
use super::page::Item;
use super::tame::{label, line};

/// No memory is longer.
const MEMORY_CHARS: usize = 600;

/// No session is longer.
const SESSION_CHARS: usize = 300;

/// No name or path is longer.
pub(super) const NAME_CHARS: usize = 200;

/// `**Session 1** (claude): Implemented user authentication`, in the place that it has among others.
pub(super) fn session(number: usize, past: &PastSession) -> Item {
    let agent = label(&past.agent, NAME_CHARS);
    let text = line(&past.text, SESSION_CHARS);
    Item {
        id: Some(format!("session:{}", past.id)),
        text: format!("**Session {number}** ({agent}): {text}"),
    }
}

/// `- ! **gotcha**: Database connections leak _(context: src/db.py)_`.
pub(super) fn recent(memory: &MemoryRow) -> Item {
    let kind = memory.kind.word();
    let sign = match memory.kind {
        MemoryKind::Gotcha => "!".to_owned(),
        MemoryKind::BugFix => "[fix]".to_owned(),
        _ => format!("[{kind}]"),
    };
    let place = memory.context.as_ref().or(memory.files.first());
    let place = place.map(|place| label(place, NAME_CHARS));
    let place = place.filter(|place| !place.is_empty());
    let place = place.map_or_else(String::new, |place| format!(" _(context: {place})_"));
    item(memory, |text| format!("- {sign} **{kind}**: {text}{place}"))
}

/// `- [gotcha] JWT tokens expire after 1 hour`.
pub(super) fn relevant(memory: &MemoryRow) -> Item {
    let kind = memory.kind.word();
    item(memory, |text| format!("- [{kind}] {text}"))
}

/// `- GOTCHA: Database connections leak`.
pub(super) fn of_file(memory: &MemoryRow) -> Item {
    match memory.kind {
        MemoryKind::Gotcha => item(memory, |text| format!("- GOTCHA: {text}")),
        _ => relevant(memory),
    }
}

pub(super) fn memory_id(memory: &MemoryRow) -> String {
    format!("memory:{}", memory.id)
}

fn item(memory: &MemoryRow, shape: impl Fn(&str) -> String) -> Item {
    Item {
        id: Some(memory_id(memory)),
        text: shape(&line(&memory.text, MEMORY_CHARS)),
    }
}
