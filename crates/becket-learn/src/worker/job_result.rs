//! Writes the result of a job in one transaction.

use becket_store::{
    BatchClass, CONTRADICTS, Error, ExtractionJob, MemoryChange, MemoryKind, MemoryStatus, Millis,
    NewMemory, StoreReader, TitleAuthor, Trust, WriteTransaction,
};

use super::ReviewFn;
use super::load::{LoadedSession, LoadedTurn};
use super::queue::is_session_end;
use crate::observation::{LearnedTurn, Observation, SessionSummary};
use crate::reconcile::Reconciliation;
use crate::rules;

/// Minimum number of steps for a session memory if no file changed.
const MIN_STEPS_FOR_MEMORY: usize = 3;

/// An observation with its reconciliation.
#[derive(Debug, Clone)]
pub(super) struct ReconciledObservation {
    pub(super) id: String,
    pub(super) observation: Observation,
    pub(super) reconciliation: Reconciliation,
    pub(super) status: MemoryStatus,
}

/// Everything that a job writes.
#[derive(Debug)]
pub(super) struct JobResult {
    job: ExtractionJob,
    now: Option<Millis>,
    project: Option<String>,
    agent: String,
    entries: Vec<ReconciledObservation>,
    commit: Option<String>,
    class: Option<(BatchClass, String)>,
    summary: SessionSummary,
    created: Millis,
    /// Summaries that the new one supersedes.
    old_summaries: Vec<String>,
}

/// The memories that a memory contradicts.
pub fn contradictions(reader: &StoreReader, memory: &str) -> Result<Vec<String>, Error> {
    let text = reader
        .meta(&format!("{CONTRADICTS}{memory}"))?
        .unwrap_or_default();
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// A deterministic id: the same observation of the same turn is stored once (idempotent).
pub(super) fn memory_id(project: &str, batch: &str, observation: &Observation) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [project, batch, observation.kind.word(), &observation.text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("learnt-{}", &hasher.finalize().to_hex()[..20])
}

impl JobResult {
    /// A job with nothing to learn from.
    pub(super) fn empty(job: &ExtractionJob) -> Self {
        Self {
            job: job.clone(),
            now: None,
            project: None,
            agent: String::new(),
            entries: Vec::new(),
            commit: None,
            class: None,
            summary: SessionSummary::default(),
            created: Millis(0),
            old_summaries: Vec::new(),
        }
    }

    pub(super) fn turn(
        job: &ExtractionJob,
        turn: &LoadedTurn,
        learned: &LearnedTurn,
        entries: Vec<ReconciledObservation>,
        by: String,
        now: Millis,
    ) -> Self {
        let input = &turn.input;
        let mut turns = input.earlier.clone();
        turns.push(input.turn.clone());
        // A temporary title until the session ends.
        let title = match &turn.session.title {
            None => rules::session_title(&turns),
            Some(_) => None,
        };
        Self {
            now: Some(now),
            project: turn.session.project.clone(),
            agent: turn.session.agent.clone(),
            entries,
            commit: learned.commit.clone(),
            class: Some((learned.class, by)),
            summary: SessionSummary {
                title,
                summary: None,
            },
            created: turn.batch.ended_at.unwrap_or(turn.batch.last_at),
            ..Self::empty(job)
        }
    }

    pub(super) fn session(
        job: &ExtractionJob,
        loaded: &LoadedSession,
        summary: SessionSummary,
        review: &ReviewFn,
        now: Millis,
    ) -> Self {
        let session = &loaded.session;
        let steps: usize = loaded.turns.iter().map(|turn| turn.steps.len()).sum();
        let files = crate::turn::changed_files(loaded.turns.iter().flat_map(|turn| &turn.steps));
        let is_worth = !files.is_empty() || steps >= MIN_STEPS_FOR_MEMORY;
        let text = summary.summary.clone().filter(|_| is_worth);
        let entries = text.zip(session.project.as_deref()).map(|(text, project)| {
            let observation = Observation {
                context: summary.title.clone(),
                trust: Trust::Agent,
                files: files.into_iter().take(20).collect(),
                events: loaded.turns.iter().map(|turn| turn.id.clone()).collect(),
                ..Observation::new(MemoryKind::SessionSummary, text)
            };
            ReconciledObservation {
                id: memory_id(project, &session.id, &observation),
                status: review(&observation),
                observation,
                reconciliation: Reconciliation::new(),
            }
        });
        Self {
            now: Some(now),
            project: session.project.clone(),
            agent: session.agent.clone(),
            entries: entries.into_iter().collect(),
            summary,
            created: session.ended_at.unwrap_or(session.last_at),
            old_summaries: loaded.summaries.clone(),
            ..Self::empty(job)
        }
    }

    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Writes everything. Returns the ids of new and of confirmed memories.
    pub(super) fn write(
        &self,
        group: &mut WriteTransaction<'_>,
    ) -> Result<(Vec<String>, Vec<String>), Error> {
        let (mut learned, mut merged) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            match self.write_entry(group, entry)? {
                Ok(id) => learned.push(id),
                Err(id) => merged.push(id),
            }
        }
        if let Some((class, by)) = &self.class {
            group.set_class(&self.job.batch, *class, by)?;
        }
        if let Some(title) = &self.summary.title {
            group.set_title(&self.job.session, title, TitleAuthor::Program)?;
        }
        if let Some(now) = self.now {
            if let Some(summary) = &self.summary.summary {
                group.set_summary(&self.job.session, summary, now)?;
            }
            if !is_session_end(&self.job.batch, &self.job.session) {
                group.mark_processed(&self.job.batch, now)?;
            }
        }
        group.finish_extraction(self.job.pk)?;
        Ok((learned, merged))
    }

    /// Returns the id, as `Err` if the memory already existed.
    fn write_entry(
        &self,
        group: &mut WriteTransaction<'_>,
        entry: &ReconciledObservation,
    ) -> Result<Result<String, String>, Error> {
        let (Reconciliation::Merge {
            supersedes,
            contradicts,
            ..
        }
        | Reconciliation::Keep {
            supersedes,
            contradicts,
        }) = &entry.reconciliation;
        let (id, is_new) = match &entry.reconciliation {
            Reconciliation::Merge {
                into, importance, ..
            } => {
                merge(group, into, *importance, &entry.observation)?;
                (into.clone(), false)
            }
            Reconciliation::Keep { .. } => {
                let added = self.add(group, entry)?;
                if !added.new && entry.observation.trust == Trust::User {
                    // A restated memory becomes active again.
                    let change = MemoryChange {
                        status: Some(MemoryStatus::Active),
                        ..MemoryChange::default()
                    };
                    group.change_memory(&added.id, &change)?;
                }
                (added.id, added.new)
            }
        };
        // A quarantined memory supersedes nothing.
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
        group: &mut WriteTransaction<'_>,
        entry: &ReconciledObservation,
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

/// Confirms an existing memory.
fn merge(
    group: &mut WriteTransaction<'_>,
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
