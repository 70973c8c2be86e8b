//! The handle.

use std::fmt;
use std::sync::Arc;

use becket_learn::Habits;
use becket_store::Millis;

use super::ask::{self, Ask, NotLearnt, Told};
use super::ended::Ended;
use crate::keeper::Keeper;
use crate::recall::Remembering;

/// What the person wants of learning.
pub struct Wanted {
    /// Whether something is learnt.
    pub on: bool,
    /// How.
    pub habits: Habits,
    /// What the model of `habits` is called, for people.
    pub model: Option<String>,
    /// What is wrong with what they say of it.
    pub problem: Option<String>,
}

impl Default for Wanted {
    /// By rule.
    fn default() -> Self {
        Self {
            on: true,
            habits: Habits::default(),
            model: None,
            problem: None,
        }
    }
}

/// Tells what the person wants, each time anew.
#[derive(Clone)]
pub struct WantedOf(pub Arc<dyn Fn() -> Wanted + Send + Sync>);

impl fmt::Debug for WantedOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WantedOf")
    }
}

/// Whom to ask about learning.
#[derive(Clone)]
pub struct Learner {
    pub(super) keeper: Keeper,
    pub(super) remembering: Remembering,
    pub(super) wanted: WantedOf,
    pub(super) ended: Arc<Ended>,
}

impl Learner {
    /// Whether the person wants that something is learnt.
    pub fn is_on(&self) -> bool {
        (self.wanted.0)().on
    }

    /// Learns from what the keeper keeps. Does nothing by itself yet.
    pub(crate) fn new(keeper: Keeper, remembering: Remembering, wanted: WantedOf) -> Self {
        Self {
            ended: keeper.ended(),
            keeper,
            remembering,
            wanted,
        }
    }

    /// Answers anything that can be asked.
    pub async fn answer(&self, ask: Ask) -> Result<Told, NotLearnt> {
        let now = Millis::now();
        let mut retried = None;
        if ask != Ask::Status {
            let tell = self
                .keeper
                .tell(move |group| group.whole(|group| ask::change(group, ask, now)));
            let told = tell.await;
            retried = told.map_err(|error| NotLearnt::Unavailable(error.to_string()))?;
            self.ended.ring();
        }
        let wanted = self.wanted.clone();
        let look = self
            .keeper
            .ask(move |reader| ask::learning(reader, &(wanted.0)(), now));
        let mut learning = look.await?;
        learning.embedding = Some(self.remembering.embedding());
        ask::told(ask, retried, learning)
    }
}
