//! With the model, or by rule where it does not answer.

use becket_store::{Extraction, MemoryFilter, MemoryKind, MemoryRow, MemoryStatus, Millis};
use becket_think::{Deadline, ModelError};

use super::desk::Desk;
use super::keep::{Entry, memory_id};
use super::load::{LoadedSession, LoadedTurn};
use super::{Trouble, Worker};
use crate::llm::{Llm, Purse, VERSION};
use crate::observation::{Learnt, Observation, Told};
use crate::rules;
use crate::settle::{Candidate, Settled, by_words, joined, settle};

/// What was thought, by whom, and why not by the model.
type Thought<T> = Result<(T, String, Option<String>), Trouble>;

/// Memories of a project that are compared with.
const MOST_KNOWN: usize = 1000;

impl<D: Desk> Worker<D> {
    pub(super) fn think_of_turn(
        &self,
        turn: &LoadedTurn,
        job: &Extraction,
        now: Millis,
        purse: &mut Purse,
    ) -> Thought<Learnt> {
        let ended = turn.batch.ended_at.unwrap_or(turn.batch.last_at);
        let asked = self
            .fresh_llm(ended, now)
            .map(|llm| llm.learn(&turn.material, purse, &self.deadline()));
        self.or_by_rule(asked, job, || rules::learn(&turn.material))
    }

    pub(super) fn think_of_session(
        &self,
        session: &LoadedSession,
        job: &Extraction,
        now: Millis,
        purse: &mut Purse,
    ) -> Thought<Told> {
        let row = &session.session;
        let by_rule = rules::tell(&session.turns, row.project.as_deref());
        // Where nothing was asked, there is nothing to tell.
        let llm = self
            .fresh_llm(row.last_at, now)
            .filter(|_| by_rule != Told::default());
        let asked = llm.map(|llm| llm.tell(&session.turns, purse, &self.deadline()));
        self.or_by_rule(asked, job, || by_rule)
    }

    fn fresh_llm(&self, at: Millis, now: Millis) -> Option<&Llm> {
        self.llm
            .as_ref()
            .filter(|_| now.since(at) <= self.habits.model_for)
    }

    fn deadline(&self) -> Deadline {
        Deadline::within(self.habits.think_for).until(&self.habits.cancel)
    }

    /// A model that may answer later is waited for, a few times.
    fn or_by_rule<T>(
        &self,
        asked: Option<Result<T, ModelError>>,
        job: &Extraction,
        by_rule: impl FnOnce() -> T,
    ) -> Thought<T> {
        let rule = || "rules".to_owned();
        match asked {
            None => Ok((by_rule(), rule(), None)),
            Some(Ok(thought)) => Ok((thought, format!("model/{VERSION}"), None)),
            Some(Err(error))
                if may_answer_later(&error) && job.attempts < self.habits.model_attempts =>
            {
                Err(Trouble::Failed(error.to_string()))
            }
            Some(Err(error)) => Ok((by_rule(), rule(), Some(error.to_string()))),
        }
    }

    /// What holds in a project.
    pub(super) fn known(&self, project: Option<&str>) -> Result<Vec<MemoryRow>, Trouble> {
        let Some(project) = project else {
            return Ok(Vec::new());
        };
        let filter = MemoryFilter {
            project: Some(project),
            status: Some(MemoryStatus::Active),
            limit: MOST_KNOWN,
            ..MemoryFilter::default()
        };
        Ok(self.desk.read(|reader| reader.memories(&filter))?)
    }

    /// What may say the same. What cannot be compared otherwise is compared by its words.
    fn candidates(&self, known: &[MemoryRow], text: &str) -> Vec<Candidate> {
        let found = by_words(known, text);
        let texts: Vec<&str> = known.iter().map(|memory| memory.text.as_str()).collect();
        match &self.similar {
            Some(similar) => joined(found, known, &similar.scores(text, &texts)),
            None => found,
        }
    }

    /// Each observation beside what is known, those before it included.
    pub(super) fn settle_all(
        &self,
        turn: &LoadedTurn,
        observations: Vec<Observation>,
        known: &[MemoryRow],
    ) -> Vec<Entry> {
        let Some(project) = turn.project() else {
            return Vec::new();
        };
        let mut known = known.to_vec();
        let mut entries = Vec::new();
        for observation in observations {
            let candidates = self.candidates(&known, &observation.text);
            let entry = Entry {
                id: memory_id(project, &turn.batch.id, &observation),
                settled: settle(&observation, &candidates),
                status: (self.review)(&observation),
                observation,
            };
            if let Settled::Keep { .. } = entry.settled {
                known.push(as_row(&entry, project, turn.batch.started_at));
            }
            entries.push(entry);
        }
        entries
    }
}

fn may_answer_later(error: &ModelError) -> bool {
    match error {
        ModelError::Unreachable(_) | ModelError::TimedOut | ModelError::Cancelled => true,
        ModelError::Refused { status, .. } => matches!(status, 408 | 409 | 429 | 500..),
        _ => false,
    }
}

/// An observation as the memory that it will be.
fn as_row(entry: &Entry, project: &str, created: Millis) -> MemoryRow {
    let Observation {
        kind,
        text,
        context,
        importance,
        trust,
        files,
        events,
    } = entry.observation.clone();
    debug_assert!(
        kind != MemoryKind::SessionSummary,
        "summaries are not settled"
    );
    MemoryRow {
        pk: 0,
        id: entry.id.clone(),
        project: project.to_owned(),
        kind,
        text,
        context,
        importance,
        status: entry.status,
        trust,
        pinned: false,
        expires: None,
        agent: None,
        session: None,
        events,
        files,
        commit: None,
        created,
        superseded_by: None,
    }
}
