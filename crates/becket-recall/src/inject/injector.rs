//! Composes the injected context for each trigger.

use std::path::Path;

use becket_store::{INJECTED_BEGIN, INJECTED_END, MemoryRow, Millis, strip_injected};

use super::code;
use super::injected_ids::InjectedIds;
use super::knowledge::{KnowledgeCounts, KnowledgeSource, is_active, is_lesson};
use super::limits::{InjectionLimits, RemainingSpace};
use super::lines::{self, NAME_CHARS};
use super::sanitize::{sanitize_label, sanitize_line};
use super::sections::{ContextSection, SectionItem, render_sections};
use super::trigger::{InjectionTrigger, StartSource};
use crate::search::{Band, RecallError, SearchHit};

/// How much of an output or a prompt goes into the query about a file.
const OUTPUT_CHARS: usize = 200;
const PROMPT_CHARS: usize = 500;

/// Shorter prompts are ignored.
const MIN_PROMPT_CHARS: usize = 2;

/// Maximum number of files per tool call.
const MAX_FILES: usize = 5;

/// Extra results to fetch, since some may already be injected.
const OVERFETCH: usize = 20;

/// The context to inject, including its markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// The whole text.
    pub text: String,
}

impl Injection {
    /// The text between the markers.
    pub fn body(&self) -> &str {
        let body = self.text.strip_prefix(INJECTED_BEGIN);
        let body = body.and_then(|body| body.strip_suffix(INJECTED_END));
        body.unwrap_or(&self.text).trim_matches('\n')
    }
}

/// Selects and renders the context to inject.
#[derive(Clone, Copy)]
pub struct Injector<'i> {
    /// Source of memories, code and sessions.
    pub knowledge: &'i dyn KnowledgeSource,
    /// Size limits.
    pub limits: &'i InjectionLimits,
    /// The agent; see [`context_limit`](super::context_limit()).
    pub agent: &'i str,
    /// Bytes of context from other hooks, which count towards the limit.
    pub used_bytes: usize,
    /// The current time, for expiry.
    pub now: Millis,
}

