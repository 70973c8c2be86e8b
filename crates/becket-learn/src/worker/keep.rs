//! Writing what came of a job: all of it in one group, or nothing.

use becket_store::{
    CONTRADICTS, Class, Error, Extraction, Group, MemoryChange, MemoryKind, MemoryStatus, Millis,
    NewMemory, Reader, TitleBy, Trust,
};

use super::Review;
use super::load::{LoadedSession, LoadedTurn};
use super::queue::is_end;
use crate::observation::{Learnt, Observation, Told};
use crate::rules;
use crate::settle::Settled;

/// So many steps make a session worth a memory, if it changed nothing.
const WORTH_STEPS: usize = 3;

/// An observation with what becomes of it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) observation: Observation,
    pub(super) settled: Settled,
    pub(super) status: MemoryStatus,
}

/// What is to be written.
#[derive(Debug)]
pub(super) struct Keep {
    job: Extraction,
    now: Option<Millis>,
    project: Option<String>,
    agent: String,
    entries: Vec<Entry>,
    commit: Option<String>,
    class: Option<(Class, String)>,
    told: Told,
    created: Millis,
    /// Summaries whose place the new one takes.
    old_summaries: Vec<String>,
}

/// The memories of a project that a memory speaks against.
pub fn contradictions(reader: &Reader, memory: &str) -> Result<Vec<String>, Error> {
    let text = reader
        .meta(&format!("{CONTRADICTS}{memory}"))?
        .unwrap_or_default();
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// The same for the same observation of the same turn, so that it is kept once however often it is found.
pub(super) fn memory_id(project: &str, batch: &str, observation: &Observation) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [project, batch, observation.kind.word(), &observation.text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("learnt-{}", &hasher.finalize().to_hex()[..20])
}

impl Keep {
    /// There is nothing to learn from.
    pub(super) fn nothing(job: &Extraction) -> Self {
        Self {
            job: job.clone(),
            now: None,
            project: None,
            agent: String::new(),
            entries: Vec::new(),
            commit: None,
            class: None,
            told: Told::default(),
            created: Millis(0),
            old_summaries: Vec::new(),
        }
    }

    pub(super) fn turn(
        job: &Extraction,
        turn: &LoadedTurn,
        learnt: &Learnt,
        entries: Vec<Entry>,
        by: String,
        now: Millis,
    ) -> Self {
        let material = &turn.material;
        let mut turns = material.earlier.clone();
        turns.push(material.turn.clone());
        // Until its end gives it a better one.
        let title = match &turn.session.title {
            None => rules::title(&turns),
            Some(_) => None,
        };
        Self {
            now: Some(now),
            project: turn.session.project.clone(),
            agent: turn.session.agent.clone(),
            entries,
            commit: learnt.commit.clone(),
            class: Some((learnt.class, by)),
            told: Told {
                title,
                summary: None,
            },
            created: turn.batch.ended_at.unwrap_or(turn.batch.last_at),
            ..Self::nothing(job)
        }
    }

    pub(super) fn session(
        job: &Extraction,
        loaded: &LoadedSession,
        told: Told,
        review: &Review,
        now: Millis,
    ) -> Self {
        let session = &loaded.session;
        let steps: usize = loaded.turns.iter().map(|turn| turn.steps.len()).sum();
        let files = crate::turn::changed_files(loaded.turns.iter().flat_map(|turn| &turn.steps));
        let is_worth = !files.is_empty() || steps >= WORTH_STEPS;
        let text = told.summary.clone().filter(|_| is_worth);
        let entries = text.zip(session.project.as_deref()).map(|(text, project)| {
            let observation = Observation {
                context: told.title.clone(),
                trust: Trust::Agent,
                files: files.into_iter().take(20).collect(),
                events: loaded.turns.iter().map(|turn| turn.id.clone()).collect(),
                ..Observation::new(MemoryKind::SessionSummary, text)
            };
            Entry {
                id: memory_id(project, &session.id, &observation),
                status: review(&observation),
                observation,
                settled: Settled::new(),
            }
        });
        Self {
            now: Some(now),
            project: session.project.clone(),
            agent: session.agent.clone(),
            entries: entries.into_iter().collect(),
            told,
            created: session.ended_at.unwrap_or(session.last_at),
            old_summaries: loaded.summaries.clone(),
            ..Self::nothing(job)
        }
    }

    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Writes all, and tells which memories are new and which were known.
    pub(super) fn write(&self, group: &mut Group<'_>) -> Result<(Vec<String>, Vec<String>), Error> {
        let (mut learnt, mut merged) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            match self.write_entry(group, entry)? {
                Ok(id) => learnt.push(id),
                Err(id) => merged.push(id),
            }
        }
        if let Some((class, by)) = &self.class {
            group.set_class(&self.job.batch, *class, by)?;
        }
        if let Some(title) = &self.told.title {
            group.set_title(&self.job.session, title, TitleBy::Program)?;
        }
        if let Some(now) = self.now {
            if let Some(summary) = &self.told.summary {
                group.set_summary(&self.job.session, summary, now)?;
            }
            if !is_end(&self.job.batch, &self.job.session) {
                group.mark_processed(&self.job.batch, now)?;
            }
        }
        group.finish_extraction(self.job.pk)?;
        Ok((learnt, merged))
    }

    /// The id, as `Err` if it was known.
    fn write_entry(
        &self,
        group: &mut Group<'_>,
        entry: &Entry,
    ) -> Result<Result<String, String>, Error> {
        let (Settled::Merge {
            supersedes,
            contradicts,
            ..
        }
        | Settled::Keep {
            supersedes,
            contradicts,
        }) = &entry.settled;
        let (id, is_new) = match &entry.settled {
            Settled::Merge {
                into, importance, ..
            } => {
                merge(group, into, *importance, &entry.observation)?;
                (into.clone(), false)
            }
            Settled::Keep { .. } => {
                let added = self.add(group, entry)?;
                if !added.new && entry.observation.trust == Trust::User {
                    // Said again, it holds again.
                    let change = MemoryChange {
                        status: Some(MemoryStatus::Active),
                        ..MemoryChange::default()
                    };
                    group.change_memory(&added.id, &change)?;
                }
                (added.id, added.new)
            }
        };
        // What waits for a person takes nobody's place.
        if entry.status == MemoryStatus::Active {
            let old = supersedes.iter().chain(&self.old_summaries);
            for old in old.filter(|old| **old != id) {
                let change = MemoryChange {
                    superseded_by: Some(&id),
                    ..MemoryChange::default()
                };
                group.change_memory(old, &change)?;
            }
        }
        if !contradicts.is_empty() {
            group.add_contradictions(&id, contradicts)?;
        }
        Ok(if is_new { Ok(id) } else { Err(id) })
    }

    fn add(
        &self,
        group: &mut Group<'_>,
        entry: &Entry,
    ) -> Result<becket_store::AddedMemory, Error> {
        let one = &entry.observation;
        let files: Vec<&str> = one.files.iter().map(String::as_str).collect();
        let events: Vec<&str> = one.events.iter().map(String::as_str).collect();
        let project = self.project.as_deref().unwrap_or_default();
        let memory = NewMemory {
            context: one.context.as_deref(),
            importance: one.importance,
            status: entry.status,
            trust: one.trust,
            agent: Some(&self.agent),
            session: Some(&self.job.session),
            events: &events,
            files: &files,
            commit: self.commit.as_deref(),
            ..NewMemory::new(&entry.id, project, one.kind, &one.text, self.created)
        };
        group.add_memory(&memory, None)
    }
}

/// Notes that what is known was said again.
fn merge(
    group: &mut Group<'_>,
    into: &str,
    importance: u8,
    said: &Observation,
) -> Result<(), Error> {
    let change = MemoryChange {
        importance: Some(importance),
        ..MemoryChange::default()
    };
    group.change_memory(into, &change)?;
    let files: Vec<&str> = said.files.iter().map(String::as_str).collect();
    let events: Vec<&str> = said.events.iter().map(String::as_str).collect();
    group.confirm_memory(into, said.trust, &events, &files)?;
    Ok(())
}
