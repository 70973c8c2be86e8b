//! Renders memories and sessions as lines, and finds them again in injected text.

use becket_store::{INJECTED_END, MemoryKind, MemoryRow};

use super::knowledge::PastSession;
use super::sanitize::{sanitize_label, sanitize_line};
use super::sections::SectionItem;

/// Maximum length of a memory.
const MEMORY_CHARS: usize = 600;

/// Maximum length of a session summary.
const SESSION_CHARS: usize = 300;

/// Maximum length of a name or path.
pub(super) const NAME_CHARS: usize = 200;

/// `**Session 1** (claude): Implemented user authentication`.
pub(super) fn session_line(number: usize, past: &PastSession) -> SectionItem {
    let agent = sanitize_label(&past.agent, NAME_CHARS);
    let text = sanitize_line(&past.text, SESSION_CHARS);
    SectionItem {
        id: Some(format!("session:{}", past.id)),
        text: format!("**Session {number}** ({agent}): {text}"),
    }
}

/// `- ! **gotcha**: Database connections leak _(context: src/db.py)_`.
pub(super) fn recent_line(memory: &MemoryRow) -> SectionItem {
    let kind = memory.kind.word();
    let sign = match memory.kind {
        MemoryKind::Gotcha => "!".to_owned(),
        MemoryKind::BugFix => "[fix]".to_owned(),
        _ => format!("[{kind}]"),
    };
    let place = memory.context.as_ref().or(memory.files.first());
    let place = place.map(|place| sanitize_label(place, NAME_CHARS));
    let place = place.filter(|place| !place.is_empty());
    let place = place.map_or_else(String::new, |place| format!(" _(context: {place})_"));
    item(memory, |text| format!("- {sign} **{kind}**: {text}{place}"))
}

/// `- [gotcha] JWT tokens expire after 1 hour`.
pub(super) fn relevant_line(memory: &MemoryRow) -> SectionItem {
    let kind = memory.kind.word();
    item(memory, |text| format!("- [{kind}] {text}"))
}

/// `- GOTCHA: Database connections leak`.
pub(super) fn file_line(memory: &MemoryRow) -> SectionItem {
    match memory.kind {
        MemoryKind::Gotcha => item(memory, |text| format!("- GOTCHA: {text}")),
        _ => relevant_line(memory),
    }
}

/// Replaces a forgotten memory.
const FORGOTTEN: &str = "- [forgotten]";

/// Removes a memory from recorded injected context; `None` if it does not contain the memory. The end of the context may
/// be truncated.
pub fn without_memory(context: &str, text: &str) -> Option<String> {
    let texts = [
        sanitize_line(text, MEMORY_CHARS),
        sanitize_line(text, SESSION_CHARS),
    ];
    let is_whole = context.ends_with(INJECTED_END);
    let mut lines: Vec<&str> = context.split('\n').collect();
    let (count, mut is_found) = (lines.len(), false);
    for (number, line) in (1..).zip(&mut lines) {
        let is_cut = !is_whole && number == count;
        let mut said = texts_in(line).into_iter().flatten();
        if said.any(|said| texts.iter().any(|text| matches_text(said, text, is_cut))) {
            (*line, is_found) = (FORGOTTEN, true);
        }
    }
    is_found.then(|| lines.join("\n"))
}

/// The possible texts of a line, for each format above. A text may look like the prefix of another format.
fn texts_in(line: &str) -> [Option<&str>; 4] {
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

fn matches_text(said: &str, text: &str, is_cut: bool) -> bool {
    let rest = said.strip_prefix(text).filter(|_| !text.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || is_cut || rest.starts_with(" _(context: "))
        || is_cut && !said.is_empty() && text.starts_with(said)
}

pub(super) fn memory_id(memory: &MemoryRow) -> String {
    format!("memory:{}", memory.id)
}

fn item(memory: &MemoryRow, shape: impl Fn(&str) -> String) -> SectionItem {
    SectionItem {
        id: Some(memory_id(memory)),
        text: shape(&sanitize_line(&memory.text, MEMORY_CHARS)),
    }
}
