//! What is told, moment by moment.

use std::path::Path;

use becket_store::{INJECTED_BEGIN, INJECTED_END, MemoryRow, Millis, strip_injected};

use super::code;
use super::knowledge::{Knowledge, Status, holds, is_lesson};
use super::limits::{Limits, Room};
use super::lines::{self, NAME_CHARS};
use super::moment::{Moment, Start};
use super::page::{Item, Section, written};
use super::seen::Seen;
use super::tame::{label, line};
use crate::search::{Band, Hit, RecallError};

/// So much of an output or a prompt says what happens to a file.
const OUTPUT_CHARS: usize = 200;
const PROMPT_CHARS: usize = 500;

/// A shorter prompt asks for nothing.
const SHORTEST_PROMPT: usize = 2;

/// Of as many files of one call is told what is known.
const MOST_FILES: usize = 5;

/// As many more are looked for as may have been told before.
const SPARE: usize = 20;

/// What an agent is to be told, between its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// All of it.
    pub text: String,
}

impl Injection {
    /// What stands between the marks.
    pub fn body(&self) -> &str {
        let body = self.text.strip_prefix(INJECTED_BEGIN);
        let body = body.and_then(|body| body.strip_suffix(INJECTED_END));
        body.unwrap_or(&self.text).trim_matches('\n')
    }
}

/// Decides what is told.
#[derive(Clone, Copy)]
pub struct Injector<'i> {
    /// What is known.
    pub knowledge: &'i dyn Knowledge,
    /// How much is told.
    pub limits: &'i Limits,
    /// Who is told; see [`cap`](super::cap).
    pub agent: &'i str,
    /// How many bytes it is told by others at the same time, which count as well.
    pub taken: usize,
    /// The present, for what expires.
    pub now: Millis,
}

impl Injector<'_> {
    /// What to tell at a moment of a session that was told `seen`; `None` if there is nothing to tell.
    pub fn inject(
        &self,
        moment: &Moment<'_>,
        seen: &mut Seen,
    ) -> Result<Option<Injection>, RecallError> {
        let mut room = Room::new(self.limits, self.agent, self.taken);
        if let Moment::SessionStart(start) = moment
            && start.forgets()
        {
            seen.forget();
        }
        if !room.take(&[INJECTED_BEGIN, "\n", "\n", INJECTED_END]) {
            return Ok(None);
        }
        let sections = match moment {
            Moment::SessionStart(start) => self.at_start(*start)?,
            Moment::Prompt(prompt) => self.at_prompt(prompt, seen)?,
            Moment::FileTool { paths, .. } => {
                let paths = paths.iter().take(MOST_FILES);
                self.at_files(paths, moment, seen)?
            }
        };
        let body = written(sections, room, seen);
        let text = || format!("{INJECTED_BEGIN}\n{body}\n{INJECTED_END}");
        Ok((!body.is_empty()).then(|| Injection { text: text() }))
    }

    fn at_start(&self, start: Start) -> Result<Vec<Section>, RecallError> {
        let status = self.knowledge.status()?;
        if !start.is_fresh() {
            let known = status != Status::default();
            return Ok(known.then(|| status_line(status)).into_iter().collect());
        }
        let most = self.limits.session_summaries;
        let sessions = self.knowledge.recent_sessions(most)?;
        let memories = self.knowledge.recent_memories(self.limits.memories)?;
        let memories = memories.iter().filter(|memory| self.is_fit(memory));
        let memories: Vec<Item> = memories
            .take(self.limits.memories)
            .map(lines::recent)
            .collect();
        let sessions: Vec<Item> = (1..)
            .zip(sessions.iter().take(most))
            .map(|(number, past)| lines::session(number, past))
            .collect();
        if status == Status::default() && sessions.is_empty() && memories.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![
            status_line(status),
            Section::list("## Recent Session History\n\n", 2, sessions),
            Section::list("## Recent Project Memories\n\n", 1, memories),
        ])
    }

    fn at_prompt(&self, prompt: &str, seen: &Seen) -> Result<Vec<Section>, RecallError> {
        let said = strip_injected(prompt);
        let said = said.trim();
        if said.chars().nth(SHORTEST_PROMPT - 1).is_none() || is_machinery(said) {
            return Ok(Vec::new());
        }
        let most = self.limits.memories.max(self.limits.code_chunks);
        let found = self
            .knowledge
            .search(said, Band::High, most.saturating_add(SPARE))?;
        let (mut memories, mut pieces) = (Vec::new(), Vec::new());
        for one in found.iter().filter(|one| one.band >= Band::High) {
            match &one.hit {
                Hit::Memory(memory) if self.is_new(memory, seen) => {
                    memories.push(lines::relevant(memory));
                }
                Hit::Code(chunk) if !seen.contains(&code::id(chunk)) => {
                    pieces.push(code::piece(chunk, self.limits.lines_per_chunk));
                }
                _ => {}
            }
        }
        memories.truncate(self.limits.memories);
        pieces.truncate(self.limits.code_chunks);
        Ok(vec![
            Section::blocks("## Relevant Code\n\n", 1, pieces),
            Section::list("**Relevant memories for this task:**\n", 0, memories),
        ])
    }

    fn at_files<'p>(
        &self,
        paths: impl Iterator<Item = &'p &'p str>,
        moment: &Moment<'_>,
        seen: &Seen,
    ) -> Result<Vec<Section>, RecallError> {
        let mut left = self.limits.memories;
        // A memory about two files is told once.
        let mut told = Seen::default();
        let mut sections = Vec::new();
        for path in paths {
            let path = within(path, self.knowledge.project());
            let query = file_query(path, moment);
            let most = self.limits.memories.saturating_add(SPARE);
            let memories = self.knowledge.about_file(path, &query, most)?;
            let new = memories
                .iter()
                .filter(|memory| self.is_new(memory, seen) && self.is_new(memory, &told));
            let items: Vec<Item> = new.take(left).map(lines::of_file).collect();
            left -= items.len();
            for id in items.iter().filter_map(|item| item.id.as_deref()) {
                told.add(id);
            }
            let path = label(path, NAME_CHARS);
            let heading = format!("**Memories about {path}:**\n");
            sections.push(Section::list(heading, 0, items));
        }
        Ok(sections)
    }

    fn is_new(&self, memory: &MemoryRow, seen: &Seen) -> bool {
        self.is_fit(memory) && !seen.contains(&lines::memory_id(memory))
    }

    fn is_fit(&self, memory: &MemoryRow) -> bool {
        holds(memory, self.now) && is_lesson(memory) && !line(&memory.text, 1).is_empty()
    }
}

