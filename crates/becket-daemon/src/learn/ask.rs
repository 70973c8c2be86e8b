//! What can be asked about learning, and what is answered: the same with and without a daemon.

use becket_learn::{Status, pause, resume, status};
use becket_store::{Error, Group, Millis, Reader, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::learner::Wanted;
use crate::recall::Embedding;

/// A question or a wish. Each is answered with how learning is then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Ask {
    /// How is it?
    Status,
    /// Let the queue wait.
    Pause,
    /// Go on.
    Resume,
    /// Try again what was given up.
    Retry {
        /// Which; all of it, if it is not said.
        #[serde(default)]
        id: Option<i64>,
    },
}

/// How learning is
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Learning {
    /// Something is learnt; the person's file may say no
    pub on: bool,
    /// What is wrong with what the person's file says of it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The model that is asked; without one, rules learn
    pub model: Option<String>,
    /// How many tokens learning may cost in a day (UTC)
    pub daily_tokens: Option<u64>,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "its fields say what they are")]
    pub status: Status,
    /// The model whose vectors are searched by, where a daemon tells
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Embedding>,
}

/// The answer
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// How many were put back into the queue, if that was wished for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retried: Option<u64>,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "its fields say what they are")]
    pub learning: Learning,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotLearnt {
    /// Nothing of that name was given up.
    #[error("nothing that was given up has the id {0}")]
    Missing(i64),
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] Error),
    /// The daemon did not do it.
    #[error("{0}")]
    Unavailable(String),
}

/// Answers where no daemon runs. Whoever uses this holds the daemon's lock.
pub fn answer(
    writer: &mut Writer,
    ask: Ask,
    wanted: &Wanted,
    now: Millis,
) -> Result<Told, NotLearnt> {
    let mut group = writer.begin()?;
    let retried = change(&mut group, ask, now)?;
    group.commit()?;
    told(ask, retried, learning(writer.reader(), wanted, now)?)
}

pub(super) fn told(ask: Ask, retried: Option<u64>, learning: Learning) -> Result<Told, NotLearnt> {
    match (ask, retried) {
        (Ask::Retry { id: Some(id) }, Some(0)) => Err(NotLearnt::Missing(id)),
        _ => Ok(Told { retried, learning }),
    }
}

pub(super) fn learning(reader: &Reader, wanted: &Wanted, now: Millis) -> Result<Learning, Error> {
    Ok(Learning {
        on: wanted.on,
        problem: wanted.problem.clone(),
        model: wanted.model.clone(),
        daily_tokens: wanted.habits.daily_tokens,
        status: status(reader, wanted.habits.daily_tokens, now)?,
        embedding: None,
    })
}

/// Does what is wished for; how many were put back, if that was it.
pub(super) fn change(group: &mut Group<'_>, ask: Ask, now: Millis) -> Result<Option<u64>, Error> {
    match ask {
        Ask::Status => {}
        Ask::Pause => pause(group, now)?,
        Ask::Resume => resume(group)?,
        Ask::Retry { id: Some(id) } => {
            return Ok(Some(u64::from(group.retry_extraction(id, now)?)));
        }
        Ask::Retry { id: None } => {
            return Ok(u64::try_from(group.retry_extractions(now)?).ok());
        }
    }
    Ok(None)
}
