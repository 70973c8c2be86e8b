//! Putting a question again when the provider is busy.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::ModelError;
use crate::deadline::{Deadline, Stopped};

/// The wait before the first retry; each further one is twice as long, give or take a half.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The longest wait that nobody asked for.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// An attempt that failed.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: ModelError,
    pub(super) again: Again,
}

/// Whether to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    Never,
    Soon,
    /// The provider says when.
    After(Duration),
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Self {
            error,
            again: Again::Never,
        }
    }
}

/// Tries up to `retries` times more. A wait that would outlast the deadline is not begun: the last error is
/// worth more than silence.
pub(super) fn persist<T>(
    retries: u32,
    deadline: &Deadline,
    mut attempt: impl FnMut() -> Result<T, Failed>,
) -> Result<T, ModelError> {
    let mut tried = 0;
    loop {
        let failed = match attempt() {
            Ok(found) => return Ok(found),
            Err(failed) => failed,
        };
        let wait = match failed.again {
            Again::Never => return Err(failed.error),
            _ if tried >= retries => return Err(failed.error),
            Again::Soon => backoff(tried),
            Again::After(wait) => wait,
        };
        match deadline.sleep(wait) {
            Ok(()) => tried += 1,
            Err(Stopped::Cancelled) => return Err(ModelError::Cancelled),
            Err(Stopped::TimedOut) => return Err(failed.error),
        }
    }
}

fn backoff(tried: u32) -> Duration {
    let wait = FIRST_WAIT
        .saturating_mul(1 << tried.min(16))
        .min(LONGEST_WAIT);
    // Half of it up to one and a half: many processes must not come back at the same moment.
    let random = u32::try_from(RandomState::new().hash_one(tried) % 1024).unwrap_or_default();
    wait / 2 + wait * random / 1024
}

/// Whether a status means that the same question may be answered later.
pub(super) fn after_status(status: u16, retry_after: Option<&str>, now: DateTime<Utc>) -> Again {
    if !matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529) {
        return Again::Never;
    }
    match retry_after.and_then(|value| parse(value, now)) {
        Some(wait) => Again::After(wait),
        None => Again::Soon,
    }
}

/// Seconds, or a date.
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
    fn the_provider_says_when_to_come_back() {
        let now: DateTime<Utc> = "2026-11-16T10:00:00Z".parse().expect("a time");
        let seconds = |seconds| Again::After(Duration::from_secs(seconds));
        for (status, header, expected) in [
            (429, Some("7"), seconds(7)),
            (503, Some("Mon, 16 Nov 2026 10:00:30 GMT"), seconds(30)),
            (503, Some("Mon, 16 Nov 2026 09:00:00 GMT"), seconds(0)),
            (429, Some("soon"), Again::Soon),
            (429, Some("-1"), Again::Soon),
            (500, None, Again::Soon),
            (529, None, Again::Soon),
            (400, Some("7"), Again::Never),
            (401, None, Again::Never),
            (302, None, Again::Never),
        ] {
            assert_eq!(
                after_status(status, header, now),
                expected,
                "{status} {header:?}"
            );
        }
    }

    #[test]
    fn waits_grow_and_differ_within_bounds() {
        for tried in 0..40 {
            let wait = backoff(tried);
            assert!(
                wait >= FIRST_WAIT / 2 && wait <= LONGEST_WAIT * 3 / 2,
                "{wait:?}"
            );
        }
        assert!(backoff(5) > backoff(0));
    }

    #[test]
    fn a_wait_that_outlasts_the_deadline_is_not_begun() {
        let deadline = Deadline::within(Duration::from_secs(5));
        let mut tries = 0;
        let result: Result<(), _> = persist(3, &deadline, || {
            tries += 1;
            Err(Failed {
                error: ModelError::BadAnswer("busy".to_owned()),
                again: Again::After(Duration::from_secs(3600)),
            })
        });
        assert_eq!(result, Err(ModelError::BadAnswer("busy".to_owned())));
        assert_eq!(tries, 1);
        assert!(deadline.left().is_ok(), "it did not wait");
    }
}
