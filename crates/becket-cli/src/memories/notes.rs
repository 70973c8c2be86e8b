//! Parses and renders Markdown notes: headings give the context, bullets and paragraphs the memories.

use becket_store::{MemoryKind, MemoryRow};

/// One note of a Markdown file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedNote {
    pub(super) kind: MemoryKind,
    pub(super) text: String,
    /// The headings above it, without the file's title.
    pub(super) context: Option<String>,
    pub(super) line: usize,
}

/// Parses notes: each bullet with its indented lines, and each paragraph. Front matter, comments, tables and rules are
/// skipped.
pub(super) fn parse(text: &str) -> Vec<ParsedNote> {
    let mut parser = NoteParser::default();
    let mut lines = text.lines().enumerate().peekable();
    if lines
        .peek()
        .is_some_and(|(_, line)| line.trim_end() == "---")
    {
        lines.next();
        for (_, line) in lines.by_ref() {
            if line.trim_end() == "---" {
                break;
            }
        }
    }
    for (number, line) in lines {
        parser.push_line(number + 1, line);
    }
    parser.finish_note();
    parser.notes
}

#[derive(Default)]
struct NoteParser {
    notes: Vec<ParsedNote>,
    headings: Vec<(usize, String)>,
    current: Option<(usize, String)>,
    fence: bool,
    comment: bool,
}

impl NoteParser {
    fn push_line(&mut self, number: usize, line: &str) {
        let bare = line.trim();
        if self.fence || bare.starts_with("```") || bare.starts_with("~~~") {
            if bare.starts_with("```") || bare.starts_with("~~~") {
                self.fence = !self.fence;
            }
            return self.append(line.trim_end());
        }
        if self.comment || bare.starts_with("<!--") {
            self.comment = !bare.contains("-->");
            return;
        }
        let is_rule = bare.len() >= 3 && bare.chars().all(|c| "-*_= ".contains(c));
        if bare.is_empty() || is_rule || bare.starts_with('|') {
            // An indented continuation may follow an empty line in a bullet, but not in a paragraph.
            if !self.is_bullet() || is_rule {
                self.finish_note();
            }
            return;
        }
        if let Some((level, title)) = heading(bare) {
            self.finish_note();
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, title.to_owned()));
        } else if let Some(content) = bullet(bare).filter(|_| indent(line) < 2) {
            self.finish_note();
            self.current = Some((number, format!("- {content}")));
        } else if self.current.is_some() && (indent(line) > 0 || !self.is_bullet()) {
            self.append(bare);
        } else {
            self.finish_note();
            self.current = Some((number, bare.to_owned()));
        }
    }

    fn is_bullet(&self) -> bool {
        self.current
            .as_ref()
            .is_some_and(|(_, text)| text.starts_with("- "))
    }

    fn append(&mut self, line: &str) {
        if let Some((_, text)) = &mut self.current {
            text.push('\n');
            text.push_str(line);
        }
    }

    fn finish_note(&mut self) {
        let Some((line, text)) = self.current.take() else {
            return;
        };
        let text = text.strip_prefix("- ").unwrap_or(&text).trim().to_owned();
        // `@file` includes another file.
        if text.chars().filter(|c| c.is_alphanumeric()).count() < 3 || text.starts_with('@') {
            return;
        }
        let titles: Vec<&str> = self
            .headings
            .iter()
            .filter(|(level, _)| *level > 1)
            .map(|(_, title)| title.as_str())
            .collect();
        let kind = guess_type(&titles, &text);
        // A heading that only names the type is not a context.
        let rest: Vec<&str> = titles
            .into_iter()
            .filter(|title| type_for_heading(title).is_none())
            .collect();
        self.notes.push(ParsedNote {
            kind,
            text,
            context: (!rest.is_empty()).then(|| rest.join(" / ")),
            line,
        });
    }
}

fn indent(line: &str) -> usize {
    let spaces = line.chars().take_while(|c| c.is_whitespace());
    spaces.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6)
        .contains(&level)
        .then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

fn bullet(line: &str) -> Option<&str> {
    let plain = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..)?;
        let rest = rest
            .strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))?;
        (1..=3).contains(&digits).then_some(rest)
    };
    let content = plain.or_else(numbered)?.trim();
    let content = content
        .strip_prefix("[ ] ")
        .or_else(|| content.strip_prefix("[x] "))
        .unwrap_or(content);
    Some(content)
}

