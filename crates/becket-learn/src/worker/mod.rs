//! The worker: processes the queue of ended turns and sessions, one job at a time.
//!
//! [`Worker::run_once`] claims a job, loads the record, calls the model without holding any lock, and writes the result in
//! one transaction. A crash between two steps loses at most a model answer: the job becomes due again (at-least-once), and
//! writes are idempotent.

mod extract;
mod job_result;
mod load;
mod queue;
mod state;
mod store_access;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use becket_store::{ExtractionJob, MemoryStatus, Millis};
use becket_think::{Cancel, LanguageModel};

use crate::llm::{LlmLearner, PromptBudget, TokenBudget, TokensSpent};
use crate::observation::Observation;
use crate::reconcile::SimilarityModel;
use crate::review::review;
use job_result::JobResult;
use load::LoadedJob;

pub use job_result::contradictions;
pub use queue::{backfill_queue, enqueue_ended, enqueue_session_end, enqueue_turn};
pub use state::{LearnStatus, pause, resume, status};
pub use store_access::{OwnedStoreAccess, StoreAccess, StoreAccessError};

/// The wait after the first failure. It doubles with every failure.
const FIRST_BACKOFF: Duration = Duration::from_secs(30);
const MAX_BACKOFF: Duration = Duration::from_secs(3600);

/// The wait for a turn that has not ended.
const ACTIVE_TURN_WAIT: Duration = Duration::from_secs(60);

/// Options of a worker.
pub struct WorkerOptions {
    /// The language model; `None` means rules only.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// Whether the provider rejects schemas, as learned from earlier requests. Share it between workers.
    pub rejects_schemas: Arc<AtomicBool>,
    /// Size limits of prompts.
    pub budget: PromptBudget,
    /// Daily token limit for learning (UTC days); `None` means no separate limit.
    pub daily_tokens: Option<u64>,
    /// Time limit for all requests of one job.
    pub llm_timeout: Duration,
    /// Older turns use rules only: a backlog is not worth the tokens.
    pub max_age_for_model: Duration,
    /// How often to try a job before giving up.
    pub attempts: u32,
    /// How often to retry an unreachable model before using rules.
    pub model_attempts: u32,
    /// Cancels a running request; its job becomes due again.
    pub cancel: Cancel,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            model: None,
            rejects_schemas: Arc::default(),
            budget: PromptBudget::default(),
            daily_tokens: None,
            llm_timeout: Duration::from_secs(120),
            max_age_for_model: Duration::from_secs(24 * 3600),
            attempts: 6,
            model_attempts: 3,
            cancel: Cancel::never(),
        }
    }
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// No job is due.
    Idle,
    /// The user paused learning.
    Paused,
    /// A job is done.
    Done(JobReport),
    /// The job failed.
    Failed {
        /// The batch.
        batch: String,
        /// The reason.
        error: String,
        /// The time of the next attempt; `None` if the job was given up.
        retry_at: Option<Millis>,
    },
}

/// The result of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobReport {
    /// The batch.
    pub batch: String,
    /// The project.
    pub project: Option<String>,
    /// Ids of new memories.
    pub added: Vec<String>,
    /// Ids of confirmed memories.
    pub merged: Vec<String>,
    /// Whether a model produced the result.
    pub by_model: bool,
    /// Tokens used.
    pub spent: TokensSpent,
    /// Why rules were used instead of the model.
    pub note: Option<String>,
}

type ReviewFn = Box<dyn Fn(&Observation) -> MemoryStatus + Send + Sync>;

/// Processes the queue. One worker is enough; several are safe, except for the exactness of the token count.
pub struct Worker<D> {
    store: D,
    options: WorkerOptions,
    llm: Option<LlmLearner>,
    similarity: Option<Arc<dyn SimilarityModel>>,
    review: ReviewFn,
}

/// Why a job failed.
#[derive(Debug)]
enum JobError {
    /// The job is not ready yet; this does not count as a failure.
    NotReady,
    Failed(String),
}

