//! Runs one test and determines its outcome, including panics.

use std::cell::RefCell;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use super::TestResult;
use crate::install::Unavailable;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TestOutcome {
    Passed,
    Failed(String),
    Skipped(Unavailable),
}

thread_local! {
    /// The panic message of the test that runs on this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a test and returns its outcome.
pub(super) fn run_to_outcome(test: impl FnOnce() -> TestResult) -> TestOutcome {
    capture_panic_messages();
    PANIC.set(Some("panicked".to_owned()));
    let result = panic::catch_unwind(AssertUnwindSafe(test));
    let message = PANIC.take();
    match result {
        Ok(Ok(())) => TestOutcome::Passed,
        Ok(Err(error)) => outcome_of_error(&*error),
        Err(_) => TestOutcome::Failed(message.unwrap_or_default()),
    }
}

fn outcome_of_error(error: &(dyn Error + 'static)) -> TestOutcome {
    let chain = || std::iter::successors(Some(error), |&error| error.source());
    if let Some(unavailable) = chain().find_map(|error| error.downcast_ref::<Unavailable>()) {
        return TestOutcome::Skipped(unavailable.clone());
    }
    let words: Vec<String> = chain().map(ToString::to_string).collect();
    TestOutcome::Failed(words.join(": "))
}

/// Installs a panic hook that puts a test's panic into its report. Panics of other threads go to the previous hook.
fn capture_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let kept = PANIC.with_borrow_mut(|message| {
                let kept = message.is_some();
                *message = kept.then(|| describe(info));
                kept
            });
            if !kept {
                before(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let formatted = payload.downcast_ref::<String>().map(String::as_str);
    let literal = || payload.downcast_ref::<&str>().copied();
    let message = formatted.or_else(literal).unwrap_or("panicked");
    match info.location() {
        Some(place) => format!("{message}\n(at {place})"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot continue")]
    struct Wrapped(#[source] Unavailable);

    fn unavailable() -> Unavailable {
        Unavailable {
            client: "claude".to_owned(),
            why: "npm is not on the PATH".to_owned(),
        }
    }

    #[test]
    fn a_test_passes_fails_or_is_skipped() {
        assert_eq!(run_to_outcome(|| Ok(())), TestOutcome::Passed);
        let failed = run_to_outcome(|| Err(io::Error::other("broken").into()));
        assert_eq!(failed, TestOutcome::Failed("broken".to_owned()));
        let skipped = run_to_outcome(|| Err(unavailable().into()));
        assert_eq!(skipped, TestOutcome::Skipped(unavailable()));
    }

    #[test]
    fn unavailable_client_is_found_in_the_error_chain() {
        let skipped = run_to_outcome(|| Err(Wrapped(unavailable()).into()));
        assert_eq!(skipped, TestOutcome::Skipped(unavailable()));
    }

    #[test]
    fn panic_fails_the_test_with_message_and_location() {
        let TestOutcome::Failed(why) = run_to_outcome(|| panic!("one is not {}", 2)) else {
            panic!("a panic is a failure");
        };
        assert!(why.starts_with("one is not 2\n(at "), "{why}");
        assert!(why.contains("outcome.rs:"), "{why}");
        assert_eq!(run_to_outcome(|| Ok(())), TestOutcome::Passed);
    }
}