/// The heading for each memory type.
const TYPE_HEADINGS: [(MemoryKind, &str); 7] = [
    (MemoryKind::Gotcha, "Gotchas"),
    (MemoryKind::Decision, "Decisions"),
    (MemoryKind::BugFix, "Bug fixes"),
    (MemoryKind::Discovery, "Discoveries"),
    (MemoryKind::TradeOff, "Trade-offs"),
    (MemoryKind::SessionSummary, "Sessions"),
    (MemoryKind::Plan, "Plans"),
];

fn type_for_heading(title: &str) -> Option<MemoryKind> {
    let found = TYPE_HEADINGS
        .iter()
        .find(|(_, name)| name.eq_ignore_ascii_case(title));
    found.map(|(kind, _)| *kind)
}

/// The type of a note: from its headings, else from its words.
fn guess_type(titles: &[&str], text: &str) -> MemoryKind {
    if let Some(kind) = titles
        .iter()
        .rev()
        .find_map(|title| type_for_heading(title))
    {
        return kind;
    }
    let heads = titles.join(" ").to_lowercase();
    let says = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let text = text.to_lowercase();
    if says(
        &heads,
        &[
            "gotcha",
            "pitfall",
            "caveat",
            "warning",
            "careful",
            "known issue",
        ],
    ) {
        MemoryKind::Gotcha
    } else if says(&heads, &["decision", "rationale"]) {
        MemoryKind::Decision
    } else if says(&heads, &["trade-off", "tradeoff"]) {
        MemoryKind::TradeOff
    } else if says(
        &text,
        &[
            "never ", "must not", "do not ", "don't ", "beware", "careful",
        ],
    ) {
        MemoryKind::Gotcha
    } else if says(&text, &["we decided", "decided to", "we chose"]) {
        MemoryKind::Decision
    } else {
        MemoryKind::Discovery
    }
}

/// Renders memories as Markdown notes that [`parse`] can read.
pub(super) fn render(project: &str, memories: &[MemoryRow]) -> String {
    let mut out = format!("# Memories of {project}\n");
    for (kind, name) in TYPE_HEADINGS {
        let mut of_kind: Vec<&MemoryRow> = memories.iter().filter(|one| one.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        // Memories without a context come before the first context heading.
        of_kind.sort_by(|a, b| (&a.context, b.created).cmp(&(&b.context, a.created)));
        out += &format!("\n## {name}\n");
        let mut place: Option<&str> = None;
        for (number, memory) in of_kind.iter().enumerate() {
            if memory.context.as_deref() != place {
                place = memory.context.as_deref();
                out += &format!(
                    "\n### {}\n\n",
                    collapse_whitespace(place.unwrap_or_default())
                );
            } else if number == 0 {
                out.push('\n');
            }
            let text = memory.text.trim().lines().collect::<Vec<_>>().join("\n  ");
            out += &format!("- {text}\n");
        }
    }
    out
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_and_paragraphs_become_notes_with_heading_context() {
        let text = "---\nname: x\n---\n# Shop\n\nThe shop is written in Rust\nand sells tea.\n\n<!-- not this -->\n## Gotchas\n\n- The parser needs nightly.\n  Since 1.2.\n- ok\n\n## Testing\n### Slow ones\n1. Never run them in parallel\n   ```sh\n   make slow\n   ```\n@other.md\n\n| a | b |\n";
        let notes = parse(text);
        let parsed: Vec<_> = notes
            .iter()
            .map(|note| {
                (
                    note.kind.word(),
                    note.text.as_str(),
                    note.context.as_deref(),
                    note.line,
                )
            })
            .collect();
        assert_eq!(
            parsed,
            [
                (
                    "discovery",
                    "The shop is written in Rust\nand sells tea.",
                    None,
                    6
                ),
                ("gotcha", "The parser needs nightly.\nSince 1.2.", None, 12),
                (
                    "gotcha",
                    "Never run them in parallel\n   ```sh\n   make slow\n   ```",
                    Some("Testing / Slow ones"),
                    18
                ),
            ]
        );
    }

    #[test]
    fn malformed_markdown_does_not_panic() {
        for text in [
            "",
            "---",
            "#",
            "- ",
            "```",
            "<!--",
            "####### x",
            "1234. x",
            "\u{0}",
        ] {
            let _ = parse(text);
        }
    }
}
