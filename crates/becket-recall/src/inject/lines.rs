//! Memories and sessions, each as a line.

use becket_store::{INJECTED_END, MemoryKind, MemoryRow};

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

/// What stands in the place of a memory that is forgotten.
const FORGOTTEN: &str = "- [forgotten]";

/// What was told, without a memory that said `text`; `None` if it was not among it. The end of what was told may be
/// missing, as in a record that keeps no more.
pub fn without(told: &str, text: &str) -> Option<String> {
    let texts = [line(text, MEMORY_CHARS), line(text, SESSION_CHARS)];
    let is_whole = told.ends_with(INJECTED_END);
    let mut lines: Vec<&str> = told.split('\n').collect();
    let (count, mut is_told) = (lines.len(), false);
    for (number, line) in (1..).zip(&mut lines) {
        let is_cut = !is_whole && number == count;
        let mut said = said_in(line).into_iter().flatten();
        if said.any(|said| texts.iter().any(|text| is_of(said, text, is_cut))) {
            (*line, is_told) = (FORGOTTEN, true);
        }
    }
    is_told.then(|| lines.join("\n"))
}

/// What a line of the shapes above says, with what stands behind it; the text may look like the sign of another shape.
fn said_in(line: &str) -> [Option<&str>; 4] {
    let after = |sign: &str| Some(line.split_once(sign)?.1);
    [
        after("**: "),
        after("] "),
        line.strip_prefix("- GOTCHA: "),
        line.starts_with("**Session ")
            .then(|| after("): "))
            .flatten(),
    ]
}

fn is_of(said: &str, text: &str, is_cut: bool) -> bool {
    let rest = said.strip_prefix(text).filter(|_| !text.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || is_cut || rest.starts_with(" _(context: "))
        || is_cut && !said.is_empty() && text.starts_with(said)
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