impl From<StoreAccessError> for JobError {
    fn from(error: StoreAccessError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl<D: StoreAccess> Worker<D> {
    /// A worker on a store.
    pub fn new(store: D, options: WorkerOptions) -> Self {
        let llm = options.model.clone().map(|model| {
            LlmLearner::new(model, options.budget)
                .with_rejects_schemas(options.rejects_schemas.clone())
        });
        Self {
            store,
            options,
            llm,
            similarity: None,
            review: Box::new(review),
        }
    }

    /// Also finds similar memories by meaning.
    #[must_use]
    pub fn with_similarity(mut self, similar: Arc<dyn SimilarityModel>) -> Self {
        self.similarity = Some(similar);
        self
    }

    /// Replaces the check that quarantines observations.
    #[must_use]
    pub fn with_review(
        mut self,
        review: impl Fn(&Observation) -> MemoryStatus + Send + Sync + 'static,
    ) -> Self {
        self.review = Box::new(review);
        self
    }

    /// The store.
    pub fn store(&self) -> &D {
        &self.store
    }

    /// Processes the job that has been due longest. An error means that the store is not usable.
    pub fn run_once(&self, now: Millis) -> Result<RunOutcome, StoreAccessError> {
        if self.store.read(state::is_paused)? {
            return Ok(RunOutcome::Paused);
        }
        // Longer than the requests may take, so that no other worker claims the job.
        let claim_timeout = self.options.llm_timeout * 2 + Duration::from_secs(60);
        let claimed = self
            .store
            .write(move |group| group.claim_extraction(now, claim_timeout))?;
        let Some(job) = claimed else {
            return Ok(RunOutcome::Idle);
        };
        if job.attempts > self.options.attempts {
            // Earlier attempts left no result; the job may have crashed the process.
            let error = format!(
                "gave up after {} attempts without a result",
                job.attempts - 1
            );
            return self.give_up(&job, error, now);
        }
        match self.work(&job, now) {
            Ok(report) => Ok(RunOutcome::Done(report)),
            Err(JobError::NotReady) => self.postpone(&job, now),
            Err(JobError::Failed(error)) if job.attempts >= self.options.attempts => {
                self.give_up(&job, error, now)
            }
            Err(JobError::Failed(error)) => self.retry(&job, error, now),
        }
    }

    fn work(&self, job: &ExtractionJob, now: Millis) -> Result<JobReport, JobError> {
        let loaded = self.store.read(|reader| load::load(reader, job))?;
        let mut budget = TokenBudget::new(
            self.store.read(|reader| state::tokens_spent(reader, now))?,
            self.options.daily_tokens,
        );
        let (result, note) = match &loaded {
            LoadedJob::Gone => (JobResult::empty(job), None),
            LoadedJob::Active => return Err(JobError::NotReady),
            LoadedJob::Turn(turn) => {
                let extracted = self.learn_from_turn(turn, job, now, &mut budget);
                self.record_spending(&budget, now)?;
                let (learned, by, note) = extracted?;
                let known = self.active_memories(turn.project())?;
                let reconciled = self.reconcile_all(turn, learned.observations.clone(), &known);
                (
                    JobResult::turn(job, turn, &learned, reconciled, by, now),
                    note,
                )
            }
            LoadedJob::Session(session) => {
                let extracted = self.summarize_session(session, job, now, &mut budget);
                self.record_spending(&budget, now)?;
                let (summary, _, note) = extracted?;
                (
                    JobResult::session(job, session, summary, &self.review, now),
                    note,
                )
            }
        };
        let project = result.project().map(str::to_owned);
        let by_model = budget.spent().questions > 0 && note.is_none();
        let (learned, merged) = self.store.write(move |group| result.write(group))?;
        Ok(JobReport {
            batch: job.batch.clone(),
            project,
            added: learned,
            merged,
            by_model,
            spent: budget.spent(),
            note,
        })
    }

    /// Records the tokens that a job used. Called directly after the model, before anything else can fail.
    fn record_spending(&self, budget: &TokenBudget, now: Millis) -> Result<(), StoreAccessError> {
        let (spent, out_at) = (budget.spent(), budget.exceeded_limit());
        if spent == TokensSpent::default() && out_at.is_none() {
            return Ok(());
        }
        let all = self
            .store
            .read(|reader| state::tokens_spent(reader, now))?
            .plus(spent);
        self.store
            .write(move |group| state::set_tokens_spent(group, all, out_at, now))
    }

    /// Postpones a job whose turn was resumed. This does not count as a failed attempt.
    fn postpone(&self, job: &ExtractionJob, now: Millis) -> Result<RunOutcome, StoreAccessError> {
        let error = "the turn has not ended".to_owned();
        let (pk, why, again) = (job.pk, error.clone(), now.plus(ACTIVE_TURN_WAIT));
        self.store.write(move |group| {
            group.fail_extraction(pk, &why, None)?;
            group.retry_extraction(pk, again)
        })?;
        Ok(RunOutcome::Failed {
            batch: job.batch.clone(),
            error,
            retry_at: Some(again),
        })
    }

    fn retry(
        &self,
        job: &ExtractionJob,
        error: String,
        now: Millis,
    ) -> Result<RunOutcome, StoreAccessError> {
        let wait = FIRST_BACKOFF.saturating_mul(1 << job.attempts.saturating_sub(1).min(16));
        let again = now.plus(wait.min(MAX_BACKOFF));
        let (pk, why) = (job.pk, error.clone());
        self.store
            .write(move |group| group.fail_extraction(pk, &why, Some(again)))?;
        Ok(RunOutcome::Failed {
            batch: job.batch.clone(),
            error,
            retry_at: Some(again),
        })
    }

    /// Gives a job up. It stays visible in the queue but no longer runs.
    fn give_up(
        &self,
        job: &ExtractionJob,
        error: String,
        now: Millis,
    ) -> Result<RunOutcome, StoreAccessError> {
        let (pk, why, batch) = (job.pk, error.clone(), job.batch.clone());
        self.store.write(move |group| {
            group.fail_extraction(pk, &why, None)?;
            group.mark_processed(&batch, now)
        })?;
        Ok(RunOutcome::Failed {
            batch: job.batch.clone(),
            error,
            retry_at: None,
        })
    }
}
