//! Retries with exponential backoff when a provider is busy.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::ModelError;
use crate::deadline::{Deadline, DeadlineError};

/// The wait before the first retry. It doubles with every retry, with 50 % jitter.
const FIRST_BACKOFF: Duration = Duration::from_millis(250);

/// The longest wait, unless the provider asks for a longer one.
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// A failed attempt.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub(super) error: ModelError,
    pub(super) retry: RetryAfter,
}

/// Whether and when to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryAfter {
    Never,
    Backoff,
    /// As the provider's `Retry-After` header says.
    After(Duration),
}

impl From<ModelError> for AttemptError {
    fn from(error: ModelError) -> Self {
        Self {
            error,
            retry: RetryAfter::Never,
        }
    }
}

/// Retries up to `retries` times. If a wait would outlast the deadline, it returns the last error at once.
pub(super) fn with_retries<T>(
    retries: u32,
    deadline: &Deadline,
    mut attempt: impl FnMut() -> Result<T, AttemptError>,
) -> Result<T, ModelError> {
    let mut tried = 0;
    loop {
        let failed = match attempt() {
            Ok(found) => return Ok(found),
            Err(failed) => failed,
        };
        let wait = match failed.retry {
            RetryAfter::Never => return Err(failed.error),
            _ if tried >= retries => return Err(failed.error),
            RetryAfter::Backoff => backoff(tried),
            RetryAfter::After(wait) => wait,
        };
        match deadline.sleep(wait) {
            Ok(()) => tried += 1,
            Err(DeadlineError::Cancelled) => return Err(ModelError::Cancelled),
            Err(DeadlineError::TimedOut) => return Err(failed.error),
        }
    }
}

fn backoff(tried: u32) -> Duration {
    let wait = FIRST_BACKOFF
        .saturating_mul(1 << tried.min(16))
        .min(MAX_BACKOFF);
    // Jitter from 0.5 to 1.5, so that many processes do not retry at the same moment.
    let random = u32::try_from(RandomState::new().hash_one(tried) % 1024).unwrap_or_default();
    wait / 2 + wait * random / 1024
}

/// Whether a request with this status may succeed later.
pub(super) fn retry_after_status(
    status: u16,
    retry_after: Option<&str>,
    now: DateTime<Utc>,
) -> RetryAfter {
    if !matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529) {
        return RetryAfter::Never;
    }
    match retry_after.and_then(|value| parse(value, now)) {
        Some(wait) => RetryAfter::After(wait),
        None => RetryAfter::Backoff,
    }
}

/// Parses `Retry-After`: seconds or an HTTP date.
fn parse(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = DateTime::parse_from_rfc2822(value).ok()?;
    Some((then.to_utc() - now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_header_is_parsed() {
        let now: DateTime<Utc> = "2026-11-16T10:00:00Z".parse().expect("a time");
        let seconds = |seconds| RetryAfter::After(Duration::from_secs(seconds));
        for (status, header, expected) in [
            (429, Some("7"), seconds(7)),
            (503, Some("Mon, 16 Nov 2026 10:00:30 GMT"), seconds(30)),
            (503, Some("Mon, 16 Nov 2026 09:00:00 GMT"), seconds(0)),
            (429, Some("soon"), RetryAfter::Backoff),
            (429, Some("-1"), RetryAfter::Backoff),
            (500, None, RetryAfter::Backoff),
            (529, None, RetryAfter::Backoff),
            (400, Some("7"), RetryAfter::Never),
            (401, None, RetryAfter::Never),
            (302, None, RetryAfter::Never),
        ] {
            assert_eq!(
                retry_after_status(status, header, now),
                expected,
                "{status} {header:?}"
            );
        }
    }

    #[test]
    fn backoff_grows_with_jitter_within_bounds() {
        for tried in 0..40 {
            let wait = backoff(tried);
            assert!(
                wait >= FIRST_BACKOFF / 2 && wait <= MAX_BACKOFF * 3 / 2,
                "{wait:?}"
            );
        }
        assert!(backoff(5) > backoff(0));
    }

    #[test]
    fn retry_longer_than_the_deadline_is_skipped() {
        let deadline = Deadline::within(Duration::from_secs(5));
        let mut tries = 0;
        let result: Result<(), _> = with_retries(3, &deadline, || {
            tries += 1;
            Err(AttemptError {
                error: ModelError::BadAnswer("busy".to_owned()),
                retry: RetryAfter::After(Duration::from_secs(3600)),
            })
        });
        assert_eq!(result, Err(ModelError::BadAnswer("busy".to_owned())));
        assert_eq!(tries, 1);
        assert!(deadline.remaining().is_ok(), "it did not wait");
    }
}
