//! Waiting with a deadline that only a failing test reaches.

use std::path::Path;
use std::time::{Duration, Instant};

/// Far longer than any wait takes on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

const INTERVAL: Duration = Duration::from_millis(5);

/// Polls until there is a value.
#[track_caller]
pub fn poll_until<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "never came: {what}");
        std::thread::sleep(INTERVAL);
    }
}

/// Polls until a condition holds.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    poll_until(what, || holds().then_some(()));
}

/// Waits for a file and returns its text.
#[track_caller]
pub fn read_when_there(path: &Path) -> String {
    poll_until(&path.display().to_string(), || {
        std::fs::read_to_string(path).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polling_ends_with_the_first_value() {
        let mut count = 0;
        let found = poll_until("the third", || {
            count += 1;
            (count == 3).then_some(count)
        });
        assert_eq!((found, count), (3, 3));
    }
}
