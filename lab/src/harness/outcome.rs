//! How one test ended, panics included.

use std::cell::RefCell;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use super::TestResult;
use crate::install::Unavailable;

/// How a test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed(String),
    Skipped(Unavailable),
}

thread_local! {
    /// The message of the panic on this thread, while a test runs on it.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a test to its outcome.
pub(super) fn of(test: impl FnOnce() -> TestResult) -> Outcome {
    keep_messages_of_panics();
    PANIC.set(Some("panicked".to_owned()));
    let result = panic::catch_unwind(AssertUnwindSafe(test));
    let message = PANIC.take();
    match result {
        Ok(Ok(())) => Outcome::Passed,
        Ok(Err(error)) => of_error(&*error),
        Err(_) => Outcome::Failed(message.unwrap_or_default()),
    }
}

fn of_error(error: &(dyn Error + 'static)) -> Outcome {
    let chain = || std::iter::successors(Some(error), |&error| error.source());
    if let Some(unavailable) = chain().find_map(|error| error.downcast_ref::<Unavailable>()) {
        return Outcome::Skipped(unavailable.clone());
    }
    let words: Vec<String> = chain().map(ToString::to_string).collect();
    Outcome::Failed(words.join(": "))
}

/// Panics of tests go into the report of their test, in the order of the report; those of other
/// threads go where they went before.
fn keep_messages_of_panics() {
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
    #[error("cannot go on")]
    struct Wrapped(#[source] Unavailable);

    fn unavailable() -> Unavailable {
        Unavailable {
            client: "claude".to_owned(),
            why: "npm is not on the PATH".to_owned(),
        }
    }

    #[test]
    fn a_test_passes_fails_or_is_skipped() {
        assert_eq!(of(|| Ok(())), Outcome::Passed);
        let failed = of(|| Err(io::Error::other("broken").into()));
        assert_eq!(failed, Outcome::Failed("broken".to_owned()));
        let skipped = of(|| Err(unavailable().into()));
        assert_eq!(skipped, Outcome::Skipped(unavailable()));
    }

    #[test]
    fn a_missing_client_is_found_behind_other_errors() {
        let skipped = of(|| Err(Wrapped(unavailable()).into()));
        assert_eq!(skipped, Outcome::Skipped(unavailable()));
    }

    #[test]
    fn a_panic_fails_the_test_with_its_message_and_place() {
        let Outcome::Failed(why) = of(|| panic!("one is not {}", 2)) else {
            panic!("a panic is a failure");
        };
        assert!(why.starts_with("one is not 2\n(at "), "{why}");
        assert!(why.contains("outcome.rs:"), "{why}");
        assert_eq!(of(|| Ok(())), Outcome::Passed);
    }
}