fn status_line(status: Status) -> Section {
    let count = |count: u64, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let text = format!(
        "**Codebase Intelligence Active**: {} indexed, {} stored.",
        count(status.code_chunks, "code chunk", "code chunks"),
        count(status.memories, "memory", "memories"),
    );
    Section::list("", 0, vec![Item { id: None, text }])
}

/// Prompts that no person wrote.
fn is_machinery(prompt: &str) -> bool {
    prompt.starts_with("<system-") || prompt.starts_with("<task-notification>")
}

/// A path as seen from its project, where it is inside.
fn within<'p>(path: &'p str, project: &str) -> &'p str {
    let inside = path.strip_prefix(project.trim_end_matches('/'));
    let inside = inside.and_then(|rest| rest.strip_prefix('/'));
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}

/// Parts of paths that most projects have. Memories that name any file have them too, whatever they are about.
const USUAL: &[&str] = &[
    "app", "apps", "cmd", "crates", "index", "internal", "lib", "main", "mod", "packages", "pkg",
    "src", "test", "tests",
];

/// What a path says about its file: its parts without the ending and without those that say nothing.
fn telling(path: &str) -> String {
    let path = Path::new(path).with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy());
    let telling: Vec<_> = parts.filter(|part| !USUAL.contains(&&**part)).collect();
    telling.join(" ")
}

/// The file, what came of it and what the person wants.
fn file_query(path: &str, moment: &Moment<'_>) -> String {
    let mut query = telling(path);
    if let Moment::FileTool {
        tool,
        output,
        prompt,
        ..
    } = moment
    {
        // What was read says what the file is, and not what happens to it; so do lists and objects.
        let is_words = *tool != "Read" && !output.trim_start().starts_with(['{', '[']);
        let output = if is_words { output } else { "" };
        let prompt = strip_injected(prompt);
        for (text, most) in [(output, OUTPUT_CHARS), (prompt.as_ref(), PROMPT_CHARS)] {
            query.push('\n');
            query.extend(text.chars().take(most));
        }
    }
    query
}
