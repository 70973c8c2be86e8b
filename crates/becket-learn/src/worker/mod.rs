//! Working through the queue of turns, one at a time.
//!
//! [`Worker::run_once`] takes a job, reads what was recorded, thinks without holding anything, and writes everything that
//! came of it in one group. Whoever kills it between two steps loses at most an answer of a model: the job is due
//! again after a while, and nothing is there twice.

mod desk;
mod keep;
mod load;
mod queue;
mod state;
mod think;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use becket_store::{Extraction, MemoryStatus, Millis};
use becket_think::{Cancel, Model};

use crate::llm::{Budget, Llm, Purse, Spent};
use crate::observation::Observation;
use crate::review::review;
use crate::settle::Similar;
use keep::Keep;
use load::Loaded;

pub use desk::{Desk, DeskError, OwnDesk};
pub use keep::contradictions;
pub use queue::{catch_up, enqueue_ended, enqueue_session_end, enqueue_turn};
pub use state::{Status, pause, resume, status};

/// The wait after a first failure; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// The wait for a turn that is not over.
const STILL_ACTIVE: Duration = Duration::from_secs(60);

/// How a worker works.
pub struct Habits {
    /// Whom to ask; `None`: learning is by rule alone.
    pub model: Option<Arc<dyn Model>>,
    /// Whether its provider refuses schemas, as was found out by asking. Whoever makes a worker for each job keeps it.
    pub is_plain: Arc<AtomicBool>,
    /// How much a model is shown at a time.
    pub budget: Budget,
    /// Tokens that learning may cost in a day (UTC); `None`: no limit of its own.
    pub daily_tokens: Option<u64>,
    /// How long all questions about one job may take.
    pub think_for: Duration,
    /// Turns that are older are learnt from by rule: what was recorded before there was a model is not worth its
    /// price.
    pub model_for: Duration,
    /// How often a job is tried before it is given up.
    pub attempts: u32,
    /// How often a model that cannot be reached is waited for before rules take its place.
    pub model_attempts: u32,
    /// Ends a question that is being asked; what it was about is due again.
    pub cancel: Cancel,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            model: None,
            is_plain: Arc::default(),
            budget: Budget::default(),
            daily_tokens: None,
            think_for: Duration::from_secs(120),
            model_for: Duration::from_secs(24 * 3600),
            attempts: 6,
            model_attempts: 3,
            cancel: Cancel::never(),
        }
    }
}

/// What came of a turn of the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// Nothing is due.
    Idle,
    /// A person paused it.
    Paused,
    /// A job is done.
    Done(Report),
    /// It did not work.
    Failed {
        /// The batch.
        batch: String,
        /// Why.
        error: String,
        /// When it is tried again; `None`: it was given up.
        again: Option<Millis>,
    },
}

/// What a job came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The batch.
    pub batch: String,
    /// The project that it is of.
    pub project: Option<String>,
    /// Ids of memories that are new.
    pub learnt: Vec<String>,
    /// Ids of memories that said it already.
    pub merged: Vec<String>,
    /// Whether a model was asked and answered.
    pub by_model: bool,
    /// What it cost.
    pub spent: Spent,
    /// Why rules took the place of the model.
    pub note: Option<String>,
}

type Review = Box<dyn Fn(&Observation) -> MemoryStatus + Send + Sync>;

/// The one who works through the queue. One at a time is enough; several do no harm but to the count of tokens.
pub struct Worker<D> {
    desk: D,
    habits: Habits,
    llm: Option<Llm>,
    similar: Option<Arc<dyn Similar>>,
    review: Review,
}

/// What went wrong with a job.
#[derive(Debug)]
enum Trouble {
    /// It is not its time yet, which is nobody's fault.
    Early,
    Failed(String),
}

