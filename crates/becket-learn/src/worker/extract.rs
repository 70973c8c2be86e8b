//! Learns with the model, and with rules if the model fails.

use becket_store::{ExtractionJob, MemoryFilter, MemoryKind, MemoryRow, MemoryStatus, Millis};
use becket_think::{Deadline, ModelError};

use super::job_result::{ReconciledObservation, memory_id};
use super::load::{LoadedSession, LoadedTurn};
use super::store_access::StoreAccess;
use super::{JobError, Worker};
use crate::llm::{LlmLearner, TokenBudget, VERSION};
use crate::observation::{LearnedTurn, Observation, SessionSummary};
use crate::reconcile::{
    MergeCandidate, Reconciliation, candidates_by_words, reconcile, with_model_scores,
};
use crate::rules;

/// The result, its source, and the reason if the model was not used.
type Extracted<T> = Result<(T, String, Option<String>), JobError>;

/// Maximum number of memories of a project to compare with.
const MAX_MEMORIES: usize = 1000;

impl<D: StoreAccess> Worker<D> {
    pub(super) fn learn_from_turn(
        &self,
        turn: &LoadedTurn,
        job: &ExtractionJob,
        now: Millis,
        budget: &mut TokenBudget,
    ) -> Extracted<LearnedTurn> {
        let ended = turn.batch.ended_at.unwrap_or(turn.batch.last_at);
        let asked = self
            .fresh_llm(ended, now)
            .map(|llm| llm.learn(&turn.input, budget, &self.deadline()));
        self.or_rules(asked, job, || rules::learn(&turn.input))
    }

    pub(super) fn summarize_session(
        &self,
        session: &LoadedSession,
        job: &ExtractionJob,
        now: Millis,
        budget: &mut TokenBudget,
    ) -> Extracted<SessionSummary> {
        let row = &session.session;
        let by_rule = rules::summarize_session(&session.turns, row.project.as_deref());
        // A session without a request needs no summary.
        let llm = self
            .fresh_llm(row.last_at, now)
            .filter(|_| by_rule != SessionSummary::default());
        let asked = llm.map(|llm| llm.summarize(&session.turns, budget, &self.deadline()));
        self.or_rules(asked, job, || by_rule)
    }

    fn fresh_llm(&self, at: Millis, now: Millis) -> Option<&LlmLearner> {
        self.llm
            .as_ref()
            .filter(|_| now.since(at) <= self.options.max_age_for_model)
    }

    fn deadline(&self) -> Deadline {
        Deadline::within(self.options.llm_timeout).cancelled_by(&self.options.cancel)
    }

    /// Falls back to rules. A temporary model error is retried a few times first.
    fn or_rules<T>(
        &self,
        asked: Option<Result<T, ModelError>>,
        job: &ExtractionJob,
        by_rule: impl FnOnce() -> T,
    ) -> Extracted<T> {
        let rule = || "rules".to_owned();
        match asked {
            None => Ok((by_rule(), rule(), None)),
            Some(Ok(extracted)) => Ok((extracted, format!("model/{VERSION}"), None)),
            Some(Err(error))
                if is_transient(&error) && job.attempts < self.options.model_attempts =>
            {
                Err(JobError::Failed(error.to_string()))
            }
            Some(Err(error)) => Ok((by_rule(), rule(), Some(error.to_string()))),
        }
    }

    /// The active memories of a project.
    pub(super) fn active_memories(
        &self,
        project: Option<&str>,
    ) -> Result<Vec<MemoryRow>, JobError> {
        let Some(project) = project else {
            return Ok(Vec::new());
        };
        let filter = MemoryFilter {
            project: Some(project),
            status: Some(MemoryStatus::Active),
            limit: MAX_MEMORIES,
            ..MemoryFilter::default()
        };
        Ok(self.store.read(|reader| reader.memories(&filter))?)
    }

    /// Possible duplicates, by words and, if available, by meaning.
    fn candidates(&self, known: &[MemoryRow], text: &str) -> Vec<MergeCandidate> {
        let found = candidates_by_words(known, text);
        let texts: Vec<&str> = known.iter().map(|memory| memory.text.as_str()).collect();
        match &self.similarity {
            Some(similar) => with_model_scores(found, known, &similar.scores(text, &texts)),
            None => found,
        }
    }

    /// Reconciles each observation with the memories and with the observations before it.
    pub(super) fn reconcile_all(
        &self,
        turn: &LoadedTurn,
        observations: Vec<Observation>,
        known: &[MemoryRow],
    ) -> Vec<ReconciledObservation> {
        let Some(project) = turn.project() else {
            return Vec::new();
        };
        let mut known = known.to_vec();
        let mut entries = Vec::new();
        for observation in observations {
            let candidates = self.candidates(&known, &observation.text);
            let entry = ReconciledObservation {
                id: memory_id(project, &turn.batch.id, &observation),
                reconciliation: reconcile(&observation, &candidates),
                status: (self.review)(&observation),
                observation,
            };
            if let Reconciliation::Keep { .. } = entry.reconciliation {
                known.push(as_row(&entry, project, turn.batch.started_at));
            }
            entries.push(entry);
        }
        entries
    }
}

fn is_transient(error: &ModelError) -> bool {
    match error {
        ModelError::Unreachable(_) | ModelError::TimedOut | ModelError::Cancelled => true,
        ModelError::Refused { status, .. } => matches!(status, 408 | 409 | 429 | 500..),
        _ => false,
    }
}

/// The memory that an observation will become.
fn as_row(entry: &ReconciledObservation, project: &str, created: Millis) -> MemoryRow {
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
        "summaries are not reconciled"
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