impl Injector<'_> {
    /// The context for a trigger, without the items in `injected`; `None` if there is nothing to inject.
    pub fn inject(
        &self,
        trigger: &InjectionTrigger<'_>,
        injected: &mut InjectedIds,
    ) -> Result<Option<Injection>, RecallError> {
        let mut space = RemainingSpace::new(self.limits, self.agent, self.used_bytes);
        if let InjectionTrigger::SessionStart(start) = trigger
            && start.clears_context()
        {
            injected.clear();
        }
        if !space.take(&[INJECTED_BEGIN, "\n", "\n", INJECTED_END]) {
            return Ok(None);
        }
        let sections = match trigger {
            InjectionTrigger::SessionStart(start) => self.session_start_sections(*start)?,
            InjectionTrigger::Prompt(prompt) => self.prompt_sections(prompt, injected)?,
            InjectionTrigger::FileTool { paths, .. } => {
                let paths = paths.iter().take(MAX_FILES);
                self.file_sections(paths, trigger, injected)?
            }
        };
        let body = render_sections(sections, space, injected);
        let text = || format!("{INJECTED_BEGIN}\n{body}\n{INJECTED_END}");
        Ok((!body.is_empty()).then(|| Injection { text: text() }))
    }

    fn session_start_sections(
        &self,
        start: StartSource,
    ) -> Result<Vec<ContextSection>, RecallError> {
        let status = self.knowledge.status()?;
        if !start.is_fresh() {
            let known = status != KnowledgeCounts::default();
            return Ok(known.then(|| status_line(status)).into_iter().collect());
        }
        let most = self.limits.session_summaries;
        let sessions = self.knowledge.recent_sessions(most)?;
        let memories = self.knowledge.recent_memories(self.limits.memories)?;
        let memories = memories.iter().filter(|memory| self.is_injectable(memory));
        let memories: Vec<SectionItem> = memories
            .take(self.limits.memories)
            .map(lines::recent_line)
            .collect();
        let sessions: Vec<SectionItem> = (1..)
            .zip(sessions.iter().take(most))
            .map(|(number, past)| lines::session_line(number, past))
            .collect();
        if status == KnowledgeCounts::default() && sessions.is_empty() && memories.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![
            status_line(status),
            ContextSection::list("## Recent Session History\n\n", 2, sessions),
            ContextSection::list("## Recent Project Memories\n\n", 1, memories),
        ])
    }

    fn prompt_sections(
        &self,
        prompt: &str,
        injected: &InjectedIds,
    ) -> Result<Vec<ContextSection>, RecallError> {
        let text = strip_injected(prompt);
        let text = text.trim();
        if text.chars().nth(MIN_PROMPT_CHARS - 1).is_none() || is_machine_prompt(text) {
            return Ok(Vec::new());
        }
        let most = self.limits.memories.max(self.limits.code_chunks);
        let found = self
            .knowledge
            .search(text, Band::High, most.saturating_add(OVERFETCH))?;
        let (mut memories, mut pieces) = (Vec::new(), Vec::new());
        for one in found.iter().filter(|one| one.band >= Band::High) {
            match &one.hit {
                SearchHit::Memory(memory) if self.is_new(memory, injected) => {
                    memories.push(lines::relevant_line(memory));
                }
                SearchHit::Code(chunk) if !injected.contains(&code::chunk_id(chunk)) => {
                    pieces.push(code::render_chunk(chunk, self.limits.lines_per_chunk));
                }
                _ => {}
            }
        }
        memories.truncate(self.limits.memories);
        pieces.truncate(self.limits.code_chunks);
        Ok(vec![
            ContextSection::blocks("## Relevant Code\n\n", 1, pieces),
            ContextSection::list("**Relevant memories for this task:**\n", 0, memories),
        ])
    }

    fn file_sections<'p>(
        &self,
        paths: impl Iterator<Item = &'p &'p str>,
        trigger: &InjectionTrigger<'_>,
        injected: &InjectedIds,
    ) -> Result<Vec<ContextSection>, RecallError> {
        let mut left = self.limits.memories;
        // A memory about two files is injected once.
        let mut included = InjectedIds::default();
        let mut sections = Vec::new();
        for path in paths {
            let path = relative_to(path, self.knowledge.project());
            let query = file_query(path, trigger);
            let most = self.limits.memories.saturating_add(OVERFETCH);
            let memories = self.knowledge.about_file(path, &query, most)?;
            let new = memories
                .iter()
                .filter(|memory| self.is_new(memory, injected) && self.is_new(memory, &included));
            let items: Vec<SectionItem> = new.take(left).map(lines::file_line).collect();
            left -= items.len();
            for id in items.iter().filter_map(|item| item.id.as_deref()) {
                included.add(id);
            }
            let path = sanitize_label(path, NAME_CHARS);
            let heading = format!("**Memories about {path}:**\n");
            sections.push(ContextSection::list(heading, 0, items));
        }
        Ok(sections)
    }

    fn is_new(&self, memory: &MemoryRow, injected: &InjectedIds) -> bool {
        self.is_injectable(memory) && !injected.contains(&lines::memory_id(memory))
    }

    fn is_injectable(&self, memory: &MemoryRow) -> bool {
        is_active(memory, self.now)
            && is_lesson(memory)
            && !sanitize_line(&memory.text, 1).is_empty()
    }
}

fn status_line(status: KnowledgeCounts) -> ContextSection {
    let count = |count: u64, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let text = format!(
        "**Codebase Intelligence Active**: {} indexed, {} stored.",
        count(status.code_chunks, "code chunk", "code chunks"),
        count(status.memories, "memory", "memories"),
    );
    ContextSection::list("", 0, vec![SectionItem { id: None, text }])
}

/// Prompts that no person wrote.
fn is_machine_prompt(prompt: &str) -> bool {
    prompt.starts_with("<system-") || prompt.starts_with("<task-notification>")
}

/// A path relative to the project, if it is inside.
fn relative_to<'p>(path: &'p str, project: &str) -> &'p str {
    let inside = path.strip_prefix(project.trim_end_matches('/'));
    let inside = inside.and_then(|rest| rest.strip_prefix('/'));
    let path = inside.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path)
}

/// Path components that most projects have. They match memories about any file.
const COMMON_PATH_PARTS: &[&str] = &[
    "app", "apps", "cmd", "crates", "index", "internal", "lib", "main", "mod", "packages", "pkg",
    "src", "test", "tests",
];

/// The distinctive components of a path, without the extension.
fn path_keywords(path: &str) -> String {
    let path = Path::new(path).with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy());
    let telling: Vec<_> = parts
        .filter(|part| !COMMON_PATH_PARTS.contains(&&**part))
        .collect();
    telling.join(" ")
}

/// The search query for a file: its path, the output and the prompt.
fn file_query(path: &str, trigger: &InjectionTrigger<'_>) -> String {
    let mut query = path_keywords(path);
    if let InjectionTrigger::FileTool {
        tool,
        output,
        prompt,
        ..
    } = trigger
    {
        // Content that was read describes the file, not the change; structured output has no words.
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