impl From<DeskError> for Trouble {
    fn from(error: DeskError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl<D: Desk> Worker<D> {
    /// A worker at a desk.
    pub fn new(desk: D, habits: Habits) -> Self {
        let llm = habits
            .model
            .clone()
            .map(|model| Llm::new(model, habits.budget).with_plain(habits.is_plain.clone()));
        Self {
            desk,
            habits,
            llm,
            similar: None,
            review: Box::new(review),
        }
    }

    /// The same with another way to find similar memories beside their words.
    #[must_use]
    pub fn with_similar(mut self, similar: Arc<dyn Similar>) -> Self {
        self.similar = Some(similar);
        self
    }

    /// The same with another judge of what holds at once and what waits for a person.
    #[must_use]
    pub fn with_review(
        mut self,
        review: impl Fn(&Observation) -> MemoryStatus + Send + Sync + 'static,
    ) -> Self {
        self.review = Box::new(review);
        self
    }

    /// The desk.
    pub fn desk(&self) -> &D {
        &self.desk
    }

    /// Does the job that is due longest. An error means that the store cannot be used.
    pub fn run_once(&self, now: Millis) -> Result<Ran, DeskError> {
        if self.desk.read(state::is_paused)? {
            return Ok(Ran::Paused);
        }
        // Longer than thinking takes, so that nobody else takes the job meanwhile.
        let patience = self.habits.think_for * 2 + Duration::from_secs(60);
        let claimed = self
            .desk
            .write(move |group| group.claim_extraction(now, patience))?;
        let Some(job) = claimed else {
            return Ok(Ran::Idle);
        };
        if job.attempts > self.habits.attempts {
            // Each try ended without a word: it may have taken the whole process with it.
            let error = format!(
                "it was tried {} times and never came to an end",
                job.attempts - 1
            );
            return self.give_up(&job, error, now);
        }
        match self.work(&job, now) {
            Ok(report) => Ok(Ran::Done(report)),
            Err(Trouble::Early) => self.later(&job, now),
            Err(Trouble::Failed(error)) if job.attempts >= self.habits.attempts => {
                self.give_up(&job, error, now)
            }
            Err(Trouble::Failed(error)) => self.again(&job, error, now),
        }
    }

    fn work(&self, job: &Extraction, now: Millis) -> Result<Report, Trouble> {
        let loaded = self.desk.read(|reader| load::load(reader, job))?;
        let mut purse = Purse::new(
            self.desk.read(|reader| state::spent(reader, now))?,
            self.habits.daily_tokens,
        );
        let (keep, note) = match &loaded {
            Loaded::Gone => (Keep::nothing(job), None),
            Loaded::Active => return Err(Trouble::Early),
            Loaded::Turn(turn) => {
                let thought = self.think_of_turn(turn, job, now, &mut purse);
                self.note_spending(&purse, now)?;
                let (learnt, by, note) = thought?;
                let known = self.known(turn.project())?;
                let settled = self.settle_all(turn, learnt.observations.clone(), &known);
                (Keep::turn(job, turn, &learnt, settled, by, now), note)
            }
            Loaded::Session(session) => {
                let thought = self.think_of_session(session, job, now, &mut purse);
                self.note_spending(&purse, now)?;
                let (told, _, note) = thought?;
                (Keep::session(job, session, told, &self.review, now), note)
            }
        };
        let project = keep.project().map(str::to_owned);
        let by_model = purse.spent().questions > 0 && note.is_none();
        let (learnt, merged) = self.desk.write(move |group| keep.write(group))?;
        Ok(Report {
            batch: job.batch.clone(),
            project,
            learnt,
            merged,
            by_model,
            spent: purse.spent(),
            note,
        })
    }

    /// Before anything else can go wrong.
    fn note_spending(&self, purse: &Purse, now: Millis) -> Result<(), DeskError> {
        let (spent, out_at) = (purse.spent(), purse.out_at());
        if spent == Spent::default() && out_at.is_none() {
            return Ok(());
        }
        let all = self
            .desk
            .read(|reader| state::spent(reader, now))?
            .plus(spent);
        self.desk
            .write(move |group| state::set_spent(group, all, out_at, now))
    }

    /// A turn that is going on again is no failed try.
    fn later(&self, job: &Extraction, now: Millis) -> Result<Ran, DeskError> {
        let error = "the turn is still going on".to_owned();
        let (pk, why, again) = (job.pk, error.clone(), now.plus(STILL_ACTIVE));
        self.desk.write(move |group| {
            group.fail_extraction(pk, &why, None)?;
            group.retry_extraction(pk, again)
        })?;
        Ok(Ran::Failed {
            batch: job.batch.clone(),
            error,
            again: Some(again),
        })
    }

    fn again(&self, job: &Extraction, error: String, now: Millis) -> Result<Ran, DeskError> {
        let wait = FIRST_WAIT.saturating_mul(1 << job.attempts.saturating_sub(1).min(16));
        let again = now.plus(wait.min(LONGEST_WAIT));
        let (pk, why) = (job.pk, error.clone());
        self.desk
            .write(move |group| group.fail_extraction(pk, &why, Some(again)))?;
        Ok(Ran::Failed {
            batch: job.batch.clone(),
            error,
            again: Some(again),
        })
    }

    /// It stays visible in the queue, and out of the way of others.
    fn give_up(&self, job: &Extraction, error: String, now: Millis) -> Result<Ran, DeskError> {
        let (pk, why, batch) = (job.pk, error.clone(), job.batch.clone());
        self.desk.write(move |group| {
            group.fail_extraction(pk, &why, None)?;
            group.mark_processed(&batch, now)
        })?;
        Ok(Ran::Failed {
            batch: job.batch.clone(),
            error,
            again: None,
        })
    }
}
