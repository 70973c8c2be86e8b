//! Requests about learning and their responses, with or without a daemon.

use becket_learn::{LearnStatus, pause, resume, status};
use becket_store::{Error, Millis, StoreReader, StoreWriter, WriteTransaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::handle::LearningSettings;
use crate::recall::EmbeddingStatus;

/// A request. Each response has the status after the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum LearningRequest {
    /// Report the status.
    Status,
    /// Pause the queue.
    Pause,
    /// Resume the queue.
    Resume,
    /// Retry failed jobs.
    Retry {
        /// The job's id; `None` retries all.
        #[serde(default)]
        id: Option<i64>,
    },
}

/// The status of learning
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LearningStatus {
    /// Learning is enabled in the user's configuration
    pub on: bool,
    /// An error in the user's learning configuration
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The language model; without one, rules are used
    pub model: Option<String>,
    /// The limit of tokens per day (UTC)
    pub daily_tokens: Option<u64>,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented at its fields")]
    pub status: LearnStatus,
    /// The embedding model used for search; only with a running daemon
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<EmbeddingStatus>,
}

/// The learning status after a request
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LearningResponse {
    /// How many failed jobs were queued again
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retried: Option<u64>,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented at its fields")]
    pub learning: LearningStatus,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// No failed job has this id.
    #[error("no failed job has the id {0}")]
    UnknownJob(i64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
    /// Learning is not available.
    #[error("{0}")]
    Unavailable(String),
}

/// Handles a request without a daemon. The caller holds the daemon's lock.
pub fn handle_offline(
    writer: &mut StoreWriter,
    request: LearningRequest,
    settings: &LearningSettings,
    now: Millis,
) -> Result<LearningResponse, LearningError> {
    let mut transaction = writer.begin()?;
    let retried = apply(&mut transaction, request, now)?;
    transaction.commit()?;
    response(
        request,
        retried,
        load_status(writer.reader(), settings, now)?,
    )
}

pub(super) fn response(
    request: LearningRequest,
    retried: Option<u64>,
    learning: LearningStatus,
) -> Result<LearningResponse, LearningError> {
    match (request, retried) {
        (LearningRequest::Retry { id: Some(id) }, Some(0)) => Err(LearningError::UnknownJob(id)),
        _ => Ok(LearningResponse { retried, learning }),
    }
}

pub(super) fn load_status(
    reader: &StoreReader,
    settings: &LearningSettings,
    now: Millis,
) -> Result<LearningStatus, Error> {
    Ok(LearningStatus {
        on: settings.on,
        problem: settings.problem.clone(),
        model: settings.model.clone(),
        daily_tokens: settings.habits.daily_tokens,
        status: status(reader, settings.habits.daily_tokens, now)?,
        embedding: None,
    })
}

/// Applies a request; for `Retry`, returns how many jobs were queued again.
pub(super) fn apply(
    transaction: &mut WriteTransaction<'_>,
    request: LearningRequest,
    now: Millis,
) -> Result<Option<u64>, Error> {
    match request {
        LearningRequest::Status => {}
        LearningRequest::Pause => pause(transaction, now)?,
        LearningRequest::Resume => resume(transaction)?,
        LearningRequest::Retry { id: Some(id) } => {
            return Ok(Some(u64::from(transaction.retry_extraction(id, now)?)));
        }
        LearningRequest::Retry { id: None } => {
            return Ok(u64::try_from(transaction.retry_extractions(now)?).ok());
        }
    }
    Ok(None)
}
